#include "audit/repair_private.h"

#include <string.h>

#include "audit/answer_number_private.h"
#include "audit/programs/used_columns.h"
#include "base/hash.h"
#include "base/map.h"

#define TRIES_MAX 128      /* of one transaction */
#define STEPS_MAX 400000   /* of one repair, and of its sums: runs, and transactions that are put back without one */
#define STEPS_PER_TXN 1024
#define STEPS_OF_RUN 8
#define EFFECTS_MAX 512
#define SUMS_MAX 512       /* of effects, that are tried */

/* One that was taken back, and how to put it back. */
struct undone {
    struct search_frame frame; /* its choices are in repair.choices */
    size_t glance, glance_count;
    struct row_copy *copies;
    uint32_t copy_count;
    uint64_t made; /* a hash of what it made of the rows in the cone */
};

/* What the goal would have answered if one had seen something else: so much more or less. */
struct effect {
    uint32_t place;
    size_t choice, choice_count; /* of that one, in repair.choices */
    __int128 more;
};

/* Of one goal: a transaction that has no answer that fits. */
struct repair {
    struct search *search;
    const struct repair_bounds *bounds;
    struct arena arena;
    ARRAY(struct undone) undone; /* the newest first */
    ARRAY(struct row_glance) glances;
    choice_list choices;
    struct map cone;  /* rows that the goal's answer comes from, to the columns of them */
    uint8_t *in_cone; /* by transaction: it wrote such a row, or did so in some try */
    query_set *writers, *reached;
    /* While others are put back: rows that are not what they were, to these columns, now or in any state since. */
    struct map dirty, ever_dirty;
    bool is_all_dirty;
    struct answer_number number; /* in the goal's answers: */
    struct datum answer; /* what it came to at the newest state; null: it was not run */
    struct datum base;   /* with nobody else changed */
    ARRAY(struct effect) effects;
    const struct effect *const *forced; /* who has another path while others are put back */
    unsigned forced_count;
    uint32_t goal_place;
    uint32_t oldest; /* none before this place was at work at the same time as the goal, or as one in the cone */
    uint32_t from, to; /* a transaction moves from one place of the order to another; NOBODY: none does */
};

/* What a repair may do. */
struct repair_bounds {
    uint32_t least;      /* so many in the order stay as they are */
    unsigned deviations; /* so many may have seen something else */
    bool gives_states;   /* to those that made what the answer comes from */
    bool moves;          /* them to other places */
    bool is_near;        /* only those that were at work at the same time as the goal */
    uint32_t most;       /* if so, only these, which stand before that place */
    bool adds;           /* effects of several */
    unsigned effort;     /* as a multiple of STEPS_MAX */
    uint64_t *steps;     /* that are left */
};

static enum status repair_from(struct search *, const struct repair_bounds *, bool *found, struct error *);

static bool spend(struct repair *r, uint64_t steps)
{
    *r->bounds->steps = *r->bounds->steps > steps ? *r->bounds->steps - steps : 0;
    return *r->bounds->steps > 0 && !audit_search_is_over(r->search);
}

static uint64_t key_of(const struct stored_row *row)
{
    return (uint64_t)(uintptr_t)row;
}

static uint64_t columns_in(const struct map *map, const struct stored_row *row)
{
    uint64_t columns;

    return map_find(map, key_of(row), &columns) ? columns : 0;
}

/* --- The cone ------------------------------------------------------------------------------------------ */

/* Whoever wrote these columns of the row is in the cone. */
static enum status join(struct repair *r, const struct row_glance *g, struct error *err)
{
    const struct stored_row *row = g->row;
    uint64_t more;
    size_t place;

