#include "history/jsonl/jsonl_private.h"

#define HEADER_VERSION 1

enum header_field {
    HEADER_HISTORY,
    HEADER_WORKLOAD,
    HEADER_TABLES,
    HEADER_INITIAL,
    HEADER_UNIQUE,
    HEADER_PRODUCER,
};

static const char *const header_fields[] = { "ordeal-history", "workload", "tables", "initial",
                                             "unique",         "producer", NULL };

static const char header_example[] = "{\"ordeal-history\":1,...";

enum table_field { TABLE_COLUMNS, TABLE_KEY };

static const char *const table_fields[] = { "columns", "key", NULL };

static enum status read_columns(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '{', "an object of columns and their types", err));
    for (size_t n = 0;; n++) {
        struct text name, type;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(json_string(json, "the column's type, a string", &type, err));
        TRY(builder_add_column(reader->builder, name, type, err));
    }
}

static enum status read_key_columns(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of the key's columns", err));
    for (size_t n = 0;; n++) {
        struct text name;
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(json_string(json, "a column's name, a string", &name, err));
        TRY(builder_add_key_column(reader->builder, name, err));
    }
}

/* {"columns":{...},"key":[...]}: the builder wants the columns first. */
static enum status read_table(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    const char *key_at = NULL, *after;
    unsigned seen = 0;

    TRY(json_open(json, '{', "a table: {\"columns\":{...},\"key\":[...]}", err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(jsonl_know_field(reader, name, table_fields, &field, &seen, err));
        if (field == TABLE_COLUMNS) {
            TRY(read_columns(reader, err));
        } else {
            key_at = json->at;
            TRY(json_skip(json, err));
        }
    }
    if (seen != (1u << TABLE_COLUMNS | 1u << TABLE_KEY))
        return json_refuse_token(json, err, "a table needs \"columns\" and \"key\"");
    after = json->at;
    json->at = key_at;
    TRY(read_key_columns(reader, err));
    json->at = after;
    return builder_end_table(reader->builder, err);
}

static enum status read_tables(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '{', "an object of tables", err));
    for (size_t n = 0;; n++) {
        struct text name;
        uint32_t table;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(builder_add_table(reader->builder, name, &table, err));
        if (read_table(reader, err) != STATUS_OK)
            return error_wrap(err, "table \"%.*s\"", TEXT_PRINT(name));
    }
}

static enum status read_initial(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '{', "an object of keys and their initial values", err));
    for (size_t n = 0;; n++) {
        struct value value;
        struct text name;
        uint32_t key, table;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(builder_key(reader->builder, name, &key, err));
        table = builder_table_of_key(reader->builder, key);
        TRY(jsonl_value(reader, table, &value, err));
        TRY(builder_add_initial(reader->builder, key, value, err));
    }
}

static enum status read_unique(struct jsonl *reader, struct error *err)
{
    if (json_word(&reader->json, "true"))
        builder_set_unique(reader->builder, true);
    else if (json_word(&reader->json, "false"))
        builder_set_unique(reader->builder, false);
    else
        return json_refuse(&reader->json, "true or false after \"unique\"", err);
    return STATUS_OK;
}

static enum status read_field(struct jsonl *reader, unsigned field, struct error *err)
{
    struct json *json = &reader->json;
    struct text text;

    switch (field) {
    case HEADER_WORKLOAD:
        TRY(json_string(json, "a string after \"workload\"", &text, err));
        return builder_set_workload(reader->builder, text, err);
    case HEADER_PRODUCER:
        TRY(json_string(json, "a string after \"producer\"", &text, err));
        return builder_set_producer(reader->builder, text, err);
    case HEADER_TABLES:
        return read_tables(reader, err);
    case HEADER_UNIQUE:
        return read_unique(reader, err);
    default: /* HEADER_INITIAL: its keys may be rows of tables that come later */
        return json_skip(json, err);
    }
}

static enum status read_version(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct text name;
    int64_t version;

    if (json_peek(json) != '{')
        return json_refuse(json, header_example, err);
    TRY(json_open(json, '{', header_example, err));
    TRY(json_field(json, 0, &name, err));
    if (!name.at || !text_equal(name, text_of(header_fields[HEADER_HISTORY])))
        return json_refuse_token(json, err, "expected %s on the first line", header_example);
    TRY(json_integer(json, "the version of the format, an integer", &version, err));
    if (version > HEADER_VERSION)
        return json_refuse_token(json, err, "version %lld is newer than this program reads (%d)",
                                 (long long)version, HEADER_VERSION);
    if (version < HEADER_VERSION)
        return json_refuse_token(json, err, "there is no version %lld of this format",
                                 (long long)version);
    return STATUS_OK;
}

enum status jsonl_header(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    const char *initial_at = NULL;
    unsigned seen = 1u << HEADER_HISTORY;

    TRY(read_version(reader, err));
    for (size_t n = 1;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(jsonl_know_field(reader, name, header_fields, &field, &seen, err));
        if (field == HEADER_INITIAL)
            initial_at = json->at;
        TRY(read_field(reader, field, err));
    }
    TRY(json_end(json, err));
    if (!initial_at)
        return STATUS_OK;
    json->at = initial_at;
    return read_initial(reader, err) == STATUS_OK ? STATUS_OK : error_wrap(err, "initial");
}
