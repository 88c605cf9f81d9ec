/*
 * Verifies a cycle at a weak level: of session order and reads, of what a list shows, and of what
 * a read forces on the commit order. docs/format-witness.md, "weak".
 *
 *     T2 wrote x, and comes before T3 by `because`       T2 --wr y--> T3 --reads x--> T1
 *     T3 read T1's x: so T2 comes before T1              T2 --co x--> T1
 *
 * Whoever has an edge that leads out of it did commit: its session went on, somebody read from it,
 * or what it appended was read.
 */
#include "verify/invalid/forced_private.h"

#include <inttypes.h>

#include "verify/invalid/cycle_private.h"
#include "verify/lookup_private.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

/* A read of a committed transaction, and who it came from. */
struct origin {
    uint32_t txn, op;
    struct reading reading;
};

static enum status refuse(struct verifier *v, const struct witness_edge *w, const char *why,
                          struct error *err)
{
    return verify_refuse(v, err, "the edge %s from transaction %" PRId64 ": %s",
                         witness_edge_name(w->kind), w->from, why);
}

/* --- Reads ------------------------------------------------------------------- */

static enum status find_origin(struct verifier *v, const struct witness_edge *w,
                               const struct witness_place *place, uint32_t key, struct origin *o,
                               struct error *err)
{
    TRY(lookup_txn(v, place->txn, &o->txn, err));
    TRY(lookup_op(v, o->txn, place->op, &o->op, err));
    (void)verify_add_part(v, o->txn);
    if (op_is_head(v->h->op_kind[o->op]))
        o->op = lookup_row_of(v, o->op, key);
    if (o->op == HISTORY_NONE || v->h->op_key[o->op] != key)
        return refuse(v, w, "the operation did not read the key", err);
    return sources_read(v, o->txn, o->op, &o->reading, err);
}

/* Whether the read came from this version and no other can be. */
static bool comes_from(const struct verifier *v, const struct origin *o, uint32_t version)
{
    uint32_t only;

    return source_is_only(v, &o->reading, &only) && only == version;
}

static bool is_named(const struct verifier *v, const struct witness_version *name, uint32_t version)
{
    return !name->is_initial &&
           (name->nth == 0 || name->nth == lookup_own_count(v, v->op_txn[version], version + 1,
                                                            v->h->op_key[version]));
}

static enum status check_wr(struct verifier *v, const struct witness_edge *w, uint32_t from,
                            struct error *err)
{
    struct witness_place place = { w->to, w->to_op };
    struct origin origin = { 0 };
    uint32_t key = 0, version, op = 0;

    TRY(lookup_key(v, w->key, &key, err));
    TRY(lookup_op(v, from, w->from_op, &op, err));
    TRY(find_origin(v, w, &place, key, &origin, err));
    version = lookup_left(v, from, key);
    if (version == HISTORY_NONE || !lookup_made_version(v, op, version) ||
        w->from_version.txn != w->from || w->to_version.txn != w->from ||
        !is_named(v, &w->from_version, version) || !is_named(v, &w->to_version, version))
        return refuse(v, w, "that is not what it left of the key", err);
    return comes_from(v, &origin, version) ? STATUS_OK
                                           : refuse(v, w, "the read need not be from it", err);
}

static enum status check_simple(struct verifier *v, const struct witness_edge *w, struct error *err)
{
    uint32_t from = 0, to = 0;

    TRY(lookup_txn(v, w->from, &from, err));
    TRY(lookup_txn(v, w->to, &to, err));
    (void)verify_add_part(v, from);
    (void)verify_add_part(v, to);
    if (w->kind == EDGE_WR)
        return check_wr(v, w, from, err);
    return versions_txn_is_before(v, CLOSED_BY_SESSIONS, from, to)
               ? STATUS_OK
               : refuse(v, w, "it was not over when the other began", err);
}

/* --- What a list shows ------------------------------------------------------- */

static enum status check_shown(struct verifier *v, const struct witness_edge *w, struct error *err)
{
    struct origin origin = { 0 };
    const struct element_span *first, *second;
    uint32_t from = 0, to = 0, key = 0;
    bool is_shown, has_own, is_own_first, is_own_second, is_missing;

