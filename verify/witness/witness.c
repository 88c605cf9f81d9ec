#include "verify/witness/witness.h"

#include <string.h>

#include "verify/basis_private.h"
#include "verify/witness/fields_private.h"
#include "verify/witness/instant_steps.h"
#include "verify/witness/proofs.h"
#include "verify/witness/workings.h"

/* --- Anomalies --------------------------------------------------------------- */

enum {
    ANOMALY_FIELD_KIND,
    ANOMALY_FIELD_TXNS,
    ANOMALY_FIELD_EXPLANATION,
    ANOMALY_FIELD_ORDERS,
    ANOMALY_FIELD_PROOFS
};

/* The proofs as they stand in enum witness_proof. */
static const char *const anomaly_fields[] = { "kind",  "transactions", "explanation", "orders",
                                              "cycle", "read",         "writes",      "refutation",
                                              "reads", "versions",     "totals",      "steps",
                                              NULL };

static enum status read_anomaly_field(struct json *json, unsigned field,
                                      struct witness_anomaly *anomaly, struct error *err)
{
    unsigned kind;

    switch (field) {
    case ANOMALY_FIELD_KIND:
        TRY(witness_name(json, anomaly_names(), "an anomaly", &kind, err));
        anomaly->kind = (enum anomaly)kind;
        return STATUS_OK;
    case ANOMALY_FIELD_TXNS:
        READ_NUMBERS(json, &anomaly->txns, "a transaction's id", err);
        return STATUS_OK;
    case ANOMALY_FIELD_EXPLANATION:
        return witness_words(json, "an explanation", err);
    case ANOMALY_FIELD_ORDERS:
        return proofs_read_orders(json, anomaly, err);
    default:
        break;
    }
    if (anomaly->proof != PROOF_NONE)
        return json_refuse_token(json, err, "an anomaly has one proof");
    anomaly->proof = (enum witness_proof)(PROOF_CYCLE + (field - ANOMALY_FIELD_PROOFS));
    return proofs_read(json, anomaly, err);
}

static enum status read_anomaly(struct json *json, struct witness_anomaly *anomaly,
                                struct error *err)
{
    struct fields fields = { .names = anomaly_fields };
    unsigned field;

    TRY(json_open(json, '{', "an anomaly", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_anomaly_field(json, field, anomaly, err));
    }
    TRY(witness_fields_need(&fields, json, 7, err));
    if (anomaly->proof == PROOF_NONE)
        return json_refuse_token(json, err,
                                 "an anomaly has \"cycle\", \"read\", \"writes\", "
                                 "\"refutation\", \"reads\", \"versions\", \"totals\" or "
                                 "\"steps\" for a proof");
    if (anomaly->orders.count > 0 && anomaly->proof != PROOF_CYCLE)
        return json_refuse_token(json, err, "\"orders\" are of a cycle");
    return STATUS_OK;
}

static enum status read_anomalies(struct json *json, struct witness *w, struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "an array of anomalies", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            break;
        if (n == WITNESS_ANOMALIES_MAX)
            return json_refuse_token(json, err, "more than %d anomalies", WITNESS_ANOMALIES_MAX);
        TRY(array_push(&w->anomalies, (struct witness_anomaly){ 0 }, err));
        TRY(read_anomaly(json, &w->anomalies.at[n], err));
    }
    return STATUS_OK;
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
    FIELD_UNJUDGED
};

static const char *const witness_fields[] = { "ordeal-witness", "history",     "checker",
                                              "level",          "verdict",     "version-order",
                                              "order",          "snapshots",   "anomalies",
                                              "profile",        "clock-error", "instants",
                                              "open",           "unjudged",    NULL };

#define FIELDS_OF_ALL 0x1f

static enum status read_digest(struct json *json, struct text *digest, struct error *err)
{
    TRY(json_string(json, "the digest of the history", digest, err));
    if (digest->length != DIGEST_HEX_SIZE - 1)
        return json_refuse_token(json, err, "a digest has %d hex digits", DIGEST_HEX_SIZE - 1);
    for (size_t i = 0; i < digest->length; i++)
        if (!memchr("0123456789abcdef", digest->at[i], 16))
            return json_refuse_token(json, err, "a digest has hex digits in lower case");
    return STATUS_OK;
}

/* Appends the names of instants, or operations, of an array to one of them. */
#define READ_NAMES(json, array, err)                                                               \
    do {                                                                                           \
        struct instant_name named;                                                                 \
        TRY(json_open(json, '[', "an array", err));                                                \
        for (size_t n = 0;; n++) {                                                                 \
            ELEMENT_OR_BREAK(json, n, err);                                                        \
            TRY(instant_name_read(json, &named, err));                                             \
            TRY(array_push(array, named, err));                                                    \
        }                                                                                          \
    } while (0)

static enum status read_unjudged(struct json *json, struct witness *w, struct error *err)
{
    struct witness_place place;

