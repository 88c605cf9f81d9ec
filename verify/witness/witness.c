#include "verify/witness/witness.h"

#include <assert.h>
#include <string.h>

#include "verify/basis_private.h"
#include "verify/witness/fields_private.h"
#include "verify/witness/workings.h"

/* --- Edges ------------------------------------------------------------------- */

static const char *const edge_names[EDGE_KIND_COUNT + 1] = {
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

const char *witness_edge_name(enum witness_edge_kind kind)
{
    assert(kind < EDGE_KIND_COUNT);
    return edge_names[kind];
}

/* An edge that another one rests on rests on nothing but the history. */
struct edge_reader {
    struct witness_anomaly *anomaly;
    bool is_reason;
    struct witness_edge edge;
};

static enum status read_edge(struct json *, struct edge_reader *, struct error *);

static enum status read_edge_end(struct json *json, size_t row, void *owner, struct error *err)
{
    struct witness_edge *edge = &((struct edge_reader *)owner)->edge;

    (void)row;
    edge->to_initial = json_word(json, "null");
    return edge->to_initial ? STATUS_OK : json_integer(json, "a transaction's id", &edge->to, err);
}

static enum status add_reason(struct json *json, size_t n, void *owner, struct error *err)
{
    struct edge_reader *outer = owner, inner = { .anomaly = outer->anomaly, .is_reason = true };

    if (outer->is_reason)
        return json_refuse_token(json, err, "reasons have no reasons");
    if (n == 0)
        outer->edge.because = outer->anomaly->because.count;
    outer->edge.because_count = n + 1;
    TRY(read_edge(json, &inner, err));
    return array_push(&outer->anomaly->because, inner.edge, err);
}

#define EDGE_FIELDS_OF_ALL 0x00f
#define EDGE_FIELDS_OF_DATA 0x1f0
#define EDGE_FIELDS_OF_CO 0x610
#define EDGE_READER 0x200

static enum status read_edge(struct json *json, struct edge_reader *r, struct error *err)
{
    static const struct list because = { "an array of edges", add_reason, 1, 0,
                                         "a reason has an edge" };
    static const struct field rows[] = {
        FIELD("from", FIELD_INTEGER, struct edge_reader, edge.from, .what = "a transaction's id"),
        { .name = "to", .type = FIELD_OWN, .read = read_edge_end },
        FIELD("edge", FIELD_WORD, struct edge_reader, edge.kind, .what = "an edge",
              .words = edge_names),
        { .name = "why", .type = FIELD_UNJUDGED, .what = "a sentence" },
        FIELD("key", FIELD_TEXT, struct edge_reader, edge.key, .what = "a key"),
        FIELD("from-op", FIELD_OP, struct edge_reader, edge.from_op),
        FIELD("to-op", FIELD_OP, struct edge_reader, edge.to_op),
        FIELD("from-version", FIELD_VERSION, struct edge_reader, edge.from_version),
        FIELD("to-version", FIELD_VERSION, struct edge_reader, edge.to_version),
        FIELD("reader", FIELD_PLACE, struct edge_reader, edge.reader),
        { .name = "because", .type = FIELD_LIST, .list = &because },
        { .name = NULL },
    };
    static const struct object object = { "an edge", rows, EDGE_FIELDS_OF_ALL };
    uint32_t seen, needed = EDGE_FIELDS_OF_ALL;
    struct witness_edge *edge = &r->edge;

    TRY(fields_read(json, &object, r, &seen, err));
    if (witness_edge_has_data(edge->kind))
        needed |= EDGE_FIELDS_OF_DATA;
    if (edge->kind == EDGE_CO)
        needed |= EDGE_FIELDS_OF_CO;
    edge->has_reader = seen & EDGE_READER;
    TRY(fields_need(&object, json, seen, needed, err));
    if (seen & ~(needed | (edge->kind == EDGE_WW ? EDGE_READER : 0)))
        return json_refuse_token(json, err, "an edge %s has other fields",
                                 witness_edge_name(edge->kind));
    if (edge->to_initial && edge->kind != EDGE_CO)
        return json_refuse_token(json, err, "an edge %s leads to a transaction",
                                 witness_edge_name(edge->kind));
    if (r->is_reason && edge->kind != EDGE_WR && edge->kind != EDGE_PROCESS)
        return json_refuse_token(json, err, "a reason is of edges wr and process");
    return STATUS_OK;
}

static const char no_edge[] = "a cycle has at least one edge";

static enum status add_edge(struct json *json, size_t n, void *owner, struct error *err)
{
    struct edge_reader r = { .anomaly = owner };

    assert(n == r.anomaly->cycle.count);
    TRY(read_edge(json, &r, err));
    return array_push(&r.anomaly->cycle, r.edge, err);
}

/* --- Orders of two versions --------------------------------------------------- */

struct order_reader {
    struct witness_anomaly *anomaly;
    struct witness_order order;
};

static enum status add_order_edge(struct json *json, size_t n, void *owner, struct error *err)
{
    struct order_reader *o = owner;
    struct edge_reader r = { .anomaly = o->anomaly };

    if (n == 0)
        o->order.cycle = o->anomaly->order_edges.count;
    o->order.cycle_count = n + 1;
    TRY(read_edge(json, &r, err));
    return array_push(&o->anomaly->order_edges, r.edge, err);
}

static enum status add_order(struct json *json, size_t n, void *owner, struct error *err)
{
    static const struct list cycle = { "an array of edges", add_order_edge, 1, 0, no_edge };
    static const struct field rows[] = {
        FIELD("key", FIELD_TEXT, struct order_reader, order.key, .what = "a key"),
        FIELD("first", FIELD_VERSION, struct order_reader, order.first),
        FIELD("second", FIELD_VERSION, struct order_reader, order.second),
        { .name = "cycle", .type = FIELD_LIST, .list = &cycle },
        { .name = NULL },
    };
    static const struct object object = { "an order of two versions", rows, 15 };
    struct order_reader o = { .anomaly = owner };
    uint32_t seen;

    assert(n == o.anomaly->orders.count);
    TRY(fields_read(json, &object, &o, &seen, err));
    return array_push(&o.anomaly->orders, o.order, err);
}

/* --- Reads and writes -------------------------------------------------------- */

enum { READ_TXN, READ_OP, READ_KEY, READ_VERSION };

static enum status read_read(struct json *json, struct witness_read *read, struct error *err)
{
    static const struct field rows[] = {
        [READ_TXN] =
            FIELD("txn", FIELD_INTEGER, struct witness_read, txn, .what = "a transaction's id"),
        [READ_OP] = FIELD("op", FIELD_OP, struct witness_read, op),
        [READ_KEY] = FIELD("key", FIELD_TEXT, struct witness_read, key, .what = "a key"),
        [READ_VERSION] = FIELD("version", FIELD_VERSION, struct witness_read, version),
        { .name = NULL },
    };
    static const struct object object = { "an object", rows, 1U << READ_TXN | 1U << READ_OP };
    uint32_t seen;

    TRY(fields_read(json, &object, read, &seen, err));
    read->has_key = seen >> READ_KEY & 1;
    read->has_version = seen >> READ_VERSION & 1;
    return STATUS_OK;
}

static enum status read_one_of_two(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_read *read = &((struct witness_anomaly *)owner)->reads[n];

    TRY(read_read(json, read, err));
    return read->has_key && !read->has_version
               ? STATUS_OK
               : json_refuse_token(json, err, "of two reads txn, op and key are told");
}

static enum status read_total(struct json *json, size_t n, void *owner, struct error *err)
{
    return fields_read_version(json, &((struct witness_anomaly *)owner)->totals[n], err);
}

static enum status read_written(struct json *json, size_t n, void *owner, struct error *err)
{
    return fields_read_version(json, &((struct witness_writes *)owner)->versions[n], err);
}

static enum status read_writes(struct json *json, struct witness_writes *writes, struct error *err)
{
    static const struct list two = { "an array of two", read_written, 2, 2,
                                     "\"versions\" are two" };
    static const struct field rows[] = {
        FIELD("key", FIELD_TEXT, struct witness_writes, key, .what = "a key"),
        { .name = "versions", .type = FIELD_LIST, .list = &two },
        FIELD("read", FIELD_PLACE, struct witness_writes, read),
        { .name = NULL },
    };
    static const struct object object = { "an object", rows, 3 };
    uint32_t seen;

    TRY(fields_read(json, &object, writes, &seen, err));
    writes->has_read = seen & 4;
    return STATUS_OK;
}

/* --- Versions in a circle ---------------------------------------------------- */

static const char *const step_reasons[] = { "read-then-write", "process", "realtime", NULL };

struct circle_step {
    struct witness_step step;
    struct witness_numbers txns;
};

static enum status read_circle_step(struct json *json, struct circle_step *c, struct error *err)
{
    static const struct field rows[] = {
        FIELD("from", FIELD_VERSION, struct circle_step, step.from),
        FIELD("to", FIELD_VERSION, struct circle_step, step.to),
        FIELD("by", FIELD_WORD, struct circle_step, step.by, .what = "a reason",
              .words = step_reasons),
        FIELD("txns", FIELD_NUMBERS, struct circle_step, txns),
        { .name = NULL },
    };
    static const struct object object = { "a step from version to version", rows, 15 };
    uint32_t seen;

    TRY(fields_read(json, &object, c, &seen, err));
    if (c->txns.count != (c->step.by == STEP_BY_TXN ? 1 : 2))
        return json_refuse_token(json, err, "%zu transactions are no %s", c->txns.count,
                                 step_reasons[c->step.by]);
    memcpy(c->step.txns, c->txns.at, c->txns.count * sizeof *c->txns.at);
    return STATUS_OK;
}

static enum status add_circle_step(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_anomaly *anomaly = owner;
    struct circle_step c = { .step = { .by = STEP_BY_TXN } };
    enum status status = read_circle_step(json, &c, err);

    assert(n == anomaly->versions.count);
    array_close(&c.txns);
    TRY(status);
    return array_push(&anomaly->versions, c.step, err);
}

static enum status read_versions(struct json *json, struct witness_anomaly *anomaly,
                                 struct error *err)
{
    static const struct list cycle = { "an array of steps", add_circle_step, 1, 0,
                                       "a circle has a step" };
    static const struct field rows[] = {
        FIELD("key", FIELD_TEXT, struct witness_anomaly, key, .what = "a key"),
        { .name = "cycle", .type = FIELD_LIST, .list = &cycle },
        { .name = NULL },
    };
    static const struct object object = { "an object", rows, 3 };
    uint32_t seen;

    return fields_read(json, &object, anomaly, &seen, err);
}

/* --- Anomalies --------------------------------------------------------------- */

enum { ANOMALY_KIND, ANOMALY_TXNS, ANOMALY_EXPLANATION, ANOMALY_ORDERS, ANOMALY_PROOFS };

/* The rows of proofs are in the order of enum witness_proof. */
static enum status read_proof(struct json *json, size_t row, void *owner, struct error *err)
{
    static const struct list cycle = { "an array of edges", add_edge, 1, 0, no_edge };
    static const struct list reads = { "two reads", read_one_of_two, 2, 2, "\"reads\" are two" };
    static const struct list totals = { "an array of two", read_total, 2, 2, "\"totals\" are two" };
    struct witness_anomaly *anomaly = owner;

    if (anomaly->proof != PROOF_NONE)
        return json_refuse_token(json, err, "an anomaly has one proof");
    anomaly->proof = (enum witness_proof)(PROOF_CYCLE + (row - ANOMALY_PROOFS));
    switch (anomaly->proof) {
    case PROOF_CYCLE:
        return fields_read_list(json, &cycle, anomaly, err);
    case PROOF_READ:
        return read_read(json, &anomaly->read, err);
    case PROOF_WRITES:
        return read_writes(json, &anomaly->writes, err);
    case PROOF_READS:
        return fields_read_list(json, &reads, anomaly, err);
    case PROOF_VERSIONS:
        return read_versions(json, anomaly, err);
    case PROOF_TOTALS:
        return fields_read_list(json, &totals, anomaly, err);
    case PROOF_STEPS:
        return steps_pass(json, &steps_of_instants, &anomaly->steps, err);
    default:
        return steps_pass(json, &steps_of_refutation, &anomaly->steps, err);
    }
}

static enum status read_kind(struct json *json, size_t row, void *owner, struct error *err)
{
    unsigned kind = 0;

    assert(row == ANOMALY_KIND);
    TRY(json_one_of(json, anomaly_names(), "an anomaly", &kind, err));
    ((struct witness_anomaly *)owner)->kind = (enum anomaly)kind;
    return STATUS_OK;
}

static enum status read_anomaly(struct json *json, struct witness_anomaly *anomaly,
                                struct error *err)
{
#define PROOF_ROW(its_name)                                                                        \
    {                                                                                              \
        .name = its_name, .type = FIELD_OWN, .read = read_proof                                    \
    }
    static const struct list orders = { "an array of orders", add_order, 1, 0,
                                        "there is at least one order" };
    static const struct field rows[] = {
        [ANOMALY_KIND] = { .name = "kind", .type = FIELD_OWN, .read = read_kind },
        [ANOMALY_TXNS] = FIELD("transactions", FIELD_NUMBERS, struct witness_anomaly, txns),
        [ANOMALY_EXPLANATION] = { .name = "explanation",
                                  .type = FIELD_UNJUDGED,
                                  .what = "an explanation" },
        [ANOMALY_ORDERS] = { .name = "orders", .type = FIELD_LIST, .list = &orders },
        [ANOMALY_PROOFS] = PROOF_ROW("cycle"),
        PROOF_ROW("read"),
        PROOF_ROW("writes"),
        PROOF_ROW("refutation"),
        PROOF_ROW("reads"),
        PROOF_ROW("versions"),
        PROOF_ROW("totals"),
        PROOF_ROW("steps"),
        { .name = NULL },
    };
    static const struct object object = { "an anomaly", rows, 7 };
    uint32_t seen;

    TRY(fields_read(json, &object, anomaly, &seen, err));
    if (anomaly->proof == PROOF_NONE)
        return json_refuse_token(json, err,
                                 "an anomaly has \"cycle\", \"read\", \"writes\", "
                                 "\"refutation\", \"reads\", \"versions\", \"totals\" or "
                                 "\"steps\" for a proof");
    if (anomaly->orders.count > 0 && anomaly->proof != PROOF_CYCLE)
        return json_refuse_token(json, err, "\"orders\" are of a cycle");
    return STATUS_OK;
}

static enum status add_anomaly(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness *w = owner;

    if (n == WITNESS_ANOMALIES_MAX)
        return json_refuse_token(json, err, "more than %d anomalies", WITNESS_ANOMALIES_MAX);
    TRY(array_push(&w->anomalies, (struct witness_anomaly){ 0 }, err));
    return read_anomaly(json, &w->anomalies.at[n], err);
}

/* --- The whole --------------------------------------------------------------- */

enum {
    FIELD_FORMAT,
    FIELD_HISTORY,
    FIELD_CHECKER,
    FIELD_LEVEL,
    FIELD_VERDICT,
    FIELD_VERSION_ORDER,
    FIELD_ORDER,
    FIELD_SNAPSHOTS,
    FIELD_ANOMALIES,
    FIELD_PROFILE,
    FIELD_CLOCK_ERROR,
    FIELD_INSTANTS,
    FIELD_OPEN,
    FIELD_EXCUSED
};

#define FIELDS_OF_ALL 0x1f

static enum status check_digest(struct json *json, struct text digest, struct error *err)
{
    if (digest.length != DIGEST_HEX_SIZE - 1)
        return json_refuse_token(json, err, "a digest has %d hex digits", DIGEST_HEX_SIZE - 1);
    for (size_t i = 0; i < digest.length; i++)
        if (!memchr("0123456789abcdef", digest.at[i], 16))
            return json_refuse_token(json, err, "a digest has hex digits in lower case");
    return STATUS_OK;
}

static enum status add_unjudged(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness *w = owner;
    struct witness_place place;

    assert(n == w->unjudged.count);
    TRY(fields_read_place(json, &place, err));
    return array_push(&w->unjudged, place, err);
}

static enum status read_own(struct json *json, size_t row, void *owner, struct error *err)
{
    static const char *const verdicts[] = { "valid", "invalid", NULL };
    static const char *const parts[] = { "part", NULL };
    struct witness *w = owner;
    int64_t format;
    unsigned word;

    switch (row) {
    case FIELD_FORMAT:
        TRY(json_integer(json, "the version of the format", &format, err));
        return format == 1 ? STATUS_OK
                           : json_refuse_token(json, err, "only version 1 of the format is known");
    case FIELD_HISTORY:
        TRY(json_string(json, "the digest of the history", &w->history, err));
        return check_digest(json, w->history, err);
    case FIELD_CHECKER:
        TRY(json_one_of(json, basis_names, "a checker whose witnesses are known", &word, err));
        w->basis = basis_at(word);
        return STATUS_OK;
    case FIELD_LEVEL:
        TRY(json_one_of(json, level_all_names(), "a level", &word, err));
        level_of_text(text_of(level_all_names()[word]), &w->level);
        return STATUS_OK;
    case FIELD_VERDICT:
        TRY(json_one_of(json, verdicts, "\"valid\" or \"invalid\"", &word, err));
        w->is_valid = word == 0;
        return STATUS_OK;
    case FIELD_VERSION_ORDER:
        w->has_part = true;
        return json_one_of(json, parts, "\"part\"", &word, err);
    case FIELD_PROFILE:
        return workings_read(json, &w->workings, err);
    default:
        assert(row == FIELD_CLOCK_ERROR);
        TRY(json_integer(json, "how far clocks may be off", &w->clock_error, err));
        return w->clock_error >= 0
                   ? STATUS_OK
                   : json_refuse_token(json, err, "clocks are off by 0 or more nanoseconds");
    }
}

/* Which fields go with which verdict. */
static enum status check_fields(struct json *json, const struct witness *w,
                                const struct object *object, uint32_t seen, struct error *err)
{
    bool is_interval = w->basis->has_instants;
    uint32_t of_order = 1U << FIELD_ORDER | 1U << FIELD_SNAPSHOTS | 1U << FIELD_EXCUSED;
    uint32_t of_instants = 1U << FIELD_INSTANTS | 1U << FIELD_OPEN;
    uint32_t of_interval = 1U << FIELD_PROFILE | 1U << FIELD_CLOCK_ERROR | of_instants;
    uint32_t of_valid = is_interval ? 1U << FIELD_INSTANTS : 1U << FIELD_ORDER;
    uint32_t of_invalid = 1U << FIELD_ANOMALIES;
    uint32_t needed = (w->is_valid ? of_valid : of_invalid);

    TRY(fields_need(object, json, seen, needed | (is_interval ? 1U << FIELD_PROFILE : 0), err));
    if (seen & (is_interval ? of_order : of_interval))
        return json_refuse_token(json, err,
                                 is_interval ? "interval has instants, and no order"
                                             : "profiles and instants are of interval alone");
    if (w->has_part && !w->basis->searches_orders)
        return json_refuse_token(json, err, "only blackbox takes a part of the version orders");
    if (w->is_valid && (seen & of_invalid))
        return json_refuse_token(json, err, "a valid verdict with anomalies");
    if (!w->is_valid && (seen & (of_order | of_instants)))
        return json_refuse_token(json, err, "an invalid verdict with an order");
    if (!w->is_valid && w->anomalies.count == 0)
        return json_refuse_token(json, err, "an invalid verdict without anomalies");
    return STATUS_OK;
}

enum status witness_read(char *bytes, size_t size, struct witness *w, struct error *err)
{
#define OWN_ROW(its_name)                                                                          \
    {                                                                                              \
        .name = its_name, .type = FIELD_OWN, .read = read_own                                      \
    }
    static const struct list anomalies = { "an array of anomalies", add_anomaly, 0, 0, NULL };
    static const struct list unjudged = { "an array of statements", add_unjudged, 0, 0, NULL };
    static const struct field rows[] = {
        [FIELD_FORMAT] = OWN_ROW("ordeal-witness"),
        [FIELD_HISTORY] = OWN_ROW("history"),
        [FIELD_CHECKER] = OWN_ROW("checker"),
        [FIELD_LEVEL] = OWN_ROW("level"),
        [FIELD_VERDICT] = OWN_ROW("verdict"),
        [FIELD_VERSION_ORDER] = OWN_ROW("version-order"),
        [FIELD_ORDER] = FIELD("order", FIELD_NUMBERS, struct witness, order),
        [FIELD_SNAPSHOTS] = FIELD("snapshots", FIELD_NUMBERS, struct witness, snapshots),
        [FIELD_ANOMALIES] = { .name = "anomalies", .type = FIELD_LIST, .list = &anomalies },
        [FIELD_PROFILE] = OWN_ROW("profile"),
        [FIELD_CLOCK_ERROR] = OWN_ROW("clock-error"),
        [FIELD_INSTANTS] = FIELD("instants", FIELD_NAMES, struct witness, instants),
        [FIELD_OPEN] = FIELD("open", FIELD_NAMES, struct witness, open),
        [FIELD_EXCUSED] = { .name = "unjudged", .type = FIELD_LIST, .list = &unjudged },
        { .name = NULL },
    };
    static const struct object object = { "a witness, which is an object", rows, FIELDS_OF_ALL };
    uint32_t seen;

    *w = (struct witness){ .basis = basis_at(0) };
    json_blank_line_ends(bytes, size);
    json_begin(&w->json, (struct text){ bytes, size });
    TRY(fields_read(&w->json, &object, w, &seen, err));
    w->has_snapshots = seen >> FIELD_SNAPSHOTS & 1;
    TRY(check_fields(&w->json, w, &object, seen, err));
    return json_end(&w->json, err);
}

void witness_close(struct witness *w)
{
    for (size_t i = 0; i < w->anomalies.count; i++) {
        array_close(&w->anomalies.at[i].txns);
        array_close(&w->anomalies.at[i].cycle);
        array_close(&w->anomalies.at[i].because);
        array_close(&w->anomalies.at[i].orders);
        array_close(&w->anomalies.at[i].order_edges);
        array_close(&w->anomalies.at[i].versions);
    }
    array_close(&w->anomalies);
    array_close(&w->order);
    array_close(&w->snapshots);
    array_close(&w->instants);
    array_close(&w->open);
    array_close(&w->unjudged);
    json_close(&w->json);
}
