#include "audit/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/by_z3_private.h"
#include "audit/exhaust_private.h"
#include "audit/guess_private.h"
#include "audit/open_order_private.h"
#include "audit/outcomes_private.h"
#include "audit/search_private.h"
#include "audit/serial_order_private.h"
#include "audit/settle_private.h"
#include "audit/witness_private.h"
#include "audit/unexplained_private.h"

/* A search within the bounds of client times, which are only a help, goes on for so many runs. */
#define HELPED_RUNS_PER_TXN 64
#define HELPED_RUNS_MIN 300000
#define SEARCH_RUNS_PER_TXN 64
#define SEARCH_RUNS_MIN 1000000
#define EXHAUST_RUNS 1000000
#define OUTCOME_RUNS_PER_TXN 64
#define OUTCOME_RUNS_MIN 1000000

static const char *const model_names[] = { "locking", "statement", "paper" };

const char *audit_model_name(enum audit_model model)
{
    return model_names[model];
}

bool audit_model_of_text(struct text text, enum audit_model *model)
{
    for (unsigned i = 0; i < AUDIT_MODEL_COUNT; i++)
        if (text_equal(text, text_of(model_names[i]))) {
            *model = (enum audit_model)i;
            return true;
        }
    return false;
}

uint64_t audit_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_SNAPSHOT) |
           LEVEL_BIT(LEVEL_STRICT_SNAPSHOT) | LEVEL_BIT(LEVEL_SERIALIZABLE) |
           LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE);
}

void audit_verdict_close(struct audit_verdict *v)
{
    unexplained_close(&v->wrong);
    buffer_close(&v->witness);
    array_close(&v->settled.txns);
    witness_parts_close(&v->settled.parts);
    buffer_close(&v->settled.rows);
}

/* What an audit has at hand. */
struct audit {
    const struct audit_options *options;
    struct audit_verdict *verdict;
    struct plan plan;
    struct rows *rows;
    struct pace pace;
    uint32_t *order; /* to be tried first */
    uint32_t count;
    uint8_t *is_absent; /* by transaction: of unknown outcome, and left out */
    uint64_t runs;   /* of runners that are closed */
    uint32_t open_line; /* of a query whose rows came in one of several orders, or 0 */
    char no_proof[200]; /* why outcomes refute nothing */
    char limit[200];    /* which transaction took more steps or memory than a program may; nothing is tried behind that */
    bool is_decided;
    struct settle settle; /* what was found, if it is to be settled */
    struct first_rows first; /* if the log does not say what there was */
};

static bool is_strict(const struct audit *a)
{
    return level_closing(a->options->level) == CLOSING_TIME;
}

static bool is_serial(const struct audit *a)
{
    return level_is_serializable(a->options->level);
}

static bool is_initial_unknown(const struct audit *a)
{
    return a->plan.log->initial == INITIAL_UNKNOWN;
}

static void say_unknown(struct audit *a, const char *why)
{
    if (a->is_decided || why == a->verdict->reason)
        return;
    snprintf(a->verdict->reason, sizeof a->verdict->reason, "%s",
             a->pace.is_over ? "the time was over" : a->limit[0] ? a->limit : why);
}

/* What is to be known of a runner that is done. */
static void keep_runner(struct audit *a, const struct runner *r)
{
    a->runs += r->runs;
    if (r->limit[0])
        snprintf(a->limit, sizeof a->limit, "%s", r->limit);
}

static uint64_t runs_limit(const struct audit *a, uint64_t per_txn, uint64_t least)
{
    uint64_t limit = per_txn * a->count;
    uint64_t given = a->options->runs_max;

    if (limit < least)
        limit = least;
    return given > 0 && given < limit ? given : limit;
}

/* --- Valid ------------------------------------------------------------------------------------------ */

static enum status put_first_rows(const struct audit *a, struct buffer *out, struct error *err)
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

static enum status put_witness(struct audit *a, const struct witness_execution *x, struct error *err)
{
    struct witness_parts parts = { 0 };
    enum status status = witness_add(&parts, &a->plan, x, err);