    TRY(map_add(&r->cone, key_of(row), 0, &place, err));
    more = g->used & ~r->cone.values.at[place];
    if (more == 0)
        return STATUS_OK;
    r->cone.values.at[place] |= more;
    for (uint32_t i = row->version_count; i > 0 && row->versions[i - 1].position > 0; i--) {
        const struct row_version *v = &row->versions[i - 1];

        if (v->is_whole || (v->changes & more))
            r->in_cone[r->search->frames.at[v->position - 1].txn] = true;
    }
    for (size_t i = 0; row->touches && i < row->touches->list.count; i++)
        if (row->touches->list.at[i].changes & more)
            r->in_cone[row->touches->list.at[i].txn] = true;
    return STATUS_OK;
}

static void find_writers(struct repair *r)
{
    const struct influence *in = &r->search->plan->influence;
    uint32_t tables = r->search->plan->program->tree.schema.table_count;

    memset(r->writers, 0, in->word_count * sizeof *r->writers);
    memset(r->reached, 0, in->word_count * sizeof *r->reached);
    for (uint32_t t = 0; t < tables; t++) {
        bool is_there = false;

        for (size_t i = 0; i < r->cone.keys.count && !is_there; i++)
            is_there = ((const struct stored_row *)(uintptr_t)r->cone.keys.at[i])->table == t;
        if (is_there)
            influence_add_writers(in, t, r->writers, r->reached);
    }
}

static bool is_call(const struct search *s, uint32_t txn)
{
    const struct plan_txn *t = &s->plan->txns.at[txn];

    return t->step_count == 0 && t->logged->sqlstate.length == 0;
}

/* What one in the cone looked at, and had a say in what it wrote there, is in the cone as well. */
static enum status widen(struct repair *r, const struct undone *u, struct error *err)
{
    bool knows = is_call(r->search, u->frame.txn);

    for (size_t i = 0; i < u->glance_count; i++) {
        const struct row_glance *g = &r->glances.at[u->glance + i];
        bool writes = knows && influence_has(r->writers, g->query) && columns_in(&r->cone, g->row) != 0;

        if (!knows || writes || influence_has(r->reached, g->query))
            TRY(join(r, g, err));
    }
    return STATUS_OK;
}

/* --- Runs ---------------------------------------------------------------------------------------------- */

static void note_answer(void *context, uint32_t step, enum type_kind type, const struct request *q)
{
    struct repair *r = context;

    (void)type;
    if (step == 0)
        r->answer = answer_number_in(&r->number, &q->value);
}

/* What the run that has ended, of no use, made its answer of joins the cone. */
static enum status join_run(struct repair *r, uint32_t txn, struct error *err)
{
    struct search *s = r->search;
    const row_list *written = audit_rows_written(s->rows);
    const query_set *say = NULL;

    if (s->runner->end == RUN_WRONG && is_call(s, txn))
        say = influence_on_answer(&s->plan->influence, s->plan->txns.at[txn].function);
    for (size_t i = 0; i < written->count && s->runner->end == RUN_RIGHT; i++)
        TRY(join(r, &(struct row_glance){ written->at[i], ALL_COLUMNS, UINT32_MAX }, err));
    for (size_t i = 0; i < s->footprint.glances.count; i++)
        if (influence_has(say, s->footprint.glances.at[i].query))
            TRY(join(r, &s->footprint.glances.at[i], err));
    return STATUS_OK;
}

/* What the tries of a transaction that is given another state are for. */
struct retry {
    struct repair *repair;
    bool joins; /* what they looked at joins the cone */
    unsigned tries;
};

static enum status after_failure(void *context, uint32_t txn, bool *goes_on, struct error *err)
{
    struct retry *retry = context;
    struct repair *r = retry->repair;

    r->search->runner->listener = NULL;
    *goes_on = ++retry->tries < TRIES_MAX && spend(r, STEPS_OF_RUN);
    return retry->joins ? join_run(r, txn, err) : STATUS_OK;
}

/* Whether it has any state, also one that the helps of the search exclude, in which it gives its answers. */
static enum status try_all(struct repair *r, uint32_t txn, bool joins, bool *found, struct error *err)
{
    struct search *s = r->search;
    struct retry retry = { r, joins, 0 };
    enum status status;

