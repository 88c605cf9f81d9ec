/*
 * weak: read committed, read atomic, causal and prefix consistency as Biswas and Enea define them,
 * and the session guarantees, from reads and writes alone.
 *
 *     T1: w(x,1)   T2: r(x,1) w(y,2)   T3: r(y,2) r(x,1)       causal
 *     T1: w(x,1)   T2: r(x,1) w(y,2)   T3: r(y,2) r(x,null)    read atomic, but not causal
 *
 * For whom: stores that promise less than snapshots, and histories too large for a
 * search. Each level is an axiom that says which writers must come before the one who was
 * read from; it holds if session order, reads and all this have no cycle (Biswas and Enea 2019).
 * Reads tell their writers where values are unique; what several may have written constrains
 * nothing, and where nothing else is wrong either, the verdict is unknown. Of lists, the
 * order of their elements is the order of those who appended them.
 *
 * Read committed and read atomic take time about linear in the operations, causal that times the
 * sessions (Møldrup et al. 2025 show that this is optimal); prefix searches where these
 * decide nothing. The names of what is found are Plume's (Liu et al. 2024).
 */
#include "checkers/weak/weak_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/proof/witness.h"
#include "checkers/search/prefix_encoding.h"
#include "checkers/weak/atomic_private.h"
#include "checkers/weak/gather_private.h"
#include "checkers/weak/order_private.h"
#include "checkers/weak/tell_private.h"
#include "history/level.h"

/* --- Prefix -------------------------------------------------------------------- */

/*
 * Prefix: there is one order of all commits, and each transaction sees a beginning of it.
 *
 *     T1: w(x,1)   T2: w(y,1)   T3: r(x,1) r(y,null)   T4: r(x,null) r(y,1)     causal, no prefix
 *
 * NP-complete, unlike the levels below it. Most stores that are asked for it give more, so
 * two orders at hand are tried first: that of causal consistency, and that of the history.
 * Then it is a question for the search (prefix_encoding.h), and may remain one.
 */

/* Once causal holds, by this order, and there is neither a fault nor anything open. */
static enum status weak_judge_prefix(struct weak *w, const struct weak_order *causal, struct error *err)
{
    struct prefix_hint hint = { causal->txns, causal->count };

    TRY(prefix_encoding_judge(w->history, &w->places, &hint, w->options, w->check, err));
    if (w->check->verdict == VERDICT_INVALID) {
        w->check->strongest = LEVEL_CAUSAL;
        w->check->weakest_violated = LEVEL_PREFIX;
    }
    return STATUS_OK;
}

#define STEPS_MAX 4

/* The axioms that a level consists of, the weakest first. */
struct ladder {
    enum level level;
    const struct weak_axiom *axioms[STEPS_MAX + 1];
};

static const struct ladder ladders[] = {
    { LEVEL_READ_COMMITTED, { &weak_read_committed } },
    { LEVEL_READ_ATOMIC, { &weak_read_committed, &weak_read_atomic } },
    { LEVEL_CAUSAL, { &weak_read_committed, &weak_read_atomic, &weak_causal } },
    { LEVEL_PREFIX, { &weak_read_committed, &weak_read_atomic, &weak_causal } },
    { LEVEL_READ_YOUR_WRITES, { &weak_read_your_writes } },
    { LEVEL_MONOTONIC_READS, { &weak_monotonic_reads } },
    { LEVEL_MONOTONIC_WRITES, { &weak_monotonic_writes } },
    { LEVEL_WRITES_FOLLOW_READS, { &weak_writes_follow_reads } },
    { LEVEL_PRAM,
      { &weak_read_your_writes, &weak_monotonic_reads, &weak_monotonic_writes, &weak_pram } },
};

/* Of nothing but session order and reads: what all levels have in common. */
static const struct weak_axiom base_axiom = {
    .level = LEVEL_READ_COMMITTED,
    .by_order = ANOMALY_CYCLIC_CO,
    .by_circle = ANOMALY_NON_MONO_READ_AO,
};

static const struct ladder *find_ladder(enum level level)
{
    size_t i = 0;

    while (i + 1 < ROW_COUNT(ladders) && ladders[i].level != level)
        i++;
    return &ladders[i];
}

static const struct weak_axiom *last_axiom(const struct ladder *ladder)
{
    size_t n = 0;

    while (ladder->axioms[n + 1])
        n++;
    return ladder->axioms[n];
}

/* --- Making ----------------------------------------------------------------------- */

static enum status make(struct weak *w, struct error *err)
{
    const struct history *h = w->history;