    if (status == STATUS_OK && a->plan.first)
        status = put_first_rows(a, &parts.initial, err);
    if (status == STATUS_OK)
        status = witness_add_absent(&parts, &a->plan, x, err);
    if (status == STATUS_OK)
        status = witness_put_valid(&a->verdict->witness, &a->plan.log->digest, x, &parts, err);
    witness_parts_close(&parts);
    return status;
}

static enum status say_valid(struct audit *a, const struct witness_execution *x, struct error *err)
{
    struct audit_verdict *v = a->verdict;

    v->verdict = VERDICT_VALID;
    v->reason[0] = '\0';
    unexplained_close(&v->wrong);
    v->is_by_version = x->is_by_version;
    v->model = x->mode == RUN_STATEMENT ? AUDIT_RC_STATEMENT
               : x->mode == RUN_PAPER   ? AUDIT_RC_PAPER
                                        : AUDIT_RC_LOCKING;
    a->is_decided = true;
    if (a->options->settles)
        TRY(settle_take(&a->settle, x, err));
    return a->options->wants_witness ? put_witness(a, x, err) : STATUS_OK;
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

static enum status say_found(struct audit *a, struct search *s, struct error *err)
{
    struct witness_txn *txns = make_txns(s->count, err);
    struct witness_execution x = { .level = a->options->level,
                                   .mode = s->mode,
                                   .is_by_version = !s->by_value,
                                   .txns = txns };
    enum status status = txns ? leave_out_absent(s, err) : err->status;