    *found = false;
    if (!spend(r, STEPS_OF_RUN))
        return STATUS_OK;
    s->runner->listener = txn == s->order[r->goal_place] ? note_answer : NULL;
    s->runner->context = r;
    status = audit_search_try(s, txn, true, after_failure, &retry, found, err);
    s->runner->listener = NULL;
    return status;
}

/* --- Back ----------------------------------------------------------------------------------------------- */

/* A hash of what is pending of the rows in the cone. */
static uint64_t hash_made(const struct repair *r)
{
    const row_list *written = audit_rows_written(r->search->rows);
    uint64_t hash = 0;

    for (size_t i = 0; i < written->count; i++) {
        uint64_t used = columns_in(&r->cone, written->at[i]);

        if (used)
            hash += hash_number(audit_rows_own_hash(r->search->rows, written->at[i], used));
    }
    return hash;
}

/* The state that has the same of all others. */
static uint32_t moved(const struct repair *r, uint32_t state)
{
    return r->from == NOBODY ? state : instants_moved(state, r->from, r->to);
}

/* What choices that were made in another world had told apart need not be so here: only their states are taken. */
static enum status take_choices(struct repair *r, size_t from, size_t count, choice_list *path, struct error *err)
{
    path->count = 0;
    TRY(runner_add_choices(path, r->choices.at + from, count, err));
    for (size_t i = 0; i < count; i++) {
        path->at[i].state = moved(r, path->at[i].state);
        path->at[i].low = 0;
        path->at[i].high = UINT32_MAX;
    }
    return STATUS_OK;
}

static enum status take_path(struct repair *r, const struct undone *u, choice_list *path, struct error *err)
{
    return take_choices(r, u->frame.choice, u->frame.choice_count, path, err);
}

/* Takes back the newest one, and runs it again as it ran, to see where it looked. */
static enum status undo(struct repair *r, struct error *err)
{
    struct search *s = r->search;
    struct undone u = { .frame = s->frames.at[s->frames.count - 1], .glance = r->glances.count };
    choice_list path = { NULL, 0, 0 };
    enum status status;

    TRY(runner_add_choices(&r->choices, s->choices.at + u.frame.choice, u.frame.choice_count, err));
    u.frame.choice = r->choices.count - u.frame.choice_count;
    TRY(audit_rows_copy_newest(s->rows, &r->arena, &u.copies, &u.copy_count, err));
    TRY(audit_search_pop(s, false, err));
    if (!u.frame.is_absent) {
        s->footprint.glances.count = 0;
        TRY(take_path(r, &u, &path, err));
        s->is_loose = u.frame.is_loose;
        status = audit_search_run(s, u.frame.txn, &path, true, err);
        s->is_loose = false;
        array_close(&path);
        TRY(status);
        u.made = hash_made(r);
        u.glance_count = s->footprint.glances.count;
        TRY(array_reserve(&r->glances, u.glance_count, err));
        if (u.glance_count > 0)
            memcpy(&r->glances.at[r->glances.count], s->footprint.glances.at, u.glance_count * sizeof *r->glances.at);
        r->glances.count += u.glance_count;
        s->footprint.glances.count = 0;
        TRY(audit_rows_abandon(s->rows, err));
    }
    return array_push(&r->undone, u, err);
}

/* --- Forth ---------------------------------------------------------------------------------------------- */

/* It is as it was, without a run. */
static enum status put_back(struct repair *r, const struct undone *u, struct error *err)
{
    struct search *s = r->search;
    struct search_frame frame = u->frame;

    frame.ceiling = moved(r, frame.ceiling);
    TRY(audit_rows_rewrite(s->rows, u->copies, u->copy_count, err));
    TRY(audit_search_push(s, frame, r->choices.at + u->frame.choice, err));
    for (size_t i = s->choices.count - frame.choice_count; i < s->choices.count; i++) {
        struct choice *c = &s->choices.at[i];

        c->state = moved(r, c->state);
        c->low = moved(r, c->low);
        c->high = moved(r, c->high);
    }
    return STATUS_OK;
}

