/*
 * Does the periodic duties of a leader.
 *
 * It tells the other participants how a transaction ended that its shard has
 * decided, until each has answered that its log has applied it; then the outcome
 * may be forgotten. Where a prepare has stood undecided for long its coordinator
 * may be lost: a participant asks the anchor, and the anchor itself gives up. And
 * it moves the horizon. Whom it has told and asked is its own memory: the next
 * leader begins anew, and all of it may be said twice.
 */
#include "store/shard/replica_duty_private.h"

#include <assert.h>

#include "store/shard/replica_private.h"
#include "store/shard/replica_read.h"

/* Of the time after which a participant is in doubt, an anchor gives up after so many, */
#define ABANDONED_FACTOR 2
/* and an outcome is told again after this part. */
#define TELL_AGAIN_DIVISOR 2
/* A hint at another leader is followed at once only for so long: two may point at each other. */
#define HINT_NS INT64_C(20000000)
#define HORIZON_EVERY_NS INT64_C(1000000000)
#define RETENTION_NS INT64_C(10000000000)
#define TOLD_AT_ONCE 64

static uint64_t bit_of(uint32_t shard)
{
    return UINT64_C(1) << shard;
}

static int64_t in_doubt_ns(const struct replica *r)
{
    return r->server->cluster->options.in_doubt_ns;
}

static int64_t tell_again_ns(const struct replica *r)
{
    return in_doubt_ns(r) / TELL_AGAIN_DIVISOR;
}

/* --- Where other shards are led from ---------------------------------------------------------- */

static uint32_t leader_of(struct replica *r, uint32_t shard)
{
    const struct cluster *cluster = r->server->cluster;

    if (!r->leaders) {
        r->leaders = pool_take(r->pool, cluster->options.shards * sizeof *r->leaders);
        for (uint32_t i = 0; i < cluster->options.shards; i++)
            r->leaders[i] = cluster_replica_node(cluster, i, 0);
    }
    assert(shard < cluster->options.shards);
    return r->leaders[shard];
}

/* Who has been asked does not answer: the next one, perhaps. */
static void guess_again(struct replica *r, uint64_t shards)
{
    const struct cluster *cluster = r->server->cluster;

    for (uint32_t shard = 0; shard < cluster->options.shards; shard++) {
        uint32_t replicas = cluster->options.replicas, guess = leader_of(r, shard), i = 0;

        if (!(shards & bit_of(shard)))
            continue;
        SOMETIMES(r->shard.sometimes, LEADER_GUESSED);
        while (i < replicas && cluster_replica_node(cluster, shard, i) != guess)
            i++;
        r->leaders[shard] = cluster_replica_node(cluster, shard, (i + 1) % replicas);
    }
}

static void send_ask(struct replica *r, uint32_t shard, struct ask *ask)
{
    ask->txn = ask->decision.txn;
    ask->begin = ask->decision.begin;
    ask->from = r->server->node;
    ask->from_shard = r->shard.number;
    server_send_ask(r->server, leader_of(r, shard), shard, ask);
}

/* --- Telling ---------------------------------------------------------------------------------- */

static void send_outcome(struct replica *r, const struct shard_outcome *outcome, uint64_t shards)
{
    struct ask ask = { .kind = ASK_RESOLVE, .decision = outcome->decision };

    for (uint32_t shard = 0; shards != 0; shard++, shards >>= 1)
        if (shards & 1)
            send_ask(r, shard, &ask);
}

static void tell(struct replica *r, struct shard_outcome *outcome, int64_t now_ns)
{
    if (outcome->told_ns == 0)
        outcome->untold_shards = outcome->decision.participants & ~bit_of(r->shard.number);
    else
        SOMETIMES(r->shard.sometimes, OUTCOME_RESENT);
    outcome->told_ns = now_ns;
    if (!BUGGIFY(r->shard.sometimes, r->server->node, OUTCOME_UNTOLD))
        send_outcome(r, outcome, outcome->untold_shards);
    if (BUGGIFY(r->shard.sometimes, r->server->node, OUTCOME_AGAIN))
        send_outcome(r, outcome, outcome->decision.participants & ~bit_of(r->shard.number));
}

void replica_tell(struct replica *r, uint64_t txn)
{
    struct shard_outcome *outcome = shard_find_outcome(&r->shard, txn);

    if (outcome && !outcome->is_told && outcome->told_ns == 0)
        tell(r, outcome, server_monotonic_ns(r->server));
}

static bool is_due(int64_t last_ns, int64_t every_ns, int64_t now_ns)
{
    return last_ns == 0 || now_ns - last_ns >= every_ns;
}

