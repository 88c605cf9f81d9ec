#include "verify/workload.h"

#include <inttypes.h>

static enum status need_workload(struct verifier *v, const char *name, struct error *err)
{
    const struct history *h = v->h;

    if (v->w->checker == WITNESS_INFER && h->workload != HISTORY_NONE &&
        text_equal(history_text(h, h->workload), text_of(name)))
        return STATUS_OK;
    return verify_refuse(v, err, "the history does not say that it is of a %s", name);
}

/* --- Banks ------------------------------------------------------------------- */

/* Keys that have an integer somewhere: once for all anomalies. */
static enum status find_accounts(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    if (v->is_account)
        return STATUS_OK;
    TRY(memory_get(v, (void **)&v->is_account, h->key_count, sizeof *v->is_account, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        v->is_account[key] = history_initial(h, key).kind == VALUE_INTEGER;
    for (size_t op = 0; op < h->op_count; op++)
        if (!op_is_head(h->op_kind[op]) && h->op_value_kind[op] == VALUE_INTEGER)
            v->is_account[h->op_key[op]] = true;
    for (uint32_t key = 0; key < h->key_count; key++)
        v->account_count += v->is_account[key];
    return STATUS_OK;
}

/* Of all accounts, as it found them: sums that differ in 64 bits differ. */
static enum status find_total(struct verifier *v, const struct witness_version *name,
                              uint64_t *total, struct error *err)
{
    const struct history *h = v->h;
    const bool *is_account = v->is_account;
    size_t count = 0;
    uint32_t txn = 0;

    *total = 0;
    if (name->nth != 0)
        return verify_refuse(v, err, "a sum is of a transaction, and not of one of its versions");
    if (name->is_initial) {
        for (uint32_t key = 0; key < h->key_count; key++) {
            count += is_account[key] && history_initial(h, key).kind == VALUE_INTEGER;
            *total += is_account[key] ? (uint64_t)history_initial(h, key).bits : 0;
        }
    } else {
        TRY(lookup_txn(v, name->txn, &txn, err));
        (void)part_add(v, txn);
        own_begin(v);
        v->row_now++;
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            uint32_t key = h->op_key[op];

            own_pass(v, op);
            if (!op_reads_value(v, txn, op) || !is_account[key] ||
                h->op_value_kind[op] != VALUE_INTEGER || own_version(v, key) != HISTORY_NONE ||
                v->row_date[key] == v->row_now)
                continue;
            v->row_date[key] = v->row_now;
            *total += (uint64_t)h->op_value[op];
            count++;
        }
    }
    return count == v->account_count ? STATUS_OK
                                     : verify_refuse(v, err,
                                                     "one of the two did not read all "
                                                     "accounts before it wrote them");
}

enum status verify_totals(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    uint64_t totals[2] = { 0 };

    if (a->kind != ANOMALY_WRONG_TOTAL)
        return verify_refuse(v, err, "two sums are no %s", anomaly_name(a->kind));
    TRY(need_workload(v, "bank", err));
    if (!v->reads_are_consistent)
        return verify_refuse(v, err, "the level lets a transaction see parts of others");
    TRY(find_accounts(v, err));
    for (int i = 0; i < 2; i++)
        TRY(find_total(v, &a->totals[i], &totals[i], err));
    return totals[0] != totals[1] ? STATUS_OK : verify_refuse(v, err, "the sums are the same");
}

/* --- Reads ------------------------------------------------------------------- */

struct glimpse {
    uint32_t txn, op, key;
    struct value value;
};

/* Whether one was over before the other began; without times, in the same session. */
static bool is_over(const struct verifier *v, uint32_t a, uint32_t b)
{
    const struct history *h = v->h;
    enum closing closing = h->txn_invoked && h->txn_completed ? CLOSED_BY_TIME : CLOSED_BY_SESSIONS;

    return txn_is_before(v, closing, a, b);
}

static enum status check_negative(struct verifier *v, const struct glimpse *g, struct error *err)
{
    TRY(need_workload(v, "bank", err));
    return g->value.kind == VALUE_INTEGER && g->value.bits < 0
               ? STATUS_OK
               : verify_refuse(v, err, "the balance is not below zero");
}

/* Whether a transaction that was over before had read the element. */
static bool was_seen(const struct verifier *v, const struct glimpse *g, int64_t element)
{
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; is_over(v, t, g->txn) && op < h->txn_op[t + 1]; op++)
            if (h->op_key[op] == g->key && op_reads_value(v, t, op) &&
                value_has_element(h, history_value(h, op), element))
                return true;
    return false;
}

