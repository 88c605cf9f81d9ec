#include "checkers/proof/proof.h"

#include <inttypes.h>

#include "checkers/proof/tell.h"

/* --- In words --------------------------------------------------------------------- */

static void tell_pair(struct buffer *out, const struct history *h, uint32_t first,
                      const char *between, uint32_t second)
{
    tell_txn(out, h, first);
    buffer_text(out, text_of(between));
    tell_txn(out, h, second);
}

static const char *verb_of(const struct history *h, uint32_t version)
{
    switch (h->op_kind[version]) {
    case OP_APPEND:
        return " appended ";
    case OP_REMOVE:
    case OP_ROW_REMOVE:
        return " deleted ";
    default:
        return " wrote ";
    }
}

/* "T12 wrote x=3" */
static void tell_writing(struct buffer *out, const struct history *h, uint32_t txn,
                         uint32_t version)
{
    tell_txn(out, h, txn);
    buffer_text(out, text_of(verb_of(h, version)));
    if (h->op_kind[version] == OP_REMOVE || h->op_kind[version] == OP_ROW_REMOVE)
        tell_key(out, h, h->op_key[version]);
    else
        tell_write(out, h, version);
}

static bool is_append(const struct history *h, uint32_t version)
{
    return version != VERSION_INITIAL && h->op_kind[version] == OP_APPEND;
}

static void tell_anti(struct buffer *out, const struct history *h, const struct edge *e)
{
    tell_print(out, h, "%T read ", e->from);
    if (op_is_head(h->op_kind[e->op]) || h->op_value_kind[e->op] == VALUE_NONE)
        tell_key(out, h, e->key);
    else
        tell_key_value(out, h, e->key, history_value(h, e->op));
    buffer_text(out, is_append(h, e->other) ? TEXT(", without what ") : TEXT(" before "));
    tell_txn(out, h, e->to);
    if (is_append(h, e->other))
        buffer_text(out, TEXT(" appended"));
    else
        buffer_text(out, h->op_kind[e->other] == OP_REMOVE || h->op_kind[e->other] == OP_ROW_REMOVE
                             ? TEXT(" deleted it")
                             : TEXT(" wrote it"));
}

static void tell_predicate_write(struct buffer *out, const struct history *h, const struct edge *e)
{
    tell_writing(out, h, e->from, e->other);
    tell_print(out, h, ", which changed what matches %Q, and %T saw that", e->op, e->to);
}

static void tell_predicate_anti(struct buffer *out, const struct history *h, const struct edge *e)
{
    tell_print(out, h, "%T looked for %Q before ", e->from, e->op);
    tell_writing(out, h, e->to, e->other);
    buffer_text(out, TEXT(", which changed what matches"));
}

/* What it rests on is told before it, if anywhere. */
static void tell_co(struct buffer *out, const struct history *h, const struct edge *e)
{
    tell_print(out, h, "%T must have written %K", e->from, e->key);
    if (e->to == HISTORY_NONE)
        buffer_text(out, TEXT(" before there was anything"));
    else
        buffer_text(out, TEXT(" before "));
    if (e->to != HISTORY_NONE)
        tell_txn(out, h, e->to);
}

void proof_tell_edge(struct buffer *out, const struct history *h, const struct edge *e)
{
    switch ((enum edge_kind)e->kind) {
    case EDGE_WW:
        tell_writing(out, h, e->from, e->version);
        buffer_text(out, is_append(h, e->other) ? TEXT(" before ") : TEXT(", which "));
        tell_txn(out, h, e->to);
        buffer_text(out, is_append(h, e->other) ? TEXT(" appended to it") : TEXT(" overwrote"));
        break;
    case EDGE_WR:
        tell_writing(out, h, e->from, e->version);
        tell_print(out, h, ", which %T read", e->to);
        break;
    case EDGE_RW:
        tell_anti(out, h, e);
        break;
    case EDGE_PREDICATE_WR:
        tell_predicate_write(out, h, e);
        break;
    case EDGE_PREDICATE_RW:
        tell_predicate_anti(out, h, e);
        break;
    case EDGE_PROCESS:
        tell_pair(out, h, e->from, " came before ", e->to);
        buffer_print(out, " in session %" PRId64, h->session_id[h->txn_session[e->from]]);
        break;
    case EDGE_REALTIME:
        tell_pair(out, h, e->from, " had completed before ", e->to);
        buffer_text(out, TEXT(" began"));
        break;
    case EDGE_CO:
        tell_co(out, h, e);
        break;
    default:
        buffer_text(out, TEXT("the store puts "));
        tell_pair(out, h, e->from, " before ", e->to);
    }
}

