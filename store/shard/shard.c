#include "store/shard/shard.h"

#include <assert.h>

#include "store/protocol_private.h"
#include "store/shard/shard_conflict.h"

void shard_init(struct shard *s, uint32_t number, const struct shard_setting *setting,
                struct pool *pool)
{
    *s = (struct shard){
        .number = number,
        .protocol = setting->protocol,
        .catalog = setting->catalog,
        .pool = pool,
        .bugs = setting->bugs,
        .sometimes = setting->sometimes,
        .record = setting->record,
    };
    versions_open(&s->versions, s->catalog, pool);
    outcomes_open(&s->outcomes, pool);
    s->recent = pool_take(pool, SHARD_RECENT * sizeof *s->recent);
    if (s->protocol->open)
        s->protocol->open(s);
}

static void give_prepared(struct shard *s, struct prepared *prepared)
{
    pool_give(s->pool, prepared, prepared->size);
}

static void forget_prepared(struct shard *s)
{
    for (uint32_t i = 0; i < s->prepared.count; i++)
        give_prepared(s, s->prepared.at[i]);
    s->prepared.count = 0;
}

void shard_reset(struct shard *s)
{
    struct shard_setting setting = { s->protocol, s->catalog, s->bugs, s->sometimes, s->record };

    versions_drop(&s->versions);
    outcomes_close(&s->outcomes);
    forget_prepared(s);
    pool_close(s->pool, &s->prepared);
    pool_give(s->pool, s->recent, SHARD_RECENT * sizeof *s->recent);
    shard_init(s, s->number, &setting, s->pool);
}

void shard_place_row(struct shard *s, uint32_t key, struct text row)
{
    struct stored_version head = { .out = stamp_never() };

    assert(s->applied == 0);
    versions_install(&s->versions, key, &head, row);
}

/* --- Finding ---------------------------------------------------------------------------------- */

struct prepared *shard_find_prepared(const struct shard *s, uint64_t txn)
{
    /* As many as are being decided at this moment, so a handful. */
    for (uint32_t i = 0; i < s->prepared.count; i++)
        if (s->prepared.at[i]->prepare.txn == txn)
            return s->prepared.at[i];
    return NULL;
}

struct shard_outcome *shard_find_outcome(const struct shard *s, uint64_t txn)
{
    return outcomes_find(&s->outcomes, txn);
}

static struct prepared *take_prepared(struct shard *s, uint64_t txn)
{
    for (uint32_t i = 0; i < s->prepared.count; i++) {
        struct prepared *prepared = s->prepared.at[i];

        if (prepared->prepare.txn != txn)
            continue;
        array_remove(&s->prepared, i);
        return prepared;
    }
    return NULL;
}

/* --- Ending a transaction --------------------------------------------------------------------- */

static void raise_floor(struct shard *s, struct stamp at)
{
    s->floor = stamp_max(s->floor, at);
}

/* What its decision has ended here is known from now on; the anchor sees to it that others know. */
static void add_outcome(struct shard *s, const struct decision *decision, enum refusal refusal,
                        bool is_anchor)
{
    struct shard_outcome outcome = {
        .decision = *decision,
        .refusal = refusal,
        .is_anchor = is_anchor,
        .is_told = !is_anchor || !(decision->participants & ~(UINT64_C(1) << s->number)),
    };

    outcomes_add(&s->outcomes, &outcome);
}

static void remember_install(struct shard *s, uint32_t key, uint64_t index)
{
    struct installed *place = &s->recent[s->recent_count++ % SHARD_RECENT];

    if (s->recent_count > SHARD_RECENT)
        s->recent_from = place->index;
    *place = (struct installed){ index, key };
}

static void install(struct shard *s, const struct prepare *p, const struct decision *decision,
                    uint64_t index)
{
    struct stored_version head = {
        .at = decision->at,
        .index = index,
        .out = decision->out,
        .writer = p->txn,
    };

    for (uint32_t i = 0; i < p->change_count; i++) {
        const struct row_change *change = &p->changes[i];

        head.is_removed = change->is_removed;
        versions_install(&s->versions, change->key, &head, change->row);
        remember_install(s, change->key, index);
        s->last_commit = index;
    }
}

/* The floor rises also where it only read: see the essay of the header. */
static void commit(struct shard *s, const struct prepared *prepared,
                   const struct decision *decision, uint64_t index, bool is_anchor)
{
    install(s, &prepared->prepare, decision, index);
    raise_floor(s, decision->at);
    if (s->protocol->committed)
        s->protocol->committed(s, prepared, decision);
    if (s->record && prepared->prepare.change_count > 0)
        record_applied(s->record, decision->txn);
    if (is_anchor && s->record)
        record_decision(s->record, decision);
}