static uint64_t columns_that_differ(const struct repair *r, const struct stored_row *row,
                                    const struct datum *a, const struct datum *b)
{
    uint16_t width = r->search->plan->program->tree.schema.tables[row->table].column_count;
    uint64_t columns = 0;

    if (!a || !b)
        return a == b ? 0 : ALL_COLUMNS;
    for (uint16_t i = 0; i < width; i++)
        if (!datum_equal(&a[i], &b[i]) || a[i].scale != b[i].scale)
            columns |= used_bit(i);
    return columns;
}

static enum status set_dirty(struct repair *r, const struct stored_row *row, uint64_t columns, struct error *err)
{
    size_t place;

    if (columns == 0 && columns_in(&r->dirty, row) == 0)
        return STATUS_OK;
    TRY(map_add(&r->dirty, key_of(row), 0, &place, err));
    r->dirty.values.at[place] = columns;
    TRY(map_add(&r->ever_dirty, key_of(row), 0, &place, err));
    r->ever_dirty.values.at[place] |= columns;
    return STATUS_OK;
}

/* The newest one stands where that one stood: which rows it has left otherwise. */
static enum status note_dirty(struct repair *r, const struct undone *was, struct error *err)
{
    struct search *s = r->search;
    uint32_t position = audit_rows_position(s->rows), count;
    struct stored_row *const *rows = audit_rows_of_newest(s->rows, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;

        while (k < was->copy_count && was->copies[k].row != rows[i])
            k++;
        if (k == was->copy_count)
            TRY(set_dirty(r, rows[i], ALL_COLUMNS, err));
    }
    for (uint32_t i = 0; i < was->copy_count; i++) {
        const struct stored_row *row = was->copies[i].row;
        const struct row_version *v = audit_rows_visible(row, STATE_NEWEST);
        bool is_written = v && v->position == position;

        TRY(set_dirty(r, row, is_written ? columns_that_differ(r, row, v->cells, was->copies[i].cells) : ALL_COLUMNS,
                      err));
    }
    return STATUS_OK;
}

static void begin_replay(struct repair *r)
{
    map_clear(&r->dirty);
    map_clear(&r->ever_dirty);
    r->is_all_dirty = false;
}

static bool is_affected(const struct repair *r, const struct undone *u)
{
    if (r->is_all_dirty)
        return true;
    for (size_t i = 0; i < u->glance_count; i++) {
        const struct row_glance *g = &r->glances.at[u->glance + i];

        if (columns_in(&r->ever_dirty, g->row) & g->used)
            return true;
    }
    for (uint32_t i = 0; i < u->copy_count; i++)
        if (u->copies[i].changes != ALL_COLUMNS && columns_in(&r->dirty, u->copies[i].row))
            return true;
    return false;
}

/* Puts one back into a world that has changed: as it ran, or else in any way that gives its answers. */
static enum status redo(struct repair *r, const struct undone *u, const struct repair_bounds *rest, bool *found,
                        struct error *err)
{
    struct search *s = r->search;
    uint32_t txn = u->frame.txn;
    choice_list path = { NULL, 0, 0 };
    const struct effect *forced = NULL;
    enum status status;

    *found = true;
    for (unsigned i = 0; i < r->forced_count; i++)
        forced = r->forced[i]->place == s->frames.count ? r->forced[i] : forced;
    if (!forced && (u->frame.is_absent || !is_affected(r, u))) {
        spend(r, 1);
        return put_back(r, u, err);
    }
    spend(r, STEPS_OF_RUN);
    status = forced ? take_choices(r, forced->choice, forced->choice_count, &path, err) : take_path(r, u, &path, err);
    if (status == STATUS_OK)
        status = audit_search_retrace(s, txn, &path, u->frame.is_loose || forced, found, err);
    array_close(&path);
    TRY(status);
    if (*found)
        return note_dirty(r, u, err);
    TRY(try_all(r, txn, false, found, err));
    if (!*found && rest->deviations > 0 && spend(r, 1)) {
        TRY(repair_from(s, rest, found, err));
        r->is_all_dirty = true;
    }
    return *found ? note_dirty(r, u, err) : STATUS_OK;
}

