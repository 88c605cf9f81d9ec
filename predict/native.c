/*
 * The native engine of predictions: two solvers in a loop.
 *
 *     formula: what the level allows -> search -> a prediction -> serialize -> no order: predicted
 *        ^                                                            |
 *        +----- lemma: some conflict with this order must occur <-----+ an order
 *
 * It is exact: no lemma excludes a prediction that is not serializable, and where the search finds nothing there is
 * none. In windows it looks at some transactions at a time: those before are full, those behind are out.
 */
#include "predict/prediction.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/wall_clock.h"
#include "predict/lemma_private.h"
#include "predict/serialize_private.h"

#define WHOLE_MAX 200 /* transactions that are looked at together if nobody says how many */
#define WINDOW_USUAL 60
#define REFUSED_MAX 200 /* predictions that the judge refuses, before it is given up */

/*
 * Windows differ by far in how hard they are, and one prediction is enough. So each is looked at with little effort
 * first, and those that are not decided again with more.
 */
static const struct effort {
    uint64_t steps_max;      /* of each search; 0: no limit */
    uint32_t iterations_max; /* 0: likewise */
} efforts[] = { { 200000, 20 }, { 5000000, 100 }, { 0, 0 } };

struct native {
    const struct dataflow *trace;
    const struct predict_options *options;
    struct arena *arena;
    struct prediction *prediction;
    struct normal_form normal;
    struct formula formula;
    uint32_t *nodes;             /* of the search, in an order that fits what happens before */
    uint32_t refused;            /* predictions, by the judge */
    const struct effort *effort; /* NULL: all that it takes */
    uint32_t *place;             /* by transaction */
    bool *floats;
};

static bool literal_holds(const uint8_t *values, uint32_t literal)
{
    if (literal >= LITERAL_FALSE)
        return literal == LITERAL_TRUE;
    return values[literal / 2] == !(literal & 1);
}

/* --- From the search's answer to a prediction ---------------------------------------- */

/* Reads of the boundary transaction, in order; one that repeats another comes from where that did. */
static void read_boundary(struct native *x, const uint8_t *values, uint32_t txn, uint32_t session)
{
    const struct normal_form *n = &x->normal;
    const struct dataflow *t = x->trace;
    struct prediction *p = x->prediction;
    uint32_t end = t->event_start[txn + 1];

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++) {
        if (!n->is_relaxed && literal_holds(values, x->formula.cut[r]))
            end = n->reads[r].event + 1;
        for (uint32_t c = n->reads[r].start; c < n->reads[r].end; c++)
            if (literal_holds(values, x->formula.choice[c]))
                p->writer[n->reads[r].event] = n->candidates[c];
    }
    for (uint32_t e = t->event_start[txn]; e < end && n->reads_once; e++)
        for (uint32_t before = t->event_start[txn]; before < e && dataflow_is_read(t->events[e]);
             before++)
            if (dataflow_is_read(t->events[before]) && t->events[before].key == t->events[e].key) {
                p->writer[e] = p->writer[before];
                break;
            }
    p->boundary[session] = txn;
    p->included[session] = end - t->event_start[txn];
}

/* The next search begins where this one ended: most of what it found still fits, with one lemma more. */
static void keep_phases(struct native *x, const uint8_t *values)
{
    for (uint32_t v = 0; v < x->formula.variable_count; v++)
        x->formula.phases.at[v] = values[v];
}

static void read_prediction(struct native *x, const uint8_t *values)
{
    const struct dataflow *t = x->trace;
    struct prediction *p = x->prediction;

    for (uint32_t e = 0; e < t->event_count; e++)
        p->writer[e] = t->events[e].writer;
    for (uint32_t session = 0; session < t->session_count; session++) {
        p->full[session] = 0;
        p->boundary[session] = DATAFLOW_NONE;
        for (uint32_t i = t->session_start[session]; i < t->session_start[session + 1]; i++) {
            uint32_t txn = t->session_txns[i];

            p->full[session] += literal_holds(values, x->formula.full[txn]);
            if (!t->variant_of && literal_holds(values, x->formula.boundary[txn]))
                read_boundary(x, values, txn, session);
        }
    }
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        if (dataflow_is_variant(t, txn) && literal_holds(values, x->formula.boundary[txn]))
            read_boundary(x, values, txn, t->session[txn]);
}

