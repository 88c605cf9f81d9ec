#include "audit/outcomes_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/core_private.h"
#include "audit/txn_runs_private.h"
#include "audit/unexplained_private.h"
#include "base/bisect.h"

struct outcomes_reader {
    int64_t by_ns; /* it has seen nothing that was invoked later */
    uint32_t txn;
};

struct outcomes {
    const struct plan *plan;
    const struct outcomes_options *options;
    struct outcomes_result *result;
    struct txn_runs runs; /* of the transaction at hand */
    ARRAY(const struct stored_row *) always; /* it writes them in all runs that will do, */
    uint32_t kept;                           /* which are so many */
    bool is_explained;        /* there is a run that will do */
    struct audit_wrong *told; /* or NULL: runs are noted there */

    bool is_wild;            /* those at hand have no place */
    ARRAY(struct outcomes_reader) unsure; /* places of those that may have done nothing, seeing what came later */
    ARRAY(uint32_t) waiting; /* places of those that may have seen what comes later, and only that */
    uint32_t refutable;      /* one of them that has not */
    ARRAY(struct outcomes_reader) readers; /* in the order in which they are judged */
    size_t reader;                         /* the next one */
    struct core core;
};

static bool is_serial(const struct outcomes *o)
{
    return o->options->mode == RUN_AT_PLACE;
}

static const struct plan_txn *txn_of(const struct outcomes *o, uint32_t txn)
{
    return &o->plan->txns.at[txn];
}

static bool must_fail(const struct plan_txn *t)
{
    return !t->is_unknown && t->logged->sqlstate.length > 0;
}

static uint32_t place_count(const struct outcomes *o)
{
    return (uint32_t)o->runs.worlds.places.count;
}

/* Whether its answers count rows that it has written. */
static bool says_that_it_wrote(const struct outcomes *o, const struct plan_txn *t)
{
    for (uint32_t i = 0; i < t->step_count && i < t->logged->answer_count; i++) {
        const struct call_answer *a = &o->plan->log->answers.at[t->logged->answer + i];
        const struct block *body =
            &o->plan->program->tree.functions[o->plan->steps.at[t->step + i]].body;
        const struct action *action = body->count > 0 ? &body->actions[0] : NULL;
        const struct query *q = !action                              ? NULL
                                : action->kind == ACTION_RETURN_ROWS ? action->as.returned
                                : action->kind == ACTION_QUERY       ? action->as.query.query
                                                                     : NULL;

        if (q && q->kind != QUERY_SELECT &&
            ((a->kind == CALL_ANSWER_COUNT && a->count > 0) ||
             (a->kind == CALL_ANSWER_ROWS && a->row_count > 0)))
            return true;
    }
    return false;
}

static void begin_txn(struct outcomes *o, uint32_t txn)
{
    txn_runs_begin(&o->runs, txn);
    o->kept = 0;
    o->is_explained = false;
}

static enum status run_all(struct outcomes *o, enum runs_kind kind, on_run *each, struct error *err)
{
    return txn_runs_make(&o->runs, kind, each, o, err);
}

/* --- What rests on what ---------------------------------------------------------------------------------- */

static enum status note_place(struct outcomes *o, uint32_t place, struct error *err)
{
    return core_note(&o->core, o->runs.txn, o->runs.worlds.places.at[place - 1].txn, err);
}

/* What the transaction at hand has done rests on what it has seen, and on who came too late to be seen. */
static enum status note_met(struct outcomes *o, struct error *err)
{
    const struct worlds *w = &o->runs.worlds;

    for (size_t i = 0; i < w->met.count; i++)
        TRY(note_place(o, w->met.at[i], err));
    return w->ceiling < w->newest ? note_place(o, w->ceiling + 1, err) : STATUS_OK;
}

/* Its answers exclude outcomes of others. */
static enum status exclude(struct outcomes *o, struct error *err)
{
    for (size_t i = 0; i < o->runs.worlds.excluded.count; i++)
        TRY(core_note(&o->core, o->runs.worlds.places.at[o->runs.worlds.excluded.at[i].place - 1].txn, o->runs.txn, err));
    worlds_exclude(&o->runs.worlds);
    return STATUS_OK;
}

