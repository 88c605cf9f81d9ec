/*
 * Verifies anomalies of one operation or of two writes, and does what the proofs of all anomalies
 * need.
 */
#include "verify/invalid/anomaly.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "verify/basis_private.h"
#include "verify/instants/instant_proof.h"
#include "verify/invalid/cycle_private.h"
#include "verify/invalid/deduced_private.h"
#include "verify/invalid/refutation_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/values/sources.h"
#include "verify/values/workload.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

/* --- Reads ------------------------------------------------------------------- */

/* An operation that is to blame, with what it names looked up. */
struct blamed {
    const struct witness_anomaly *w;
    uint32_t txn, op, key, version;
    bool is_head;
    struct value value; /* of the key; none if the answer does not tell */
};

static enum status refuse_read(struct verifier *v, const struct blamed *b, const char *why,
                               struct error *err)
{
    return verify_refuse(v, err, "transaction %" PRId64 ": operation %" PRId64 ": %s",
                         b->w->read.txn, b->w->read.op, why);
}

static enum status look_up_read(struct verifier *v, struct blamed *b, struct error *err)
{
    const struct witness_read *w = &b->w->read;

    b->key = HISTORY_NONE;
    TRY(lookup_txn(v, w->txn, &b->txn, err));
    TRY(lookup_op(v, b->txn, w->op, &b->op, err));
    b->is_head = op_is_head(v->h->op_kind[b->op]);
    if (!answer_is_judged(v, b->txn, b->op))
        return refuse_read(v, b, "it has no answer that means anything", err);
    if (w->has_key)
        TRY(lookup_key(v, w->key, &b->key, err));
    if (w->has_key ? !lookup_may_read(v, b->op, b->key) : !b->is_head || w->has_version)
        return refuse_read(v, b, "it is not said which key is to blame", err);
    (void)verify_add_part(v, b->txn);
    if (!w->has_version)
        return STATUS_OK;
    TRY(lookup_version(v, &w->version, b->key, &b->version, err));
    if (b->version != VERSION_INITIAL)
        (void)verify_add_part(v, history_txn_of(v->h, b->version));
    return STATUS_OK;
}

static void find_value(const struct verifier *v, struct blamed *b)
{
    const struct history *h = v->h;
    uint32_t row = b->op;

    b->value = (struct value){ .kind = VALUE_NONE };
    if (b->is_head)
        row = b->key != HISTORY_NONE ? lookup_row_of(v, b->op, b->key) : HISTORY_NONE;
    if (row != HISTORY_NONE && op_is_read(h->op_kind[row]))
        b->value = history_value(h, row);
}

/* It wrote the key before, or read something else there. */
static bool contradicts_itself(const struct verifier *v, const struct blamed *b)
{
    const struct history *h = v->h;

    if (b->key == HISTORY_NONE)
        return false;
    if (lookup_own(v, b->txn, b->op, b->key) != HISTORY_NONE)
        return true;
    for (uint32_t op = h->txn_op[b->txn]; op < b->op && b->value.kind != VALUE_NONE; op++)
        if (op_is_read(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR) &&
            h->op_key[op] == b->key && h->op_value_kind[op] != VALUE_NONE &&
            !versions_value_is_same(h, history_value(h, op), b->value))
            return true;
    return false;
}

/* Whether a list ends within what a transaction appended; in `weak`, any part of it is torn. */
static bool is_partial(const struct verifier *v, const struct reading *r)
{
    if (v->basis->searches_orders || !r->is_plain || r->kind != READING_OF_OTHERS)
        return false;
    return r->element_op != r->version || r->is_torn;
}

/* What others had appended of a list that a transaction read behind its own appends; false: it lacks them. */
static bool others_elements(const struct verifier *v, uint32_t txn, uint32_t op,
                            struct list_elements *others)
{
    uint32_t own = lookup_own_count(v, txn, op, v->h->op_key[op]);

    *others = versions_elements(v->h, history_value(v->h, op));
    if (others->count < own)
        return false;
    others->count -= own;
    return true;
}