/*
 * The order of commits: at prefix and snapshot that of the search. Elsewhere nothing depends on the places of
 * boundary transactions, so that they stand last.
 */
static void read_order(struct native *x, const uint8_t *values, const uint32_t *order)
{
    const struct normal_form *n = &x->normal;
    struct prediction *p = x->prediction;
    bool has_moments = level_has_moments(n->level);

    p->order_count = 0;
    for (uint32_t i = 0; i < x->formula.node_count * (has_moments ? 2 : 1); i++) {
        uint32_t node = has_moments ? order[i] / 2 : order[i], session, boundary;
        bool is_shared = n->trace->variant_of && node >= n->observed;

        if (has_moments && order[i] % 2 == 0)
            continue;
        session = is_shared ? node - n->observed : n->trace->session[node];
        boundary = p->boundary[session];
        if (!is_shared && literal_holds(values, x->formula.full[node]))
            p->order[p->order_count++] = node;
        else if (has_moments && boundary != DATAFLOW_NONE && (is_shared || boundary == node))
            p->order[p->order_count++] = boundary;
    }
    for (uint32_t session = 0; session < n->trace->session_count && !has_moments; session++)
        if (p->boundary[session] != DATAFLOW_NONE)
            p->order[p->order_count++] = p->boundary[session];
}

static void leave_out_of_order(struct prediction *p, uint32_t txn)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->order_count; i++)
        if (p->order[i] != txn)
            p->order[count++] = p->order[i];
    p->order_count = count;
}

/* --- The loop -------------------------------------------------------------------------- */

static enum status solve(struct native *x, struct search_result *result, struct error *err)
{
    struct formula *f = &x->formula;
    struct search_problem problem = {
        .node_count = f->node_count * (level_has_moments(x->options->level) ? 2 : 1),
        .variable_count = f->variable_count,
        .edges = f->edges.at,
        .edge_count = (uint32_t)f->edges.count,
        .literals = f->literals.at,
        .clause_start = f->clause_start.at,
        .clause_count = (uint32_t)f->clause_start.count - 1,
        .phases = f->phases.at,
        .order = x->nodes,
    };
    struct search_options options = { .stop = x->options->stop,
                                      .threads = 1,
                                      .steps_max = x->options->steps_max };

    if (x->effort && x->effort->steps_max > 0)
        options.steps_max = x->effort->steps_max;

    x->prediction->counts.iterations++;
    return search_solve(&problem, &options, result, err);
}

/* By the order of what is included; the others behind them. */
static void find_places(struct native *x, const struct dataflow *predicted, const uint32_t *order)
{
    const struct normal_form *n = &x->normal;
    const struct formula *f = &x->formula;
    uint32_t placed = 0;

    for (uint32_t node = 0; node < f->node_count; node++)
        x->place[node] = DATAFLOW_NONE;
    for (uint32_t i = 0; i < predicted->txn_count; i++) {
        uint32_t txn;

        BISECT(txn, 0, x->trace->txn_count, x->trace->txn[txn] < predicted->txn[order[i]]);
        x->place[f->node[txn]] = placed++;
    }
    for (uint32_t i = 0; i < x->trace->txn_count; i++)
        if (x->place[f->node[n->sequence[i]]] == DATAFLOW_NONE)
            x->place[f->node[n->sequence[i]]] = placed++;
    for (uint32_t node = 0; node < f->node_count; node++)
        if (x->place[node] == DATAFLOW_NONE)
            x->place[node] = placed++;
}

/* Who may float: who never writes, and boundary transactions of which no write is in. */
static void find_floating(struct native *x)
{
    const struct normal_form *n = &x->normal;
    const struct prediction *p = x->prediction;

    for (uint32_t txn = 0; txn < x->trace->txn_count; txn++) {
        uint32_t first = n->write_start[txn], session = x->trace->session[txn];

        x->floats[txn] =
            first == n->write_start[txn + 1] ||
            (p->boundary[session] == txn &&
             n->writes[first].event - x->trace->event_start[txn] >= p->included[session]);
    }
}