static void tell_reason(struct buffer *out, const struct history *h, const struct edge *e,
                        const struct reason *r)
{
    for (size_t i = 0; i < r->because_count; i++) {
        proof_tell_edge(out, h, &r->because[i]);
        buffer_text(out, TEXT("; "));
    }
    tell_print(out, h, "%T read ", r->reader);
    tell_key_value(out, h, e->key, history_value(h, r->read));
    if (e->kind == EDGE_CO && e->to != HISTORY_NONE) {
        tell_print(out, h, " of %T", e->to);
    }
    buffer_text(out, TEXT(", so "));
}

/*
 * Two writers, and two readers who each read what the one wrote of a key, and not what the other
 * wrote of another: W1 -wr x-> R1 -rw y-> W2 -wr y-> R2 -rw x-> W1.
 */
static bool is_long_fork(const struct edge *edges, size_t count)
{
    if (count != 4 || edges[0].from == edges[2].from || edges[1].from == edges[3].from)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct edge *e = &edges[i], *next = &edges[(i + 1) % count];

        if (e->kind == EDGE_WR ? next->kind != EDGE_RW || next->key == e->key
                               : e->kind != EDGE_RW || next->kind != EDGE_WR || next->key != e->key)
            return false;
    }
    return true;
}

/* The readers are those that an anti-dependency leaves. */
static void tell_long_fork(struct buffer *out, const struct history *h, const struct edge *edges)
{
    unsigned reader = edges[0].kind != EDGE_RW;

    buffer_text(out, TEXT(": a long fork, "));
    tell_pair(out, h, edges[reader].from, " and ", edges[reader + 2].from);
    buffer_text(out, TEXT(" saw "));
    tell_pair(out, h, edges[!reader].from, " and ", edges[!reader + 2].from);
    buffer_text(out, TEXT(" in opposite orders"));
}

void proof_tell_cycle_by(struct buffer *out, const struct history *h, const struct edge *edges,
                         const struct reason *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (reasons && (edges[i].kind == EDGE_CO || edges[i].kind == EDGE_WW))
            tell_reason(out, h, &edges[i], &reasons[i]);
        proof_tell_edge(out, h, &edges[i]);
        buffer_text(out, edges[i].to == HISTORY_NONE ? TEXT(", which cannot be") : TEXT("; "));
    }
    if (edges[0].to == HISTORY_NONE)
        return;
    tell_print(out, h, "so %T", edges[count - 1].from);
    if (count == 1) {
        buffer_text(out, TEXT(" comes before itself"));
        return;
    }
    tell_print(out, h, " comes both after and before %T", edges[0].from);
    if (is_long_fork(edges, count))
        tell_long_fork(out, h, edges);
}

void proof_tell_cycle(struct buffer *out, const struct history *h, const struct edge *edges,
                      size_t count)
{
    proof_tell_cycle_by(out, h, edges, NULL, count);
}

/* --- For the witness -------------------------------------------------------------- */

static void print_version(struct buffer *out, const struct history *h, const char *name,
                          uint32_t version)
{
    buffer_print(out, ",\"%s\":", name);
    tell_version(out, h, version);
}

static const char *const edge_names[EDGE_KIND_COUNT] = {
    [EDGE_WW] = "ww",
    [EDGE_WR] = "wr",
    [EDGE_PREDICATE_WR] = "predicate-wr",
    [EDGE_RW] = "rw",
    [EDGE_PREDICATE_RW] = "predicate-rw",
    [EDGE_PROCESS] = "process",
    [EDGE_REALTIME] = "realtime",
    [EDGE_ORDER] = "order",
    [EDGE_CO] = "co",
};

