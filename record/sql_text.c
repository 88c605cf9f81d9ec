#include "record/sql_text.h"

#include <assert.h>
#include <inttypes.h>

#define LOAD_ROWS 500

static void print_table(const struct stored_table *t, struct sql_types types, struct buffer *sql)
{
    buffer_print(sql, "CREATE TABLE %s (%s %s PRIMARY KEY, %s %s NOT NULL", t->name, t->key_column,
                 types.integer, t->value_column,
                 t->shape == SHAPE_LISTS ? types.list : types.integer);
    if (t->tag_column)
        buffer_print(sql, ", %s %s NOT NULL", t->tag_column, types.integer);
    buffer_byte(sql, ')');
}

void sql_text_print_load(const struct stored_table *t, struct sql_types types,
                         const struct builtin *builtin, char end, struct buffer *sql)
{
    uint64_t count = builtin_initial_count(builtin);

    assert(count == 0 || t->shape != SHAPE_LISTS);
    print_table(t, types, sql);
    for (uint64_t i = 0; i < count; i++) {
        struct builtin_row row = builtin_initial(builtin, i);

        if (i % LOAD_ROWS == 0)
            buffer_print(sql, "%cINSERT INTO %s VALUES ", end, t->name);
        buffer_print(sql, "%s(%" PRIu64 ", %" PRId64, i % LOAD_ROWS ? ", " : "", row.key,
                     row.value);
        if (t->tag_column)
            buffer_print(sql, ", %" PRId64, row.tag);
        buffer_byte(sql, ')');
    }
    buffer_byte(sql, end);
}

enum status sql_text_load(const struct stored_table *t, struct sql_types types,
                          const struct builtin *builtin, struct buffer *sql, struct error *err)
{
    buffer_print(sql, "BEGIN;");
    sql_text_print_load(t, types, builtin, ';', sql);
    buffer_print(sql, "COMMIT%c", '\0');
    return buffer_status(sql, err);
}

static void print_range(const struct stored_table *t, enum builtin_column column,
                        struct buffer *sql)
{
    if (column != BUILTIN_NO_COLUMN)
        buffer_print(sql, " WHERE %s BETWEEN ?4 AND ?5",
                     column == BUILTIN_KEY_COLUMN ? t->key_column : t->value_column);
}

static void print_returning(const struct stored_table *t, struct buffer *sql)
{
    buffer_print(sql, " RETURNING ");
    database_print_columns(t, sql);
}

void sql_text_print_statement(const struct stored_table *t, const struct builtin_request *r,
                              struct buffer *sql)
{
    const char *tag = t->tag_column;

    switch (r->kind) {
    case BUILTIN_READ:
    case BUILTIN_SELECT:
        buffer_print(sql, "SELECT ");
        database_print_columns(t, sql);
        buffer_print(sql, " FROM %s", t->name);
        if (r->kind == BUILTIN_READ)
            buffer_print(sql, " WHERE %s = ?1", t->key_column);
        else
            print_range(t, r->column, sql);
        return;
    case BUILTIN_UPDATE:
        buffer_print(sql, "UPDATE %s SET %s = ?2", t->name, t->value_column);
        if (tag)
            buffer_print(sql, ", %s = ?3", tag);
        print_range(t, r->column, sql);
        print_returning(t, sql);
        return;
    case BUILTIN_DELETE:
        buffer_print(sql, "DELETE FROM %s", t->name);
        print_range(t, r->column, sql);
        print_returning(t, sql);
        return;
    default:
        buffer_print(sql, "INSERT INTO %s VALUES (?1, ?2%s)", t->name, tag ? ", ?3" : "");
    }
    if (r->kind == BUILTIN_APPEND)
        buffer_print(sql, " ON CONFLICT (%s) DO UPDATE SET %s = %s || ',' || ?2", t->key_column,
                     t->value_column, t->value_column);
    else if (r->kind == BUILTIN_WRITE)
        buffer_print(sql, " ON CONFLICT (%s) DO UPDATE SET %s = ?2", t->key_column,
                     t->value_column);
    if (r->kind == BUILTIN_WRITE && tag)
        buffer_print(sql, ", %s = ?3", tag);
}

void sql_text_print_request(const struct stored_table *t, const struct builtin_request *r,
                            struct buffer *sql)
{
    const int64_t values[] = { (int64_t)r->key, r->value, r->tag, r->low, r->high };
    struct buffer text = { 0 };

    sql_text_print_statement(t, r, &text);
    for (size_t i = 0; i < text.count; i++) {
        if (text.at[i] != '?') {
            buffer_byte(sql, text.at[i]);
            continue;
        }
        i++;
        buffer_print(sql,
                     t->shape == SHAPE_LISTS && text.at[i] == '2' ? "'%" PRId64 "'" : "%" PRId64,
                     values[text.at[i] - '1']);
    }
    buffer_byte(sql, '\0');
    sql->out_of_memory |= text.out_of_memory;
    buffer_close(&text);
}
