#include "audit/from_history.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/json_writer.h"
#include "history/call_log_write.h"
#include "history/tables.h"
#include "programs/values/datum.h"

#define SCALE_NONE (-1)

struct converter {
    const struct history *h;
    struct intern tables; /* names, with the numbers that the history has */
    struct json_writer statements, answers; /* of the transaction at hand */
    struct buffer statement_bytes, answer_bytes;
    struct buffer sql, parameters, scratch; /* of the statement at hand */
    unsigned parameter_count;
};

/* --- Names and values ------------------------------------------------------------------------- */

static void put_name(struct buffer *out, struct text name)
{
    buffer_byte(out, '"');
    for (size_t i = 0; i < name.length; i++) {
        if (name.at[i] == '"')
            buffer_byte(out, '"');
        buffer_byte(out, name.at[i]);
    }
    buffer_byte(out, '"');
}

static uint32_t width_of(const struct history *h, uint32_t table)
{
    return h->table_column_start[table + 1] - h->table_column_start[table];
}

static uint32_t key_width_of(const struct history *h, uint32_t table)
{
    return h->table_key_start[table + 1] - h->table_key_start[table];
}

static struct text column_name(const struct history *h, uint32_t table, uint32_t column)
{
    return history_text(h, h->table_column_name[h->table_column_start[table] + column]);
}

static struct text column_type(const struct history *h, uint32_t table, uint32_t column)
{
    return history_text(h, h->table_column_type[h->table_column_start[table] + column]);
}

static uint32_t key_column(const struct history *h, uint32_t table, uint32_t part)
{
    return h->table_key_column[h->table_key_start[table] + part];
}

static bool is_key(const struct history *h, uint32_t table, uint32_t column)
{
    for (uint32_t i = 0; i < key_width_of(h, table); i++)
        if (key_column(h, table, i) == column)
            return true;
    return false;
}

static void put_table(struct converter *c, uint32_t table)
{
    put_name(&c->sql, history_text(c->h, c->h->table_name[table]));
}

/* The digits behind the point: of numeric(12,2), 2. */
static int scale_of(struct text type)
{
    const char *comma = tables_type_is_numeric(type) ? memchr(type.at, ',', type.length) : NULL;
    int scale = 0;

    if (!tables_type_is_numeric(type))
        return SCALE_NONE;
    if (!comma)
        return memchr(type.at, '(', type.length) ? 0 : SCALE_NONE;
    for (comma++; comma < type.at + type.length && *comma >= '0' && *comma <= '9' && scale < 100; comma++)
        scale = scale * 10 + (*comma - '0');
    return scale;
}

/* As PostgreSQL prints it: with all digits of its scale. */
static void put_numeric(struct buffer *out, struct text digits, int scale)
{
    const char *point = digits.length > 0 ? memchr(digits.at, '.', digits.length) : NULL;
    size_t behind = point ? (size_t)(digits.at + digits.length - point - 1) : 0;

    buffer_text(out, digits);
    if (scale <= 0)
        return;
    if (!point)
        buffer_byte(out, '.');
    for (; behind < (size_t)scale; behind++)
        buffer_byte(out, '0');
}

static void put_list(struct buffer *out, const struct history *h, uint64_t list)
{
    buffer_byte(out, '{');
    for (uint64_t i = h->list_start[list]; i < h->list_start[list + 1]; i++) {
        if (i > h->list_start[list])
            buffer_byte(out, ',');
        buffer_int64(out, h->list_element[i]);
    }
    buffer_byte(out, '}');
}

/* The value as an element of an array of JSON; `type` is empty for the value of an aggregate. */
static void write_value(struct converter *c, struct json_writer *json, struct text type,
                        struct value value)
{
    struct buffer *out = &c->scratch;