/* Whether what others had appended is not what it was when the reader looked at the list before. */
static bool has_changed(const struct verifier *v, const struct reading *r)
{
    const struct history *h = v->h;
    struct list_elements now, then;
    /* Where nobody keeps two writers apart, its own version may stand behind what it had not seen. */
    bool may_grow = LEVEL_BIT(v->w->level) & (LEVEL_BIT(LEVEL_READ_ATOMIC) |
                                              LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX));

    if (!r->is_plain || r->kind != READING_OF_OTHERS || !v->repeats_reads ||
        lookup_own_before(v, r->op) == HISTORY_NONE || !others_elements(v, r->txn, r->op, &now))
        return false;
    for (uint32_t op = h->txn_op[r->txn]; op < r->op; op++) {
        if (h->op_key[op] != r->key || !answer_reads_value(v, r->txn, op))
            continue;
        /* Too short a list, which lacks what it had appended itself, says nothing of others. */
        if (others_elements(v, r->txn, op, &then) &&
            (now.count < then.count || (now.count > then.count && !may_grow) ||
             (then.count > 0 && memcmp(now.at, then.at, then.count * sizeof *now.at) != 0)))
            return true;
    }
    return false;
}

/* By what clients saw alone: no version is possible, or it had read something else there. */
static enum status judge_by_values(struct verifier *v, const struct blamed *b,
                                   enum answer_judgement *answer, struct error *err)
{
    uint32_t row = b->op;
    struct reading reading;
    bool never_was, has_own;

    if (b->is_head && b->key != HISTORY_NONE)
        row = lookup_row_of(v, b->op, b->key);
    if (row == HISTORY_NONE || op_is_head(v->h->op_kind[row]))
        return STATUS_OK;
    TRY(sources_read(v, b->txn, row, &reading, err));
    *answer = ANSWER_RIGHT;
    has_own = lookup_own(v, b->txn, b->op, b->key) != HISTORY_NONE;
    if (has_own && !v->judges_own) {
        TRY(source_list_never_was(v, &reading, &never_was, err));
        if (never_was || source_is_nowhere(v, &reading))
            *answer = ANSWER_WRONG;
        return STATUS_OK;
    }
    if (reading.kind == READING_WRONG || is_partial(v, &reading) || has_changed(v, &reading) ||
        (v->repeats_reads && !has_own && contradicts_itself(v, b)))
        *answer = ANSWER_WRONG;
    return STATUS_OK;
}

static enum status judge_row_by_values(struct verifier *v, const struct blamed *b,
                                       enum answer_judgement *answer, struct error *err)
{
    bool is_wrong;

    if (!b->is_head || b->key == HISTORY_NONE || b->w->read.has_version)
        return STATUS_OK;
    TRY(deduced_mismatch(v, b->txn, b->op, b->key, &is_wrong, err));
    *answer = is_wrong ? ANSWER_WRONG : ANSWER_RIGHT;
    return STATUS_OK;
}

static enum status judge(struct verifier *v, const struct blamed *b, struct error *err)
{
    enum answer_judgement answer = ANSWER_UNSAID;

    answer_prepare(v, b->op);
    if (v->basis->infers_versions && b->w->kind == ANOMALY_RESULT_SET_MISMATCH)
        TRY(judge_row_by_values(v, b, &answer, err));
    else if (v->basis->is_of_clients)
        TRY(judge_by_values(v, b, &answer, err));
    else if (!b->is_head)
        answer = answer_judge_item(v, b->txn, b->op);
    else if (b->key != HISTORY_NONE)
        TRY(answer_judge_row(v, b->txn, b->op, b->key, &answer, err));
    else
        TRY(answer_judge_statement(v, b->txn, b->op, NULL, &answer, err));
    if (answer == ANSWER_UNSAID)
        return refuse_read(v, b, "nothing says what it read", err);
    return answer == ANSWER_WRONG ? STATUS_OK : refuse_read(v, b, "its answer is right", err);
}

/* --- Where an answer came from ----------------------------------------------- */

