#include "verify/witness/fields_private.h"

#include <assert.h>

/* --- Values ------------------------------------------------------------------ */

static enum status read_op(struct json *json, int64_t *op, struct error *err)
{
    TRY(json_integer(json, "the place of an operation", op, err));
    return *op < 0 ? json_refuse_token(json, err, "operations are counted from 0") : STATUS_OK;
}

static enum status read_version_part(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_version *version = owner;

    if (n == 0)
        return json_integer(json, "a transaction's id", &version->txn, err);
    TRY(json_integer(json, "the number of a version", &version->nth, err));
    return version->nth < 1 ? json_refuse_token(json, err, "versions are counted from 1")
                            : STATUS_OK;
}

enum status fields_read_version(struct json *json, struct witness_version *version,
                                struct error *err)
{
    static const struct list pair = { "a version", read_version_part, 2, 2, "a version is [id,n]" };

    *version = (struct witness_version){ .is_initial = json_word(json, "null") };
    if (version->is_initial)
        return STATUS_OK;
    if (json_peek(json) != '[')
        return json_integer(json, "a version", &version->txn, err);
    return fields_read_list(json, &pair, version, err);
}

static enum status read_place_part(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_place *place = owner;

    return n == 0 ? json_integer(json, "a transaction's id", &place->txn, err)
                  : read_op(json, &place->op, err);
}

enum status fields_read_place(struct json *json, struct witness_place *place, struct error *err)
{
    static const struct list pair = { "a read, which is [id,op]", read_place_part, 2, 2,
                                      "a read is [id,op]" };

    return fields_read_list(json, &pair, place, err);
}

/* --- Names ------------------------------------------------------------------- */

/* "b12" or "c12" */
static enum status read_instant(struct json *json, struct witness_name *name, struct error *err)
{
    struct text text;

    TRY(json_string(json, "an instant", &text, err));
    if (text.length > 0 && (text.at[0] == 'b' || text.at[0] == 'c')) {
        name->kind = text.at[0] == 'b' ? NAMED_VIEW : NAMED_COMMIT;
        if (text_to_int64((struct text){ text.at + 1, text.length - 1 }, &name->txn))
            return STATUS_OK;
    }
    return json_refuse_token(json, err, "\"%.*s\" is no instant", TEXT_PRINT(text));
}

/* [12,0] or [12,0,"t/7"] */
static enum status read_name_part(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_name *name = owner;

    if (n == 0)
        return json_integer(json, "a transaction's id", &name->txn, err);
    if (n == 1)
        return read_op(json, &name->op, err);
    name->has_key = true;
    return json_string(json, "a key", &name->key, err);
}

enum status fields_read_name(struct json *json, struct witness_name *name, struct error *err)
{
    static const struct list parts = { "[id,op]", read_name_part, 2, 3,
                                       "an operation is [id,op], the view of a row [id,op,key]" };

    *name = (struct witness_name){ .kind = NAMED_NOBODY };
    if (json_word(json, "null"))
        return STATUS_OK;
    switch (json_peek(json)) {
    case '"':
        return read_instant(json, name, err);
    case '[':
        name->kind = NAMED_PLACE;
        return fields_read_list(json, &parts, name, err);
    default:
        name->kind = NAMED_TXN;
        return json_integer(json, "a transaction's id", &name->txn, err);
    }
}

/* --- Arrays ------------------------------------------------------------------ */

static enum status add_name(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_names *names = owner;
    struct witness_name name;

    assert(n == names->count);
    TRY(fields_read_name(json, &name, err));
    return array_push(names, name, err);
}

static enum status add_number(struct json *json, size_t n, void *owner, struct error *err)
{
    struct witness_numbers *numbers = owner;
    int64_t number = 0;

    assert(n == numbers->count);
    TRY(json_integer(json, "a transaction's id, or a number", &number, err));
    return array_push(numbers, number, err);
}

enum status fields_read_list(struct json *json, const struct list *list, void *owner,
                             struct error *err)
{
    bool more = true;

    TRY(json_open(json, '[', list->what, err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (more ? list->most > 0 && n == list->most : n < list->least)
            return json_refuse_token(json, err, "%s", list->why);
        if (!more)
            return STATUS_OK;
        TRY(list->read(json, n, owner, err));
    }
}

/* --- Objects ----------------------------------------------------------------- */

static enum status read_field(struct json *json, const struct object *object, size_t row,
                              void *owner, struct error *err)
{
    static const struct list numbers = { "an array", add_number, 0, 0, NULL };
    static const struct list names = { "an array", add_name, 0, 0, NULL };
    const struct field *field = &object->rows[row];
    void *at = (char *)owner + field->offset;
    struct text words;

    switch (field->type) {
    case FIELD_LIST:
        return fields_read_list(json, field->list, owner, err);
    case FIELD_INTEGER:
        return json_integer(json, field->what, at, err);
    case FIELD_OP:
        return read_op(json, at, err);
    case FIELD_TEXT:
        return json_string(json, field->what, at, err);
    case FIELD_UNJUDGED:
        return json_string(json, field->what, &words, err);
    case FIELD_WORD:
        return json_one_of(json, field->words, field->what, at, err);
    case FIELD_VERSION:
        return fields_read_version(json, at, err);
    case FIELD_PLACE:
        return fields_read_place(json, at, err);
    case FIELD_NAME:
        return fields_read_name(json, at, err);
    case FIELD_NAMES:
        return fields_read_list(json, &names, at, err);
    case FIELD_NUMBERS:
        return fields_read_list(json, &numbers, at, err);
    default:
        return field->read(json, row, owner, err);
    }
}

enum status fields_read(struct json *json, const struct object *object, void *owner, uint32_t *seen,
                        struct error *err)
{
    *seen = 0;
    TRY(json_open(json, '{', object->what, err));
    for (size_t n = 0, row;; n++) {
        struct text name;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return fields_need(object, json, *seen, object->needed, err);
        for (row = 0; object->rows[row].name; row++)
            if (text_equal(name, text_of(object->rows[row].name)))
                break;
        if (!object->rows[row].name)
            return json_refuse_token(json, err, "unknown field \"%.*s\"", TEXT_PRINT(name));
        assert(row < 32);
        if (*seen >> row & 1)
            return json_refuse_token(json, err, "the field \"%.*s\" stands here twice",
                                     TEXT_PRINT(name));
        *seen |= UINT32_C(1) << row;
        TRY(read_field(json, object, row, owner, err));
    }
}

enum status fields_need(const struct object *object, struct json *json, uint32_t seen,
                        uint32_t needed, struct error *err)
{
    for (size_t row = 0; object->rows[row].name; row++)
        if ((needed & ~seen) >> row & 1)
            return json_refuse_token(json, err, "the field \"%s\" is missing",
                                     object->rows[row].name);
    return STATUS_OK;
}
