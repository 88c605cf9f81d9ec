#include "checkers/interval/interval.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/interval/derivation_private.h"
#include "checkers/interval/explanation_private.h"
#include "checkers/interval/interval_model_private.h"
#include "checkers/interval/traces_private.h"
#include "checkers/proof/tell.h"
#include "checkers/proof/witness.h"

#define STEP 512 /* transactions between two looks whether somebody wants an end */

static enum status examine_columns(const struct history *h, struct error *err)
{
    if (h->txn_count > 0 && (!h->txn_invoked || !h->txn_completed))
        return error_set(
            err, STATUS_BAD_INPUT,
            "interval judges by times, and no transaction of the history has an \"at\"");
    return STATUS_OK;
}

static enum status interval_needs(const struct history *h, struct error *err)
{
    TRY(examine_columns(h, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        TRY(traces_examine(h, t, err));
    return STATUS_OK;
}

static void name_key(const void *context, uint32_t key, struct buffer *out)
{
    tell_key(out, context, key);
}

/* The row of a statement that has the key; the statement itself if there is none. */
static uint32_t find_row(const struct history *h, uint32_t head, uint32_t key)
{
    for (uint32_t op = head + 1; op < h->op_count && op_is_row(h->op_kind[op]); op++)
        if (h->op_key[op] == key)
            return op;
    return head;
}

/* As "x=1 (operation 2)". */
static void name_op(const void *context, uint32_t number, uint32_t op, uint32_t key,
                    struct buffer *out)
{
    const struct history *h = context;
    uint32_t told = op_is_head(h->op_kind[op]) ? find_row(h, op, key) : op;

    if (op_is_head(h->op_kind[told]))
        tell_key(out, h, key);
    else if (op_is_write(h->op_kind[told]))
        tell_write(out, h, told);
    else
        tell_key_value(out, h, key, history_value(h, told));
    buffer_print(out, " (operation %" PRIu32 ")", tell_op_number(h, number, op));
}

/* --- In the order of invocation ---------------------------------------------------------- */

struct invoked {
    int64_t at;
    uint32_t txn;
};

static int compare_invoked(const void *a, const void *b)
{
    const struct invoked *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

struct interval_run {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct interval_model model;
    struct traces traces;
    struct row_store rows;
    struct derivation derivation;
    struct invoked *sorted;
};

static enum status sort_txns(struct interval_run *run, struct error *err)
{
    const struct history *h = run->history;
    bool is_sorted = true;

    TRY(memory_resize((void **)&run->sorted, h->txn_count, sizeof *run->sorted, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        run->sorted[t] = (struct invoked){ h->txn_invoked[t], t };
        is_sorted &= t == 0 || h->txn_invoked[t - 1] <= h->txn_invoked[t];
    }
    if (!is_sorted)
        qsort(run->sorted, h->txn_count, sizeof *run->sorted, compare_invoked);
    return STATUS_OK;
}

/* Whether somebody wants an end: then the check is in doubt. */
static bool is_over(struct interval_run *run, size_t passed)
{
    size_t count = run->history->txn_count;

    if (passed % STEP != 0)
        return false;
    progress_report(run->options->progress, passed, count);
    if (!check_is_stopped(run->options))
        return false;
    check_doubt(run->check, "stopped after %zu of %zu transactions", passed, count);
    return true;
}

static enum status pass_txns(struct interval_run *run, struct error *err)
{
    for (size_t i = 0; i < run->history->txn_count; i++) {
        struct interval_trace trace;

        TRY(traces_make(&run->traces, run->sorted[i].txn, &trace, err));
        TRY(interval_model_advance(&run->model, trace.invoked, err));
        TRY(interval_model_add(&run->model, &trace, err));
        if (is_over(run, i))
            break;
    }
    return STATUS_OK;
}

static enum status judge_rest(struct interval_run *run, struct error *err)
{
    while (run->model.events.count > 0 && !check_is_stopped(run->options))
        TRY(interval_model_end(&run->model, STEP, err));
    if (run->model.events.count > 0)
        check_doubt(run->check, "stopped before all was judged");
    return STATUS_OK;
}

/* --- What was found ------------------------------------------------------------------------ */

/* What would have to be admitted, if clocks are to blame for all that was found. */
static int64_t find_clock_error(const struct interval_model *m)
{
    int64_t more = 0;

    for (size_t i = 0; i < m->findings.count; i++) {
        if (m->findings.at[i].clock_error == 0)
            return 0;
        if (m->findings.at[i].clock_error > more)
            more = m->findings.at[i].clock_error;
    }
    return more > INT64_MAX - m->clock_error ? 0 : more + (more > 0 ? m->clock_error : 0);
}

static enum status tell(struct interval_model *m, const struct history *h, struct check *check,
                        struct error *err)
{
    check->clock_error_ns = find_clock_error(m);
    for (size_t i = 0; i < m->findings.count; i++) {
        struct interval_finding *f = &m->findings.at[i];
        struct discovery d = { .kind = f->kind,
                               .proven = f->kind,
                               .txns = f->txns.at,
                               .txn_count = f->txns.count,
                               .why = f->explanation,
                               .drawing = f->drawing };
        enum status proved;

        f->explanation = f->drawing = (struct buffer){ 0 };
        proved = m->derivation ? derivation_witness_tell(m, h, f, &d.proof, err) : STATUS_OK;
        TRY(check_add(check, &d, err)); /* which takes over the buffers */
        TRY(proved);
    }
    check->has_more_findings |= m->finding_count > m->findings.count;
    if (m->counts.unjudged > 0)
        check_doubt(check, "%llu reads and writes are of keys of which there are too many versions",
                    (unsigned long long)m->counts.unjudged);
    return STATUS_OK;
}

static enum status keep_rows(struct interval_run *run, struct error *err)
{
    if (run->history->statement_count == 0)
        return STATUS_OK;
    run->model.rows = &run->rows;
    TRY(row_store_init(&run->rows, run->history, err));
    return traces_keep_rows(&run->traces, &run->rows, &run->model, err);
}

static enum status judge_all(struct interval_run *run, struct error *err)
{
    struct interval_model *m = &run->model;

    TRY(interval_needs(run->history, err));
    TRY(sort_txns(run, err));
    TRY(keep_rows(run, err));
    TRY(traces_initial(&run->traces, m, err));
    TRY(pass_txns(run, err));
    if (!check_is_stopped(run->options))
        TRY(judge_rest(run, err));
    TRY(tell(m, run->history, run->check, err));
    run->check->unjudged_predicates = run->traces.unjudged + m->counts.unjudged_queries;
    return m->derivation && run->check->verdict == VERDICT_VALID
               ? explanation_tell(m, &run->traces, &run->check->witness, err)
               : STATUS_OK;
}

static enum status interval_judge(const struct history *h, const struct check_options *options,
                                  struct check *check, struct error *err)
{
    struct profile profile =
        options->profile ? *options->profile : profile_of_level(options->level);
    struct interval_run run = {
        .history = h, .options = options, .check = check, .traces = { .history = h }
    };
    enum status status;

    interval_model_init(&run.model, &profile, options->clock_error_ns);
    run.model.key_name = name_key;
    run.model.op_name = name_op;
    run.model.context = h;
    if (check_wants(options, CHECK_WITNESS)) {
        run.model.derivation = &run.derivation;
        run.model.timeline.keeps_records = true;
        derivation_witness_tell_premises(&profile, options->clock_error_ns, &check->premises);
    }
    status = judge_all(&run, err);
    interval_model_close(&run.model);
    traces_close(&run.traces);
    row_store_close(&run.rows);
    derivation_close(&run.derivation);
    free(run.sorted);
    return status;
}

#define BIT(level) LEVEL_BIT(LEVEL_##level)

const struct checker checker_interval = {
    .name = "interval",
    .summary = "mirrors what the database must have done: needs times, and nothing else",
    .levels = BIT(READ_COMMITTED) | BIT(SNAPSHOT) | BIT(SERIALIZABLE) | BIT(STRICT_SNAPSHOT) |
              BIT(STRICT_SERIALIZABLE),
    .able = ABLE_PROFILE,
    .cost = 5,
    .unjudged_why = "their conditions cannot be computed here, they have a limit or aggregates, or "
                    "they look at too many rows",
    .needs = interval_needs,
    .judge = interval_judge,
};
