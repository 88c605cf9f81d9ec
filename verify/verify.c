#include "verify/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/basis_private.h"
#include "verify/calls/audit.h"
#include "verify/instants/instant_order.h"
#include "verify/instants/instants.h"
#include "verify/invalid/anomaly.h"
#include "verify/lookup_private.h"
#include "verify/prediction/prediction.h"
#include "verify/valid/valid.h"
#include "verify/values/inferred.h"
#include "verify/values/sources.h"
#include "verify/values/workload.h"
#include "verify/verify_private.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

enum status verify_refuse(struct verifier *v, struct error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    v->is_refused = true;
    return error_set(err, STATUS_BAD_INPUT, "%s", text);
}

enum status verify_spend(struct verifier *v, uint64_t steps, struct error *err)
{
    bool is_interval = v->basis->has_instants;
    uint64_t each = is_interval ? 256 : 16; /* its steps go through all versions of a key */

    v->spent += steps;
    return v->spent <= each * v->h->op_count + (is_interval ? 1000000 : 100000)
               ? STATUS_OK
               : verify_refuse(v, err, "too much of it would have to be searched for");
}

enum status verify_memory(struct verifier *v, void **at, size_t count, size_t size,
                          struct error *err)
{
    *at = calloc(count + 1, size);
    if (!*at)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to verify a witness");
    if (array_push(&v->blocks, *at, err) != STATUS_OK) {
        free(*at);
        *at = NULL;
        return STATUS_OVER_LIMIT;
    }
    return STATUS_OK;
}

enum status verify_bucket(struct verifier *v, struct bucketing by, struct buckets *b,
                          struct error *err)
{
    uint32_t bucket, *start;

    /* While places are filled, start[b + 1] is where the next one of bucket b goes. */
    TRY(VERIFY_GET(v, start, by.bucket_count + 2, err));
    for (uint32_t n = 0; n < by.count; n++)
        if ((bucket = by.bucket_of(by.context, n)) != HISTORY_NONE) {
            assert(bucket < by.bucket_count);
            start[bucket + 2]++;
        }
    array_sum_prefixes(start, by.bucket_count + 2);
    TRY(VERIFY_GET(v, b->at, start[by.bucket_count + 1], err));
    b->start = start;
    for (uint32_t n = 0; n < by.count; n++)
        if ((bucket = by.bucket_of(by.context, n)) != HISTORY_NONE)
            b->at[start[bucket + 1]++] = n;
    return STATUS_OK;
}

bool verify_add_part(struct verifier *v, uint32_t txn)
{
    bool is_new = v->part_date[txn] != v->part_now;

    v->part_date[txn] = v->part_now;
    v->part_count += is_new;
    return is_new;
}

/* --- Ranks ------------------------------------------------------------------- */

struct ranked_txn {
    struct place ts;
    uint32_t txn;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked_txn *x = a, *y = b;
    int c = history_compare_places(x->ts, y->ts);

    return c != 0 ? c : (x->txn > y->txn) - (x->txn < y->txn);
}

