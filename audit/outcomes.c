#include "audit/outcomes_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/core_private.h"
#include "audit/unexplained_private.h"
#include "base/bisect.h"
#include "programs/sql/access.h"

#define RUN_PACE 256
#define TXN_RUNS_MAX 20000 /* of one transaction */
#define SPLIT_RUNS_MAX 2000 /* of one that is to be run coarsely if that is not enough */

struct outcomes_reader {
    int64_t by_ns; /* it has seen nothing that was invoked later */
    uint32_t txn;
};

struct outcomes {
    const struct plan *plan;
    struct rows *rows;
    const struct outcomes_options *options;
    struct outcomes_result *result;
    struct runner runner;
    struct worlds worlds;
    bool *is_lasting; /* by table: no row ever goes */

    /* Of the transaction at hand. */
    uint32_t txn;
    uint64_t runs;       /* of it */
    bool writes;         /* something, in any run */
    bool locks;          /* or writes, in one of its runs: it does more than to select */
    ARRAY(const struct stored_row *) fixed;
    ARRAY(const struct stored_row *) always; /* written in all runs that will do */
    uint32_t kept;       /* so many will do */
    bool is_too_much;    /* it has too many runs */
    bool lacks_memory;
    bool found;          /* what was looked for: no more runs are needed */
    bool is_doubtful;    /* what it can have done is not known */
    bool is_complete;    /* it has been run to its end, and found all rows that it updates */
    uint32_t empty;      /* the place at which it is taken to have done nothing, or NOBODY */
    bool is_explained;   /* there is a run that will do */
    struct audit_wrong *told; /* or NULL: runs are noted there */

    bool is_wild;            /* those at hand have no place */
    ARRAY(struct outcomes_reader) unsure; /* places of those that may have done nothing, seeing what came later */
    ARRAY(uint32_t) waiting; /* places of those that may have seen what comes later, and only that */
    uint32_t refutable;      /* one of them that has not */
    bool is_changed;         /* a place was opened when all were run again */
    ARRAY(struct outcomes_reader) readers; /* in the order in which they are judged */
    size_t reader;                         /* the next one */
    struct core core;
    bool is_over;
};

typedef enum status on_run(struct outcomes *, struct error *);

static bool is_serial(const struct outcomes *o)
{
    return o->options->mode == RUN_AT_PLACE;
}

static bool is_strict(const struct outcomes *o)
{
    return level_closing(o->options->level) == CLOSING_TIME;
}

static const struct plan_txn *txn_of(const struct outcomes *o, uint32_t txn)
{
    return &o->plan->txns.at[txn];
}

static bool must_fail(const struct plan_txn *t)
{
    return !t->is_unknown && t->logged->sqlstate.length > 0;
}

static void give_up(struct outcomes *o, const char *why)
{
    if (!o->is_over && why && !o->result->reason[0])
        snprintf(o->result->reason, sizeof o->result->reason, "transaction %lld %s",
                 (long long)txn_of(o, o->txn)->logged->id, why);
    o->is_over = true;
}

/* The first reason is the one that is told. */
static void doubt(struct outcomes *o, const char *why)
{
    if (!o->is_doubtful && !o->result->reason[0] && why)
        snprintf(o->result->reason, sizeof o->result->reason, "transaction %lld %s",
                 (long long)txn_of(o, o->txn)->logged->id, why);
    o->is_doubtful = true;
}

static uint32_t place_count(const struct outcomes *o)
{
    return (uint32_t)o->worlds.places.count;
}

/* --- Runs ----------------------------------------------------------------------------------------------- */

/* Whether it can be run in another way if the runs are too many. */
static bool can_be_coarse(const struct outcomes *o)
{
    return !o->worlds.is_coarse && o->worlds.sight != SIGHT_SERIAL && o->worlds.sight != SIGHT_PAPER;
}