    w->txn_count = (uint32_t)h->txn_count;
    w->session_count = (uint32_t)h->session_count;
    w->open_op = w->strange_op = HISTORY_NONE;
    TRY(places_init_standing(&w->places, h, err));
    TRY(check_memory((void **)&w->takes_part, h->txn_count, 1, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        w->takes_part[txn] = w->places.standing[txn] == STANDING_IN;
    TRY(appends_init(&w->appends, h,
                     &(struct append_writers){ w->places.standing, STANDING_OUT, false }, err));
    TRY(weak_gather(w, err));
    progress_report(w->options->progress, h->txn_count / 4, h->txn_count);
    if (!w->is_stopped)
        TRY(weak_find_writers(w, err));
    if (!w->is_stopped)
        TRY(weak_read_lists(w, err));
    if (!w->is_stopped)
        TRY(weak_find_sessions(w, err));
    progress_report(w->options->progress, h->txn_count / 2, h->txn_count);
    check_note_all_unjudged(w->check, h);
    return STATUS_OK;
}

static void close_all(struct weak *w)
{
    places_close(&w->places);
    free(w->takes_part);
    free(w->session_start);
    free(w->session_txns);
    free(w->position);
    free(w->write_start);
    free(w->write_key);
    free(w->write_op);
    free(w->read_start);
    free(w->read_key);
    free(w->read_op);
    free(w->read_writer);
    free(w->key_start);
    free(w->key_writer);
    appends_close(&w->appends);
    array_close(&w->list_reads);
    array_close(&w->shown.edges);
    array_close(&w->faults);
    if (w->base)
        weak_order_close(w->base);
    free(w->base);
}

/* --- Doubts ----------------------------------------------------------------------- */

static void doubt_stopped(struct weak *w)
{
    check_doubt(w->check, "%s", w->gave_up ? w->gave_up : "it was stopped before all was judged");
}

/* Whether the verdict can be valid. */
static bool is_certain(struct weak *w)
{
    const struct history *h = w->history;
    uint32_t op = w->open_op != HISTORY_NONE ? w->open_op : w->strange_op;
    struct text key;

    if (op == HISTORY_NONE)
        return true;
    key = history_key(h, h->op_key[op]);
    if (w->open_op != HISTORY_NONE)
        check_doubt(w->check,
                    "nothing that is known for sure is wrong, but several may have written what "
                    "T%" PRId64 " read of %.*s, and some other reads too perhaps",
                    h->txn_id[history_txn_of(h, op)], TEXT_PRINT(key));
    else
        check_doubt(w->check,
                    "nothing else is wrong, but reads of %.*s cannot be judged: it is both written "
                    "and appended to, or its elements repeat",
                    TEXT_PRINT(key));
    return false;
}

/* --- Judging ---------------------------------------------------------------------- */

static enum status tell_valid(struct weak *w, const struct weak_order *order, struct error *err)
{
    if (w->check->verdict == VERDICT_INVALID || !is_certain(w))
        return STATUS_OK;
    if (w->options->level == LEVEL_PREFIX)
        return weak_judge_prefix(w, order, err);
    if (check_wants(w->options, CHECK_WITNESS))
        witness_order(w->check, w->history, order->txns, order->count);
    return STATUS_OK;
}

/*
 * Session order, reads and lists contradict each other by themselves. The two axioms that do not
 * need them in order tell what else is wrong.
 */
static enum status tell_base(struct weak *w, const struct ladder *ladder, uint8_t *told,
                             struct error *err)
{
    struct weak_judgement base = { .order = *w->base };

    w->check->weakest_violated = w->options->level;
    if (level_implies(w->options->level, LEVEL_READ_COMMITTED))
        w->check->weakest_violated = LEVEL_READ_COMMITTED;
    TRY(weak_tell_cycles(w, &base_axiom, &base, told, err));
    for (size_t n = 0; ladder->axioms[n] && !w->is_stopped; n++) {
        struct weak_judgement j;
        enum status status;

        if (ladder->axioms[n] != &weak_read_committed && ladder->axioms[n] != &weak_read_atomic)
            continue;
        status = weak_judge_axiom(w, ladder->axioms[n], &j, err);
        if (status == STATUS_OK && !w->is_stopped)
            status = weak_tell_cycles(w, ladder->axioms[n], &j, told, err);
        weak_judgement_close(&j);
        TRY(status);
    }
    return STATUS_OK;
}

/* It does not hold: the weakest axiom that does not says what is wrong, and so do the others. */
static enum status tell_violated(struct weak *w, const struct ladder *ladder, uint8_t *told,
                                 struct error *err)
{
    struct check *check = w->check;
    enum level holds = LEVEL_COUNT;

    for (size_t n = 0; ladder->axioms[n] && !w->is_stopped; n++) {
        struct weak_judgement j;
        enum status status = weak_judge_axiom(w, ladder->axioms[n], &j, err);

        if (status == STATUS_OK && !w->is_stopped && !j.holds) {
            if (check->weakest_violated == LEVEL_COUNT)
                check->weakest_violated = ladder->axioms[n]->level;
            status = weak_tell_cycles(w, ladder->axioms[n], &j, told, err);
        } else if (!w->is_stopped && check->weakest_violated == LEVEL_COUNT &&
                   w->open_op == HISTORY_NONE && w->strange_op == HISTORY_NONE) {
            holds = ladder->axioms[n]->level;
        }
        weak_judgement_close(&j);
        TRY(status);
    }
    if (holds != LEVEL_COUNT &&
        (check->weakest_violated == LEVEL_COUNT || level_implies(check->weakest_violated, holds)))
        check->strongest = holds;
    return STATUS_OK;
}

static enum status judge_level(struct weak *w, const struct ladder *ladder, uint8_t *told,
                               struct error *err)
{
    struct weak_judgement j;
    enum status status;
    bool is_violated;

    if (!weak_goes_forward(w, NULL))
        TRY(weak_find_base(w, err));
    if (w->base && !w->base->is_acyclic)
        return tell_base(w, ladder, told, err);
    status = weak_judge_axiom(w, last_axiom(ladder), &j, err);
    if (status == STATUS_OK && !w->is_stopped && j.holds)
        status = tell_valid(w, &j.order, err);
    is_violated = status == STATUS_OK && !w->is_stopped && !j.holds;
    weak_judgement_close(&j);
    return is_violated ? tell_violated(w, ladder, told, err) : status;
}

static bool has_fault(const struct weak *w, bool unrepeated)
{
    for (size_t i = 0; i < w->faults.count; i++)
        if ((w->faults.at[i].kind == WEAK_NOT_REPEATED) == unrepeated)
            return true;
    return false;
}

/*
 * Faults come first. Reads that are not repeated leave read committed standing, and are circles at
 * the levels above: there nothing more is told. What else is wrong is told beside other faults.
 */
static enum status judge_faulty(struct weak *w, const struct ladder *ladder, uint8_t *told,
                                struct error *err)
{
    struct check *check = w->check;
    bool has_unrepeated = has_fault(w, true), has_others = has_fault(w, false);

    TRY(weak_tell_faults(w, err));
    if (has_others)
        check->weakest_violated = level_implies(w->options->level, LEVEL_READ_COMMITTED)
                                      ? LEVEL_READ_COMMITTED
                                      : w->options->level;
    TRY(judge_level(w, has_unrepeated ? find_ladder(LEVEL_READ_COMMITTED) : ladder, told, err));
    if (check->weakest_violated == LEVEL_COUNT) {
        check->weakest_violated = LEVEL_READ_ATOMIC;
        if (!w->is_stopped && w->open_op == HISTORY_NONE && w->strange_op == HISTORY_NONE)
            check->strongest = LEVEL_READ_COMMITTED;
    }
    return STATUS_OK;
}

static enum status judge(struct weak *w, uint8_t *told, struct error *err)
{
    const struct ladder *ladder = find_ladder(w->options->level);

    if (level_implies(w->options->level, LEVEL_READ_ATOMIC))
        TRY(weak_find_unrepeated(w, err));
    return w->faults.count == 0 ? judge_level(w, ladder, told, err)
                                : judge_faulty(w, ladder, told, err);
}

/* --- The checker ------------------------------------------------------------------ */

static enum status run_all(struct weak *w, uint8_t **told, struct error *err)
{
    TRY(check_memory((void **)told, w->history->txn_count, 1, 0, err));
    TRY(make(w, err));
    if (!w->is_stopped)
        TRY(judge(w, *told, err));
    if (w->is_stopped)
        doubt_stopped(w);
    return STATUS_OK;
}

static enum status weak_judge(const struct history *h, const struct check_options *options,
                              struct check *check, struct error *err)
{
    struct weak w = { .history = h, .options = options, .check = check };
    uint8_t *told = NULL;
    enum status status = run_all(&w, &told, err);

    free(told);
    close_all(&w);
    return status;
}

const struct checker checker_weak = {
    .name = "weak",
    .summary = "saturates: needs nothing but reads and writes",
    .levels = LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) |
              LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX) |
              LEVEL_BIT(LEVEL_READ_YOUR_WRITES) | LEVEL_BIT(LEVEL_MONOTONIC_READS) |
              LEVEL_BIT(LEVEL_MONOTONIC_WRITES) | LEVEL_BIT(LEVEL_WRITES_FOLLOW_READS) |
              LEVEL_BIT(LEVEL_PRAM),
    .cost = 3,
    .is_complete = true,
    .due = DUE_UNIQUE,
    .unjudged_why = "no use is made of rows that did not come back",
    .judge = weak_judge,
};