/* Whether it writes certain rows only, as its arguments say. */
static bool is_closed(const struct outcomes *o, const struct plan_txn *t)
{
    uint32_t count = t->step_count > 0 ? t->step_count : 1;
    bool is_closed = true;

    for (uint32_t i = 0; i < count && is_closed; i++)
        is_closed = influence_is_closed(&o->plan->influence,
                                        t->step_count ? o->plan->steps.at[t->step + i] : t->function);
    return is_closed;
}

/* Of those that the core leaves out it must be known which rows they may write, unless they come later. */
static enum status find_core(struct outcomes *o, struct error *err)
{
    TRY(core_begin(&o->core, (uint32_t)o->plan->txns.count, err));
    TRY(core_add(&o->core, o->runs.txn, err));
    for (uint32_t i = 0; i < o->plan->txns.count; i++)
        if (txn_of(o, i)->may_write && !audit_plan_has_ts(o->plan, i))
            TRY(core_add(&o->core, i, err));
    for (size_t k = 0; k < o->runs.worlds.places.count; k++)
        if (!is_closed(o, txn_of(o, o->runs.worlds.places.at[k].txn)))
            TRY(core_add(&o->core, o->runs.worlds.places.at[k].txn, err));
    TRY(core_end(&o->core, err));
    if (o->core.is_too_much)
        return STATUS_OK;
    for (size_t i = 0; i < o->core.txns.count; i++)
        TRY(array_push(&o->result->core, o->core.txns.at[i], err));
    return STATUS_OK;
}

/* --- What is refuted ------------------------------------------------------------------------------------ */

/* After which transaction the state is that the run saw last. */
static int64_t last_state(const struct outcomes *o)
{
    const struct worlds *w = &o->runs.worlds;
    uint32_t place = w->newest;

    for (size_t i = w->forks.count; i > 0; i--)
        if (w->forks.at[i - 1].kind == FORK_STATE ||
            (w->forks.at[i - 1].kind == FORK_CONTENT && w->forks.at[i - 1].place == 0)) {
            place = w->forks.at[i - 1].kind == FORK_STATE
                        ? w->forks.at[i - 1].state
                        : w->place_of.at[w->forks.at[i - 1].state];
            break;
        }
    return place > 0 ? txn_of(o, w->places.at[place - 1].txn)->logged->id : -1;
}

static enum status tell_run(void *context, struct error *err)
{
    struct outcomes *o = context;

    if (o->told->candidates.count == UNEXPLAINED_STATES_MAX) {
        o->told->has_more_candidates = o->runs.found = true;
        return STATUS_OK;
    }
    return unexplained_note(o->told, &o->runs.runner, last_state(o), err);
}

/* The transaction at hand has no run that will do; its runs are told once more. */
static enum status refute(struct outcomes *o, struct error *err)
{
    o->result->is_refuted = true;
    o->told = &o->result->wrong;
    unexplained_begin(o->told, o->plan, o->runs.txn);
    o->runs.runner.explains = true;
    o->runs.found = false;
    o->runs.made = 0;
    TRY(note_met(o, err));
    if (o->runs.worlds.floor > 0)
        TRY(note_place(o, o->runs.worlds.floor, err));
    TRY(run_all(o, RUNS_OR_COARSE, tell_run, err));
    TRY(unexplained_end(o->told, o->plan, o->runs.txn, err));
    o->runs.is_over = true;
    return find_core(o, err);
}

/* --- Those that may write --------------------------------------------------------------------------------- */

/* The rows that all runs write that will do, this one among them. */
static enum status note_always(struct outcomes *o, struct error *err)
{
    const row_list *written = audit_rows_written(o->runs.rows);
    size_t left = 0;

    if (o->kept++ == 0) {
        o->always.count = 0;
        for (size_t i = 0; i < written->count; i++)
            TRY(array_push(&o->always, written->at[i], err));
        return STATUS_OK;
    }
    for (size_t i = 0; i < o->always.count; i++)
        if (o->always.at[i]->has_own)
            o->always.at[left++] = o->always.at[i];
    o->always.count = left;
    return STATUS_OK;
}

static enum status keep_outcome(void *context, struct error *err)
{
    struct outcomes *o = context;
    bool may;

    TRY(txn_runs_may_commit(&o->runs, &may, err));
    if (!may)
        return STATUS_OK;
    TRY(worlds_keep_run(&o->runs.worlds, err));
    TRY(note_always(o, err));
    TRY(worlds_add_outcome(&o->runs.worlds, err));
    if (o->runs.worlds.places.at[place_count(o) - 1].is_overfull)
        txn_runs_doubt(&o->runs, "may have written too many different things");
    return STATUS_OK;
}

