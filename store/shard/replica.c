#include "store/shard/replica.h"

#include <assert.h>

#include "store/equality_private.h"
#include "store/shard/replica_duty_private.h"
#include "store/shard/replica_private.h"
#include "store/shard/replica_read.h"
#include "store/shard/shard_conflict.h"

/*
 * What becomes of an ask at a leader that is ready.
 *
 * READ, LOCK and CHECK are the protocol's; the rest goes through the log. Before a
 * command is proposed, and again when it has been applied, the answer is looked for
 * in the state: so a repeated ask, or one that an earlier leader had proposed
 * already, is answered as it was the first time.
 */
enum serve_progress {
    PROGRESS_DONE, /* answered, or in need of no answer */
    PROGRESS_LATER,
    PROGRESS_ROUND, /* a round must be begun for it */
};

static bool asks_for_shard(enum ask_kind kind)
{
    return kind == ASK_INQUIRE || kind == ASK_RESOLVE;
}

static void replica_send(struct replica *r, const struct ask *ask, struct shard_answer *answer)
{
    bool to_replica = asks_for_shard(ask->kind);

    answer->kind = ask->kind;
    answer->txn = ask->txn;
    answer->number = ask->number;
    answer->shard = r->shard.number;
    server_send_answer(r->server, ask->from, to_replica ? ask->from_shard : r->shard.number, answer,
                       to_replica);
}

static void replica_refuse(struct replica *r, const struct ask *ask, enum refusal refusal)
{
    struct shard_answer answer = {
        .refusal = refusal,
        .leader = raft_leader(r->raft),
        .term = r->term,
        .vote.refusal = refusal,
    };

    replica_send(r, ask, &answer);
}

static void propose_for(struct replica *r, struct waiting_ask *w,
                        const struct shard_command *command)
{
    w->index = replica_propose(r, command);
    /* Without an index the leadership is gone, and all who wait will hear of it. */
    w->is_proposed = w->index > 0;
}

/* --- READ, LOCK, CHECK ------------------------------------------------------------------------ */

static enum serve_progress progress_of(enum served served)
{
    switch (served) {
    case SERVED:
        return PROGRESS_DONE;
    case SERVE_LATER:
        return PROGRESS_LATER;
    case SERVE_AFTER_ROUND:
        return PROGRESS_ROUND;
    }
    assert(false);
    return PROGRESS_LATER;
}

static enum served read_newest(struct replica *r, struct waiting_ask *w,
                               struct shard_answer *answer)
{
    replica_read_rows(r, &w->ask, stamp_never(), answer);
    return SERVED;
}

