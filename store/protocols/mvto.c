/*
 * mvto: multiversion timestamp ordering (Reed 1978; Bernstein and Goodman 1983), with
 * hybrid clocks, uncertainty, and a second look instead of a restart.
 *
 *     T   R ── reads at R ── prepare at P1, P2 ── C = max P ── CHECK from R to C ── commit at C
 *              marks at R    above all marks                   marks at C
 *
 * A transaction has one stamp. It tries to have R, that of its begin: reads return the
 * newest version at or below R and leave a mark, and nobody ever writes below a mark.
 * Where somebody has read or written later what T wants to write, T's prepare gets a
 * later stamp; then all that T has read must be the same there.
 *
 * Invariant. Each read of a committed T returns what a read at C(T) would return in the
 * end, when everybody has committed. As all that T writes is written at C, the order of
 * C is a serial order: that is the level, and C is the certificate's place. C ends in
 * T's number, so no two are the same. Who only reads commits at R and leaves no record.
 *
 * Why it holds. Take a read, or a CHECK, of a key or predicate at the stamp M (R or C),
 * served by the leader of some term, and a U that writes the key, or touches the
 * predicate by its row before or after, and commits.
 *   - U had committed there: if C(U) <= M its version is seen.
 *   - U was undecided there, in the log or proposed. If its stamp P <= M, the reader has
 *     waited, or the CHECK has failed. If P > M, then C(U) >= P > M: rightly not seen.
 *   - U is proposed later in this term: looking at the marks and proposing are one step,
 *     so P > M.
 *   - U is proposed in a later term. Reads are served at or below the ceiling only; the
 *     log holds the ceiling, and a leader that is ready has applied all that the log held.
 *     It takes everything up to the ceiling for read: P > ceiling >= M. That is so also if
 *     the read was served by a leader that had been deposed and did not know: its ceiling
 *     is one that its group had agreed to.
 *   - U was proposed in an earlier term. A leader that has it in its log has applied it
 *     before it is ready: it is undecided or decided, as above. A leader that lacks it and
 *     is ready has an entry of its own term committed in that place: U never commits.
 * So a read at R is right for R. T moves from R to C only if CHECKs have found no version
 * and no undecided writer in (R, C] of anything that it has read, and have left marks at C;
 * then by the same reasoning its reads are right for C. What T itself has written it does
 * not read from shards, and its own marks are not in its way.
 *
 * No two undecided transactions write the same key of a shard, and P is above the key's
 * newest version: versions of a key come in the order of C. Nothing else needs an order,
 * so that prepares need not go above the shard's floor, as those of other protocols do.
 *
 * Nobody waits in a circle. Reads wait for the undecided, and hold nothing. Prepares and
 * CHECKs wait for younger undecided ones only, and are refused where an older one is met.
 *
 * Restart, retry. Marks are memory, and `low` stands for those that are lost. A prepare
 * that is sent again finds itself in the log and keeps its P; if its entry was lost with a
 * leader it is admitted anew, above the new one's marks. CHECKs may be made again and again.
 *
 * Uncertainty. Clocks differ by up to max_offset. A version in (R, R0 + max_offset], where
 * R0 is R at begin, may have been committed before T began, by a clock that is ahead. Then R
 * moves above it, by CHECKs if T has read before, and the statement is read again; writers
 * that may yet commit in that interval are waited for. This is about recency: without it
 * the order is as serial as before. Beyond it is a C far above all clocks, as the first
 * writers under a new leader get.
 */
#include "store/protocol_private.h"
#include "store/server_private.h"
#include "store/shard/read_marks.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

/* Marks of predicates older than this are folded: who is slower may have to look again. */
#define MARKS_KEPT_NS INT64_C(2000000000)
/* What clocks show is the same within this, for those who forget the rest. */
#define COARSE_NS INT64_C(10000000)

/* What a leader remembers. */
struct mvto_leader {
    struct read_marks marks;
    ARRAY(struct read_row) provisional; /* rows of an answer, with the bug of this name */
};

/* --- At the coordinator ----------------------------------------------------------------------- */

static void mvto_begin(struct txn *txn)
{
    txn->snapshot = stamp_max(txn->begin, stamp_after(txn->seen, txn->id));
    if (!txn->coordinator->bugs->on[BUG_UNCERTAINTY_IGNORED])
        txn->limit = stamp_plus(txn->snapshot, txn->coordinator->max_offset_ns);
}

