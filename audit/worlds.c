#include "audit/worlds_private.h"

#include <assert.h>

#include "base/bisect.h"

enum status worlds_open(struct worlds *w, const struct plan *plan, struct rows *rows,
                        enum world_sight sight, struct error *err)
{
    *w = (struct worlds){ .plan = plan, .rows = rows, .sight = sight, .outcomes_max = WORLDS_OUTCOMES_MAX };
    return array_push(&w->place_of, 0, err);
}

void worlds_close(struct worlds *w)
{
    array_close(&w->places);
    array_close(&w->place_of);
    array_close(&w->fixed);
    array_close(&w->always);
    row_contents_close(&w->contents);
    array_close(&w->path);
    array_close(&w->forks);
    array_close(&w->narrowed);
    array_close(&w->excluded);
    array_close(&w->met);
    array_close(&w->met_at);
}

/* --- Places ----------------------------------------------------------------------------------------- */

static uint64_t whole_mask(uint32_t count)
{
    return count >= WORLDS_OUTCOMES_MAX ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static struct world_place *place_at(const struct worlds *w, uint32_t place)
{
    return &w->places.at[place - 1];
}

static bool is_split(const struct worlds *w, uint32_t place)
{
    return place > 0 && place_at(w, place)->is_split;
}

static bool forks_at(const struct worlds *w, uint32_t place)
{
    return place > 0 && (place_at(w, place)->count > 1 || place_at(w, place)->is_split);
}

static bool is_open(const struct worlds *w, uint32_t place)
{
    return place > 0 && place_at(w, place)->is_open;
}

/* The position at which all of the place's outcomes are committed. */
static uint32_t end_of(const struct worlds *w, uint32_t place)
{
    return place > 0 ? place_at(w, place)->first + place_at(w, place)->count - 1 : 0;
}

enum status worlds_begin_place(struct worlds *w, uint32_t txn, struct error *err)
{
    struct world_place p = { .txn = txn, .first = audit_rows_position(w->rows) + 1,
                             .fixed = w->fixed.count, .always = w->always.count };

    assert(w->place_of.count == p.first);
    TRY(array_push(&w->met_at, 0, err));
    return array_push(&w->places, p, err);
}

/* Versions up to and with a position. */
static uint32_t count_versions(const struct stored_row *row, uint32_t position)
{
    const struct row_version *v = audit_rows_visible(row, position);

    return v ? (uint32_t)(v - row->versions) + 1 : 0;
}

/* The first version of those of a place, whose last one is number `count`. */
static uint32_t first_of_place(const struct worlds *w, const struct stored_row *row,
                               uint32_t count, uint32_t place)
{
    while (count > 0 && w->place_of.at[row->versions[count - 1].position] == place)
        count--;
    return count;
}

/* What was committed at just this position; false: the row was not written there. */
static bool version_at(const struct stored_row *row, uint32_t position, const struct datum **cells)
{
    const struct row_version *v = audit_rows_visible(row, position);

    if (!v || v->position != position)
        return false;
    *cells = v->cells;
    return true;
}

static bool is_outcome(const struct worlds *w, uint32_t position)
{
    const row_list *written = audit_rows_written(w->rows);
    const struct datum *cells = NULL;

    if (audit_rows_written_at(w->rows, position) != written->count)
        return false;
    for (size_t i = 0; i < written->count; i++) {
        const struct stored_row *row = written->at[i];

        if (!version_at(row, position, &cells) ||
            !audit_rows_equal(w->rows, row->table, row->own, cells))
            return false;
    }
    return true;
}

/* Whether a version of those of the place holds what is pending in the row. */
static bool has_content(const struct worlds *w, uint32_t place, const struct stored_row *row)
{
    for (uint32_t i = count_versions(row, end_of(w, place)); i > 0; i--) {
        if (w->place_of.at[row->versions[i - 1].position] != place)
            return false;
        if (audit_rows_equal(w->rows, row->table, row->own, row->versions[i - 1].cells))
            return true;
    }
    return false;
}

static bool has_contents(const struct worlds *w, uint32_t place)
{
    const struct world_place *p = place_at(w, place);
    const row_list *written = audit_rows_written(w->rows);

    for (size_t i = 0; i < written->count; i++)
        if (!has_content(w, place, written->at[i]))
            return false;
    for (uint32_t i = 0; i < p->always_count; i++)
        if (!w->always.at[p->always + i]->has_own)
            return false;
    return true;
}

bool worlds_has_outcome(const struct worlds *w, uint32_t place)
{
    const struct world_place *p = place_at(w, place);

    if (p->is_split)
        return has_contents(w, place);
    for (uint32_t i = 0; i < p->count; i++)
        if (is_outcome(w, p->first + i))
            return true;
    return false;
}

/* What is pending in each row becomes one of its contents. */
static enum status add_contents(struct worlds *w, uint32_t place, struct error *err)
{
    const row_list *written = audit_rows_written(w->rows);

    for (size_t i = written->count; i > 0; i--) {
        const struct stored_row *row = written->at[i - 1];
        uint32_t count = row->version_count;

        if (has_content(w, place, row))
            continue;
        if (count - first_of_place(w, row, count, place) == WORLDS_CONTENTS_MAX) {
            place_at(w, place)->is_overfull = true;
            continue;
        }
        place_at(w, place)->count++;
        TRY(array_push(&w->place_of, place, err));
        TRY(audit_rows_commit_one(w->rows, i - 1, err));
    }
    return audit_rows_abandon(w->rows, err);
}

enum status worlds_add_outcome(struct worlds *w, struct error *err)
{
    uint32_t place = (uint32_t)w->places.count;
    struct world_place *p = place_at(w, place);

    if (!p->is_split && worlds_has_outcome(w, place))
        return audit_rows_abandon(w->rows, err);
    p->is_split |= p->count == w->outcomes_max;
    if (p->is_split)
        return add_contents(w, place, err);
    p->count++;
    TRY(array_push(&w->place_of, place, err));
    return audit_rows_commit(w->rows, err);
}

void worlds_split_place(struct worlds *w)
{
    place_at(w, (uint32_t)w->places.count)->is_split = true;
}

enum status worlds_add_always(struct worlds *w, const struct stored_row *row, struct error *err)
{
    place_at(w, (uint32_t)w->places.count)->always_count++;
    return array_push(&w->always, row, err);
}

enum status worlds_add_fixed(struct worlds *w, const struct stored_row *row, struct error *err)
{
    place_at(w, (uint32_t)w->places.count)->fixed_count++;
    return array_push(&w->fixed, row, err);
}

void worlds_end_place(struct worlds *w)
{
    struct world_place *p = place_at(w, (uint32_t)w->places.count);

    p->mask = p->possible = p->is_split ? 0 : whole_mask(p->count);
    if (p->count > 1 || p->is_split)
        audit_rows_mark(w->rows, p->first, p->first + p->count, false);
}

void worlds_open_place(struct worlds *w, uint32_t place)
{
    struct world_place *p = place_at(w, place);

    assert(p->count > 0);
    p->is_open = true;
    audit_rows_mark(w->rows, p->first, p->first + p->count, true);
}

/* --- Runs --------------------------------------------------------------------------------------------- */

void worlds_forget_met(struct worlds *w)
{
    w->met.count = 0;
    w->met_now++;
}

static enum status meet_place(struct worlds *w, uint32_t place, struct error *err)
{
    if (place == 0 || w->met_at.at[place - 1] == w->met_now)
        return STATUS_OK;
    w->met_at.at[place - 1] = w->met_now;
    return array_push(&w->met, place, err);
}

void worlds_begin_runs(struct worlds *w)
{
    w->path.count = 0;
    w->excluded.count = 0;
    w->kept = 0;
    row_contents_forget(&w->contents);
}

void worlds_begin_run(struct worlds *w)
{
    for (size_t i = 0; i < w->narrowed.count; i++) {
        struct world_place *p = place_at(w, w->narrowed.at[i]);

        p->mask = p->possible;
    }
    w->narrowed.count = 0;
    w->forks.count = w->taken = 0;
    w->met_open = false;
    row_contents_begin_run(&w->contents);
}

/* The outcome of a place that writes nothing, as a bit; 0: it has none. */
static uint64_t empty_outcome(const struct worlds *w, uint32_t place)
{
    const struct world_place *p = place_at(w, place);

    for (uint32_t i = 0; i < p->count; i++)
        if (audit_rows_written_at(w->rows, p->first + i) == 0)
            return UINT64_C(1) << i;
    return 0;
}

enum status worlds_assume_empty(struct worlds *w, uint32_t place, struct error *err)
{
    place_at(w, place)->mask = empty_outcome(w, place);
    return array_push(&w->narrowed, place, err);
}

bool worlds_exclude_empty(struct worlds *w, uint32_t place)
{
    uint64_t left = place_at(w, place)->possible & ~empty_outcome(w, place);

    worlds_begin_run(w);
    if (left)
        place_at(w, place)->mask = place_at(w, place)->possible = left;
    return left != 0;
}

enum status worlds_keep_run(struct worlds *w, struct error *err)
{
    w->kept++;
    for (size_t i = 0; i < w->narrowed.count; i++) {
        uint32_t place = w->narrowed.at[i];
        size_t k = 0;

        while (k < w->excluded.count && w->excluded.at[k].place != place)
            k++;
        if (k == w->excluded.count)
            TRY(array_push(&w->excluded, ((struct world_excluded){ place, 0, 0 }), err));
        /* Forks of one run at the same place count once. */
        if (w->excluded.at[k].runs == w->kept)
            continue;
        w->excluded.at[k].left |= place_at(w, place)->mask;
        w->excluded.at[k].runs += w->excluded.at[k].runs + 1 == w->kept;
    }
    return STATUS_OK;
}

void worlds_exclude(struct worlds *w)
{
    worlds_begin_run(w);
    for (size_t i = 0; i < w->excluded.count && w->kept > 0; i++) {
        struct world_place *p = place_at(w, w->excluded.at[i].place);

        /* A run that did not fork there leaves all. */
        if (w->excluded.at[i].runs == w->kept)
            p->mask = p->possible &= w->excluded.at[i].left;
    }
    w->excluded.count = 0;
}

/* States never fall from one statement to the next where it locks. */
static uint32_t least_of(const struct worlds *w, size_t count)
{
    uint32_t least = w->floor;

    for (size_t i = 0; w->sight == SIGHT_LOCKING && i < count; i++)
        if (w->forks.at[i].kind == FORK_STATE && w->forks.at[i].low > least)
            least = w->forks.at[i].low;
    return least;
}

enum status worlds_advance(struct worlds *w, bool *more, struct error *err)
{
    fork_list *f = &w->forks;

    for (; f->count > 0; f->count--) {
        struct fork *last = &f->at[f->count - 1];

        if (last->kind == FORK_STATE ? last->low > least_of(w, f->count - 1) : last->index + 1 < last->count)
            break;
    }
    *more = f->count > 0;
    w->path.count = 0;
    if (!*more)
        return STATUS_OK;
    TRY(array_reserve(&w->path, f->count, err));
    for (size_t i = 0; i < f->count; i++)
        w->path.at[w->path.count++] = f->at[i];
    if (w->path.at[f->count - 1].kind == FORK_STATE)
        w->path.at[f->count - 1].state = w->path.at[f->count - 1].low - 1;
    else
        w->path.at[f->count - 1].index++;
    return STATUS_OK;
}

static bool is_same_fork(const struct fork *a, const struct fork *b)
{
    return a->kind == b->kind && a->statement == b->statement && a->row == b->row &&
           a->place == b->place && a->count == b->count;
}

/*
 * The fork that comes next: as on the path, or else as given. A run may meet forks that those before it have not
 * met, where indexes have got entries for what the transaction may write: it then takes them as new ones.
 */
static enum status take_fork(struct worlds *w, struct fork fork, uint32_t *number,
                             struct error *err)
{
    const struct fork *next = w->taken < w->path.count ? &w->path.at[w->taken] : NULL;

    *number = (uint32_t)w->forks.count;
    if (next && is_same_fork(next, &fork)) {
        fork.state = next->state;
        fork.index = next->index;
        /* What any run with the same choices so far has told apart stays so: this one may end sooner. */
        if (++w->taken < w->path.count) {
            fork.low = next->low;
            fork.high = next->high;
        }
    }
    return array_push(&w->forks, fork, err);
}

/* --- What a row is at a place ------------------------------------------------------------------------ */

/* Whether it writes the row in any execution, whatever the others do. */
static bool is_fixed(const struct worlds *w, uint32_t place, const struct stored_row *row)
{
    const struct world_place *p = place > 0 && place != NOBODY ? place_at(w, place) : NULL;

    for (uint32_t i = 0; p && i < p->fixed_count; i++)
        if (w->fixed.at[p->fixed + i] == row)
            return true;
    return false;
}

/* Whether there is a row that it and the transaction at hand both write in any execution. */
static bool meets_own(const struct worlds *w, uint32_t place)
{
    const struct world_place *own = w->own_place != NOBODY ? place_at(w, w->own_place) : NULL;

    for (uint32_t i = 0; own && i < own->fixed_count; i++)
        if (is_fixed(w, place, w->fixed.at[own->fixed + i]))
            return true;
    return false;
}

static bool comes_before(const struct worlds *w, uint32_t place)
{
    return (w->is_strict && audit_plan_is_before(w->plan, place_at(w, place)->txn, w->txn)) ||
           (place < w->own_place && meets_own(w, place));
}

static bool comes_after(const struct worlds *w, uint32_t place)
{
    return (w->is_strict && audit_plan_is_before(w->plan, w->txn, place_at(w, place)->txn)) ||
           (place > w->own_place && meets_own(w, place));
}

/*
 * In a serial order, one with an earlier ts that writes the row comes before the transaction at hand. But
 * only if it does write it: it may also come later, and do something else, for all that is known.
 */
static bool may_come_later(const struct worlds *w, uint32_t place, const struct stored_row *row)
{
    return w->sight == SIGHT_SERIAL && place > 0 && !is_fixed(w, place, row) &&
           !comes_before(w, place);
}

/* Outcomes of one place in which a row looks the same. */
struct outcome_class {
    uint64_t outcomes;
    uint32_t position; /* of one of them; NOBODY: they do not write it */
    const struct datum *cells;
};

static uint32_t class_outcomes(const struct worlds *w, const struct stored_row *row,
                               uint32_t place, struct outcome_class *classes)
{
    const struct world_place *p = place_at(w, place);
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        struct outcome_class one = { UINT64_C(1) << i, p->first + i, NULL };
        uint32_t k = 0;

        if (!(p->mask & one.outcomes))
            continue;
        if (!version_at(row, p->first + i, &one.cells))
            one.position = NOBODY;
        while (k < count &&
               ((classes[k].position == NOBODY) != (one.position == NOBODY) ||
                !audit_rows_look_same(w->rows, w->look, row, classes[k].cells, one.cells)))
            k++;
        if (k == count)
            classes[count++] = (struct outcome_class){ 0, one.position, one.cells };
        classes[k].outcomes |= one.outcomes;
    }
    return count;
}

