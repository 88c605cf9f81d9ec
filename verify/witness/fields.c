#include "verify/witness/fields_private.h"

#include <string.h>

enum status witness_fields_next(struct fields *fields, struct json *json, unsigned *field,
                                struct error *err)
{
    struct text name;

    *field = FIELDS_END;
    TRY(json_field(json, fields->count++, &name, err));
    if (!name.at)
        return STATUS_OK;
    for (unsigned i = 0; fields->names[i]; i++) {
        if (!text_equal(name, text_of(fields->names[i])))
            continue;
        if (fields->seen >> i & 1)
            return json_refuse_token(json, err, "the field \"%s\" stands here twice",
                                     fields->names[i]);
        fields->seen |= UINT32_C(1) << i;
        *field = i;
        return STATUS_OK;
    }
    return json_refuse_token(json, err, "unknown field \"%.*s\"", TEXT_PRINT(name));
}

enum status witness_fields_need(const struct fields *fields, struct json *json, uint32_t needed,
                                struct error *err)
{
    for (unsigned i = 0; fields->names[i]; i++)
        if ((needed & ~fields->seen) >> i & 1)
            return json_refuse_token(json, err, "the field \"%s\" is missing", fields->names[i]);
    return STATUS_OK;
}

enum status witness_name(struct json *json, const char *const *names, const char *what,
                         unsigned *number, struct error *err)
{
    struct text name;

    TRY(json_string(json, what, &name, err));
    for (*number = 0; names[*number]; ++*number)
        if (text_equal(name, text_of(names[*number])))
            return STATUS_OK;
    return json_refuse_token(json, err, "\"%.*s\" is not %s", TEXT_PRINT(name), what);
}

enum status witness_op(struct json *json, int64_t *op, struct error *err)
{
    TRY(json_integer(json, "the place of an operation", op, err));
    return *op < 0 ? json_refuse_token(json, err, "operations are counted from 0") : STATUS_OK;
}

enum status witness_words(struct json *json, const char *what, struct error *err)
{
    struct text unjudged;

    return json_string(json, what, &unjudged, err);
}

enum status witness_version(struct json *json, struct witness_version *version, struct error *err)
{
    bool more;

    *version = (struct witness_version){ .is_initial = json_word(json, "null") };
    if (version->is_initial)
        return STATUS_OK;
    if (json_peek(json) != '[')
        return json_integer(json, "a version", &version->txn, err);
    TRY(json_open(json, '[', "a version", err));
    TRY(json_integer(json, "a transaction's id", &version->txn, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "a version is [id,n]");
    TRY(json_integer(json, "the number of a version", &version->nth, err));
    if (version->nth < 1)
        return json_refuse_token(json, err, "versions are counted from 1");
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse_token(json, err, "a version is [id,n]") : STATUS_OK;
}

enum status witness_place(struct json *json, int64_t *txn, int64_t *op, struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "a read, which is [id,op]", err));
    TRY(json_integer(json, "a transaction's id", txn, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "a read is [id,op]");
    TRY(witness_op(json, op, err));
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse_token(json, err, "a read is [id,op]") : STATUS_OK;
}