static bool has_read(const struct txn *txn)
{
    if (txn->keys.count > 0)
        return true;
    for (uint32_t shard = 0; shard < txn->coordinator->catalog->shard_count; shard++)
        if (txn->scopes[shard].count > 0)
            return true;
    return false;
}

static enum txn_next mvto_read(struct txn *txn)
{
    struct stamp above = stamp_after(txn->uncertain, txn->id);

    if (stamp_is_zero(txn->uncertain))
        return NEXT_GO_ON;
    if (stamp_less(txn->uncertain, txn->snapshot))
        return NEXT_READ_AGAIN; /* all that was read before is the same here */
    SOMETIMES(txn->coordinator->sometimes, UNCERTAIN_READ);
    if (!has_read(txn)) {
        txn->snapshot = above;
        return NEXT_READ_AGAIN;
    }
    txn->check_to = above;
    return NEXT_CHECK;
}

static uint64_t mvto_prepares(struct txn *txn)
{
    return txn->written;
}

static enum txn_next mvto_voted(struct txn *txn, const struct vote *merged)
{
    if (!stamp_less(txn->snapshot, merged->at) || !has_read(txn))
        return NEXT_GO_ON;
    if (txn->coordinator->bugs->on[BUG_WRITE_TOO_OLD_IGNORED])
        return NEXT_GO_ON;
    txn->check_to = merged->at;
    return NEXT_CHECK;
}

/* --- Marks ------------------------------------------------------------------------------------ */

static struct read_marks *marks_of(struct replica *replica)
{
    return &((struct mvto_leader *)replica->leader_state)->marks;
}

static void mvto_lead(struct replica *replica)
{
    const struct shard *shard = &replica->shard;
    struct mvto_leader *leader = replica->leader_state;
    struct stamp low = shard->ceiling;

    if (!leader) {
        replica->leader_state = leader = pool_take(replica->pool, sizeof *leader);
        read_marks_open(&leader->marks, replica->pool);
    }
    if (shard->bugs->on[BUG_CACHE_LOST_ON_LEADER_CHANGE])
        low = (struct stamp){ 0 };
    read_marks_reset(&leader->marks, low);
}

static bool leaves_marks(const struct replica *replica)
{
    return !replica->shard.bugs->on[BUG_NO_TIMESTAMP_CACHE];
}

static void mark_read(struct replica *replica, const struct ask *ask)
{
    struct read_marks *marks = marks_of(replica);

    if (!leaves_marks(replica))
        return;
    for (uint32_t i = 0; i < ask->key_count; i++)
        read_marks_add_key(marks, ask->keys[i], ask->at);
    if (ask->scope != SCOPE_NONE)
        read_marks_add_scope(marks, ask->scope, ask->at);
}

static void mark_check(struct replica *replica, const struct prepare *reads, struct stamp at)
{
    struct read_marks *marks = marks_of(replica);

    if (!leaves_marks(replica))
        return;
    for (uint32_t i = 0; i < reads->key_count; i++)
        read_marks_add_key(marks, reads->keys[i].key, at);
    for (uint32_t i = 0; i < reads->scope_count; i++)
        read_marks_add_scope(marks, reads->scopes[i].scope, at);
}

static void mvto_tick(struct replica *replica)
{
    bool at_once = BUGGIFY(replica->shard.sometimes, replica->server->node, MARKS_FOLDED);

    if (read_marks_fold(marks_of(replica),
                        stamp_plus(replica_now(replica, 0), at_once ? 0 : -MARKS_KEPT_NS)))
        SOMETIMES(replica->shard.sometimes, MARKS_FOLDED);
}

/* --- What has changed between two stamps ------------------------------------------------------ */

/* The newest version in (from, to] of the key; NULL: none. */
static const struct stored_version *change_of_key(const struct shard *shard, uint32_t key,
                                                  struct stamp from, struct stamp to)
{
    const struct stored_version *v = versions_at(&shard->versions, key, to);

    return v && stamp_less(from, v->at) ? v : NULL;
}

/* The stamp of the newest version in (from, to] that touches the scope, or zero. */
static struct stamp change_of_scope(const struct shard *shard, uint32_t scope, struct stamp from,
                                    struct stamp to)
{
    struct stamp newest = { 0 };
    const uint32_t *keys;
    uint32_t count = versions_keys(&shard->versions, catalog_scope_table(shard->catalog, scope),
                                   &keys);