/* With values alone it may do so before what the reader itself had appended. */
static bool list_ends_with(const struct verifier *v, const struct blamed *b, int64_t element)
{
    struct list_elements list = versions_elements(v->h, b->value);
    uint64_t own = 0;

    if (v->basis->infers_versions && !b->is_head)
        own = lookup_own_count(v, b->txn, b->op, b->key);
    return (list.count > 0 && list.at[list.count - 1] == element) ||
           (list.count > own && list.at[list.count - own - 1] == element);
}

/* A row that did not come back came from a version that does not match. */
static enum status row_fits(struct verifier *v, const struct blamed *b, bool *fits,
                            struct error *err)
{
    bool is_returned = lookup_row_of(v, b->op, b->key) != HISTORY_NONE;
    enum match match;
    struct statement_query q;

    TRY(answer_open_statement(v, b->op, &q, err));
    match = query_match(&q, version_value(v, b->key, b->version));
    query_close(&q);
    *fits = match == (is_returned ? MATCH_YES : MATCH_NO);
    return STATUS_OK;
}

static enum status check_origin(struct verifier *v, const struct blamed *b, struct error *err)
{
    const struct history *h = v->h;
    bool fits, is_append = b->version != VERSION_INITIAL && h->op_kind[b->version] == OP_APPEND;

    if (is_append && b->w->kind == ANOMALY_G1B)
        fits = list_ends_with(v, b, h->op_value[b->version]);
    else if (is_append)
        fits = versions_value_has_element(h, b->value, h->op_value[b->version]);
    else if (b->value.kind != VALUE_NONE)
        fits = versions_value_is_same(h, version_value(v, b->key, b->version), b->value);
    else
        TRY(row_fits(v, b, &fits, err));
    return fits ? STATUS_OK : refuse_read(v, b, "its answer is not of that version", err);
}

/* --- Kinds of reads ---------------------------------------------------------- */

/* Whether a list has an element twice. */
static enum status check_repeated(struct verifier *v, const struct blamed *b, struct error *err)
{
    struct list_elements list = versions_elements(v->h, b->value);
    struct map elements = { 0 };
    enum status status = STATUS_OK;
    size_t place;

    for (uint64_t i = 0; i < list.count && status == STATUS_OK; i++)
        status = map_add(&elements, (uint64_t)list.at[i], 0, &place, err);
    if (status == STATUS_OK && elements.keys.count == list.count)
        status = refuse_read(v, b, "no element was read twice", err);
    map_close(&elements);
    return status;
}

/* Whether nobody wrote the value, committed or not. */
static enum status check_garbage(struct verifier *v, const struct blamed *b, struct error *err)
{
    bool strange = false;

    if (b->value.kind != VALUE_NONE)
        TRY(versions_written_by_nobody(v, b->key, b->value, &strange, err));
    /* Of a list it is enough that it never was so: it has been found to be wrong. */
    strange |=
        v->basis->infers_versions && (source_is_plain(v, b->key) || b->value.kind == VALUE_LIST);
    return strange ? STATUS_OK : refuse_read(v, b, "somebody wrote what it read", err);
}

static enum status check_kind_of_read(struct verifier *v, const struct blamed *b, struct error *err)
{
    bool has_version = b->w->read.has_version, is_written, is_true;
    uint32_t writer = 0;

    is_written = has_version && b->version != VERSION_INITIAL;
    if (is_written)
        writer = history_txn_of(v->h, b->version);
    switch (b->w->kind) {
    case ANOMALY_G1A:
        is_true = is_written && v->counting[writer] == COUNTS_NOT;
        break;
    case ANOMALY_G1B:
        is_true = is_written && writer != b->txn &&
                  lookup_own(v, writer, HISTORY_NONE, b->key) != b->version;
        break;
    case ANOMALY_FUTURE_READ:
        is_true = is_written && writer == b->txn && b->version > b->op;
        break;
    case ANOMALY_INTERNAL:
        is_true = contradicts_itself(v, b);
        break;
    case ANOMALY_GARBAGE_READ:
        if (!has_version && b->key != HISTORY_NONE && !v->basis->saturates)
            return check_garbage(v, b, err);
        /* In `weak` that no version is possible is enough. */
        is_true = !has_version && v->basis->saturates;
        break;
    case ANOMALY_DUPLICATE_ELEMENTS:
        if (!has_version && v->basis->is_of_clients)
            return check_repeated(v, b, err);
        is_true = false;
        break;
    case ANOMALY_RESULT_SET_MISMATCH:
        is_true = !v->basis->is_of_clients || v->basis->infers_versions;
        break;
    default:
        is_true = false;
    }
    return verify_need(v, is_true, err, "the read is no %s", anomaly_name(b->w->kind));
}