    TRY(lookup_txn(v, w->from, &from, err));
    TRY(lookup_txn(v, w->to, &to, err));
    TRY(lookup_key(v, w->key, &key, err));
    (void)verify_add_part(v, from);
    (void)verify_add_part(v, to);
    if (!w->has_reader)
        return refuse(v, w, "no list is named that shows it", err);
    TRY(find_origin(v, w, &w->reader, key, &origin, err));
    if (from == to || lookup_left(v, from, key) == HISTORY_NONE ||
        lookup_left(v, to, key) == HISTORY_NONE)
        return refuse(v, w, "they are not two who appended to the list", err);
    if (!origin.reading.is_plain || origin.reading.kind != READING_OF_OTHERS)
        return refuse(v, w, "the read is not of a list whose order tells anything", err);
    first = source_span(v, &origin.reading, from);
    second = source_span(v, &origin.reading, to);
    has_own = lookup_own_before(v, origin.op) != HISTORY_NONE;
    is_own_first = has_own && from == origin.txn;
    is_own_second = has_own && to == origin.txn;
    is_missing = (second ? second->count : 0) < source_element_count(v, to, key);
    /* The reader's own elements stand behind all others. */
    is_shown = is_own_first ? is_missing : first && (is_missing || first->first < second->last);
    return is_shown || (first && is_own_second)
               ? STATUS_OK
               : refuse(v, w, "the list does not show them in that order", err);
}

/* --- What a read forces ------------------------------------------------------ */

/* The shapes of reasons, a bit each. */
enum forced_shape {
    SHAPE_READ_BEFORE = 1,  /* the reader itself had read from it before */
    SHAPE_ONE = 2,          /* one edge */
    SHAPE_PATH = 4,         /* any */
    SHAPE_OWN = 8,          /* it is earlier in the session */
    SHAPE_SEEN = 16,        /* it was read earlier in the session */
    SHAPE_WRITTEN = 32,     /* it is earlier in the session of one that was read from */
    SHAPE_WRITTEN_SEEN = 64 /* it was read earlier in the session of one that was read from */
};

/* What the level makes a reason. */
static unsigned shapes_of(enum level level)
{
    switch (level) {
    case LEVEL_READ_COMMITTED:
        return SHAPE_READ_BEFORE;
    case LEVEL_READ_ATOMIC:
        return SHAPE_ONE;
    case LEVEL_READ_YOUR_WRITES:
        return SHAPE_OWN;
    case LEVEL_MONOTONIC_READS:
        return SHAPE_SEEN;
    case LEVEL_MONOTONIC_WRITES:
        return SHAPE_WRITTEN;
    case LEVEL_WRITES_FOLLOW_READS:
        return SHAPE_WRITTEN_SEEN;
    case LEVEL_PRAM:
        return SHAPE_OWN | SHAPE_SEEN | SHAPE_WRITTEN;
    default:
        return SHAPE_PATH;
    }
}

/* All shapes of a path that leads from T2 to the reader. */
static unsigned shapes_of_path(const struct witness_edge *e, size_t count,
                               const struct witness_place *reader)
{
    bool first_reads = e[0].kind == EDGE_WR, second_reads = count > 1 && e[1].kind == EDGE_WR;
    unsigned shapes = SHAPE_PATH;

    if (count == 1)
        shapes |= SHAPE_ONE | (first_reads ? 0 : SHAPE_OWN);
    if (count == 1 && first_reads && e[0].to_op < reader->op)
        shapes |= SHAPE_READ_BEFORE | SHAPE_SEEN;
    if (count == 2 && first_reads && !second_reads)
        shapes |= SHAPE_SEEN;
    if (count == 2 && !first_reads && second_reads)
        shapes |= SHAPE_WRITTEN;
    if (count == 2 && first_reads && second_reads && e[0].to_op < e[1].from_op)
        shapes |= SHAPE_WRITTEN_SEEN;
    if (count == 3 && first_reads && !second_reads && e[2].kind == EDGE_WR)
        shapes |= SHAPE_WRITTEN_SEEN;
    return shapes;
}

static enum status check_because(struct verifier *v, const struct witness_anomaly *a,
                                 const struct witness_edge *w, unsigned *shapes, struct error *err)
{
    const struct witness_edge *e = a->because.at + w->because;

    for (size_t i = 0; i < w->because_count; i++) {
        if (e[i].from != (i == 0 ? w->from : e[i - 1].to))
            return refuse(v, w, "its reason is no path", err);
        TRY(check_simple(v, &e[i], err));
    }
    if (e[w->because_count - 1].to != w->reader.txn)
        return refuse(v, w, "its reason does not lead to the reader", err);
    *shapes = shapes_of_path(e, w->because_count, &w->reader);
    return *shapes & shapes_of(v->w->level) ? STATUS_OK
                                            : refuse(v, w, "its reason is none at the level", err);
}

