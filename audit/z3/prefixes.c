#include "audit/z3/prefixes_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/z3/symbolic_private.h"
#include "smt/apart.h"

#define WINDOW_STATES 8    /* H2: at first */
#define CHOICES_PER_TXN 16 /* that there is room for */
#define CHOICES_MIN 65536
#define RUNG_NEWEST 0
#define RUNG_WINDOW 1 /* and more: twice the states each time */
#define RUNGS_MAX 30

/* A transaction that was run. */
struct prefix_frame {
    size_t events, found;
    bool is_scope; /* what it asserted is in a scope of its own */
};

struct solver {
    const struct prefixes *job;
    struct prefixes_reply *reply;
    uint32_t choices_max;
    struct smt *smt;
    struct symbolic symbolic;
    struct arena_guard guard;
    struct prefix_frame *frames;
    uint8_t *rungs;
    uint32_t furthest, burst;
    ARRAY(term) open;      /* H3: what may have one value only */
    ARRAY(int64_t) values; /* by place in `open` */
};

static bool uses(const struct solver *v, int heuristic)
{
    if (v->job->is_by_elements && heuristic != 1)
        return false;
    return v->job->heuristics & PREFIXES_HEURISTIC(heuristic);
}

static enum status ask(struct solver *v, enum smt_answer *answer, struct error *err)
{
    v->reply->checks++;
    return smt_check(v->smt, answer, err);
}

/* --- Times ------------------------------------------------------------------------------------------------ */

void prefixes_bounds(const struct prefixes *job, uint32_t txn, struct run_window *w)
{
    w->floor = job->instants.least[txn];
    if (job->instants.most[txn] < w->ceiling)
        w->ceiling = job->instants.most[txn];
}

/* Those that only read are put behind all that was completed before they were invoked. */
static void place_readers(struct prefixes *job)
{
    uint32_t count = 0, place = 0;
    uint8_t *is_placed = calloc(job->plan->txns.count + 1, 1);

    for (uint32_t i = 0; i <= job->count && is_placed; i++) {
        for (uint32_t k = place; k < i; k++) {
            uint32_t txn = job->order[k];

            if (is_placed[txn] || job->instants.least[txn] > i)
                continue;
            is_placed[txn] = 1;
            job->bound_order[count++] = txn;
        }
        while (place < i && is_placed[job->order[place]])
            place++;
        if (i < job->count && (job->plan->txns.at[job->order[i]].has_place ||
                               job->instants.least[job->order[i]] <= i)) {
            is_placed[job->order[i]] = 1;
            job->bound_order[count++] = job->order[i];
        }
    }
    if (count == job->count)
        job->order = job->bound_order;
    free(is_placed);
}

enum status prefixes_bound(struct prefixes *job, bool *is_possible, struct error *err)
{
    job->is_bound = true;
    job->bound_order = calloc((size_t)job->count + 1, sizeof *job->bound_order);
    TRY(audit_instants_find(&job->instants, job->plan, job->order, job->count, false, err));
    *is_possible = !job->instants.is_torn;
    if (!job->bound_order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    if (!*is_possible)
        return STATUS_OK;
    place_readers(job);
    audit_instants_close(&job->instants);
    TRY(audit_instants_find(&job->instants, job->plan, job->order, job->count, false, err));
    for (uint32_t i = 0; i < job->count; i++) {
        struct run_window w = { 0, i };

        prefixes_bounds(job, job->order[i], &w);
        *is_possible &= w.floor <= w.ceiling;
    }
    return STATUS_OK;
}

void prefixes_close(struct prefixes *job)
{
    audit_instants_close(&job->instants);
    free(job->bound_order);
}

/* --- Which states are tried ------------------------------------------------------------------------------- */

/* All that the level allows. */
static struct run_window window_of(const struct solver *v, uint32_t place)
{
    uint32_t txn = v->job->order[place];
    struct run_window w = { 0, place };

