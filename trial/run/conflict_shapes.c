#include "trial/run/conflict_shapes_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"

enum conflict_edge_kind { EDGE_WR, EDGE_RW, EDGE_WW, EDGE_KIND_COUNT };
enum edge_time { EDGE_FORWARD, EDGE_OVERLAPPING, EDGE_BACKWARD, EDGE_TIME_COUNT };

#define EDGE_CLASSES (EDGE_KIND_COUNT * EDGE_TIME_COUNT)

enum conflict_shape { SHAPE_EDGE, SHAPE_DEGREES, SHAPE_MEETING, SHAPE_BOTH_WAYS, SHAPE_READ };

struct degrees {
    uint16_t in[EDGE_KIND_COUNT], out[EDGE_KIND_COUNT];
    uint16_t classes_in, classes_out; /* a bit for each class of edges */
};

struct conflict_graph {
    const struct history *h;
    struct coverage *coverage;
    struct map writers;       /* key and value to the operation that wrote it */
    uint32_t *next;           /* by operation: the version behind it, or HISTORY_NONE */
    uint32_t *txn_of;         /* by operation */
    struct degrees *degrees;  /* by transaction */
    struct map pairs;         /* transactions to the classes of their edges, one bit each */
};

static void add_shape(struct conflict_graph *g, enum conflict_shape shape, uint64_t a, uint64_t b)
{
    coverage_shape(g->coverage, hash_fold(hash_number(a * 8 + shape), hash_number(b) | 1));
}

/* --- Versions --------------------------------------------------------------------------------- */

static uint64_t version_name(uint32_t key, uint8_t kind, int64_t bits)
{
    return hash_fold(hash_number((uint64_t)key << 8 | kind), hash_number((uint64_t)bits) | 1);
}

/* What an operation leaves behind as a reader sees it: of a list, its last element. */
static uint64_t value_name(const struct history *h, size_t op)
{
    uint32_t key = h->op_key[op];
    uint8_t kind = h->op_value_kind[op];
    int64_t bits = h->op_value[op];

    if (h->op_kind[op] == OP_APPEND)
        return version_name(key, VALUE_LIST, bits);
    if (kind == VALUE_LIST) {
        uint64_t end = h->list_start[bits + 1];
        return end > h->list_start[bits] ? version_name(key, VALUE_LIST, h->list_element[end - 1])
                                         : version_name(key, VALUE_NULL, 0);
    }
    return version_name(key, kind, bits);
}

static enum status find_writers(struct conflict_graph *g, struct error *err)
{
    const struct history *h = g->h;

    for (size_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            size_t place;
            g->txn_of[op] = (uint32_t)txn;
            g->next[op] = HISTORY_NONE;
            if (history_makes_version(h, op))
                TRY(map_add(&g->writers, value_name(h, op), op, &place, err));
        }
    for (size_t i = 0; i < h->order_count; i++)
        for (uint64_t k = h->order_start[i]; k + 1 < h->order_start[i + 1]; k++)
            if (h->order_version[k] != VERSION_INITIAL)
                g->next[h->order_version[k]] = h->order_version[k + 1];
    return STATUS_OK;
}

/* --- Edges ------------------------------------------------------------------------------------ */

static enum edge_time time_of(const struct history *h, uint32_t from, uint32_t to)
{
    if (!h->txn_invoked || !h->txn_completed || h->txn_invoked[from] == TIME_ABSENT ||
        h->txn_invoked[to] == TIME_ABSENT)
        return EDGE_FORWARD;
    if (h->txn_completed[from] < h->txn_invoked[to])
        return EDGE_FORWARD;
    return h->txn_completed[to] < h->txn_invoked[from] ? EDGE_BACKWARD : EDGE_OVERLAPPING;
}

static enum status add_edge(struct conflict_graph *g, enum conflict_edge_kind kind, uint32_t from, uint32_t to,
                            struct error *err)
{
    const struct history *h = g->h;
    uint32_t class = kind * EDGE_TIME_COUNT + time_of(h, from, to);
    bool same_session = h->txn_session[from] == h->txn_session[to];
    size_t place;