static enum status check_co(struct verifier *v, const struct witness_anomaly *a,
                            const struct witness_edge *w, unsigned *shapes, struct error *err)
{
    struct origin origin = { 0 };
    uint32_t from = 0, to = NO_TXN, key = 0, version = VERSION_INITIAL;

    TRY(lookup_txn(v, w->from, &from, err));
    TRY(lookup_key(v, w->key, &key, err));
    if (!w->to_initial) {
        TRY(lookup_txn(v, w->to, &to, err));
        (void)verify_add_part(v, to);
        version = lookup_left(v, to, key);
    }
    (void)verify_add_part(v, from);
    TRY(find_origin(v, w, &w->reader, key, &origin, err));
    if (from == to || from == origin.txn || lookup_left(v, from, key) == HISTORY_NONE ||
        (!w->to_initial && version == HISTORY_NONE))
        return refuse(v, w, "they are not two others who wrote the key", err);
    if (!comes_from(v, &origin, version))
        return refuse(v, w, "the read need not be from where it leads", err);
    return check_because(v, a, w, shapes, err);
}

/* --- The cycle --------------------------------------------------------------- */

/* What stands on a cycle. */
struct round {
    size_t forced, shown; /* edges */
    unsigned all, any;    /* shapes that every forced edge has, or one of them */
};

/* Whether several reads, or a list, force the order; else it is one read, or none. */
static bool is_of_many(const struct round *r)
{
    return r->forced > 1 || r->shown > 0;
}

static bool kind_is_true(enum anomaly kind, enum level level, const struct round *r)
{
    bool is_one = r->forced == 1 && !is_of_many(r);

    switch (kind) {
    case ANOMALY_CYCLIC_CO:
        return r->forced + r->shown == 0;
    case ANOMALY_NON_MONO_READ_CO:
        return is_one && (r->all & SHAPE_READ_BEFORE);
    case ANOMALY_NON_MONO_READ_AO:
        return is_of_many(r) && (r->all & SHAPE_READ_BEFORE);
    case ANOMALY_FRACTURED_READ_CO:
        return is_one && (r->all & SHAPE_ONE);
    case ANOMALY_FRACTURED_READ_AO:
        return is_of_many(r) && (r->all & SHAPE_ONE);
    case ANOMALY_CO_CONFLICT_AO:
        return is_one;
    case ANOMALY_CONFLICT_AO:
        return is_of_many(r);
    case ANOMALY_UNREAD_WRITE:
        return r->any & SHAPE_OWN;
    case ANOMALY_BACKWARD_READ:
        return r->any & SHAPE_SEEN;
    case ANOMALY_REORDERED_WRITES:
        return r->any & SHAPE_WRITTEN;
    case ANOMALY_FORGOTTEN_READ:
        return r->any & SHAPE_WRITTEN_SEEN;
    case ANOMALY_MIXED_SESSION:
        return level == LEVEL_PRAM && r->forced > 0;
    default:
        return false;
    }
}

static enum status check_edge(struct verifier *v, const struct witness_anomaly *a,
                              const struct witness_edge *w, struct round *round, struct error *err)
{
    unsigned shapes = 0;

    switch (w->kind) {
    case EDGE_WR:
    case EDGE_PROCESS:
        return check_simple(v, w, err);
    case EDGE_WW:
        round->shown++;
        return check_shown(v, w, err);
    case EDGE_CO:
        TRY(check_co(v, a, w, &shapes, err));
        round->forced++;
        round->all &= shapes;
        round->any |= shapes;
        return STATUS_OK;
    default:
        return refuse(v, w, "the checker weak knows no such edges", err);
    }
}

enum status verify_forced_cycle(struct verifier *v, const struct witness_anomaly *a,
                                struct error *err)
{
    struct round round = { .all = UINT32_MAX };
    bool is_stale = a->cycle.count == 1 && a->cycle.at[0].to_initial;

    /* Nothing comes before what was there before everybody. */
    if (!is_stale)
        TRY(cycle_check_round(v, a, err));
    for (size_t i = 0; i < a->cycle.count; i++) {
        if (a->cycle.at[i].to_initial && !is_stale)
            return verify_refuse(v, err, "what leads to the initial version is a cycle by itself");
        TRY(check_edge(v, a, &a->cycle.at[i], &round, err));
    }
    return verify_need(v, kind_is_true(a->kind, v->w->level, &round), err, "the cycle is no %s",
                       anomaly_name(a->kind));
}
