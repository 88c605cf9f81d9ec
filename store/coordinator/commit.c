/*
 * Commits or aborts a transaction.
 *
 *     PREPARE to the participants, CHECK to those that only check
 *        │ a refusal ────────────────> abort
 *        │ all in favour ── the protocol ──┬── CHECK round, then asks it again
 *        v                                 └── abort
 *     DECIDE at the anchor ── its log has applied it ──> the client
 *
 * What the client hears is true: *committed* only once the anchor's log has
 * applied the decision; *aborted* only if no commit can follow. For a transaction
 * on several shards that is so as soon as this coordinator, the only one who could
 * ask the anchor to commit, makes up its mind. One that is decided with its only
 * prepare may commit as long as a copy of that prepare is under way: there the
 * anchor is asked to abort first, and what it answers is the outcome. Where the
 * anchor says that the transaction is so old that its record may be gone, nobody
 * can tell, and the client hears that it is unknown.
 *
 * Whatever has been asked to prepare learns the outcome from the anchor; the other
 * shards that were touched are told that the transaction is over, where the
 * protocol keeps anything for it.
 */
#include "store/coordinator/commit_private.h"

#include <assert.h>

#include "store/coordinator/coordinator_private.h"
#include "store/coordinator/statement_private.h"

/* --- The end ---------------------------------------------------------------------------------- */

/* Shards that keep something and will hear of no outcome. */
static uint64_t shards_to_release(const struct txn *txn)
{
    return txn->coordinator->protocol->over ? txn->touched & ~txn->private->participants : 0;
}

static void commit_finish(struct txn *txn)
{
    uint64_t shards = shards_to_release(txn);

    coordinator_close_asks(txn);
    txn->phase = TXN_DONE;
    if (shards)
        coordinator_ask_shards(txn, shards);
    else
        coordinator_close_txn(txn);
}

static void reply(struct txn *txn, enum client_reply_kind kind, enum refusal refusal)
{
    struct client_reply reply = { .kind = kind, .refusal = refusal };

    if (kind == REPLY_DONE)
        reply.at = txn->decision.at;
    coordinator_reply(txn, &reply);
}

static void reply_aborted(struct txn *txn, enum refusal refusal)
{
    struct server *server = txn->coordinator->server;

    world_note(server->world, server->node, NOTE_ABORTED, txn->id, refusal);
    reply(txn, REPLY_ABORTED, refusal);
}

static void reply_committed(struct txn *txn)
{
    struct server *server = txn->coordinator->server;

    server_hear(server, txn->decision.at);
    world_note(server->world, server->node, NOTE_DECIDED, txn->id, txn->private->participants);
    reply(txn, REPLY_DONE, REFUSED_NOT);
}

static void decide(struct txn *txn)
{
    coordinator_close_asks(txn);
    txn->phase = TXN_DECIDING;
    coordinator_ask_shards(txn, shard_bit(txn->private->anchor));
}

void commit_abort(struct txn *txn, enum refusal refusal)
{
    struct txn_private *private = txn->private;

    assert(txn->phase < TXN_DECIDING);
    coordinator_close_asks(txn);
    private->refusal = refusal;
    if (private->participants == 0) {
        reply_aborted(txn, refusal);
        commit_finish(txn);
        return;
    }
    txn->decision = (struct decision){ .txn = txn->id,
                                       .begin = txn->begin,
                                       .snapshot = txn->snapshot,
                                       .participants = private->participants };
    if (!private->is_alone)
        reply_aborted(txn, refusal);
    decide(txn);
}

void commit_on_decision(struct txn *txn, const struct shard_answer *answer)
{
    struct txn_private *private = txn->private;
    bool was_to_commit = txn->decision.commits;
    bool is_answered = !was_to_commit && !private->is_alone;

    if (answer->refusal == REFUSED_TOO_OLD) {
        SOMETIMES(txn->coordinator->sometimes, DECISION_FORGOTTEN);
        if (!is_answered)
            reply(txn, REPLY_UNKNOWN, REFUSED_TOO_OLD);
    } else if (answer->decision.commits) {
        if (!was_to_commit)
            SOMETIMES(txn->coordinator->sometimes, ABORT_REFUSED);
        txn->decision = answer->decision;
        if (!is_answered)
            reply_committed(txn);
    } else if (!is_answered) {
        if (was_to_commit)
            SOMETIMES(txn->coordinator->sometimes, COMMIT_REFUSED);
        reply_aborted(txn, was_to_commit ? REFUSED_ABORTED : private->refusal);
    }
    commit_finish(txn);
}