static enum status pick_outcome(struct worlds *w, const struct stored_row *row, uint32_t place,
                                uint32_t *position, struct error *err)
{
    struct outcome_class classes[WORLDS_OUTCOMES_MAX + 1];
    uint32_t count = class_outcomes(w, row, place, classes), number, index = 0;

    if (may_come_later(w, place, row))
        classes[count++] = (struct outcome_class){ place_at(w, place)->mask, NOBODY, NULL };
    assert(count > 0);
    if (count > 1) {
        TRY(take_fork(w, (struct fork){ .kind = FORK_OUTCOME, .place = place, .count = count }, &number, err));
        index = w->forks.at[number].index;
        assert(index < count);
        place_at(w, place)->mask = classes[index].outcomes;
        TRY(array_push(&w->narrowed, place, err));
    }
    *position = classes[index].position;
    return STATUS_OK;
}

/* --- Contents ------------------------------------------------------------------------------------------ */

/* Whether all outcomes of a place that is split write the row. */
static bool is_always(const struct worlds *w, uint32_t place, const struct stored_row *row)
{
    const struct world_place *p = place_at(w, place);

    for (uint32_t i = 0; i < p->always_count; i++)
        if (w->always.at[p->always + i] == row)
            return true;
    return false;
}

/* Whether all outcomes of the place of its version number `count` write the row. */
static bool is_always_written(const struct worlds *w, const struct stored_row *row, uint32_t count)
{
    uint32_t place = w->place_of.at[row->versions[count - 1].position];

    if (place == 0)
        return true;
    if (is_split(w, place))
        return is_always(w, place, row);
    while (count < row->version_count &&
           w->place_of.at[row->versions[count].position] == place)
        count++;
    return count - first_of_place(w, row, count, place) == place_at(w, place)->count;
}

