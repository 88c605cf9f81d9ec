#include "audit/witness_private.h"

#include <stdlib.h>

#include "base/json_writer.h"

static void begin(struct json_writer *json, const struct plan *plan, enum level level,
                  const char *verdict)
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&plan->log->digest, hex);
    json_writer_open(json, NULL, '{');
    json_writer_number(json, "ordeal-audit", 1);
    json_writer_text(json, "log", hex);
    json_writer_text(json, "level", level_name(level));
    json_writer_text(json, "verdict", verdict);
}

static int64_t id_of(const struct plan *plan, uint32_t txn)
{
    return plan->txns.at[txn].logged->id;
}

static void put_escaped(struct buffer *out, struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '/' || text.at[i] == '\\')
            buffer_byte(out, '\\');
        buffer_byte(out, text.at[i]);
    }
}

/* "account/3" */
static void put_row_name(struct buffer *out, const struct plan *plan, const struct stored_row *row)
{
    const struct schema_table *table = &plan->program->tree.schema.tables[row->table];
    struct buffer value = { 0 };

    put_escaped(out, table->name);
    for (uint16_t i = 0; i < table->key.count; i++) {
        buffer_clear(&value);
        datum_print(&row->like[table->key.at[i]], &value);
        buffer_byte(out, '/');
        put_escaped(out, (struct text){ value.at ? value.at : "", value.count });
    }
    buffer_close(&value);
}

/* Rows of several states. */
static void put_rows(struct json_writer *json, const struct plan *plan,
                     const struct witness_txn *t, uint32_t from, uint32_t to)
{
    struct buffer name = { 0 };

    json_writer_open(json, NULL, '{');
    for (uint32_t i = from; i < to; i++) {
        buffer_clear(&name);
        put_row_name(&name, plan, t->choices[i].row);
        buffer_byte(&name, '\0');
        json_writer_number(json, name.at, t->choices[i].state);
    }
    json_writer_number(json, "", t->state);
    json_writer_close(json, '}');
    buffer_close(&name);
}

static void put_statements(struct json_writer *json, const struct plan *plan,
                           const struct witness_execution *x, const struct witness_txn *t)
{
    uint32_t at = 0, state = x->mode == RUN_LOCKING && t->choice_count > 0 ? 0 : t->state;

    for (uint32_t i = 0; i < t->statements; i++) {
        uint32_t from = at;

        while (at < t->choice_count && t->choices[at].statement == i)
            at++;
        if (at > from && t->choices[from].row) {
            put_rows(json, plan, t, from, at);
            continue;
        }
        if (at > from)
            state = t->choices[from].state;
        json_writer_number(json, NULL, state);
        if (x->mode != RUN_LOCKING)
            state = t->state;
    }
}

static void put_states(struct json_writer *json, const struct plan *plan,
                       const struct witness_execution *x)
{
    json_writer_open(json, "states", '[');
    for (uint32_t i = 0; i < x->count; i++) {
        const struct witness_txn *t = &x->txns[i];

        json_writer_open(json, NULL, '[');
        json_writer_int64(json, NULL, id_of(plan, t->txn));
        if (x->mode == RUN_SNAPSHOT)
            json_writer_number(json, NULL, t->choice_count > 0 ? t->choices[0].state : t->state);
        else
            put_statements(json, plan, x, t);
        json_writer_close(json, ']');
    }
    json_writer_close(json, ']');
}

static enum status put_absent(struct json_writer *json, const struct plan *plan,
                              const struct witness_execution *x, struct error *err)
{
    uint8_t *is_there = calloc(plan->txns.count + 1, 1);

    if (!is_there)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    for (uint32_t i = 0; i < x->count; i++)
        is_there[x->txns[i].txn] = 1;
    json_writer_open(json, "absent", '[');
    for (uint32_t i = 0; i < plan->txns.count; i++)
        if (!is_there[i])
            json_writer_int64(json, NULL, id_of(plan, i));
    json_writer_close(json, ']');
    free(is_there);
    return STATUS_OK;
}

static const char *model_of(enum run_mode mode)
{
    return audit_model_name(mode == RUN_LOCKING     ? AUDIT_RC_LOCKING
                            : mode == RUN_STATEMENT ? AUDIT_RC_STATEMENT
                                                    : AUDIT_RC_PAPER);
}

enum status witness_put_valid(struct buffer *out, const struct plan *plan,
                              const struct witness_execution *x, struct error *err)
{
    struct json_writer json = { .out = out };

    begin(&json, plan, x->level, "valid");
    if (x->mode == RUN_SNAPSHOT)
        json_writer_text(&json, "first-committer", x->is_by_version ? "version" : "value");
    else if (x->mode != RUN_AT_PLACE)
        json_writer_text(&json, "model", model_of(x->mode));
    json_writer_open(&json, "order", '[');
    for (uint32_t i = 0; i < x->count; i++)
        json_writer_int64(&json, NULL, id_of(plan, x->txns[i].txn));
    json_writer_close(&json, ']');
    if (x->mode != RUN_AT_PLACE)
        put_states(&json, plan, x);
    if (plan->has_unknown)
        TRY(put_absent(&json, plan, x, err));
    json_writer_close(&json, '}');
    return buffer_status(out, err);
}

static void put_table(struct json_writer *json, const struct audit_wrong *wrong)
{
    json_writer_open(json, "table", '[');
    for (size_t i = 0; i < wrong->candidates.count; i++) {
        const struct audit_candidate *c = &wrong->candidates.at[i];

        json_writer_open(json, NULL, '{');
        json_writer_int64(json, "after", c->after);
        json_writer_text(json, "expected", c->expected);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

enum status witness_put_invalid(struct buffer *out, const struct plan *plan, enum level level,
                                enum audit_model model, const struct audit_wrong *wrong,
                                struct error *err)
{
    struct json_writer json = { .out = out };

    begin(&json, plan, level, "invalid");
    if (level == LEVEL_READ_COMMITTED)
        json_writer_text(&json, "model", audit_model_name(model));
    json_writer_open(&json, "transactions", '[');
    for (uint32_t i = 0; i < plan->txns.count; i++)
        json_writer_int64(&json, NULL, id_of(plan, i));
    json_writer_close(&json, ']');
    if (wrong->is_there) {
        json_writer_open(&json, "wrong", '{');
        json_writer_int64(&json, "txn", wrong->txn);
        json_writer_number(&json, "statement", wrong->statement);
        json_writer_text(&json, "answered", wrong->answered);
        json_writer_close(&json, '}');
        put_table(&json, wrong);
    }
    json_writer_close(&json, '}');
    return buffer_status(out, err);
}
