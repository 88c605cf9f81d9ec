#include "verify/versions/answer.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bisect.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/verify_private.h"
#include "verify/versions/versions.h"

bool answer_reads_value(const struct verifier *v, uint32_t txn, uint32_t op)
{
    const struct history *h = v->h;

    return h->txn_status[txn] == TXN_OK && op_is_read(h->op_kind[op]) &&
           !(h->op_flags[op] & OP_ERROR) && h->op_value_kind[op] != VALUE_NONE;
}

bool answer_is_judged(const struct verifier *v, uint32_t txn, uint32_t op)
{
    const struct history *h = v->h;
    uint8_t kind = h->op_kind[op];

    if (!op_is_head(kind))
        return kind == OP_READ && answer_reads_value(v, txn, op);
    return h->txn_status[txn] == TXN_OK && !(h->op_flags[op] & OP_ERROR) && kind != OP_INSERT &&
           (h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED);
}

enum status answer_open_statement(struct verifier *v, uint32_t head, struct statement_query *q,
                                  struct error *err)
{
    enum status status = query_open(q, v->h, v->h->op_key[head], err);

    v->is_refused |= status == STATUS_BAD_INPUT;
    if (status != STATUS_OK)
        query_close(q);
    return status;
}

/* --- What was read --------------------------------------------------------- */

/* The operation's own version set: its place in set_op, or set_count. */
static size_t find_set(const struct history *h, uint32_t op)
{
    size_t set;

    BISECT(set, 0, h->set_count, h->set_op[set] < op);
    return set < h->set_count && h->set_op[set] == op ? set : h->set_count;
}

void answer_prepare(struct verifier *v, uint32_t op)
{
    const struct history *h = v->h;
    size_t set;

    v->has_set = false;
    if (!v->basis->has_version_sets || h->set_count == 0)
        return;
    set = find_set(h, op);
    if (set == h->set_count)
        return;
    v->has_set = true;
    v->set_now++;
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        v->set_date[h->set_key[i]] = v->set_now;
        v->set_version[h->set_key[i]] = h->set_version[i];
    }
}

/* A key that a set leaves out has its initial version. */
static struct sight see_in_set(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t version = v->set_date[key] == v->set_now ? v->set_version[key] : VERSION_INITIAL;
    uint32_t writer;

    if (version == VERSION_INITIAL)
        return (struct sight){ .kind = SIGHT_SPOT, .spot = 0 };
    writer = v->op_txn[version];
    if (v->counting[writer] == COUNTS_PERHAPS)
        return (struct sight){ .kind = SIGHT_UNSAID };
    if (v->spot[version] == 0 || writer == txn)
        return (struct sight){ .kind = SIGHT_NOBODY };
    return (struct sight){ .kind = SIGHT_SPOT, .spot = v->spot[version] };
}

/* How many versions, by ts, are of a place before this one, or of this one too. */
static uint32_t count_until(const struct verifier *v, uint32_t key, struct place place,
                            bool inclusive)
{
    const uint32_t *by_ts = v->chain_by_ts + v->version_start[key];
    uint32_t count;

    BISECT(count, 0, chain_length(v, key),
           history_compare_places(history_ts(v->h, chain_txn_at(v, key, by_ts[count])), place) <
               inclusive);
    return count;
}

static struct sight see_at_place(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    const uint32_t *by_ts = v->chain_by_ts + v->version_start[key];
    struct place snapshot = history_op_snapshot(v->h, txn, op), ts = history_ts(v->h, txn);
    struct sight sight = { .kind = SIGHT_SPOT, .is_vague = key_is_vague(v, key) };
    uint32_t count;

    if (!v->chain_has_ts[key] || (snapshot.parts == 0 && ts.parts == 0))
        return (struct sight){ .kind = SIGHT_UNSAID };
    count =
        snapshot.parts > 0 ? count_until(v, key, snapshot, true) : count_until(v, key, ts, false);
    /* Its own is not what it finds: what it has written is asked for before. */
    if (count > 0 && chain_txn_at(v, key, by_ts[count - 1]) == txn)
        count--;
    sight.spot = count > 0 ? by_ts[count - 1] : 0;
    return sight;
}

/* The last version of those that the transaction sees by its place. */
static struct sight see_by_order(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t spot;

    BISECT(spot, 0, chain_length(v, key), v->place[chain_txn_at(v, key, spot + 1)] < v->seen[txn]);
    return (struct sight){ .kind = SIGHT_SPOT, .spot = spot, .is_vague = key_is_vague(v, key) };
}