/* Whether answers have excluded all outcomes that leave the row as this version has it. */
static bool is_excluded(const struct worlds *w, const struct row_version *v)
{
    uint32_t place = w->place_of.at[v->position];

    return place > 0 && !is_split(w, place) && !is_open(w, place) &&
           !(place_at(w, place)->possible >> (v->position - place_at(w, place)->first) & 1);
}

/*
 * Writers of a row stand in the order of ts. So one that writes the row, and comes before the transaction at hand (by
 * time, or because both write another row), hides what was there before it. One that comes after it and writes
 * the row whatever the others do hides itself and what comes later. (What the former does is known from its outcomes,
 * since they hold for all that come before; what the latter does must not be taken from them.)
 */
static void bound_versions(const struct worlds *w, const struct stored_row *row, uint32_t *least,
                           uint32_t *most)
{
    uint32_t natural = count_versions(row, end_of(w, w->newest)), at;

    *least = 0;
    *most = w->last;
    for (uint32_t i = natural; i > 0; i = first_of_place(w, row, i, at)) {
        at = w->place_of.at[row->versions[i - 1].position];
        if (at == 0)
            break;
        if (is_always_written(w, row, i) && comes_before(w, at)) {
            *least = place_at(w, at)->first;
            break;
        }
    }
    for (uint32_t i = natural; i < row->version_count; i++) {
        at = w->place_of.at[row->versions[i].position];
        if (row->versions[i].position > *most)
            break;
        if (is_fixed(w, at, row) && comes_after(w, at)) {
            *most = row->versions[i].position - 1;
            break;
        }
    }
}