/* One of those that are undone has done something else: all behind it are put back, and the goal. */
static enum status replay(struct repair *r, size_t candidate, bool *found, struct error *err)
{
    struct search *s = r->search;
    struct repair_bounds rest = *r->bounds;

    rest.least = (uint32_t)s->frames.count;
    rest.deviations--;
    rest.adds = false;
    rest.moves = false; /* those that are put back stand in the order as it is */
    begin_replay(r);
    TRY(note_dirty(r, &r->undone.at[candidate], err));
    *found = true;
    for (size_t i = candidate; i > 0 && *found; i--)
        TRY(redo(r, &r->undone.at[i - 1], &rest, found, err));
    if (!*found)
        return STATUS_OK;
    TRY(try_all(r, s->order[s->frames.count], false, found, err));
    if (!*found && rest.deviations > 0 && spend(r, 1))
        return repair_from(s, &rest, found, err);
    return STATUS_OK;
}

/* Takes back what replay() has put back, and the one that did something else. */
static enum status fall_back(struct repair *r, size_t place, struct error *err)
{
    while (r->search->frames.count > place)
        TRY(audit_search_pop(r->search, true, err));
    return STATUS_OK;
}

static enum status note_effect(struct repair *r, size_t place, const choice_list *path, struct error *err)
{
    struct effect effect = { (uint32_t)place, r->choices.count, path->count, 0 };

    if (!answer_number_compare(&r->answer, &r->base, &effect.more) || r->effects.count == EFFECTS_MAX)
        return STATUS_OK;
    for (size_t i = 0; i < r->effects.count; i++)
        if (r->effects.at[i].place == place && r->effects.at[i].more == effect.more)
            return STATUS_OK;
    if (effect.more == 0)
        return STATUS_OK;
    TRY(runner_add_choices(&r->choices, path->at, path->count, err));
    return array_push(&r->effects, effect, err);
}

/* The newest of those undone is committed, and is not what it was: all behind it are put back. */
static enum status go_on_from(struct repair *r, bool *found, struct error *err)
{
    size_t candidate = r->undone.count - 1, place = r->search->frames.count - 1;

    r->answer = datum_null();
    TRY(replay(r, candidate, found, err));
    return *found ? STATUS_OK : fall_back(r, place, err);
}

/* Each other state that makes something else of the rows in the cone. */
static enum status try_states(struct repair *r, const struct undone *u, bool *found, struct error *err)
{
    struct search *s = r->search;
    size_t place = s->frames.count;
    struct run_window window = search_window(s, u->frame.txn);
    ARRAY(uint64_t) tried = { NULL, 0, 0 };
    choice_list path = { NULL, 0, 0 };
    bool more = window.floor <= window.ceiling;
    enum status status = u->frame.is_absent ? STATUS_OK : array_push(&tried, u->made, err);

    for (unsigned i = 0; more && i < TRIES_MAX && !*found && status == STATUS_OK && spend(r, STEPS_OF_RUN); i++) {
        bool is_new = true;
        uint64_t made;

        s->is_loose = true;
        status = audit_search_run(s, u->frame.txn, &path, true, err);
        s->footprint.glances.count = 0;
        if (status == STATUS_OK)
            status = runner_keep_choices(s->runner, &path, err);
        if (status != STATUS_OK)
            break;
        made = hash_made(r);
        for (size_t k = 0; k < tried.count && is_new; k++)
            is_new = tried.at[k] != made;
        if (!is_new || !audit_search_fits(s, u->frame.txn)) {
            status = audit_rows_drop(s->rows, u->frame.txn, err);
        } else {
            status = array_push(&tried, made, err);
            if (status == STATUS_OK)
                status = audit_search_commit(s, u->frame.txn, err);
            s->is_loose = false;
            if (status == STATUS_OK)
                status = go_on_from(r, found, err);
            if (status == STATUS_OK && !*found && r->bounds->adds)
                status = note_effect(r, place, &path, err);
        }
        more = search_advance(s->mode, &path, window.floor);
    }
    array_close(&tried);
    array_close(&path);
    return status;
}