struct sight answer_sight(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    if (!v->basis->has_version_sets)
        return see_by_order(v, txn, key);
    return v->has_set ? see_in_set(v, txn, key) : see_at_place(v, txn, op, key);
}

/* --- Items ------------------------------------------------------------------- */

/* Also of a row that a select returned. */
static enum answer_judgement judge_value(const struct verifier *v, uint32_t key, struct sight sight,
                                         struct value value)
{
    if (sight.kind == SIGHT_UNSAID || (sight.is_vague && v->append_base))
        return ANSWER_UNSAID;
    if (sight.kind == SIGHT_NOBODY)
        return ANSWER_WRONG;
    for (uint64_t i = v->chain_end[key]; sight.is_vague && i < v->version_start[key + 1]; i++)
        if (version_has_value(v, key, v->version[i], value))
            return ANSWER_UNSAID;
    if (version_has_value(v, key, chain_op_at(v, key, sight.spot), value))
        return sight.is_vague ? ANSWER_UNSAID : ANSWER_RIGHT;
    return ANSWER_WRONG;
}

enum answer_judgement answer_judge_item(const struct verifier *v, uint32_t txn, uint32_t op)
{
    uint32_t key = v->h->op_key[op], own = lookup_own(v, txn, op, key);
    struct value value = history_value(v->h, op);

    if (own == HISTORY_NONE)
        return judge_value(v, key, answer_sight(v, txn, op, key), value);
    if (key_is_vague(v, key) && v->append_base)
        return ANSWER_UNSAID;
    return version_has_value(v, key, own, value) ? ANSWER_RIGHT : ANSWER_WRONG;
}

/* --- Statements -------------------------------------------------------------- */

void answer_glance(const struct verifier *v, const struct statement_query *q, uint32_t txn,
                   uint32_t head, uint32_t key, struct glance *g)
{
    uint32_t version = lookup_own(v, txn, head, key);

    *g = (struct glance){ .key = key,
                          .is_own = version != HISTORY_NONE,
                          .row = { .kind = VALUE_NULL },
                          .row_op = lookup_row_of(v, head, key) };
    if (!g->is_own) {
        g->sight = answer_sight(v, txn, head, key);
        if (g->sight.kind != SIGHT_SPOT)
            return;
        version = chain_op_at(v, key, g->sight.spot);
    }
    g->row = version_value(v, key, version);
    g->match = query_match(q, g->row);
}

