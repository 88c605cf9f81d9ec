#include "history/jsonl/jsonl_value_private.h"

static enum status read_list(struct jsonl *reader, struct value *value, struct error *err)
{
    struct json *json = &reader->json;

    reader->elements.count = 0;
    TRY(json_open(json, '[', "a list", err));
    for (size_t n = 0;; n++) {
        int64_t element;
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            break;
        TRY(json_integer(json, "an integer, as lists are of integers", &element, err));
        TRY(array_push(&reader->elements, element, err));
    }
    return builder_list(reader->builder, reader->elements.at, reader->elements.count, value, err);
}

/* Anything but a row. */
static enum status read_plain(struct jsonl *reader, const char *what, struct value *value,
                              struct error *err)
{
    struct json *json = &reader->json;
    char next = json_peek(json);
    struct text text;
    int64_t number;

    if (next == '"') {
        TRY(json_string(json, what, &text, err));
        return builder_text_value(reader->builder, text, value, err);
    }
    if (next == '[')
        return read_list(reader, value, err);
    if (json_word(json, "null")) {
        *value = value_null();
    } else if (json_word(json, "true")) {
        *value = value_boolean(true);
    } else if (json_word(json, "false")) {
        *value = value_boolean(false);
    } else {
        TRY(json_integer(json, what, &number, err));
        *value = value_integer(number);
    }
    return STATUS_OK;
}

enum status jsonl_each_field(struct jsonl *reader, const char *what,
                             enum status (*take)(struct jsonl *, struct text name, struct error *),
                             struct error *err)
{
    TRY(json_open(&reader->json, '{', what, err));
    for (size_t n = 0;; n++) {
        struct text name;

        TRY(json_field(&reader->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(take(reader, name, err));
    }
}

static enum status take_cell(struct jsonl *reader, struct text name, struct error *err)
{
    struct named_value cell = { .name = name };

    TRY(read_plain(reader, "a column's value", &cell.value, err));
    return array_push(&reader->cells, cell, err);
}

enum status jsonl_row_object(struct jsonl *reader, uint32_t table, struct value *value,
                             struct error *err)
{
    reader->cells.count = 0;
    TRY(jsonl_each_field(reader, "a row object", take_cell, err));
    return builder_row(reader->builder, table, reader->cells.at, reader->cells.count, value, err);
}

enum status jsonl_value(struct jsonl *reader, uint32_t table, struct value *value,
                        struct error *err)
{
    if (json_peek(&reader->json) == '{')
        return jsonl_row_object(reader, table, value, err);
    return read_plain(reader, "a value", value, err);
}

static enum status read_time(struct jsonl *reader, const char *what, int64_t *time,
                             struct error *err)
{
    TRY(json_integer(&reader->json, what, time, err));
    /* The extremes stand for times that nobody wrote down. */
    if (*time == TIME_ABSENT || *time == TIME_NEVER)
        return json_refuse_token(&reader->json, err, "the time is out of range");
    return STATUS_OK;
}

enum status jsonl_times(struct jsonl *reader, int64_t *invoked, int64_t *completed,
                        struct error *err)
{
    struct json *json = &reader->json;
    bool more;

    TRY(json_open(json, '[', "[invoked, completed] after \"at\"", err));
    TRY(read_time(reader, "the time of invocation, an integer", invoked, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "expected two times after \"at\", found one");
    if (json_word(json, "null"))
        *completed = TIME_NEVER;
    else
        TRY(read_time(reader, "the time of completion, an integer or null", completed, err));
    TRY(json_element(json, 2, &more, err));
    if (more)
        return json_refuse_token(json, err, "expected two times after \"at\", found more");
    return STATUS_OK;
}

enum status jsonl_place(struct jsonl *reader, struct place *place, struct error *err)
{
    struct json *json = &reader->json;
    const char *what = "a place: an integer, or an array of two or three";
    bool more;

    *place = (struct place){ 0 };
    if (json_peek(json) != '[') {
        TRY(json_integer(json, what, &place->part[0], err));
        place->parts = 1;
        return STATUS_OK;
    }
    TRY(json_open(json, '[', what, err));
    for (;;) {
        TRY(json_element(json, place->parts, &more, err));
        if (!more)
            break;
        if (place->parts == PLACE_PARTS_MAX)
            return json_refuse(json, "\"]\" after three integers of a place", err);
        TRY(json_integer(json, "an integer of a place", &place->part[place->parts], err));
        place->parts++;
    }
    if (place->parts < 2)
        return json_refuse_token(json, err, "a place in brackets has two or three integers");
    return STATUS_OK;
}

enum status jsonl_version(struct jsonl *reader, bool may_be_initial, struct version_name *version,
                          struct error *err)
{
    struct json *json = &reader->json;
    const char *what =
        may_be_initial ? "a version: txn, [txn,n] or null" : "a version: txn or [txn,n]";
    int64_t nth;
    bool more;

    *version = (struct version_name){ 0 };
    if (may_be_initial && json_word(json, "null")) {
        version->is_initial = true;
        return STATUS_OK;
    }
    if (json_peek(json) != '[')
        return json_integer(json, what, &version->txn_id, err);
    TRY(json_open(json, '[', what, err));
    TRY(json_integer(json, "the transaction of a version [txn,n]", &version->txn_id, err));
    TRY(json_element(json, 1, &more, err));
    if (more)
        TRY(json_integer(json, "the number of the write in a version [txn,n]", &nth, err));
    if (!more || nth < 1 || nth > UINT32_MAX)
        return json_refuse_token(json, err,
                                 "a version [txn,n] needs a number of the write from 1 on");
    version->nth = (uint32_t)nth;
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse(json, "\"]\" after a version [txn,n]", err) : STATUS_OK;
}
