/*
 * How the model's transactions end: votes, second looks, and the outcome.
 */
#include "tests/store/protocols/protocol_model.h"
#include "store/shard/replica_read.h"

#include <string.h>

static uint64_t bit_of(uint32_t shard)
{
    return UINT64_C(1) << shard;
}

/* --- Votes ------------------------------------------------------------------------------------ */

static struct prepare share_of(struct model *m, struct model_txn *t, uint32_t shard)
{
    struct row_change *changes = arena_push(m->arena, 2 * MODEL_KEYS_MAX, sizeof *changes);
    struct seen_key *keys = arena_push(m->arena, t->txn.keys.count + 1, sizeof *keys);
    struct prepare p = {
        .txn = t->txn.id,
        .coordinator = t->home->index,
        .begin = t->txn.begin,
        .snapshot = t->txn.snapshot,
        .place = t->txn.place,
        .term = t->txn.terms[shard],
        .participants = t->participants,
        .anchor = t->anchor,
        .is_alone = t->is_alone,
        .reads_only = t->txn.writes.count == 0,
        .scopes = t->txn.scopes[shard].at,
        .scope_count = t->txn.scopes[shard].count,
        .keys = keys,
        .changes = changes,
    };

    for (uint32_t i = 0; i < t->txn.keys.count; i++)
        if (catalog_shard(m->catalog, t->txn.keys.at[i].key) == shard)
            keys[p.key_count++] = t->txn.keys.at[i];
    for (unsigned k = 0; k < 2 * MODEL_KEYS_MAX; k++)
        if (t->is_own[k] && catalog_shard(m->catalog, m->keys[k]) == shard)
            changes[p.change_count++] = (struct row_change){
                .key = m->keys[k],
                .is_removed = !t->own[k].exists,
                .row = t->own[k].exists ? model_row_text(m, k, t->own[k].number)
                                        : (struct text){ 0 },
            };
    return p;
}

static void merge(struct vote *merged, const struct vote *vote)
{
    merged->at = stamp_max(merged->at, vote->at);
    merged->in = stamp_max(merged->in, vote->in);
    merged->out = stamp_min(merged->out, vote->out);
    merged->pivot = stamp_min(merged->pivot, vote->pivot);
}

static void commit_reader(struct model *m, struct model_txn *t)
{
    struct stamp place = stamp_is_zero(t->txn.place) ? t->txn.snapshot : t->txn.place;

    record_read_only(m->record, t->txn.id, place, !m->options.protocol->exports_snapshot,
                     t->txn.snapshot);
    model_tell(m, t, TXN_OK);
    model_finish(m, t);
}

static void votes_are_in(struct model *m, struct model_txn *t)
{
    const struct protocol *protocol = m->options.protocol;
    struct prepare prepare = { 0 };
    struct decision decision;

    switch (protocol->voted ? protocol->voted(&t->txn, &t->merged) : NEXT_GO_ON) {
    case NEXT_GO_ON:
        break;
    case NEXT_CHECK:
        t->is_committing = true;
        model_start_check(m, t);
        return;
    case NEXT_READ_AGAIN:
    case NEXT_ABORT:
        model_abort(m, t);
        return;
    }
    if (t->participants == 0) {
        commit_reader(m, t);
        return;
    }
    prepare = share_of(m, t, t->anchor);
    decision = shard_conclude(protocol, &prepare, &t->merged);
    model_decide(t, &decision);
}

/* --- Looking again ---------------------------------------------------------------------------- */

static void ask_check(struct model *m, struct model_txn *t, uint32_t shard)
{
    struct ask ask = { .kind = ASK_CHECK, .scope = SCOPE_NONE, .to = t->txn.check_to };

    ask.prepare = share_of(m, t, shard);
    ask.prepare.change_count = 0;
    model_open_ask(t, shard, &ask);
}

static void check_is_done(struct model *m, struct model_txn *t)
{
    t->txn.snapshot = t->txn.check_to;
    if (t->is_committing)
        votes_are_in(m, t);
    else
        model_read_is_done(m, t);
}