/* Whether all that it may write is what the run that has ended has written. */
static bool wrote_all(const struct outcomes *o)
{
    return o->runs.runner.is_whole && !o->runs.runner.missed_update && is_closed(o, txn_of(o, o->runs.txn)) &&
           audit_rows_written(o->runs.rows)->count > 0 &&
           audit_rows_written(o->runs.rows)->count == o->runs.fixed.count;
}

/* A run that tells which rows it writes, whatever the answers. */
static enum status keep_any(void *context, struct error *err)
{
    struct outcomes *o = context;

    if (!wrote_all(o))
        return STATUS_OK;
    o->runs.found = true;
    if (!o->is_wild)
        return worlds_add_outcome(&o->runs.worlds, err);
    audit_rows_mark_wild(o->runs.rows);
    return STATUS_OK;
}

static enum status find_whole_run(void *context, struct error *err)
{
    struct outcomes *o = context;

    (void)err;
    o->runs.found = wrote_all(o);
    return STATUS_OK;
}

/* What it did is not known, but to which rows. */
static enum status open_place(struct outcomes *o, struct error *err)
{
    struct world_place *p = &o->runs.worlds.places.at[place_count(o) - 1];

    o->runs.found = false;
    o->runs.made = 0;
    if (p->count == 0)
        TRY(run_all(o, RUNS_EVEN_IN_DOUBT, keep_any, err));
    else
        TRY(run_all(o, RUNS_EVEN_IN_DOUBT, find_whole_run, err));
    if (!o->runs.found) {
        txn_runs_give_up(&o->runs, "may have written anything");
        return STATUS_OK;
    }
    worlds_open_place(&o->runs.worlds, place_count(o));
    p->writes = !txn_of(o, o->runs.txn)->is_unknown;
    return STATUS_OK;
}

static enum status ignore_run(void *context, struct error *err)
{
    struct outcomes *o = context;

    (void)err;
    o->runs.found = true;
    return STATUS_OK;
}

/* A run from which to learn what it writes in any case, whatever it met. */
static enum status run_plainly(struct outcomes *o, struct error *err)
{
    o->runs.worlds.is_plain = true;
    TRY(run_all(o, RUNS_EXACT, ignore_run, err));
    o->runs.worlds.is_plain = o->runs.found = o->runs.is_doubtful = false;
    for (size_t i = 0; i < o->runs.fixed.count; i++)
        TRY(worlds_add_fixed(&o->runs.worlds, o->runs.fixed.at[i], err));
    return STATUS_OK;
}

static enum status end_place(struct outcomes *o, const struct plan_txn *t, struct error *err)
{
    struct world_place *p = &o->runs.worlds.places.at[place_count(o) - 1];
    size_t written = p->count;
    bool may_be_empty;

    p->writes = !t->is_unknown && !must_fail(t) && (o->runs.writes || says_that_it_wrote(o, t));
    if (p->count == 0 && !t->is_unknown) {
        /* At the serial levels it may see what comes later, and elsewhere if it writes nothing. */
        if (!is_serial(o) && p->writes)
            return refute(o, err);
        TRY(array_push(&o->waiting, place_count(o), err));
    }
    may_be_empty = t->is_unknown || (!is_serial(o) && !p->writes) || p->count == 0;
    if (may_be_empty)
        TRY(worlds_add_outcome(&o->runs.worlds, err));
    for (size_t i = 0; i < o->always.count && p->is_split && !may_be_empty; i++)
        TRY(worlds_add_always(&o->runs.worlds, o->always.at[i], err));
    worlds_end_place(&o->runs.worlds);
    TRY(note_met(o, err));
    if (is_serial(o))
        return STATUS_OK;
    /* Who writes in any case has no other runs than these. */
    if (p->writes)
        return exclude(o, err);
    if (!t->is_unknown && !p->is_split && written > 0 && written < p->count &&
        o->options->level == LEVEL_STRICT_SNAPSHOT)
        return array_push(&o->unsure,
                          ((struct outcomes_reader){ t->first_answer_ns == TIME_NEVER
                                                         ? INT64_MAX
                                                         : t->first_answer_ns,
                                                     place_count(o) }),
                          err);
    return STATUS_OK;
}

static enum status take_writer(struct outcomes *o, uint32_t txn, struct error *err)
{
    const struct plan_txn *t = txn_of(o, txn);