    TRY(json_open(json, '[', "an array of statements", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(json, n, err);
        TRY(witness_place(json, &place.txn, &place.op, err));
        TRY(array_push(&w->unjudged, place, err));
    }
    return STATUS_OK;
}

static enum status read_field(struct json *json, unsigned field, struct witness *w,
                              struct error *err)
{
    static const char *const verdicts[] = { "valid", "invalid", NULL };
    static const char *const parts[] = { "part", NULL };
    int64_t format;
    unsigned name;

    switch (field) {
    case FIELD_FORMAT:
        TRY(json_integer(json, "the version of the format", &format, err));
        return format == 1 ? STATUS_OK
                           : json_refuse_token(json, err, "only version 1 of the format is known");
    case FIELD_HISTORY:
        return read_digest(json, &w->history, err);
    case FIELD_CHECKER:
        TRY(witness_name(json, basis_names, "a checker whose witnesses are known", &name, err));
        w->basis = basis_at(name);
        return STATUS_OK;
    case FIELD_LEVEL:
        TRY(witness_name(json, level_all_names(), "a level", &name, err));
        level_of_text(text_of(level_all_names()[name]), &w->level);
        return STATUS_OK;
    case FIELD_VERDICT:
        TRY(witness_name(json, verdicts, "\"valid\" or \"invalid\"", &name, err));
        w->is_valid = name == 0;
        return STATUS_OK;
    case FIELD_VERSION_ORDER:
        w->has_part = true;
        return witness_name(json, parts, "\"part\"", &name, err);
    case FIELD_ORDER:
        READ_NUMBERS(json, &w->order, "a transaction's id", err);
        return STATUS_OK;
    case FIELD_SNAPSHOTS:
        w->has_snapshots = true;
        READ_NUMBERS(json, &w->snapshots, "a number of transactions", err);
        return STATUS_OK;
    case FIELD_PROFILE:
        return workings_read(json, &w->workings, err);
    case FIELD_CLOCK_ERROR:
        TRY(json_integer(json, "how far clocks may be off", &w->clock_error, err));
        return w->clock_error >= 0
                   ? STATUS_OK
                   : json_refuse_token(json, err, "clocks are off by 0 or more nanoseconds");
    case FIELD_INSTANTS:
        READ_NAMES(json, &w->instants, err);
        return STATUS_OK;
    case FIELD_OPEN:
        READ_NAMES(json, &w->open, err);
        return STATUS_OK;
    case FIELD_UNJUDGED:
        return read_unjudged(json, w, err);
    default:
        return read_anomalies(json, w, err);
    }
}

/* Which fields go with which verdict. */
static enum status check_fields(struct json *json, const struct witness *w,
                                const struct fields *fields, struct error *err)
{
    bool is_interval = w->basis->has_instants;
    uint32_t of_order = 1U << FIELD_ORDER | 1U << FIELD_SNAPSHOTS | 1U << FIELD_UNJUDGED;
    uint32_t of_instants = 1U << FIELD_INSTANTS | 1U << FIELD_OPEN;
    uint32_t of_interval = 1U << FIELD_PROFILE | 1U << FIELD_CLOCK_ERROR | of_instants;
    uint32_t of_valid = is_interval ? 1U << FIELD_INSTANTS : 1U << FIELD_ORDER;
    uint32_t of_invalid = 1U << FIELD_ANOMALIES;
    uint32_t needed = FIELDS_OF_ALL | (w->is_valid ? of_valid : of_invalid);

    TRY(witness_fields_need(fields, json, needed | (is_interval ? 1U << FIELD_PROFILE : 0), err));
    if (fields->seen & (is_interval ? of_order : of_interval))
        return json_refuse_token(json, err,
                                 is_interval ? "interval has instants, and no order"
                                             : "profiles and instants are of interval alone");
    if (w->has_part && !w->basis->searches_orders)
        return json_refuse_token(json, err, "only blackbox takes a part of the version orders");
    if (w->is_valid && (fields->seen & of_invalid))
        return json_refuse_token(json, err, "a valid verdict with anomalies");
    if (!w->is_valid && (fields->seen & (of_order | of_instants)))
        return json_refuse_token(json, err, "an invalid verdict with an order");
    if (!w->is_valid && w->anomalies.count == 0)
        return json_refuse_token(json, err, "an invalid verdict without anomalies");
    return STATUS_OK;
}

/* Within a string they stay, to be refused there. */
static void blank_line_ends(char *bytes, size_t size)
{
    bool in_string = false;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"')
            in_string = !in_string;
        else if (in_string && bytes[i] == '\\')
            i++;
        else if (!in_string && (bytes[i] == '\n' || bytes[i] == '\r'))
            bytes[i] = ' ';
    }
}

enum status witness_read(char *bytes, size_t size, struct witness *w, struct error *err)
{
    struct json *json = &w->json;
    struct fields fields = { .names = witness_fields };
    unsigned field;

    *w = (struct witness){ .basis = basis_at(0) };
    blank_line_ends(bytes, size);
    json_begin(json, (struct text){ bytes, size });
    TRY(json_open(json, '{', "a witness, which is an object", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_field(json, field, w, err));
    }
    TRY(check_fields(json, w, &fields, err));
    return json_end(json, err);
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