/* Whether a row came back twice. */
static bool has_twice(const struct verifier *v, uint32_t head)
{
    uint32_t count = v->h->statement_row_count[v->h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        if (lookup_came_twice(v, head, v->h->op_key[op]))
            return true;
    return false;
}

/* What a row by itself says of the answer. */
static enum answer_judgement judge_row(const struct verifier *v, const struct statement_query *q,
                                       uint8_t head_kind, const struct glance *g)
{
    bool is_vague = !g->is_own && (g->sight.kind == SIGHT_UNSAID || g->sight.is_vague);

    if (!q->has_rows)
        return !g->is_own && g->sight.kind == SIGHT_NOBODY ? ANSWER_WRONG : ANSWER_RIGHT;
    if (is_vague || g->match == MATCH_UNDECIDED)
        return ANSWER_UNSAID;
    if (!g->is_own && g->sight.kind == SIGHT_NOBODY)
        return ANSWER_WRONG;
    if (g->row_op == HISTORY_NONE)
        return g->match == MATCH_YES && q->limit < 0 ? ANSWER_WRONG : ANSWER_RIGHT;
    if (g->match != MATCH_YES)
        return ANSWER_WRONG;
    if (head_kind == OP_SELECT &&
        !versions_value_is_same(v->h, g->row, history_value(v->h, g->row_op)))
        return ANSWER_WRONG;
    return ANSWER_RIGHT;
}

/* The answer as a whole, while its rows are looked at. */
struct answer_tally {
    bool is_wrong, is_unsaid;
    uint64_t match_count;
    uint32_t row_count, first_row; /* those that came back */
};

static void compare_rows(const struct statement_query *q, struct value first, struct value second,
                         struct answer_tally *tally)
{
    int c;

    if (q->order.count == 0 || first.kind != VALUE_ROW || second.kind != VALUE_ROW)
        return;
    if (query_compare(q, first, second, &c) != OUTCOME_DONE)
        tally->is_unsaid = true;
    else
        tally->is_wrong |= c > 0;
}

static void tally_row(const struct verifier *v, struct statement_query *q, uint8_t head_kind,
                      const struct glance *g, struct answer_tally *tally)
{
    enum answer_judgement answer = judge_row(v, q, head_kind, g);
    bool is_seen = g->is_own || g->sight.kind == SIGHT_SPOT;

    tally->is_wrong |= answer == ANSWER_WRONG || (!is_seen && g->sight.kind == SIGHT_NOBODY);
    tally->is_unsaid |= answer == ANSWER_UNSAID || g->match == MATCH_UNDECIDED ||
                        (!g->is_own && (g->sight.kind == SIGHT_UNSAID || g->sight.is_vague));
    if (g->match != MATCH_YES)
        return;
    tally->match_count++;
    query_count(q, g->row);
    /* What a limit left out comes behind all that it let through. */
    if (q->limit >= 0 && q->has_rows && g->row_op == HISTORY_NONE && tally->row_count > 0)
        compare_rows(q, history_value(v->h, tally->first_row + tally->row_count - 1), g->row,
                     tally);
}

static enum answer_judgement tally_end(const struct verifier *v, const struct statement_query *q,
                                       struct answer_tally *tally)
{
    uint64_t wanted = tally->match_count;

    if (q->limit >= 0 && wanted > (uint64_t)q->limit)
        wanted = (uint64_t)q->limit;
    for (uint32_t i = 1; i < tally->row_count; i++)
        compare_rows(q, history_value(v->h, tally->first_row + i - 1),
                     history_value(v->h, tally->first_row + i), tally);
    if (tally->is_unsaid || q->is_unknown)
        return ANSWER_UNSAID;
    if (tally->is_wrong || (q->has_rows && wanted != tally->row_count) ||
        !query_aggregates_agree(q))
        return ANSWER_WRONG;
    return ANSWER_RIGHT;
}

static enum status judge_rows(struct verifier *v, struct statement_query *q, uint32_t txn,
                              glance_function *each, enum answer_judgement *answer,
                              struct error *err)
{
    uint32_t head = v->h->statement_op[q->statement];
    struct answer_tally tally = { .row_count = v->h->statement_row_count[q->statement],
                                  .first_row = head + 1 };
    struct glance glance;

    tally.is_wrong = has_twice(v, head);
    for (uint64_t i = v->table_keys.start[q->table]; i < v->table_keys.start[q->table + 1]; i++) {
        answer_glance(v, q, txn, head, v->table_keys.at[i], &glance);
        tally_row(v, q, v->h->op_kind[head], &glance, &tally);
        if (each && !tally.is_unsaid && !tally.is_wrong)
            TRY(each(v, q, txn, &glance, err));
    }
    *answer = tally_end(v, q, &tally);
    return STATUS_OK;
}

enum status answer_judge_statement(struct verifier *v, uint32_t txn, uint32_t head,
                                   glance_function *each, enum answer_judgement *answer,
                                   struct error *err)
{
    struct statement_query q;
    enum status status;

    TRY(answer_open_statement(v, head, &q, err));
    status = judge_rows(v, &q, txn, each, answer, err);
    query_close(&q);
    return status;
}

enum status answer_judge_row(struct verifier *v, uint32_t txn, uint32_t head, uint32_t key,
                             enum answer_judgement *answer, struct error *err)
{
    struct statement_query q;
    struct glance glance;

    TRY(answer_open_statement(v, head, &q, err));
    answer_glance(v, &q, txn, head, key, &glance);
    *answer = judge_row(v, &q, v->h->op_kind[head], &glance);
    query_close(&q);
    return STATUS_OK;
}

/* --- Versions that agree with what a transaction says -------------------------- */

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

enum status answer_admits(struct verifier *v, uint32_t head, uint32_t key,
                          struct candidates *versions, struct error *err)
{
    uint32_t kept = 0, returned = lookup_row_of(v, head, key);
    struct statement_query q;

    TRY(verify_spend(v, versions->count, err));
    TRY(answer_open_statement(v, head, &q, err));
    for (uint32_t i = 0; i < versions->count; i++)
        if (agrees(v, &q, head, returned, version_value(v, key, versions->at[i])))
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

enum status answer_narrow(struct verifier *v, uint32_t txn, uint32_t end, uint32_t key,
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
            TRY(answer_admits(v, op, key, versions, err));
    versions->is_narrowed = versions->count < by_values;
    return STATUS_OK;
}

/* --- Greatest and least ------------------------------------------------------------ */

enum status answer_find_extreme(struct verifier *v, const struct statement_query *q,
                                struct text name, size_t *aggregate, struct error *err)
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

bool answer_has_extreme(const struct verifier *v, const struct statement_query *q, size_t aggregate,
                        uint32_t key, uint32_t version)
{
    struct value row = version_value(v, key, version);

    return query_match(q, row) != MATCH_NO && query_has_extreme(q, aggregate, row);
}