    for (uint32_t i = 0; i < s->count && status == STATUS_OK; i++) {
        const struct search_frame *f = &s->frames.at[i];

        if (!f->is_absent)
            txns[x.count++] = (struct witness_txn){ .txn = f->txn,
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

static enum status say_serial(struct audit *a, const uint32_t *order, struct error *err)
{
    struct witness_txn *txns = make_txns(a->count, err);
    struct witness_execution x = { .level = a->options->level, .mode = RUN_AT_PLACE, .txns = txns };
    enum status status;

    for (uint32_t i = 0; txns && i < a->count; i++)
        if (!a->is_absent[order[i]])
            txns[x.count++].txn = order[i];
    status = txns ? say_valid(a, &x, err) : err->status;
    free(txns);
    return status;
}

/* Transactions that are placed, in their order. */
struct placed_txns {
    enum run_mode mode;
    bool by_value;
    const struct exhausted *at;
    size_t count;
    const struct choice *choices;
};

static enum status say_placed(struct audit *a, const struct placed_txns *placed, struct error *err)
{
    struct witness_txn *txns = make_txns(placed->count, err);
    const struct witness_execution x = { .level = a->options->level,
                                         .mode = placed->mode,
                                         .is_by_version = !placed->by_value,
                                         .txns = txns,
                                         .count = (uint32_t)placed->count };
    enum status status;

    for (size_t i = 0; txns && i < placed->count; i++) {
        const struct exhausted *one = &placed->at[i];

        txns[i] = (struct witness_txn){ .txn = one->txn,
                                        .statements = one->statements,
                                        .state = one->ceiling,
                                        .choices = placed->choices + (one->choice_count ? one->choice : 0),
                                        .choice_count = one->choice_count };
    }
    status = txns ? say_valid(a, &x, err) : err->status;
    free(txns);
    return status;
}

/* --- All executions of a small log -------------------------------------------------------------------- */

static enum status exhaust_mode(struct audit *a, enum run_mode mode, bool by_value,
                                bool *is_refuted, struct error *err)
{
    struct exhaust_options options = { .level = a->options->level,
                                       .mode = mode,
                                       .by_value = by_value,
                                       .runs_max = runs_limit(a, 0, EXHAUST_RUNS),
                                       .pace = &a->pace };
    struct open_order open;
    struct runner runner;
    struct exhaust x = { 0 };
    enum status status;
    bool found = false;

    *is_refuted = false;
    status = runner_open(&runner, &a->plan, a->rows, mode, err);
    if (status == STATUS_OK) {
        status = open_order_find(&open, &a->plan.program->tree, err);
        runner.open = &open;
        runner.open_line = open.line;
    } else {
        open = (struct open_order){ .line = 0 };
    }
    if (status == STATUS_OK)
        status = exhaust_open(&x, &a->plan, &runner, &options, err);
    if (status == STATUS_OK)
        status = exhaust_go(&x, &found, err);
    if (status == STATUS_OK && found)
        status = say_placed(
            a, &(struct placed_txns){ mode, by_value, x.placed.at, x.placed.count, x.choices.at }, err);
    *is_refuted = status == STATUS_OK && !found && !x.is_over;
    keep_runner(a, &runner);
    if (runner.open_line > 0)
        a->open_line = runner.open_line;
    open_order_close(&open);
    exhaust_close(&x);
    runner_close(&runner);
    return status;
}

/* No execution was found, of those in which rows come in the order of their keys. */
static enum status say_invalid(struct audit *a, const struct witness_core *core, struct error *err)
{
    struct audit_verdict *v = a->verdict;

    if (is_initial_unknown(a)) {
        snprintf(v->reason, sizeof v->reason,
                 "no execution was found that begins with the %" PRIu64 " rows that were taken for the initial ones, "
                 "which nobody knows",
                 v->counts.first_rows);
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
    if (!a->options->wants_witness)
        return STATUS_OK;
    return witness_put_invalid(&v->witness, &a->plan, a->options->level, a->options->model,
                               &v->wrong, core, err);
}

/* --- Outcomes, transaction by transaction ---------------------------------------------------------------- */

static enum status find_outcomes(struct audit *a, enum run_mode mode, struct rows *rows,
                                 struct outcomes_result *result, struct error *err)
{
    struct outcomes_options options = {
        .level = a->options->level,
        .mode = mode,
        .order = a->order,
        .count = a->count,
        .suspect = a->verdict->wrong.is_there ? a->verdict->wrong.txn : -1,
        .runs_max = runs_limit(a, OUTCOME_RUNS_PER_TXN, OUTCOME_RUNS_MIN),
        .pace = &a->pace
    };

    TRY(audit_plan_fill(&a->plan, rows, err));
    return outcomes_refute(&a->plan, rows, &options, result, err);
}

static void close_outcomes(struct outcomes_result *result)
{
    unexplained_close(&result->wrong);
    array_close(&result->core);
}

static enum status run_outcomes(struct audit *a, enum run_mode mode, struct outcomes_result *result, struct error *err)
{
    struct rows *rows = NULL;
    enum status status = audit_rows_open(&rows, a->plan.program, a->plan.is_called, err);

    *result = (struct outcomes_result){ .is_refuted = false };
    if (status == STATUS_OK)
        status = find_outcomes(a, mode, rows, result, err);
    audit_rows_close(rows);
    a->runs += result->runs;
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
static enum status refute(struct audit *a, enum run_mode mode, struct error *err)
{
    struct outcomes_result result = { .is_refuted = false }, locking = { .is_refuted = true };
    enum status status;

    if (is_initial_unknown(a)) {
        snprintf(a->no_proof, sizeof a->no_proof,
                 "nobody knows the initial rows, and only the %" PRIu64 " that the answers suggest were tried",
                 a->verdict->counts.first_rows);
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
    unexplained_close(&a->verdict->wrong);
    a->verdict->wrong = result.wrong;
    status = say_invalid(a, &(struct witness_core){ result.core.at, (uint32_t)result.core.count }, err);
    array_close(&result.core);
    return status;
}

/* The rows as they are at first: all at once, and not commit by commit. */
static enum status open_rows(struct audit *a, struct error *err)
{
    audit_rows_close(a->rows);
    a->rows = NULL;
    TRY(audit_rows_open(&a->rows, a->plan.program, a->plan.is_called, err));
    return audit_plan_fill(&a->plan, a->rows, err);
}

/* --- States in an order -------------------------------------------------------------------------------- */

/* What a search is for. */
struct search_job {
    enum run_mode mode;
    bool by_value;
    bool uses_times;
    uint64_t runs_max;
    uint32_t *serial_order; /* or NULL: an order that the graph gives goes there */
    bool is_ordered;        /* and this says that it does */
};

static enum status after_search(struct audit *a, struct search *s, struct search_job *job, bool found,
                                struct error *err)
{
    a->verdict->counts.jumps += s->repairs;
    if (!found && !a->verdict->wrong.is_there) {
        a->verdict->wrong = s->wrong;
        s->wrong = (struct audit_wrong){ .is_there = false };
    }
    if (!found)
        return STATUS_OK;
    if (!job->serial_order)
        return say_found(a, s, err);
    for (uint32_t i = 0; i < s->count; i++)
        a->is_absent[s->frames.at[i].txn] = s->frames.at[i].is_absent;
    return serial_order_find(s, a->options->level == LEVEL_STRICT_SERIALIZABLE, job->serial_order,
                             &job->is_ordered, err);
}

static enum status search_states(struct audit *a, struct search_job *job, struct error *err)
{
    struct instants instants = { 0 };
    struct runner runner;
    struct search s = { 0 };
    enum status status;
    bool found = false;

    status = runner_open(&runner, &a->plan, a->rows, job->mode, err);
    if (status == STATUS_OK && job->uses_times)
        status = audit_instants_find(&instants, &a->plan, a->order, a->count,
                                     (job->mode != RUN_SNAPSHOT ? INSTANTS_LAST : 0u) |
                                         (is_strict(a) ? 0u : INSTANTS_GUESS),
                                     err);
    if (status == STATUS_OK)
        status = search_open(&s, &a->plan, &runner, a->order, a->count, err);
    s.by_value = job->by_value;
    s.is_strict = is_strict(a) && !is_serial(a);
    s.instants = job->uses_times ? &instants : NULL;
    s.waits = job->uses_times && job->mode == RUN_LOCKING;
    s.progress = a->options->progress;
    s.pace = &a->pace;
    s.runs_max = job->runs_max;
    /* At a strict level an order against time is none; there may be others. */
    if (status == STATUS_OK && !(is_strict(a) && !is_serial(a) && instants.is_torn))
        status = search_go(&s, &found, err);
    if (status == STATUS_OK)
        status = after_search(a, &s, job, found, err);
    if (status == STATUS_OK && !found)
        status = search_rewind(&s, err);
    else if (status == STATUS_OK && !a->is_decided)
        status = open_rows(a, err);
    keep_runner(a, &runner);
    search_close(&s);
    audit_instants_close(&instants);
    runner_close(&runner);
    return status;
}

/* Whether anything is known of what was done at the same time: times, or sessions. */
static bool has_help(const struct audit *a)
{
    int64_t invoked = TIME_NEVER;
    bool has_sessions = false;

    for (size_t i = 0; i < a->plan.txns.count && invoked == TIME_NEVER; i++) {
        invoked = a->plan.txns.at[i].logged->invoked_ns;
        has_sessions |= a->plan.txns.at[i].logged->session >= 0;
    }
    return invoked != TIME_NEVER || (has_sessions && !is_strict(a));
}

/* --- Serializable --------------------------------------------------------------------------------------- */

/* Whether nobody stands before who was completed before he was invoked. */
static bool respects_time(const struct audit *a, const uint32_t *order)
{
    int64_t latest = INT64_MIN;

    if (!is_strict(a))
        return true;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct logged_txn *t = a->plan.txns.at[order[i]].logged;

        if (t->completed_ns < latest && t->completed_ns != TIME_NEVER)
            return false;
        if (t->invoked_ns != TIME_NEVER && t->invoked_ns > latest)
            latest = t->invoked_ns;
    }
    return true;
}

static enum status replay_in_order(struct audit *a, struct runner *r, const uint32_t *order,
                                   uint32_t *done, struct error *err)
{
    while (*done < a->count) {
        uint32_t txn = order[*done];

        r->window = (struct run_window){ *done, *done };
        if (!a->is_absent[txn]) {
            TRY(runner_run(r, txn, err));
            if (r->end != RUN_RIGHT)
                TRY(audit_rows_abandon(a->rows, err));
            if (r->limit[0])
                return STATUS_OK;
            a->is_absent[txn] = r->end != RUN_RIGHT && a->plan.txns.at[txn].is_unknown;
            if (r->end != RUN_RIGHT && !a->is_absent[txn])
                return STATUS_OK;
        }
        TRY(audit_rows_commit(a->rows, err));
        (*done)++;
        if (!pace_spend(&a->pace, 256 + 64 * r->statements))
            return STATUS_OK;
        if (*done % 4096 == 0)
            progress_report(a->options->progress, *done, a->count);
    }
    return STATUS_OK;
}

/* One after another, each on what the one before left. Unless that is right, the rows are as before. */
static enum status replay(struct audit *a, const uint32_t *order, bool *is_right,
                          struct error *err)
{
    struct runner runner;
    enum status status;
    uint32_t done = 0;

    status = runner_open(&runner, &a->plan, a->rows, RUN_AT_PLACE, err);
    if (status == STATUS_OK)
        status = replay_in_order(a, &runner, order, &done, err);
    *is_right = status == STATUS_OK && done == a->count;
    for (uint32_t i = done; i > 0 && status == STATUS_OK && !*is_right; i--)
        status = audit_rows_pop(a->rows, order[i - 1], err);
    keep_runner(a, &runner);
    runner_close(&runner);
    return status;
}

static uint64_t count_displaced(const struct audit *a, const uint32_t *order)
{
    uint64_t displaced = 0;

    for (uint32_t i = 0; i < a->count; i++)
        displaced += order[i] != a->order[i];
    return displaced;
}

/* As snapshots first; then the order that those have. */
static enum status order_by_snapshots(struct audit *a, bool uses_times, struct error *err)
{
    uint32_t *order = malloc(((size_t)a->count + 1) * sizeof *order);
    struct search_job job = { .mode = RUN_SNAPSHOT,
                              .uses_times = uses_times,
                              .runs_max = runs_limit(a, HELPED_RUNS_PER_TXN, HELPED_RUNS_MIN),
                              .serial_order = order };
    bool is_right = false;
    enum status status;

    if (!order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    status = search_states(a, &job, err);
    if (status == STATUS_OK && job.is_ordered && respects_time(a, order)) {
        status = replay(a, order, &is_right, err);
        if (status == STATUS_OK && is_right) {
            a->verdict->counts.displaced = count_displaced(a, order);
            status = say_serial(a, order, err);
        }
    }
    free(order);
    return status;
}

static bool may_go_on(const struct audit *a)
{
    return !a->is_decided && !a->pace.is_over && !a->limit[0];
}

static bool may_exhaust(const struct audit *a)
{
    return !a->options->by_outcomes && a->plan.txns.count <= EXHAUST_TXNS_MAX;
}

static void say_no_proof(struct audit *a, const char *what)
{
    char why[sizeof a->verdict->reason];

    if (a->open_line > 0)
        snprintf(why, sizeof why,
                 "%s, but the program uses an order of rows that SQL leaves open (line %" PRIu32
                 "), and other orders were not tried",
                 what, a->open_line);
    else
        snprintf(why, sizeof why, "%s, which is no proof that there is none%s%s", what,
                 a->no_proof[0] ? ": " : "", a->no_proof);
    say_unknown(a, why);
}

static enum status audit_serial(struct audit *a, struct error *err)
{
    bool is_right = false, is_refuted;

    for (uint32_t i = 0; i < a->count; i++)
        a->is_absent[i] = a->plan.txns.at[i].is_unknown && !audit_plan_has_ts(&a->plan, i);
    if (a->options->by_outcomes)
        TRY(refute(a, RUN_AT_PLACE, err));
    if (!a->is_decided && respects_time(a, a->order))
        TRY(replay(a, a->order, &is_right, err));
    if (is_right)
        return say_serial(a, a->order, err);
    if (may_go_on(a) && has_help(a))
        TRY(order_by_snapshots(a, true, err));
    if (may_go_on(a) && !a->options->by_outcomes)
        TRY(refute(a, RUN_AT_PLACE, err));
    if (may_go_on(a))
        TRY(order_by_snapshots(a, false, err));
    if (!may_go_on(a) || !may_exhaust(a)) {
        say_no_proof(a, "no serial order was found");
        return STATUS_OK;
    }
    TRY(exhaust_mode(a, RUN_AT_PLACE, false, &is_refuted, err));
    if (is_refuted)
        return say_invalid(a, &(struct witness_core){ NULL, 0 }, err);
    say_unknown(a, "no serial order was found in as many runs as were allowed");
    return STATUS_OK;
}

/* --- Snapshot, read-committed ------------------------------------------------------------------------------ */

static const enum run_mode rc_modes[] = { RUN_LOCKING, RUN_STATEMENT, RUN_PAPER };

/* Whether what is looked for is the weakest that would do. */
static bool is_weakest(const struct audit *a, enum run_mode mode)
{
    return mode == RUN_SNAPSHOT || mode == rc_modes[a->options->model];
}

/* One rule or model: with times as a help, without, and all executions. */
static enum status audit_mode(struct audit *a, enum run_mode mode, bool by_value, bool *is_refuted,
                              struct error *err)
{
    struct search_job job = { .mode = mode, .by_value = by_value };
    bool is_helped = !is_strict(a) && has_help(a);
    bool refutes = is_weakest(a, mode) && !by_value; /* by value is what it refutes in any case */

    *is_refuted = false;
    if (refutes && a->options->by_outcomes)
        TRY(refute(a, mode, err));
    if (may_go_on(a) && (is_helped || is_strict(a))) {
        job.uses_times = true;
        job.runs_max = is_helped ? runs_limit(a, HELPED_RUNS_PER_TXN, HELPED_RUNS_MIN)
                                 : runs_limit(a, SEARCH_RUNS_PER_TXN, SEARCH_RUNS_MIN);
        TRY(search_states(a, &job, err));
    }
    if (may_go_on(a) && refutes && !a->options->by_outcomes)
        TRY(refute(a, mode, err));
    if (may_go_on(a) && !is_strict(a)) {
        job.uses_times = false;
        job.runs_max = runs_limit(a, SEARCH_RUNS_PER_TXN, SEARCH_RUNS_MIN);
        TRY(search_states(a, &job, err));
    }
    if (!may_go_on(a))
        return STATUS_OK;
    if (!may_exhaust(a)) {
        say_no_proof(a, "no execution was found");
        return STATUS_OK;
    }
    TRY(exhaust_mode(a, mode, by_value, is_refuted, err));
    if (!*is_refuted)
        say_unknown(a, "no execution was found in as many runs as were allowed");
    return STATUS_OK;
}

static enum status audit_snapshot(struct audit *a, struct error *err)
{
    bool is_refuted;

    TRY(audit_mode(a, RUN_SNAPSHOT, false, &is_refuted, err));
    if (!may_go_on(a))
        return STATUS_OK;
    TRY(audit_mode(a, RUN_SNAPSHOT, true, &is_refuted, err));
    if (is_refuted)
        return say_invalid(a, &(struct witness_core){ NULL, 0 }, err);
    return STATUS_OK;
}

static enum status audit_read_committed(struct audit *a, struct error *err)
{
    for (unsigned m = 0; m <= a->options->model && may_go_on(a); m++) {
        bool is_refuted;

        TRY(audit_mode(a, rc_modes[m], false, &is_refuted, err));
        if (is_refuted && m == (unsigned)a->options->model)
            return say_invalid(a, &(struct witness_core){ NULL, 0 }, err);
    }
    return STATUS_OK;
}

/* --- By Z3 -------------------------------------------------------------------------------------------------- */

/* Z3 leaves no proof that anybody could check: the native engine has to find one. */
static enum status refute_natively(struct audit *a, enum run_mode mode, bool by_value, struct error *err)
{
    bool is_refuted = false;

    if (!a->options->z3.proves_nothing) {
        TRY(open_rows(a, err));
        TRY(refute(a, mode, err));
    }
    if (!a->options->z3.proves_nothing && may_go_on(a) && may_exhaust(a))
        TRY(exhaust_mode(a, mode, by_value, &is_refuted, err));
    if (is_refuted)
        return say_invalid(a, &(struct witness_core){ NULL, 0 }, err);
    say_no_proof(a, "Z3 finds no execution in the order of commits");
    return STATUS_OK;
}

static enum status take_solved(struct audit *a, const struct by_z3 *z, struct error *err)
{
    const struct placed_txns placed = { z->mode, z->by_value, z->replayed.placed.at, z->replayed.placed.count,
                                        z->replayed.choices.at };

    a->verdict->z3 = z->result;
    a->verdict->counts.jumps += z->jumps;
    if (z->is_found)
        return say_placed(a, &placed, err);
    if (z->is_impossible)
        return refute_natively(a, z->mode, z->by_value, err);
    say_unknown(a, z->reason);
    return STATUS_OK;
}

static enum status audit_by_z3(struct audit *a, struct error *err)
{
    struct by_z3 z = { .plan = &a->plan, .rows = a->rows, .options = a->options, .order = a->order, .count = a->count };
    struct runner runner = { .machine = NULL };
    enum status status;

    if (is_serial(a) && !respects_time(a, a->order)) {
        say_unknown(a, "the engine z3 tries the order of commits alone, which is not that of time");
        return STATUS_OK;
    }
    status = by_z3_run(&z, &runner, err);
    keep_runner(a, &runner);
    runner_close(&runner);
    if (status == STATUS_OK)
        status = take_solved(a, &z, err);
    by_z3_close(&z);
    return status;
}

/* --- The door ------------------------------------------------------------------------------------------------ */

static enum status guess_first_rows(struct audit *a, struct error *err)
{
    enum status status;

    first_rows_open(&a->first, &a->plan.program->tree.schema);
    status = guess_rows(&a->first, &a->plan, a->order, a->count, &a->pace, &a->runs, err);
    a->plan.first = &a->first;
    a->verdict->counts.first_rows = first_rows_count(&a->first);
    return status;
}

static enum status judge(struct audit *a, struct error *err)
{
    if (is_initial_unknown(a) && a->options->settles) {
        say_unknown(a, "nobody knows the initial rows, and nothing is settled on top of rows that are only taken for them");
        return STATUS_OK;
    }
    a->order = malloc((a->plan.txns.count + 1) * sizeof *a->order);
    a->is_absent = calloc(a->plan.txns.count + 1, 1);
    if (!a->order || !a->is_absent)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    TRY(audit_plan_order(&a->plan, a->order, &a->count, err));
    if (is_initial_unknown(a))
        TRY(guess_first_rows(a, err));
    TRY(open_rows(a, err));
    if (a->options->engine == AUDIT_Z3)
        TRY(audit_by_z3(a, err));
    else if (is_serial(a))
        TRY(audit_serial(a, err));
    else if (level_is_snapshot(a->options->level))
        TRY(audit_snapshot(a, err));
    else
        TRY(audit_read_committed(a, err));
    if (!a->is_decided)
        say_unknown(a, a->verdict->reason[0] && !a->pace.is_over ? a->verdict->reason
                                                                  : "nothing was found");
    return STATUS_OK;
}

void audit_doubt_unjudged(struct audit_verdict *v)
{
    const char *allowed = "(with --allow-unjudged it would be valid)";
    const struct audit_counts *counts = &v->counts;

    if (v->verdict != VERDICT_VALID || (counts->unjudged == 0 && counts->answers > 0))
        return;
    v->verdict = VERDICT_UNKNOWN;
    buffer_clear(&v->witness);
    if (counts->answers > 0)
        snprintf(v->reason, sizeof v->reason,
                 "%" PRIu64 " of %" PRIu64 " answers are missing, and may have been wrong %s",
                 counts->unjudged, counts->answers + counts->unjudged, allowed);
    else
        snprintf(v->reason, sizeof v->reason, "nothing was judged: %s %s",
                 counts->unjudged > 0 ? "all answers are missing" : "nothing that has committed has answers",
                 allowed);
}

enum status audit_run(const struct call_log *log, struct program *program,
                      const struct audit_options *options, struct audit_verdict *verdict,
                      struct error *err)
{
    struct audit a = { .options = options, .verdict = verdict, .pace.stop = options->stop };
    enum status status;

    *verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    if (!(audit_levels() & LEVEL_BIT(options->level)))
        return error_set(err, STATUS_BAD_INPUT, "no audit at %s", level_name(options->level));
    status = audit_plan_make(&a.plan, log, program, err);
    if (status == STATUS_OK)
        status = judge(&a, err);
    if (status == STATUS_OK && options->settles && verdict->verdict == VERDICT_VALID)
        status = settle_make(&a.settle, &a.plan, options, &verdict->settled, err);
    settle_close(&a.settle);
    first_rows_close(&a.first);
    verdict->counts.answers = a.plan.judged;
    verdict->counts.txns = a.plan.txns.count;
    verdict->counts.unjudged = a.plan.unjudged;
    verdict->counts.runs = a.runs;
    if (status == STATUS_OK && !options->allows_unjudged)
        audit_doubt_unjudged(verdict);
    audit_rows_close(a.rows);
    free(a.order);
    free(a.is_absent);
    audit_plan_close(&a.plan);
    return status;
}