static void tell_all(struct replica *r, int64_t now_ns)
{
    const struct outcomes *o = &r->shard.outcomes;

    for (uint32_t i = 0; i < o->untold.count; i++) {
        struct shard_outcome *outcome = o->untold.at[i];

        if (outcome->told_ns == 0 ||
            (outcome->untold_shards != 0 && is_due(outcome->told_ns, tell_again_ns(r), now_ns)))
            tell(r, outcome, now_ns);
    }
}

/* A batch costs one entry. If it is lost with the leadership the next leader tells all again. */
static void forget_told(struct replica *r)
{
    struct shard_command command = { .kind = COMMAND_FORGET };

    if (r->told.count == 0)
        return;
    command.txns = r->told.at;
    command.txn_count = r->told.count;
    replica_propose(r, &command);
    r->told.count = 0;
}

static void was_told(struct replica *r, const struct shard_answer *answer)
{
    struct shard_outcome *outcome = shard_find_outcome(&r->shard, answer->txn);

    if (!outcome || outcome->is_told || !(outcome->untold_shards & bit_of(answer->shard)))
        return;
    outcome->untold_shards &= ~bit_of(answer->shard);
    if (r->shard.bugs->on[BUG_OUTCOME_FORGOTTEN_EARLY])
        outcome->untold_shards = 0;
    if (outcome->untold_shards == 0)
        pool_push(r->pool, &r->told, answer->txn);
    if (r->told.count >= TOLD_AT_ONCE ||
        (r->told.count > 0 && BUGGIFY(r->shard.sometimes, r->server->node, FORGET_EARLY)))
        forget_told(r);
}

/* --- In doubt --------------------------------------------------------------------------------- */

static void inquire(struct replica *r, const struct prepare *p)
{
    struct ask ask = { .kind = ASK_INQUIRE };

    ask.decision = (struct decision){ .txn = p->txn,
                                      .begin = p->begin,
                                      .participants = p->participants };
    send_ask(r, p->anchor, &ask);
}

static void end_abandoned(struct replica *r, const struct prepare *p)
{
    struct shard_command command = { .kind = COMMAND_DECIDE };

    SOMETIMES(r->shard.sometimes, ABANDONED_ABORTED);
    command.decision = (struct decision){ .txn = p->txn,
                                          .begin = p->begin,
                                          .participants = p->participants };
    replica_propose(r, &command);
}

static void commit_by_itself(struct replica *r, const struct prepared *prepared)
{
    struct shard_command command = { .kind = COMMAND_RESOLVE };

    command.decision = shard_conclude(r->shard.protocol, &prepared->prepare, &prepared->vote);
    replica_propose(r, &command);
}

static void doubt(struct replica *r, struct prepared *prepared, int64_t now_ns)
{
    const struct prepare *p = &prepared->prepare;

    prepared->asked_ns = now_ns;
    if (p->anchor == r->shard.number) {
        end_abandoned(r, p);
    } else if (r->shard.bugs->on[BUG_COMMIT_ON_TIMEOUT]) {
        commit_by_itself(r, prepared);
    } else {
        SOMETIMES(r->shard.sometimes, IN_DOUBT_ASKED);
        inquire(r, p);
    }
}

static bool is_in_doubt(const struct replica *r, const struct prepared *prepared, int64_t now_ns)
{
    bool is_anchor = prepared->prepare.anchor == r->shard.number;
    int64_t patience_ns = in_doubt_ns(r) * (is_anchor ? ABANDONED_FACTOR : 1);

    if (BUGGIFY(r->shard.sometimes, r->server->node, DOUBT_EARLY))
        patience_ns = 0;
    return now_ns - prepared->since_ns >= patience_ns &&
           is_due(prepared->asked_ns, in_doubt_ns(r), now_ns);
}

static void doubt_all(struct replica *r, int64_t now_ns)
{
    const struct shard *s = &r->shard;

    /* From the back, as a proposal may be applied at once and take its prepare away. */
    for (uint32_t i = s->prepared.count; i-- > 0;) {
        struct prepared *prepared = s->prepared.at[i];

        if (prepared->since_ns == 0)
            prepared->since_ns = now_ns;
        if (is_in_doubt(r, prepared, now_ns))
            doubt(r, prepared, now_ns);
    }
}