    if (value.kind == VALUE_NULL || value.kind == VALUE_NONE) {
        json_writer_null(json, NULL);
        return;
    }
    buffer_clear(out);
    if (value.kind == VALUE_INTEGER && text_equal(type, TEXT("timestamp"))) {
        struct datum time = datum_of_timestamp(value.bits);

        datum_print(&time, out);
    } else if (value.kind == VALUE_INTEGER) {
        buffer_int64(out, value.bits);
    } else if (value.kind == VALUE_BOOLEAN) {
        buffer_byte(out, value.bits ? 't' : 'f');
    } else if (value.kind == VALUE_LIST) {
        put_list(out, c->h, (uint64_t)value.bits);
    } else {
        put_numeric(out, history_text(c->h, (uint32_t)value.bits), scale_of(type));
    }
    json_writer_string(json, NULL, (struct text){ out->count ? out->at : "", out->count });
}

/* --- Rows ------------------------------------------------------------------------------------- */

static struct value cell_of(const struct history *h, uint32_t table, uint64_t row, uint32_t column)
{
    uint32_t shape = h->row_shape[row], first = h->shape_start[shape];
    uint32_t name = h->table_column_name[h->table_column_start[table] + column];
    uint32_t end = h->shape_start[shape + 1], at = first + column; /* where it mostly is */
    uint64_t cell;

    if (at >= end || h->shape_column_name[at] != name)
        for (at = first; at < end && h->shape_column_name[at] != name; at++)
            ;
    if (at == end)
        return (struct value){ VALUE_NULL, 0 };
    cell = h->row_start[row] + (at - first);
    return (struct value){ h->cell_kind[cell], h->cell_value[cell] };
}

/* The columns' values. */
static void write_row(struct converter *c, struct json_writer *json, uint32_t table, uint64_t row)
{
    json_writer_open(json, NULL, '[');
    for (uint32_t i = 0; i < width_of(c->h, table); i++)
        write_value(c, json, column_type(c->h, table, i), cell_of(c->h, table, row, i));
    json_writer_close(json, ']');
}

/* The parts of a key: t/7/a%2Fb. */
static void write_key(struct converter *c, struct json_writer *json, uint32_t table, uint32_t key)
{
    struct text rest = history_key(c->h, key);
    uint32_t part = 0;

    while (rest.length > 0 && *rest.at != '/')
        rest = (struct text){ rest.at + 1, rest.length - 1 };
    for (; rest.length > 0; part++) {
        struct text type = column_type(c->h, table, key_column(c->h, table, part));
        struct buffer *out = &c->scratch;
        int64_t ns = 0;
        size_t i = 1;

        buffer_clear(out);
        for (; i < rest.length && rest.at[i] != '/'; i++) {
            bool is_escaped = rest.at[i] == '%' && i + 2 < rest.length;

            if (is_escaped)
                buffer_byte(out, rest.at[i + 2] == 'F' ? '/' : '%');
            else
                buffer_byte(out, rest.at[i]);
            i += is_escaped ? 2 : 0;
        }
        if (text_equal(type, TEXT("timestamp")) &&
            text_to_int64((struct text){ out->at, out->count }, &ns))
            write_value(c, json, type, (struct value){ VALUE_INTEGER, ns });
        else if (text_equal(type, TEXT("boolean")))
            write_value(c, json, type, (struct value){ VALUE_BOOLEAN, out->count > 0 && out->at[0] == 't' });
        else
            json_writer_string(json, NULL, (struct text){ out->count ? out->at : "", out->count });
        rest = (struct text){ rest.at + i, rest.length - i };
    }
}

/* --- Statements ------------------------------------------------------------------------------- */

static struct json_writer begin_statement(struct converter *c)
{
    buffer_clear(&c->sql);
    buffer_clear(&c->parameters);
    c->parameter_count = 0;
    return (struct json_writer){ .out = &c->parameters };
}