static enum status verify_read(struct verifier *v, const struct witness_anomaly *a,
                               struct error *err)
{
    struct blamed b = { .w = a };

    /* No order of appends explains a list that has one of them twice. */
    if (!v->judges_reads && !(v->basis->infers_versions && a->kind == ANOMALY_DUPLICATE_ELEMENTS))
        return verify_refuse(v, err, "%s does not judge reads", level_name(v->w->level));
    TRY(look_up_read(v, &b, err));
    find_value(v, &b);
    TRY(judge(v, &b, err));
    if (a->read.has_version)
        TRY(check_origin(v, &b, err));
    return check_kind_of_read(v, &b, err);
}

/* --- Writes ------------------------------------------------------------------ */

static enum status check_duplicate(struct verifier *v, const uint32_t *op, struct error *err)
{
    const struct history *h = v->h;
    bool is_append = h->op_kind[op[0]] == OP_APPEND;
    struct value first = history_value(h, op[0]), second = history_value(h, op[1]);
    bool is_same =
        is_append == (h->op_kind[op[1]] == OP_APPEND) &&
        (is_append ? first.bits == second.bits : versions_value_is_same(h, first, second));

    if (h->unique != 1)
        return verify_refuse(v, err, "the history does not say that values are unique");
    if (v->counting[history_txn_of(h, op[0])] != COUNTS ||
        v->counting[history_txn_of(h, op[1])] != COUNTS)
        return verify_refuse(v, err, "one of the two may not have committed");
    if (op[0] == op[1] || first.kind == VALUE_NONE || first.kind == VALUE_NULL || !is_same)
        return verify_refuse(v, err, "the two writes are not of one value");
    return STATUS_OK;
}

/* The second took its snapshot before the first's place, and committed behind it. */
static enum status check_lost_update(struct verifier *v, const uint32_t *op, struct error *err)
{
    const struct history *h = v->h;
    uint32_t first = history_txn_of(h, op[0]), second = history_txn_of(h, op[1]);
    struct place ts = history_ts(h, first), snapshot = history_txn_snapshot(h, second);

    if (!v->is_snapshot || !v->basis->has_version_sets)
        return verify_refuse(v, err, "only snapshots by a certificate forbid updates by place");
    if (first == second || v->counting[first] != COUNTS || v->counting[second] != COUNTS)
        return verify_refuse(v, err, "an update is lost between two who committed");
    if (ts.parts == 0 || snapshot.parts == 0 || history_compare_places(snapshot, ts) >= 0 ||
        history_compare_places(ts, history_ts(h, second)) >= 0)
        return verify_refuse(v, err, "the second update's snapshot has the first");
    return STATUS_OK;
}

/* Where the key's version order has a version; its length: nowhere. */
static uint64_t place_in_order(const struct history *h, uint32_t order, uint32_t version)
{
    uint64_t from = h->order_start[order], i = from;

    while (i < h->order_start[order + 1] && h->order_version[i] != version)
        i++;
    return i - from;
}

/* The version order has the first before the second, whose ts is smaller. */
static enum status check_contradiction(struct verifier *v, uint32_t key, const uint32_t *op,
                                       struct error *err)
{
    const struct history *h = v->h;
    uint32_t order = h->key_order[key];
    struct place first = history_ts(h, history_txn_of(h, op[0]));
    struct place second = history_ts(h, history_txn_of(h, op[1]));
    uint64_t place;