/* Whether what was found is serializable: then a lemma is added. */
static enum status judge(struct native *x, enum serialize_answer *answer, struct error *err)
{
    size_t used = x->arena->used;
    struct dataflow predicted;
    uint32_t *order;

    TRY(prediction_dataflow(x->prediction, x->trace, x->arena, &predicted, err));
    TRY(serialize(&predicted, x->arena, x->options->stop, answer, &order, err));
    if (*answer == SERIALIZE_ORDER) {
        find_places(x, &predicted, order);
        find_floating(x);
        TRY(lemma_add(&x->formula, &(struct lemma_order){ x->place, x->floats }, err));
        x->prediction->counts.lemmas++;
    }
    arena_reset_to(x->arena, used);
    return STATUS_OK;
}

static void stop_with(struct prediction *p, const char *reason)
{
    p->kind = PREDICTION_UNKNOWN;
    snprintf(p->reason, sizeof p->reason, "%s", reason);
}

/* Boundary transactions without which it is not serializable either are left out. */
static enum status leave_out(struct native *x, struct error *err)
{
    struct prediction *p = x->prediction;

    for (uint32_t session = 0; session < x->trace->session_count; session++) {
        size_t used = x->arena->used;
        uint32_t boundary = p->boundary[session], *order;
        enum serialize_answer answer;
        struct dataflow predicted;

        if (boundary == DATAFLOW_NONE)
            continue;
        p->boundary[session] = DATAFLOW_NONE;
        TRY(prediction_dataflow(p, x->trace, x->arena, &predicted, err));
        TRY(serialize(&predicted, x->arena, x->options->stop, &answer, &order, err));
        if (answer != SERIALIZE_CYCLE && answer != SERIALIZE_NO_ORDER)
            p->boundary[session] = boundary;
        else {
            p->is_saturated = answer == SERIALIZE_CYCLE;
            leave_out_of_order(p, boundary);
        }
        arena_reset_to(x->arena, used);
    }
    return STATUS_OK;
}

/* No prediction again in which this transaction, or all boundary transactions, read from whom they do in this one. */
static enum status exclude(struct native *x, uint32_t because, struct error *err)
{
    const struct normal_form *n = &x->normal;
    const struct prediction *p = x->prediction;
    struct formula *f = &x->formula;

    f->clause.count = 0;
    for (uint32_t session = 0; session < x->trace->session_count; session++) {
        uint32_t txn = p->boundary[session], end;

        if (txn == DATAFLOW_NONE || (because != DATAFLOW_NONE && because != txn))
            continue;
        end = x->trace->event_start[txn] + p->included[session];
        TRY(array_push(&f->clause, literal_not(f->boundary[txn]), err));
        for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1] && n->reads[r].event < end;
             r++)
            for (uint32_t c = n->reads[r].start; c < n->reads[r].end; c++)
                if (n->candidates[c] == p->writer[n->reads[r].event])
                    TRY(array_push(&f->clause, literal_not(f->choice[c]), err));
    }
    return formula_add(f, f->clause.at, f->clause.count, err);
}

/* Asks whether what was found is to be told; else it is excluded. */
static enum status ask_judge(struct native *x, bool *is_accepted, struct error *err)
{
    const struct predict_judge *judge = x->options->judge;
    const struct prediction *p = x->prediction;
    uint32_t because = DATAFLOW_NONE;
    bool is_boundary = false;

    *is_accepted = true;
    if (!judge)
        return STATUS_OK;
    TRY(judge->accept(judge->context, p, is_accepted, &because, err));
    if (*is_accepted)
        return STATUS_OK;
    x->refused++;
    for (uint32_t session = 0; session < x->trace->session_count; session++)
        is_boundary |= because != DATAFLOW_NONE && p->boundary[session] == because;
    return exclude(x, is_boundary ? because : DATAFLOW_NONE, err);
}

