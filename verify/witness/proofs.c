/*
 * The proofs of anomalies, as they stand in a witness.
 */
#include "verify/witness/proofs.h"

#include <assert.h>
#include <string.h>

#include "verify/witness/fields_private.h"
#include "verify/witness/instant_steps.h"
#include "verify/witness/steps.h"
#include "verify/witness/witness.h"

static const char *const edge_names[EDGE_KIND_COUNT] = {
    [EDGE_WW] = "ww",
    [EDGE_WR] = "wr",
    [EDGE_RW] = "rw",
    [EDGE_PREDICATE_WR] = "predicate-wr",
    [EDGE_PREDICATE_RW] = "predicate-rw",
    [EDGE_PROCESS] = "process",
    [EDGE_REALTIME] = "realtime",
    [EDGE_ORDER] = "order",
    [EDGE_CO] = "co",
};

const char *proof_edge_name(enum witness_edge_kind kind)
{
    assert(kind < EDGE_KIND_COUNT);
    return edge_names[kind];
}

bool proof_edge_has_data(enum witness_edge_kind kind)
{
    return kind <= EDGE_PREDICATE_RW;
}

/* --- Cycles ------------------------------------------------------------------ */

enum {
    EDGE_FROM,
    EDGE_TO,
    EDGE_EDGE,
    EDGE_WHY,
    EDGE_KEY,
    EDGE_FROM_OP,
    EDGE_TO_OP,
    EDGE_FROM_VERSION,
    EDGE_TO_VERSION,
    EDGE_READER,
    EDGE_BECAUSE
};

static const char *const edge_fields[] = { "from",       "to",      "edge",    "why",
                                           "key",        "from-op", "to-op",   "from-version",
                                           "to-version", "reader",  "because", NULL };

#define EDGE_FIELDS_OF_ALL 0x00f
#define EDGE_FIELDS_OF_DATA 0x1f0
#define EDGE_FIELDS_OF_CO 0x610

/* An edge that another one rests on rests on nothing but the history. */
struct edge_reader {
    struct json *json;
    struct witness_anomaly *anomaly;
    bool is_reason;
};

static enum status read_edge(const struct edge_reader *, struct witness_edge *, struct error *);

static enum status read_because(const struct edge_reader *r, struct witness_edge *edge,
                                struct error *err)
{
    struct edge_reader inner = { r->json, r->anomaly, true };
    struct witness_edge reason;

    if (r->is_reason)
        return json_refuse_token(r->json, err, "reasons have no reasons");
    edge->because = r->anomaly->because.count;
    TRY(json_open(r->json, '[', "an array of edges", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(r->json, n, err);
        TRY(read_edge(&inner, &reason, err));
        TRY(array_push(&r->anomaly->because, reason, err));
    }
    edge->because_count = r->anomaly->because.count - edge->because;
    return edge->because_count > 0 ? STATUS_OK
                                   : json_refuse_token(r->json, err, "a reason has an edge");
}

static enum status read_kind(struct json *json, struct witness_edge *edge, struct error *err)
{
    const char *names[EDGE_KIND_COUNT + 1] = { 0 };
    unsigned kind;

    memcpy(names, edge_names, sizeof edge_names);
    TRY(witness_name(json, names, "an edge", &kind, err));
    edge->kind = (enum witness_edge_kind)kind;
    return STATUS_OK;
}

static enum status read_edge_field(const struct edge_reader *r, unsigned field,
                                   struct witness_edge *edge, struct error *err)
{
    struct json *json = r->json;

    switch (field) {
    case EDGE_FROM:
        return json_integer(json, "a transaction's id", &edge->from, err);
    case EDGE_TO:
        edge->to_initial = json_word(json, "null");
        return edge->to_initial ? STATUS_OK
                                : json_integer(json, "a transaction's id", &edge->to, err);
    case EDGE_EDGE:
        return read_kind(json, edge, err);
    case EDGE_WHY:
        return witness_words(json, "a sentence", err);
    case EDGE_KEY:
        return json_string(json, "a key", &edge->key, err);
    case EDGE_FROM_OP:
        return witness_op(json, &edge->from_op, err);
    case EDGE_TO_OP:
        return witness_op(json, &edge->to_op, err);
    case EDGE_FROM_VERSION:
        return witness_version(json, &edge->from_version, err);
    case EDGE_TO_VERSION:
        return witness_version(json, &edge->to_version, err);
    case EDGE_READER:
        edge->has_reader = true;
        return witness_place(json, &edge->reader.txn, &edge->reader.op, err);
    default:
        return read_because(r, edge, err);
    }
}

static enum status read_edge(const struct edge_reader *r, struct witness_edge *edge,
                             struct error *err)
{
    struct json *json = r->json;
    struct fields fields = { .names = edge_fields };
    uint32_t needed = EDGE_FIELDS_OF_ALL, allowed = 0;
    unsigned field;

