#include "checkers/infer/linear/linear.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/infer/linear/linear_private.h"
#include "checkers/infer/linear/linear_search_private.h"
#include "checkers/infer/linear/linear_tell_private.h"
#include "checkers/infer/linear/linear_zones_private.h"
#include "checkers/proof/tell.h"
#include "checkers/proof/witness.h"
#include "checkers/values/values.h"

/* --- States ---------------------------------------------------------------------- */

#define ELEMENTS_TOLD_MAX 12

/* --- Equality ----------------------------------------------------------------------- */

static uint64_t hash_state(const struct history *h, const struct state *s)
{
    uint64_t bits = s->kind == VALUE_ROW ? values_hash(h, (struct value){ VALUE_ROW, s->bits })
                                         : (uint64_t)s->bits;

    return hash_number(hash_number(bits ^ (uint64_t)s->kind << 56) ^ s->parent);
}

static bool is_equal(const struct history *h, const struct state *a, const struct state *b)
{
    if (a->kind != b->kind || a->parent != b->parent)
        return false;
    return a->bits == b->bits ||
           (a->kind == VALUE_ROW &&
            history_values_equal(h, (struct value){ VALUE_ROW, a->bits },
                                 (struct value){ VALUE_ROW, b->bits }));
}

/* --- The table ---------------------------------------------------------------------- */

/* The state's slot, or the free one where it would stand. */
static uint32_t *seek(const struct states *s, const struct state *sought)
{
    uint64_t slot = hash_state(s->history, sought) & (s->slot_count - 1);

    while (s->slots[slot] != 0 && !is_equal(s->history, &s->all.at[s->slots[slot] - 1], sought))
        slot = (slot + 1) & (s->slot_count - 1);
    return &s->slots[slot];
}

static enum status make_room(struct states *s, struct error *err)
{
    if (2 * s->all.count < s->slot_count)
        return STATUS_OK;
    s->slot_count = s->slot_count ? 2 * s->slot_count : 64;
    TRY(check_memory((void **)&s->slots, s->slot_count, sizeof *s->slots, 0, err));
    for (size_t i = 0; i < s->all.count; i++)
        *seek(s, &s->all.at[i]) = (uint32_t)i + 1;
    return STATUS_OK;
}

static enum status number(struct states *s, const struct state *state, uint32_t *found,
                          struct error *err)
{
    uint32_t *slot;

    TRY(make_room(s, err));
    slot = seek(s, state);
    if (*slot == 0) {
        if (s->all.count >= STATE_UNSEEN - 1)
            return error_set(err, STATUS_OVER_LIMIT, "there are too many different values");
        TRY(array_push(&s->all, *state, err));
        *slot = (uint32_t)s->all.count;
    }
    *found = *slot - 1;
    return STATUS_OK;
}

enum status linear_states_init(struct states *s, const struct history *h, struct error *err)
{
    static const struct state nothing = { .parent = STATE_ANY, .kind = VALUE_NULL };
    uint32_t unused;

    *s = (struct states){ .history = h };
    TRY(check_memory((void **)&s->seen, h->key_count, sizeof *s->seen, 0xff, err));
    return number(s, &nothing, &unused, err);
}

void linear_states_close(struct states *s)
{
    array_close(&s->all);
    free(s->slots);
    free(s->seen);
    *s = (struct states){ 0 };
}

enum status linear_states_append(struct states *s, uint32_t before, int64_t element,
                                 uint32_t *after, struct error *err)
{
    struct state state = { .bits = element,
                           .parent = before,
                           .depth = s->all.at[before].depth + 1,
                           .kind = VALUE_LIST };

    return number(s, &state, after, err);
}

uint32_t linear_states_find_append(const struct states *s, uint32_t before, int64_t element)
{
    struct state state = { .bits = element, .parent = before, .kind = VALUE_LIST };
    uint32_t slot;

    if (before >= STATE_UNSEEN)
        return STATE_UNSEEN;
    slot = *seek(s, &state);
    return slot == 0 ? STATE_UNSEEN : slot - 1;
}

/* --- Values ------------------------------------------------------------------------- */

/* Goes on from the list of the key that was numbered before it, if one begins the other. */
static enum status number_list(struct states *s, uint32_t key, int64_t list, uint32_t *found,
                               struct error *err)
{
    const struct history *h = s->history;
    uint64_t count = h->list_start[list + 1] - h->list_start[list], done = 0;
    const int64_t *elements = h->list_element + h->list_start[list];
    struct list_seen *seen = &s->seen[key];
    uint32_t state = STATE_NOTHING;

