#include "history/jsonl/jsonl_private.h"

#include <inttypes.h>

enum txn_field { FIELD_TXN, FIELD_SESSION, FIELD_STATUS, FIELD_AT, FIELD_OPS, FIELD_TS,
                 FIELD_SNAPSHOT, FIELD_ORIGIN };

static const char *const txn_fields[] = { "txn", "session",  "status", "at", "ops",
                                          "ts",  "snapshot", "origin", NULL };

#define BIT(field) (1u << FIELD_##field)
#define FIELDS_OF_HEAD (BIT(TXN) | BIT(SESSION) | BIT(STATUS))
#define FIELDS_REQUIRED (FIELDS_OF_HEAD | BIT(OPS))

/* By enum txn_status. */
static const char *const status_names[] = { "ok", "abort", "unknown", NULL };

/* A transaction while its fields come, in any order. */
struct txn {
    unsigned seen;      /* a bit for each field */
    bool is_named;      /* its id is known */
    bool is_begun;      /* the builder knows it */
    const char *ops_at; /* where the operations stand, if they came too early */
    int64_t id, session;
    unsigned status;
    int64_t invoked, completed;
    struct place ts, snapshot, origin;
};

static enum status read_ops(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of operations", err));
    for (size_t n = 0;; n++) {
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        if (jsonl_op(reader, err) != STATUS_OK)
            return error_wrap(err, "operation %zu", n + 1);
    }
}

static enum status begin(struct jsonl *reader, struct txn *txn, struct error *err)
{
    txn->is_begun = true;
    reader->json.token = reader->json.begin; /* what is wrong now is wrong with all of it */
    return builder_begin_txn(reader->builder, txn->id, txn->session,
                             (enum txn_status)txn->status, err);
}

/* The builder wants the head first: operations that come before it are read again later. */
static enum status read_ops_or_wait(struct jsonl *reader, struct txn *txn, struct error *err)
{
    if ((txn->seen & FIELDS_OF_HEAD) == FIELDS_OF_HEAD) {
        TRY(begin(reader, txn, err));
        return read_ops(reader, err);
    }
    txn->ops_at = reader->json.at;
    return json_skip(&reader->json, err);
}

static enum status read_field(struct jsonl *reader, struct txn *txn, enum txn_field field,
                              struct error *err)
{
    struct json *json = &reader->json;

    switch (field) {
    case FIELD_TXN:
        TRY(json_integer(json, "the transaction's number, an integer", &txn->id, err));
        txn->is_named = true;
        return STATUS_OK;
    case FIELD_SESSION:
        return json_integer(json, "the session's number, an integer", &txn->session, err);
    case FIELD_STATUS:
        return jsonl_choice(reader, "status", status_names, &txn->status, err);
    case FIELD_AT:
        return jsonl_times(reader, &txn->invoked, &txn->completed, err);
    case FIELD_OPS:
        return read_ops_or_wait(reader, txn, err);
    case FIELD_TS:
        return jsonl_place(reader, &txn->ts, err);
    case FIELD_SNAPSHOT:
        return jsonl_place(reader, &txn->snapshot, err);
    default: /* FIELD_ORIGIN */
        TRY(jsonl_place(reader, &txn->origin, err));
        return txn->origin.parts <= ORIGIN_PARTS_MAX
                   ? STATUS_OK
                   : json_refuse_token(json, err, "an origin is an index, or an index and a process");
    }
}

static enum status refuse_missing(struct jsonl *reader, unsigned seen, struct error *err)
{
    unsigned field = 0;

    while (seen >> field & 1 || !(FIELDS_REQUIRED >> field & 1))
        field++;
    reader->json.token = reader->json.at;
    return json_refuse_token(&reader->json, err, "\"%s\" is missing", txn_fields[field]);
}

/* What waited for the end of the line. */
static enum status finish(struct jsonl *reader, struct txn *txn, struct error *err)
{
    if (!txn->is_begun) {
        TRY(begin(reader, txn, err));
        reader->json.at = txn->ops_at;
        TRY(read_ops(reader, err));
    }
    if (txn->seen & BIT(AT))
        TRY(builder_set_txn_at(reader->builder, txn->invoked, txn->completed, err));
    if (txn->seen & BIT(TS))
        TRY(builder_set_ts(reader->builder, txn->ts, err));
    if (txn->seen & BIT(SNAPSHOT))
        TRY(builder_set_snapshot(reader->builder, txn->snapshot, err));
    if (txn->seen & BIT(ORIGIN))
        TRY(builder_set_origin(reader->builder, txn->origin, err));
    reader->json.token = reader->json.begin; /* it is about all of the line */
    return builder_end_txn(reader->builder, err);
}

static enum status read_txn(struct jsonl *reader, struct txn *txn, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '{', "a transaction or version-order object", err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(jsonl_know_field(reader, name, txn_fields, &field, &txn->seen, err));
        TRY(read_field(reader, txn, (enum txn_field)field, err));
    }
    TRY(json_end(json, err));
    if ((txn->seen & FIELDS_REQUIRED) != FIELDS_REQUIRED)
        return refuse_missing(reader, txn->seen, err);
    return finish(reader, txn, err);
}

enum status jsonl_txn(struct jsonl *reader, struct error *err)
{
    struct txn txn = { 0 };
    enum status status = read_txn(reader, &txn, err);

    if (status != STATUS_OK && txn.is_named)
        return error_wrap(err, "transaction %" PRId64, txn.id);
    return status;
}

static enum status read_versions(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of versions", err));
    for (size_t n = 0;; n++) {
        struct version_name version;
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return builder_end_order(reader->builder, err);
        TRY(jsonl_version(reader, false, &version, err));
        TRY(builder_add_version(reader->builder, version, err));
        if (reader->fast)
            TRY(jsonl_fast_versions(reader, err));
    }
}

enum status jsonl_order(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct text name;

    TRY(json_open(json, '{', "a version-order object", err));
    TRY(json_field(json, 0, &name, err));
    TRY(json_open(json, '{', "an object of keys and version orders", err));
    for (size_t n = 0;; n++) {
        uint32_t key;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(builder_key(reader->builder, name, &key, err));
        TRY(builder_begin_order(reader->builder, key, err));
        if (read_versions(reader, err) != STATUS_OK)
            return error_wrap(err, "version order of \"%.*s\"", TEXT_PRINT(name));
    }
    TRY(json_field(json, 1, &name, err));
    if (name.at)
        return json_refuse_token(json, err, "\"version-order\" stands alone on its line");
    return json_end(json, err);
}