static void end_statement(struct converter *c)
{
    struct json_writer *json = &c->statements;

    json_writer_open(json, NULL, '{');
    json_writer_string(json, "sql", (struct text){ c->sql.at, c->sql.count });
    if (c->parameter_count > 0) {
        json_writer_open(json, "parameters", '[');
        buffer_text(json->out, (struct text){ c->parameters.at, c->parameters.count });
        json_writer_close(json, ']');
    }
    json_writer_close(json, '}');
}

static void put_parameter(struct converter *c)
{
    buffer_print(&c->sql, "$%u", ++c->parameter_count);
}

/* Between the elements of a list; the first has nothing before it. */
static void put_between(struct converter *c, bool is_first, const char *between)
{
    if (!is_first)
        buffer_text(&c->sql, text_of(between));
}

static void put_column(struct converter *c, uint32_t table, uint32_t column)
{
    put_name(&c->sql, column_name(c->h, table, column));
}

static void put_columns(struct converter *c, uint32_t table)
{
    for (uint32_t i = 0; i < width_of(c->h, table); i++) {
        put_between(c, i == 0, ", ");
        put_column(c, table, i);
    }
}

static void put_key_columns(struct converter *c, uint32_t table)
{
    for (uint32_t i = 0; i < key_width_of(c->h, table); i++) {
        put_between(c, i == 0, ", ");
        put_column(c, table, key_column(c->h, table, i));
    }
}

/* WHERE "id" = $1 AND ... */
static void put_where_key(struct converter *c, struct json_writer *parameters, uint32_t table,
                          uint32_t key)
{
    buffer_text(&c->sql, TEXT(" WHERE "));
    for (uint32_t i = 0; i < key_width_of(c->h, table); i++) {
        put_between(c, i == 0, " AND ");
        put_column(c, table, key_column(c->h, table, i));
        buffer_text(&c->sql, TEXT(" = "));
        put_parameter(c);
    }
    write_key(c, parameters, table, key);
}

/* Whether SET names the column: all but those of the key, or if there are no others, these. */
static bool is_set(const struct history *h, uint32_t table, uint32_t column)
{
    return width_of(h, table) == key_width_of(h, table) || !is_key(h, table, column);
}

static void put_lock(struct converter *c, uint8_t flags)
{
    if (flags & OP_LOCK_UPDATE)
        buffer_text(&c->sql, TEXT(" FOR UPDATE"));
    else if (flags & OP_LOCK_SHARE)
        buffer_text(&c->sql, TEXT(" FOR SHARE"));
}

static void put_where(struct converter *c, uint32_t where)
{
    if (where == HISTORY_NONE)
        return;
    buffer_text(&c->sql, TEXT(" WHERE "));
    buffer_text(&c->sql, history_text(c->h, where));
}

static void answer_nothing(struct converter *c)
{
    json_writer_null(&c->answers, NULL);
}

static void answer_count(struct converter *c, uint64_t count)
{
    json_writer_open(&c->answers, NULL, '{');
    json_writer_number(&c->answers, "count", count);
    json_writer_close(&c->answers, '}');
}

static void begin_rows(struct converter *c)
{
    json_writer_open(&c->answers, NULL, '{');
    json_writer_open(&c->answers, "rows", '[');
}

static void end_rows(struct converter *c)
{
    json_writer_close(&c->answers, ']');
    json_writer_close(&c->answers, '}');
}

static void convert_read(struct converter *c, uint32_t op, uint32_t table)
{
    struct json_writer parameters = begin_statement(c);
    struct value value = history_value(c->h, op);

    buffer_text(&c->sql, TEXT("SELECT "));
    put_columns(c, table);
    buffer_text(&c->sql, TEXT(" FROM "));
    put_table(c, table);
    put_where_key(c, &parameters, table, c->h->op_key[op]);
    put_lock(c, c->h->op_flags[op]);
    end_statement(c);
    if (value.kind == VALUE_NONE) {
        answer_nothing(c);
        return;
    }
    begin_rows(c);
    if (value.kind == VALUE_ROW)
        write_row(c, &c->answers, table, (uint64_t)value.bits);
    end_rows(c);
}