    begin_txn(o, txn);
    txn_runs_set_window(&o->runs, place_count(o));
    TRY(worlds_begin_place(&o->runs.worlds, txn, err));
    if (is_serial(o)) {
        o->runs.worlds.own_place = place_count(o);
        TRY(run_plainly(o, err));
    }
    if (!must_fail(t))
        TRY(run_all(o, RUNS_OR_COARSE, keep_outcome, err));
    if (o->runs.is_over)
        return STATUS_OK;
    return o->runs.is_doubtful ? open_place(o, err) : end_place(o, t, err);
}

/* --- Those that are asked at the end ------------------------------------------------------------------------ */

/* The first one will do, unless others could exclude something. */
static enum status find_reader(void *context, struct error *err)
{
    struct outcomes *o = context;

    if (o->runs.runner.end != RUN_RIGHT || audit_rows_written(o->runs.rows)->count > 0)
        return STATUS_OK;
    o->is_explained = true;
    o->runs.found = o->options->level != LEVEL_STRICT_SNAPSHOT || o->runs.worlds.narrowed.count == 0;
    return worlds_keep_run(&o->runs.worlds, err);
}

/* From where on to look for what it saw: behind those with an earlier ts. */
static uint32_t place_of_reader(const struct outcomes *o, uint32_t txn)
{
    uint32_t place, all = place_count(o);

    if (!is_serial(o) || !audit_plan_has_ts(o->plan, txn))
        return all;
    BISECT(place, 0, all,
           audit_plan_compare_ts(o->plan, o->runs.worlds.places.at[place].txn, txn) < 0);
    return place;
}

/* Where one that writes nothing may stand, or what its statements that lock find, is free. */
static enum status judge_reader(struct outcomes *o, uint32_t txn, struct error *err)
{
    uint32_t all = place_of_reader(o, txn);
    bool is_first = true;

    begin_txn(o, txn);
    txn_runs_set_window(&o->runs, all);
    TRY(run_all(o, RUNS_OR_COARSE, find_reader, err));
    if (!o->is_explained && !o->runs.is_over && o->options->mode == RUN_LOCKING && o->runs.locks)
        for (uint32_t newest = all; newest > 0 && !o->runs.found && !o->runs.is_doubtful && !o->runs.is_over;
             newest--) {
            is_first = false;
            txn_runs_set_window(&o->runs, newest - 1);
            TRY(run_all(o, RUNS_OR_COARSE, find_reader, err));
        }
    if (o->runs.is_over || o->runs.is_doubtful)
        return STATUS_OK;
    if (o->is_explained) {
        TRY(note_met(o, err));
        return o->options->level == LEVEL_STRICT_SNAPSHOT && !o->runs.found ? exclude(o, err) : STATUS_OK;
    }
    if (!is_first)
        txn_runs_set_window(&o->runs, all);
    return refute(o, err);
}

static enum status verify_outcome(void *context, struct error *err)
{
    struct outcomes *o = context;
    bool may;

    TRY(txn_runs_may_commit(&o->runs, &may, err));
    if (may && !worlds_has_outcome(&o->runs.worlds, o->runs.worlds.own_place))
        txn_runs_doubt(&o->runs, "may have written something else where it saw what has a later ts");
    return STATUS_OK;
}

/* At the serial levels: once more, with all that the others have written. */
static enum status verify_writer(struct outcomes *o, uint32_t place, struct error *err)
{
    uint32_t txn = o->runs.worlds.places.at[place - 1].txn;

    begin_txn(o, txn);
    txn_runs_set_window(&o->runs, place - 1);
    o->runs.worlds.own_place = place;
    if (must_fail(txn_of(o, txn)) || o->runs.worlds.places.at[place - 1].is_open)
        return STATUS_OK;
    TRY(run_all(o, RUNS_EXACT, verify_outcome, err));
    TRY(note_met(o, err));
    if (o->runs.is_doubtful)
        txn_runs_give_up(&o->runs, "may have written something else than by what has an earlier ts");
    return STATUS_OK;
}

static enum status find_right(void *context, struct error *err)
{
    struct outcomes *o = context;

    return txn_runs_may_commit(&o->runs, &o->runs.found, err);
}

/* Whether one that had no run when only what has an earlier ts was known has one now. */
static enum status find_late_run(struct outcomes *o, uint32_t place, struct error *err)
{
    begin_txn(o, o->runs.worlds.places.at[place - 1].txn);
    txn_runs_set_window(&o->runs, place - 1);
    o->runs.worlds.own_place = place;
    return run_all(o, RUNS_EXACT, find_right, err);
}

