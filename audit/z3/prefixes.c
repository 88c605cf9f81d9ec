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

/* H3: a term, and the one value that it has as far as is known. */
struct guess {
    term term;
    int64_t value;
};

struct solver {
    const struct by_z3 *job;
    struct prefixes_reply *reply;
    struct smt *smt;
    struct symbolic symbolic;
    struct arena_guard guard;
    struct prefix_frame *frames;
    uint8_t *rungs;
    uint32_t furthest, burst;
    ARRAY(struct guess) guesses;
};

static bool is_by_elements(const struct solver *v)
{
    return v->job->options->z3.is_by_elements;
}

static bool uses(const struct solver *v, int heuristic)
{
    return (v->job->options->z3.heuristics >> (heuristic - 1) & 1) &&
           (heuristic == 1 || !is_by_elements(v));
}

static enum status ask(struct solver *v, enum smt_answer *answer, struct error *err)
{
    v->reply->result.checks++;
    return smt_check(v->smt, answer, err);
}

/* --- Which states are tried ------------------------------------------------------------------------------- */

static struct run_window narrow(const struct solver *v, uint32_t place)
{
    struct run_window w = by_z3_window(v->job, place);
    uint32_t rung = v->rungs[place], states = w.ceiling - w.floor;

    if (rung == RUNG_NEWEST && uses(v, 4))
        states = 0;
    else if (rung > RUNG_NEWEST && rung < RUNGS_MAX && uses(v, 2))
        states = (uint32_t)WINDOW_STATES << (rung - RUNG_WINDOW);
    if (w.ceiling - w.floor > states)
        w.floor = w.ceiling - states;
    return w;
}

static bool may_see_more(const struct solver *v, uint32_t place)
{
    return narrow(v, place).floor > by_z3_window(v->job, place).floor;
}

/* The last of those up to this place that may see more do; `place` becomes the first of them. False: none may. */
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

/* It has this value in the model at hand. */
static enum status guess(struct solver *v, term a, struct error *err)
{
    struct guess guess = { .term = a };

    if (terms_is_constant(&v->symbolic.terms, a) || terms_now(&v->symbolic.terms, a) != a)
        return STATUS_OK;
    for (size_t i = 0; i < v->guesses.count; i++)
        if (v->guesses.at[i].term == a)
            return STATUS_OK;
    TRY(terms_evaluate(&v->symbolic.terms, a, &guess.value, err));
    return array_push(&v->guesses, guess, err);
}

/* What the rows have in them that the last transaction has seen. */
static enum status guess_rows(struct solver *v, struct error *err)
{
    struct symbolic *s = &v->symbolic;

    v->guesses.count = 0;
    for (size_t i = 0; i < s->seen.count; i++) {
        const struct sym_row *row = &s->rows.at[s->seen.at[i]];
        uint16_t width = s->tree->schema.tables[row->table].column_count;

        for (size_t k = 0; k < row->versions.count; k++) {
            const struct sym_version *version = &row->versions.at[k];

            TRY(guess(v, version->written, err));
            TRY(guess(v, version->view.exists, err));
            for (uint16_t c = 0; c < width && version->view.cells; c++) {
                TRY(guess(v, version->view.cells[c].value, err));
                TRY(guess(v, version->view.cells[c].null, err));
            }
        }
    }
    return STATUS_OK;
}

/* Whether Z3 finds another value for one of these; those of which it does are left out. */
static enum status find_others(struct solver *v, struct guess *guesses, uint32_t *count,
                               enum smt_answer *answer, struct error *err)
{
    struct terms *t = &v->symbolic.terms;
    term all = TERM_TRUE;
    uint32_t left = 0;

    for (uint32_t i = 0; i < *count; i++)
        all = terms_and(
            t, all,
            terms_equal(t, guesses[i].term, terms_constant(t, guesses[i].term, guesses[i].value)));
    TRY(smt_push(v->smt, err));
    TRY(terms_assert(t, terms_not(t, all), err));
    TRY(ask(v, answer, err));
    for (uint32_t i = 0; i < *count && *answer == SMT_HOLDS; i++) {
        int64_t other = 0;

        TRY(terms_evaluate(t, guesses[i].term, &other, err));
        if (other == guesses[i].value)
            guesses[left++] = guesses[i];
    }
    if (*answer == SMT_HOLDS)
        *count = left;
    return smt_pop(v->smt, 1, err);
}

/* Halves of those of which one has another value are tried again. */
static enum status confirm(struct solver *v, struct guess *guesses, uint32_t count,
                           struct error *err)
{
    enum smt_answer answer = SMT_UNDECIDED;
    uint32_t left = count;

    if (count == 0)
        return STATUS_OK;
    TRY(find_others(v, guesses, &left, &answer, err));
    for (uint32_t i = 0; i < count && answer == SMT_IMPOSSIBLE; i++)
        TRY(terms_find(&v->symbolic.terms, guesses[i].term, guesses[i].value, err));
    if (answer != SMT_HOLDS)
        return STATUS_OK;
    TRY(confirm(v, guesses, left / 2, err));
    return confirm(v, guesses + left / 2, left - left / 2, err);
}

/* --- The execution ---------------------------------------------------------------------------------------- */

static uint32_t room_for(const struct by_z3 *job)
{
    uint64_t room = (uint64_t)CHOICES_PER_TXN * job->count + CHOICES_MIN;

    return room < UINT32_MAX / 2 ? (uint32_t)room : UINT32_MAX / 2;
}

