#include "audit/attempt_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/exhaust_private.h"
#include "audit/outcomes_private.h"
#include "audit/programs/open_order.h"
#include "audit/serial_order_private.h"
#include "audit/unexplained_private.h"
#include "audit/witness_private.h"
#include "audit/z3/by_z3.h"

/* A way to look gives up behind so many runs, in all or of each transaction, whichever are more. */
#define RUNS_PER_TXN 64
#define RUNS_MIN 1000000

bool audit_is_strict(const struct audit *audit)
{
    return level_closing(audit->options->level) == CLOSING_TIME;
}

bool audit_is_serial(const struct audit *audit)
{
    return level_is_serializable(audit->options->level);
}

bool audit_has_help(const struct audit *audit)
{
    int64_t invoked = TIME_NEVER;
    bool has_others = false;

    for (size_t i = 0; i < audit->plan.txns.count && invoked == TIME_NEVER; i++) {
        invoked = audit->plan.txns.at[i].logged->invoked_ns;
        has_others |= audit->plan.txns.at[i].logged->session >= 0 || audit->plan.txns.at[i].logged->has_saw;
    }
    return invoked != TIME_NEVER || (has_others && !audit_is_strict(audit));
}

bool audit_respects_time(const struct audit *audit, const uint32_t *order)
{
    int64_t latest = INT64_MIN;

    if (!audit_is_strict(audit))
        return true;
    for (uint32_t i = 0; i < audit->count; i++) {
        const struct logged_txn *t = audit->plan.txns.at[order[i]].logged;

        if (t->completed_ns < latest && t->completed_ns != TIME_NEVER)
            return false;
        if (t->invoked_ns != TIME_NEVER && t->invoked_ns > latest)
            latest = t->invoked_ns;
    }
    return true;
}

static bool is_initial_unknown(const struct attempt *a)
{
    return a->plan.log->initial == INITIAL_UNKNOWN;
}

/* What is to be known of a runner that is done. */
static void keep_runner(struct attempt *a, const struct runner *r)
{
    a->verdict.counts.runs += r->runs;
    if (r->limit[0])
        snprintf(a->limit, sizeof a->limit, "%s", r->limit);
}

static uint64_t runs_limit(const struct audit *audit)
{
    uint64_t limit = RUNS_PER_TXN * (uint64_t)audit->count;
    uint64_t given = audit->options->runs_max;

    if (limit < RUNS_MIN)
        limit = RUNS_MIN;
    return given > 0 && given < limit ? given : limit;
}

/* --- Valid ------------------------------------------------------------------------------------------ */

static enum status put_first_rows(const struct attempt *a, struct buffer *out, struct error *err)
{
    struct rows *rows = NULL;
    enum status status = audit_rows_open(&rows, a->plan.program, a->plan.is_called, err);

    if (status == STATUS_OK)
        status = audit_plan_fill(&a->plan, rows, err);
    if (status == STATUS_OK)
        status = witness_put_tables(out, &a->plan, rows, err);
    audit_rows_close(rows);
    return status;
}

static enum status put_witness(struct attempt *a, const struct witness_execution *x,
                               struct error *err)
{
    struct witness_parts parts = { 0 };
    enum status status = witness_add(&parts, &a->plan, x, err);

    if (status == STATUS_OK && a->plan.first)
        status = put_first_rows(a, &parts.initial, err);
    if (status == STATUS_OK)
        status = witness_add_absent(&parts, &a->plan, x, err);
    if (status == STATUS_OK)
        status = witness_put_valid(&a->verdict.witness, &a->plan.log->digest, x, &parts, err);
    witness_parts_close(&parts);
    return status;
}

static enum status say_valid(struct attempt *a, const struct witness_execution *x,
                             struct error *err)
{
    struct audit_verdict *v = &a->verdict;

    v->verdict = VERDICT_VALID;
    v->reason[0] = '\0';
    v->is_by_version = x->is_by_version;
    v->model = x->mode == RUN_STATEMENT ? AUDIT_RC_STATEMENT
               : x->mode == RUN_PAPER   ? AUDIT_RC_PAPER
                                        : AUDIT_RC_LOCKING;
    a->is_decided = true;
    if (a->audit->options->settles)
        TRY(settle_take(&a->settle, x, err));
    return a->audit->options->wants_witness ? put_witness(a, x, err) : STATUS_OK;
}

/* States as if the absent ones were not in the order at all. */
static enum status leave_out_absent(struct search *s, struct error *err)
{
    uint32_t *before = malloc((s->frames.count + 1) * sizeof *before);