/* `count`: 1 if the row must be there, -1 if nobody knows whether it is. */
static void convert_remove(struct converter *c, uint32_t op, uint32_t table, int count)
{
    struct json_writer parameters = begin_statement(c);

    buffer_text(&c->sql, TEXT("DELETE FROM "));
    put_table(c, table);
    put_where_key(c, &parameters, table, c->h->op_key[op]);
    end_statement(c);
    if (count < 0)
        answer_nothing(c);
    else
        answer_count(c, (uint64_t)count);
}

/* INSERT of so many rows, from this operation on; the statement is not ended. */
static void begin_insert(struct converter *c, uint32_t op, uint32_t table, uint32_t count)
{
    struct json_writer parameters = begin_statement(c);

    buffer_text(&c->sql, TEXT("INSERT INTO "));
    put_table(c, table);
    buffer_text(&c->sql, TEXT(" ("));
    put_columns(c, table);
    buffer_text(&c->sql, TEXT(") VALUES "));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t row = (uint64_t)history_value(c->h, op + i).bits;

        put_between(c, i == 0, ", ");
        for (uint32_t k = 0; k < width_of(c->h, table); k++) {
            buffer_text(&c->sql, k > 0 ? TEXT(", ") : TEXT("("));
            put_parameter(c);
            write_value(c, &parameters, column_type(c->h, table, k), cell_of(c->h, table, row, k));
        }
        buffer_byte(&c->sql, ')');
    }
}

static void convert_insert(struct converter *c, uint32_t op, uint32_t table, uint32_t count)
{
    begin_insert(c, op, table, count);
    end_statement(c);
    answer_count(c, count);
}

/* The row is there then, whether it was before or not. */
static void convert_write(struct converter *c, uint32_t op, uint32_t table)
{
    bool is_first = true;

    begin_insert(c, op, table, 1);
    buffer_text(&c->sql, TEXT(" ON CONFLICT ("));
    put_key_columns(c, table);
    buffer_text(&c->sql, TEXT(") DO UPDATE SET "));
    for (uint32_t i = 0; i < width_of(c->h, table); i++) {
        if (!is_set(c->h, table, i))
            continue;
        put_between(c, is_first, ", ");
        put_column(c, table, i);
        buffer_text(&c->sql, TEXT(" = excluded."));
        put_column(c, table, i);
        is_first = false;
    }
    end_statement(c);
    answer_count(c, 1);
}

/* Of a row that is there. */
static void convert_row_update(struct converter *c, uint32_t op, uint32_t table)
{
    struct json_writer parameters = begin_statement(c);
    uint64_t row = (uint64_t)history_value(c->h, op).bits;
    bool is_first = true;

    buffer_text(&c->sql, TEXT("UPDATE "));
    put_table(c, table);
    buffer_text(&c->sql, TEXT(" SET "));
    for (uint32_t i = 0; i < width_of(c->h, table); i++) {
        if (!is_set(c->h, table, i))
            continue;
        put_between(c, is_first, ", ");
        put_column(c, table, i);
        buffer_text(&c->sql, TEXT(" = "));
        put_parameter(c);
        write_value(c, &parameters, column_type(c->h, table, i), cell_of(c->h, table, row, i));
        is_first = false;
    }
    put_where_key(c, &parameters, table, c->h->op_key[op]);
    end_statement(c);
    answer_count(c, 1);
}

