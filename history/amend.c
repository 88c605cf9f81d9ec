#include "history/amend.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "history/history_private.h"

/* A column of the history's own, in place of the one that it had, which may be part of a file. */
static void replace(struct history *h, enum history_column column, void *fresh)
{
    free(h->memory->columns[column]);
    h->memory->columns[column] = fresh;
    history_set_column(h, column, fresh);
}

static enum status copy_column(const struct history *h, enum history_column column, size_t more,
                               void **copy, struct error *err)
{
    const struct history_form *form = &history_forms[column];
    size_t count = history_group_count(h, form->group) + form->extra;

    *copy = NULL;
    TRY(memory_resize(copy, count + more, form->element_size, err));
    if (count > 0)
        memcpy(*copy, history_column(h, column), count * form->element_size);
    return STATUS_OK;
}

/* --- Reads of null ------------------------------------------------------------------- */

static enum status forget_nil_reads(struct history *h, struct error *err)
{
    uint8_t *kinds;

    TRY(copy_column(h, COLUMN_op_value_kind, 0, (void **)&kinds, err));
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_READ && kinds[op] == VALUE_NULL)
            kinds[op] = VALUE_NONE;
    replace(h, COLUMN_op_value_kind, kinds);
    return STATUS_OK;
}

/* --- Initial values ------------------------------------------------------------------ */

/* The text's number, which is new if the text is. */
static enum status number_text(struct history *h, struct text text, uint32_t *number,
                               struct error *err)
{
    uint64_t *starts;
    char *bytes = NULL;
    size_t size = h->text_byte_count;

    for (*number = 0; *number < h->text_count; ++*number)
        if (text_equal(history_text(h, *number), text))
            return STATUS_OK;
    TRY(copy_column(h, COLUMN_text_start, 1, (void **)&starts, err));
    replace(h, COLUMN_text_start, starts);
    TRY(copy_column(h, COLUMN_text_bytes, text.length, (void **)&bytes, err));
    memcpy(bytes + size, text.at, text.length);
    replace(h, COLUMN_text_bytes, bytes);
    starts[h->text_count + 1] = size + text.length;
    h->text_count++;
    h->text_byte_count = size + text.length;
    return STATUS_OK;
}

static enum status parse_value(struct history *h, struct text text, struct value *value,
                               struct error *err)
{
    uint32_t number;
    int64_t integer;

    *value = (struct value){ VALUE_NULL, 0 };
    if (text_equal(text, TEXT("null")))
        return STATUS_OK;
    if (text_equal(text, TEXT("true")) || text_equal(text, TEXT("false"))) {
        *value = (struct value){ VALUE_BOOLEAN, text_equal(text, TEXT("true")) };
        return STATUS_OK;
    }
    if (text_to_int64(text, &integer)) {
        *value = (struct value){ VALUE_INTEGER, integer };
        return STATUS_OK;
    }
    if (text.length == 0 || text.at[0] == '[' || text.at[0] == '{')
        return error_set(err, STATUS_BAD_INPUT,
                         "an initial value is an integer, true, false, null or a text, not '%.80s'",
                         text.at);
    TRY(number_text(h, text, &number, err));
    *value = (struct value){ VALUE_TEXT, number };
    return STATUS_OK;
}

/* The three columns, with room for all keys that have no initial value yet. */
static enum status make_room(struct history *h, struct error *err)
{
    static const enum history_column columns[] = { COLUMN_initial_key, COLUMN_initial_kind,
                                                   COLUMN_initial_value };

    for (size_t i = 0; i < ROW_COUNT(columns); i++) {
        void *copy;

        TRY(copy_column(h, columns[i], h->key_count - h->initial_count, &copy, err));
        replace(h, columns[i], copy);
    }
    return STATUS_OK;
}

static void add_initial(struct history *h, uint32_t key, struct value value)
{
    size_t n = h->initial_count++;

    ((uint32_t *)h->memory->columns[COLUMN_initial_key])[n] = key;
    ((uint8_t *)h->memory->columns[COLUMN_initial_kind])[n] = (uint8_t)value.kind;
    ((int64_t *)h->memory->columns[COLUMN_initial_value])[n] = value.bits;
    h->memory->key_initial[key] = (uint32_t)n;
}

static enum status set_one(struct history *h, struct text name, struct text text,
                           struct error *err)
{
    uint32_t key = history_find_key(h, name);
    struct value value;

    TRY(parse_value(h, text, &value, err));
    if (key == HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT, "no operation of the history has the key '%.*s'",
                         TEXT_PRINT(name));
    if (h->key_initial[key] != HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the history says already what the key '%.*s' begins with",
                         TEXT_PRINT(name));
    if (value.kind != VALUE_NULL)
        add_initial(h, key, value);
    return STATUS_OK;
}

static enum status set_others(struct history *h, struct text text, struct error *err)
{
    uint8_t *has_list = calloc(h->key_count + 1, 1);
    struct value value;
    enum status status;

    if (!has_list)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu keys", h->key_count);
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_APPEND)
            has_list[h->op_key[op]] = 1;
    status = parse_value(h, text, &value, err);
    for (uint32_t key = 0; key < h->key_count && status == STATUS_OK; key++)
        if (value.kind != VALUE_NULL && !has_list[key] && h->key_initial[key] == HISTORY_NONE)
            add_initial(h, key, value);
    free(has_list);
    return status;
}

enum status history_amend(struct history *h, const struct amendment *a, struct error *err)
{
    if (a->nil_reads_match_any)
        TRY(forget_nil_reads(h, err));
    if (a->initial_count > 0 && h->table_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "initial values are of single keys, and the history has tables: its first "
                         "line says what is in them");
    if (a->initial_count > 0)
        TRY(make_room(h, err));
    /* Single keys first: what is said of all others is of those that nothing was said of. */
    for (size_t i = 0; i < a->initial_count; i++) {
        const char *given = a->initials[i], *equals = strrchr(given, '=');

        if (equals)
            TRY(set_one(h, (struct text){ given, (size_t)(equals - given) }, text_of(equals + 1),
                        err));
    }
    for (size_t i = 0; i < a->initial_count; i++)
        if (!strchr(a->initials[i], '='))
            TRY(set_others(h, text_of(a->initials[i]), err));
    return STATUS_OK;
}
