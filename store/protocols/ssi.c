/*
 * ssi: serializable snapshot isolation (Cahill, Röhm and Fekete 2008), for shards
 * that share nothing but stamps.
 *
 * Snapshot isolation as in si.c, and no cycle of dependencies. An *anti-dependency* T -> U says that
 * U has overwritten what T read, with C(U) > S(T); T comes before U in any serial order.
 *
 *            rw          rw
 *     V ──────────> T ──────────> U        C(U) < C(T), C(U) <= C(V)
 *                                          and C(U) <= S(V) if V only reads
 *
 * Invariant. No three committed transactions stand like that (V and U may be one).
 *
 * Why that is serializable (Fekete et al. 2005; for readers Ports and Grittner 2012). Take
 * a cycle of dependencies, and in it the U with the smallest C. All edges X -> Y but
 * anti-dependencies have C(X) <= S(Y): what Y reads or overwrites is in its snapshot.
 *   - T -> U is an anti-dependency, else C(T) <= S(U) < C(U).
 *   - V -> T is one, else C(V) <= S(T) < C(U), as T -> U says S(T) < C(U).
 *   - If V only reads, the edge X -> V is no anti-dependency, so C(U) <= C(X) <= S(V).
 * So each cycle has three that stand as drawn.
 *
 * How shards see it. Each computes at T's prepare, as its log is applied:
 *
 *     out    least C(U) of the committed U with C(U) > S(T) that overwrote T's reads here
 *     pivot  least O(U) of these, O(U) being what `out` was for U as it committed
 *     in     greatest C(V) of the committed V whose reads T overwrites here; S(V) if V only read
 *
 * The coordinator takes the least, the least and the greatest over all shards. T aborts
 *   - if in >= out: T is the middle one, and V has committed before;
 *   - if there is a pivot, and T writes or S(T) >= pivot: T is V, and the middle one
 *     has committed before, with its U at C = pivot.
 * Else it commits with O(T) = out.
 *
 * Why none is missed. Two transactions with an anti-dependency between them are never undecided
 * together on a shard where it shows, so that one finds the other's versions, or the marks of
 * its reads, when it is validated. Of T and U that is T: if it were U, then C(U) would
 * be above the floor, and so above C(T). So O(T) is final. Of V and T it is
 * whoever comes later, and each of them looks: T by `in`, V by `pivot`.
 *
 * Nothing is in a leader's memory: O stands with the versions, and the marks of T's reads are made
 * of its prepare when the decision is applied. A mark on a key counts until the key is
 * overwritten, as the edge leads from the readers of a version to who writes the next. Marks below
 * the horizon can go: what they are for is in >= out > S(T) >= horizon. The
 * certificate exports C and S, and no serial order, since C is none.
 */
#include "store/protocols/si_private.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

#include <assert.h>
#include <string.h>

#define ALL_WAYS (CONFLICT_WRITE_WRITE | CONFLICT_READ_WRITE | CONFLICT_WRITE_READ)

/* Somebody who has committed at `at` asked by this predicate. */
struct scope_mark {
    struct stamp at;
    uint32_t scope;
};

struct marks {
    ARRAY(struct stamp) keys;        /* by key: greatest of those who read the newest version */
    ARRAY(struct scope_mark) scopes; /* stamps do not fall */
};

/* --- At the coordinator ----------------------------------------------------------------------- */

static uint64_t ssi_prepares(struct txn *txn)
{
    if (txn_reads_only(txn) && txn->coordinator->bugs->on[BUG_READ_ONLY_ALWAYS_SAFE])
        return 0;
    return txn->touched | txn->written;
}

/* --- At a shard's leader ---------------------------------------------------------------------- */

static enum served ssi_admit(struct replica *replica, struct waiting_ask *waiting,
                             struct vote *vote)
{
    return replica_admit_by_age(replica, &waiting->ask.prepare, ALL_WAYS, vote);
}

/* --- What leaves marks ------------------------------------------------------------------------ */

static uint32_t scope_count(const struct shard *shard, const struct prepare *prepare)
{
    return shard->bugs->on[BUG_NO_PREDICATE_MARKS] ? 0 : prepare->scope_count;
}

/* --- out and pivot: who has overwritten what the transaction read? ---------------------------- */

/* T -> the version's writer. */
static void go_out(const struct shard *shard, const struct stored_version *version,
                   struct vote *vote)
{
    vote->out = stamp_min(vote->out, version->at);
    if (!shard->bugs->on[BUG_PIVOT_NEEDS_IN_EDGE_FIRST])
        vote->pivot = stamp_min(vote->pivot, version->out);
}

/* The version that came after the one in the snapshot. */
static const struct stored_version *overwriter(const struct shard *shard, uint32_t key,
                                               struct stamp snapshot)
{
    const struct stored_version *next = NULL, *v = versions_newest(&shard->versions, key);