/* Which rows an UPDATE or DELETE found. */
static void convert_matches(struct converter *c, uint32_t head, uint32_t statement)
{
    const struct history *h = c->h;
    uint32_t table = h->statement_table[statement];

    (void)begin_statement(c);
    buffer_text(&c->sql, TEXT("SELECT "));
    put_key_columns(c, table);
    buffer_text(&c->sql, TEXT(" FROM "));
    put_table(c, table);
    put_where(c, h->statement_where[statement]);
    buffer_text(&c->sql, TEXT(" FOR UPDATE"));
    end_statement(c);
    begin_rows(c);
    for (uint32_t i = 1; i <= h->statement_row_count[statement]; i++) {
        json_writer_open(&c->answers, NULL, '[');
        write_key(c, &c->answers, table, h->op_key[head + i]);
        json_writer_close(&c->answers, ']');
    }
    end_rows(c);
}

static bool is_average(struct text name)
{
    return name.length >= 4 && memcmp(name.at, "avg(", 4) == 0;
}

static void convert_aggregates(struct converter *c, uint32_t statement)
{
    const struct history *h = c->h;
    uint32_t first = h->statement_aggregate_start[statement],
             end = h->statement_aggregate_start[statement + 1];
    bool is_exact = h->statement_flags[statement] & STATEMENT_ANSWERED;

    for (uint32_t i = first; i < end; i++) {
        if (i > first)
            buffer_text(&c->sql, TEXT(", "));
        buffer_text(&c->sql, history_text(h, h->aggregate_name[i]));
        is_exact = is_exact && !is_average(history_text(h, h->aggregate_name[i]));
    }
    if (!is_exact) {
        answer_nothing(c);
        return;
    }
    begin_rows(c);
    json_writer_open(&c->answers, NULL, '[');
    for (uint32_t i = first; i < end; i++)
        write_value(c, &c->answers, TEXT(""),
                    (struct value){ h->aggregate_kind[i], h->aggregate_value[i] });
    json_writer_close(&c->answers, ']');
    end_rows(c);
}

static void convert_select(struct converter *c, uint32_t head, uint32_t statement)
{
    const struct history *h = c->h;
    uint32_t table = h->statement_table[statement];
    uint8_t flags = h->statement_flags[statement];

    (void)begin_statement(c);
    buffer_text(&c->sql, TEXT("SELECT "));
    if (flags & STATEMENT_AGGREGATES) {
        convert_aggregates(c, statement);
    } else {
        put_columns(c, table);
        if (flags & STATEMENT_ANSWERED) {
            begin_rows(c);
            for (uint32_t i = 1; i <= h->statement_row_count[statement]; i++)
                write_row(c, &c->answers, table, (uint64_t)history_value(h, head + i).bits);
            end_rows(c);
        } else {
            answer_nothing(c);
        }
    }
    buffer_text(&c->sql, TEXT(" FROM "));
    put_table(c, table);
    put_where(c, h->statement_where[statement]);
    if (h->statement_order[statement] != HISTORY_NONE) {
        buffer_text(&c->sql, TEXT(" ORDER BY "));
        buffer_text(&c->sql, history_text(h, h->statement_order[statement]));
    }
    if (h->statement_limit[statement] >= 0)
        buffer_print(&c->sql, " LIMIT %" PRId64, h->statement_limit[statement]);
    put_lock(c, h->op_flags[head]);
    end_statement(c);
}

/* --- Transactions ----------------------------------------------------------------------------- */

static enum status refuse(const struct history *h, uint32_t txn, const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "transaction %" PRId64 ": %s: an audit is of statements on tables, and ordeal check judges the rest",
                     h->txn_id[txn], what);
}

static enum status convert_statement(struct converter *c, uint32_t txn, uint32_t op,
                                     struct error *err)
{
    const struct history *h = c->h;
    uint32_t statement = h->op_key[op], count = h->statement_row_count[statement];
    bool is_answered = h->statement_flags[statement] & STATEMENT_ANSWERED || count > 0;