/* In the states that may be seen: one that always writes the row hides what was there before. */
static void bound_by_states(const struct worlds *w, const struct stored_row *row, uint32_t *least, uint32_t *most)
{
    uint32_t at;

    *least = 0;
    *most = end_of(w, w->ceiling);
    for (uint32_t i = count_versions(row, end_of(w, w->floor)); i > 0; i = first_of_place(w, row, i, at)) {
        at = w->place_of.at[row->versions[i - 1].position];
        if (at > 0 && is_always_written(w, row, i)) {
            *least = place_at(w, at)->first;
            break;
        }
    }
}

static enum status list_contents(struct worlds *w, const struct stored_row *row, struct error *err)
{
    struct row_contents *c = &w->contents;
    uint32_t least, most, last = UINT32_MAX;
    bool is_opened = false;

    if (w->sight == SIGHT_SERIAL)
        bound_versions(w, row, &least, &most);
    else
        bound_by_states(w, row, &least, &most);
    TRY(row_contents_begin_list(c, row, 0, err));
    for (uint32_t i = count_versions(row, most); i > 0 && row->versions[i - 1].position >= least; i--) {
        const struct row_version *v = &row->versions[i - 1];
        uint32_t at = w->place_of.at[v->position];

        last = v->position;
        is_opened |= is_open(w, at);
        TRY(meet_place(w, at, err));
        if (!is_excluded(w, v))
            TRY(row_contents_add(c, v->position, err));
    }
    if (least == 0 && last > 0)
        TRY(row_contents_add(c, 0, err)); /* it is not there yet */
    return row_contents_end_list(c, w->rows, is_opened, err);
}