    if (!before)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    before[0] = 0;
    for (size_t i = 0; i < s->frames.count; i++)
        before[i + 1] = before[i] + s->frames.at[i].is_absent;
    for (size_t i = 0; i < s->frames.count; i++)
        s->frames.at[i].ceiling -= before[s->frames.at[i].ceiling];
    for (size_t i = 0; i < s->choices.count; i++)
        s->choices.at[i].state -= before[s->choices.at[i].state];
    free(before);
    return STATUS_OK;
}

/* Room for an execution of so many transactions. */
static struct witness_txn *make_txns(size_t count, struct error *err)
{
    struct witness_txn *txns = calloc(count + 1, sizeof *txns);

    if (!txns && error_set(err, STATUS_OVER_LIMIT, "no memory for a witness") != STATUS_OK)
        return NULL;
    return txns;
}

static enum status say_found(struct attempt *a, struct search *s, struct error *err)
{
    struct witness_txn *txns = make_txns(s->count, err);
    struct witness_execution x = { .level = a->audit->options->level,
                                   .mode = s->mode,
                                   .is_by_version = !s->by_value,
                                   .txns = txns };
    enum status status = txns ? leave_out_absent(s, err) : err->status;

    for (uint32_t i = 0; i < s->count && status == STATUS_OK; i++) {
        const struct search_frame *f = &s->frames.at[i];

        if (!f->is_absent)
            txns[x.count++] =
                (struct witness_txn){ .txn = f->txn,
                                      .statements = f->statements,
                                      .state = f->ceiling,
                                      .choices = s->choices.at + (f->choice_count ? f->choice : 0),
                                      .choice_count = f->choice_count };
    }
    if (status == STATUS_OK)
        status = say_valid(a, &x, err);
    free(txns);
    return status;
}

static enum status say_serial(struct attempt *a, const uint32_t *order, struct error *err)
{
    struct witness_txn *txns = make_txns(a->audit->count, err);
    struct witness_execution x = { .level = a->audit->options->level,
                                   .mode = RUN_AT_PLACE,
                                   .txns = txns };
    enum status status;

    for (uint32_t i = 0; txns && i < a->audit->count; i++)
        if (!a->is_absent[order[i]])
            txns[x.count++].txn = order[i];
    status = txns ? say_valid(a, &x, err) : err->status;
    free(txns);
    return status;
}

static enum status say_exhausted(struct attempt *a, const struct exhaust *x, struct error *err)
{
    struct witness_txn *txns = make_txns(x->placed.count, err);
    const struct witness_execution w = { .level = a->audit->options->level,
                                         .mode = x->options->mode,
                                         .is_by_version = !x->options->by_value,
                                         .txns = txns,
                                         .count = (uint32_t)x->placed.count };
    enum status status;

    for (size_t i = 0; txns && i < x->placed.count; i++) {
        const struct exhausted *one = &x->placed.at[i];

        txns[i] =
            (struct witness_txn){ .txn = one->txn,
                                  .statements = one->statements,
                                  .state = one->ceiling,
                                  .choices = x->choices.at + (one->choice_count ? one->choice : 0),
                                  .choice_count = one->choice_count };
    }
    status = txns ? say_valid(a, &w, err) : err->status;
    free(txns);
    return status;
}

/* --- All executions of a small log -------------------------------------------------------------------- */

static enum status exhaust(struct attempt *a, struct error *err)
{
    struct exhaust_options options = { .level = a->audit->options->level,
                                       .mode = a->way.mode,
                                       .by_value = a->way.by_value,
                                       .runs_max = runs_limit(a->audit),
                                       .pace = &a->pace };
    struct open_order open = { .line = 0 };
    struct runner runner;
    struct exhaust x = { 0 };
    enum status status;
    bool found = false;

    status = runner_open(&runner, &a->plan, a->rows, a->way.mode, err);
    if (status == STATUS_OK)
        status = open_order_find(&open, &a->plan.program->tree, err);
    runner.open = &open;
    runner.open_line = open.line;
    if (status == STATUS_OK)
        status = exhaust_open(&x, &a->plan, &runner, &options, err);
    if (status == STATUS_OK)
        status = exhaust_go(&x, &found, err);
    a->is_refuted = status == STATUS_OK && !found && !x.is_over;
    if (status == STATUS_OK && found)
        status = say_exhausted(a, &x, err);
    keep_runner(a, &runner);
    a->open_line = runner.open_line;
    open_order_close(&open);
    exhaust_close(&x);
    runner_close(&runner);
    return status;
}

