/*
 * Checks counters: a read finds at least what had surely been added, and at most what may have
 * been.
 *
 *     surely      the reader itself, before; committed, and over before the reader began
 *     perhaps     whatever is not aborted and did not begin after the reader was over
 *
 * The least a read may find is what was there initially, all that was surely added and all that was
 * perhaps taken off; the most is likewise. Over is told by times; without them, within a session. By key, additions
 * are summed up in the order in which they ended, and in which they began.
 */
#include "checkers/infer/workloads/workload_counter_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"

__extension__ typedef __int128 wide;

struct sums {
    wide all, down, up;
};

/* An addition, or a read. */
struct deed {
    uint32_t key, session, txn, op;
    int64_t begins, ends; /* never: INT64_MAX */
    bool is_read;
};

struct counter {
    struct workload_judge *judge;
    ARRAY(struct deed) deeds;  /* by key and operation */
    ARRAY(struct deed) sorted; /* of the key at hand: additions, in the order of a moment */
    ARRAY(struct sums) sums;   /* beside them, and one more: of those before */
    ARRAY(struct sums) by_deed;        /* of the key at hand, and one more: of those before */
    ARRAY(struct sums) sure, possible; /* by deed of the key at hand */
};

static void add(struct sums *sums, int64_t added)
{
    sums->all += added;
    sums->down += added < 0 ? added : 0;
    sums->up += added > 0 ? added : 0;
}

static struct sums minus(struct sums a, struct sums b)
{
    return (struct sums){ a.all - b.all, a.down - b.down, a.up - b.up };
}

/* --- What was done ------------------------------------------------------------------- */