    if (v->basis->is_of_clients)
        return verify_refuse(v, err, "the checker makes no use of places");
    if (order == HISTORY_NONE)
        return verify_refuse(v, err, "the key has no version order");
    place = place_in_order(h, order, op[1]);
    if (place == h->order_start[order + 1] - h->order_start[order] ||
        place_in_order(h, order, op[0]) >= place)
        return verify_refuse(v, err, "the version order does not have the first before the second");
    if (first.parts == 0 || second.parts == 0 || history_compare_places(second, first) >= 0)
        return verify_refuse(v, err, "their places do not contradict that");
    return STATUS_OK;
}

static enum status verify_writes(struct verifier *v, const struct witness_anomaly *a,
                                 struct error *err)
{
    uint32_t key, op[2];

    TRY(lookup_key(v, a->writes.key, &key, err));
    for (int i = 0; i < 2; i++) {
        TRY(lookup_version(v, &a->writes.versions[i], key, &op[i], err));
        if (op[i] == VERSION_INITIAL)
            return verify_refuse(v, err, "nobody wrote the initial version");
        (void)verify_add_part(v, history_txn_of(v->h, op[i]));
    }
    if (a->kind == ANOMALY_DIRTY_UPDATE)
        return verify_dirty_update(v, a, key, op, err);
    if (a->writes.has_read)
        return verify_refuse(v, err, "a read proves no %s", anomaly_name(a->kind));
    if (a->kind == ANOMALY_DUPLICATE_WRITE)
        return check_duplicate(v, op, err);
    if (a->kind == ANOMALY_LOST_UPDATE)
        return check_lost_update(v, op, err);
    if (a->kind == ANOMALY_CYCLIC_VERSIONS)
        return check_contradiction(v, key, op, err);
    return verify_refuse(v, err, "two writes are no %s", anomaly_name(a->kind));
}

/* --- Who takes part ---------------------------------------------------------- */

static enum status check_parts(struct verifier *v, const struct witness_anomaly *a,
                               struct error *err)
{
    bool is_same = a->txns.count == v->part_count;

    for (size_t i = 0; i < a->txns.count && is_same; i++) {
        uint64_t txn;

        is_same = map_find(&v->txn_of_id, (uint64_t)a->txns.at[i], &txn) &&
                  v->part_date[txn] == v->part_now;
        if (is_same)
            v->part_date[txn] = 0; /* not twice */
    }
    return verify_need(v, is_same, err, "\"transactions\" are not those of the proof, each once");
}

static enum status verify_proof(struct verifier *v, const struct witness_anomaly *a,
                                struct error *err)
{
    if (!basis_allows(v->basis, v->w->level, a->proof))
        return verify_refuse(v, err, "that is no proof for this checker");
    if (v->has_own_workload && a->proof != PROOF_TOTALS &&
        (a->proof != PROOF_READ || !workload_has_kind(v, a->kind)) && a->proof != PROOF_READS)
        return verify_refuse(v, err, "of such a workload that is no proof");
    switch (a->proof) {
    case PROOF_CYCLE:
        return verify_cycle(v, a, err);
    case PROOF_READ:
        return workload_has_kind(v, a->kind) ? verify_workload_read(v, a, err)
                                             : verify_read(v, a, err);
    case PROOF_WRITES:
        return verify_writes(v, a, err);
    case PROOF_READS:
        return v->has_own_workload ? verify_workload_reads(v, a, err) : verify_reads(v, a, err);
    case PROOF_VERSIONS:
        return verify_circle(v, a, err);
    case PROOF_TOTALS:
        return verify_totals(v, a, err);
    case PROOF_STEPS:
        return verify_instant_steps(v, a, err);
    default:
        return verify_refutation(v, a, err);
    }
}

enum status verify_anomaly(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    assert(!v->basis->has_values || v->sources);
    assert(!v->basis->infers_versions || v->inferred);
    assert(!v->basis->has_instants || v->instants);
    if (!v->part_date)
        TRY(VERIFY_GET(v, v->part_date, v->h->txn_count, err));
    v->part_now++;
    v->part_count = 0;
    TRY(verify_proof(v, a, err));
    /* A proof about instants has looked for itself who stands in its steps. */
    return a->proof == PROOF_STEPS ? STATUS_OK : check_parts(v, a, err);
}
