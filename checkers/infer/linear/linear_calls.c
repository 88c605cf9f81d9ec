/*
 * What transactions do to each key, as operations with one state before and one behind.
 *
 *     T1: r x 1, w x 2, r x 2          needs 1, leaves 2
 *     T2: a l 7, a l 8                 needs none, appends 7 and 8 to whatever is there
 *     T3: a l 7, r l [3 7]             needs [3], leaves [3 7]
 *     T4: r x 1, w x 1                 needs 1, and that is all
 *
 * What a transaction reads of its own writes is compared here. Transactions of unknown outcome need
 * nothing, since their reads mean nothing.
 */
#include "checkers/infer/linear/linear_calls_private.h"

#include <stdlib.h>

#include "checkers/infer/linear/linear_states_private.h"

/* What the transaction at hand has done to a key. */
struct doing {
    uint32_t stamp; /* transaction, plus one */
    uint32_t call;
};

struct gathering {
    struct calls *calls;
    const struct history *history;
    struct doing *doing; /* by key */
    struct call *found;  /* in the order of transactions */
    size_t count, room;
};

static enum status find_call(struct gathering *g, const struct call *fresh, struct call **call,
                             struct error *err)
{
    struct doing *doing = &g->doing[fresh->key];

    if (doing->stamp != fresh->txn + 1) {
        if (g->count == g->room)
            TRY(array_grow((void **)&g->found, g->count, &g->room, 1, sizeof *g->found, err));
        *doing = (struct doing){ fresh->txn + 1, (uint32_t)g->count };
        g->found[g->count++] = *fresh;
    }
    *call = &g->found[doing->call];
    return STATUS_OK;
}

/* The list without what the call has appended; false: it does not end so. */
static bool without_own(const struct gathering *g, const struct call *call, uint32_t *state)
{
    const struct states *s = &g->calls->states;

    for (uint32_t at = call->appended; at != 0; at = g->calls->appended.at[at - 1].before) {
        const struct state *end = &s->all.at[*state];

        if (end->kind != VALUE_LIST || end->bits != g->calls->appended.at[at - 1].element)
            return false;
        *state = end->parent;
    }
    return true;
}

static void pass_read(struct gathering *g, struct call *call, uint32_t state)
{
    uint32_t whole = state;

    if (call->set != STATE_ANY) {
        g->calls->has_faults |= call->set != state;
        return;
    }
    if (!without_own(g, call, &state)) {
        g->calls->has_faults = true;
        return;
    }
    if (call->need == STATE_ANY)
        call->need = state;
    g->calls->has_faults |= call->need != state;
    if (call->appended != 0) { /* now it is known to what */
        call->set = whole;
        call->appended = 0;
    }
}

static enum status pass_append(struct gathering *g, struct call *call, int64_t element,
                               struct error *err)
{
    struct calls *calls = g->calls;
    uint32_t before = call->set != STATE_ANY ? call->set : call->need;

    if (before != STATE_ANY)
        return linear_states_append(&calls->states, before, element, &call->set, err);
    TRY(array_push(&calls->appended, ((struct appended){ element, call->appended, 0 }), err));
    if (call->appended != 0)
        calls->appended.at[call->appended - 1].next = (uint32_t)calls->appended.count;
    else
        call->first_appended = (uint32_t)calls->appended.count;
    call->appended = (uint32_t)calls->appended.count;
    return STATUS_OK;
}

static enum status pass_op(struct gathering *g, const struct call *fresh, uint32_t op,
                           struct error *err)
{
    const struct history *h = g->history;
    struct call *call;
    uint32_t state;

    TRY(find_call(g, fresh, &call, err));
    if (h->op_kind[op] == OP_APPEND)
        return pass_append(g, call, h->op_value[op], err);
    TRY(linear_states_of_value(&g->calls->states, fresh->key, history_value(h, op), &state, err));
    if (h->op_kind[op] == OP_READ) {
        pass_read(g, call, state);
    } else {
        call->set = state;
        call->appended = 0;
        call->overwrites = true;
    }
    return STATUS_OK;
}