/* Gives those that count their places by ts. */
static enum status rank_txns(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct ranked_txn *ranked;
    size_t count = 0;

    TRY(VERIFY_GET(v, ranked, h->txn_count, err));
    TRY(VERIFY_GET(v, v->place, h->txn_count, err));
    TRY(VERIFY_GET(v, v->seen, h->txn_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        v->place[t] = v->seen[t] = NO_PLACE;
        if (v->counting[t] != COUNTS)
            continue;
        ranked[count++] = (struct ranked_txn){ history_ts(h, t), t };
        if (history_ts(h, t).parts == 0)
            return verify_refuse(v, err, "transaction %" PRId64 " committed without ts",
                                 h->txn_id[t]);
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && history_compare_places(ranked[i - 1].ts, ranked[i].ts) == 0)
            return verify_refuse(v, err, "transactions %" PRId64 " and %" PRId64 " have one ts",
                                 h->txn_id[ranked[i - 1].txn], h->txn_id[ranked[i].txn]);
        v->place[ranked[i].txn] = v->seen[ranked[i].txn] = i;
    }
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

static enum status verify_invalid(struct verifier *v, struct error *err)
{
    if (v->basis->has_places)
        TRY(rank_txns(v, err));
    TRY(versions_build(v, err));
    if (v->basis->has_values)
        TRY(sources_build(v, err));
    if (v->basis->infers_versions)
        TRY(inferred_build(v, err));
    if (v->basis->has_instants)
        TRY(instants_build(v, err));
    for (size_t i = 0; i < v->w->anomalies.count; i++) {
        enum status status = verify_anomaly(v, &v->w->anomalies.at[i], err);

        if (status != STATUS_OK) {
            error_wrap(err, "anomaly %zu", i + 1);
            return status;
        }
    }
    return STATUS_OK;
}

static enum status check_digest(struct verifier *v, struct error *err)
{
    struct digest digest = history_digest(v->h);
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    if (!text_equal(v->w->history, text_of(hex)))
        return verify_refuse(v, err, "the witness is of another history, whose digest is %.*s",
                             TEXT_PRINT(v->w->history));
    return STATUS_OK;
}

/* No version order has a version before that of another transaction whose ts is smaller. */
static enum status check_contradictions(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (size_t i = 0; i < h->order_count; i++) {
        struct place last = { 0 };

        for (uint64_t n = h->order_start[i]; n < h->order_start[i + 1]; n++) {
            struct place ts = history_ts(h, history_txn_of(h, h->order_version[n]));

            if (ts.parts == 0)
                continue;
            if (last.parts > 0 && history_compare_places(ts, last) < 0)
                return verify_refuse(v, err, "the version order of %.*s contradicts ts",
                                     TEXT_PRINT(history_key(h, h->order_key[i])));
            last = ts;
        }
    }
    return STATUS_OK;
}

static enum status verify_all(struct verifier *v, struct error *err)
{
    TRY(check_digest(v, err));
    TRY(basis_take_level(v, err));
    TRY(lookup_build(v, err));
    TRY(versions_count_txns(v, err));
    v->has_own_workload = verify_has_own_workload(v);
    if (!v->basis->infers_versions && v->has_own_workload)
        return verify_refuse(v, err,
                             "only infer judges a workload in which reads are no reads of "
                             "lists and registers");
    if (v->w->is_valid && v->basis->has_instants) {
        valid_count_partial(v);
        return verify_instant_order(v, err);
    }
    if (v->w->is_valid && !v->basis->is_of_clients)
        TRY(check_contradictions(v, err));
    return v->w->is_valid ? verify_valid(v, err) : verify_invalid(v, err);
}

/* What a valid verdict does not say. */
static void describe_unjudged(uint64_t count, struct verification *result)
{
    size_t length = strlen(result->reason);

    if (count > 0)
        snprintf(result->reason + length, sizeof result->reason - length,
                 ", but for %" PRIu64 " %s not judged", count,
                 count == 1 ? "statement that was" : "statements that were");
}

static void describe(const struct verifier *v, struct verification *result)
{
    const struct witness *w = v->w;
    const char *level = level_name(w->level);
    const char *of =
        w->basis->has_instants ? ", of a database that works like the profile of the witness" : "";

    if (w->is_valid && w->basis->has_instants)
        snprintf(result->reason, sizeof result->reason,
                 "%s holds%s: %zu instants in an order, %zu reads left open", level, of,
                 w->instants.count, w->open.count);
    else if (w->is_valid && v->is_account)
        snprintf(result->reason, sizeof result->reason,
                 "%s holds as far as totals show it: %zu transactions of a bank", level,
                 w->order.count);
    else if (w->is_valid)
        snprintf(result->reason, sizeof result->reason, "%s holds: %zu transactions in an order",
                 level, w->order.count);
    else if (w->anomalies.count == 1)
        snprintf(result->reason, sizeof result->reason, "%s is violated%s: %s", level, of,
                 anomaly_name(w->anomalies.at[0].kind));
    else
        snprintf(result->reason, sizeof result->reason, "%s is violated%s: %s, and %zu more", level,
                 of, anomaly_name(w->anomalies.at[0].kind), w->anomalies.count - 1);
}

static enum status judge(const struct history *h, const struct witness *w,
                         struct verification *result, struct error *err)
{
    struct verifier v = { .h = h, .w = w, .basis = w->basis };
    enum status status;

    assert(w->is_valid || w->anomalies.count > 0);
    status = verify_all(&v, err);
    if (status == STATUS_OK) {
        assert(!v.is_refused);
        result->is_accepted = true;
        describe(&v, result);
        describe_unjudged(v.unjudged_count, result);
    } else if (v.is_refused) {
        snprintf(result->reason, sizeof result->reason, "%s", err->text);
        *err = (struct error){ 0 };
        status = STATUS_OK;
    }
    sources_close(v.sources);
    for (size_t i = 0; i < v.blocks.count; i++)
        free(v.blocks.at[i]);
    array_close(&v.blocks);
    array_close(&v.derived);
    map_close(&v.txn_of_id);
    intern_close(&v.keys);
    intern_close(&v.written);
    buffer_close(&v.bytes);
    return status;
}

enum status verify_witness(const struct history *h, char *bytes, size_t size,
                           struct verification *result, struct error *err)
{
    struct witness witness;
    enum status status;

    *result = (struct verification){ 0 };
    status = witness_read(bytes, size, &witness, err);
    if (status == STATUS_OK)
        status = judge(h, &witness, result, err);
    witness_close(&witness);
    return status;
}

enum status verify_prediction(const struct history *observed, char *bytes, size_t size,
                              struct verification *result, struct error *err)
{
    return prediction_verify(observed, bytes, size, result, err);
}

enum status verify_audit(const struct call_log *log, struct text program_source, char *witness,
                         size_t size, struct verification *result, struct error *err)
{
    return audit_verify(log, program_source, witness, size, (struct verify_exactness){ 0, 0 }, result, err);
}

enum status verify_audit_exactly(const struct call_log *log, struct text program_source, char *witness, size_t size,
                                 struct verify_exactness exactness, struct verification *result,
                                 struct error *err)
{
    return audit_verify(log, program_source, witness, size, exactness, result, err);
}