    if (seen->list != HISTORY_NONE) {
        uint64_t before = h->list_start[seen->list + 1] - h->list_start[seen->list];
        uint64_t both = before < count ? before : count;

        if (memcmp(elements, h->list_element + h->list_start[seen->list],
                   both * sizeof *elements) == 0) {
            state = seen->state;
            for (done = before; done > count; done--)
                state = s->all.at[state].parent;
        }
    }
    for (; done < count; done++)
        TRY(linear_states_append(s, state, elements[done], &state, err));
    *found = state;
    *seen = (struct list_seen){ (uint32_t)list, state };
    return STATUS_OK;
}

enum status linear_states_of_value(struct states *s, uint32_t key, struct value value,
                                   uint32_t *found, struct error *err)
{
    struct state state = { .bits = value.bits, .parent = STATE_ANY, .kind = (uint8_t)value.kind };

    if (value.kind == VALUE_NULL || value.kind == VALUE_NONE) {
        *found = STATE_NOTHING;
        return STATUS_OK;
    }
    return value.kind == VALUE_LIST ? number_list(s, key, value.bits, found, err)
                                    : number(s, &state, found, err);
}

void linear_states_tell(struct buffer *out, const struct states *s, uint32_t state)
{
    uint32_t last[ELEMENTS_TOLD_MAX], count = 0;

    if (state == STATE_UNSEEN) {
        buffer_text(out, TEXT("a list that nobody read"));
        return;
    }
    if (s->all.at[state].kind != VALUE_LIST) {
        tell_value(out, s->history,
                   (struct value){ s->all.at[state].kind, s->all.at[state].bits });
        return;
    }
    for (; count < ELEMENTS_TOLD_MAX && s->all.at[state].kind == VALUE_LIST; count++) {
        last[count] = state;
        state = s->all.at[state].parent;
    }
    buffer_text(out, s->all.at[state].kind == VALUE_LIST ? TEXT("[...,") : TEXT("["));
    while (count-- > 0) {
        buffer_int64(out, s->all.at[last[count]].bits);
        buffer_byte(out, count > 0 ? ',' : ']');
    }
}