    if (shard->bugs->on[BUG_NO_MARK_ON_CONCURRENT_UPDATE])
        return NULL;
    for (; v && stamp_less(snapshot, v->at); v = v->older)
        next = v;
    return next;
}

static bool is_in_scope(const struct shard *shard, uint32_t scope,
                        const struct stored_version *version)
{
    return version_is_row(version) &&
           catalog_matches(shard->catalog, scope, version_row(version));
}

static void go_out_of_scope(const struct shard *shard, uint32_t scope, struct stamp snapshot,
                            struct vote *vote)
{
    const uint32_t *keys;
    uint32_t count =
        versions_keys(&shard->versions, shard->catalog->scopes.at[scope].table, &keys);

    for (uint32_t i = 0; i < count; i++) {
        const struct stored_version *v = versions_newest(&shard->versions, keys[i]);

        for (; v && stamp_less(snapshot, v->at); v = v->older)
            if (is_in_scope(shard, scope, v) || is_in_scope(shard, scope, v->older))
                go_out(shard, v, vote);
    }
}

/* --- in: who has read what the transaction overwrites? ---------------------------------------- */

static struct stamp readers_of_key(const struct marks *marks, uint32_t key)
{
    return key < marks->keys.count ? marks->keys.at[key] : (struct stamp){ 0 };
}

static struct stamp readers_by_scope(const struct shard *shard, const struct row_change *change,
                                     struct stamp snapshot)
{
    const struct marks *marks = shard->state;
    const struct text *after = change->is_removed ? NULL : &change->row;

    /* The newest mark is the greatest; in >= out > S is what counts. */
    for (uint32_t i = marks->scopes.count; i-- > 0;) {
        const struct scope_mark *mark = &marks->scopes.at[i];

        if (stamp_less(mark->at, snapshot))
            break;
        if (shard_touches(shard, mark->scope, change->key, after, stamp_never()))
            return mark->at;
    }
    return (struct stamp){ 0 };
}

/* --- The marks of who has committed ----------------------------------------------------------- */

static void mark_key(struct shard *shard, uint32_t key, struct stamp snapshot, struct stamp at)
{
    struct marks *marks = shard->state;
    const struct stored_version *newest = versions_newest(&shard->versions, key);

    if (newest && stamp_less(snapshot, newest->at))
        return; /* it has been overwritten already; by itself, perhaps */
    while (marks->keys.count <= key)
        pool_push(shard->pool, &marks->keys, (struct stamp){ 0 });
    marks->keys.at[key] = stamp_max(marks->keys.at[key], at);
}

static void mark_scope(struct shard *shard, uint32_t scope, struct stamp at)
{
    struct marks *marks = shard->state;
    uint32_t place;

    pool_push(shard->pool, &marks->scopes, (struct scope_mark){ 0 });
    /* Nearly always the last: logs apply decisions nearly in the order of C. */
    for (place = marks->scopes.count - 1; place > 0; place--) {
        if (!stamp_less(at, marks->scopes.at[place - 1].at))
            break;
        marks->scopes.at[place] = marks->scopes.at[place - 1];
    }
    marks->scopes.at[place] = (struct scope_mark){ at, scope };
}

static void ssi_committed(struct shard *shard, const struct prepared *prepared,
                          const struct decision *decision)
{
    const struct prepare *prepare = &prepared->prepare;
    struct marks *marks = shard->state;
    struct stamp at = prepare->reads_only ? prepare->snapshot : decision->at;

    for (uint32_t i = 0; i < prepare->change_count; i++)
        if (prepare->changes[i].key < marks->keys.count)
            marks->keys.at[prepare->changes[i].key] = (struct stamp){ 0 };
    if (shard->bugs->on[BUG_MARKS_DROPPED_AT_COMMIT])
        return;
    for (uint32_t i = 0; i < prepare->key_count; i++)
        mark_key(shard, prepare->keys[i].key, prepare->snapshot, at);
    for (uint32_t i = 0; i < scope_count(shard, prepare); i++)
        mark_scope(shard, prepare->scopes[i].scope, at);
}

/* --- As the log is applied -------------------------------------------------------------------- */

static bool is_between(const struct vote *vote) /* V, this one, U */
{
    return !stamp_less(vote->in, vote->out);
}

static bool is_before_pivot(const struct prepare *prepare, const struct vote *vote)
{
    return stamp_less(vote->pivot, stamp_never()) &&
           (!prepare->reads_only || !stamp_less(prepare->snapshot, vote->pivot));
}