    switch (h->op_kind[op]) {
    case OP_SELECT:
        convert_select(c, op, statement);
        return STATUS_OK;
    case OP_INSERT:
        if (count > 0)
            convert_insert(c, op + 1, h->statement_table[statement], count);
        return STATUS_OK;
    default: /* OP_UPDATE, OP_DELETE */
        if (!is_answered && h->txn_status[txn] == TXN_ABORT)
            return STATUS_OK;
        if (!is_answered)
            return refuse(h, txn, "nobody knows which rows an update or delete found", err);
        convert_matches(c, op, statement);
        for (uint32_t i = 1; i <= count; i++) {
            if (h->op_kind[op] == OP_UPDATE)
                convert_row_update(c, op + i, h->statement_table[statement]);
            else
                convert_remove(c, op + i, h->statement_table[statement], 1);
        }
        return STATUS_OK;
    }
}

/* The table that a key is a row of, or HISTORY_NONE. */
static uint32_t table_of_key(const struct converter *c, uint32_t key)
{
    struct text text = history_key(c->h, key);
    const char *slash = text.length > 0 ? memchr(text.at, '/', text.length) : NULL;
    uint32_t table = INTERN_NONE;

    if (slash)
        table = intern_find(&c->tables, (struct text){ text.at, (size_t)(slash - text.at) });
    return table == INTERN_NONE ? HISTORY_NONE : table;
}

static enum status convert_op(struct converter *c, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = c->h;
    uint8_t kind = h->op_kind[op];
    uint32_t table;

    if (h->op_flags[op] & OP_ERROR || op_is_row(kind))
        return STATUS_OK; /* without effect; or told with its head */
    if (op_is_head(kind))
        return convert_statement(c, txn, op, err);
    table = table_of_key(c, h->op_key[op]);
    if (table == HISTORY_NONE || kind == OP_APPEND)
        return refuse(h, txn, "an operation on an item that is no row", err);
    if (kind == OP_READ) {
        convert_read(c, op, table);
        return STATUS_OK;
    }
    if (kind == OP_WRITE)
        convert_write(c, op, table);
    else
        convert_remove(c, op, table, -1);
    return STATUS_OK;
}

static enum status convert_txn(struct converter *c, uint32_t txn, struct buffer *out,
                               struct error *err)
{
    const struct history *h = c->h;
    struct place ts = history_ts(h, txn);
    struct call_log_line line = { .txn = h->txn_id[txn],
                                  .session = h->session_id[h->txn_session[txn]],
                                  .status = h->txn_status[txn],
                                  .invoked_ns = TIME_NEVER,
                                  .completed_ns = TIME_NEVER,
                                  .ts_parts = ts.parts };

    buffer_clear(&c->statement_bytes);
    buffer_clear(&c->answer_bytes);
    c->statements = (struct json_writer){ .out = &c->statement_bytes };
    c->answers = (struct json_writer){ .out = &c->answer_bytes };
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        TRY(convert_op(c, txn, op, err));
    buffer_clear(&c->scratch);
    call_log_write_statements(&c->scratch, &c->statement_bytes, &c->answer_bytes);
    TRY(buffer_status(&c->scratch, err));
    line.call = (struct text){ c->scratch.at, c->scratch.count };
    for (unsigned i = 0; i < ts.parts; i++)
        line.ts[i] = ts.part[i];
    if (h->txn_invoked && h->txn_invoked[txn] != TIME_ABSENT)
        line.invoked_ns = h->txn_invoked[txn];
    if (h->txn_completed && h->txn_completed[txn] != TIME_ABSENT)
        line.completed_ns = h->txn_completed[txn];
    call_log_write_line(out, &line);
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

static void write_initial_row(struct converter *c, uint32_t table, uint64_t row, struct buffer *out)
{
    const struct history *h = c->h;

    buffer_text(out, out->count > 0 ? TEXT(",{") : TEXT("{"));
    for (uint32_t i = 0; i < width_of(h, table); i++) {
        struct json_writer json = { .out = out };

        if (i > 0)
            buffer_byte(out, ',');
        buffer_json(out, column_name(h, table, i));
        buffer_byte(out, ':');
        write_value(c, &json, column_type(h, table, i), cell_of(h, table, row, i));
    }
    buffer_byte(out, '}');
}

static enum status write_initial_rows(struct converter *c, struct json_writer *json,
                                      struct error *err)
{
    const struct history *h = c->h;
    struct buffer *rows = calloc(h->table_count + 1, sizeof *rows); /* of each table */

