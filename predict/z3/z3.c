#include "predict/z3/z3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wall_clock.h"
#include "predict/predict_private.h"
#include "predict/z3/boundary_private.h"
#include "predict/z3/levels_private.h"
#include "predict/z3/recheck_private.h"
#include "predict/z3/unserializable_private.h"
#include "smt/apart.h"

#define LEVELS_Z3                                                                                  \
    (LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) | LEVEL_BIT(LEVEL_CAUSAL) |    \
     LEVEL_BIT(LEVEL_PREFIX) | LEVEL_BIT(LEVEL_SNAPSHOT))

struct predictor {
    const struct predict_options *options;
    struct encoding encoding;
    struct prediction *prediction;
};

/* What comes back from the process. */
struct reply {
    bool is_answered;
    enum smt_answer answer;
    uint64_t literals; /* of the quantified part */
    int64_t generate_ns, solve_ns;
    uint8_t values[]; /* by variable */
};

static bool is_exact(const struct predictor *p)
{
    return p->options->strategy == STRATEGY_EXACT_STRICT;
}

/* --- In the process ----------------------------------------------------------------------- */

static enum status add_clauses(struct smt *smt, const struct clauses *f, struct error *err)
{
    size_t start = 0;

    TRY(smt_add_variables(smt, f->variable_count, err));
    TRY(smt_add_integers(smt, f->integer_count, err));
    for (size_t i = 0; i < f->clause_end.count; i++) {
        TRY(smt_add_clause(smt, f->literals.at + start, f->clause_end.at[i] - start, err));
        start = f->clause_end.at[i];
    }
    for (size_t i = 0; i < f->lesses.count; i++) {
        struct clauses_less less = f->lesses.at[i];

        TRY(smt_add_less(smt, &less.guard, less.guard != CLAUSES_TRUE, less.low, less.high, err));
    }
    return STATUS_OK;
}

static enum status solve(void *context, void *result, struct error *err)
{
    const struct predictor *p = context;
    struct reply *reply = result;
    struct smt_options options = { 0 };
    int64_t begin = wall_clock_ns(), ready;
    struct smt *smt;

    if (p->options->steps_max > 0)
        options.rlimit =
            p->options->steps_max < UINT32_MAX ? (unsigned)p->options->steps_max : UINT32_MAX;
    TRY(smt_open(&smt, is_exact(p) ? SMT_QUANTIFIED : SMT_DIFFERENCES, &options, err));
    TRY(add_clauses(smt, &p->encoding.clauses, err));
    if (is_exact(p))
        TRY(unserializable_assert_for_all(&p->encoding, smt, &reply->literals, err));
    ready = wall_clock_ns();
    reply->generate_ns = ready - begin;
    TRY(smt_check(smt, &reply->answer, err));
    reply->solve_ns = wall_clock_ns() - ready;
    if (reply->answer == SMT_HOLDS)
        TRY(smt_read_values(smt, reply->values, err));
    reply->is_answered = true;
    return STATUS_OK;
}

/* --- What it found ------------------------------------------------------------------------ */

static bool is_true(const struct reply *reply, uint32_t literal)
{
    return reply->values[literal / 2] != literal % 2;
}

static void read_txn(struct predictor *p, const struct reply *reply, uint32_t txn)
{
    const struct encoding *e = &p->encoding;
    const struct dataflow *trace = e->trace;
    uint32_t start = trace->event_start[txn], end = trace->event_start[txn + 1], left = 0;
    uint32_t session = trace->session[txn];

    for (uint32_t i = start; i < end; i++) {
        p->prediction->writer[i] = DATAFLOW_NONE;
        if (!is_true(reply, e->included[i]))
            continue;
        left = i + 1 - start;
        for (uint32_t c = e->choice_start[i]; c < e->choice_start[i + 1]; c++)
            if (is_true(reply, e->choices[c].literal))
                p->prediction->writer[i] = e->choices[c].writer;
    }
    if (is_true(reply, e->full[txn])) {
        p->prediction->full[session]++;
    } else if (left > 0) {
        p->prediction->boundary[session] = txn;
        p->prediction->included[session] = left;
    }
}

/* The commit order that shows the level; NULL where there is none. */
static enum status read_places(struct predictor *p, const struct reply *reply, uint32_t **place,
                               struct error *err)
{
    const struct encoding *e = &p->encoding;
    uint32_t count = e->trace->txn_count;

    *place = NULL;
    if (!e->earlier)
        return STATUS_OK;
    PREDICT_TAKE(e->arena, *place, count, err);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            (*place)[b] += a != b && is_true(reply, *encoding_at(e, e->earlier, a, b));
    return STATUS_OK;
}

/* A model is a prediction only if that can be seen without Z3. */
static enum status read_prediction(struct predictor *p, const struct reply *reply,
                                   struct error *err)
{
    const struct encoding *e = &p->encoding;
    const struct dataflow *trace = e->trace;
    struct prediction *prediction = p->prediction;
    uint32_t *place;
    const char *why;

