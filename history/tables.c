#include "history/tables.h"

#include <string.h>

static bool starts_with(struct text text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.at, prefix, length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "(12)", or with a comma also "(12,2)"; or nothing at all. */
static bool is_size(struct text text, bool may_have_comma)
{
    size_t digit_count = 0;

    if (text.length == 0)
        return true;
    if (text.length < 3 || text.at[0] != '(' || text.at[text.length - 1] != ')')
        return false;
    for (size_t i = 1; i < text.length - 1; i++) {
        if (is_digit(text.at[i])) {
            digit_count++;
        } else {
            if (text.at[i] != ',' || !may_have_comma || digit_count == 0)
                return false;
            may_have_comma = false;
            digit_count = 0;
        }
    }
    return digit_count > 0;
}

bool tables_column_kind(struct text type, enum column_kind *kind)
{
    static const struct {
        const char *name;
        enum column_kind kind;
        bool may_have_size, may_have_comma;
    } types[] = {
        { "smallint", COLUMN_INTEGER, false, false },
        { "int", COLUMN_INTEGER, false, false },
        { "integer", COLUMN_INTEGER, false, false },
        { "bigint", COLUMN_INTEGER, false, false },
        { "timestamp", COLUMN_INTEGER, false, false },
        { "boolean", COLUMN_BOOLEAN, false, false },
        { "text", COLUMN_TEXT, false, false },
        { "varchar", COLUMN_TEXT, true, false },
        { "char", COLUMN_TEXT, true, false },
        { "numeric", COLUMN_TEXT, true, true },
        { "bigint[]", COLUMN_LIST, false, false },
        { "int[]", COLUMN_LIST, false, false },
    };

    for (size_t i = 0; i < ROW_COUNT(types); i++) {
        size_t length = strlen(types[i].name);
        struct text size;
        if (!starts_with(type, types[i].name))
            continue;
        size = (struct text){ type.at + length, type.length - length };
        if (size.length == 0 ||
            (types[i].may_have_size && is_size(size, types[i].may_have_comma))) {
            *kind = types[i].kind;
            return true;
        }
    }
    return false;
}

bool tables_type_is_numeric(struct text type)
{
    return starts_with(type, "numeric");
}

bool tables_is_decimal(struct text text)
{
    size_t i = text.length > 0 && text.at[0] == '-' ? 1 : 0;
    size_t first = i;

    while (i < text.length && is_digit(text.at[i]))
        i++;
    if (i == first || (text.at[first] == '0' && i > first + 1))
        return false;
    if (i == text.length)
        return true;
    if (text.at[i++] != '.' || i == text.length)
        return false;
    while (i < text.length && is_digit(text.at[i]))
        i++;
    return i == text.length;
}

void tables_spell_text(struct buffer *to, struct text text)
{
    if (text.length == 0 || (!memchr(text.at, '/', text.length) &&
                             !memchr(text.at, '%', text.length))) {
        buffer_text(to, text);
        return;
    }
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '/')
            buffer_text(to, TEXT("%2F"));
        else if (text.at[i] == '%')
            buffer_text(to, TEXT("%25"));
        else
            buffer_byte(to, text.at[i]);
    }
}

void tables_spell_part(struct buffer *to, struct value value, struct text text)
{
    if (value.kind == VALUE_INTEGER)
        buffer_int64(to, value.bits);
    else if (value.kind == VALUE_BOOLEAN)
        buffer_text(to, value.bits ? TEXT("true") : TEXT("false"));
    else
        tables_spell_text(to, text);
}

/* The text up to the first slash, and what follows it; false: no slash. */
static bool split(struct text text, struct text *part, struct text *rest)
{
    const char *slash = text.length ? memchr(text.at, '/', text.length) : NULL;

    *part = text;
    *rest = (struct text){ text.at + text.length, 0 };
    if (!slash)
        return false;
    part->length = (size_t)(slash - text.at);
    *rest = (struct text){ slash + 1, text.length - part->length - 1 };
    return true;
}

/* Whether each percent begins one of the two escapes. */
static bool is_spelled(struct text part)
{
    for (size_t i = 0; i < part.length; i++) {
        struct text rest = { part.at + i, part.length - i };
        if (part.at[i] == '%' && !starts_with(rest, "%2F") && !starts_with(rest, "%25"))
            return false;
    }
    return true;
}

static void unspell(struct buffer *to, struct text part)
{
    buffer_clear(to);
    for (size_t i = 0; i < part.length; i++) {
        if (part.at[i] == '%') {
            buffer_byte(to, part.at[i + 2] == 'F' ? '/' : '%');
            i += 2;
        } else {
            buffer_byte(to, part.at[i]);
        }
    }
}

uint32_t tables_of_key(const struct tables *tables, struct text key, struct buffer *scratch)
{
    struct text name, rest;

    if (!split(key, &name, &rest) || !is_spelled(name))
        return HISTORY_NONE;
    if (name.length && memchr(name.at, '%', name.length)) {
        unspell(scratch, name);
        name = (struct text){ scratch->at, scratch->count };
    }
    return intern_find(tables->names, name);
}