static void has_inquired(struct replica *r, const struct shard_answer *answer)
{
    struct shard_command command = { .kind = COMMAND_RESOLVE, .decision = answer->decision };

    if (!shard_find_prepared(&r->shard, answer->txn))
        return;
    assert(answer->decision.txn == answer->txn);
    replica_propose(r, &command);
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* Whether it is news that the shard is led from there. */
static bool take_hint(struct replica *r, const struct shard_answer *answer)
{
    if (answer->leader == WORLD_NOBODY || answer->leader == leader_of(r, answer->shard))
        return false;
    r->leaders[answer->shard] = answer->leader;
    r->hinted |= bit_of(answer->shard);
    return true;
}

static void was_no_leader(struct replica *r, const struct shard_answer *answer)
{
    int64_t now_ns = server_monotonic_ns(r->server);
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, answer->txn);
    const struct prepared *prepared = shard_find_prepared(&r->shard, answer->txn);

    if (!take_hint(r, answer))
        return;
    if (answer->kind == ASK_RESOLVE && outcome && now_ns - outcome->told_ns < HINT_NS)
        send_outcome(r, outcome, outcome->untold_shards & bit_of(answer->shard));
    if (answer->kind == ASK_INQUIRE && prepared && now_ns - prepared->asked_ns < HINT_NS)
        inquire(r, &prepared->prepare);
}

void replica_answer(struct replica *r, const struct shard_answer *answer)
{
    if (!r->leads)
        return;
    r->is_trying = true;
    if (answer->refusal == REFUSED_NOT_LEADER)
        was_no_leader(r, answer);
    else if (answer->refusal == REFUSED_NOT && answer->kind == ASK_RESOLVE)
        was_told(r, answer);
    else if (answer->refusal == REFUSED_NOT && answer->kind == ASK_INQUIRE)
        has_inquired(r, answer);
    r->is_trying = false;
    replica_retry(r);
}

/* --- The horizon ------------------------------------------------------------------------------ */

static void move_horizon(struct replica *r, int64_t now_ns)
{
    int64_t retention_ns = r->server->cluster->options.retention_ns;
    struct shard_command command = { .kind = COMMAND_HORIZON };

    if (!is_due(r->horizon_ns, HORIZON_EVERY_NS, now_ns) &&
        !BUGGIFY(r->shard.sometimes, r->server->node, HORIZON_EARLY))
        return;
    r->horizon_ns = now_ns;
    if (r->shard.outcomes.count == 0 && versions_are_settled(&r->shard.versions))
        return; /* there is nothing to forget */
    command.stamp.wall_ns =
        replica_now(r, 0).wall_ns - (retention_ns > 0 ? retention_ns : RETENTION_NS);
    if (!stamp_less(r->asked_horizon, command.stamp))
        return;
    r->asked_horizon = command.stamp;
    replica_propose(r, &command);
}

/* --- All of them ------------------------------------------------------------------------------ */

void replica_begin_duties(struct replica *r)
{
    const struct shard *s = &r->shard;

    r->told.count = 0;
    r->horizon_ns = 0;
    if (s->prepared.count > 0)
        SOMETIMES(s->sometimes, PREPARED_INHERITED);
    if (s->outcomes.untold.count > 0)
        SOMETIMES(s->sometimes, OUTCOME_INHERITED);
    for (uint32_t i = 0; i < s->prepared.count; i++)
        s->prepared.at[i]->since_ns = s->prepared.at[i]->asked_ns = 0;
    for (uint32_t i = 0; i < s->outcomes.untold.count; i++)
        s->outcomes.untold.at[i]->told_ns = 0;
}

/* Shards that have not answered in time, and so may be led from elsewhere. */
static uint64_t silent_shards(const struct replica *r, int64_t now_ns)
{
    const struct shard *s = &r->shard;
    uint64_t silent = 0;

    for (uint32_t i = 0; i < s->outcomes.untold.count; i++) {
        const struct shard_outcome *outcome = s->outcomes.untold.at[i];

        if (outcome->told_ns != 0 && is_due(outcome->told_ns, tell_again_ns(r), now_ns))
            silent |= outcome->untold_shards;
    }
    for (uint32_t i = 0; i < s->prepared.count; i++) {
        const struct prepared *prepared = s->prepared.at[i];

        if (prepared->asked_ns != 0 && is_in_doubt(r, prepared, now_ns))
            silent |= bit_of(prepared->prepare.anchor);
    }
    return silent & ~bit_of(s->number);
}

void replica_do_duties(struct replica *r, int64_t now_ns)
{
    uint64_t silent = silent_shards(r, now_ns);

    /* Who has been pointed out and not been asked since is the next to be asked. */
    if (silent & ~r->hinted)
        guess_again(r, silent & ~r->hinted);
    r->hinted &= ~silent;
    tell_all(r, now_ns);
    doubt_all(r, now_ns);
    forget_told(r);
    move_horizon(r, now_ns);
}