/* Of a place that is split. */
static enum status list_at_place(struct worlds *w, const struct stored_row *row, uint32_t place, struct error *err)
{
    struct row_contents *c = &w->contents;
    uint32_t last = count_versions(row, end_of(w, place));

    TRY(row_contents_begin_list(c, row, place, err));
    for (uint32_t i = last, first = first_of_place(w, row, last, place); i > first; i--)
        TRY(row_contents_add(c, row->versions[i - 1].position, err));
    if (!is_always(w, place, row) || may_come_later(w, place, row))
        TRY(row_contents_add(c, CONTENT_BEFORE, err));
    return row_contents_end_list(c, w->rows, false, err);
}

/* What the run at hand has not excluded of what the row may hold: at a place that is split, or at any (0). */
static enum status find_sight(struct worlds *w, const struct stored_row *row, uint32_t scope, uint32_t place,
                              struct content_sight **sight, struct error *err)
{
    const struct content_list *list;

    *sight = row_contents_seen(&w->contents, row, scope, place);
    if (*sight)
        return STATUS_OK;
    if (!row_contents_find(&w->contents, row, place))
        TRY(place > 0 ? list_at_place(w, row, place, err) : list_contents(w, row, err));
    list = row_contents_find(&w->contents, row, place);
    TRY(row_contents_see(&w->contents, list, scope, err));
    *sight = row_contents_seen(&w->contents, row, scope, place);
    return STATUS_OK;
}