    for (uint32_t i = 0; i < count; i++) {
        const struct stored_version *v = change_of_key(shard, keys[i], from, to);

        for (; v && stamp_less(stamp_max(from, newest), v->at); v = v->older)
            if (shard_matches(shard, scope, v) || shard_matches(shard, scope, v->older))
                newest = v->at;
    }
    return newest;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Up to where versions count as being at or below the stamp. */
static struct stamp sight(const struct shard *shard, struct stamp at)
{
    if (!shard->bugs->on[BUG_TIMESTAMP_TIE])
        return at;
    return (struct stamp){ at.wall_ns - at.wall_ns % COARSE_NS + COARSE_NS - 1, UINT32_MAX,
                           UINT64_MAX };
}

static bool may_read(struct replica *replica, struct stamp at)
{
    return replica->shard.bugs->on[BUG_SERVES_ABOVE_CEILING] || replica_may_read(replica, at);
}

static bool reads_undecided(const struct replica *replica)
{
    return replica->shard.bugs->on[BUG_READS_PROVISIONAL_WRITES];
}

/* The change of the key that a prepared transaction would install at or below the stamp. */
static const struct prepared *provisional_writer(const struct shard *shard, uint32_t key,
                                                 struct stamp at)
{
    for (uint32_t i = 0; i < shard->prepared.count; i++) {
        const struct prepared *p = shard->prepared.at[i];

        if (!stamp_less(at, p->vote.at) && shard_change_of(&p->prepare, key))
            return p;
    }
    return NULL;
}

static void lay_over_provisional(struct replica *replica, const struct ask *ask,
                                 struct shard_answer *answer)
{
    struct mvto_leader *leader = replica->leader_state;

    leader->provisional.count = 0;
    for (uint32_t i = 0; i < answer->row_count; i++) {
        struct read_row row = answer->rows[i];
        const struct prepared *p = provisional_writer(&replica->shard, row.key, ask->at);

        if (p && p->prepare.txn != ask->txn) {
            const struct row_change *change = shard_change_of(&p->prepare, row.key);
            row = (struct read_row){ .key = row.key, .at = p->vote.at, .writer = p->prepare.txn,
                                     .is_row = !change->is_removed, .row = change->row };
        }
        if (row.is_row || ask->scope == SCOPE_NONE)
            pool_push(replica->pool, &leader->provisional, row);
    }
    answer->rows = leader->provisional.at;
    answer->row_count = leader->provisional.count;
}

/* The newest version within the limit that a read up to `at` has not seen. */
static struct stamp uncertain_for(const struct shard *shard, const struct ask *ask,
                                  struct stamp at)
{
    struct stamp newest = { 0 };

    for (uint32_t i = 0; i < ask->key_count; i++) {
        const struct stored_version *v = change_of_key(shard, ask->keys[i], at, ask->limit);

        if (v)
            newest = stamp_max(newest, v->at);
    }
    if (ask->scope != SCOPE_NONE)
        newest = stamp_max(newest, change_of_scope(shard, ask->scope, at, ask->limit));
    return newest;
}

static enum served mvto_serve_read(struct replica *replica, struct waiting_ask *waiting,
                                   struct shard_answer *answer)
{
    const struct ask *ask = &waiting->ask;
    struct stamp at = sight(&replica->shard, ask->at);
    bool takes_undecided = reads_undecided(replica);