/* No execution was found, of those in which rows come in the order of their keys. */
enum status audit_attempt_say_invalid(struct attempt *a, const struct witness_core *core,
                                      struct error *err)
{
    struct audit_verdict *v = &a->verdict;

    if (is_initial_unknown(a)) {
        snprintf(v->reason, sizeof v->reason,
                 "no execution was found that begins with the %" PRIu64
                 " rows that were taken for the initial ones, "
                 "which nobody knows",
                 first_rows_count(&a->audit->first));
        return STATUS_OK;
    }
    if (a->open_line > 0) {
        snprintf(v->reason, sizeof v->reason,
                 "no execution was found, but the program uses an order of rows that SQL leaves "
                 "open (line %" PRIu32 "), and other orders were not tried",
                 a->open_line);
        return STATUS_OK;
    }
    if (a->plan.numbers->line > 0 && !a->plan.numbers->are_quiet) {
        snprintf(v->reason, sizeof v->reason,
                 "no execution was found, but the number that a sequence gave in line %" PRIu32
                 " is not known, and others were not tried",
                 a->plan.numbers->line);
        return STATUS_OK;
    }
    v->verdict = VERDICT_INVALID;
    v->reason[0] = '\0';
    a->is_decided = true;
    if (!a->audit->options->wants_witness)
        return STATUS_OK;
    return witness_put_invalid(&v->witness, &a->plan, a->audit->options->level,
                               a->audit->options->model, &v->wrong, core, err);
}

/* --- Outcomes, transaction by transaction ---------------------------------------------------------------- */

static enum status find_outcomes(struct attempt *a, enum run_mode mode, struct rows *rows,
                                 struct outcomes_result *result, struct error *err)
{
    struct outcomes_options options = { .level = a->audit->options->level,
                                        .mode = mode,
                                        .order = a->audit->order,
                                        .count = a->audit->count,
                                        .runs_max = runs_limit(a->audit),
                                        .whole_outcomes_max = a->audit->options->whole_outcomes_max,
                                        .exact_runs_max = a->audit->options->exact_runs_max,
                                        .pace = &a->pace };

    TRY(audit_plan_fill(&a->plan, rows, err));
    return outcomes_refute(&a->plan, rows, &options, result, err);
}

static void close_outcomes(struct outcomes_result *result)
{
    unexplained_close(&result->wrong);
    array_close(&result->core);
}

static enum status run_outcomes(struct attempt *a, enum run_mode mode,
                                struct outcomes_result *result, struct error *err)
{
    struct rows *rows = NULL;
    enum status status = audit_rows_open(&rows, a->plan.program, a->plan.is_called, err);

    *result = (struct outcomes_result){ .is_refuted = false };
    if (status == STATUS_OK)
        status = find_outcomes(a, mode, rows, result, err);
    audit_rows_close(rows);
    a->verdict.counts.runs += result->runs;
    if (result->limit[0])
        snprintf(a->limit, sizeof a->limit, "%s", result->limit);
    snprintf(a->no_proof, sizeof a->no_proof, "%s", result->reason);
    if (result->open_line > 0)
        a->open_line = result->open_line;
    return status;
}

/*
 * At the weakest rule or model that would do: if that is refuted, all are. But `locking` gives who locks a row the
 * newest version of it, beside others of an older state, which is one state to no other model.
 */
static enum status refute(struct attempt *a, struct error *err)
{
    enum run_mode mode = a->way.mode;
    struct outcomes_result result = { .is_refuted = false }, locking = { .is_refuted = true };
    enum status status;

    if (is_initial_unknown(a)) {
        snprintf(a->no_proof, sizeof a->no_proof,
                 "nobody knows the initial rows, and only the %" PRIu64
                 " that the answers suggest were tried",
                 first_rows_count(&a->audit->first));
        return STATUS_OK;
    }
    status = run_outcomes(a, mode, &result, err);
    if (status == STATUS_OK && result.is_refuted && (mode == RUN_STATEMENT || mode == RUN_PAPER)) {
        status = run_outcomes(a, RUN_LOCKING, &locking, err);
        close_outcomes(&locking);
    }
    if (status != STATUS_OK || !result.is_refuted || !locking.is_refuted) {
        close_outcomes(&result);
        return status;
    }
    unexplained_close(&a->verdict.wrong);
    a->verdict.wrong = result.wrong;
    status = audit_attempt_say_invalid(
        a, &(struct witness_core){ result.core.at, (uint32_t)result.core.count }, err);
    array_close(&result.core);
    return status;
}