void model_start_check(struct model *m, struct model_txn *t)
{
    t->phase = PHASE_CHECKING;
    for (uint32_t shard = 0; shard < m->options.shards; shard++) {
        bool has_read = t->txn.scopes[shard].count > 0;

        for (uint32_t i = 0; i < t->txn.keys.count; i++)
            has_read |= catalog_shard(m->catalog, t->txn.keys.at[i].key) == shard;
        if (has_read)
            ask_check(m, t, shard);
    }
    if (!model_has_open_asks(m, t))
        check_is_done(m, t);
}

/* True: the shard has agreed. */
static bool check_one(struct model *m, struct model_txn *t)
{
    struct vote vote = { .refusal = REFUSED_NOT };
    struct model_shard *s;
    struct model_ask *a = model_draw_ask(m, t, &s);

    if (!a)
        return false;
    arena_reset_to(&m->scratch, 0);
    switch (m->options.protocol->serve_check(&s->replica, &a->waiting, &vote)) {
    case SERVED:
        break;
    case SERVE_AFTER_ROUND:
        a->waiting.is_confirmed = true;
        return false;
    case SERVE_LATER:
        return false;
    }
    a->is_open = false;
    if (vote.refusal != REFUSED_NOT) {
        memset(t->asks, 0, sizeof t->asks);
        model_abort(m, t);
        return false;
    }
    return true;
}

void model_step_check(struct model *m, struct model_txn *t)
{
    if (check_one(m, t) && !model_has_open_asks(m, t))
        check_is_done(m, t);
}

/* --- Committing ------------------------------------------------------------------------------- */

void model_start_commit(struct model *m, struct model_txn *t)
{
    const struct protocol *protocol = m->options.protocol;
    uint64_t checks;

    t->participants = protocol->prepares(&t->txn);
    checks = protocol->checks ? protocol->checks(&t->txn) & ~t->participants : 0;
    t->phase = PHASE_PREPARING;
    t->merged = (struct vote){ .out = stamp_never(), .pivot = stamp_never() };
    if (t->participants != 0) {
        do
            t->anchor = (uint32_t)random_below(&m->random, m->options.shards);
        while (!(t->participants >> t->anchor & 1));
        t->is_alone = protocol->is_alone && !checks && t->participants == bit_of(t->anchor);
    }
    for (uint32_t shard = 0; shard < m->options.shards; shard++) {
        if (t->participants >> shard & 1)
            t->shares[shard].ask = (struct ask){ .kind = ASK_PREPARE,
                                                 .txn = t->txn.id,
                                                 .begin = t->txn.begin,
                                                 .prepare = share_of(m, t, shard) };
        else if (checks >> shard & 1)
            ask_check(m, t, shard);
    }
    if (t->participants == 0 && checks == 0)
        votes_are_in(m, t);
}

static void propose_prepare(struct model *m, struct model_txn *t, struct model_shard *s)
{
    struct waiting_ask *waiting = &t->shares[s->replica.shard.number];
    struct shard_command command = { .kind = COMMAND_PREPARE };
    struct vote vote = { .refusal = REFUSED_NOT };

    waiting->ask.prepare.least = (struct stamp){ 0 };
    if (m->options.protocol->admit(&s->replica, waiting, &vote) != SERVED)
        return;
    if (vote.refusal != REFUSED_NOT) {
        model_abort(m, t);
        return;
    }
    command.prepare = waiting->ask.prepare;
    stamp_clock_forward(&s->clock, s->replica.served_max);
    if (stamp_is_zero(command.prepare.least))
        command.prepare.least = replica_now(&s->replica, t->txn.id);
    leader_append(s, &command);
}

