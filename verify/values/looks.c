#include "verify/values/looks.h"

#include <inttypes.h>

#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

/* --- One version and one statement ---------------------------------------------- */

/* One who did not come, though it matches, may have been left out by the limit. */
static bool may_be_left_out(const struct verifier *v, const struct statement_query *q,
                            uint32_t head, struct value row)
{
    const struct history *h = v->h;
    uint32_t count = h->statement_row_count[q->statement];
    struct value last;
    int c;

    if (q->limit < 0 || count < (uint64_t)q->limit)
        return false;
    if (q->order.count == 0 || count == 0 || h->op_kind[head] != OP_SELECT)
        return true;
    last = history_value(h, head + count);
    return last.kind != VALUE_ROW || query_compare(q, last, row, &c) != OUTCOME_DONE || c <= 0;
}

/* Whether the answer may be what it is, whatever the other rows were. */
static bool agrees(const struct verifier *v, const struct statement_query *q, uint32_t head,
                   uint32_t returned, struct value row)
{
    enum match match = query_match(q, row);

    if (match == MATCH_UNDECIDED)
        return true;
    if (q->has_rows && returned == HISTORY_NONE && match == MATCH_YES &&
        !may_be_left_out(v, q, head, row))
        return false;
    if (q->has_rows && returned != HISTORY_NONE &&
        (match == MATCH_NO ||
         (v->h->op_kind[head] == OP_SELECT && v->h->op_value_kind[returned] != VALUE_NONE &&
          !versions_value_is_same(v->h, row, history_value(v->h, returned)))))
        return false;
    return match == MATCH_NO || q->limit >= 0 || query_aggregates_admit(q, row);
}

static bool is_appended(const struct verifier *v, uint32_t version)
{
    return version != VERSION_INITIAL && v->h->op_kind[version] == OP_APPEND;
}

enum status look_admits(struct verifier *v, uint32_t head, uint32_t key,
                        struct candidates *versions, struct error *err)
{
    uint32_t kept = 0, returned = lookup_row_of(v, head, key);
    struct statement_query q;

    TRY(verify_spend(v, versions->count, err));
    TRY(answer_open_statement(v, head, &q, err));
    for (uint32_t i = 0; i < versions->count; i++)
        if (is_appended(v, versions->at[i]) ||
            agrees(v, &q, head, returned, version_value(v, key, versions->at[i])))
            versions->at[kept++] = versions->at[i];
    query_close(&q);
    versions->count = kept;
    return STATUS_OK;
}

/* --- All of them ------------------------------------------------------------------ */

static void narrow_by_value(const struct verifier *v, uint32_t op, struct candidates *versions)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < versions->count; i++)
        if (version_has_value(v, v->h->op_key[op], versions->at[i], history_value(v->h, op)))
            versions->at[kept++] = versions->at[i];
    versions->count = kept;
}

enum status looks_narrow(struct verifier *v, uint32_t txn, uint32_t end, uint32_t key,
                         struct candidates *versions, struct error *err)
{
    const struct history *h = v->h;
    uint32_t first = h->txn_op[txn], by_values;

    /* Also the rows of the table that selects returned. */
    for (uint32_t op = first; op < end; op++)
        if (h->op_key[op] == key && !op_is_head(h->op_kind[op]) && answer_reads_value(v, txn, op))
            narrow_by_value(v, op, versions);
    by_values = versions->count;
    for (uint32_t op = first; op < end; op++)
        if (op_is_head(h->op_kind[op]) && answer_is_judged(v, txn, op) &&
            lookup_may_read(v, op, key))
            TRY(look_admits(v, op, key, versions, err));
    versions->is_narrowed = versions->count < by_values;
    return STATUS_OK;
}

/* --- Greatest and least ------------------------------------------------------------ */

enum status look_extreme(struct verifier *v, const struct statement_query *q, struct text name,
                         size_t *aggregate, struct error *err)
{
    const struct history *h = v->h;
    uint32_t first = h->statement_aggregate_start[q->statement];

    for (*aggregate = 0; *aggregate < q->aggregates.count; ++*aggregate)
        if (text_equal(history_text(h, h->aggregate_name[first + *aggregate]), name) &&
            h->aggregate_kind[first + *aggregate] == VALUE_INTEGER && q->limit < 0 &&
            query_is_extreme(q, *aggregate))
            return STATUS_OK;
    return verify_refuse(v, err, "the statement has no greatest or least integer %.*s",
                         TEXT_PRINT(name));
}

bool look_has_extreme(const struct verifier *v, const struct statement_query *q, size_t aggregate,
                      uint32_t key, uint32_t version)
{
    struct value row;

    if (is_appended(v, version))
        return true;
    row = version_value(v, key, version);
    return query_match(q, row) != MATCH_NO && query_has_extreme(q, aggregate, row);
}