/* Tries all that the newest of those undone may have done instead. */
static enum status try_others(struct repair *r, bool *found, struct error *err)
{
    struct search *s = r->search;
    const struct undone u = r->undone.at[r->undone.count - 1];
    enum status status;

    s->is_loose = true;
    status = try_states(r, &u, found, err);
    s->is_loose = false;
    if (status != STATUS_OK || *found || !s->plan->txns.at[u.frame.txn].is_unknown || u.frame.is_absent)
        return status;
    TRY(audit_search_commit_absent(s, u.frame.txn, err));
    return go_on_from(r, found, err);
}

/* --- Moves ------------------------------------------------------------------------------------------------ */

/* Whether the second was invoked when the first was done. */
static bool comes_later(const struct repair *r, uint32_t first, uint32_t second)
{
    const struct plan *plan = r->search->plan;
    int64_t session = plan->txns.at[first].logged->session;

    return audit_plan_is_before(plan, first, second) ||
           (session >= 0 && second > first && session == plan->txns.at[second].logged->session);
}

/* Where places are a hint, and the clients were at work at the same time, one may stand further behind. */
static bool may_move(const struct repair *r, const struct undone *u)
{
    const struct search *s = r->search;

    return r->bounds->moves && !s->is_strict && s->deferrals.count == 0 && s->instants &&
           !audit_plan_has_ts(s->plan, u->frame.txn) && !u->frame.is_absent && u->copy_count > 0 &&
           s->frames.count >= r->oldest &&
           (!r->bounds->is_near || (s->frames.count < r->bounds->most &&
                                    !comes_later(r, u->frame.txn, s->order[r->goal_place])));
}

/* The one that moves stands here now, and does what it did. */
static enum status settle_down(struct repair *r, const struct undone *u, bool *found, struct error *err)
{
    choice_list path = { NULL, 0, 0 };
    enum status status = take_path(r, u, &path, err);

    if (status == STATUS_OK)
        status = audit_search_retrace(r->search, u->frame.txn, &path, true, found, err);
    array_close(&path);
    return *found && status == STATUS_OK ? note_dirty(r, u, err) : status;
}

static bool did_the_same(const struct repair *r, const struct undone *u)
{
    for (uint32_t i = 0; i < u->copy_count; i++)
        if (columns_in(&r->dirty, u->copies[i].row))
            return false;
    return true;
}

/*
 * The others are put back without the candidate until one would answer or write something else: it is put before that
 * one. If nobody does, it is to be put behind the goal.
 */
static enum status replay_without(struct repair *r, size_t candidate, bool *found, struct error *err)
{
    struct search *s = r->search;
    const struct undone *u = &r->undone.at[candidate];
    struct repair_bounds rest = *r->bounds;

    rest.deviations = 0;
    r->to = r->goal_place;
    begin_replay(r);
    for (uint32_t i = 0; i < u->copy_count; i++)
        TRY(set_dirty(r, u->copies[i].row, ALL_COLUMNS, err));
    *found = true;
    for (size_t i = candidate; i > 0 && *found; i--) {
        const struct undone *other = &r->undone.at[i - 1];
        bool moves = r->to == r->goal_place, is_late = moves && comes_later(r, u->frame.txn, other->frame.txn);
        bool notices = moves && (is_late || is_affected(r, other));

        if (!is_late)
            TRY(redo(r, other, &rest, found, err));
        if (!notices || (!is_late && *found && did_the_same(r, other)))
            continue;
        if (*found && !is_late)
            TRY(audit_search_pop(s, true, err));
        r->to = (uint32_t)s->frames.count;
        *found = r->to != r->from;
        if (*found)
            TRY(settle_down(r, u, found, err));
        if (*found)
            TRY(redo(r, other, &rest, found, err));
    }
    return STATUS_OK;
}

