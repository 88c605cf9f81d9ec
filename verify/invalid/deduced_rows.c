/*
 * What statements tell by predicates, if nobody knows what they saw: which versions of a row
 * agree with its having been found or not. docs/format-witness.md, "Inferred orders".
 */
#include "verify/invalid/deduced_rows_private.h"

#include "verify/sql/query.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/sight.h"
#include "verify/versions/versions.h"

/* Whether all rows that match came back, or else a row that did. */
static bool tells(const struct query *q, uint8_t head_kind, bool is_returned)
{
    return is_returned ? head_kind != OP_SELECT : q->has_rows && q->limit < 0;
}

static enum match match_of(const struct verifier *v, const struct query *q, uint32_t key,
                           uint32_t version)
{
    if (version != VERSION_INITIAL && v->h->op_kind[version] == OP_APPEND)
        return MATCH_UNDECIDED; /* a list is no row */
    return query_match(q, version_value(v, key, version));
}

struct rows {
    const struct query *q;
    uint32_t txn, key;
    enum match wanted;
    bool is_undecided;
    uint64_t count;
    uint32_t version;
};

static void take_version(const struct verifier *v, struct rows *rows, uint32_t version)
{
    enum match match;

    if (version != VERSION_INITIAL && history_txn_of(v->h, version) == rows->txn)
        return;
    match = match_of(v, rows->q, rows->key, version);
    rows->is_undecided |= match == MATCH_UNDECIDED;
    if (match != rows->wanted)
        return;
    rows->count++;
    rows->version = version;
}

static enum status take_versions(struct verifier *v, struct rows *rows, struct error *err)
{
    uint32_t key = rows->key;

    TRY(verify_spend(
        v, 1 + chain_length(v, key) + (v->perhaps_start[key + 1] - v->perhaps_start[key]), err));
    take_version(v, rows, VERSION_INITIAL);
    for (uint64_t i = v->chain_start[key]; i < v->chain_start[key + 1]; i++)
        take_version(v, rows, v->chain[i]);
    for (uint64_t i = v->perhaps_start[key]; i < v->perhaps_start[key + 1]; i++)
        take_version(v, rows, v->perhaps[i]);
    return STATUS_OK;
}

static enum status open_row(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                            struct query *q, uint32_t *row, struct error *err)
{
    TRY(answer_open_statement(v, head, q, err));
    sight_own_pass_until(v, txn, head);
    enum status status = sources_row(v, head, key, row, err);
    if (status != STATUS_OK)
        query_close(q);
    return status;
}

enum status deduced_row(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                        uint64_t *count, uint32_t *version, struct error *err)
{
    struct rows rows = { .txn = txn, .key = key, .version = VERSION_UNKNOWN };
    uint32_t row = HISTORY_NONE;
    enum status status;
    struct query q;

    *count = UINT64_MAX;
    TRY(open_row(v, txn, head, key, &q, &row, err));
    rows.q = &q;
    rows.wanted = row != HISTORY_NONE ? MATCH_YES : MATCH_NO;
    status = STATUS_OK;
    if (tells(&q, v->h->op_kind[head], row != HISTORY_NONE) &&
        sight_own_version(v, key) == HISTORY_NONE)
        status = take_versions(v, &rows, err);
    else
        rows.is_undecided = true;
    query_close(&q);
    if (!rows.is_undecided)
        *count = rows.count;
    *version = rows.version;
    return status;
}

enum status deduced_mismatch(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                             bool *is_wrong, struct error *err)
{
    uint32_t row = HISTORY_NONE, own, version;
    enum match match = MATCH_UNDECIDED, wanted;
    uint64_t count = UINT64_MAX;
    struct query q;

    TRY(open_row(v, txn, head, key, &q, &row, err));
    own = sight_own_version(v, key);
    wanted = row != HISTORY_NONE ? MATCH_YES : MATCH_NO;
    if (row != HISTORY_NONE && v->h->op_kind[head] == OP_SELECT)
        match = query_match(&q, history_value(v->h, row));
    else if (own != HISTORY_NONE && v->judges_own &&
             tells(&q, v->h->op_kind[head], wanted == MATCH_YES))
        match = match_of(v, &q, key, own);
    query_close(&q);
    *is_wrong = match != MATCH_UNDECIDED && match != wanted;
    if (*is_wrong || own != HISTORY_NONE)
        return STATUS_OK;
    TRY(deduced_row(v, txn, head, key, &count, &version, err));
    *is_wrong = count == 0;
    return STATUS_OK;
}