static struct text table_name(const struct tables *tables, uint32_t table)
{
    return intern_text(tables->names, table);
}

static bool part_fits(const struct tables *tables, uint32_t column, struct text part)
{
    struct text type = tables->text(tables->owner, tables->column_type[column]);
    int64_t number;

    switch (tables->column_kind[column]) {
    case COLUMN_INTEGER:
        return text_to_int64(part, &number);
    case COLUMN_BOOLEAN:
        return text_equal(part, TEXT("true")) || text_equal(part, TEXT("false"));
    default:
        return tables_type_is_numeric(type) ? tables_is_decimal(part) : is_spelled(part);
    }
}

enum status tables_check_key(const struct tables *tables, uint32_t table, struct text key,
                             struct error *err)
{
    uint32_t from = tables->key_start[table], to = tables->key_start[table + 1];
    struct text part, rest;
    bool more = split(key, &part, &rest);

    for (uint32_t k = from; k < to && more; k++) {
        uint32_t column = tables->column_start[table] + tables->key_column[k];
        more = split(rest, &part, &rest);
        if (!part_fits(tables, column, part)) {
            struct text name = tables->text(tables->owner, tables->column_name[column]);
            struct text type = tables->text(tables->owner, tables->column_type[column]);
            return error_set(err, STATUS_BAD_INPUT,
                             "key %.*s: its column %.*s is %.*s, which \"%.*s\" does not spell",
                             TEXT_PRINT(key), TEXT_PRINT(name), TEXT_PRINT(type), TEXT_PRINT(part));
        }
        if (k + 1 == to && !more)
            return STATUS_OK;
    }
    return error_set(err, STATUS_BAD_INPUT, "key %.*s: the key of %.*s has %u column%s",
                     TEXT_PRINT(key), TEXT_PRINT(table_name(tables, table)), to - from,
                     to - from == 1 ? "" : "s");
}

static enum status refuse_cell(const struct tables *tables, uint32_t table, uint32_t column,
                               const char *found, struct error *err)
{
    struct text name = tables->text(tables->owner, tables->column_name[column]);
    struct text type = tables->text(tables->owner, tables->column_type[column]);

    return error_set(err, STATUS_BAD_INPUT, "column %.*s of %.*s is %.*s, not %s", TEXT_PRINT(name),
                     TEXT_PRINT(table_name(tables, table)), TEXT_PRINT(type), found);
}

static bool is_key_column(const struct tables *tables, uint32_t table, uint32_t column)
{
    for (uint32_t k = tables->key_start[table]; k < tables->key_start[table + 1]; k++)
        if (tables->key_column[k] == column)
            return true;
    return false;
}

enum status tables_check_cell(const struct tables *tables, uint32_t table, uint32_t column,
                              struct value value, struct error *err)
{
    static const char *const kind_names[VALUE_KIND_COUNT] = {
        "nothing", "null", "integer", "boolean", "text", "list", "row",
    };
    static const enum value_kind wanted[] = {
        [COLUMN_INTEGER] = VALUE_INTEGER,
        [COLUMN_BOOLEAN] = VALUE_BOOLEAN,
        [COLUMN_TEXT] = VALUE_TEXT,
        [COLUMN_LIST] = VALUE_LIST,
    };
    uint32_t c = tables->column_start[table] + column;
    struct text type;

    if (value.kind == VALUE_NULL) {
        if (is_key_column(tables, table, column))
            return refuse_cell(tables, table, c, "null: it is part of the key", err);
        return STATUS_OK;
    }
    if (value.kind != wanted[tables->column_kind[c]])
        return refuse_cell(tables, table, c, kind_names[value.kind], err);
    if (value.kind != VALUE_TEXT)
        return STATUS_OK;
    type = tables->text(tables->owner, tables->column_type[c]);
    if (tables_type_is_numeric(type) &&
        !tables_is_decimal(tables->text(tables->owner, (uint32_t)value.bits)))
        return refuse_cell(tables, table, c, "text", err);
    return STATUS_OK;
}

enum status tables_check_row_key(const struct tables *tables, struct tables_row row,
                                 struct text key, struct buffer *scratch, struct error *err)
{
    struct text name, spelled, made;

    buffer_clear(scratch);
    for (uint32_t k = tables->key_start[row.table]; k < tables->key_start[row.table + 1]; k++) {
        uint32_t column = tables->key_column[k];
        struct value value = { row.cell_kind[column], row.cell_value[column] };
        struct text text = { NULL, 0 };
        if (value.kind == VALUE_TEXT)
            text = tables->text(tables->owner, (uint32_t)value.bits);
        buffer_byte(scratch, '/');
        tables_spell_part(scratch, value, text);
    }
    TRY(buffer_status(scratch, err));
    (void)split(key, &name, &spelled);
    spelled = (struct text){ key.at + name.length, key.length - name.length };
    made = (struct text){ scratch->at, scratch->count };
    if (!text_equal(spelled, made))
        return error_set(err, STATUS_BAD_INPUT, "row with key %.*s says that its key is %.*s%.*s",
                         TEXT_PRINT(key), TEXT_PRINT(name), TEXT_PRINT(made));
    return STATUS_OK;
}