static enum status run_loop(struct native *x, struct error *err)
{
    struct prediction *p = x->prediction;
    uint32_t iterations = 0;

    while (!x->formula.is_impossible && x->refused < REFUSED_MAX) {
        enum serialize_answer answer = SERIALIZE_STOPPED;
        struct search_result result = { 0 };
        enum status status = solve(x, &result, err);
        enum search_answer found = result.answer;
        bool is_accepted;

        if (status == STATUS_OK && found == SEARCH_FOUND) {
            keep_phases(x, result.values);
            read_prediction(x, result.values);
            read_order(x, result.values, result.order);
            status = judge(x, &answer, err);
        }
        search_result_close(&result);
        TRY(status);
        if (found == SEARCH_IMPOSSIBLE)
            break;
        if (x->effort && x->effort->iterations_max > 0 && ++iterations > x->effort->iterations_max)
            found = SEARCH_UNDECIDED;
        if (found == SEARCH_UNDECIDED || answer == SERIALIZE_STOPPED) {
            stop_with(p, found == SEARCH_UNDECIDED
                             ? "the search was ended before it found anything"
                             : "whether a prediction is serializable was not decided in time");
            return STATUS_OK;
        }
        if (answer == SERIALIZE_ORDER)
            continue;
        p->is_saturated = answer == SERIALIZE_CYCLE;
        TRY(leave_out(x, err));
        p->kind = PREDICTION_FOUND;
        TRY(ask_judge(x, &is_accepted, err));
        if (is_accepted)
            return STATUS_OK;
    }
    p->kind = PREDICTION_NONE;
    if (x->refused == 0)
        return STATUS_OK;
    stop_with(p, "");
    snprintf(p->reason, sizeof p->reason,
             "%" PRIu32 " predictions are serializable, or cannot happen, when they are executed%s",
             x->refused, x->refused < REFUSED_MAX ? ", and there are no others" : "");
    return STATUS_OK;
}

static enum status run_window(struct native *x, uint32_t first, uint32_t end, struct error *err)
{
    struct predict_counts *counts = &x->prediction->counts;
    size_t used = x->arena->used;
    int64_t began = wall_clock_ns(), made;
    enum status status;

    normal_form_confine(&x->normal, first, end);
    status = normal_form_find_reads(&x->normal, x->arena, err);
    x->formula = (struct formula){ 0 };
    if (status == STATUS_OK)
        status = formula_init(&x->formula, &x->normal, x->arena, err);
    made = wall_clock_ns();
    if (status == STATUS_OK)
        status = run_loop(x, err);
    counts->variables += x->formula.variable_count;
    counts->literals += x->formula.literals.count + x->formula.edges.count;
    formula_close(&x->formula);
    arena_reset_to(x->arena, used);
    counts->generate_ns += made - began;
    counts->solve_ns += wall_clock_ns() - made;
    return status;
}

/*
 * At read committed a session need not see what it wrote. Few databases do that, so that predictions without it are
 * looked for first.
 */
static enum status run_window_twice(struct native *x, uint32_t first, uint32_t end,
                                    struct error *err)
{
    x->normal.keeps_sessions = x->options->level == LEVEL_READ_COMMITTED;
    TRY(run_window(x, first, end, err));
    if (!x->normal.keeps_sessions || x->prediction->kind != PREDICTION_NONE)
        return STATUS_OK;
    x->normal.keeps_sessions = false;
    return run_window(x, first, end, err);
}

static bool is_stopped(const struct predict_options *options)
{
    return options->stop && atomic_load(options->stop);
}

/* As they happen, and the nodes of variants last. */
static enum status order_nodes(struct native *x, struct error *err)
{
    const struct normal_form *n = &x->normal;
    bool has_moments = level_has_moments(n->level);
    uint32_t count = x->trace->txn_count + x->trace->session_count, placed = 0;