/* In the order, and back again. */
static void move(struct search *s, uint32_t from, uint32_t to)
{
    uint32_t txn = s->order[from];

    if (from < to)
        memmove(&s->order[from], &s->order[from + 1], (to - from) * sizeof *s->order);
    else
        memmove(&s->order[to + 1], &s->order[to], (from - to) * sizeof *s->order);
    s->order[to] = txn;
}

/* The candidate stands elsewhere, and the goal is next. */
static enum status reach_goal(struct repair *r, size_t candidate, bool *found, struct error *err)
{
    struct search *s = r->search;
    struct instants instants = *s->instants;
    struct repair_bounds rest = *r->bounds;
    enum status status;
    bool is_settled;

    rest.deviations--;
    rest.gives_states = false;
    rest.is_near = true;
    rest.most = r->from;
    move(s, r->from, r->to);
    TRY(audit_instants_copy(s->instants, s->plan->txns.count, err));
    audit_instants_move(s->instants, s->plan->txns.count, r->from, r->to);
    status = repair_from(s, &rest, found, err);
    if (*found) {
        audit_instants_close(&instants);
    } else {
        audit_instants_close(s->instants);
        *s->instants = instants;
        move(s, r->to, r->from);
    }
    /* If it cannot do there what it did, it comes next. */
    if (status == STATUS_OK && *found && s->order[s->frames.count] == r->undone.at[candidate].frame.txn)
        return settle_down(r, &r->undone.at[candidate], &is_settled, err);
    return status;
}

static enum status try_moves(struct repair *r, bool *found, struct error *err)
{
    size_t candidate = r->undone.count - 1, place = r->search->frames.count;

    if (!may_move(r, &r->undone.at[candidate]) || !spend(r, STEPS_OF_RUN))
        return STATUS_OK;
    r->from = (uint32_t)place;
    TRY(replay_without(r, candidate, found, err));
    if (*found)
        TRY(reach_goal(r, candidate, found, err));
    if (!*found)
        TRY(fall_back(r, place, err));
    r->from = NOBODY;
    return STATUS_OK;
}

/* --- Sums ------------------------------------------------------------------------------------------------- */

/* All are put back, some of them on another path. */
static enum status try_sum(struct repair *r, const struct effect *const *effects, unsigned count, bool *found,
                           struct error *err)
{
    struct search *s = r->search;
    size_t place = s->frames.count;
    struct repair_bounds rest = *r->bounds;

    rest.deviations = 0;
    begin_replay(r);
    r->forced = effects;
    r->forced_count = count;
    *found = true;
    for (size_t i = r->undone.count; i > 0 && *found; i--)
        TRY(redo(r, &r->undone.at[i - 1], &rest, found, err));
    r->forced_count = 0;
    if (*found)
        TRY(try_all(r, s->order[s->frames.count], false, found, err));
    return *found ? STATUS_OK : fall_back(r, place, err);
}

/* Amounts add up, whoever saw what: two or three effects whose sum is what the answer lacks are tried together. */
static enum status try_sums(struct repair *r, bool *found, struct error *err)
{
    struct datum wanted = answer_number_wanted(&r->number);
    unsigned tries = 0;
    __int128 lack;

    if (!answer_number_compare(&wanted, &r->base, &lack))
        return STATUS_OK;
    /* What has found the effects may have taken all steps. */
    *r->bounds->steps += STEPS_MAX;
    for (unsigned count = 2; count <= 3; count++)
        for (size_t i = 0; i < r->effects.count; i++)
            for (size_t j = i + 1; j < r->effects.count; j++)
                for (size_t k = count == 3 ? j + 1 : j; k < (count == 3 ? r->effects.count : j + 1); k++) {
                    const struct effect *e[] = { &r->effects.at[i], &r->effects.at[j], &r->effects.at[k] };

                    if (e[0]->more + e[1]->more + (count == 3 ? e[2]->more : 0) != lack ||
                        e[0]->place == e[1]->place || (count == 3 && e[1]->place == e[2]->place))
                        continue;
                    if (tries++ == SUMS_MAX || !spend(r, STEPS_OF_RUN))
                        return STATUS_OK;
                    TRY(try_sum(r, e, count, found, err));
                    if (*found)
                        return STATUS_OK;
                }
    return STATUS_OK;
}