    if (from == to)
        return STATUS_OK;
    add_shape(g, SHAPE_EDGE, class << 1 | same_session,
              (uint64_t)h->txn_status[from] << 8 | h->txn_status[to]);
    g->degrees[from].out[kind]++;
    g->degrees[to].in[kind]++;
    g->degrees[from].classes_out |= (uint16_t)(1u << class);
    g->degrees[to].classes_in |= (uint16_t)(1u << class);
    TRY(map_add(&g->pairs, (uint64_t)from << 32 | to, 0, &place, err));
    g->pairs.values.at[place] |= UINT64_C(1) << class;
    return STATUS_OK;
}

/* Of the version that was read: who wrote it, and who wrote the next. */
static enum status add_read(struct conflict_graph *g, uint32_t reader, size_t op, struct error *err)
{
    const struct history *h = g->h;
    uint64_t writer;
    bool is_known = map_find(&g->writers, value_name(h, op), &writer);

    add_shape(g, SHAPE_READ, (uint64_t)h->op_kind[op] << 8 | h->op_flags[op],
              !is_known                             ? 9
              : g->txn_of[writer] == reader         ? 8
                                                    : h->txn_status[g->txn_of[writer]]);
    if (!is_known || g->txn_of[writer] == reader)
        return STATUS_OK;
    TRY(add_edge(g, EDGE_WR, g->txn_of[writer], reader, err));
    if (g->next[writer] == HISTORY_NONE)
        return STATUS_OK;
    return add_edge(g, EDGE_RW, reader, g->txn_of[g->next[writer]], err);
}

static enum status find_edges(struct conflict_graph *g, struct error *err)
{
    const struct history *h = g->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            if (g->next[op] != HISTORY_NONE)
                TRY(add_edge(g, EDGE_WW, txn, g->txn_of[g->next[op]], err));
            if (h->txn_status[txn] == TXN_OK && op_is_read(h->op_kind[op]) &&
                !(h->op_flags[op] & OP_ERROR) && h->op_value_kind[op] != VALUE_NONE)
                TRY(add_read(g, txn, op, err));
        }
    return STATUS_OK;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* 0, 1, 2, 3 to 5, 6 and more */
static uint64_t bucket(uint16_t count)
{
    return count <= 2 ? count : count <= 5 ? 3 : 4;
}

static void add_degrees(struct conflict_graph *g, const struct degrees *of)
{
    uint64_t in = 0, out = 0;

    for (int kind = 0; kind < EDGE_KIND_COUNT; kind++) {
        in = in << 4 | bucket(of->in[kind]);
        out = out << 4 | bucket(of->out[kind]);
    }
    add_shape(g, SHAPE_DEGREES, in, out);
    for (unsigned a = 0; a < EDGE_CLASSES; a++)
        for (unsigned b = 0; b < EDGE_CLASSES; b++)
            if (of->classes_in >> a & 1 && of->classes_out >> b & 1)
                add_shape(g, SHAPE_MEETING, a, b);
}

static void add_shapes(struct conflict_graph *g)
{
    for (size_t i = 0; i < g->h->txn_count; i++)
        add_degrees(g, &g->degrees[i]);
    for (size_t i = 0; i < g->pairs.keys.count; i++) {
        uint64_t pair = g->pairs.keys.at[i], back = pair << 32 | pair >> 32, classes;
        if (back > pair && map_find(&g->pairs, back, &classes))
            for (unsigned a = 0; a < EDGE_CLASSES; a++)
                for (unsigned b = 0; b < EDGE_CLASSES; b++)
                    if (g->pairs.values.at[i] >> a & 1 && classes >> b & 1)
                        add_shape(g, SHAPE_BOTH_WAYS, a < b ? a : b, a < b ? b : a);
    }
}

enum status conflict_shapes_cover(const struct history *h, struct coverage *coverage,
                                  struct error *err)
{
    struct conflict_graph g = { .h = h, .coverage = coverage };
    enum status status = STATUS_OK;

    g.next = calloc(h->op_count + 1, sizeof *g.next);
    g.txn_of = calloc(h->op_count + 1, sizeof *g.txn_of);
    g.degrees = calloc(h->txn_count + 1, sizeof *g.degrees);
    if (!g.next || !g.txn_of || !g.degrees)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for the shapes of a history");
    if (status == STATUS_OK)
        status = find_writers(&g, err);
    if (status == STATUS_OK)
        status = find_edges(&g, err);
    if (status == STATUS_OK)
        add_shapes(&g);
    map_close(&g.writers);
    map_close(&g.pairs);
    free(g.next);
    free(g.txn_of);
    free(g.degrees);
    return status;
}