    PREDICT_TAKE(e->arena, prediction->full, trace->session_count, err);
    PREDICT_TAKE(e->arena, prediction->boundary, trace->session_count, err);
    PREDICT_TAKE(e->arena, prediction->included, trace->session_count, err);
    PREDICT_TAKE(e->arena, prediction->writer, trace->event_count, err);
    for (uint32_t s = 0; s < trace->session_count; s++)
        prediction->boundary[s] = DATAFLOW_NONE;
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        read_txn(p, reply, txn);
    TRY(read_places(p, reply, &place, err));
    TRY(recheck_prediction(trace, prediction, p->options->level, e->is_relaxed, place, e->arena,
                           &why, err));
    prediction->kind = why ? PREDICTION_UNKNOWN : PREDICTION_FOUND;
    if (why)
        snprintf(prediction->reason, sizeof prediction->reason,
                 "Z3 found what was not confirmed: %s", why);
    return STATUS_OK;
}

static void say_unknown(struct predictor *p, const struct reply *reply, bool is_stopped)
{
    struct prediction *prediction = p->prediction;

    prediction->kind = PREDICTION_UNKNOWN;
    if (is_stopped)
        snprintf(prediction->reason, sizeof prediction->reason,
                 "it was stopped before Z3 answered");
    else if (reply->answer == SMT_UNDECIDED && p->options->steps_max > 0)
        snprintf(prediction->reason, sizeof prediction->reason,
                 "Z3 gave up; it was given %" PRIu64 " steps", p->options->steps_max);
    else if (reply->answer == SMT_UNDECIDED)
        snprintf(prediction->reason, sizeof prediction->reason, "Z3 gave up");
    else
        snprintf(prediction->reason, sizeof prediction->reason,
                 "the approximate encoding has none");
}

static enum status take_reply(struct predictor *p, const struct reply *reply, bool is_stopped,
                              struct error *err)
{
    struct predict_counts *counts = &p->prediction->counts;

    counts->iterations = 1;
    counts->literals += reply->literals;
    counts->generate_ns += reply->generate_ns;
    counts->solve_ns += reply->solve_ns;
    if (reply->is_answered && reply->answer == SMT_HOLDS)
        return read_prediction(p, reply, err);
    if (reply->is_answered && reply->answer == SMT_IMPOSSIBLE && is_exact(p))
        p->prediction->kind = PREDICTION_NONE;
    else
        say_unknown(p, reply, is_stopped && !reply->is_answered);
    return STATUS_OK;
}

/* --- The door ----------------------------------------------------------------------------- */

static enum status encode(struct predictor *p, struct error *err)
{
    struct encoding *e = &p->encoding;
    int64_t begin = wall_clock_ns();

    TRY(boundary_encode(e, err));
    TRY(levels_encode(e, p->options->level, err));
    if (!is_exact(p))
        TRY(unserializable_encode_ranked(e, err));
    p->prediction->counts =
        (struct predict_counts){ .variables = e->clauses.variable_count + e->clauses.integer_count,
                                 .literals = clauses_literal_count(&e->clauses),
                                 .generate_ns = wall_clock_ns() - begin };
    return STATUS_OK;
}

static enum status ask_z3(struct predictor *p, struct error *err)
{
    size_t size = sizeof(struct reply) + p->encoding.clauses.variable_count;
    struct apart apart = {
        .library = "Z3", .work = solve, .context = p, .size = size, .stop = p->options->stop
    };
    struct reply *reply = calloc(1, size);
    enum status status;

    if (!reply)
        return error_set(err, STATUS_OVER_LIMIT, "out of memory");
    status = apart_run(&apart, reply, err);
    if (status == STATUS_OK)
        status = take_reply(p, reply, apart.is_stopped, err);
    free(reply);
    return status;
}

enum status predict_z3(const struct dataflow *trace, const struct predict_options *options,
                       struct arena *arena, struct prediction *prediction, struct error *err)
{
    struct predictor p = { .options = options,
                           .encoding = { .trace = trace,
                                         .is_relaxed = strategy_is_relaxed(options->strategy),
                                         .arena = arena },
                           .prediction = prediction };
    enum status status;

    *prediction = (struct prediction){ .kind = PREDICTION_NONE };
    if (!(LEVELS_Z3 >> options->level & 1))
        return error_set(err, STATUS_BAD_INPUT, "nothing is predicted at %s",
                         level_name(options->level));
    if (options->strategy == STRATEGY_SEMANTIC)
        return error_set(err, STATUS_BAD_INPUT,
                         "the engine z3 executes no transactions: semantic is for native");
    if (options->window > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the engine z3 looks at all transactions: windows are for native");
    if (trace->txn_count == 0)
        return STATUS_OK;
    TRY(smt_probe(err));
    status = encode(&p, err);
    if (status == STATUS_OK)
        status = ask_z3(&p, err);
    clauses_close(&p.encoding.clauses);
    return status;
}