/* The operations and versions at an edge's two ends. */
struct ends {
    uint32_t from_op, to_op, from_version, to_version;
};

static struct ends ends_of(const struct edge *e)
{
    switch ((enum edge_kind)e->kind) {
    case EDGE_WW:
        return (struct ends){ e->version, e->other, e->version, e->other };
    case EDGE_WR:
        return (struct ends){ e->version, e->op, e->version, e->version };
    case EDGE_PREDICATE_WR:
        return (struct ends){ e->other, e->op, e->other, e->version };
    default:
        return (struct ends){ e->op, e->other, e->version, e->other };
    }
}

static void print_ends(struct buffer *out, const struct history *h, const struct edge *e)
{
    struct ends ends = ends_of(e);

    buffer_text(out, TEXT(",\"key\":"));
    buffer_json(out, history_key(h, e->key));
    buffer_print(out, ",\"from-op\":%" PRIu32 ",\"to-op\":%" PRIu32,
                 tell_op_number(h, e->from, ends.from_op), tell_op_number(h, e->to, ends.to_op));
    print_version(out, h, "from-version", ends.from_version);
    print_version(out, h, "to-version", ends.to_version);
}

static void print_edges(struct buffer *, const struct history *, const struct edge *,
                        const struct reason *, size_t count);

/* ,"reader":[id,op],"because":[...] */
static void print_reason(struct buffer *out, const struct history *h, const struct edge *e,
                         const struct reason *r)
{
    buffer_print(out, ",\"reader\":[%" PRId64 ",%" PRIu32 "]", h->txn_id[r->reader],
                 tell_op_number(h, r->reader, r->read));
    if (e->kind != EDGE_CO)
        return;
    buffer_text(out, TEXT(",\"because\":"));
    print_edges(out, h, r->because, NULL, r->because_count);
}

static void print_edge(struct buffer *out, const struct history *h, const struct edge *e,
                       const struct reason *reason)
{
    struct buffer why = { 0 };

    buffer_print(out, "{\"from\":%" PRId64 ",\"to\":", h->txn_id[e->from]);
    if (e->to == HISTORY_NONE)
        buffer_text(out, TEXT("null"));
    else
        buffer_int64(out, h->txn_id[e->to]);
    buffer_print(out, ",\"edge\":\"%s\"", edge_names[e->kind]);
    if (e->kind < EDGE_PROCESS)
        print_ends(out, h, e);
    if (e->kind == EDGE_CO) {
        buffer_text(out, TEXT(",\"key\":"));
        buffer_json(out, history_key(h, e->key));
    }
    if (reason && (e->kind == EDGE_CO || e->kind == EDGE_WW))
        print_reason(out, h, e, reason);
    proof_tell_edge(&why, h, e);
    buffer_text(out, TEXT(",\"why\":"));
    buffer_json(out, (struct text){ why.at, why.count });
    buffer_byte(out, '}');
    out->out_of_memory |= why.out_of_memory;
    buffer_close(&why);
}

static void print_edges(struct buffer *out, const struct history *h, const struct edge *edges,
                        const struct reason *reasons, size_t count)
{
    buffer_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_byte(out, ',');
        print_edge(out, h, &edges[i], reasons ? &reasons[i] : NULL);
    }
    buffer_byte(out, ']');
}

void proof_cycle_by(struct buffer *out, const struct history *h, const struct edge *edges,
                    const struct reason *reasons, size_t count)
{
    buffer_text(out, TEXT("\"cycle\":"));
    print_edges(out, h, edges, reasons, count);
}

void proof_cycle(struct buffer *out, const struct history *h, const struct edge *edges,
                 size_t count)
{
    proof_cycle_by(out, h, edges, NULL, count);
}