    *edge = (struct witness_edge){ 0 };
    TRY(json_open(json, '{', "an edge", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_edge_field(r, field, edge, err));
    }
    if (proof_edge_has_data(edge->kind))
        needed |= EDGE_FIELDS_OF_DATA;
    if (edge->kind == EDGE_CO)
        needed |= EDGE_FIELDS_OF_CO;
    if (edge->kind == EDGE_WW)
        allowed = 1U << EDGE_READER;
    TRY(witness_fields_need(&fields, json, needed, err));
    if (fields.seen & ~(needed | allowed))
        return json_refuse_token(json, err, "an edge %s has other fields",
                                 proof_edge_name(edge->kind));
    if (edge->to_initial && edge->kind != EDGE_CO)
        return json_refuse_token(json, err, "an edge %s leads to a transaction",
                                 proof_edge_name(edge->kind));
    if (r->is_reason && edge->kind != EDGE_WR && edge->kind != EDGE_PROCESS)
        return json_refuse_token(json, err, "a reason is of edges wr and process");
    return STATUS_OK;
}

/* Appends the edges of a cycle to one of struct witness_edge. */
#define READ_CYCLE(reader, array, err)                                                             \
    do {                                                                                           \
        struct witness_edge edge;                                                                  \
        size_t edges_before = (array)->count;                                                      \
        TRY(json_open((reader)->json, '[', "an array of edges", err));                             \
        for (size_t n = 0;; n++) {                                                                 \
            ELEMENT_OR_BREAK((reader)->json, n, err);                                              \
            TRY(read_edge(reader, &edge, err));                                                    \
            TRY(array_push(array, edge, err));                                                     \
        }                                                                                          \
        if ((array)->count == edges_before)                                                        \
            return json_refuse_token((reader)->json, err, "a cycle has at least one edge");        \
    } while (0)

static enum status read_cycle(struct json *json, struct witness_anomaly *anomaly, struct error *err)
{
    struct edge_reader reader = { json, anomaly, false };

    READ_CYCLE(&reader, &anomaly->cycle, err);
    return STATUS_OK;
}

static enum status read_order(struct json *json, struct witness_anomaly *anomaly, struct error *err)
{
    static const char *const names[] = { "key", "first", "second", "cycle", NULL };
    struct edge_reader reader = { json, anomaly, false };
    struct fields fields = { .names = names };
    struct witness_order order = { .cycle = anomaly->order_edges.count };
    unsigned field;

    TRY(json_open(json, '{', "an order of two versions", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field == 0)
            TRY(json_string(json, "a key", &order.key, err));
        else if (field <= 2)
            TRY(witness_version(json, field == 1 ? &order.first : &order.second, err));
        else
            READ_CYCLE(&reader, &anomaly->order_edges, err);
    }
    TRY(witness_fields_need(&fields, json, 15, err));
    order.cycle_count = anomaly->order_edges.count - order.cycle;
    return array_push(&anomaly->orders, order, err);
}

enum status proofs_read_orders(struct json *json, struct witness_anomaly *anomaly,
                               struct error *err)
{
    TRY(json_open(json, '[', "an array of orders", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(json, n, err);
        TRY(read_order(json, anomaly, err));
    }
    return anomaly->orders.count > 0 ? STATUS_OK
                                     : json_refuse_token(json, err, "there is at least one order");
}

/* --- Reads and writes -------------------------------------------------------- */

static enum status read_read(struct json *json, struct witness_read *read, struct error *err)
{
    static const char *const names[] = { "txn", "op", "key", "version", NULL };
    struct fields fields = { .names = names };
    unsigned field;

    TRY(json_open(json, '{', "an object", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field == 0)
            TRY(json_integer(json, "a transaction's id", &read->txn, err));
        else if (field == 1)
            TRY(witness_op(json, &read->op, err));
        else if (field == 2)
            TRY(json_string(json, "a key", &read->key, err));
        else
            TRY(witness_version(json, &read->version, err));
    }
    read->has_key = fields.seen & 4;
    read->has_version = fields.seen & 8;
    return witness_fields_need(&fields, json, 3, err);
}

static enum status read_reads(struct json *json, struct witness_read *reads, struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "two reads", err));
    for (size_t i = 0;; i++) {
        TRY(json_element(json, i, &more, err));
        if (more != (i < 2))
            return json_refuse_token(json, err, "\"reads\" are two");
        if (!more)
            return STATUS_OK;
        TRY(read_read(json, &reads[i], err));
        if (!reads[i].has_key || reads[i].has_version)
            return json_refuse_token(json, err, "of two reads txn, op and key are told");
    }
}

static enum status read_two(struct json *json, struct witness_version *two, const char *what,
                            struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "an array of two", err));
    for (size_t i = 0;; i++) {
        TRY(json_element(json, i, &more, err));
        if (more != (i < 2))
            return json_refuse_token(json, err, "\"%s\" are two", what);
        if (!more)
            return STATUS_OK;
        TRY(witness_version(json, &two[i], err));
    }
}