/* --- PREPARE ---------------------------------------------------------------------------------- */

struct decision shard_conclude(const struct protocol *protocol, const struct prepare *p,
                               const struct vote *merged)
{
    struct decision decision = {
        .txn = p->txn,
        .commits = true,
        .begin = p->begin,
        .at = merged->at,
        .snapshot = p->snapshot,
        .out = merged->out,
        .participants = p->participants,
    };

    if (protocol->conclude)
        protocol->conclude(p, merged, &decision);
    if (stamp_is_zero(decision.place))
        decision.place = decision.at;
    return decision;
}

/* The transaction's own stamp that is above the floor and not below the least. */
static struct stamp stamp_of_prepare(const struct shard *s, const struct prepare *p)
{
    struct stamp at = { p->least.wall_ns, p->least.logical, p->txn };

    if (stamp_less(at, p->least))
        at = stamp_after(p->least, p->txn);
    if (!stamp_less(s->floor, at))
        at = stamp_after(s->floor, p->txn);
    return at;
}

static void refuse(struct shard *s, const struct prepare *p, enum refusal refusal)
{
    struct decision decision = {
        .txn = p->txn,
        .begin = p->begin,
        .participants = p->participants,
    };

    SOMETIMES(s->sometimes, PREPARE_REFUSED);
    add_outcome(s, &decision, refusal, p->anchor == s->number);
}

static void hold(struct shard *s, const struct prepare *p, const struct vote *vote,
                 uint64_t index, uint64_t term)
{
    size_t size = sizeof(struct prepared) + shard_prepare_size(p);
    struct prepared *prepared = pool_take(s->pool, size);

    *prepared = (struct prepared){
        .prepare = shard_prepare_copy(p, prepared + 1),
        .vote = *vote,
        .index = index,
        .term = term,
        .footprint = shard_footprint(p),
        .size = size,
    };
    pool_push(s->pool, &s->prepared, prepared);
}

/* The only participant decides with its prepare. */
static void decide_alone(struct shard *s, const struct prepare *p, const struct vote *vote,
                         uint64_t index, uint64_t term)
{
    struct decision decision = shard_conclude(s->protocol, p, vote);
    struct prepared prepared = { .prepare = *p, .vote = *vote, .index = index, .term = term };

    if (!decision.commits) {
        refuse(s, p, REFUSED_CONFLICT);
        return;
    }
    add_outcome(s, &decision, REFUSED_NOT, true);
    commit(s, &prepared, &decision, index, true);
}

static void apply_prepare(struct shard *s, const struct prepare *p, uint64_t index, uint64_t term)
{
    struct vote vote = {
        .out = stamp_never(),
        .pivot = stamp_never(),
        .at = stamp_of_prepare(s, p),
    };

    if (shard_find_outcome(s, p->txn) || shard_find_prepared(s, p->txn)) {
        SOMETIMES(s->sometimes, PREPARED_TWICE);
        return;
    }
    if (shard_refuses_age(s, p)) {
        SOMETIMES(s->sometimes, LATE_PREPARE_REFUSED);
        return;
    }
    if (s->protocol->validate)
        s->protocol->validate(s, p, term, &vote);
    if (vote.refusal != REFUSED_NOT) {
        refuse(s, p, vote.refusal);
    } else if (p->is_alone) {
        decide_alone(s, p, &vote, index, term);
    } else {
        raise_floor(s, vote.at);
        hold(s, p, &vote, index, term);
    }
}

/* --- DECIDE, RESOLVE -------------------------------------------------------------------------- */

/*
 * Of a transaction that is not prepared here. The anchor commits nothing that it has not prepared:
 * somebody in doubt has had it aborted, or would have. The record refuses prepares that come late;
 * below the horizon they are refused anyway.
 */
static void end_unprepared(struct shard *s, const struct decision *decision, bool is_anchor)
{
    struct decision ended = *decision;

    if (shard_is_too_old(s, decision->begin))
        return;
    SOMETIMES(s->sometimes, OUTCOME_FIRST);
    if (is_anchor)
        ended.commits = false;
    add_outcome(s, &ended, ended.commits ? REFUSED_NOT : REFUSED_ABORTED, is_anchor);
}

static void apply_outcome(struct shard *s, const struct decision *decision, uint64_t index,
                          bool is_anchor)
{
    struct prepared *prepared;

    if (shard_find_outcome(s, decision->txn))
        return;
    prepared = take_prepared(s, decision->txn);
    if (!prepared) {
        end_unprepared(s, decision, is_anchor);
        return;
    }
    add_outcome(s, decision, decision->commits ? REFUSED_NOT : REFUSED_ABORTED, is_anchor);
    if (decision->commits)
        commit(s, prepared, decision, index, is_anchor);
    give_prepared(s, prepared);
}