    if (v->job->mode == RUN_AT_PLACE)
        w.floor = place;
    if (v->job->is_bound)
        prefixes_bounds(v->job, txn, &w);
    return w;
}

static struct run_window narrow(const struct solver *v, uint32_t place)
{
    struct run_window w = window_of(v, place);
    uint32_t rung = v->rungs[place], states;

    if (rung == RUNG_NEWEST && uses(v, 4))
        w.floor = w.ceiling;
    if (rung >= RUNGS_MAX || (rung > RUNG_NEWEST && !uses(v, 2)))
        return w;
    states =
        rung > RUNG_NEWEST ? (uint32_t)WINDOW_STATES << (rung - RUNG_WINDOW) : w.ceiling - w.floor;
    if (w.ceiling - w.floor > states)
        w.floor = w.ceiling - states;
    return w;
}

static bool may_see_more(const struct solver *v, uint32_t place)
{
    return narrow(v, place).floor > window_of(v, place).floor;
}

/* The last of those up to this place that may see more do; `place` becomes the first of them. False: there is none. */
static bool raise_rungs(struct solver *v, uint32_t *place)
{
    uint32_t raised = 0, first = *place;

    for (uint32_t p = *place + 1; p > 0 && raised < v->burst; p--) {
        if (!may_see_more(v, p - 1))
            continue;
        v->rungs[p - 1]++;
        first = p - 1;
        raised++;
    }
    *place = first;
    return raised > 0;
}

static enum status go_back(struct solver *v, uint32_t from, uint32_t to, struct error *err)
{
    unsigned scopes = 0;

    for (uint32_t p = to; p <= from; p++)
        scopes += v->frames[p].is_scope;
    v->reply->jumps++;
    symbolic_rewind(&v->symbolic, to + 1, v->frames[to].events, v->frames[to].found);
    return scopes > 0 ? smt_pop(v->smt, scopes, err) : STATUS_OK;
}

/* --- H3: what has one value only -------------------------------------------------------------------------- */

static enum status note_open(struct solver *v, term a, struct error *err)
{
    if (terms_is_constant(&v->symbolic.terms, a) || terms_now(&v->symbolic.terms, a) != a)
        return STATUS_OK;
    for (size_t i = 0; i < v->open.count; i++)
        if (v->open.at[i] == a)
            return STATUS_OK;
    return array_push(&v->open, a, err);
}

/* What the rows have in them that the last transaction has seen. */
static enum status collect_open(struct solver *v, struct error *err)
{
    struct symbolic *s = &v->symbolic;

    v->open.count = v->values.count = 0;
    for (size_t i = 0; i < s->seen.count; i++) {
        const struct sym_row *row = &s->rows.at[s->seen.at[i]];
        uint16_t width = s->tree->schema.tables[row->table].column_count;

        for (size_t k = 0; k < row->versions.count; k++) {
            const struct sym_version *version = &row->versions.at[k];

            TRY(note_open(v, version->written, err));
            TRY(note_open(v, version->exists, err));
            for (uint16_t c = 0; c < width && version->cells; c++) {
                if (!version->cells[c].is_open)
                    continue;
                TRY(note_open(v, version->cells[c].value, err));
                TRY(note_open(v, version->cells[c].null, err));
            }
        }
    }
    return STATUS_OK;
}

/* Whether Z3 finds another value for one of these. */
static enum status find_other(struct solver *v, const uint32_t *places, uint32_t count,
                              enum smt_answer *answer, struct error *err)
{
    struct terms *t = &v->symbolic.terms;
    term all = TERM_TRUE;
    enum status status;

    for (uint32_t i = 0; i < count; i++) {
        term a = v->open.at[places[i]];
        int64_t value = v->values.at[places[i]];

        all = terms_and(t, all,
                        terms_equal(t, a,
                                    terms_node(t, a)->is_boolean ? terms_truth(value != 0)
                                                                 : terms_number(t, value)));
    }
    TRY(smt_push(v->smt, err));
    status = terms_assert(t, terms_not(t, all), err);
    if (status == STATUS_OK)
        status = ask(v, answer, err);
    return status;
}

/* Halves of those of which one has another value are tried again. */
static enum status settle(struct solver *v, uint32_t *places, uint32_t count, struct error *err)
{
    struct terms *t = &v->symbolic.terms;
    enum smt_answer answer = SMT_UNDECIDED;
    uint32_t left = 0;

