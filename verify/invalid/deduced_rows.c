/*
 * What statements tell by predicates, if nobody knows what they saw: which versions of a row
 * agree with its having been found or not. docs/format-witness.md, "Inferred orders".
 */
#include "verify/invalid/deduced_rows_private.h"

#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

/* Whether all rows that match came back, or else a row that did. */
static bool tells(const struct statement_query *q, uint8_t head_kind, bool is_returned)
{
    return is_returned ? head_kind != OP_SELECT : q->has_rows && q->limit < 0;
}

static enum match match_of(const struct verifier *v, const struct statement_query *q, uint32_t key,
                           uint32_t version)
{
    if (version != VERSION_INITIAL && v->h->op_kind[version] == OP_APPEND)
        return MATCH_UNDECIDED; /* a list is no row */
    return query_match(q, version_value(v, key, version));
}

struct row_versions {
    struct statement_query q;
    uint32_t txn, key, row; /* the row that came, or HISTORY_NONE */
    enum match wanted;
    bool is_undecided;
    struct deduced_versions found;
};

static void take_version(const struct verifier *v, struct row_versions *rows, uint32_t version)
{
    enum match match;

    if (version != VERSION_INITIAL && history_txn_of(v->h, version) == rows->txn)
        return;
    match = match_of(v, &rows->q, rows->key, version);
    rows->is_undecided |= match == MATCH_UNDECIDED;
    if (match != rows->wanted)
        return;
    rows->found.count++;
    rows->found.version = version;
}

static enum status take_versions(struct verifier *v, struct row_versions *rows, struct error *err)
{
    uint32_t key = rows->key;

    TRY(verify_spend(v, 1 + v->version_start[key + 1] - v->version_start[key], err));
    take_version(v, rows, VERSION_INITIAL);
    for (uint64_t i = v->version_start[key]; i < v->version_start[key + 1]; i++)
        take_version(v, rows, v->version[i]);
    return STATUS_OK;
}

static enum status open_row(struct verifier *v, uint32_t head, struct row_versions *rows,
                            struct error *err)
{
    TRY(answer_open_statement(v, head, &rows->q, err));
    rows->row = lookup_row_of(v, head, rows->key);
    rows->wanted = rows->row != HISTORY_NONE ? MATCH_YES : MATCH_NO;
    return STATUS_OK;
}

enum status deduced_row(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                        struct deduced_versions *found, struct error *err)
{
    struct row_versions rows = { .txn = txn, .key = key, .found.version = VERSION_UNKNOWN };
    enum status status = STATUS_OK;

    TRY(open_row(v, head, &rows, err));
    if (tells(&rows.q, v->h->op_kind[head], rows.row != HISTORY_NONE) &&
        lookup_own(v, txn, head, key) == HISTORY_NONE)
        status = take_versions(v, &rows, err);
    else
        rows.is_undecided = true;
    query_close(&rows.q);
    if (rows.is_undecided)
        rows.found.count = UINT64_MAX;
    *found = rows.found;
    return status;
}

enum status deduced_mismatch(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                             bool *is_wrong, struct error *err)
{
    struct row_versions rows = { .txn = txn, .key = key };
    struct deduced_versions found;
    enum match match = MATCH_UNDECIDED;
    uint32_t own;

    TRY(open_row(v, head, &rows, err));
    own = lookup_own(v, txn, head, key);
    if (rows.row != HISTORY_NONE && v->h->op_kind[head] == OP_SELECT)
        match = query_match(&rows.q, history_value(v->h, rows.row));
    else if (own != HISTORY_NONE && v->judges_own &&
             tells(&rows.q, v->h->op_kind[head], rows.wanted == MATCH_YES))
        match = match_of(v, &rows.q, key, own);
    query_close(&rows.q);
    *is_wrong = match != MATCH_UNDECIDED && match != rows.wanted;
    if (*is_wrong || own != HISTORY_NONE)
        return STATUS_OK;
    TRY(deduced_row(v, txn, head, key, &found, err));
    *is_wrong = found.count == 0;
    return STATUS_OK;
}