static void find_edges(struct shard *shard, const struct prepare *prepare, struct vote *vote)
{
    for (uint32_t i = 0; i < prepare->key_count; i++) {
        const struct stored_version *v = overwriter(shard, prepare->keys[i].key, prepare->snapshot);

        if (v)
            go_out(shard, v, vote);
    }
    for (uint32_t i = 0; i < scope_count(shard, prepare); i++)
        go_out_of_scope(shard, prepare->scopes[i].scope, prepare->snapshot, vote);
    for (uint32_t i = 0; i < prepare->change_count; i++) {
        const struct row_change *change = &prepare->changes[i];

        vote->in = stamp_max(vote->in, readers_of_key(shard->state, change->key));
        vote->in = stamp_max(vote->in, readers_by_scope(shard, change, prepare->snapshot));
    }
}

/* What one shard finds dangerous the others cannot make harmless, so that it may refuse at once. */
static void ssi_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                         struct vote *vote)
{
    (void)term;
    vote->out = vote->pivot = stamp_never();
    vote->in = (struct stamp){ 0 };
    si_validate_against(shard, prepare, ALL_WAYS, vote);
    if (vote->refusal != REFUSED_NOT)
        return;
    find_edges(shard, prepare, vote);
    if (is_between(vote)) {
        SOMETIMES(shard->sometimes, DANGEROUS_STRUCTURE);
        vote->refusal = REFUSED_CONFLICT;
    } else if (is_before_pivot(prepare, vote)) {
        SOMETIMES(shard->sometimes, PIVOT_AVOIDED);
        vote->refusal = REFUSED_CONFLICT;
    }
}

static void ssi_conclude(const struct prepare *prepare, const struct vote *merged,
                         struct decision *decision)
{
    decision->commits = !is_between(merged) && !is_before_pivot(prepare, merged);
    decision->at = decision->place = merged->at;
    decision->out = merged->out;
}

static void ssi_open(struct shard *shard)
{
    shard->state = pool_take(shard->pool, sizeof(struct marks));
}

static void ssi_collect(struct shard *shard)
{
    struct marks *marks = shard->state;
    uint32_t kept = 0;

    for (uint32_t key = 0; key < marks->keys.count; key++)
        if (stamp_less(marks->keys.at[key], shard->horizon))
            marks->keys.at[key] = (struct stamp){ 0 };
    for (uint32_t i = 0; i < marks->scopes.count; i++)
        if (!stamp_less(marks->scopes.at[i].at, shard->horizon))
            marks->scopes.at[kept++] = marks->scopes.at[i];
    marks->scopes.count = kept;
}

static void ssi_save(const struct shard *shard, struct wire_writer *writer)
{
    const struct marks *marks = shard->state;
    uint32_t marked = 0;

    for (uint32_t key = 0; key < marks->keys.count; key++)
        marked += !stamp_is_zero(marks->keys.at[key]);
    wire_put_number(writer, marked);
    for (uint32_t key = 0; key < marks->keys.count; key++)
        if (!stamp_is_zero(marks->keys.at[key])) {
            wire_put_number(writer, key);
            wire_put_stamp(writer, marks->keys.at[key]);
        }
    wire_put_number(writer, marks->scopes.count);
    for (uint32_t i = 0; i < marks->scopes.count; i++) {
        wire_put_number(writer, marks->scopes.at[i].scope);
        wire_put_stamp(writer, marks->scopes.at[i].at);
    }
}

static void ssi_load(struct shard *shard, struct wire_reader *reader)
{
    struct marks *marks = shard->state;
    uint32_t count = wire_get_count(reader);

    assert(marks->keys.count == 0 && marks->scopes.count == 0); /* fresh from ssi_open() */
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t key = (uint32_t)wire_get_number(reader);

        while (marks->keys.count <= key)
            pool_push(shard->pool, &marks->keys, (struct stamp){ 0 });
        marks->keys.at[key] = wire_get_stamp(reader);
    }
    count = wire_get_count(reader);
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t scope = (uint32_t)wire_get_number(reader);

        pool_push(shard->pool, &marks->scopes,
                  ((struct scope_mark){ wire_get_stamp(reader), scope }));
    }
    if (shard->bugs->on[BUG_MARKS_NOT_IN_SNAPSHOT])
        marks->keys.count = marks->scopes.count = 0;
}

const struct protocol protocol_ssi = {
    .name = "ssi",
    .summary = "serializable snapshot isolation: snapshots, and no dangerous structure",
    .level = LEVEL_SERIALIZABLE,
    .on_raft = true,
    .exports_snapshot = true,
    .begin = si_take_snapshot,
    .is_alone = true,
    .prepares = ssi_prepares,
    .serve_read = si_serve_read,
    .admit = ssi_admit,
    .open = ssi_open,
    .validate = ssi_validate,
    .conclude = ssi_conclude,
    .committed = ssi_committed,
    .collect = ssi_collect,
    .save = ssi_save,
    .load = ssi_load,
};