    if (count == 0)
        return STATUS_OK;
    TRY(find_other(v, places, count, &answer, err));
    for (uint32_t i = 0; i < count && answer == SMT_HOLDS; i++) {
        int64_t other = 0;

        TRY(terms_evaluate(t, v->open.at[places[i]], &other, err));
        if (other == v->values.at[places[i]])
            places[left++] = places[i];
    }
    TRY(smt_pop(v->smt, 1, err));
    for (uint32_t i = 0; i < count && answer == SMT_IMPOSSIBLE; i++)
        TRY(terms_find(t, v->open.at[places[i]], v->values.at[places[i]], err));
    if (left < 2)
        return left == 1 && count > 1 ? settle(v, places, left, err) : STATUS_OK;
    TRY(settle(v, places, left / 2, err));
    return settle(v, places + left / 2, left - left / 2, err);
}

/* Behind a check that holds. */
static enum status concretize(struct solver *v, struct error *err)
{
    uint32_t *places;

    TRY(collect_open(v, err));
    if (v->open.count == 0)
        return STATUS_OK;
    for (size_t i = 0; i < v->open.count; i++) {
        int64_t value = 0;

        TRY(terms_evaluate(&v->symbolic.terms, v->open.at[i], &value, err));
        TRY(array_push(&v->values, value, err));
    }
    places = arena_take(&v->symbolic.arena, v->open.count, sizeof *places);
    for (uint32_t i = 0; i < v->open.count; i++)
        places[i] = i;
    return settle(v, places, (uint32_t)v->open.count, err);
}

/* --- The execution ---------------------------------------------------------------------------------------- */

static enum status put_choice(struct solver *v, struct prefix_choice choice)
{
    struct prefixes_reply *r = v->reply;

    if (r->choice_count == v->choices_max) {
        snprintf(r->reason, sizeof r->reason,
                 "the engine z3 has no room for so many statements; --engine native has");
        return STATUS_OK;
    }
    r->choices[r->choice_count++] = choice;
    return STATUS_OK;
}

static enum status take_choices(struct solver *v, struct error *err)
{
    struct symbolic *s = &v->symbolic;
    uint32_t statement = 0, txn = UINT32_MAX;
    bool is_active = false;

    for (size_t i = 0; i < s->events.count; i++) {
        const struct sym_event *e = &s->events.at[i];
        struct prefix_choice choice = { .txn = e->txn, .row = e->row };
        int64_t value = 0;

        if (e->txn != txn)
            statement = 0;
        txn = e->txn;
        if (e->begins && e->row == PREFIXES_IS_PRESENT) {
            TRY(terms_evaluate(&s->terms, e->state, &value, err));
            choice.state = (uint32_t)value;
            TRY(put_choice(v, choice));
            continue;
        }
        if (e->begins) {
            TRY(terms_evaluate(&s->terms, e->guard, &value, err));
            is_active = value != 0;
            statement += is_active;
            continue;
        }
        if (!is_active && s->mode != RUN_SNAPSHOT)
            continue;
        TRY(terms_evaluate(&s->terms, e->state, &value, err));
        choice.state = (uint32_t)value;
        choice.statement = s->mode == RUN_SNAPSHOT || statement == 0 ? 0 : statement - 1;
        TRY(put_choice(v, choice));
    }
    return STATUS_OK;
}

/* --- One transaction after another ------------------------------------------------------------------------ */

static enum status run_one(struct solver *v, uint32_t place, struct error *err)
{
    struct symbolic *s = &v->symbolic;
    struct run_window w = narrow(v, place);
    struct sym_place at = { v->job->order[place], place + 1, w.floor, w.ceiling };

    v->frames[place] =
        (struct prefix_frame){ s->events.count, s->terms.found.count, may_see_more(v, place) };
    if (v->frames[place].is_scope)
        TRY(smt_push(v->smt, err));
    return symbolic_run(s, &at, err);
}

static enum status go(struct solver *v, struct error *err)
{
    struct symbolic *s = &v->symbolic;
    enum smt_answer answer = SMT_HOLDS;