static enum serve_progress serve_read(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    enum served served;

    if (!stamp_is_zero(w->ask.at) && stamp_less(w->ask.at, r->shard.horizon)) {
        SOMETIMES(r->shard.sometimes, READ_TOO_OLD);
        replica_refuse(r, &w->ask, REFUSED_TOO_OLD);
        return PROGRESS_DONE;
    }
    if (BUGGIFY(r->shard.sometimes, r->server->node, READ_REFUSED)) {
        replica_refuse(r, &w->ask, REFUSED_OVERLOADED);
        return PROGRESS_DONE;
    }
    served = protocol->serve_read ? protocol->serve_read(r, w, &answer)
                                  : read_newest(r, w, &answer);
    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

static enum serve_progress serve_lock(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    enum served served = protocol->serve_lock ? protocol->serve_lock(r, w, &answer) : SERVED;

    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

static enum serve_progress serve_check(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .term = r->term };
    enum served served =
        protocol->serve_check ? protocol->serve_check(r, w, &answer.vote) : SERVED;

    answer.refusal = answer.vote.refusal;
    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

/* --- PREPARE ---------------------------------------------------------------------------------- */

/* What the state says of a transaction that wanted to commit. False: nothing. */
static bool find_vote(const struct replica *r, const struct prepare *p, struct shard_answer *answer)
{
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, p->txn);
    const struct prepared *prepared = outcome ? NULL : shard_find_prepared(&r->shard, p->txn);

    if (outcome) {
        answer->decision = outcome->decision;
        answer->vote = (struct vote){ .refusal = outcome->refusal, .at = outcome->decision.at };
    } else if (prepared) {
        answer->vote = prepared->vote;
    } else if (shard_refuses_age(&r->shard, p)) {
        answer->vote.refusal = REFUSED_TOO_OLD;
    } else {
        return false;
    }
    answer->refusal = answer->vote.refusal;
    return true;
}

/* Above everything that this leader has served a read at, or heard of. */
static void set_least(struct replica *r, struct prepare *p)
{
    if (stamp_is_zero(p->least))
        p->least = replica_now(r, p->txn);
}

static enum serve_progress serve_prepare(struct replica *r, struct waiting_ask *w)
{
    struct shard_command command = { .kind = COMMAND_PREPARE };
    struct shard_answer answer = { .term = r->term };
    enum served served = SERVED;

    w->ask.prepare.least = (struct stamp){ 0 };
    if (!find_vote(r, &w->ask.prepare, &answer)) {
        if (r->shard.protocol->admit)
            served = r->shard.protocol->admit(r, w, &answer.vote);
        if (served != SERVED)
            return progress_of(served);
        if (BUGGIFY(r->shard.sometimes, r->server->node, PREPARE_REFUSED))
            answer.vote.refusal = REFUSED_OVERLOADED;
        answer.refusal = answer.vote.refusal;
        if (answer.refusal == REFUSED_NOT) {
            set_least(r, &w->ask.prepare);
            command.prepare = w->ask.prepare;
            propose_for(r, w, &command);
            return PROGRESS_LATER;
        }
        SOMETIMES(r->shard.sometimes, PREPARE_REFUSED);
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

/* --- DECIDE, INQUIRE, RESOLVE ----------------------------------------------------------------- */

static bool find_decision(const struct replica *r, const struct ask *ask,
                          struct shard_answer *answer)
{
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, ask->txn);

    if (!outcome)
        return false;
    answer->decision = outcome->decision;
    return true;
}

static void propose_decision(struct replica *r, struct waiting_ask *w, enum command_kind kind,
                             bool commits)
{
    struct shard_command command = { .kind = kind, .decision = w->ask.decision };

    command.decision.txn = w->ask.txn;
    command.decision.commits = commits;
    propose_for(r, w, &command);
}

/* Nothing is known of it and nothing ever will be: it may have been forgotten. */
static bool is_forgotten(const struct replica *r, const struct ask *ask)
{
    if (shard_find_prepared(&r->shard, ask->txn) ||
        !shard_is_too_old(&r->shard, ask->decision.begin))
        return false;
    SOMETIMES(r->shard.sometimes, FORGOTTEN_ASKED);
    return true;
}

static enum serve_progress serve_decide(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (find_decision(r, &w->ask, &answer)) {
        replica_send(r, &w->ask, &answer);
        return PROGRESS_DONE;
    }
    if (is_forgotten(r, &w->ask)) {
        replica_refuse(r, &w->ask, REFUSED_TOO_OLD);
        return PROGRESS_DONE;
    }
    propose_decision(r, w, COMMAND_DECIDE, w->ask.decision.commits);
    return PROGRESS_LATER;
}

/*
 * Somebody has promised, and has not heard how it ended. Where the anchor has promised, too, it
 * will end one way or the other; where it has not, it never will: it is aborted, and the record
 * refuses what may yet come. One that may have been forgotten was aborted, or who asks had known.
 */
static enum serve_progress serve_inquire(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (!find_decision(r, &w->ask, &answer)) {
        if (shard_find_prepared(&r->shard, w->ask.txn))
            return PROGRESS_LATER;
        if (!is_forgotten(r, &w->ask)) {
            SOMETIMES(r->shard.sometimes, ABANDONED_ABORTED);
            propose_decision(r, w, COMMAND_DECIDE, false);
            return PROGRESS_LATER;
        }
        answer.decision = w->ask.decision;
        answer.decision.commits = false;
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

static enum serve_progress serve_resolve(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (!find_decision(r, &w->ask, &answer) && !is_forgotten(r, &w->ask)) {
        propose_decision(r, w, COMMAND_RESOLVE, w->ask.decision.commits);
        return PROGRESS_LATER;
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

/* --- All of them ------------------------------------------------------------------------------ */

/* Of an ask that leads and is ready to serve, and that is not proposed. */
static enum serve_progress replica_serve(struct replica *r, struct waiting_ask *w)
{
    switch (w->ask.kind) {
    case ASK_READ:
        return serve_read(r, w);
    case ASK_LOCK:
        return serve_lock(r, w);
    case ASK_CHECK:
        return serve_check(r, w);
    case ASK_PREPARE:
        return serve_prepare(r, w);
    case ASK_DECIDE:
        return serve_decide(r, w);
    case ASK_INQUIRE:
        return serve_inquire(r, w);
    case ASK_RESOLVE:
        return serve_resolve(r, w);
    case ASK_RELEASE:
    case ASK_PROBE:
    case ASK_KIND_COUNT:
        break; /* these never wait */
    }
    assert(false);
    return PROGRESS_DONE;
}

/* Its command has been applied: the state has the answer. */
static void replica_answer_applied(struct replica *r, const struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    bool is_known;

    if (w->ask.kind == ASK_PREPARE) {
        is_known = find_vote(r, &w->ask.prepare, &answer);
        assert(is_known);
    } else if (!find_decision(r, &w->ask, &answer)) {
        /* Below the horizon there are no records of what was never prepared. */
        answer.decision = w->ask.decision;
        answer.decision.commits = false;
        if (w->ask.kind == ASK_DECIDE)
            answer.refusal = REFUSED_TOO_OLD;
    }
    replica_send(r, &w->ask, &answer);
}

#define CUT_OFF_NS_MAX INT64_C(2000000000)

bool replica_is_cut_off(const struct replica *r)
{
    return server_monotonic_ns(r->server) < r->cut_off_until_ns;
}

/* Its group neither hears it nor is heard by it; clients and coordinators are. */
static void cut_off(struct replica *r)
{
    r->cut_off_until_ns = server_monotonic_ns(r->server) +
                       buggify_delay_ns(r->shard.sometimes->buggify, BUGGIFY_LEADER_CUT_OFF,
                                        r->server->node, CUT_OFF_NS_MAX);
}

uint64_t replica_propose(struct replica *r, const struct shard_command *command)
{
    uint64_t index;

    wire_writer_reset(&r->bytes);
    shard_command_put(&r->bytes, command);
    if (r->leads && BUGGIFY(r->shard.sometimes, r->server->node, LEADER_CUT_OFF))
        cut_off(r);
    index = raft_propose(r->raft, wire_writer_text(&r->bytes));
    if ((command->kind == COMMAND_PREPARE || command->kind == COMMAND_DECIDE) &&
        BUGGIFY(r->shard.sometimes, r->server->node, CRASH_AT_DECISION))
        buggify_crash(r->shard.sometimes->buggify, r->server->node, r->server->world->now_ns);
    return index;
}

void replica_changed(struct replica *r)
{
    r->must_retry = true;
}

/* --- Who waits -------------------------------------------------------------------------------- */

static struct waiting_ask *keep_waiting(struct replica *r, const struct waiting_ask *new_one)
{
    size_t size = sizeof(struct waiting_ask) + shard_ask_size(&new_one->ask);
    struct waiting_ask *w = pool_take(r->pool, size);

    *w = *new_one;
    w->ask = shard_ask_copy(&new_one->ask, w + 1);
    w->size = size;
    pool_push(r->pool, &r->waiting, w);
    return w;
}

static void drop_waiting(struct replica *r, struct waiting_ask *w)
{
    for (uint32_t i = 0; w->is_proposed && i < r->in_flight.count; i++) {
        if (r->in_flight.at[i] != w)
            continue;
        array_remove(&r->in_flight, i);
        break;
    }
    pool_give(r->pool, w, w->size);
}

static bool waits_already(const struct replica *r, const struct ask *ask)
{
    for (uint32_t i = 0; i < r->waiting.count; i++) {
        const struct ask *other = &r->waiting.at[i]->ask;

        if (other->txn == ask->txn && other->kind == ask->kind && other->number == ask->number &&
            other->from == ask->from && other->from_shard == ask->from_shard)
            return true;
    }
    return false;
}

/* Keeps those that `stays` says of, in order; the others get this refusal. */
static void refuse_waiting(struct replica *r, enum refusal refusal,
                           bool (*stays)(const struct waiting_ask *, const void *),
                           const void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->waiting.count; i++) {
        struct waiting_ask *w = r->waiting.at[i];

        if (stays(w, context)) {
            r->waiting.at[kept++] = w;
            continue;
        }
        if (refusal == REFUSED_OVERLOADED)
            SOMETIMES(r->shard.sometimes, WAITED_TOO_LONG);
        replica_refuse(r, &w->ask, refusal);
        drop_waiting(r, w);
    }
    r->waiting.count = kept;
}

/* --- Trying ----------------------------------------------------------------------------------- */

/* Of one that waits on: notes what is outstanding for it. */
static void after_trying(struct replica *r, struct waiting_ask *w, enum serve_progress progress)
{
    if (w->is_proposed && w->ask.kind == ASK_PREPARE)
        pool_push(r->pool, &r->in_flight, w);
    if (progress != PROGRESS_ROUND)
        return;
    w->in_round = true; /* before asking, as the answer may be there at once */
    if (!raft_confirm(r->raft, w->arrival))
        w->in_round = false;
}

static bool try_to_serve(struct replica *r, struct waiting_ask *w)
{
    enum serve_progress progress;

    if (w->is_proposed) {
        if (w->index > r->shard.applied)
            return false;
        replica_answer_applied(r, w);
        return true;
    }
    if (w->in_round || w->barrier > r->shard.applied)
        return false;
    progress = replica_serve(r, w);
    after_trying(r, w, progress);
    return progress == PROGRESS_DONE;
}

static void try_all(struct replica *r)
{
    uint32_t kept = 0, i = 0;

    for (; i < r->waiting.count && !r->role_changed; i++) {
        struct waiting_ask *w = r->waiting.at[i];

        if (try_to_serve(r, w))
            drop_waiting(r, w);
        else
            r->waiting.at[kept++] = w;
    }
    for (; i < r->waiting.count; i++)
        r->waiting.at[kept++] = r->waiting.at[i];
    r->waiting.count = kept;
}

static void follow_role(struct replica *r);

void replica_retry(struct replica *r)
{
    if (r->is_trying)
        return;
    r->is_trying = true;
    while (r->leads && r->must_retry && !r->role_changed) {
        r->must_retry = false;
        try_all(r);
    }
    r->is_trying = false;
    if (r->role_changed)
        follow_role(r);
}

/* --- Leading ---------------------------------------------------------------------------------- */

static bool nobody_stays(const struct waiting_ask *w, const void *context)
{
    (void)w;
    (void)context;
    return false;
}

static void stop_leading(struct replica *r)
{
    r->leads = false;
    if (r->in_flight.count > 0)
        SOMETIMES(r->shard.sometimes, PREPARE_LOST);
    refuse_waiting(r, REFUSED_NOT_LEADER, nobody_stays, NULL);
    assert(r->in_flight.count == 0);
}

/* Whatever was promised or read before is at or below floor and ceiling. */
static void start_leading(struct replica *r)
{
    r->leads = true;
    r->term = raft_term(r->raft);
    r->served_max = r->asked_ceiling = r->shard.ceiling;
    r->asked_horizon = r->shard.horizon;
    stamp_clock_forward(&r->server->clock, stamp_max(r->shard.floor, r->shard.ceiling));
    replica_begin_duties(r);
    if (r->shard.protocol->lead)
        r->shard.protocol->lead(r);
}

static void follow_role(struct replica *r)
{
    bool is_ready = raft_is_ready(r->raft);

    r->role_changed = false;
    if (r->leads && (!is_ready || r->term != raft_term(r->raft)))
        stop_leading(r);
    if (is_ready && !r->leads)
        start_leading(r);
}

/* --- The log's callbacks ---------------------------------------------------------------------- */

static void on_send(void *context, uint32_t to_node, struct text bytes)
{
    struct replica *r = context;

    if (!replica_is_cut_off(r))
        server_send_raft(r->server, to_node, r->shard.number, bytes);
}

/* What a leader does as soon as a transaction is over here. */
static void after_outcome(struct replica *r, uint64_t txn)
{
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, txn);

    if (!outcome)
        return;
    if (r->shard.protocol->over)
        r->shard.protocol->over(r, txn);
    if (!outcome->is_told)
        replica_tell(r, txn);
}

static void apply_command(struct replica *r, uint64_t index, uint64_t term, struct text bytes,
                          struct arena *scratch)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct shard_command command;
    bool is_command = shard_command_get(&reader, &command, scratch) && wire_reader_is_done(&reader);

    assert(is_command); /* Raft has checked the log's checksums */
    shard_apply_command(&r->shard, index, term, &command);
    if (!r->leads)
        return;
    if (command.kind == COMMAND_PREPARE)
        after_outcome(r, command.prepare.txn);
    else if (command.kind == COMMAND_DECIDE || command.kind == COMMAND_RESOLVE)
        after_outcome(r, command.decision.txn);
}

static void on_apply(void *context, uint64_t index, uint64_t term, struct text command)
{
    struct replica *r = context;
    struct server *server = r->server;
    size_t used = server->scratch.used;

    if (command.length == 0)
        shard_apply(&r->shard, index, term, command, &server->scratch);
    else
        apply_command(r, index, term, command, &server->scratch);
    arena_reset_to(&server->scratch, used);
    r->chain = equality_applied(server->cluster->equality,
                                &(struct equality_entry){ .shard = r->shard.number,
                                                          .node = server->node,
                                                          .index = index,
                                                          .term = term,
                                                          .command = command },
                                r->chain);
    r->must_retry = true;
}

static void on_save(void *context, struct wire_writer *w)
{
    struct replica *r = context;
    size_t from = w->count;

    wire_put_number(w, r->chain);
    shard_save(&r->shard, w);
    equality_state(r->server->cluster->equality, r->shard.number, r->server->node,
                   r->shard.applied, (struct text){ w->at + from, w->count - from });
}

static void place_initial_rows(struct replica *r)
{
    const struct cluster *cluster = r->server->cluster;

    for (uint32_t i = 0; i < cluster->initial.count; i++) {
        const struct initial_row *row = &cluster->initial.at[i];

        if (catalog_shard(&cluster->catalog, row->key) == r->shard.number)
            shard_place_row(&r->shard, row->key, row->row);
    }
}

static void on_load(void *context, uint64_t index, struct text state)
{
    struct replica *r = context;
    struct arena *scratch = &r->server->scratch;
    struct wire_reader reader = wire_reader_of(state);
    size_t used = scratch->used;

    r->chain = 0;
    if (state.length == 0) {
        shard_reset(&r->shard);
        place_initial_rows(r);
        return;
    }
    r->chain = wire_get_number(&reader);
    shard_load(&r->shard, index, (struct text){ reader.at, (size_t)(reader.end - reader.at) },
               scratch);
    arena_reset_to(scratch, used);
}

static void on_changed(void *context)
{
    struct replica *r = context;

    if (r->is_trying)
        r->role_changed = true; /* those who wait are being gone through */
    else
        follow_role(r);
}

static void on_confirmed(void *context, uint64_t token, bool still_leader)
{
    struct replica *r = context;

    for (uint32_t i = 0; i < r->waiting.count; i++) {
        struct waiting_ask *w = r->waiting.at[i];

        if (w->arrival != token)
            continue;
        w->in_round = false;
        w->is_confirmed = still_leader;
        r->must_retry = true;
        return;
    }
}

void replica_open(struct replica *r, struct server *server, uint32_t shard,
                  const struct raft_options *options)
{
    struct cluster *cluster = server->cluster;
    struct raft_host host = {
        .context = r,
        .send = on_send,
        .apply = on_apply,
        .save = on_save,
        .load = on_load,
        .changed = on_changed,
        .confirmed = on_confirmed,
    };

    *r = (struct replica){ .server = server, .pool = &server->pool };
    r->bytes.pool = r->pool;
    shard_init(&r->shard, shard,
               &(struct shard_setting){ .protocol = cluster->options.protocol,
                                        .catalog = &cluster->catalog,
                                        .bugs = &cluster->options.bugs,
                                        .sometimes = &cluster->sometimes,
                                        .record = cluster->record },
               r->pool);
    place_initial_rows(r);
    r->raft = raft_open(options, &host, r->pool);
}

/* --- Asks ------------------------------------------------------------------------------------- */

static bool is_not_of(const struct waiting_ask *w, const void *txn)
{
    return w->is_proposed || w->ask.txn != *(const uint64_t *)txn;
}

/* What is in the log takes its course; what has been promised is kept. */
static void release(struct replica *r, const struct ask *ask)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT };
    bool is_in_log = shard_find_prepared(&r->shard, ask->txn) != NULL;

    refuse_waiting(r, REFUSED_ABORTED, is_not_of, &ask->txn);
    for (uint32_t i = 0; i < r->in_flight.count; i++)
        is_in_log |= r->in_flight.at[i]->ask.txn == ask->txn;
    if (!is_in_log && r->shard.protocol->over)
        r->shard.protocol->over(r, ask->txn);
    replica_send(r, ask, &answer);
}

/* Those that must not miss what was in the log as they came. */
static bool needs_barrier(enum ask_kind kind)
{
    return kind == ASK_READ || kind == ASK_LOCK || kind == ASK_CHECK || kind == ASK_INQUIRE;
}

static void serve_or_keep(struct replica *r, const struct ask *ask)
{
    struct waiting_ask now = {
        .ask = *ask,
        .since_ns = server_monotonic_ns(r->server),
        .barrier = needs_barrier(ask->kind) ? raft_last_index(r->raft) : 0,
        .arrival = ++r->arrivals,
    };
    enum serve_progress progress = PROGRESS_LATER;

    if (ask->kind == ASK_PREPARE)
        now.footprint = shard_footprint(&ask->prepare);
    if (now.barrier <= r->shard.applied)
        progress = replica_serve(r, &now);
    if (progress == PROGRESS_DONE)
        return;
    after_trying(r, keep_waiting(r, &now), progress);
}

static void serve_stale_read(struct replica *r, const struct ask *ask)
{
    struct shard_answer answer = { .term = raft_term(r->raft) };

    replica_read_rows(r, ask, stamp_is_zero(ask->at) ? stamp_never() : ask->at, &answer);
    replica_send(r, ask, &answer);
}

void replica_ask(struct replica *r, const struct ask *ask)
{
    if (ask->kind == ASK_READ && r->shard.bugs->on[BUG_FOLLOWER_SERVES_READS]) {
        serve_stale_read(r, ask);
        return;
    }
    if (!r->leads) {
        replica_refuse(r, ask, REFUSED_NOT_LEADER);
        return;
    }
    if (waits_already(r, ask))
        return;
    r->is_trying = true;
    if (ask->kind == ASK_RELEASE)
        release(r, ask);
    else if (ask->kind != ASK_PROBE)
        serve_or_keep(r, ask);
    else if (r->shard.protocol->probe)
        r->shard.protocol->probe(r, ask);
    r->is_trying = false;
    replica_retry(r);
}

static bool came_after(const struct waiting_ask *w, const void *since_ns)
{
    return w->is_proposed || w->since_ns > *(const int64_t *)since_ns;
}

void replica_tick(struct replica *r)
{
    int64_t now_ns = server_monotonic_ns(r->server);
    int64_t since_ns = now_ns - r->server->cluster->options.wait_ns;

    if (!r->leads)
        return;
    refuse_waiting(r, REFUSED_OVERLOADED, came_after, &since_ns);
    r->is_trying = true;
    replica_do_duties(r, now_ns);
    if (r->shard.protocol->tick)
        r->shard.protocol->tick(r);
    r->is_trying = false;
    replica_retry(r);
}