    PREDICT_TAKE(x->arena, x->nodes, 2 * (size_t)count, err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node =
            i < x->trace->txn_count ? n->sequence[i] : n->observed + (i - x->trace->txn_count);

        if (i < x->trace->txn_count && node >= n->observed)
            continue;
        x->nodes[placed++] = has_moments ? 2 * node : node;
        if (has_moments)
            x->nodes[placed++] = 2 * node + 1;
    }
    return STATUS_OK;
}

static enum status run_windows(struct native *x, uint32_t window, size_t effort_count,
                               struct error *err)
{
    struct prediction *p = x->prediction;
    uint32_t count = dataflow_observed(x->trace), step = (window + 1) / 2, unknown = 1;
    bool *is_decided;

    PREDICT_TAKE(x->arena, is_decided, count / step + 1, err);
    for (size_t effort = 0; effort < effort_count && unknown > 0; effort++) {
        bool is_last = false;

        unknown = 0;
        x->effort = &efforts[effort];
        for (uint32_t i = 0; !is_last; i++) {
            uint32_t first = i * step, end = first + window < count ? first + window : count;

            is_last = end == count;
            if (is_decided[i])
                continue;
            TRY(run_window_twice(x, first, end, err));
            if (p->kind == PREDICTION_FOUND)
                return STATUS_OK;
            if (is_stopped(x->options)) {
                stop_with(p, "it was ended before all windows had been looked at");
                return STATUS_OK;
            }
            is_decided[i] = p->kind == PREDICTION_NONE;
            unknown += !is_decided[i];
        }
    }
    stop_with(p, "");
    snprintf(p->reason, sizeof p->reason,
             "none within any window of %" PRIu32
             " transactions (--window N looks at more of them together)",
             window);
    if (unknown > 0)
        snprintf(p->reason, sizeof p->reason,
                 "%" PRIu32 " windows of %" PRIu32 " transactions were not decided", unknown,
                 window);
    if (x->refused > 0)
        snprintf(p->reason, sizeof p->reason,
                 "%" PRIu32 " predictions are serializable, or cannot happen, when they are "
                            "executed; no window of %" PRIu32
                 " transactions is known to have another",
                 x->refused, window);
    return STATUS_OK;
}

/* Of many transactions windows are looked at before, with little effort: what they have is found soon. */
static enum status run_whole(struct native *x, uint32_t count, struct error *err)
{
    if (count > WINDOW_USUAL && x->options->window == 0) {
        TRY(run_windows(x, WINDOW_USUAL, 1, err));
        if (x->prediction->kind == PREDICTION_FOUND || is_stopped(x->options))
            return STATUS_OK;
        x->prediction->reason[0] = '\0';
    }
    x->effort = NULL;
    x->refused = 0;
    return run_window_twice(x, 0, count, err);
}

enum status predict_native(const struct dataflow *trace, const struct predict_options *options,
                           struct arena *arena, struct prediction *p, struct error *err)
{
    struct native x = { .trace = trace, .options = options, .arena = arena, .prediction = p };
    uint32_t count = dataflow_observed(trace);
    uint32_t window = options->window ? options->window : count <= WHOLE_MAX ? count : WINDOW_USUAL;

    assert(predict_levels() & LEVEL_BIT(options->level));
    *p = (struct prediction){ .kind = PREDICTION_NONE };
    PREDICT_TAKE(arena, p->full, trace->session_count, err);
    PREDICT_TAKE(arena, p->boundary, trace->session_count, err);
    PREDICT_TAKE(arena, p->included, trace->session_count, err);
    PREDICT_TAKE(arena, p->writer, trace->event_count, err);
    PREDICT_TAKE(arena, p->order, trace->txn_count, err);
    PREDICT_TAKE(arena, x.place, trace->txn_count + trace->session_count, err);
    PREDICT_TAKE(arena, x.floats, trace->txn_count, err);
    if (count == 0)
        return STATUS_OK;
    TRY(normal_form_init(&x.normal, trace, options, arena, err));
    TRY(order_nodes(&x, err));
    if (window >= count)
        return run_whole(&x, count, err);
    return run_windows(&x, window, ROW_COUNT(efforts), err);
}
