#include "verify/calls/audit_witness_private.h"

#include <string.h>

#define WITNESS_VERSION 1

enum witness_field {
    FIELD_FORMAT,
    FIELD_LOG,
    FIELD_LEVEL,
    FIELD_MODEL,
    FIELD_VERDICT,
    FIELD_FIRST,
    FIELD_ORDER,
    FIELD_STATES,
    FIELD_ABSENT,
    FIELD_CORE,
    FIELD_NUMBERS,
    FIELD_INITIAL,
    FIELD_WRONG,
    FIELD_TABLE,
    FIELD_NUMBER,
};

static const char *const field_names[] = { "ordeal-audit", "log",    "level",  "model",
                                           "verdict",      "first-committer", "order", "states",
                                           "absent",       "transactions", "numbers", "initial", "wrong", "table" };

/* --- Pieces ------------------------------------------------------------------------------- */

static enum status read_id(struct json *json, int64_t *id, struct error *err)
{
    TRY(json_integer(json, "the number of a transaction", id, err));
    return *id < 0 ? json_refuse_token(json, err, "transactions are numbered from 0") : STATUS_OK;
}

static enum status read_state(struct json *json, int64_t *state, struct error *err)
{
    TRY(json_integer(json, "a state: how many transactions of the order are in it", state, err));
    return *state < 0 || *state >= UINT32_MAX
               ? json_refuse_token(json, err, "there is no such state")
               : STATUS_OK;
}

#define READ_IDS(json, list, err)                                                                  \
    do {                                                                                           \
        bool more_ids;                                                                             \
        int64_t one_id;                                                                            \
        TRY(json_open(json, '[', "an array of transactions", err));                                \
        for (size_t id_place = 0;; id_place++) {                                                   \
            TRY(json_element(json, id_place, &more_ids, err));                                     \
            if (!more_ids)                                                                         \
                break;                                                                             \
            TRY(read_id(json, &one_id, err));                                                      \
            TRY(array_push(list, one_id, err));                                                    \
        }                                                                                          \
    } while (0)

/* {"account/3":9,"":12} */
static enum status read_rows(struct audit_witness *w, struct witnessed_state *state, struct error *err)
{
    struct json *json = &w->json;
    bool has_rest = false;

    state->exception = (uint32_t)w->rows.count;
    TRY(json_open(json, '{', "states by rows", err));
    for (size_t n = 0;; n++) {
        struct witnessed_row row;

        TRY(json_field(json, n, &row.name, err));
        if (!row.name.at)
            break;
        TRY(read_state(json, &row.state, err));
        if (row.name.length > 0) {
            TRY(array_push(&w->rows, row, err));
            continue;
        }
        if (has_rest)
            return json_refuse_token(json, err, "\"\" stands here twice");
        has_rest = true;
        state->state = row.state;
    }
    state->exception_count = (uint32_t)w->rows.count - state->exception;
    return has_rest ? STATUS_OK : json_refuse_token(json, err, "\"\" is missing: the state of all other rows");
}

/* [id,s,s,...] */
static enum status read_seen(struct audit_witness *w, struct error *err)
{
    struct witnessed_txn seen = { .state = (uint32_t)w->states.count };
    struct json *json = &w->json;
    bool more;

    TRY(json_open(json, '[', "a transaction with its states", err));
    TRY(read_id(json, &seen.id, err));
    for (size_t n = 1;; n++) {
        struct witnessed_state state = { .state = 0 };

        TRY(json_element(json, n, &more, err));
        if (!more)
            break;
        if (json_peek(json) == '{')
            TRY(read_rows(w, &state, err));
        else
            TRY(read_state(json, &state.state, err));
        if (w->states.count >= UINT32_MAX || w->rows.count >= UINT32_MAX)
            return json_refuse_token(json, err, "too many states");
        TRY(array_push(&w->states, state, err));
    }
    seen.count = (uint32_t)w->states.count - seen.state;
    return array_push(&w->seen, seen, err);
}

static enum status read_states(struct audit_witness *w, struct error *err)
{
    bool more;