    for (uint32_t place = 0; place < v->job->count;) {
        uint64_t asserted = s->terms.asserted;
        bool is_last = place + 1 == v->job->count;

        TRY(run_one(v, place, err));
        if (s->is_stuck) {
            snprintf(v->reply->reason, sizeof v->reply->reason, "%s", s->reason);
            return STATUS_OK;
        }
        answer = SMT_HOLDS;
        if (v->job->is_by_elements ? is_last : s->terms.asserted != asserted)
            TRY(ask(v, &answer, err));
        if (answer == SMT_UNDECIDED)
            break;
        if (answer == SMT_IMPOSSIBLE) {
            uint32_t first = place;

            if (!raise_rungs(v, &first))
                break;
            TRY(go_back(v, place, first, err));
            v->burst *= 2;
            place = first;
            continue;
        }
        if (uses(v, 3) && s->terms.asserted != asserted)
            TRY(concretize(v, err));
        place++;
        if (place > v->furthest) {
            v->furthest = place;
            v->burst = 1;
        }
        if (!v->job->is_by_elements || is_last)
            v->reply->solved = v->furthest;
    }
    /* The model of the last check may be that of another question. */
    if (answer == SMT_HOLDS)
        TRY(ask(v, &answer, err));
    if (answer == SMT_HOLDS)
        TRY(take_choices(v, err));
    v->reply->answer = answer;
    return STATUS_OK;
}

static enum status work_guarded(void *context, struct error *err)
{
    struct solver *v = context;
    struct symbolic *s = &v->symbolic;

    v->frames = arena_take(&s->arena, (size_t)v->job->count + 1, sizeof *v->frames);
    v->rungs = arena_take(&s->arena, (size_t)v->job->count + 1, sizeof *v->rungs);
    for (uint32_t i = 0; i < v->job->count; i++)
        v->rungs[i] = uses(v, 4) ? RUNG_NEWEST : uses(v, 2) ? RUNG_WINDOW : RUNGS_MAX;
    TRY(symbolic_open(s, v->job->plan, v->job->rows, v->smt, err));
    TRY(go(v, err));
    v->reply->is_done = true;
    return STATUS_OK;
}

static uint32_t room_for(const struct prefixes *job)
{
    uint64_t room = (uint64_t)CHOICES_PER_TXN * job->count + CHOICES_MIN;

    return room < UINT32_MAX / 2 ? (uint32_t)room : UINT32_MAX / 2;
}

/* In the process apart, which frees all with its end. */
static enum status work(void *context, void *result, struct error *err)
{
    const struct prefixes *job = context;
    struct smt_options options = { .rlimit = job->rlimit };
    struct solver *v = calloc(1, sizeof *v);

    if (!v)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for terms");
    v->job = job;
    v->reply = result;
    v->choices_max = room_for(job);
    v->burst = 1;
    v->symbolic.mode = job->mode;
    v->symbolic.by_value = job->by_value;
    v->symbolic.uses_index = uses(v, 1);
    v->symbolic.is_by_elements = job->is_by_elements;
    TRY(arena_init(&v->symbolic.arena, ARENA_UNLIMITED, err));
    TRY(smt_open(&v->smt, SMT_TERMS, &options, err));
    return arena_guarded(&v->symbolic.arena, &v->guard, work_guarded, v, err);
}

enum status prefixes_solve(const struct prefixes *job, struct prefixes_reply **reply,
                           struct error *err)
{
    struct apart apart = {
        .library = "Z3", .work = work, .context = (void *)(uintptr_t)job, .stop = job->stop
    };
    enum status status;

    apart.size = sizeof **reply + room_for(job) * sizeof *(*reply)->choices;
    *reply = calloc(1, apart.size);
    if (!*reply)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an execution");
    TRY(smt_probe(err));
    status = apart_run(&apart, *reply, err);
    (*reply)->is_stopped = apart.is_stopped;
    return status;
}