/* One of what the row may hold, as far as the look tells; the position of one that is like that. */
static enum status choose_content(struct worlds *w, const struct stored_row *row, uint32_t scope, uint32_t place,
                                  uint32_t *position, struct error *err)
{
    struct fork fork = { .kind = FORK_CONTENT, .statement = scope, .place = place, .row = row };
    struct content_sight *sight;
    uint32_t number;

    TRY(find_sight(w, row, scope, place, &sight, err));
    w->met_open |= sight->is_open;
    assert(sight->count > 0);
    if (sight->count > 1) {
        TRY(row_contents_divide(&w->contents, w->rows, w->look, sight, &fork.count, err));
        if (fork.count > 1) {
            TRY(take_fork(w, fork, &number, err));
            assert(w->forks.at[number].index < fork.count);
            TRY(row_contents_narrow(&w->contents, sight, w->forks.at[number].index, err));
            if (place == 0)
                w->forks.at[number].state = w->contents.left.at[sight->first];
        }
    }
    *position = w->contents.left.at[sight->first];
    return STATUS_OK;
}

/* --- What a row is at a place, if it has its own state there --------------------------------------------- */

/* The position of the version that the row has at the place. */
static enum status resolve(struct worlds *w, const struct stored_row *row, uint32_t place,
                           uint32_t *position, struct error *err)
{
    uint32_t count;

    *position = end_of(w, place);
    w->met_open |= row->is_wild;
    if ((!row->is_forked && w->sight != SIGHT_SERIAL) || row->is_wild) {
        count = count_versions(row, *position);
        return count > 0 ? meet_place(w, w->place_of.at[row->versions[count - 1].position], err) : STATUS_OK;
    }
    for (count = count_versions(row, *position); count > 0;) {
        uint32_t at = w->place_of.at[row->versions[count - 1].position];

        *position = row->versions[count - 1].position;
        w->met_open |= is_open(w, at);
        TRY(meet_place(w, at, err));
        if ((!forks_at(w, at) && !may_come_later(w, at, row)) || is_open(w, at))
            return STATUS_OK;
        if (is_split(w, at))
            TRY(choose_content(w, row, 0, at, position, err));
        else
            TRY(pick_outcome(w, row, at, position, err));
        if (*position != NOBODY)
            return STATUS_OK;
        count = first_of_place(w, row, count, at);
    }
    *position = 0;
    return STATUS_OK;
}