/* --- The repair ----------------------------------------------------------------------------------------- */

static enum status go(struct repair *r, bool *found, struct error *err)
{
    struct search *s = r->search;
    const struct repair_bounds *b = r->bounds;

    TRY(try_all(r, s->order[s->frames.count], true, found, err));
    r->base = r->answer;
    while (!*found && b->deviations > 0 && s->frames.count > (b->is_near ? r->oldest : b->least) &&
           spend(r, STEPS_OF_RUN)) {
        const struct undone *u;

        TRY(undo(r, err));
        u = &r->undone.at[r->undone.count - 1];
        if (!r->in_cone[u->frame.txn])
            continue;
        find_writers(r);
        if (b->gives_states)
            TRY(try_others(r, found, err));
        if (!*found)
            TRY(try_moves(r, found, err));
        if (*found)
            break;
        u = &r->undone.at[r->undone.count - 1];
        if (!b->is_near && s->instants && s->instants->surely[u->frame.txn] < r->oldest)
            r->oldest = s->instants->surely[u->frame.txn];
        TRY(widen(r, u, err));
    }
    if (!*found && b->adds)
        TRY(try_sums(r, found, err));
    for (size_t i = r->undone.count; i > 0 && !*found; i--)
        TRY(put_back(r, &r->undone.at[i - 1], err));
    return STATUS_OK;
}

static enum status repair_from(struct search *s, const struct repair_bounds *bounds, bool *found, struct error *err)
{
    struct repair r = { .search = s,
                        .bounds = bounds,
                        .goal_place = (uint32_t)s->frames.count,
                        .from = NOBODY,
                        .number = answer_number_of(s->plan, s->order[s->frames.count], &s->runner->arguments),
                        .answer = datum_null(),
                        .base = datum_null(),
                        .oldest = s->instants ? s->instants->surely[s->order[s->frames.count]] : 0 };
    size_t words = s->plan->influence.word_count;
    enum status status = arena_init(&r.arena, ARENA_UNLIMITED, err);

    *found = false;
    r.in_cone = calloc(s->plan->txns.count + 1, 1);
    r.writers = calloc(words, sizeof *r.writers);
    r.reached = calloc(words, sizeof *r.reached);
    if (!r.in_cone || !r.writers || !r.reached)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a repair");
    if (status == STATUS_OK)
        status = go(&r, found, err);
    array_close(&r.undone);
    array_close(&r.glances);
    array_close(&r.choices);
    array_close(&r.effects);
    map_close(&r.cone);
    map_close(&r.dirty);
    map_close(&r.ever_dirty);
    free(r.in_cone);
    free(r.writers);
    free(r.reached);
    arena_close(&r.arena);
    return status;
}

/* From the most likely on, those that take least time. */
static const struct repair_bounds rounds[] = {
    { .deviations = 0, .effort = 1 },
    { .deviations = 1, .gives_states = true, .adds = true, .effort = 4 },
    { .deviations = 2, .moves = true, .effort = 1 },
    { .deviations = 2, .gives_states = true, .effort = 1 },
};

enum status audit_repair(struct search *s, bool *found, struct error *err)
{
    uint64_t most = STEPS_PER_TXN * (uint64_t)s->count;

    *found = false;
    for (size_t i = 0; i < ROW_COUNT(rounds) && !*found && !audit_search_is_over(s); i++) {
        uint64_t steps = rounds[i].effort * (most < STEPS_MAX ? most : STEPS_MAX);
        struct repair_bounds bounds = rounds[i];

        bounds.steps = &steps;
        TRY(repair_from(s, &bounds, found, err));
    }
    return STATUS_OK;
}