static uint64_t runs_max(const struct outcomes *o)
{
    const struct world_place *last = place_count(o) > 0 ? &o->worlds.places.at[place_count(o) - 1] : NULL;
    uint64_t given = o->options->exact_runs_max;

    if (!can_be_coarse(o))
        return TXN_RUNS_MAX;
    if (last && last->txn == o->txn && last->is_split)
        return given > 0 && given < SPLIT_RUNS_MAX ? given : SPLIT_RUNS_MAX;
    return given > 0 ? given : TXN_RUNS_MAX;
}

static enum status run_once(struct outcomes *o, struct error *err)
{
    struct runner *r = &o->runner;

    worlds_begin_run(&o->worlds);
    if (o->empty != NOBODY)
        TRY(worlds_assume_empty(&o->worlds, o->empty, err));
    TRY(runner_run(r, o->txn, err));
    o->runs++;
    o->locks |= !r->only_reads;
    if (!pace_spend(o->options->pace, RUN_PACE + 64 * r->statements))
        give_up(o, NULL);
    if (r->open_line > 0) {
        o->result->open_line = r->open_line;
        give_up(o, NULL);
    }
    if (r->limit[0])
        give_up(o, "took more than a program may");
    else if (r->runs >= o->options->runs_max)
        give_up(o, "came when all runs that were allowed had been made");
    else if (o->runs >= runs_max(o))
        o->is_too_much = true;
    if (o->worlds.met_open)
        doubt(o, NULL);
    return STATUS_OK;
}

static enum status keep_any(struct outcomes *, struct error *);
static enum status find_whole_run(struct outcomes *, struct error *);

static enum status keep_outcome(struct outcomes *, struct error *);
static enum status find_reader(struct outcomes *, struct error *);
static enum status tell_run(struct outcomes *, struct error *);

static bool may_be_coarse(on_run *each)
{
    return each == keep_outcome || each == find_reader || each == tell_run;
}

/* What it writes is then kept for each row by itself. */
static void begin_coarsely(struct outcomes *o)
{
    struct worlds *w = &o->worlds;

    w->is_coarse = true;
    o->runs = 0;
    o->kept = 0;
    if (place_count(o) > 0 && w->places.at[place_count(o) - 1].txn == o->txn)
        worlds_split_place(w);
}

/* Whether it asks only for what a run does whatever it meets. */
static bool is_undoubting(on_run *each)
{
    return each == keep_any || each == find_whole_run;
}

/* Every run of the transaction at hand within the window that is set, if they are not too many. */
static enum status run_window(struct outcomes *o, on_run *each, struct error *err)
{
    struct worlds *w = &o->worlds;
    bool more = w->floor <= w->ceiling;

    o->is_too_much = false;
    worlds_begin_runs(w);
    while (more && !o->is_over) {
        TRY(run_once(o, err));
        if (!o->is_over && ((!o->is_doubtful && !o->is_too_much) || is_undoubting(each)))
            TRY(each(o, err));
        TRY(audit_rows_abandon(o->rows, err));
        if (o->found || ((o->is_doubtful || o->is_too_much) && !is_undoubting(each)))
            break;
        TRY(worlds_advance(w, &more, err));
    }
    return STATUS_OK;
}

/* All that it can have done; if these are too many runs, on rows as each by itself may be. */
static enum status run_all(struct outcomes *o, on_run *each, struct error *err)
{
    TRY(run_window(o, each, err));
    if (o->is_too_much && !o->is_over && !o->is_doubtful && can_be_coarse(o) && may_be_coarse(each)) {
        begin_coarsely(o);
        TRY(run_window(o, each, err));
    }
    if (o->is_too_much)
        doubt(o, "has too many ways to run");
    return STATUS_OK;
}

/* Of a run: whether its answers are right, and what it wrote does not break the rule of conflicts. */
static enum status may_commit(struct outcomes *o, bool *may, struct error *err)
{
    const row_list *written = audit_rows_written(o->rows);
    struct worlds *w = &o->worlds;

    *may = o->runner.end == RUN_RIGHT;
    if (w->sight != SIGHT_SNAPSHOT && w->sight != SIGHT_SERIAL)
        return STATUS_OK;
    for (size_t i = 0; i < written->count && *may; i++) {
        const struct stored_row *row = written->at[i];
        const struct datum *seen = worlds_seen(w, row);

        if (w->sight != SIGHT_SNAPSHOT || !audit_rows_equal(o->rows, row->table, row->own, seen))
            TRY(worlds_may_be(w, row, w->newest, seen, may, err));
    }
    return STATUS_OK;
}