    TRY(json_open(&w->json, '[', "an array of transactions with their states", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(&w->json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_seen(w, err));
    }
}

/* [[id,n,n,...],...] */
static enum status read_numbers(struct audit_witness *w, struct error *err)
{
    struct json *json = &w->json;
    bool more;

    TRY(json_open(json, '[', "an array of transactions with numbers", err));
    for (size_t n = 0;; n++) {
        struct witnessed_numbers numbers = { .first = (uint32_t)w->given.count };
        int64_t value;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(json_open(json, '[', "a transaction with its numbers", err));
        TRY(read_id(json, &numbers.id, err));
        for (size_t i = 1;; i++) {
            TRY(json_element(json, i, &more, err));
            if (!more)
                break;
            TRY(json_integer(json, "a number of a sequence", &value, err));
            if (w->given.count >= UINT32_MAX)
                return json_refuse_token(json, err, "too many numbers");
            TRY(array_push(&w->given, value, err));
        }
        numbers.count = (uint32_t)w->given.count - numbers.first;
        TRY(array_push(&w->numbers, numbers, err));
    }
}

/* --- Fields ---------------------------------------------------------------------------------- */

static enum status read_level(struct audit_witness *w, struct error *err)
{
    static const char *const levels[] = { "serializable",    "strict-serializable", "snapshot",
                                          "strict-snapshot", "read-committed",      NULL };
    unsigned number;

    TRY(json_one_of(&w->json, levels, "a level of audits", &number, err));
    w->level = number;
    w->level_name = text_of(levels[number]);
    return STATUS_OK;
}

static enum status read_log(struct audit_witness *w, struct error *err)
{
    TRY(json_string(&w->json, "the digest of the log", &w->log, err));
    if (w->log.length != 64)
        return json_refuse_token(&w->json, err, "a digest has 64 hex digits");
    for (size_t i = 0; i < w->log.length; i++)
        if (!memchr("0123456789abcdef", w->log.at[i], 16))
            return json_refuse_token(&w->json, err, "a digest has hex digits in lower case");
    return STATUS_OK;
}

/* Rows as --initial takes them. */
static enum status read_initial(struct audit_witness *w, struct error *err)
{
    const char *from;
    struct source source;
    enum status status;

