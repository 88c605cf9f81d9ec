#include "audit/witness_private.h"

#include <stdlib.h>

#include "base/json_writer.h"

static void begin(struct json_writer *json, const struct digest *log, enum level level,
                  const char *verdict)
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(log, hex);
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

static void add_states(struct json_writer *json, const struct plan *plan,
                       const struct witness_execution *x)
{
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
}

static enum status add_absent(struct json_writer *json, const struct plan *plan,
                              const struct witness_execution *x, struct error *err)
{
    uint8_t *is_there = calloc(plan->txns.count + 1, 1);

    if (!is_there)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    for (uint32_t i = 0; i < x->count; i++)
        is_there[x->txns[i].txn] = 1;
    for (uint32_t i = 0; i < plan->txns.count; i++)
        if (!is_there[i])
            json_writer_int64(json, NULL, id_of(plan, i));
    free(is_there);
    return STATUS_OK;
}

/* What sequences gave to each of those that asked. */
static void add_numbers(struct json_writer *json, const struct plan *plan,
                        const struct witness_execution *x)
{
    int64_t value;

    for (uint32_t i = 0; i < x->count && plan->numbers->all.count > 0; i++) {
        uint32_t txn = x->txns[i].txn;

        if (!numbers_find(plan->numbers, txn, 0, &value))
            continue;
        json_writer_open(json, NULL, '[');
        json_writer_int64(json, NULL, id_of(plan, txn));
        for (uint32_t k = 0; numbers_find(plan->numbers, txn, k, &value); k++)
            json_writer_int64(json, NULL, value);
        json_writer_close(json, ']');
    }
}

/* --- Rows ------------------------------------------------------------------------------------------- */

/* The columns that are not null; `value` is room for a text. */
static void put_row(struct buffer *out, const struct schema_table *table, const struct datum *cells,
                    struct buffer *value)
{
    const char *before = "";

    buffer_byte(out, '{');
    for (uint16_t i = 0; i < table->column_count; i++) {
        if (datum_is_null(&cells[i]))
            continue;
        buffer_clear(value);
        datum_print(&cells[i], value);
        buffer_text(out, text_of(before));
        buffer_json(out, table->columns[i].name);
        buffer_byte(out, ':');
        buffer_json(out, (struct text){ value->at ? value->at : "", value->count });
        before = ",";
    }
    buffer_byte(out, '}');
}

enum status witness_put_tables(struct buffer *out, const struct plan *plan, const struct rows *rows,
                               struct error *err)
{
    const struct schema *schema = &plan->program->tree.schema;
    const row_list *all = audit_rows_all(rows);
    struct buffer value = { 0 };
    enum status status;

    for (uint32_t t = 0; t < schema->table_count; t++) {
        const char *before = "";

        buffer_text(out, t > 0 ? TEXT(",") : TEXT("{"));
        buffer_json(out, schema->tables[t].name);
        buffer_text(out, TEXT(":["));
        for (size_t i = 0; i < all->count; i++) {
            const struct row_version *v = audit_rows_visible(all->at[i], STATE_NEWEST);

            if (all->at[i]->table != t || !v || !v->cells)
                continue;
            buffer_text(out, text_of(before));
            put_row(out, &schema->tables[t], v->cells, &value);
            before = ",";
        }
        buffer_byte(out, ']');
    }
    buffer_text(out, schema->table_count > 0 ? TEXT("}") : TEXT("{}"));
    status = buffer_status(&value, err);
    buffer_close(&value);
    return status == STATUS_OK ? buffer_status(out, err) : status;
}

/* --- The whole -------------------------------------------------------------------------------------- */

void witness_parts_close(struct witness_parts *parts)
{
    buffer_close(&parts->order);
    buffer_close(&parts->states);
    buffer_close(&parts->absent);
    buffer_close(&parts->numbers);
    buffer_close(&parts->initial);
}

static struct json_writer writer_behind(struct buffer *out)
{
    return (struct json_writer){ .out = out, .needs_comma = out->count > 0 };
}

enum status witness_add(struct witness_parts *parts, const struct plan *plan,
                        const struct witness_execution *x, struct error *err)
{
    struct json_writer order = writer_behind(&parts->order);
    struct json_writer states = writer_behind(&parts->states);
    struct json_writer numbers = writer_behind(&parts->numbers);

    for (uint32_t i = 0; i < x->count; i++)
        json_writer_int64(&order, NULL, id_of(plan, x->txns[i].txn));
    if (x->mode != RUN_AT_PLACE)
        add_states(&states, plan, x);
    add_numbers(&numbers, plan, x);
    TRY(buffer_status(&parts->order, err));
    TRY(buffer_status(&parts->states, err));
    return buffer_status(&parts->numbers, err);
}

enum status witness_add_absent(struct witness_parts *parts, const struct plan *plan,
                               const struct witness_execution *x, struct error *err)
{
    struct json_writer absent = writer_behind(&parts->absent);

    TRY(add_absent(&absent, plan, x, err));
    return buffer_status(&parts->absent, err);
}

static const char *model_of(enum run_mode mode)
{
    return audit_model_name(mode == RUN_LOCKING     ? AUDIT_RC_LOCKING
                            : mode == RUN_STATEMENT ? AUDIT_RC_STATEMENT
                                                    : AUDIT_RC_PAPER);
}

static void put_list(struct json_writer *json, const char *name, const struct buffer *elements)
{
    json_writer_open(json, name, '[');
    if (elements->count > 0)
        buffer_text(json->out, (struct text){ elements->at, elements->count });
    json_writer_close(json, ']');
}

/* Of an object that stands there already. */
static void put_object(struct json_writer *json, const char *name, const struct buffer *object)
{
    json_writer_open(json, name, '{');
    buffer_text(json->out, (struct text){ object->at + 1, object->count - 2 });
    json_writer_close(json, '}');
}

enum status witness_put_valid(struct buffer *out, const struct digest *log,
                              const struct witness_execution *x, const struct witness_parts *parts,
                              struct error *err)
{
    struct json_writer json = { .out = out };

    begin(&json, log, x->level, "valid");
    if (x->mode == RUN_SNAPSHOT)
        json_writer_text(&json, "first-committer", x->is_by_version ? "version" : "value");
    else if (x->mode != RUN_AT_PLACE)
        json_writer_text(&json, "model", model_of(x->mode));
    if (parts->initial.count > 0)
        put_object(&json, "initial", &parts->initial);
    put_list(&json, "order", &parts->order);
    if (x->mode != RUN_AT_PLACE)
        put_list(&json, "states", &parts->states);
    if (parts->absent.count > 0)
        put_list(&json, "absent", &parts->absent);
    if (parts->numbers.count > 0)
        put_list(&json, "numbers", &parts->numbers);
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
                                const struct witness_core *core, struct error *err)
{
    struct json_writer json = { .out = out };

    begin(&json, &plan->log->digest, level, "invalid");
    if (level == LEVEL_READ_COMMITTED)
        json_writer_text(&json, "model", audit_model_name(model));
    json_writer_open(&json, "transactions", '[');
    for (uint32_t i = 0; i < (core->count > 0 ? core->count : plan->txns.count); i++)
        json_writer_int64(&json, NULL, id_of(plan, core->count > 0 ? core->txns[i] : i));
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