/* Of the model at hand. */
static enum status take_choices(struct solver *v, struct error *err)
{
    struct symbolic *s = &v->symbolic;
    struct prefixes_reply *r = v->reply;

    for (size_t i = 0; i < s->events.count; i++) {
        const struct sym_event *e = &s->events.at[i];
        int64_t is_there = 0, statement = 0, state = 0;

        TRY(terms_evaluate(&s->terms, e->guard, &is_there, err));
        if (!is_there)
            continue;
        if (r->choice_count == room_for(v->job)) {
            snprintf(r->reason, sizeof r->reason,
                     "the engine z3 has no room for so many statements; --engine native has");
            return STATUS_OK;
        }
        TRY(terms_evaluate(&s->terms, e->statement, &statement, err));
        TRY(terms_evaluate(&s->terms, e->state, &state, err));
        r->choices[r->choice_count++] =
            (struct prefix_choice){ e->txn, (uint32_t)statement, e->row, (uint32_t)state };
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

/* The answer to all of them, unless there is a reason. */
static enum status go(struct solver *v, enum smt_answer *answer, struct error *err)
{
    struct symbolic *s = &v->symbolic;

    *answer = SMT_HOLDS;
    for (uint32_t place = 0; place < v->job->count;) {
        uint64_t asserted = s->terms.asserted;
        bool is_last = place + 1 == v->job->count;

        TRY(run_one(v, place, err));
        if (s->is_stuck) {
            snprintf(v->reply->reason, sizeof v->reply->reason, "%s", s->reason);
            return STATUS_OK;
        }
        *answer = SMT_HOLDS;
        if (is_by_elements(v) ? is_last : s->terms.asserted != asserted)
            TRY(ask(v, answer, err));
        if (*answer == SMT_UNDECIDED)
            return STATUS_OK;
        if (*answer == SMT_IMPOSSIBLE) {
            uint32_t first = place;

            if (!raise_rungs(v, &first))
                return STATUS_OK;
            TRY(go_back(v, place, first, err));
            v->burst *= 2;
            place = first;
            continue;
        }
        if (uses(v, 3) && s->terms.asserted != asserted) {
            TRY(guess_rows(v, err));
            TRY(confirm(v, v->guesses.at, (uint32_t)v->guesses.count, err));
        }
        place++;
        if (place > v->furthest) {
            v->furthest = place;
            v->burst = 1;
        }
        if (!is_by_elements(v) || is_last)
            v->reply->result.solved = v->furthest;
    }
    /* The model of the last check may be that of another question. */
    TRY(ask(v, answer, err));
    return *answer == SMT_HOLDS ? take_choices(v, err) : STATUS_OK;
}

static enum status work_guarded(void *context, struct error *err)
{
    struct solver *v = context;
    struct symbolic *s = &v->symbolic;
    enum smt_answer answer;

    v->frames = arena_take(&s->arena, (size_t)v->job->count + 1, sizeof *v->frames);
    v->rungs = arena_take(&s->arena, (size_t)v->job->count + 1, sizeof *v->rungs);
    for (uint32_t i = 0; i < v->job->count; i++)
        v->rungs[i] = uses(v, 4) ? RUNG_NEWEST : uses(v, 2) ? RUNG_WINDOW : RUNGS_MAX;
    TRY(symbolic_open(s, v->job->plan, v->job->rows, v->smt, err));
    TRY(go(v, &answer, err));
    if (!v->reply->reason[0] && answer != SMT_UNDECIDED)
        v->reply->result.answer = answer == SMT_HOLDS ? AUDIT_Z3_HOLDS : AUDIT_Z3_IMPOSSIBLE;
    return STATUS_OK;
}

/* In the process apart, which frees all with its end. */
static enum status work(void *context, void *result, struct error *err)
{
    const struct by_z3 *job = context;
    const struct audit_z3_options *z3 = &job->options->z3;
    struct smt_options options = { .rlimit = z3->rlimit > 0 ? z3->rlimit : AUDIT_Z3_RLIMIT };
    struct solver *v = calloc(1, sizeof *v);

    if (!v)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for terms");
    v->job = job;
    v->reply = result;
    v->reply->result.answer = AUDIT_Z3_UNDECIDED;
    v->burst = 1;
    v->symbolic.mode = job->job.mode;
    v->symbolic.by_value = job->job.by_value;
    v->symbolic.uses_index = uses(v, 1);
    v->symbolic.is_by_elements = z3->is_by_elements;
    TRY(arena_init(&v->symbolic.arena, ARENA_UNLIMITED, err));
    TRY(smt_open(&v->smt, SMT_TERMS, &options, err));
    return arena_guarded(&v->symbolic.arena, &v->guard, work_guarded, v, err);
}

enum status prefixes_solve(const struct by_z3 *job, struct prefixes_reply **reply,
                           struct error *err)
{
    struct apart apart = { .library = "Z3",
                           .work = work,
                           .context = (void *)(uintptr_t)job,
                           .size = sizeof **reply + room_for(job) * sizeof *(*reply)->choices,
                           .stop = job->options->stop };
    enum status status;

    *reply = calloc(1, apart.size);
    if (!*reply)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an execution");
    TRY(smt_probe(err));
    status = apart_run(&apart, *reply, err);
    (*reply)->is_stopped = apart.is_stopped;
    return status;
}
