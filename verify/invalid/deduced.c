/*
 * Verifies anomalies by what values alone tell of the order of versions: edges of a cycle, two
 * reads that exclude each other, versions in a circle. docs/format-witness.md, "Inferred orders".
 *
 * Nobody needs to say that an unknown transaction on a cycle committed: an edge leads out
 * of it, so that somebody read what it wrote, or has it for the version before its own.
 */
#include "verify/invalid/deduced_private.h"

#include <inttypes.h>

#include "verify/invalid/cycle_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/values/inferred.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

/* --- What predicates tell of rows ---------------------------------------------- */

/* How many versions of a row agree with an answer, and one of them. */
struct deduced_versions {
    uint64_t count; /* UINT64_MAX: nothing can be said */
    uint32_t version;
};

/* Whether all rows that match came back, or else a row that did. */
static bool tells(const struct statement_query *q, uint8_t head_kind, bool is_returned)
{
    return is_returned ? head_kind != OP_SELECT : q->has_rows && q->limit < 0;
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
    match = query_match(&rows->q, version_value(v, rows->key, version));
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

/*
 * Of a row that a statement would have found otherwise, or not found: which possible versions
 * of it agree with the answer.
 */
static enum status deduced_row(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
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
        match = query_match(&rows.q, version_value(v, key, own));
    query_close(&rows.q);
    *is_wrong = match != MATCH_UNDECIDED && match != rows.wanted;
    if (*is_wrong || own != HISTORY_NONE)
        return STATUS_OK;
    TRY(deduced_row(v, txn, head, key, &found, err));
    *is_wrong = found.count == 0;
    return STATUS_OK;
}

/* --- Edges ------------------------------------------------------------------- */

static enum status check_written(struct verifier *v, const struct named_edge *e,
                                 const struct edge_end *end, struct error *err)
{
    bool is_last =
        end->version != VERSION_INITIAL && lookup_left(v, end->txn, e->key) == end->version;

    if (!lookup_made_version(v, end->op, end->version))
        return cycle_refuse_edge(v, e, "the operation did not write the version", err);
    /* Each element of a list is to be seen. */
    if (v->counting[end->txn] == COUNTS_NOT || !(is_last || source_is_plain(v, e->key)))
        return cycle_refuse_edge(v, e, "the version was not left behind by one who committed", err);
    return STATUS_OK;
}

static enum status check_was_read(struct verifier *v, const struct named_edge *e,
                                  const struct edge_end *end, struct error *err)
{
    uint32_t op = op_is_head(v->h->op_kind[end->op]) ? lookup_row_of(v, end->op, e->key) : end->op;

    return op != HISTORY_NONE && v->h->op_key[op] == e->key &&
                   inferred_read(v, end->txn, op) == end->version
               ? STATUS_OK
               : cycle_refuse_edge(v, e, "the operation need not have read that version", err);
}

/* The only version of the row that the statement can have seen. */
static enum status check_was_seen(struct verifier *v, const struct named_edge *e,
                                  const struct edge_end *end, struct error *err)
{
    struct deduced_versions found;

    if (!op_is_head(v->h->op_kind[end->op]) || !answer_is_judged(v, end->txn, end->op) ||
        !lookup_may_read(v, end->op, e->key))
        return cycle_refuse_edge(v, e, "the operation saw no such row", err);
    TRY(deduced_row(v, end->txn, end->op, e->key, &found, err));
    return found.count == 1 && found.version == end->version
               ? STATUS_OK
               : cycle_refuse_edge(v, e, "the statement need not have seen that version", err);
}

enum status deduced_is_of_wrong_list(struct verifier *v, const struct named_edge *e, bool *is_it,
                                     struct error *err)
{
    const struct history *h = v->h;
    uint32_t txn = e->from_end.txn, op = e->from_end.op;
    uint32_t from = e->from_end.version, to = e->to_end.version;
    struct reading reading = { 0 };
    struct list_elements list;

    *is_it = false;
    if (e->w->kind != EDGE_RW || op_is_head(h->op_kind[op]) || h->op_key[op] != e->key ||
        !answer_reads_value(v, txn, op) || from == VERSION_INITIAL || to == VERSION_INITIAL ||
        h->op_kind[from] != OP_APPEND || h->op_kind[to] != OP_APPEND ||
        lookup_own_before(v, op) != HISTORY_NONE)
        return STATUS_OK;
    TRY(sources_read(v, txn, op, &reading, err));
    list = versions_elements(h, history_value(h, op));
    *is_it = reading.is_plain && reading.kind == READING_WRONG && list.count > 0 &&
             list.at[list.count - 1] == h->op_value[from] &&
             !versions_value_has_element(h, history_value(h, op), h->op_value[to]);
    return STATUS_OK;
}

/* By what is inferred, or that and the orders that were derived, one behind the other. */
static enum status is_before_by_derived(struct verifier *v, uint32_t key, uint32_t first,
                                        uint32_t second, bool *is_before, struct error *err)
{
    const struct derived_order *d = v->derived.at;
    size_t count = v->derived.count;
    bool by_order, goes_on = true, *is_reached;

    TRY(inferred_is_before(v, key, first, second, is_before, err));
    if (*is_before || count == 0)
        return STATUS_OK;
    by_order = v->by_order;
    TRY(VERIFY_GET(v, is_reached, count, err));
    while (goes_on && !*is_before) {
        goes_on = false;
        for (size_t i = 0; i < count && !*is_before; i++) {
            bool follows = d[i].first == first;

            TRY(verify_spend(v, count, err));
            if (is_reached[i] || d[i].key != key)
                continue;
            if (!follows)
                TRY(inferred_is_before(v, key, first, d[i].first, &follows, err));
            by_order |= v->by_order;
            for (size_t k = 0; k < count && !follows; k++)
                follows = is_reached[k] && d[k].second == d[i].first;
            for (size_t k = 0; k < count && !follows; k++) {
                if (is_reached[k])
                    TRY(inferred_is_before(v, key, d[k].second, d[i].first, &follows, err));
                by_order |= v->by_order;
            }
            if (!follows)
                continue;
            is_reached[i] = goes_on = true;
            *is_before = d[i].second == second;
            if (!*is_before)
                TRY(inferred_is_before(v, key, d[i].second, second, is_before, err));
            by_order |= v->by_order;
        }
    }
    v->by_order = by_order;
    return STATUS_OK;
}

static enum status is_before(struct verifier *v, const struct named_edge *e, bool *is_it,
                             struct error *err)
{
    uint32_t first = e->from_end.version, second = e->to_end.version;

    TRY(is_before_by_derived(v, e->key, first, second, is_it, err));
    return *is_it ? STATUS_OK : inferred_is_before_by_row(v, e->key, first, second, is_it, err);
}

const struct edge_rules deduced_rules = { check_written, check_was_read, check_was_seen, is_before,
                                          .unordered =
                                              "nothing says in which order the versions stand" };

/* --- Two reads --------------------------------------------------------------- */

struct half {
    uint32_t txn, op, version;
    struct list_elements list;
};

static enum status look_at_half(struct verifier *v, const struct witness_read *w, uint32_t key,
                                struct half *half, struct error *err)
{
    struct reading reading = { 0 };

    TRY(lookup_txn(v, w->txn, &half->txn, err));
    TRY(lookup_op(v, half->txn, w->op, &half->op, err));
    (void)verify_add_part(v, half->txn);
    if (op_is_head(v->h->op_kind[half->op]))
        half->op = lookup_row_of(v, half->op, key);
    if (half->op == HISTORY_NONE || v->h->op_key[half->op] != key)
        return verify_refuse(
            v, err, "operation %" PRId64 " of transaction %" PRId64 " did not read the key", w->op,
            w->txn);
    TRY(sources_read(v, half->txn, half->op, &reading, err));
    half->version = VERSION_UNKNOWN;
    (void)source_is_only(v, &reading, &half->version);
    if (!v->judges_own && lookup_own_before(v, half->op) != HISTORY_NONE)
        return verify_refuse(v, err, "the level does not judge reads of what was written before");
    half->list = versions_elements(v->h, history_value(v->h, half->op));
    return STATUS_OK;
}

static enum status check_incompatible(struct verifier *v, uint32_t key, const struct half *half,
                                      struct error *err)
{
    const struct list_elements *a = &half[0].list, *b = &half[1].list;

    if (!source_is_plain(v, key))
        return verify_refuse(v, err, "it is no list that was appended to and nothing else");
    for (uint64_t i = 0; i < a->count && i < b->count; i++)
        if (a->at[i] != b->at[i])
            return STATUS_OK;
    return verify_refuse(v, err, "one list is a prefix of the other");
}

/* Both read the same version, and both left another one. */
static enum status check_lost_update(struct verifier *v, uint32_t key, const struct half *half,
                                     struct error *err)
{
    if (!v->basis->infers_versions || !v->forbids_lost_update)
        return verify_refuse(v, err, "%s does not forbid a lost update", level_name(v->w->level));
    if (half[0].txn == half[1].txn || half[0].version == VERSION_UNKNOWN ||
        half[0].version != half[1].version)
        return verify_refuse(v, err, "they need not have read one version");
    for (int i = 0; i < 2; i++)
        if (lookup_left(v, half[i].txn, key) == HISTORY_NONE)
            return verify_refuse(v, err, "one of the two did not go on to write the key");
    return STATUS_OK;
}

enum status verify_reads(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    struct half halves[2];
    uint32_t key = 0;

    if (!v->judges_reads)
        return verify_refuse(v, err, "%s does not judge reads", level_name(v->w->level));
    if (!text_equal(a->reads[0].key, a->reads[1].key))
        return verify_refuse(v, err, "the two reads are of different keys");
    TRY(lookup_key(v, a->reads[0].key, &key, err));
    for (int i = 0; i < 2; i++)
        TRY(look_at_half(v, &a->reads[i], key, &halves[i], err));
    if (a->kind == ANOMALY_INCOMPATIBLE_ORDER)
        return check_incompatible(v, key, halves, err);
    if (a->kind == ANOMALY_LOST_UPDATE)
        return check_lost_update(v, key, halves, err);
    return verify_refuse(v, err, "two reads are no %s", anomaly_name(a->kind));
}

/* --- An aborted append before a committed one --------------------------------- */

enum status verify_dirty_update(struct verifier *v, const struct witness_anomaly *a, uint32_t key,
                                const uint32_t *ops, struct error *err)
{
    const struct history *h = v->h;
    struct witness_read place = { .txn = a->writes.read.txn, .op = a->writes.read.op };
    uint32_t twin = HISTORY_NONE;
    bool has_first = false;
    struct half half;

    if (!a->writes.has_read || !v->basis->infers_versions || !v->judges_reads)
        return verify_refuse(v, err, "no list was read that shows it");
    TRY(look_at_half(v, &place, key, &half, err));
    if (h->op_kind[ops[0]] != OP_APPEND || h->op_kind[ops[1]] != OP_APPEND)
        return verify_refuse(v, err, "they are no two appends");
    TRY(source_of_element(v, key, h->op_value[ops[0]], &twin, err));
    if (twin != HISTORY_NONE || v->counting[history_txn_of(h, ops[0])] != COUNTS_NOT ||
        v->counting[history_txn_of(h, ops[1])] == COUNTS_NOT)
        return verify_refuse(v, err, "the first is not of one who aborted, or the second is");
    for (uint64_t i = 0; i < half.list.count; i++) {
        has_first |= half.list.at[i] == h->op_value[ops[0]];
        if (has_first && half.list.at[i] == h->op_value[ops[1]])
            return STATUS_OK;
    }
    return verify_refuse(v, err, "the list does not have the one before the other");
}

/* --- Versions in a circle ---------------------------------------------------- */

/* Who wrote it may be told among those who take part, or not. */
static enum status find_step_version(struct verifier *v, const struct witness_anomaly *a,
                                     const struct witness_version *name, uint32_t key,
                                     uint32_t *version, struct error *err)
{
    uint32_t txn;

    TRY(lookup_version(v, name, key, version, err));
    if (*version == VERSION_INITIAL)
        return STATUS_OK;
    txn = history_txn_of(v->h, *version);
    TRY(verify_spend(v, v->h->txn_op[txn + 1] - v->h->txn_op[txn] + a->txns.count, err));
    for (size_t i = 0; i < a->txns.count; i++)
        if (a->txns.at[i] == name->txn)
            (void)verify_add_part(v, txn);
    return STATUS_OK;
}

static enum status check_step(struct verifier *v, const struct witness_anomaly *a,
                              const struct witness_step *w, uint32_t key, uint32_t ends[2],
                              struct error *err)
{
    const struct history *h = v->h;
    uint32_t txns[2] = { 0 };
    bool is_true;

    TRY(find_step_version(v, a, &w->from, key, &ends[0], err));
    TRY(find_step_version(v, a, &w->to, key, &ends[1], err));
    for (int i = 0; i < (w->by == STEP_BY_TXN ? 1 : 2); i++) {
        TRY(lookup_txn(v, w->txns[i], &txns[i], err));
        (void)verify_add_part(v, txns[i]);
        TRY(verify_spend(v, h->txn_op[txns[i] + 1] - h->txn_op[txns[i]], err));
    }
    if (w->by == STEP_BY_TXN)
        is_true = h->txn_status[txns[0]] == TXN_OK &&
                  inferred_by_update(v, txns[0], key, ends[0], ends[1]);
    else
        is_true =
            inferred_by_order(v, w->by == STEP_BY_SESSION ? CLOSED_BY_SESSIONS : CLOSED_BY_TIME,
                              txns, key, ends[0], ends[1]);
    return verify_need(v, is_true, err, "nothing says that the one version is before the other");
}

enum status verify_circle(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    uint32_t key = 0, ends[2], first = 0, last = 0;

    if (!v->basis->infers_versions || a->kind != ANOMALY_CYCLIC_VERSIONS)
        return verify_refuse(v, err, "versions in a circle are no %s", anomaly_name(a->kind));
    TRY(lookup_key(v, a->key, &key, err));
    for (size_t i = 0; i < a->versions.count; i++) {
        TRY(check_step(v, a, &a->versions.at[i], key, ends, err));
        if (i == 0)
            first = ends[0];
        else if (ends[0] != last)
            return verify_refuse(v, err, "step %zu does not begin where the one before ends", i);
        last = ends[1];
    }
    return verify_need(v, last == first, err, "the last step does not lead to the first");
}