/* --- Without any record: what only read, where the protocol needs no prepare -------------------- */

static struct stamp place_of_reader(const struct txn *txn)
{
    if (!stamp_is_zero(txn->place))
        return txn->place;
    return stamp_is_zero(txn->snapshot) ? txn->begin : txn->snapshot;
}

static void commit_without_record(struct txn *txn)
{
    struct coordinator *c = txn->coordinator;

    record_read_only(c->server->cluster->record, txn->id, place_of_reader(txn),
                     !c->protocol->exports_snapshot, txn->snapshot);
    txn->decision = (struct decision){ .txn = txn->id, .commits = true, .at = txn->snapshot };
    reply_committed(txn);
    commit_finish(txn);
}

/* --- Votes ------------------------------------------------------------------------------------ */

/* What all shares of the transaction have in common. */
static struct prepare prepare_of(const struct txn *txn)
{
    return (struct prepare){ .txn = txn->id,
                             .coordinator = txn->coordinator->server->node,
                             .begin = txn->begin,
                             .snapshot = txn->snapshot,
                             .place = txn->place,
                             .participants = txn->private->participants,
                             .anchor = txn->private->anchor,
                             .is_alone = txn->private->is_alone,
                             .reads_only = txn_reads_only(txn) };
}

static void fill_keys(const struct txn *txn, uint32_t shard, struct prepare *p,
                      struct arena *scratch)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    struct seen_key *keys = arena_take(scratch, txn->keys.count, sizeof *keys);

    for (uint32_t i = 0; i < txn->keys.count; i++)
        if (catalog_shard(catalog, txn->keys.at[i].key) == shard)
            keys[p->key_count++] = txn->keys.at[i];
    p->keys = keys;
}

static void fill_changes(const struct txn *txn, uint32_t shard, struct prepare *p,
                         struct arena *scratch)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    struct row_change *changes = arena_take(scratch, txn->writes.count, sizeof *changes);

    for (uint32_t i = 0; i < txn->writes.count; i++) {
        const struct own_row *own = &txn->writes.at[i];
        if (catalog_shard(catalog, own->key) == shard)
            changes[p->change_count++] = (struct row_change){ own->key, own->is_removed, own->row };
    }
    p->changes = changes;
}

void commit_fill_prepare(struct txn *txn, uint32_t shard, struct ask *ask)
{
    struct arena *scratch = &txn->coordinator->server->scratch;

    ask->to = txn->check_to;
    ask->prepare = prepare_of(txn);
    ask->prepare.term = txn->terms[shard];
    ask->prepare.scopes = txn->scopes[shard].at;
    ask->prepare.scope_count = txn->scopes[shard].count;
    fill_keys(txn, shard, &ask->prepare, scratch);
    if (ask->kind == ASK_PREPARE)
        fill_changes(txn, shard, &ask->prepare, scratch);
}

static void merge(struct vote *merged, const struct vote *vote)
{
    merged->at = stamp_max(merged->at, vote->at);
    merged->in = stamp_max(merged->in, vote->in);
    merged->out = stamp_min(merged->out, vote->out);
    merged->pivot = stamp_min(merged->pivot, vote->pivot);
}

/* The only participant's log has decided. */
static void take_outcome(struct txn *txn, const struct shard_answer *answer)
{
    txn->decision = answer->decision;
    if (answer->decision.commits)
        reply_committed(txn);
    else
        reply_aborted(txn, answer->refusal == REFUSED_NOT ? REFUSED_CONFLICT : answer->refusal);
    commit_finish(txn);
}

void commit_on_vote(struct txn *txn, uint32_t shard, const struct shard_answer *answer)
{
    bool is_prepare = txn->private->participants & shard_bit(shard);

    if (is_prepare && txn->private->is_alone && answer->decision.txn == txn->id) {
        take_outcome(txn, answer);
        return;
    }
    if (answer->vote.refusal != REFUSED_NOT || answer->refusal != REFUSED_NOT) {
        commit_abort(txn, answer->refusal == REFUSED_NOT ? answer->vote.refusal : answer->refusal);
        return;
    }
    if (is_prepare)
        merge(&txn->merged, &answer->vote);
    if (txn->open_asks == 0)
        commit_votes_are_in(txn);
}

static void decide_to_commit(struct txn *txn)
{
    const struct coordinator *c = txn->coordinator;
    struct prepare prepare = prepare_of(txn);

    assert(!txn->private->is_alone); /* its vote would have been the decision */
    txn->decision = shard_conclude(c->protocol, &prepare, &txn->merged);
    if (txn->decision.commits)
        decide(txn);
    else
        commit_abort(txn, REFUSED_CONFLICT);
}