/* --- States in an order -------------------------------------------------------------------------------- */

static enum status open_rows(struct attempt *a, struct error *err)
{
    audit_rows_close(a->rows);
    a->rows = NULL;
    TRY(audit_rows_open(&a->rows, a->plan.program, a->plan.is_called, err));
    return audit_plan_fill(&a->plan, a->rows, err);
}

/* In an order that the snapshots have, if there is one; false: there is none. */
static enum status keep_order(struct attempt *a, struct search *s, uint32_t *order,
                              bool *is_ordered, struct error *err)
{
    for (uint32_t i = 0; i < s->count; i++)
        a->is_absent[s->frames.at[i].txn] = s->frames.at[i].is_absent;
    return serial_order_find(s, audit_is_strict(a->audit), order, is_ordered, err);
}

static void set_search(struct attempt *a, struct search *s, struct instants *instants)
{
    bool is_rule = audit_is_strict(a->audit) && !audit_is_serial(a->audit);

    s->by_value = a->way.by_value;
    s->is_strict = is_rule;
    s->instants = a->way.uses_times ? instants : NULL;
    s->waits = a->way.uses_times && a->way.mode == RUN_LOCKING;
    s->progress = a->progress;
    s->pace = &a->pace;
    s->runs_max = runs_limit(a->audit);
}

/* At a strict level an order against time is none; there may be others. */
static bool is_hopeless(const struct search *s)
{
    return s->is_strict && s->instants && s->instants->is_torn;
}

static enum status find_instants(struct attempt *a, struct instants *instants, struct error *err)
{
    unsigned flags = (a->way.mode != RUN_SNAPSHOT ? INSTANTS_LAST : 0u) |
                     (audit_is_strict(a->audit) ? 0u : INSTANTS_GUESS | INSTANTS_SAW);

    if (!a->way.uses_times)
        return STATUS_OK;
    return audit_instants_find(instants, &a->plan, a->audit->order, a->audit->count, flags, err);
}

/* `order`: NULL, or where an order that the snapshots have goes; *is_ordered: it does. */
static enum status search_states(struct attempt *a, uint32_t *order, bool *is_ordered,
                                 struct error *err)
{
    struct instants instants = { 0 };
    struct runner runner;
    struct search s = { 0 };
    enum status status;
    bool found = false;

    status = runner_open(&runner, &a->plan, a->rows, a->way.mode, err);
    if (status == STATUS_OK)
        status = find_instants(a, &instants, err);
    if (status == STATUS_OK)
        status = search_open(&s, &a->plan, &runner, a->audit->order, a->audit->count, err);
    set_search(a, &s, &instants);
    if (status == STATUS_OK && !is_hopeless(&s))
        status = search_go(&s, &found, err);
    if (status == STATUS_OK && found)
        status = order ? keep_order(a, &s, order, is_ordered, err) : say_found(a, &s, err);
    if (!found) {
        a->verdict.wrong = s.wrong;
        s.wrong = (struct audit_wrong){ .is_there = false };
    }
    a->verdict.counts.jumps += s.repairs;
    keep_runner(a, &runner);
    search_close(&s);
    audit_instants_close(&instants);
    runner_close(&runner);
    return status;
}

/* --- Serializable --------------------------------------------------------------------------------------- */

static enum status replay_in_order(struct attempt *a, struct runner *r, const uint32_t *order,
                                   bool *is_right, struct error *err)
{
    for (uint32_t done = 0; done < a->audit->count; done++) {
        uint32_t txn = order[done];

        r->window = (struct run_window){ done, done };
        if (!a->is_absent[txn]) {
            TRY(runner_run(r, txn, err));
            if (r->end != RUN_RIGHT)
                TRY(audit_rows_abandon(a->rows, err));
            a->is_absent[txn] = r->end != RUN_RIGHT && a->plan.txns.at[txn].is_unknown;
            if (r->limit[0] || (r->end != RUN_RIGHT && !a->is_absent[txn]))
                return STATUS_OK;
        }
        TRY(audit_rows_commit(a->rows, err));
        if (!pace_spend(&a->pace, 256 + 64 * r->statements))
            return STATUS_OK;
        if (done % 4096 == 0)
            progress_report(a->progress, done, a->audit->count);
    }
    *is_right = true;
    return STATUS_OK;
}