static enum status read_writes(struct json *json, struct witness_writes *writes, struct error *err)
{
    static const char *const names[] = { "key", "versions", "read", NULL };
    struct fields fields = { .names = names };
    unsigned field;

    TRY(json_open(json, '{', "an object", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field == 0)
            TRY(json_string(json, "a key", &writes->key, err));
        else if (field == 1)
            TRY(read_two(json, writes->versions, "versions", err));
        else
            TRY(witness_place(json, &writes->read.txn, &writes->read.op, err));
    }
    writes->has_read = fields.seen & 4;
    return witness_fields_need(&fields, json, 3, err);
}

/* --- Versions in a circle ---------------------------------------------------- */

static enum status read_txns(struct json *json, struct witness_step *step, size_t *count,
                             struct error *err)
{
    TRY(json_open(json, '[', "an array of transactions", err));
    for (*count = 0;; ++*count) {
        ELEMENT_OR_BREAK(json, *count, err);
        if (*count == 2)
            return json_refuse_token(json, err, "there are two at the most");
        TRY(json_integer(json, "a transaction's id", &step->txns[*count], err));
    }
    return STATUS_OK;
}

static enum status read_step(struct json *json, struct witness_step *step, struct error *err)
{
    static const char *const names[] = { "from", "to", "by", "txns", NULL };
    static const char *const reasons[] = { "read-then-write", "process", "realtime", NULL };
    struct fields fields = { .names = names };
    unsigned field, by = 0;
    size_t count = 0;

    *step = (struct witness_step){ 0 };
    TRY(json_open(json, '{', "a step from version to version", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field <= 1)
            TRY(witness_version(json, field == 0 ? &step->from : &step->to, err));
        else if (field == 2)
            TRY(witness_name(json, reasons, "a reason", &by, err));
        else
            TRY(read_txns(json, step, &count, err));
    }
    step->by = (enum witness_step_reason)by;
    TRY(witness_fields_need(&fields, json, 15, err));
    if (count != (step->by == STEP_BY_TXN ? 1 : 2))
        return json_refuse_token(json, err, "%zu transactions are no %s", count, reasons[by]);
    return STATUS_OK;
}

static enum status read_versions(struct json *json, struct witness_anomaly *anomaly,
                                 struct error *err)
{
    static const char *const names[] = { "key", "cycle", NULL };
    struct fields fields = { .names = names };
    struct witness_step step;
    unsigned field;

    TRY(json_open(json, '{', "an object", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field == 0) {
            TRY(json_string(json, "a key", &anomaly->key, err));
            continue;
        }
        TRY(json_open(json, '[', "an array of steps", err));
        for (size_t n = 0;; n++) {
            ELEMENT_OR_BREAK(json, n, err);
            TRY(read_step(json, &step, err));
            TRY(array_push(&anomaly->versions, step, err));
        }
    }
    TRY(witness_fields_need(&fields, json, 3, err));
    return anomaly->versions.count > 0 ? STATUS_OK
                                       : json_refuse_token(json, err, "a circle has a step");
}

/* --- Refutations, and proofs about instants ----------------------------------- */

static enum status pass_step(struct json *json, bool is_of_instants, struct refutation_step *step,
                             struct error *err)
{
    struct instant_step of_instants;

    return is_of_instants ? instant_step_read(json, &of_instants, err) : step_read(json, step, err);
}

/* Whether they are well formed; what they say is read again by who judges them. */
static enum status pass_steps(struct json *json, bool are_of_instants, struct text *steps,
                              struct error *err)
{
    struct refutation_step step = { 0 };
    enum status status;
    bool more = true;
    size_t n = 0;

    (void)json_peek(json);
    steps->at = json->at;
    status = json_open(json, '[', "an array of steps", err);
    while (status == STATUS_OK && more) {
        status = json_element(json, n++, &more, err);
        if (status == STATUS_OK && more)
            status = pass_step(json, are_of_instants, &step, err);
    }
    step_close(&step);
    steps->length = (size_t)(json->at - steps->at);
    return status;
}

enum status proofs_read(struct json *json, struct witness_anomaly *anomaly, struct error *err)
{
    switch (anomaly->proof) {
    case PROOF_CYCLE:
        return read_cycle(json, anomaly, err);
    case PROOF_READ:
        return read_read(json, &anomaly->read, err);
    case PROOF_WRITES:
        return read_writes(json, &anomaly->writes, err);
    case PROOF_READS:
        return read_reads(json, anomaly->reads, err);
    case PROOF_VERSIONS:
        return read_versions(json, anomaly, err);
    case PROOF_TOTALS:
        return read_two(json, anomaly->totals, "totals", err);
    case PROOF_STEPS:
        return pass_steps(json, true, &anomaly->steps, err);
    default:
        return pass_steps(json, false, &anomaly->refutation, err);
    }
}