static enum status judge_waiting(struct outcomes *o, struct error *err)
{
    bool is_late = false;

    /* What the others can do is known only if none of them has such a run. */
    for (size_t i = 0; i < o->waiting.count && is_serial(o) && !o->runs.is_over; i++) {
        uint32_t place = o->waiting.at[i];

        if (must_fail(txn_of(o, o->runs.worlds.places.at[place - 1].txn)))
            continue;
        TRY(find_late_run(o, place, err));
        if (o->runs.found || o->runs.is_doubtful)
            txn_runs_give_up(&o->runs, "has its answers only where it saw what has a later ts");
        is_late = true;
        o->refutable = place;
    }
    if (is_late && !o->runs.is_over) {
        TRY(find_late_run(o, o->refutable, err));
        return o->runs.is_over ? STATUS_OK : refute(o, err);
    }
    for (size_t i = 0; i < o->waiting.count && !o->runs.is_over; i++)
        TRY(judge_reader(o, o->runs.worlds.places.at[o->waiting.at[i] - 1].txn, err));
    return STATUS_OK;
}

static bool is_waiting(const struct outcomes *o, uint32_t place)
{
    for (size_t i = 0; i < o->waiting.count; i++)
        if (o->waiting.at[i] == place)
            return true;
    return false;
}

static enum status find_empty(void *context, struct error *err)
{
    struct outcomes *o = context;

    (void)err;
    o->runs.found = o->runs.runner.end == RUN_RIGHT && audit_rows_written(o->runs.rows)->count == 0;
    return STATUS_OK;
}

/* --- Those that only read ----------------------------------------------------------------------------------- */

static bool is_reader(const struct outcomes *o, uint32_t txn)
{
    return !txn_of(o, txn)->may_write && !txn_of(o, txn)->is_unknown;
}

static int compare_answers(const void *left, const void *right)
{
    const struct outcomes_reader *a = left, *b = right;

    if (a->by_ns != b->by_ns)
        return a->by_ns < b->by_ns ? -1 : 1;
    return (a->txn > b->txn) - (a->txn < b->txn);
}

/* In the order in which they had their first answers; those without a time come last. */
static enum status sort_readers(struct outcomes *o, struct error *err)
{
    bool by_time = o->options->level == LEVEL_STRICT_SNAPSHOT;

    for (uint32_t i = 0; i < o->options->count; i++) {
        uint32_t txn = o->options->order[i];
        struct outcomes_reader one = { INT64_MAX, txn };

        if (!is_reader(o, txn))
            continue;
        if (by_time && txn_of(o, txn)->first_answer_ns != TIME_NEVER)
            one.by_ns = txn_of(o, txn)->first_answer_ns;
        TRY(array_push(&o->readers, one, err));
    }
    if (o->readers.count > 0)
        qsort(o->readers.at, o->readers.count, sizeof *o->readers.at, compare_answers);
    return STATUS_OK;
}

/*
 * One that may write nothing, and had its first answer by now: that it did nothing, and saw a state behind its
 * place, is one of its outcomes only if it has a run like that.
 */
static enum status judge_empty(struct outcomes *o, uint32_t place, struct error *err)
{
    begin_txn(o, o->runs.worlds.places.at[place - 1].txn);
    txn_runs_set_window(&o->runs, place_count(o));
    if (o->runs.worlds.floor < place)
        o->runs.worlds.floor = place;
    o->runs.empty = place;
    TRY(run_all(o, RUNS_EXACT, find_empty, err));
    TRY(note_met(o, err));
    if (o->runs.found || o->runs.is_doubtful || o->runs.is_over || worlds_exclude_empty(&o->runs.worlds, place))
        return STATUS_OK;
    /* The others are excluded already. */
    o->runs.empty = NOBODY;
    txn_runs_set_window(&o->runs, place - 1);
    return refute(o, err);
}

static enum status judge_unsure(struct outcomes *o, int64_t invoked, struct error *err)
{
    size_t left = 0;

    for (size_t i = 0; i < o->unsure.count; i++) {
        if (o->unsure.at[i].by_ns < invoked && !o->runs.is_over)
            TRY(judge_empty(o, o->unsure.at[i].txn, err));
        else
            o->unsure.at[left++] = o->unsure.at[i];
    }
    o->unsure.count = left;
    return STATUS_OK;
}

