#include "base/json_fields.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- Values ----------------------------------------------------------------------------------- */

enum status json_fields_count(struct json *json, uint64_t *count, struct error *err)
{
    int64_t number = 0;

    TRY(json_integer(json, "a count", &number, err));
    if (number < 0)
        return json_refuse_token(json, err, "a count is not below zero");
    *count = (uint64_t)number;
    return STATUS_OK;
}

enum status json_fields_word(struct json *json, char *word, size_t size, struct error *err)
{
    struct text text = { 0 };

    TRY(json_string(json, "a text", &text, err));
    if (text.length >= size)
        return json_refuse_token(json, err, "this is too long");
    memcpy(word, text.at, text.length);
    word[text.length] = '\0';
    return STATUS_OK;
}

enum status json_fields_copy(struct json *json, char **copy, struct error *err)
{
    struct text text = { 0 };

    TRY(json_string(json, "a text", &text, err));
    *copy = strndup(text.at, text.length);
    return *copy ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for a text");
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum status read_list(struct json *json, const struct json_row *row, void *owner,
                             struct error *err)
{
    bool more = true;

    TRY(json_open(json, '[', "a list", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(row->read(json, owner, err));
    }
}

static enum status read_row(struct json *json, const struct json_row *row, void *owner,
                            struct error *err)
{
    void *at = (char *)owner + row->offset;
    uint64_t count = 0;

    switch (row->type) {
    case JSON_OWN:
        return row->read(json, owner, err);
    case JSON_LIST:
        return read_list(json, row, owner, err);
    case JSON_WORD:
        return json_fields_word(json, at, row->size, err);
    case JSON_INTEGER:
        return json_integer(json, "an integer", at, err);
    case JSON_COUNT:
        return json_fields_count(json, at, err);
    case JSON_COUNT32:
        TRY(json_fields_count(json, &count, err));
        if (count > UINT32_MAX)
            return json_refuse_token(json, err, "this is too much");
        *(uint32_t *)at = (uint32_t)count;
        return STATUS_OK;
    case JSON_FLAG:
        TRY(json_fields_count(json, &count, err));
        *(bool *)at = count != 0;
        return STATUS_OK;
    }
    return STATUS_OK;
}

enum status json_fields_read(struct json *json, const struct json_object *object, void *owner,
                             struct error *err)
{
    uint64_t seen = 0;

    assert(object->count <= JSON_ROWS_MAX);
    TRY(json_open(json, '{', object->what, err));
    for (size_t n = 0;; n++) {
        struct text name;
        size_t i = 0;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        while (i < object->count && !text_equal(name, text_of(object->rows[i].name)))
            i++;
        if (i == object->count)
            return json_refuse_token(json, err, "%s has no field '%.*s'", object->what,
                                     TEXT_PRINT(name));
        if (seen >> i & 1)
            return json_refuse_token(json, err, "%s has the field '%.*s' twice", object->what,
                                     TEXT_PRINT(name));
        seen |= UINT64_C(1) << i;
        TRY(read_row(json, &object->rows[i], owner, err));
    }
}

/* The lexer looks beyond the end of its line, hence the copy. */
enum status json_fields_read_line(struct text line, const struct json_object *object, void *owner,
                                  struct error *err)
{
    static const char beyond[64]; /* as much as a source has behind its lines */
    struct buffer copy = { 0 };
    struct json json = { 0 };
    enum status status;

    buffer_text(&copy, line);
    buffer_text(&copy, (struct text){ beyond, sizeof beyond });
    status = buffer_status(&copy, err);
    if (status == STATUS_OK) {
        json_begin(&json, (struct text){ copy.at, line.length });
        status = json_fields_read(&json, object, owner, err);
    }
    if (status == STATUS_OK)
        status = json_end(&json, err);
    json_close(&json);
    buffer_close(&copy);
    return status;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void write_row(struct json_writer *json, const struct json_row *row, const void *owner)
{
    const void *at = (const char *)owner + row->offset;

    switch (row->type) {
    case JSON_OWN:
        row->write(owner, row->name, json);
        break;
    case JSON_LIST:
        json_writer_open(json, row->name, '[');
        row->write(owner, NULL, json);
        json_writer_close(json, ']');
        break;
    case JSON_WORD:
        json_writer_text(json, row->name, at);
        break;
    case JSON_INTEGER:
        json_writer_int64(json, row->name, *(const int64_t *)at);
        break;
    case JSON_COUNT:
        json_writer_number(json, row->name, *(const uint64_t *)at);
        break;
    case JSON_COUNT32:
        json_writer_number(json, row->name, *(const uint32_t *)at);
        break;
    case JSON_FLAG:
        json_writer_number(json, row->name, *(const bool *)at);
        break;
    }
}

void json_fields_write(struct json_writer *json, const char *name, const struct json_object *object,
                       const void *owner)
{
    json_writer_open(json, name, '{');
    for (size_t i = 0; i < object->count; i++)
        if (!object->rows[i].is_there || object->rows[i].is_there(owner))
            write_row(json, &object->rows[i], owner);
    json_writer_close(json, '}');
}