/* --- The rest --------------------------------------------------------------------------------- */

/*
 * What is undecided may still commit at its stamp. Were a deletion above it collected before, what
 * it writes below would come back to life (rc: blind writes stand side by side).
 */
static void apply_horizon(struct shard *s, struct stamp horizon)
{
    struct stamp wanted = horizon;

    for (uint32_t i = 0; i < s->prepared.count; i++)
        horizon = stamp_min(horizon, s->prepared.at[i]->vote.at);
    if (stamp_less(horizon, wanted))
        SOMETIMES(s->sometimes, HORIZON_HELD_BACK);
    s->horizon = stamp_max(s->horizon, horizon);
    if (versions_collect(&s->versions, s->horizon))
        SOMETIMES(s->sometimes, VERSION_COLLECTED);
    outcomes_collect(&s->outcomes, s->horizon);
    if (s->protocol->collect)
        s->protocol->collect(s);
}

void shard_apply_command(struct shard *s, uint64_t index, uint64_t term,
                         const struct shard_command *c)
{
    assert(index > s->applied);
    s->applied = index;
    switch (c->kind) {
    case COMMAND_PREPARE:
        apply_prepare(s, &c->prepare, index, term);
        break;
    case COMMAND_DECIDE:
    case COMMAND_RESOLVE:
        apply_outcome(s, &c->decision, index, c->kind == COMMAND_DECIDE);
        break;
    case COMMAND_FORGET:
        for (uint32_t i = 0; i < c->txn_count; i++)
            outcomes_set_told(&s->outcomes, c->txns[i]);
        break;
    case COMMAND_CEILING:
        s->ceiling = stamp_max(s->ceiling, c->stamp);
        break;
    case COMMAND_HORIZON:
        apply_horizon(s, c->stamp);
        break;
    case COMMAND_KIND_COUNT:
        assert(false);
    }
}

void shard_apply(struct shard *s, uint64_t index, uint64_t term, struct text bytes,
                 struct arena *scratch)
{
    struct wire_reader r = wire_reader_of(bytes);
    struct shard_command command;
    bool is_command;

    if (bytes.length == 0) { /* a new leader's no-op */
        assert(index > s->applied);
        s->applied = index;
        return;
    }
    is_command = shard_command_get(&r, &command, scratch) && wire_reader_is_done(&r);
    assert(is_command); /* Raft has checked the log's checksums */
    shard_apply_command(s, index, term, &command);
}

/* --- Snapshots -------------------------------------------------------------------------------- */

void shard_save(const struct shard *s, struct wire_writer *w)
{
    wire_put_number(w, s->applied);
    wire_put_number(w, s->last_commit);
    wire_put_short_stamp(w, s->floor);
    wire_put_short_stamp(w, s->ceiling);
    wire_put_short_stamp(w, s->horizon);
    versions_save(&s->versions, w);
    outcomes_save(&s->outcomes, w);
    wire_put_number(w, s->prepared.count);
    for (uint32_t i = 0; i < s->prepared.count; i++) {
        const struct prepared *prepared = s->prepared.at[i];

        wire_put_number(w, prepared->index);
        wire_put_number(w, prepared->term);
        shard_vote_put(w, &prepared->vote);
        shard_prepare_put(w, &prepared->prepare);
    }
    if (s->protocol->save)
        s->protocol->save(s, w);
}

static void load_prepared(struct shard *s, struct wire_reader *r, struct arena *scratch)
{
    uint64_t index = wire_get_number(r), term = wire_get_number(r);
    struct vote vote = { 0 };
    struct prepare prepare = { 0 };

    shard_vote_get(r, &vote);
    shard_prepare_get(r, &prepare, scratch);
    hold(s, &prepare, &vote, index, term);
}

void shard_load(struct shard *s, uint64_t index, struct text state, struct arena *scratch)
{
    struct wire_reader r = wire_reader_of(state);
    uint32_t count;

    shard_reset(s);
    s->applied = wire_get_number(&r);
    s->last_commit = wire_get_number(&r);
    s->floor = wire_get_short_stamp(&r);
    s->ceiling = wire_get_short_stamp(&r);
    s->horizon = wire_get_short_stamp(&r);
    versions_load(&s->versions, &r);
    outcomes_load(&s->outcomes, &r);
    count = wire_get_count(&r);
    for (uint32_t i = 0; i < count && !r.bad; i++)
        load_prepared(s, &r, scratch);
    if (s->bugs->on[BUG_PREPARED_NOT_IN_SNAPSHOT])
        forget_prepared(s);
    if (s->protocol->load)
        s->protocol->load(s, &r);
    s->recent_from = s->last_commit;
    assert(wire_reader_is_done(&r) && s->applied == index);
}