void proof_order(struct buffer *out, const struct history *h, const struct version_order *o,
                 const struct edge *edges, size_t count)
{
    buffer_text(out, TEXT("{\"key\":"));
    buffer_json(out, history_key(h, o->key));
    print_version(out, h, "first", o->first);
    print_version(out, h, "second", o->second);
    buffer_byte(out, ',');
    proof_cycle(out, h, edges, count);
    buffer_byte(out, '}');
}

void proof_read(struct buffer *out, const struct history *h, const struct wrong_read *read)
{
    buffer_print(out, "\"read\":{\"txn\":%" PRId64 ",\"op\":%" PRIu32, h->txn_id[read->txn],
                 tell_op_number(h, read->txn, read->op));
    if (read->key != HISTORY_NONE) {
        buffer_text(out, TEXT(",\"key\":"));
        buffer_json(out, history_key(h, read->key));
    }
    if (read->version_is_known)
        print_version(out, h, "version", read->version);
    buffer_byte(out, '}');
}

static void begin_writes(struct buffer *out, const struct history *h, uint32_t key, uint32_t first,
                         uint32_t second)
{
    buffer_text(out, TEXT("\"writes\":{\"key\":"));
    buffer_json(out, history_key(h, key));
    buffer_text(out, TEXT(",\"versions\":["));
    tell_version(out, h, first);
    buffer_byte(out, ',');
    tell_version(out, h, second);
    buffer_byte(out, ']');
}

void proof_writes(struct buffer *out, const struct history *h, uint32_t key, uint32_t first,
                  uint32_t second)
{
    begin_writes(out, h, key, first, second);
    buffer_byte(out, '}');
}

void proof_dirty(struct buffer *out, const struct history *h, uint32_t first, uint32_t second,
                 uint32_t reader, uint32_t read)
{
    begin_writes(out, h, h->op_key[read], first, second);
    buffer_print(out, ",\"read\":[%" PRId64 ",%" PRIu32 "]}", h->txn_id[reader],
                 tell_op_number(h, reader, read));
}

void proof_reads(struct buffer *out, const struct history *h, const uint32_t txns[2],
                 const uint32_t ops[2])
{
    buffer_text(out, TEXT("\"reads\":["));
    for (int i = 0; i < 2; i++) {
        buffer_print(out, "%s{\"txn\":%" PRId64 ",\"op\":%" PRIu32 ",\"key\":", i ? "," : "",
                     h->txn_id[txns[i]], tell_op_number(h, txns[i], ops[i]));
        buffer_json(out, history_key(h, h->op_key[ops[i]]));
        buffer_byte(out, '}');
    }
    buffer_byte(out, ']');
}

void proof_totals(struct buffer *out, const struct history *h, const uint32_t txns[2])
{
    buffer_print(out, "\"totals\":[%" PRId64 ",%" PRId64 "]", h->txn_id[txns[0]],
                 h->txn_id[txns[1]]);
}

static void print_version_step(struct buffer *out, const struct history *h,
                               const struct version_step *e)
{
    buffer_text(out, TEXT("{\"from\":"));
    tell_version(out, h, e->from);
    print_version(out, h, "to", e->to);
    if (e->reason == VERSION_READ_THEN_WRITTEN)
        buffer_print(out, ",\"by\":\"read-then-write\",\"txns\":[%" PRId64 "]}",
                     h->txn_id[e->txns[0]]);
    else
        buffer_print(out, ",\"by\":\"%s\",\"txns\":[%" PRId64 ",%" PRId64 "]}",
                     e->reason == VERSION_IN_SESSION ? "process" : "realtime",
                     h->txn_id[e->txns[0]], h->txn_id[e->txns[1]]);
}

void proof_versions(struct buffer *out, const struct history *h, uint32_t key,
                    const struct version_step *edges, size_t count)
{
    buffer_text(out, TEXT("\"versions\":{\"key\":"));
    buffer_json(out, history_key(h, key));
    buffer_text(out, TEXT(",\"cycle\":["));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_byte(out, ',');
        print_version_step(out, h, &edges[i]);
    }
    buffer_text(out, TEXT("]}"));
}
