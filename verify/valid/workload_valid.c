#include "verify/valid/workload_valid_private.h"

#include <inttypes.h>

#include "verify/lookup_private.h"
#include "verify/values/workload.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

/* --- Sets and counters --------------------------------------------------------- */

/* What each key holds after so many transactions of the order. */
struct holdings {
    struct verifier *v;
    struct map numbers; /* elements of sets: their numbers */
    struct map has;     /* key and number of an element that is there */
    uint64_t *size;     /* of sets, by key */
    int64_t *sum;       /* of counters, by key */
    struct map seen;    /* elements of the read at hand, or of those before: its number */
    uint64_t read_count;
};

static enum status hold_element(struct holdings *s, uint32_t key, int64_t element,
                                struct error *err)
{
    size_t number, place, count = s->has.keys.count;

    TRY(map_add(&s->numbers, (uint64_t)element, 0, &number, err));
    TRY(map_add(&s->has, (uint64_t)key << 32 | (uint32_t)number, 0, &place, err));
    s->size[key] += s->has.keys.count > count;
    return STATUS_OK;
}

static enum status begin_holdings(struct holdings *s, bool is_set, struct error *err)
{
    const struct history *h = s->v->h;

    TRY(verify_memory(s->v, (void **)&s->size, h->key_count, sizeof *s->size, err));
    TRY(verify_memory(s->v, (void **)&s->sum, h->key_count, sizeof *s->sum, err));
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value initial = history_initial(h, key);

        s->size[key] = 0;
        s->sum[key] = !is_set && initial.kind == VALUE_INTEGER ? initial.bits : 0;
        if (is_set && initial.kind == VALUE_LIST)
            for (uint64_t i = h->list_start[initial.bits]; i < h->list_start[initial.bits + 1]; i++)
                TRY(hold_element(s, key, h->list_element[i], err));
    }
    return STATUS_OK;
}

static enum status refuse_answer(struct holdings *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->v->h;

    return verify_refuse(s->v, err,
                         "transaction %" PRId64 ": the answer is not what the order gives, of %.*s",
                         h->txn_id[txn], TEXT_PRINT(history_key(h, h->op_key[op])));
}

/* Whether the elements of the list, each counted once, are those that are there. */
static enum status read_set(struct holdings *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->v->h;
    struct value value = versions_value_plain(h, history_value(h, op));
    uint64_t from = 0, end = 0, distinct = 0, unused;

    if (value.kind != VALUE_LIST && value.kind != VALUE_NULL)
        return refuse_answer(s, txn, op, err);
    if (value.kind == VALUE_LIST) {
        from = h->list_start[value.bits];
        end = h->list_start[value.bits + 1];
    }
    s->read_count++;
    for (uint64_t i = from; i < end; i++) {
        size_t number, place;

        TRY(map_add(&s->numbers, (uint64_t)h->list_element[i], 0, &number, err));
        if (!map_find(&s->has, (uint64_t)h->op_key[op] << 32 | (uint32_t)number, &unused))
            return refuse_answer(s, txn, op, err);
        TRY(map_add(&s->seen, number, 0, &place, err));
        distinct += s->seen.values.at[place] != s->read_count;
        s->seen.values.at[place] = s->read_count;
    }
    return distinct == s->size[h->op_key[op]] ? STATUS_OK : refuse_answer(s, txn, op, err);
}

static enum status replay_op(struct holdings *s, bool is_set, uint32_t txn, uint32_t op,
                             struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t key = h->op_key[op];

    if (h->op_kind[op] == OP_APPEND && history_makes_version(h, op)) {
        if (is_set)
            return hold_element(s, key, h->op_value[op], err);
        return __builtin_add_overflow(s->sum[key], h->op_value[op], &s->sum[key])
                   ? verify_refuse(s->v, err, "the sums are beyond what can be counted")
                   : STATUS_OK;
    }
    if (!answer_reads_value(s->v, txn, op))
        return STATUS_OK;
    if (is_set)
        return read_set(s, txn, op, err);
    return h->op_value_kind[op] == VALUE_INTEGER && h->op_value[op] == s->sum[key]
               ? STATUS_OK
               : refuse_answer(s, txn, op, err);
}

static enum status replay(struct holdings *s, bool is_set, struct error *err)
{
    const struct verifier *v = s->v;

    TRY(begin_holdings(s, is_set, err));
    for (size_t i = 0; i < v->w->order.count; i++) {
        uint32_t txn = 0;

        TRY(lookup_txn(s->v, v->w->order.at[i], &txn, err));
        for (uint32_t op = v->h->txn_op[txn]; op < v->h->txn_op[txn + 1]; op++)
            TRY(replay_op(s, is_set, txn, op, err));
    }
    return STATUS_OK;
}

/* --- Banks --------------------------------------------------------------------- */

/* Whoever reads an account reads all, and finds what others found; what it wrote, nobody says. */
static enum status check_totals(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct witness_version name = { .is_initial = true };
    uint64_t total = 0;
    bool has_total = workload_bank_total(v, &name, &total);

    name.is_initial = false;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool reads = false;
        uint64_t found = 0;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool is_balance = answer_reads_value(v, t, op) && h->op_value_kind[op] == VALUE_INTEGER;

            reads |= is_balance;
            if (is_balance && h->op_value[op] < 0)
                return verify_refuse(v, err, "transaction %" PRId64 " found a balance below zero",
                                     h->txn_id[t]);
        }
        if (!reads || !v->reads_are_consistent)
            continue;
        name.txn = h->txn_id[t];
        if (!workload_bank_total(v, &name, &found))
            return verify_refuse(v, err, "transaction %" PRId64 " did not read all accounts",
                                 h->txn_id[t]);
        if (has_total && found != total)
            return verify_refuse(v, err, "transaction %" PRId64 " found another total",
                                 h->txn_id[t]);
        has_total = true;
        total = found;
    }
    return STATUS_OK;
}

enum status verify_workload_valid(struct verifier *v, struct error *err)
{
    struct holdings s = { .v = v };
    enum status status;

    if (workload_is_called(v, "bank")) {
        if (v->closing != CLOSED_BY_NOTHING)
            return verify_refuse(v, err, "totals say nothing of sessions and real time");
        TRY(workload_bank_accounts(v, err));
        return check_totals(v, err);
    }
    status = replay(&s, workload_is_called(v, "set"), err);
    map_close(&s.numbers);
    map_close(&s.has);
    map_close(&s.seen);
    return status;
}