void commit_votes_are_in(struct txn *txn)
{
    const struct protocol *protocol = txn->coordinator->protocol;

    switch (protocol->voted ? protocol->voted(txn, &txn->merged) : NEXT_GO_ON) {
    case NEXT_GO_ON:
        if (txn->private->participants == 0)
            commit_without_record(txn);
        else
            decide_to_commit(txn);
        return;
    case NEXT_CHECK:
        txn->private->is_committing = true;
        commit_check(txn);
        return;
    case NEXT_READ_AGAIN: /* too late for that: the client has its rows */
    case NEXT_ABORT:
        commit_abort(txn, REFUSED_CONFLICT);
        return;
    }
}

/* --- Looking again ---------------------------------------------------------------------------- */

static uint64_t shards_read(const struct txn *txn)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    uint64_t shards = 0;

    for (uint32_t i = 0; i < txn->keys.count; i++)
        shards |= shard_bit(catalog_shard(catalog, txn->keys.at[i].key));
    for (uint32_t i = 0; i < catalog->shard_count; i++)
        if (txn->scopes[i].count > 0)
            shards |= shard_bit(i);
    return shards;
}

void commit_check(struct txn *txn)
{
    uint64_t shards = shards_read(txn);

    txn->phase = TXN_CHECKING;
    coordinator_ask_shards(txn, shards);
    if (shards == 0)
        commit_check_is_done(txn);
}

void commit_on_check(struct txn *txn, const struct shard_answer *answer)
{
    if (answer->vote.refusal != REFUSED_NOT || answer->refusal != REFUSED_NOT) {
        SOMETIMES(txn->coordinator->sometimes, REFRESH_FAILED);
        commit_abort(txn, answer->refusal == REFUSED_NOT ? answer->vote.refusal : answer->refusal);
    } else if (txn->open_asks == 0) {
        SOMETIMES(txn->coordinator->sometimes, REFRESHED);
        commit_check_is_done(txn);
    }
}

void commit_check_is_done(struct txn *txn)
{
    txn->snapshot = txn->check_to;
    if (txn->private->is_committing) {
        txn->phase = TXN_PREPARING;
        commit_votes_are_in(txn);
    } else {
        txn->phase = TXN_READING;
        coordinator_rows_are_in(txn);
    }
}

/* --- The beginning of the end ----------------------------------------------------------------- */

static uint64_t participants_of(struct txn *txn)
{
    const struct coordinator *c = txn->coordinator;
    uint64_t shards = c->protocol->prepares ? c->protocol->prepares(txn) : txn->touched;

    if (c->bugs->on[BUG_COORDINATOR_FORGETS_A_SHARD] && shards_rest(shards))
        shards &= ~shard_bit(63 - (uint32_t)__builtin_clzll(shards));
    return shards;
}

/* By the id, so that no shard has to decide for all others. */
static uint32_t anchor_of(const struct txn *txn, uint64_t participants)
{
    uint64_t skip = txn->id % (uint64_t)__builtin_popcountll(participants);

    for (; skip > 0; skip--)
        participants = shards_rest(participants);
    return shards_first(participants);
}

/* Shards may have forgotten it: known here, while nothing was prepared, that spares an unknown. */
static bool is_too_old(struct txn *txn)
{
    const struct cluster *cluster = txn->coordinator->server->cluster;

    return coordinator_now(txn).wall_ns - txn->begin.wall_ns > cluster->options.retention_ns;
}

void commit_begin(struct txn *txn)
{
    const struct protocol *protocol = txn->coordinator->protocol;
    struct txn_private *private = txn->private;
    uint64_t participants, checks;

    txn->phase = TXN_PREPARING;
    if (is_too_old(txn)) {
        SOMETIMES(txn->coordinator->sometimes, COMMIT_TOO_OLD);
        commit_abort(txn, REFUSED_TOO_OLD);
        return;
    }
    participants = participants_of(txn);
    checks = protocol->checks ? protocol->checks(txn) & ~participants : 0;
    private->participants = participants;
    private->anchor = participants ? anchor_of(txn, participants) : 0;
    private->is_alone = protocol->is_alone && participants && !shards_rest(participants) && !checks;
    txn->merged = (struct vote){ .out = stamp_never(), .pivot = stamp_never() };
    coordinator_ask_shards(txn, participants | checks);
    if (txn->open_asks == 0)
        commit_votes_are_in(txn);
}