/* Those that had their first answer before any of the writers that are left was invoked. */
static enum status judge_readers(struct outcomes *o, int64_t invoked, struct error *err)
{
    while (o->reader < o->readers.count && o->readers.at[o->reader].by_ns < invoked && !o->runs.is_over)
        TRY(judge_reader(o, o->readers.at[o->reader++].txn, err));
    return STATUS_OK;
}

/* By place in the order: when the first was invoked of those that may write, from there on. */
static int64_t *find_invoked(const struct outcomes *o)
{
    int64_t *least = malloc(((size_t)o->options->count + 1) * sizeof *least);

    if (!least)
        return NULL;
    least[o->options->count] = INT64_MAX;
    for (uint32_t i = o->options->count; i > 0; i--) {
        const struct plan_txn *t = txn_of(o, o->options->order[i - 1]);
        int64_t at = t->logged->invoked_ns == TIME_NEVER ? INT64_MIN : t->logged->invoked_ns;

        least[i - 1] = t->may_write && at < least[i] ? at : least[i];
    }
    return least;
}

/* --- All of it ------------------------------------------------------------------------------------------------ */

/* What one without a place writes may be seen at any place. */
static enum status mark_without_place(struct outcomes *o, struct error *err)
{
    o->is_wild = true;
    for (uint32_t i = 0; i < o->plan->txns.count && !o->runs.is_over; i++) {
        if (!txn_of(o, i)->may_write || audit_plan_has_ts(o->plan, i))
            continue;
        begin_txn(o, i);
        txn_runs_set_window(&o->runs, 0);
        o->runs.worlds.is_plain = true;
        TRY(run_all(o, RUNS_EVEN_IN_DOUBT, keep_any, err));
        if (!o->runs.found)
            txn_runs_give_up(&o->runs, "may write, and its place in the order of commits is not known");
    }
    o->is_wild = false;
    return STATUS_OK;
}

static bool has_place(const struct outcomes *o, uint32_t txn)
{
    return txn_of(o, txn)->may_write && audit_plan_has_ts(o->plan, txn);
}

static enum status take_writers(struct outcomes *o, struct error *err)
{
    int64_t *invoked = find_invoked(o);
    enum status status = STATUS_OK;

    if (!invoked)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    for (uint32_t i = 0; i < o->options->count && !o->runs.is_over && status == STATUS_OK; i++) {
        if (o->options->level == LEVEL_STRICT_SNAPSHOT) {
            status = judge_unsure(o, invoked[i], err);
            if (status == STATUS_OK)
                status = judge_readers(o, invoked[i], err);
        }
        if (status == STATUS_OK && !o->runs.is_over && has_place(o, o->options->order[i]))
            status = take_writer(o, o->options->order[i], err);
    }
    free(invoked);
    return status;
}

static enum status go(struct outcomes *o, struct error *err)
{
    TRY(mark_without_place(o, err));
    TRY(sort_readers(o, err));
    TRY(take_writers(o, err));
    for (uint32_t k = 1; is_serial(o) && k <= place_count(o) && !o->runs.is_over; k++)
        if (!is_waiting(o, k))
            TRY(verify_writer(o, k, err));
    TRY(judge_waiting(o, err));
    while (o->reader < o->readers.count && !o->runs.is_over)
        TRY(judge_reader(o, o->readers.at[o->reader++].txn, err));
    return STATUS_OK;
}

enum status outcomes_refute(const struct plan *plan, struct rows *rows,
                            const struct outcomes_options *options, struct outcomes_result *result,
                            struct error *err)
{
    struct outcomes o = { .plan = plan, .options = options, .result = result };
    enum status status;

    *result = (struct outcomes_result){ .is_refuted = false };
    status = txn_runs_open(&o.runs, plan, rows, options, err);
    if (status == STATUS_OK && o.runs.open.line == 0)
        status = go(&o, err);
    result->open_line = o.runs.open_line;
    result->runs = o.runs.runner.runs;
    snprintf(result->reason, sizeof result->reason, "%s", o.runs.reason);
    snprintf(result->limit, sizeof result->limit, "%s", o.runs.runner.limit);
    txn_runs_close(&o.runs);
    array_close(&o.always);
    array_close(&o.waiting);
    array_close(&o.unsure);
    array_close(&o.readers);
    core_close(&o.core);
    return status;
}