/* Whether it may be like this by what is left of a place that is split. */
static enum status split_may_be(struct worlds *w, const struct stored_row *row, uint32_t place,
                                const struct datum *cells, bool *may, bool *may_be_before, struct error *err)
{
    struct content_sight *sight;

    TRY(find_sight(w, row, 0, place, &sight, err));
    *may = *may_be_before = false;
    for (uint32_t i = 0; i < sight->count; i++) {
        uint32_t position = w->contents.left.at[sight->first + i];

        if (position == CONTENT_BEFORE)
            *may_be_before = true;
        else
            *may |= audit_rows_equal(w->rows, row->table, audit_rows_visible(row, position)->cells, cells);
    }
    return STATUS_OK;
}

static bool masked_may_be(const struct worlds *w, const struct stored_row *row, uint32_t count, uint32_t first,
                          const struct datum *cells, bool *may_be_before)
{
    uint32_t at = w->place_of.at[row->versions[count - 1].position];
    uint64_t left = at > 0 ? place_at(w, at)->mask : 1;

    for (; count > first; count--) {
        const struct row_version *v = &row->versions[count - 1];
        uint64_t bit = at > 0 ? UINT64_C(1) << (v->position - place_at(w, at)->first) : 1;

        if ((left & bit) && audit_rows_equal(w->rows, row->table, v->cells, cells))
            return true;
        left &= ~bit;
    }
    *may_be_before = left || may_come_later(w, at, row);
    return false;
}

enum status worlds_may_be(struct worlds *w, const struct stored_row *row, uint32_t place,
                          const struct datum *cells, bool *may, struct error *err)
{
    uint32_t count = count_versions(row, end_of(w, place)), first;
    bool may_be_before = true;

    *may = row->is_wild;
    for (; count > 0 && !*may; count = first) {
        uint32_t at = w->place_of.at[row->versions[count - 1].position];

        first = first_of_place(w, row, count, at);
        TRY(meet_place(w, at, err));
        if (is_open(w, at))
            *may = true;
        else if (is_split(w, at))
            TRY(split_may_be(w, row, at, cells, may, &may_be_before, err));
        else
            *may = masked_may_be(w, row, count, first, cells, &may_be_before);
        if (*may || !may_be_before)
            return STATUS_OK;
    }
    *may |= !cells;
    return STATUS_OK;
}

static const struct datum *cells_at(const struct stored_row *row, uint32_t position)
{
    const struct row_version *v = audit_rows_visible(row, position);

    return v ? v->cells : NULL;
}

const struct datum *worlds_seen(const struct worlds *w, const struct stored_row *row)
{
    const struct content_sight *sight = row_contents_seen(&w->contents, row, 0, 0);
    uint32_t place = w->newest, count, at;

    if (sight)
        return cells_at(row, w->contents.left.at[sight->first]);
    for (size_t i = 0; i < w->forks.count; i++)
        if (w->forks.at[i].kind == FORK_STATE && w->sight == SIGHT_SNAPSHOT)
            place = w->forks.at[i].state;
    for (count = count_versions(row, end_of(w, place)); count > 0; count--) {
        const struct row_version *v = &row->versions[count - 1];

        at = w->place_of.at[v->position];
        sight = is_split(w, at) ? row_contents_seen(&w->contents, row, 0, at) : NULL;
        if (sight && w->contents.left.at[sight->first] != CONTENT_BEFORE)
            return cells_at(row, w->contents.left.at[sight->first]);
        if (sight)
            count = first_of_place(w, row, count, at) + 1;
        else if (!forks_at(w, at) || is_split(w, at) ||
                 (place_at(w, at)->mask >> (v->position - place_at(w, at)->first) & 1))
            return v->cells;
    }
    return NULL;
}