    json_peek(&w->json);
    from = w->json.at;
    TRY(json_skip(&w->json, err));
    TRY(source_open_memory(&source, "the initial rows", from, (size_t)(w->json.at - from), err));
    status = arena_init(&w->initial.arena, ARENA_UNLIMITED, err);
    if (status == STATUS_OK)
        status = call_log_read_rows(&w->initial, &source, err);
    source_close(&source);
    w->has_initial = true;
    return status;
}

/* For people, but for the transaction that it names. */
static enum status read_wrong(struct audit_witness *w, struct error *err)
{
    TRY(json_open(&w->json, '{', "the wrong answer, which is an object", err));
    for (size_t n = 0;; n++) {
        struct text name;

        TRY(json_field(&w->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        if (!text_equal(name, TEXT("txn"))) {
            TRY(json_skip(&w->json, err));
            continue;
        }
        w->has_wrong = true;
        TRY(json_integer(&w->json, "a transaction", &w->wrong_txn, err));
    }
}

static enum status read_field(struct audit_witness *w, enum witness_field field, struct error *err)
{
    static const char *const models[] = { "locking", "statement", "paper", NULL };
    static const char *const verdicts[] = { "invalid", "valid", NULL };
    static const char *const rules[] = { "version", "value", NULL };
    unsigned number;
    int64_t version;

    switch (field) {
    case FIELD_FORMAT:
        TRY(json_integer(&w->json, "the version of the format", &version, err));
        return version == WITNESS_VERSION
                   ? STATUS_OK
                   : json_refuse_token(&w->json, err, "only version 1 of this format is known");
    case FIELD_LOG:
        return read_log(w, err);
    case FIELD_LEVEL:
        return read_level(w, err);
    case FIELD_MODEL:
        TRY(json_one_of(&w->json, models, "a model of read-committed", &number, err));
        w->model = number;
        return STATUS_OK;
    case FIELD_VERDICT:
        TRY(json_one_of(&w->json, verdicts, "a verdict: \"valid\" or \"invalid\"", &number, err));
        w->is_valid = number == 1;
        return STATUS_OK;
    case FIELD_FIRST:
        TRY(json_one_of(&w->json, rules, "a rule: \"version\" or \"value\"", &number, err));
        w->by_value = number == 1;
        return STATUS_OK;
    case FIELD_ORDER:
        READ_IDS(&w->json, &w->order, err);
        return STATUS_OK;
    case FIELD_STATES:
        return read_states(w, err);
    case FIELD_ABSENT:
        READ_IDS(&w->json, &w->absent, err);
        return STATUS_OK;
    case FIELD_CORE:
        READ_IDS(&w->json, &w->core, err);
        return STATUS_OK;
    case FIELD_NUMBERS:
        return read_numbers(w, err);
    case FIELD_INITIAL:
        return read_initial(w, err);
    case FIELD_WRONG:
        return read_wrong(w, err);
    default:
        return json_skip(&w->json, err); /* for people */
    }
}

/* Which fields there must be, and which there must not. */
static enum status check_fields(struct audit_witness *w, uint32_t seen, struct error *err)
{
    uint32_t needed = 1u << FIELD_FORMAT | 1u << FIELD_LOG | 1u << FIELD_LEVEL | 1u << FIELD_VERDICT;
    uint32_t allowed;

    if (seen >> FIELD_LEVEL & 1 && w->level == AUDITED_READ_COMMITTED)
        needed |= 1u << FIELD_MODEL;
    if (!w->is_valid) {
        needed |= 1u << FIELD_CORE;
        allowed = needed | 1u << FIELD_WRONG | 1u << FIELD_TABLE;
    } else {
        needed |= 1u << FIELD_ORDER;
        if (!audited_at_serial_level(w))
            needed |= 1u << FIELD_STATES;
        if (audited_at_snapshot_level(w))
            needed |= 1u << FIELD_FIRST;
        allowed = needed | 1u << FIELD_ABSENT | 1u << FIELD_NUMBERS | 1u << FIELD_INITIAL;
    }
    for (unsigned i = 0; i < FIELD_NUMBER; i++) {
        if (needed >> i & 1 && !(seen >> i & 1))
            return json_refuse_token(&w->json, err, "the field \"%s\" is missing", field_names[i]);
        if (seen >> i & 1 && !(allowed >> i & 1))
            return json_refuse_token(&w->json, err, "the field \"%s\" does not belong here",
                                     field_names[i]);
    }
    return STATUS_OK;
}

/* Strings that had escapes are decoded into one buffer for the whole witness, which does not move. */
enum status audit_witness_read(char *bytes, size_t size, struct audit_witness *w, struct error *err)
{
    uint32_t seen = 0;

    *w = (struct audit_witness){ .is_valid = false };
    json_blank_line_ends(bytes, size);
    json_begin(&w->json, (struct text){ bytes, size });
    TRY(json_open(&w->json, '{', "a witness, which is an object", err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field = 0;

        TRY(json_field(&w->json, n, &name, err));
        if (!name.at)
            break;
        while (field < FIELD_NUMBER && !text_equal(name, text_of(field_names[field])))
            field++;
        if (field == FIELD_NUMBER)
            return json_refuse_token(&w->json, err, "unknown field \"%.*s\"", TEXT_PRINT(name));
        if (seen >> field & 1)
            return json_refuse_token(&w->json, err, "\"%s\" stands here twice", field_names[field]);
        seen |= 1u << field;
        TRY(read_field(w, field, err));
    }
    TRY(check_fields(w, seen, err));
    return json_end(&w->json, err);
}

void audit_witness_close(struct audit_witness *w)
{
    array_close(&w->order);
    array_close(&w->absent);
    array_close(&w->core);
    array_close(&w->seen);
    array_close(&w->states);
    array_close(&w->rows);
    array_close(&w->numbers);
    array_close(&w->given);
    call_log_close(&w->initial);
    json_close(&w->json);
}