static struct call fresh_call(const struct history *h, const struct places *places, uint32_t txn)
{
    struct call call = { .txn = txn, .need = STATE_ANY, .set = STATE_ANY };

    call.invoked = h->txn_invoked[txn] == TIME_ABSENT ? INT64_MIN : h->txn_invoked[txn];
    call.completed = INT64_MAX;
    if (h->txn_status[txn] == TXN_OK && h->txn_completed[txn] != TIME_ABSENT)
        call.completed = h->txn_completed[txn];
    call.is_open = places->standing[txn] == STANDING_OPEN;
    return call;
}

static enum status pass_txn(struct gathering *g, const struct places *places, uint32_t txn,
                            struct error *err)
{
    const struct history *h = g->history;
    struct call fresh = fresh_call(h, places, txn);
    bool is_judged = h->txn_status[txn] == TXN_OK;
    size_t before = g->count;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool says = h->op_kind[op] != OP_READ ||
                    (is_judged && h->op_value_kind[op] != VALUE_NONE);

        if (h->op_flags[op] & OP_ERROR || !says)
            continue;
        fresh.key = h->op_key[op];
        TRY(pass_op(g, &fresh, op, err));
    }
    g->calls->has_several |= g->count - before > 1;
    for (size_t i = before; i < g->count; i++)
        if (g->found[i].set == g->found[i].need)
            g->found[i].set = STATE_ANY; /* nobody can see that it wrote */
    return STATUS_OK;
}

/* --- Key by key --------------------------------------------------------------------- */

static int compare_calls(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->invoked != y->invoked)
        return x->invoked < y->invoked ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static bool is_sorted(const struct call *calls, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_calls(&calls[i - 1], &calls[i]) > 0)
            return false;
    return true;
}

static enum status sort_calls(struct gathering *g, struct error *err)
{
    struct calls *calls = g->calls;
    size_t keys = g->history->key_count;

    TRY(check_memory((void **)&calls->start, keys + 2, sizeof *calls->start, 0, err));
    TRY(array_reserve(&calls->all, g->count, err));
    for (size_t i = 0; i < g->count; i++)
        calls->start[g->found[i].key + 2]++;
    array_sum_prefixes(calls->start + 1, keys + 1);
    for (size_t i = 0; i < g->count; i++)
        calls->all.at[calls->start[g->found[i].key + 1]++] = g->found[i];
    calls->all.count = g->count;
    for (size_t k = 0; k < keys; k++) {
        struct call *at = calls->all.at + calls->start[k];
        size_t count = calls->start[k + 1] - calls->start[k];

        if (!is_sorted(at, count))
            qsort(at, count, sizeof *at, compare_calls);
    }
    return STATUS_OK;
}

static enum status gather(struct gathering *g, const struct places *places,
                          const struct check_options *options, struct error *err)
{
    const struct history *h = g->history;

    TRY(linear_states_init(&g->calls->states, h, err));
    TRY(memory_resize((void **)&g->calls->initial, h->key_count, sizeof *g->calls->initial, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        TRY(linear_states_of_value(&g->calls->states, key, history_initial(h, key),
                                   &g->calls->initial[key], err));
    TRY(check_memory((void **)&g->doing, h->key_count, sizeof *g->doing, 0, err));
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        if (txn % 4096 == 0 && check_is_stopped(options)) {
            g->calls->is_stopped = true;
            return STATUS_OK;
        }
        if (places->standing[txn] != STANDING_OUT)
            TRY(pass_txn(g, places, txn, err));
    }
    return sort_calls(g, err);
}

enum status linear_calls_init(struct calls *calls, const struct places *places,
                              const struct check_options *options, struct error *err)
{
    struct gathering g = { .calls = calls, .history = places->history };
    enum status status;

    *calls = (struct calls){ .history = places->history };
    status = gather(&g, places, options, err);
    free(g.doing);
    free(g.found);
    return status;
}

void linear_calls_close(struct calls *calls)
{
    linear_states_close(&calls->states);
    array_close(&calls->all);
    array_close(&calls->appended);
    free(calls->start);
    free(calls->initial);
}