static enum status check_lost(struct verifier *v, const struct witness_read *w,
                              const struct glimpse *g, struct error *err)
{
    uint32_t version = VERSION_INITIAL, writer;
    int64_t element;

    TRY(need_workload(v, "set", err));
    if (w->has_version)
        TRY(lookup_version(v, &w->version, g->key, &version, err));
    if (version == VERSION_INITIAL || v->h->op_kind[version] != OP_APPEND)
        return verify_refuse(v, err, "it is not said which element was lost");
    writer = history_txn_of(v->h, version);
    element = v->h->op_value[version];
    (void)part_add(v, writer);
    if (g->value.kind != VALUE_LIST && g->value.kind != VALUE_NULL)
        return verify_refuse(v, err, "no set was read");
    if (value_has_element(v->h, g->value, element))
        return verify_refuse(v, err, "the element is there");
    TRY(verify_spend(v, v->h->op_count, err));
    return is_over(v, writer, g->txn) || was_seen(v, g, element)
               ? STATUS_OK
               : verify_refuse(v, err, "the element need not have been there yet");
}

/* What others added, at the least and at the most; false if it is beyond 64 bits. */
static bool bound_count(const struct verifier *v, const struct glimpse *g, int64_t *low,
                        int64_t *high)
{
    const struct history *h = v->h;
    bool fits = true;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool is_own = t == g->txn, is_certain = is_own || is_over(v, t, g->txn);

        if (v->counting[t] == COUNTS_NOT || (!is_own && is_over(v, g->txn, t)))
            continue;
        for (uint32_t op = h->txn_op[t]; op < (is_own ? g->op : h->txn_op[t + 1]); op++) {
            int64_t added = h->op_value[op];

            if (h->op_key[op] != g->key || h->op_kind[op] != OP_APPEND ||
                !history_makes_version(h, op))
                continue;
            if (is_certain || added < 0)
                fits &= !__builtin_add_overflow(*low, added, low);
            if (is_certain || added > 0)
                fits &= !__builtin_add_overflow(*high, added, high);
        }
    }
    return fits;
}

static enum status check_count(struct verifier *v, const struct glimpse *g, struct error *err)
{
    struct value initial = history_initial(v->h, g->key);
    int64_t low = initial.kind == VALUE_INTEGER ? initial.bits : 0, high = low;

    TRY(need_workload(v, "counter", err));
    if (g->value.kind != VALUE_INTEGER)
        return verify_refuse(v, err, "no count was read");
    TRY(verify_spend(v, v->h->op_count, err));
    if (!bound_count(v, g, &low, &high))
        return verify_refuse(v, err, "the counts are beyond what can be counted");
    return g->value.bits < low || g->value.bits > high
               ? STATUS_OK
               : verify_refuse(v, err, "it is within %" PRId64 " and %" PRId64, low, high);
}

bool workload_has_kind(enum anomaly kind)
{
    return kind == ANOMALY_NEGATIVE_BALANCE || kind == ANOMALY_LOST_ELEMENT ||
           kind == ANOMALY_COUNT_OUT_OF_BOUNDS;
}

enum status verify_workload_read(struct verifier *v, const struct witness_anomaly *a,
                                 struct error *err)
{
    struct glimpse g;

    if (!a->read.has_key)
        return verify_refuse(v, err, "it is not said which key is to blame");
    TRY(lookup_key(v, a->read.key, &g.key, err));
    TRY(lookup_txn(v, a->read.txn, &g.txn, err));
    TRY(lookup_op(v, g.txn, a->read.op, &g.op, err));
    (void)part_add(v, g.txn);
    if (op_is_head(v->h->op_kind[g.op]))
        g.op = op_row_of(v, g.op, g.key);
    if (g.op == HISTORY_NONE || v->h->op_key[g.op] != g.key || !op_reads_value(v, g.txn, g.op))
        return verify_refuse(v, err, "the operation did not read the key");
    g.value = value_plain(v->h, history_value(v->h, g.op));
    if (a->kind == ANOMALY_LOST_ELEMENT)
        return check_lost(v, &a->read, &g, err);
    if (a->read.has_version)
        return verify_refuse(v, err, "no version is to blame");
    return a->kind == ANOMALY_NEGATIVE_BALANCE ? check_negative(v, &g, err)
                                               : check_count(v, &g, err);
}