/* --- What is written in any run ------------------------------------------------------------------------ */

static void note_fixed(struct outcomes *o, const struct stored_row *row)
{
    struct error err;

    o->writes = true;
    for (size_t i = 0; i < o->fixed.count; i++)
        if (o->fixed.at[i] == row)
            return;
    /* One that is not noted makes the proof harder, not wrong. */
    if (array_push(&o->fixed, row, &err) != STATUS_OK)
        o->lacks_memory = true;
}

static void on_write(void *context, const struct query *query, size_t first)
{
    struct outcomes *o = context;
    const row_list *written = audit_rows_written(o->rows);
    enum certain_write certain = influence_certain(&o->plan->influence, query);

    if (certain == WRITES_ROWS)
        o->writes = true;
    for (size_t i = first; i < written->count; i++) {
        const struct stored_row *row = written->at[i];

        if (certain == WRITES_ROW ||
            (certain == WRITES_ROW_IF_THERE && o->is_lasting[row->table] &&
             row->version_count > 0 && row->versions[0].position == 0 && row->versions[0].cells))
            note_fixed(o, row);
    }
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

/* --- Windows --------------------------------------------------------------------------------------------- */

/* States up to `newest`; at strict-snapshot those that time leaves. */
static void set_window(struct outcomes *o, uint32_t newest)
{
    struct worlds *w = &o->worlds;

    w->newest = newest;
    w->floor = 0;
    w->ceiling = newest;
    w->last = audit_rows_position(o->rows);
    if (o->options->level != LEVEL_STRICT_SNAPSHOT)
        return;
    for (uint32_t k = newest; k > 0; k--) {
        const struct world_place *p = &w->places.at[k - 1];

        if (!p->writes)
            continue;
        if (audit_plan_is_after_answer(o->plan, o->txn, p->txn))
            w->ceiling = k - 1;
        if (audit_plan_is_before(o->plan, p->txn, o->txn)) {
            w->floor = k;
            break;
        }
    }
}

static enum world_sight sight_of(enum run_mode mode)
{
    switch (mode) {
    case RUN_AT_PLACE:
        return SIGHT_SERIAL;
    case RUN_SNAPSHOT:
        return SIGHT_SNAPSHOT;
    case RUN_LOCKING:
        return SIGHT_LOCKING;
    case RUN_STATEMENT:
        return SIGHT_STATEMENT;
    case RUN_PAPER:
        break;
    }
    return SIGHT_PAPER;
}

static void begin_txn(struct outcomes *o, uint32_t txn)
{
    o->txn = o->worlds.txn = txn;
    o->runs = 0;
    o->writes = o->locks = o->found = o->is_explained = o->is_too_much = false;
    o->fixed.count = 0;
    o->kept = 0;
    o->is_doubtful = false;
    o->empty = NOBODY;
    o->worlds.own_place = NOBODY;
    o->worlds.is_plain = o->worlds.is_coarse = false;
    worlds_forget_met(&o->worlds);
}

/* --- What rests on what ---------------------------------------------------------------------------------- */

/* What the transaction at hand has done rests on what it has seen. */
static enum status note_met(struct outcomes *o, struct error *err)
{
    for (size_t i = 0; i < o->worlds.met.count; i++)
        TRY(core_note(&o->core, o->txn, o->worlds.places.at[o->worlds.met.at[i] - 1].txn, err));
    return STATUS_OK;
}

/* Its answers exclude outcomes of others. */
static enum status exclude(struct outcomes *o, struct error *err)
{
    for (size_t i = 0; i < o->worlds.excluded.count; i++)
        TRY(core_note(&o->core, o->worlds.places.at[o->worlds.excluded.at[i].place - 1].txn, o->txn, err));
    worlds_exclude(&o->worlds);
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
    TRY(core_add(&o->core, o->txn, err));
    for (uint32_t i = 0; i < o->plan->txns.count; i++)
        if (txn_of(o, i)->may_write && !audit_plan_has_ts(o->plan, i))
            TRY(core_add(&o->core, i, err));
    for (size_t k = 0; k < o->worlds.places.count; k++)
        if (!is_closed(o, txn_of(o, o->worlds.places.at[k].txn)))
            TRY(core_add(&o->core, o->worlds.places.at[k].txn, err));
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
    const struct worlds *w = &o->worlds;
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

static enum status tell_run(struct outcomes *o, struct error *err)
{
    if (o->told->candidates.count == UNEXPLAINED_STATES_MAX) {
        o->told->has_more_candidates = o->found = true;
        return STATUS_OK;
    }
    return unexplained_note(o->told, &o->runner, last_state(o), err);
}

/* The transaction at hand has no run that will do; its runs are told once more. */
static enum status refute(struct outcomes *o, struct error *err)
{
    o->result->is_refuted = true;
    o->told = &o->result->wrong;
    unexplained_begin(o->told, o->plan, o->txn);
    o->runner.explains = true;
    o->found = false;
    o->runs = 0;
    TRY(note_met(o, err));
    TRY(run_all(o, tell_run, err));
    TRY(unexplained_end(o->told, o->plan, o->txn, err));
    o->is_over = true;
    return find_core(o, err);
}

/* --- Those that may write --------------------------------------------------------------------------------- */

/* The rows that all runs write that will do, this one among them. */
static enum status note_always(struct outcomes *o, struct error *err)
{
    const row_list *written = audit_rows_written(o->rows);
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

static enum status keep_outcome(struct outcomes *o, struct error *err)
{
    bool may;

    TRY(may_commit(o, &may, err));
    if (!may)
        return STATUS_OK;
    TRY(worlds_keep_run(&o->worlds, err));
    TRY(note_always(o, err));
    TRY(worlds_add_outcome(&o->worlds, err));
    if (o->worlds.places.at[place_count(o) - 1].is_overfull)
        doubt(o, "may have written too many different things");
    return STATUS_OK;
}

/* Whether all that it may write is what the run that has ended has written. */
static bool wrote_all(const struct outcomes *o)
{
    return o->runner.is_whole && !o->runner.missed_update && is_closed(o, txn_of(o, o->txn)) &&
           audit_rows_written(o->rows)->count > 0 &&
           audit_rows_written(o->rows)->count == o->fixed.count;
}

/* A run that tells which rows it writes, whatever the answers. */
static enum status keep_any(struct outcomes *o, struct error *err)
{
    if (!wrote_all(o))
        return STATUS_OK;
    o->found = true;
    if (!o->is_wild)
        return worlds_add_outcome(&o->worlds, err);
    audit_rows_mark_wild(o->rows);
    return STATUS_OK;
}

static enum status find_whole_run(struct outcomes *o, struct error *err)
{
    (void)err;
    o->found = wrote_all(o);
    return STATUS_OK;
}

/* What it did is not known, but to which rows. */
static enum status open_place(struct outcomes *o, struct error *err)
{
    struct world_place *p = &o->worlds.places.at[place_count(o) - 1];

    o->found = false;
    o->runs = 0;
    if (p->count == 0)
        TRY(run_all(o, keep_any, err));
    else
        TRY(run_all(o, find_whole_run, err));
    if (!o->found) {
        give_up(o, "may have written anything");
        return STATUS_OK;
    }
    worlds_open_place(&o->worlds, place_count(o));
    p->writes = !txn_of(o, o->txn)->is_unknown;
    return STATUS_OK;
}

static enum status ignore_run(struct outcomes *o, struct error *err)
{
    (void)err;
    o->found = true;
    return STATUS_OK;
}

/* A run from which to learn what it writes in any case, whatever it met. */
static enum status run_plainly(struct outcomes *o, struct error *err)
{
    o->worlds.is_plain = true;
    TRY(run_all(o, ignore_run, err));
    o->worlds.is_plain = o->found = o->is_doubtful = false;
    for (size_t i = 0; i < o->fixed.count; i++)
        TRY(worlds_add_fixed(&o->worlds, o->fixed.at[i], err));
    return STATUS_OK;
}

static enum status end_place(struct outcomes *o, const struct plan_txn *t, struct error *err)
{
    struct world_place *p = &o->worlds.places.at[place_count(o) - 1];
    size_t written = p->count;
    bool may_be_empty;

    p->writes = !t->is_unknown && !must_fail(t) && (o->writes || says_that_it_wrote(o, t));
    if (p->count == 0 && !t->is_unknown) {
        /* At the serial levels it may see what comes later, and elsewhere if it writes nothing. */
        if (!is_serial(o) && p->writes)
            return refute(o, err);
        TRY(array_push(&o->waiting, place_count(o), err));
    }
    may_be_empty = t->is_unknown || (!is_serial(o) && !p->writes) || p->count == 0;
    if (may_be_empty)
        TRY(worlds_add_outcome(&o->worlds, err));
    for (size_t i = 0; i < o->always.count && p->is_split && !may_be_empty; i++)
        TRY(worlds_add_always(&o->worlds, o->always.at[i], err));
    worlds_end_place(&o->worlds);
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
    set_window(o, place_count(o));
    TRY(worlds_begin_place(&o->worlds, txn, err));
    if (is_serial(o)) {
        o->worlds.own_place = place_count(o);
        TRY(run_plainly(o, err));
    }
    if (!must_fail(t))
        TRY(run_all(o, keep_outcome, err));
    if (o->is_over)
        return STATUS_OK;
    return o->is_doubtful ? open_place(o, err) : end_place(o, t, err);
}

/* --- Those that are asked at the end ------------------------------------------------------------------------ */

/* The first one will do, unless others could exclude something. */
static enum status find_reader(struct outcomes *o, struct error *err)
{
    if (o->runner.end != RUN_RIGHT || audit_rows_written(o->rows)->count > 0)
        return STATUS_OK;
    o->is_explained = true;
    o->found = o->options->level != LEVEL_STRICT_SNAPSHOT || o->worlds.narrowed.count == 0;
    return worlds_keep_run(&o->worlds, err);
}

/* From where on to look for what it saw: behind those with an earlier ts. */
static uint32_t place_of_reader(const struct outcomes *o, uint32_t txn)
{
    uint32_t place, all = place_count(o);

    if (!is_serial(o) || !audit_plan_has_ts(o->plan, txn))
        return all;
    BISECT(place, 0, all,
           audit_plan_compare_ts(o->plan, o->worlds.places.at[place].txn, txn) < 0);
    return place;
}

/* Where one that writes nothing may stand, or what its statements that lock find, is free. */
static enum status judge_reader(struct outcomes *o, uint32_t txn, struct error *err)
{
    uint32_t all = place_of_reader(o, txn);
    bool is_first = true;

    begin_txn(o, txn);
    set_window(o, all);
    TRY(run_all(o, find_reader, err));
    if (!o->is_explained && !o->is_over && o->options->mode == RUN_LOCKING && o->locks)
        for (uint32_t newest = all; newest > 0 && !o->found && !o->is_doubtful && !o->is_over;
             newest--) {
            is_first = false;
            set_window(o, newest - 1);
            TRY(run_all(o, find_reader, err));
        }
    if (o->is_over || o->is_doubtful)
        return STATUS_OK;
    if (o->is_explained) {
        TRY(note_met(o, err));
        return o->options->level == LEVEL_STRICT_SNAPSHOT && !o->found ? exclude(o, err) : STATUS_OK;
    }
    if (!is_first)
        set_window(o, all);
    return refute(o, err);
}

static enum status verify_outcome(struct outcomes *o, struct error *err)
{
    bool may;

    TRY(may_commit(o, &may, err));
    if (may && !worlds_has_outcome(&o->worlds, o->worlds.own_place))
        doubt(o, "may have written something else where it saw what has a later ts");
    return STATUS_OK;
}

/* All its outcomes write the same rows, if a run does that writes them all. */
static enum status reopen_place(struct outcomes *o, uint32_t place, struct error *err)
{
    o->found = false;
    o->runs = 0;
    TRY(run_all(o, find_whole_run, err));
    if (o->found && o->worlds.places.at[place - 1].fixed_count > 0 &&
        o->fixed.count == o->worlds.places.at[place - 1].fixed_count)
        worlds_open_place(&o->worlds, place);
    else
        give_up(o, "may have written anything");
    return STATUS_OK;
}

/* At the serial levels: once more, with all that the others have written. */
static enum status verify_writer(struct outcomes *o, uint32_t place, struct error *err)
{
    uint32_t txn = o->worlds.places.at[place - 1].txn;

    begin_txn(o, txn);
    set_window(o, place - 1);
    o->worlds.own_place = place;
    if (must_fail(txn_of(o, txn)) || o->worlds.places.at[place - 1].is_open)
        return STATUS_OK;
    TRY(run_all(o, verify_outcome, err));
    TRY(note_met(o, err));
    if (o->is_doubtful && !o->is_over) {
        /* It is open as well, if what it may write is known; the others then have to be run again. */
        o->is_changed = true;
        TRY(reopen_place(o, place, err));
    }
    return STATUS_OK;
}

static enum status find_right(struct outcomes *o, struct error *err)
{
    return may_commit(o, &o->found, err);
}

/* Whether one that had no run when only what has an earlier ts was known has one now. */
static enum status find_late_run(struct outcomes *o, uint32_t place, struct error *err)
{
    begin_txn(o, o->worlds.places.at[place - 1].txn);
    set_window(o, place - 1);
    o->worlds.own_place = place;
    return run_all(o, find_right, err);
}

static enum status judge_waiting(struct outcomes *o, struct error *err)
{
    bool is_late = false;

    /* What the others can do is known only if none of them has such a run. */
    for (size_t i = 0; i < o->waiting.count && is_serial(o) && !o->is_over; i++) {
        uint32_t place = o->waiting.at[i];

        if (must_fail(txn_of(o, o->worlds.places.at[place - 1].txn)))
            continue;
        TRY(find_late_run(o, place, err));
        if (o->found || o->is_doubtful)
            give_up(o, "has its answers only where it saw what has a later ts");
        is_late = true;
        o->refutable = place;
    }
    if (is_late && !o->is_over) {
        TRY(find_late_run(o, o->refutable, err));
        return o->is_over ? STATUS_OK : refute(o, err);
    }
    for (size_t i = 0; i < o->waiting.count && !o->is_over; i++)
        TRY(judge_reader(o, o->worlds.places.at[o->waiting.at[i] - 1].txn, err));
    return STATUS_OK;
}

static bool is_waiting(const struct outcomes *o, uint32_t place)
{
    for (size_t i = 0; i < o->waiting.count; i++)
        if (o->waiting.at[i] == place)
            return true;
    return false;
}

static enum status find_empty(struct outcomes *o, struct error *err)
{
    (void)err;
    o->found = o->runner.end == RUN_RIGHT && audit_rows_written(o->rows)->count == 0;
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
    begin_txn(o, o->worlds.places.at[place - 1].txn);
    set_window(o, place_count(o));
    if (o->worlds.floor < place)
        o->worlds.floor = place;
    o->empty = place;
    TRY(run_all(o, find_empty, err));
    TRY(note_met(o, err));
    if (o->found || o->is_doubtful || o->is_over || worlds_exclude_empty(&o->worlds, place))
        return STATUS_OK;
    /* The others are excluded already. */
    o->empty = NOBODY;
    set_window(o, place - 1);
    return refute(o, err);
}

static enum status judge_unsure(struct outcomes *o, int64_t invoked, struct error *err)
{
    size_t left = 0;

    for (size_t i = 0; i < o->unsure.count; i++) {
        if (o->unsure.at[i].by_ns < invoked && !o->is_over)
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
    while (o->reader < o->readers.count && o->readers.at[o->reader].by_ns < invoked && !o->is_over)
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
    for (uint32_t i = 0; i < o->plan->txns.count && !o->is_over; i++) {
        if (!txn_of(o, i)->may_write || audit_plan_has_ts(o->plan, i))
            continue;
        begin_txn(o, i);
        set_window(o, 0);
        o->worlds.is_plain = true;
        TRY(run_all(o, keep_any, err));
        if (!o->found)
            give_up(o, "may write, and its place in the order of commits is not known");
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
    for (uint32_t i = 0; i < o->options->count && !o->is_over && status == STATUS_OK; i++) {
        if (o->options->level == LEVEL_STRICT_SNAPSHOT) {
            status = judge_unsure(o, invoked[i], err);
            if (status == STATUS_OK)
                status = judge_readers(o, invoked[i], err);
        }
        if (status == STATUS_OK && !o->is_over && has_place(o, o->options->order[i]))
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
    do {
        o->is_changed = false;
        for (uint32_t k = 1; is_serial(o) && k <= place_count(o) && !o->is_over; k++)
            if (!is_waiting(o, k))
                TRY(verify_writer(o, k, err));
    } while (o->is_changed && !o->is_over);
    TRY(judge_waiting(o, err));
    while (o->reader < o->readers.count && !o->is_over)
        TRY(judge_reader(o, o->readers.at[o->reader++].txn, err));
    return STATUS_OK;
}

static enum status find_lasting(struct outcomes *o, struct error *err)
{
    const struct program_tree *tree = &o->plan->program->tree;
    uint32_t tables = tree->schema.table_count;
    const struct access *access;
    struct arena arena = { 0 };
    enum status status;

    o->is_lasting = calloc((size_t)tables + 1, sizeof *o->is_lasting);
    if (!o->is_lasting)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for tables");
    TRY(arena_init(&arena, ARENA_UNLIMITED, err));
    status = access_find(tree, &arena, &access, err);
    for (uint32_t t = 0; t < tables && status == STATUS_OK; t++) {
        const struct schema_columns *key = &tree->schema.tables[t].key;

        o->is_lasting[t] = true;
        for (uint32_t f = 0; f < tree->function_count; f++) {
            const struct access *a = &access[f * tables + t];

            if (a->deletes)
                o->is_lasting[t] = false;
            for (uint16_t i = 0; i < key->count && a->updates; i++)
                if (a->columns_written[key->at[i]])
                    o->is_lasting[t] = false;
        }
    }
    arena_close(&arena);
    return status;
}

enum status outcomes_refute(const struct plan *plan, struct rows *rows,
                            const struct outcomes_options *options, struct outcomes_result *result,
                            struct error *err)
{
    struct outcomes o = { .plan = plan, .rows = rows, .options = options, .result = result };
    struct open_order open = { .line = 0 };
    enum status status;

    *result = (struct outcomes_result){ .is_refuted = false };
    status = runner_open(&o.runner, plan, rows, options->mode, err);
    if (status == STATUS_OK)
        status = worlds_open(&o.worlds, plan, rows, sight_of(options->mode), err);
    if (status == STATUS_OK)
        status = open_order_find(&open, &plan->program->tree, err);
    if (status == STATUS_OK)
        status = find_lasting(&o, err);
    o.runner.worlds = &o.worlds;
    o.runner.open = &open;
    o.runner.open_line = result->open_line = open.line;
    o.runner.write_listener = on_write;
    o.runner.context = &o;
    o.worlds.is_strict = is_strict(&o);
    if (options->whole_outcomes_max > 0)
        o.worlds.outcomes_max = options->whole_outcomes_max;
    if (status == STATUS_OK && open.line == 0)
        status = go(&o, err);
    result->runs = o.runner.runs;
    snprintf(result->limit, sizeof result->limit, "%s", o.runner.limit);
    open_order_close(&open);
    worlds_close(&o.worlds);
    runner_close(&o.runner);
    array_close(&o.fixed);
    array_close(&o.always);
    array_close(&o.waiting);
    array_close(&o.unsure);
    array_close(&o.readers);
    core_close(&o.core);
    free(o.is_lasting);
    return status;
}