    if (!may_read(replica, ask->at))
        return SERVE_LATER;
    if (!takes_undecided &&
        replica_undecided_writer(replica, ask, stamp_max(ask->at, ask->limit)))
        return SERVE_LATER;
    replica_read_rows(replica, ask, at, answer);
    if (takes_undecided)
        lay_over_provisional(replica, ask, answer);
    answer->at = ask->at;
    answer->uncertain = uncertain_for(&replica->shard, ask, at);
    if (stamp_is_zero(answer->uncertain)) /* else it will be read again, later */
        mark_read(replica, ask);
    return SERVED;
}

/* --- Looking again ---------------------------------------------------------------------------- */

static uint32_t scopes_to_check(const struct shard *shard, const struct prepare *reads)
{
    return shard->bugs->on[BUG_REFRESH_SKIPS_PREDICATES] ? 0 : reads->scope_count;
}

static bool has_changed(const struct shard *shard, const struct prepare *reads, struct stamp to)
{
    for (uint32_t i = 0; i < reads->key_count; i++)
        if (change_of_key(shard, reads->keys[i].key, reads->snapshot, to))
            return true;
    for (uint32_t i = 0; i < reads->scope_count; i++)
        if (!stamp_is_zero(change_of_scope(shard, reads->scopes[i].scope, reads->snapshot, to)))
            return true;
    return false;
}

static enum served mvto_serve_check(struct replica *replica, struct waiting_ask *waiting,
                                    struct vote *vote)
{
    const struct shard *shard = &replica->shard;
    struct prepare reads = waiting->ask.prepare;
    struct stamp to = waiting->ask.to;
    enum served served;

    reads.scope_count = scopes_to_check(shard, &reads);
    if (shard_refuses_age(shard, &reads)) {
        vote->refusal = REFUSED_TOO_OLD; /* a removal above R may have been collected */
        return SERVED;
    }
    if (!replica_may_read(replica, to))
        return SERVE_LATER;
    if (has_changed(shard, &reads, to)) {
        vote->refusal = REFUSED_CONFLICT;
        return SERVED;
    }
    served = replica_admit_below(replica, &reads, CONFLICT_READ_WRITE, to, vote);
    if (served == SERVED && vote->refusal == REFUSED_NOT)
        mark_check(replica, &reads, to);
    return served;
}

/* --- Preparing -------------------------------------------------------------------------------- */

static struct stamp above(struct stamp at, struct stamp other)
{
    return stamp_less(other, at) ? at : stamp_after(other, at.txn);
}

/* Above the newest versions of what it writes. */
static struct stamp above_versions(const struct shard *shard, const struct prepare *prepare,
                                   struct stamp at)
{
    for (uint32_t i = 0; i < prepare->change_count; i++) {
        const struct stored_version *newest =
            versions_newest(&shard->versions, prepare->changes[i].key);

        if (newest)
            at = above(at, newest->at);
    }
    return at;
}

/* Above all that others have read, of what it writes. */
static struct stamp above_marks(struct replica *replica, const struct prepare *prepare,
                                struct stamp at)
{
    const struct read_marks *marks = marks_of(replica);

    at = above(at, marks->low);
    for (uint32_t i = 0; i < prepare->change_count; i++) {
        const struct row_change *change = &prepare->changes[i];

        at = above(at, read_marks_of_key(marks, change->key, prepare->txn));
        at = above(at, read_marks_of_change(marks, &replica->shard, change, prepare->txn, at));
    }
    return at;
}

static enum served mvto_admit(struct replica *replica, struct waiting_ask *waiting,
                              struct vote *vote)
{
    struct prepare *prepare = &waiting->ask.prepare;
    struct stamp at = prepare->snapshot;
    enum served served = replica_admit_by_age(replica, prepare, CONFLICT_WRITE_WRITE, vote);

    if (served != SERVED || vote->refusal != REFUSED_NOT)
        return served;
    at.txn = prepare->txn;
    prepare->least = above_marks(replica, prepare, above_versions(&replica->shard, prepare, at));
    if (stamp_less(prepare->snapshot, prepare->least))
        SOMETIMES(replica->shard.sometimes, WRITE_PUSHED);
    return SERVED;
}

/* What the leader has seen to holds still, unless another leader's entry has come between. */
static void mvto_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                          struct vote *vote)
{
    (void)term;
    if (shard_conflict(shard, prepare, CONFLICT_WRITE_WRITE))
        vote->refusal = REFUSED_UNDECIDED;
    else
        vote->at = above_versions(shard, prepare, prepare->least);
}

const struct protocol protocol_mvto = {
    .name = "mvto",
    .summary = "multiversion timestamp ordering: a transaction has one stamp, reads leave marks",
    .level = LEVEL_SERIALIZABLE,
    .on_raft = true,
    .begin = mvto_begin,
    .read = mvto_read,
    .prepares = mvto_prepares,
    .voted = mvto_voted,
    .lead = mvto_lead,
    .serve_read = mvto_serve_read,
    .serve_check = mvto_serve_check,
    .admit = mvto_admit,
    .tick = mvto_tick,
    .validate = mvto_validate,
};
