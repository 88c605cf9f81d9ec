#include "audit/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/exhaust_private.h"
#include "audit/open_order_private.h"
#include "audit/search_private.h"
#include "audit/serial_order_private.h"
#include "audit/witness_private.h"
#include "audit/unexplained_private.h"

/* A search within the bounds of client times, which are only a help, goes on for so many runs. */
#define HELPED_RUNS_PER_TXN 8
#define HELPED_RUNS_MIN 100000
#define SEARCH_RUNS_PER_TXN 64
#define SEARCH_RUNS_MIN 1000000
#define EXHAUST_RUNS 1000000

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
    bool is_decided;
};

static bool is_strict(const struct audit *a)
{
    return a->options->level == LEVEL_STRICT_SERIALIZABLE ||
           a->options->level == LEVEL_STRICT_SNAPSHOT;
}

static bool is_serial(const struct audit *a)
{
    return a->options->level == LEVEL_STRICT_SERIALIZABLE ||
           a->options->level == LEVEL_SERIALIZABLE;
}

static void say_unknown(struct audit *a, const char *why)
{
    if (a->is_decided || why == a->verdict->reason)
        return;
    snprintf(a->verdict->reason, sizeof a->verdict->reason, "%s",
             a->pace.is_over ? "the time was over" : why);
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
    if (!a->options->wants_witness)
        return STATUS_OK;
    return witness_put_valid(&v->witness, &a->plan, x, err);
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

static enum status say_found(struct audit *a, struct search *s, struct error *err)
{
    struct witness_txn *txns = calloc((size_t)s->count + 1, sizeof *txns);
    struct witness_execution x = { .level = a->options->level,
                                   .mode = s->mode,
                                   .is_by_version = !s->by_value,
                                   .txns = txns };
    enum status status;

    if (!txns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    status = leave_out_absent(s, err);
    for (uint32_t i = 0; i < s->count; i++) {
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

static enum status say_serial(struct audit *a, const uint32_t *order, struct error *err)
{
    struct witness_txn *txns = calloc((size_t)a->count + 1, sizeof *txns);
    struct witness_execution x = {
        .level = a->options->level, .mode = RUN_AT_PLACE, .txns = txns
    };
    enum status status;

    if (!txns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    for (uint32_t i = 0; i < a->count; i++)
        if (!a->is_absent[order[i]])
            txns[x.count++].txn = order[i];
    status = say_valid(a, &x, err);
    free(txns);
    return status;
}

/* --- All executions of a small log -------------------------------------------------------------------- */

static enum status say_exhausted(struct audit *a, const struct exhaust *x, struct error *err)
{
    struct witness_txn *txns = calloc(x->placed.count + 1, sizeof *txns);
    struct witness_execution w = { .level = a->options->level,
                                   .mode = x->options->mode,
                                   .is_by_version = !x->options->by_value,
                                   .txns = txns,
                                   .count = (uint32_t)x->placed.count };
    enum status status;

    if (!txns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    for (size_t i = 0; i < x->placed.count; i++) {
        const struct exhausted *one = &x->placed.at[i];

        txns[i] = (struct witness_txn){ .txn = one->txn,
                                        .statements = one->statements,
                                        .state = one->ceiling,
                                        .choices = x->choices.at +
                                                   (one->choice_count ? one->choice : 0),
                                        .choice_count = one->choice_count };
    }
    status = say_valid(a, &w, err);
    free(txns);
    return status;
}

static enum status exhaust_mode(struct audit *a, enum run_mode mode, bool by_value,
                                enum search_end *end, struct error *err)
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
        status = exhaust_go(&x, end, err);
    if (status == STATUS_OK && *end == SEARCH_FOUND)
        status = say_exhausted(a, &x, err);
    a->runs += runner.runs;
    if (runner.open_line > 0)
        a->open_line = runner.open_line;
    open_order_close(&open);
    exhaust_close(&x);
    runner_close(&runner);
    return status;
}

/* No execution was found, of those in which rows come in the order of their keys. */
static enum status say_invalid(struct audit *a, struct error *err)
{
    struct audit_verdict *v = a->verdict;

    if (a->open_line > 0) {
        snprintf(v->reason, sizeof v->reason,
                 "no execution was found, but the program uses an order of rows that SQL leaves "
                 "open (line %" PRIu32 "), and other orders were not tried",
                 a->open_line);
        return STATUS_OK;
    }
    v->verdict = VERDICT_INVALID;
    v->reason[0] = '\0';
    a->is_decided = true;
    if (!a->options->wants_witness)
        return STATUS_OK;
    return witness_put_invalid(&v->witness, &a->plan, a->options->level, a->options->model,
                               &v->wrong, err);
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

static enum status after_search(struct audit *a, struct search *s, struct search_job *job,
                                enum search_end end, struct error *err)
{
    a->verdict->counts.jumps += s->jumps;
    if (end != SEARCH_FOUND && !a->verdict->wrong.is_there) {
        a->verdict->wrong = s->wrong;
        s->wrong = (struct audit_wrong){ .is_there = false };
    }
    if (end != SEARCH_FOUND)
        return STATUS_OK;
    if (!job->serial_order)
        return say_found(a, s, err);
    for (uint32_t i = 0; i < s->count; i++)
        a->is_absent[s->frames.at[i].txn] = s->frames.at[i].is_absent;
    return serial_order_find(s, a->options->level == LEVEL_STRICT_SERIALIZABLE, job->serial_order,
                             &job->is_ordered, err);
}

static enum status search_states(struct audit *a, struct search_job *job, enum search_end *end,
                                 struct error *err)
{
    struct instants instants = { 0 };
    struct runner runner;
    struct search s = { 0 };
    enum status status;

    status = runner_open(&runner, &a->plan, a->rows, job->mode, err);
    if (status == STATUS_OK && job->uses_times)
        status = audit_instants_find(&instants, &a->plan, a->order, a->count,
                               job->mode != RUN_SNAPSHOT, err);
    if (status == STATUS_OK)
        status = search_open(&s, &a->plan, &runner, a->order, a->count, err);
    s.by_value = job->by_value;
    s.is_strict = is_strict(a) && !is_serial(a);
    s.instants = job->uses_times ? &instants : NULL;
    s.progress = a->options->progress;
    s.pace = &a->pace;
    s.runs_max = job->runs_max;
    *end = SEARCH_GAVE_UP;
    /* At a strict level an order against time is none; there may be others. */
    if (status == STATUS_OK && !(is_strict(a) && !is_serial(a) && instants.is_torn))
        status = search_go(&s, end, err);
    if (status == STATUS_OK)
        status = after_search(a, &s, job, *end, err);
    if (status == STATUS_OK)
        status = search_rewind(&s, err);
    a->runs += runner.runs;
    search_close(&s);
    audit_instants_close(&instants);
    runner_close(&runner);
    return status;
}

static bool has_times(const struct audit *a)
{
    for (size_t i = 0; i < a->plan.txns.count; i++)
        if (a->plan.txns.at[i].logged->invoked_ns != TIME_NEVER)
            return true;
    return false;
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

/* One after another, each on what the one before left. */
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
    for (uint32_t i = done; i > 0 && status == STATUS_OK; i--)
        status = audit_rows_pop(a->rows, order[i - 1], err);
    a->runs += runner.runs;
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
    enum search_end end;
    bool is_right = false;
    enum status status;

    if (!order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    status = search_states(a, &job, &end, err);
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

static enum status audit_serial(struct audit *a, struct error *err)
{
    enum search_end end;
    bool is_right = false;

    for (uint32_t i = 0; i < a->count; i++)
        a->is_absent[i] = a->plan.txns.at[i].is_unknown && !audit_plan_has_ts(&a->plan, i);
    if (respects_time(a, a->order))
        TRY(replay(a, a->order, &is_right, err));
    if (is_right)
        return say_serial(a, a->order, err);
    if (!a->pace.is_over && has_times(a))
        TRY(order_by_snapshots(a, true, err));
    if (!a->pace.is_over && !a->is_decided)
        TRY(order_by_snapshots(a, false, err));
    if (a->is_decided || a->pace.is_over || a->plan.txns.count > EXHAUST_TXNS_MAX) {
        say_unknown(a, "no serial order was found, and there are too many to try all");
        return STATUS_OK;
    }
    TRY(exhaust_mode(a, RUN_AT_PLACE, false, &end, err));
    if (end == SEARCH_REFUTED)
        return say_invalid(a, err);
    say_unknown(a, "no serial order was found in as many runs as were allowed");
    return STATUS_OK;
}

/* --- Snapshot, read-committed ------------------------------------------------------------------------------ */

/* One rule or model: with times as a help, without, and all executions. */
static enum status audit_mode(struct audit *a, enum run_mode mode, bool by_value,
                              enum search_end *end, struct error *err)
{
    struct search_job job = { .mode = mode, .by_value = by_value };
    bool is_helped = !is_strict(a) && has_times(a);

    *end = SEARCH_GAVE_UP;
    if (is_helped || is_strict(a)) {
        job.uses_times = true;
        job.runs_max = is_helped ? runs_limit(a, HELPED_RUNS_PER_TXN, HELPED_RUNS_MIN)
                                 : runs_limit(a, SEARCH_RUNS_PER_TXN, SEARCH_RUNS_MIN);
        TRY(search_states(a, &job, end, err));
    }
    if (!a->is_decided && !a->pace.is_over && !is_strict(a)) {
        job.uses_times = false;
        job.runs_max = runs_limit(a, SEARCH_RUNS_PER_TXN, SEARCH_RUNS_MIN);
        TRY(search_states(a, &job, end, err));
    }
    if (a->is_decided || a->pace.is_over)
        return STATUS_OK;
    if (a->plan.txns.count > EXHAUST_TXNS_MAX) {
        say_unknown(a, *end == SEARCH_REFUTED
                           ? "no choice is left of all that seemed to matter, which is no proof"
                           : "no execution was found in as many runs as were allowed");
        *end = SEARCH_GAVE_UP;
        return STATUS_OK;
    }
    TRY(exhaust_mode(a, mode, by_value, end, err));
    if (*end == SEARCH_GAVE_UP)
        say_unknown(a, "no execution was found in as many runs as were allowed");
    return STATUS_OK;
}

static enum status audit_snapshot(struct audit *a, struct error *err)
{
    enum search_end by_version, by_value;

    TRY(audit_mode(a, RUN_SNAPSHOT, false, &by_version, err));
    if (a->is_decided || a->pace.is_over)
        return STATUS_OK;
    TRY(audit_mode(a, RUN_SNAPSHOT, true, &by_value, err));
    if (!a->is_decided && by_value == SEARCH_REFUTED)
        return say_invalid(a, err);
    return STATUS_OK;
}

static enum status audit_read_committed(struct audit *a, struct error *err)
{
    static const enum run_mode modes[] = { RUN_LOCKING, RUN_STATEMENT, RUN_PAPER };

    for (unsigned m = 0; m <= a->options->model && !a->is_decided && !a->pace.is_over; m++) {
        enum search_end end;

        TRY(audit_mode(a, modes[m], false, &end, err));
        if (!a->is_decided && end == SEARCH_REFUTED && m == (unsigned)a->options->model)
            return say_invalid(a, err);
    }
    return STATUS_OK;
}

/* --- The door ------------------------------------------------------------------------------------------------ */

static enum status judge(struct audit *a, struct error *err)
{
    if (a->plan.log->initial == INITIAL_UNKNOWN) {
        say_unknown(a, "the initial state is unknown");
        return STATUS_OK;
    }
    a->order = malloc((a->plan.txns.count + 1) * sizeof *a->order);
    a->is_absent = calloc(a->plan.txns.count + 1, 1);
    if (!a->order || !a->is_absent)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    TRY(audit_plan_order(&a->plan, a->order, &a->count, err));
    TRY(audit_rows_open(&a->rows, a->plan.program, err));
    TRY(audit_plan_fill(&a->plan, a->rows, err));
    if (is_serial(a))
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
    verdict->counts.txns = a.plan.txns.count;
    verdict->counts.unjudged = a.plan.unjudged;
    verdict->counts.runs = a.runs;
    audit_rows_close(a.rows);
    free(a.order);
    free(a.is_absent);
    audit_plan_close(&a.plan);
    return status;
}