/* Whether the shard has voted; a vote against it is the end. */
static bool find_vote(struct model *m, struct model_txn *t, uint32_t shard, struct vote *vote)
{
    const struct shard *state = &m->shards[shard].replica.shard;
    const struct prepared *prepared = shard_find_prepared(state, t->txn.id);
    const struct shard_outcome *outcome = shard_find_outcome(state, t->txn.id);

    if (prepared) {
        *vote = prepared->vote;
        return true;
    }
    if (outcome && outcome->decision.commits) { /* alone */
        model_decide(t, &outcome->decision);
        return false;
    }
    if (outcome || stamp_less(t->txn.begin, state->horizon))
        model_abort(m, t);
    return false;
}

static void prepare_one(struct model *m, struct model_txn *t)
{
    uint32_t shard = (uint32_t)random_below(&m->random, m->options.shards);
    struct model_shard *s = &m->shards[shard];
    const struct shard *state = &s->replica.shard;

    if (t->participants >> shard & 1 && leader_is_ready(s) &&
        !shard_find_prepared(state, t->txn.id) && !shard_find_outcome(state, t->txn.id) &&
        !leader_has(s, COMMAND_PREPARE, t->txn.id))
        propose_prepare(m, t, s);
}

void model_step_prepare(struct model *m, struct model_txn *t)
{
    struct vote merged = { .out = stamp_never(), .pivot = stamp_never() }, vote;
    bool has_all = true;

    prepare_one(m, t);
    if (t->phase == PHASE_PREPARING && model_has_open_asks(m, t) && model_chance(m, 1, 2))
        check_one(m, t);
    for (uint32_t shard = 0; shard < m->options.shards && t->phase == PHASE_PREPARING; shard++)
        if (t->participants >> shard & 1) {
            if (find_vote(m, t, shard, &vote))
                merge(&merged, &vote);
            else
                has_all = false;
        }
    if (t->phase != PHASE_PREPARING || !has_all || model_has_open_asks(m, t))
        return;
    t->merged = merged;
    votes_are_in(m, t);
}

/* --- The outcome ------------------------------------------------------------------------------ */

void model_step_decide(struct model *m, struct model_txn *t)
{
    struct model_shard *s = &m->shards[t->anchor];
    const struct shard_outcome *outcome = shard_find_outcome(&s->replica.shard, t->txn.id);
    struct shard_command command = { .kind = COMMAND_DECIDE, .decision = t->decision };

    if (!outcome && !t->decision.commits && stamp_less(t->txn.begin, s->replica.shard.horizon) &&
        !shard_find_prepared(&s->replica.shard, t->txn.id)) {
        t->phase = PHASE_RESOLVING; /* no prepare comes through any more; one may have been alone */
        model_tell(m, t, TXN_UNKNOWN);
        return;
    }
    if (!outcome) {
        if (leader_is_ready(s) && !leader_has(s, COMMAND_DECIDE, t->txn.id))
            leader_append(s, &command);
        return;
    }
    t->decision = outcome->decision;
    t->phase = PHASE_RESOLVING;
    if (!t->is_told && t->decision.commits)
        t->home->seen = stamp_max(t->home->seen, t->decision.at);
    model_tell(m, t, t->decision.commits ? TXN_OK : TXN_ABORT);
}

void model_step_resolve(struct model *m, struct model_txn *t)
{
    uint32_t left = 0;

    for (uint32_t shard = 0; shard < m->options.shards; shard++) {
        struct model_shard *s = &m->shards[shard];
        struct shard_command command = { .kind = COMMAND_RESOLVE, .decision = t->decision };

        if (shard == t->anchor || !(t->participants >> shard & 1) ||
            shard_find_outcome(&s->replica.shard, t->txn.id))
            continue;
        if (stamp_less(t->txn.begin, s->replica.shard.horizon) &&
            !shard_find_prepared(&s->replica.shard, t->txn.id))
            continue;
        left++;
        if (leader_is_ready(s) && !leader_has(s, COMMAND_RESOLVE, t->txn.id) &&
            model_chance(m, 1, 2))
            leader_append(s, &command);
    }
    if (left == 0)
        model_finish(m, t);
}