/* One after another, each on what the one before left. */
static enum status replay(struct attempt *a, const uint32_t *order, struct error *err)
{
    struct runner runner;
    enum status status;
    bool is_right = false;

    status = runner_open(&runner, &a->plan, a->rows, RUN_AT_PLACE, err);
    if (status == STATUS_OK)
        status = replay_in_order(a, &runner, order, &is_right, err);
    keep_runner(a, &runner);
    runner_close(&runner);
    return status == STATUS_OK && is_right ? say_serial(a, order, err) : status;
}

static uint64_t count_displaced(const struct audit *audit, const uint32_t *order)
{
    uint64_t displaced = 0;

    for (uint32_t i = 0; i < audit->count; i++)
        displaced += order[i] != audit->order[i];
    return displaced;
}

static enum status order_by_snapshots(struct attempt *a, struct error *err)
{
    uint32_t *order = malloc(((size_t)a->audit->count + 1) * sizeof *order);
    bool is_ordered = false;
    enum status status;

    if (!order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    status = search_states(a, order, &is_ordered, err);
    if (status == STATUS_OK && is_ordered && audit_respects_time(a->audit, order)) {
        status = open_rows(a, err);
        if (status == STATUS_OK)
            status = replay(a, order, err);
        if (a->is_decided)
            a->verdict.counts.displaced = count_displaced(a->audit, order);
    }
    free(order);
    return status;
}

/* --- By Z3 -------------------------------------------------------------------------------------------------- */

static enum status search_by_z3(struct attempt *a, struct error *err)
{
    const struct audit *audit = a->audit;
    struct by_z3 z = { .plan = &a->plan,
                       .rows = a->rows,
                       .options = audit->options,
                       .pace = &a->pace,
                       .order = audit->order,
                       .count = audit->count };
    enum status status = by_z3_run(&z, err);

    keep_runner(a, &z.runner);
    a->verdict.z3 = z.result;
    a->verdict.counts.jumps += z.jumps;
    a->is_refuted = z.result.answer == AUDIT_Z3_IMPOSSIBLE;
    a->way.mode = z.job.mode;
    a->way.by_value = z.job.by_value;
    snprintf(a->verdict.reason, sizeof a->verdict.reason, "%s", z.reason);
    if (status == STATUS_OK && z.is_found)
        status = say_exhausted(a, &z.found, err);
    by_z3_close(&z);
    return status;
}

/* --- All of them ---------------------------------------------------------------------------------------------- */

static enum status attempt_open(struct attempt *a, struct error *err)
{
    const struct plan *plan = &a->audit->plan;

    a->is_run = true;
    a->verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    a->pace = (struct pace){ .stop = a->audit->options->stop, .cancelled = &a->is_cancelled };
    a->plan = *plan;
    a->plan.numbers = &a->numbers;
    a->numbers =
        (struct numbers){ .schema = plan->numbers->schema, .are_quiet = plan->numbers->are_quiet };
    a->is_absent = calloc(plan->txns.count + 1, 1);
    if (!a->is_absent)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an attempt");
    for (size_t i = 0; i < plan->txns.count; i++)
        a->is_absent[i] = plan->txns.at[i].is_unknown && !audit_plan_has_ts(plan, (uint32_t)i);
    return open_rows(a, err);
}

static enum status run_way(struct attempt *a, struct error *err)
{
    switch (a->way.kind) {
    case WAY_ORDER:
        return replay(a, a->audit->order, err);
    case WAY_SNAPSHOTS:
        return order_by_snapshots(a, err);
    case WAY_STATES:
        return search_states(a, NULL, NULL, err);
    case WAY_OUTCOMES:
        return refute(a, err);
    case WAY_ALL:
        return exhaust(a, err);
    case WAY_Z3:
        return search_by_z3(a, err);
    }
    return STATUS_OK;
}

void audit_attempt_run(struct attempt *a)
{
    a->status = attempt_open(a, &a->err);
    if (a->status == STATUS_OK)
        a->status = run_way(a, &a->err);
    /* An execution that is to be settled names rows. */
    if (!a->is_decided || !a->audit->options->settles) {
        audit_rows_close(a->rows);
        a->rows = NULL;
    }
    free(a->is_absent);
    a->is_absent = NULL;
}

void audit_attempt_close(struct attempt *a)
{
    audit_verdict_close(&a->verdict);
    settle_close(&a->settle);
    audit_rows_close(a->rows);
    numbers_close(&a->numbers);
}