static int compare_deeds(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static int compare_begins(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static int compare_ends(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends < y->ends ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* With times all sessions are one; without, a transaction's place is when it began and ended. */
static struct deed deed_of(const struct workload_judge *j, uint32_t txn, uint32_t op)
{
    const struct history *h = j->history;
    bool is_unknown = h->txn_status[txn] == TXN_UNKNOWN;
    struct deed deed = { h->op_key[op], j->is_timed ? 0 : h->txn_session[txn], txn, op, txn, txn,
                         h->op_kind[op] == OP_READ };

    if (j->is_timed) {
        deed.begins = h->txn_invoked[txn] == TIME_ABSENT ? INT64_MIN : h->txn_invoked[txn];
        deed.ends = h->txn_completed[txn] == TIME_ABSENT ? INT64_MAX : h->txn_completed[txn];
    }
    if (is_unknown)
        deed.ends = INT64_MAX;
    return deed;
}

static enum status collect(struct counter *c, struct error *err)
{
    const struct history *h = c->judge->history;

    for (uint32_t t = 0; t < h->txn_count && workload_goes_on(c->judge, t); t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool is_addition = h->op_kind[op] == OP_APPEND && history_makes_version(h, op) &&
                               h->txn_status[t] != TXN_ABORT;
            bool is_read = workload_is_read(h, t, op) && h->op_value_kind[op] == VALUE_INTEGER;

            if (is_addition || is_read)
                TRY(array_push(&c->deeds, deed_of(c->judge, t, op), err));
        }
    if (c->deeds.count > 0)
        qsort(c->deeds.at, c->deeds.count, sizeof *c->deeds.at, compare_deeds);
    return STATUS_OK;
}

/* --- Sums ----------------------------------------------------------------------------- */

/* The additions of the key, in that order, and how much came before each of them. */
static enum status sum_up(struct counter *c, size_t from, size_t end,
                          int (*compare)(const void *, const void *), struct error *err)
{
    const struct history *h = c->judge->history;
    struct sums sums = { 0, 0, 0 };

    c->sorted.count = c->sums.count = 0;
    for (size_t i = from; i < end; i++)
        if (!c->deeds.at[i].is_read)
            TRY(array_push(&c->sorted, c->deeds.at[i], err));
    if (c->sorted.count > 0)
        qsort(c->sorted.at, c->sorted.count, sizeof *c->sorted.at, compare);
    TRY(array_push(&c->sums, sums, err));
    for (size_t i = 0; i < c->sorted.count; i++) {
        add(&sums, h->op_value[c->sorted.at[i].op]);
        TRY(array_push(&c->sums, sums, err));
    }
    return STATUS_OK;
}

/* Of the session's additions those before the one wanted, which need not be among them. */
static struct sums sums_before(const struct counter *c, const struct deed *wanted,
                               int (*compare)(const void *, const void *))
{
    struct deed first = { .session = wanted->session, .begins = INT64_MIN, .ends = INT64_MIN };
    size_t bounds[2];
    const struct deed *sought[2] = { &first, wanted };

    for (int i = 0; i < 2; i++) {
        size_t place;

        BISECT(place, 0, c->sorted.count, compare(&c->sorted.at[place], sought[i]) < 0);
        bounds[i] = place;
    }
    return minus(c->sums.at[bounds[1]], c->sums.at[bounds[0]]);
}

/* The first deed of the key from that operation on. */
static size_t deed_from(const struct counter *c, size_t from, size_t end, uint32_t op)
{
    while (from < end) {
        size_t middle = from + (end - from) / 2;

        if (c->deeds.at[middle].op < op)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* How much came before each deed of the key, in the order of the file, and all of it. */
static enum status sum_deeds(struct counter *c, size_t from, size_t end, struct error *err)
{
    struct sums sums = { 0, 0, 0 };

    c->by_deed.count = 0;
    for (size_t i = from; i < end; i++) {
        TRY(array_push(&c->by_deed, sums, err));
        if (!c->deeds.at[i].is_read)
            add(&sums, c->judge->history->op_value[c->deeds.at[i].op]);
    }
    return array_push(&c->by_deed, sums, err);
}

/* --- Judging ------------------------------------------------------------------------- */

static enum status tell_count(struct counter *c, const struct deed *read, wide low, wide high,
                              struct error *err)
{
    const struct history *h = c->judge->history;
    struct wrong_read wrong = { .txn = read->txn, .op = read->op, .key = read->key };
    struct buffer why = { 0 }, proof = { 0 };

    if (!workload_finds(c->judge, 0))
        return STATUS_OK;
    tell_print(&why, h, "%T read ", read->txn);
    tell_key_value(&why, h, read->key, history_value(h, read->op));
    buffer_print(&why, ", which by then was between %" PRId64 " and %" PRId64, (int64_t)low,
                 (int64_t)high);
    proof_read(&proof, h, &wrong);
    return check_tell(c->judge->check,
                      (struct discovery){ .kind = ANOMALY_COUNT_OUT_OF_BOUNDS, .txns = &read->txn,
                                          .txn_count = 1, .why = why, .proof = proof }, err);
}

static enum status judge_read(struct counter *c, size_t from, size_t end, size_t i,
                              struct error *err)
{
    const struct deed *read = &c->deeds.at[i];
    const struct history *h = c->judge->history;
    struct value initial = history_initial(h, read->key);
    size_t first = deed_from(c, from, end, h->txn_op[read->txn]) - from;
    size_t behind = deed_from(c, from, end, h->txn_op[read->txn + 1]) - from;
    struct sums before = minus(c->by_deed.at[i - from], c->by_deed.at[first]);
    struct sums own = minus(c->by_deed.at[behind], c->by_deed.at[first]);
    struct sums sure = c->sure.at[i - from], open;
    wide low, high, found = h->op_value[read->op];

    /* Of what is possible without being sure, the reader's own is no part. */
    open = minus(minus(c->possible.at[i - from], sure), own);
    low = (initial.kind == VALUE_INTEGER ? initial.bits : 0) + sure.all + before.all;
    high = low + open.up;
    low += open.down;
    if (low < INT64_MIN || low > INT64_MAX || high < INT64_MIN || high > INT64_MAX) {
        check_doubt(c->judge->check, "the sums of what was added are beyond 64 bits");
        return STATUS_OK;
    }
    return found < low || found > high ? tell_count(c, read, low, high, err) : STATUS_OK;
}

/* What had surely been added when each read of the key began. */
static enum status find_sure(struct counter *c, size_t from, size_t end, struct error *err)
{
    struct sums none = { 0, 0, 0 };

    c->sure.count = 0;
    TRY(sum_up(c, from, end, compare_ends, err));
    for (size_t i = from; i < end; i++) {
        struct deed moment = c->deeds.at[i];

        moment.op = 0; /* before all that end when the read begins */
        moment.ends = moment.begins;
        TRY(array_push(&c->sure, moment.is_read ? sums_before(c, &moment, compare_ends) : none,
                       err));
    }
    return STATUS_OK;
}

/* What may have been added when it was over: without times, all of other sessions too. */
static enum status find_possible(struct counter *c, size_t from, size_t end, struct error *err)
{
    struct sums none = { 0, 0, 0 };

    c->possible.count = 0;
    TRY(sum_up(c, from, end, compare_begins, err));
    for (size_t i = from; i < end; i++) {
        struct deed moment = c->deeds.at[i], last = moment;
        struct sums sums = none;

        moment.op = last.op = UINT32_MAX; /* behind all that begin when it ends */
        moment.begins = moment.ends;
        last.begins = INT64_MAX;
        if (moment.is_read) /* all, but for what its session began later */
            sums = minus(c->sums.at[c->sorted.count],
                         minus(sums_before(c, &last, compare_begins),
                               sums_before(c, &moment, compare_begins)));
        TRY(array_push(&c->possible, sums, err));
    }
    return STATUS_OK;
}

static enum status judge_key(struct counter *c, size_t from, size_t end, struct error *err)
{
    TRY(sum_deeds(c, from, end, err));
    TRY(find_sure(c, from, end, err));
    TRY(find_possible(c, from, end, err));
    for (size_t i = from; i < end && workload_goes_on(c->judge, (uint32_t)i); i++)
        if (c->deeds.at[i].is_read)
            TRY(judge_read(c, from, end, i, err));
    return STATUS_OK;
}

enum status workload_judge_counter(struct workload_judge *j, struct error *err)
{
    struct counter c = { .judge = j };
    enum status status = collect(&c, err);
    size_t count = c.deeds.count;

    for (size_t from = 0, end = 0; from < count && status == STATUS_OK && !j->is_stopped;
         from = end) {
        while (end < count && c.deeds.at[end].key == c.deeds.at[from].key)
            end++;
        status = judge_key(&c, from, end, err);
    }
    array_close(&c.deeds);
    array_close(&c.sorted);
    array_close(&c.sums);
    array_close(&c.by_deed);
    array_close(&c.sure);
    array_close(&c.possible);
    return status;
}