/* --- Calls ----------------------------------------------------------------------- */

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
    for (size_t k = 0; g->count > 0 && k < keys; k++) {
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

static enum status linear_calls_init(struct calls *calls, const struct places *places,
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

static void linear_calls_close(struct calls *calls)
{
    linear_states_close(&calls->states);
    array_close(&calls->all);
    array_close(&calls->appended);
    free(calls->start);
    free(calls->initial);
}

#define STEPS_MAX UINT64_C(2000000000) /* of one key's search: some ten seconds */

struct linear {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;
    struct calls calls;
    struct task task;
    struct prover *prover;
    uint32_t *line;        /* calls, key by key where those of `calls` begin, in their order */
    uint32_t *line_length; /* by key */
    uint32_t open_count;   /* keys that nobody could decide */
    bool has_failed;
};

void linear_result_close(struct linear_result *r)
{
    array_close(&r->order);
    array_close(&r->clash);
    array_close(&r->held);
}

enum status linear_decide(struct task *task, struct linear_result *result, struct error *err)
{
    bool is_decided = false;

    *result = (struct linear_result){ .stuck = HISTORY_NONE };
    TRY(linear_zones_decide(task, &is_decided, result, err));
    if (is_decided)
        return STATUS_OK;
    result->clash.count = result->order.count = 0;
    return linear_search_decide(task, result, err);
}

enum status linear_examine(const struct history *h, struct error *err)
{
    if (h->statement_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "linearizable is decided of reads and writes of single keys, and the "
                         "history has statements over predicates");
    if (h->txn_count > 0 && (!h->txn_invoked || !h->txn_completed))
        return error_set(err, STATUS_BAD_INPUT,
                         "linearizable asks for real time, and no transaction of the history has "
                         "an \"at\"");
    return STATUS_OK;
}

/* --- Keys --------------------------------------------------------------------------- */

static void doubt_key(struct linear *l, uint32_t key, const char *reason)
{
    struct text name = history_key(l->history, key);

    check_doubt(l->check, "whether \"%.*s\" is linearizable could not be decided: %s",
                name.length > 100 ? 100 : (int)name.length, name.at, reason);
}

static enum status tell(struct linear *l, uint32_t key, const struct linear_result *result,
                        struct error *err)
{
    struct refuted refuted = { key, result, &l->task };

    if (!l->prover)
        TRY(linear_prover_open(&l->prover, &l->places, l->options, err));
    return linear_tell_refuted(l->prover, &refuted, l->check, err);
}

static enum status judge_key(struct linear *l, uint32_t key, struct error *err)
{
    struct linear_result result = { 0 };
    enum status status;

    l->task.count = l->calls.start[key + 1] - l->calls.start[key];
    l->task.at = l->task.count > 0 ? l->calls.all.at + l->calls.start[key] : NULL;
    l->task.initial = l->calls.initial[key];
    status = linear_decide(&l->task, &result, err);
    for (size_t i = 0; i < result.order.count; i++)
        l->line[l->calls.start[key] + i] = l->calls.start[key] + result.order.at[i];
    l->line_length[key] = (uint32_t)result.order.count;
    if (status == STATUS_OK && result.answer == LINEAR_OPEN)
        doubt_key(l, key, result.reason);
    if (status == STATUS_OK && result.answer == LINEAR_FAILS) {
        l->has_failed = true;
        status = tell(l, key, &result, err);
    }
    linear_result_close(&result);
    return status;
}

static enum status judge_keys(struct linear *l, struct error *err)
{
    const struct history *h = l->history;

    TRY(memory_resize((void **)&l->line, l->calls.all.count, sizeof *l->line, err));
    TRY(memory_resize((void **)&l->line_length, h->key_count, sizeof *l->line_length, err));
    TRY(check_memory((void **)&l->task.marks, l->calls.states.all.count, sizeof *l->task.marks, 0,
                     err));
    for (uint32_t key = 0; key < h->key_count; key++) {
        if (check_is_stopped(l->options)) {
            check_doubt(l->check, "it was stopped");
            return STATUS_OK;
        }
        if (l->check->has_more_findings)
            return STATUS_OK;
        TRY(judge_key(l, key, err));
        progress_report(l->options->progress,
                        (uint64_t)l->calls.start[key + 1] * h->txn_count /
                            (l->calls.all.count + 1),
                        h->txn_count);
    }
    return STATUS_OK;
}

/* --- One order of all ---------------------------------------------------------------- */

/* The keys' orders, on their way into one. */
struct merging {
    struct linear *l;
    uint32_t *start, *calls;  /* by transaction: its calls */
    uint32_t *missing;        /* by transaction: calls that are in line, but not the next yet */
    uint32_t *next;           /* by key: in its line */
    uint8_t *is_in;           /* by transaction */
    uint32_t *heap;           /* transactions that may be next: the one invoked first on top */
    uint32_t heap_count;
    uint32_t *order, order_count;
};

static bool goes_first(const struct merging *m, uint32_t a, uint32_t b)
{
    const int64_t *invoked = m->l->history->txn_invoked;

    return invoked[a] != invoked[b] ? invoked[a] < invoked[b] : a < b;
}

static void push(struct merging *m, uint32_t txn)
{
    uint32_t at = m->heap_count++;

    for (; at > 0 && goes_first(m, txn, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = txn;
}

static uint32_t pop(struct merging *m)
{
    uint32_t top = m->heap[0], last = m->heap[--m->heap_count], at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < m->heap_count && goes_first(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (child >= m->heap_count || !goes_first(m, m->heap[child], last))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return top;
}

static enum status list_calls(struct merging *m, struct error *err)
{
    const struct calls *calls = &m->l->calls;
    size_t txns = m->l->history->txn_count;

    TRY(check_memory((void **)&m->start, txns + 2, sizeof *m->start, 0, err));
    TRY(memory_resize((void **)&m->calls, calls->all.count, sizeof *m->calls, err));
    for (size_t i = 0; i < calls->all.count; i++)
        m->start[calls->all.at[i].txn + 2]++;
    array_sum_prefixes(m->start + 1, txns + 1);
    for (size_t i = 0; i < calls->all.count; i++)
        m->calls[m->start[calls->all.at[i].txn + 1]++] = (uint32_t)i;
    return STATUS_OK;
}

static void see_next(struct merging *m, uint32_t key)
{
    const struct linear *l = m->l;
    uint32_t txn;

    if (m->next[key] == l->line_length[key])
        return;
    txn = l->calls.all.at[l->line[l->calls.start[key] + m->next[key]]].txn;
    if (--m->missing[txn] == 0)
        push(m, txn);
}

static enum status merge(struct merging *m, struct error *err)
{
    const struct linear *l = m->l;
    const struct history *h = l->history;

    TRY(list_calls(m, err));
    TRY(check_memory((void **)&m->missing, h->txn_count, sizeof *m->missing, 0, err));
    TRY(check_memory((void **)&m->next, h->key_count, sizeof *m->next, 0, err));
    TRY(check_memory((void **)&m->is_in, h->txn_count, sizeof *m->is_in, 0, err));
    TRY(memory_resize((void **)&m->heap, h->txn_count, sizeof *m->heap, err));
    TRY(memory_resize((void **)&m->order, h->txn_count, sizeof *m->order, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        for (uint32_t i = 0; i < l->line_length[key]; i++)
            m->missing[l->calls.all.at[l->line[l->calls.start[key] + i]].txn]++;
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (m->missing[t] == 0 && places_is_in(&l->places, t))
            push(m, t);
    for (uint32_t key = 0; key < h->key_count; key++)
        see_next(m, key);
    while (m->heap_count > 0) {
        uint32_t txn = pop(m);

        m->is_in[txn] = 1;
        m->order[m->order_count++] = txn;
        for (uint32_t i = m->start[txn]; i < m->start[txn + 1]; i++) {
            uint32_t key = l->calls.all.at[m->calls[i]].key;

            /* A call of one who is in for another key's sake may not be in line. */
            if (m->next[key] < l->line_length[key] &&
                l->line[l->calls.start[key] + m->next[key]] == m->calls[i]) {
                m->next[key]++;
                see_next(m, key);
            }
        }
    }
    return STATUS_OK;
}

static bool replay_call(struct linear *l, const struct call *c, uint32_t *held)
{
    uint32_t *state = &held[c->key];

    if (c->need != STATE_ANY && c->need != *state)
        return false;
    if (c->set != STATE_ANY)
        *state = c->set;
    else
        for (uint32_t at = c->first_appended; at != 0; at = l->calls.appended.at[at - 1].next)
            *state = linear_states_find_append(&l->calls.states, *state,
                                               l->calls.appended.at[at - 1].element);
    return true;
}

/* Nothing is called valid that was not gone through once more: times and answers. */
static enum status holds(struct merging *m, bool *does, struct error *err)
{
    const struct history *h = m->l->history;
    uint32_t *held = NULL;
    int64_t latest = INT64_MIN;

    TRY(memory_resize((void **)&held, h->key_count, sizeof *held, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        held[key] = m->l->calls.initial[key];
    *does = true;
    for (uint32_t t = 0; t < h->txn_count; t++)
        *does &= m->is_in[t] || !places_is_in(&m->l->places, t);
    for (uint32_t n = 0; n < m->order_count && *does; n++) {
        uint32_t txn = m->order[n];

        if (h->txn_status[txn] == TXN_OK && h->txn_completed[txn] != TIME_ABSENT &&
            h->txn_completed[txn] < latest)
            *does = false;
        if (h->txn_invoked[txn] > latest)
            latest = h->txn_invoked[txn];
        for (uint32_t i = m->start[txn]; i < m->start[txn + 1] && *does; i++)
            *does = replay_call(m->l, &m->l->calls.all.at[m->calls[i]], held);
    }
    free(held);
    return STATUS_OK;
}

static void close_merging(struct merging *m)
{
    free(m->start);
    free(m->calls);
    free(m->missing);
    free(m->next);
    free(m->is_in);
    free(m->heap);
    free(m->order);
}

static enum status tell_order(struct linear *l, struct error *err)
{
    struct merging m = { .l = l };
    bool is_order = false;
    enum status status = merge(&m, err);

    if (status == STATUS_OK)
        status = holds(&m, &is_order, err);
    if (status == STATUS_OK && !is_order)
        check_doubt(l->check,
                    l->calls.has_several
                        ? "each key by itself is linearizable, but transactions touch several "
                          "keys, and no order of all was found"
                        : "the order that was found does not explain the history: please report "
                          "this mistake of the checker");
    if (status == STATUS_OK && is_order && check_wants(l->options, CHECK_WITNESS))
        witness_order(l->check, l->history, m.order, m.order_count);
    close_merging(&m);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

static enum status judge(struct linear *l, struct error *err)
{
    TRY(places_init_standing(&l->places, l->history, err));
    TRY(linear_calls_init(&l->calls, &l->places, l->options, err));
    if (l->calls.is_stopped) {
        check_doubt(l->check, "it was stopped");
        return STATUS_OK;
    }
    l->task = (struct task){ .calls = &l->calls, .options = l->options, .steps_max = STEPS_MAX };
    if (l->calls.has_faults) {
        TRY(linear_prover_open(&l->prover, &l->places, l->options, err));
        TRY(linear_prover_tell_faults(l->prover, l->check, err));
        if (l->check->verdict != VERDICT_INVALID)
            check_doubt(l->check, "a read contradicts its own transaction, but how could not be "
                                  "shown");
        return STATUS_OK;
    }
    TRY(judge_keys(l, err));
    return l->check->verdict == VERDICT_VALID && !l->has_failed ? tell_order(l, err) : STATUS_OK;
}

enum status linear_run(const struct history *h, const struct check_options *options,
                       struct check *check, struct error *err)
{
    struct linear l = { .history = h, .options = options, .check = check };
    enum status status = linear_examine(h, err);

    if (status == STATUS_OK && h->txn_count > 0)
        status = judge(&l, err);
    else if (status == STATUS_OK && check_wants(options, CHECK_WITNESS))
        witness_order(check, h, NULL, 0);
    linear_prover_close(l.prover);
    places_close(&l.places);
    linear_calls_close(&l.calls);
    free(l.task.marks);
    free(l.line);
    free(l.line_length);
    return status;
}
