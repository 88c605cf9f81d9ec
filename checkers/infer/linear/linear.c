#include "checkers/infer/linear/linear.h"

#include <stdlib.h>

#include "checkers/infer/linear/linear_private.h"
#include "checkers/infer/linear/linear_calls_private.h"
#include "checkers/infer/linear/linear_search_private.h"
#include "checkers/infer/linear/linear_states_private.h"
#include "checkers/infer/linear/linear_tell_private.h"
#include "checkers/infer/linear/linear_zones_private.h"
#include "checkers/proof/witness.h"

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

    l->task.at = l->calls.all.at + l->calls.start[key];
    l->task.count = l->calls.start[key + 1] - l->calls.start[key];
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