/* --- States ------------------------------------------------------------------------------------------- */

/* In which states around it the row would have looked the same. */
static void narrow_state(struct worlds *w, const struct stored_row *row, struct fork *f)
{
    uint32_t low = end_of(w, f->low), high = end_of(w, f->high), count;

    if (!row->is_forked) {
        audit_rows_narrow(w->rows, w->look, row, end_of(w, f->state), &low, &high);
        f->low = w->place_of.at[low];
        f->high = w->place_of.at[high];
        return;
    }
    count = count_versions(row, end_of(w, f->state));
    if (count > 0 && w->place_of.at[row->versions[count - 1].position] > f->low)
        f->low = w->place_of.at[row->versions[count - 1].position];
    if (count < row->version_count && w->place_of.at[row->versions[count].position] <= f->high)
        f->high = w->place_of.at[row->versions[count].position] - 1;
}

/* The fork of the statement; there is one at least, once it has been prepared. */
static struct fork *fork_of_statement(struct worlds *w)
{
    for (size_t i = w->forks.count; i > 0; i--)
        if (w->forks.at[i - 1].kind == FORK_STATE &&
            w->forks.at[i - 1].statement == w->statement)
            return &w->forks.at[i - 1];
    return NULL;
}

/* --- Looks ---------------------------------------------------------------------------------------------- */

/* Whether each row is seen in a state of its own. */
static bool has_own_states(const struct worlds *w)
{
    return w->sight == SIGHT_SERIAL || w->sight == SIGHT_PAPER || w->is_coarse;
}

static enum status see_content(struct worlds *w, const struct stored_row *row, uint32_t *state, struct error *err)
{
    w->met_open |= row->is_wild;
    return choose_content(w, row, w->statement, 0, state, err);
}

static enum status see_row(void *context, struct stored_row *row, const struct filter *filter,
                           uint64_t used, uint32_t *state, struct error *err)
{
    struct worlds *w = context;
    struct fork *f;

    (void)filter;
    (void)used;
    /* What is locked is seen in the newest state as well. */
    if (w->sees_newest || *state == STATE_NEWEST)
        return resolve(w, row, w->newest, state, err);
    if (w->sight == SIGHT_SERIAL && (w->is_plain || is_fixed(w, w->own_place, row)))
        return resolve(w, row, w->newest, state, err);
    if (has_own_states(w))
        return see_content(w, row, state, err);
    f = fork_of_statement(w);
    narrow_state(w, row, f);
    return resolve(w, row, f->state, state, err);
}

enum status worlds_prepare(struct worlds *w, uint32_t statement, bool at_place,
                           struct row_look *look, struct error *err)
{
    struct fork fork = { .kind = FORK_STATE,
                         .state = w->ceiling,
                         .high = w->ceiling,
                         .statement = statement };
    uint32_t number;

    if (w->sight == SIGHT_SNAPSHOT || w->sight == SIGHT_SERIAL)
        fork.statement = 0; /* what is seen once is seen by all of them */

    w->look = look;
    w->statement = fork.statement;
    w->sees_newest = at_place;
    look->choose = see_row;
    look->context = w;
    look->state = 0;
    if (at_place || has_own_states(w) || fork_of_statement(w))
        return STATUS_OK;
    fork.low = w->floor;
    return take_fork(w, fork, &number, err);
}