    if (!rows)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the initial rows");
    for (size_t i = 0; i < h->initial_count; i++) {
        uint32_t table = h->initial_kind[i] == VALUE_ROW ? table_of_key(c, h->initial_key[i])
                                                         : HISTORY_NONE;

        if (table != HISTORY_NONE)
            write_initial_row(c, table, (uint64_t)h->initial_value[i], &rows[table]);
    }
    json_writer_open(json, "rows", '{');
    for (uint32_t table = 0; table < h->table_count; table++) {
        if (table > 0)
            buffer_byte(json->out, ',');
        buffer_json(json->out, history_text(h, h->table_name[table]));
        buffer_text(json->out, TEXT(":["));
        buffer_text(json->out, (struct text){ rows[table].at, rows[table].count });
        buffer_byte(json->out, ']');
        json->out->out_of_memory |= rows[table].out_of_memory;
        buffer_close(&rows[table]);
    }
    json_writer_close(json, '}');
    free(rows);
    return STATUS_OK;
}

static enum status write_header(struct converter *c, struct buffer *out, struct error *err)
{
    const struct history *h = c->h;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-log", 1);
    if (h->producer != HISTORY_NONE)
        json_writer_string(&json, "producer", history_text(h, h->producer));
    TRY(write_initial_rows(c, &json, err));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    return STATUS_OK;
}

static void write_table(struct converter *c, uint32_t table, struct buffer *out)
{
    buffer_clear(&c->sql);
    buffer_text(&c->sql, TEXT("CREATE TABLE "));
    put_table(c, table);
    buffer_text(&c->sql, TEXT(" (\n"));
    for (uint32_t i = 0; i < width_of(c->h, table); i++) {
        buffer_text(&c->sql, TEXT("    "));
        put_name(&c->sql, column_name(c->h, table, i));
        buffer_byte(&c->sql, ' ');
        buffer_text(&c->sql, column_type(c->h, table, i));
        buffer_text(&c->sql, TEXT(",\n"));
    }
    buffer_text(&c->sql, TEXT("    PRIMARY KEY ("));
    put_key_columns(c, table);
    buffer_text(&c->sql, TEXT(")\n);\n"));
    buffer_text(out, (struct text){ c->sql.at, c->sql.count });
}

static enum status convert(struct converter *c, struct buffer *log, struct buffer *program,
                           struct error *err)
{
    for (uint32_t table = 0, number; table < c->h->table_count; table++) {
        TRY(intern_add(&c->tables, history_text(c->h, c->h->table_name[table]), &number, err));
        assert(number == table);
        write_table(c, table, program);
    }
    TRY(write_header(c, log, err));
    for (uint32_t txn = 0; txn < c->h->txn_count; txn++)
        TRY(convert_txn(c, txn, log, err));
    TRY(buffer_status(&c->statement_bytes, err));
    TRY(buffer_status(&c->answer_bytes, err));
    TRY(buffer_status(&c->sql, err));
    TRY(buffer_status(&c->parameters, err));
    TRY(buffer_status(&c->scratch, err));
    TRY(buffer_status(program, err));
    return buffer_status(log, err);
}

enum status audit_log_of_history(const struct history *h, struct buffer *log,
                                 struct buffer *program, struct error *err)
{
    struct converter c = { .h = h };
    enum status status = convert(&c, log, program, err);

    intern_close(&c.tables);
    buffer_close(&c.statement_bytes);
    buffer_close(&c.answer_bytes);
    buffer_close(&c.sql);
    buffer_close(&c.parameters);
    buffer_close(&c.scratch);
    return status;
}
