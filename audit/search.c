#include "audit/search_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/repair_private.h"
#include "audit/unexplained_private.h"

#include "base/bisect.h"
#include "base/hash.h"

#define PROGRESS_EVERY 4096
#define RUN_PACE 256
#define REPAIR_PAUSE 64 /* jumps after a repair that came to nothing */
#define CONFLICT_SLACK 256 /* rows that a conflict may have more than once */

enum status search_open(struct search *s, const struct plan *plan, struct runner *runner,
                        const uint32_t *order, uint32_t count, struct error *err)
{
    size_t words = plan->influence.word_count;

    *s = (struct search){ .plan = plan,
                          .rows = runner->rows,
                          .runner = runner,
                          .mode = runner->mode,
                          .count = count,
                          .runs_max = UINT64_MAX,
                          .refuted = NOBODY };
    s->order = malloc(((size_t)count + 1) * sizeof *s->order);
    s->place_of = calloc(plan->txns.count + 1, sizeof *s->place_of);
    s->is_deferred = calloc(plan->txns.count + 1, 1);
    s->writers = calloc(words, sizeof *s->writers);
    s->reached = calloc(words, sizeof *s->reached);
    s->relevant = calloc(words, sizeof *s->relevant);
    if (!s->order || !s->place_of || !s->is_deferred || !s->writers || !s->reached || !s->relevant)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a search");
    if (count > 0)
        memcpy(s->order, order, count * sizeof *order);
    return array_reserve(&s->frames, count, err);
}

void search_close(struct search *s)
{
    free(s->order);
    free(s->place_of);
    free(s->is_deferred);
    free(s->deferred_conflict);
    free(s->writers);
    free(s->reached);
    free(s->relevant);
    for (size_t i = 0; i < s->conflicts.count; i++) {
        array_close(&s->conflicts.at[i].rows.glances);
        array_close(&s->conflicts.at[i].tried);
    }
    array_close(&s->conflicts);
    array_close(&s->free_conflicts);
    array_close(&s->frames);
    array_close(&s->choices);
    array_close(&s->footprint.glances);
    array_close(&s->footprint.quiet);
    array_close(&s->deferrals);
    unexplained_close(&s->wrong);
}

/* --- Conflicts ------------------------------------------------------------------------------------ */

static enum status new_conflict(struct search *s, uint32_t *number, struct error *err)
{
    if (s->free_conflicts.count > 0) {
        *number = s->free_conflicts.at[--s->free_conflicts.count];
        s->conflicts.at[*number].rows.glances.count = 0;
        s->conflicts.at[*number].sorted = 0;
        s->conflicts.at[*number].tried.count = 0;
        return STATUS_OK;
    }
    *number = (uint32_t)s->conflicts.count;
    TRY(array_reserve(&s->conflicts, 1, err));
    s->conflicts.at[s->conflicts.count++] = (struct conflict){ .sorted = 0 };
    return STATUS_OK;
}

static enum status drop_conflict(struct search *s, uint32_t number, struct error *err)
{
    return number == NOBODY ? STATUS_OK : array_push(&s->free_conflicts, number, err);
}

static int compare_glances(const void *left, const void *right)
{
    const struct row_glance *a = left, *b = right;

    return (a->row > b->row) - (a->row < b->row);
}

/* Each row once. */
static void sort_conflict(struct conflict *c)
{
    struct row_glance *at = c->rows.glances.at;
    size_t count = 0;

    if (c->rows.glances.count == c->sorted)
        return;
    qsort(at, c->rows.glances.count, sizeof *at, compare_glances);
    for (size_t i = 0; i < c->rows.glances.count; i++) {
        if (count > 0 && at[count - 1].row == at[i].row)
            at[count - 1].used |= at[i].used;
        else
            at[count++] = at[i];
    }
    c->rows.glances.count = c->sorted = count;
}

static enum status add_glances(struct conflict *c, const struct footprint *from, struct error *err)
{
    size_t count = from->glances.count;

    if (count == 0)
        return STATUS_OK;
    TRY(array_reserve(&c->rows.glances, count, err));
    memcpy(c->rows.glances.at + c->rows.glances.count, from->glances.at,
           count * sizeof *from->glances.at);
    c->rows.glances.count += count;
    if (c->rows.glances.count > 2 * c->sorted + CONFLICT_SLACK)
        sort_conflict(c);
    return STATUS_OK;
}

/* Why a run is not what is wanted. */
enum reason {
    REASON_ANSWER, /* what has a say in the answer counts */
    REASON_BLAMED, /* what has a say in the rows that are blamed */
    REASON_ALL,
};

static size_t find_glance(const struct conflict *c, const struct stored_row *row)
{
    size_t place;

    BISECT(place, 0, c->sorted, c->rows.glances.at[place].row < row);
    return place < c->sorted && c->rows.glances.at[place].row == row ? place : SIZE_MAX;
}

const struct influence *audit_search_influence(const struct search *s)
{
    return s->runner->saw_own ? &s->plan->influence : &s->plan->lean_influence;
}

/* Which statements count; NULL: all do. */
static const query_set *say_of(const struct search *s, uint32_t txn, enum reason reason)
{
    const struct plan_txn *t = &s->plan->txns.at[txn];

    if (t->step_count > 0 || t->logged->sqlstate.length > 0 || reason == REASON_ALL)
        return NULL;
    return reason == REASON_ANSWER ? influence_on_answer(audit_search_influence(s), t->function)
                                   : s->reached;
}

/* What is blamed, by the tables: who writes to them, and who has a say in that. */
static void find_writers(struct search *s, uint32_t blamed)
{
    const struct conflict *c = &s->conflicts.at[blamed];
    const struct influence *in = audit_search_influence(s);
    uint32_t tables = s->plan->program->tree.schema.table_count;

    memset(s->writers, 0, in->word_count * sizeof *s->writers);
    memset(s->reached, 0, in->word_count * sizeof *s->reached);
    for (uint32_t t = 0; t < tables; t++) {
        bool is_there = false;

        for (size_t i = 0; i < c->rows.glances.count && !is_there; i++)
            is_there = c->rows.glances.at[i].row->table == t;
        if (is_there)
            influence_add_writers(in, t, s->writers, s->reached);
    }
}

static void note_relevant(struct search *s, const query_set *say, const query_set *more)
{
    for (uint32_t i = 0; say && i < s->plan->influence.word_count; i++)
        s->relevant[i] |= say[i] | (more ? more[i] : 0);
    s->all_relevant |= !say;
}

/* What the last run looked at, and had a say, goes to a conflict. `blamed` may be NOBODY. */
static enum status keep_footprint(struct search *s, uint32_t conflict, uint32_t blamed,
                                  enum reason reason, struct error *err)
{
    uint32_t txn = s->order[s->frames.count];
    const query_set *say, *writers = NULL;
    size_t kept = 0;

    if (reason == REASON_BLAMED) {
        find_writers(s, blamed);
        writers = s->writers;
    }
    say = say_of(s, txn, reason);
    note_relevant(s, say, writers);
    for (size_t i = 0; i < s->footprint.glances.count; i++) {
        const struct row_glance g = s->footprint.glances.at[i];
        bool is_own = say && writers && influence_has(writers, g.query) &&
                      find_glance(&s->conflicts.at[blamed], g.row) != SIZE_MAX;

        if (is_own || influence_has(say, g.query))
            s->footprint.glances.at[kept++] = g;
    }
    s->footprint.glances.count = kept;
    TRY(add_glances(&s->conflicts.at[conflict], &s->footprint, err));
    s->footprint.glances.count = 0;
    return STATUS_OK;
}

/* What is pending of the rows that are blamed, as those saw it who blame. */
static uint64_t hash_blamed(const struct search *s, uint32_t blamed)
{
    const row_list *written = audit_rows_written(s->rows);
    const struct conflict *c = &s->conflicts.at[blamed];
    uint64_t hash = 0;

    for (size_t i = 0; i < written->count; i++) {
        size_t place = find_glance(c, written->at[i]);

        if (place != SIZE_MAX)
            hash += hash_number(audit_rows_own_hash(s->rows, written->at[i],
                                                    c->rows.glances.at[place].used));
    }
    return hash;
}

static enum status merge_conflict(struct search *s, uint32_t into, uint32_t from,
                                  struct error *err)
{
    return add_glances(&s->conflicts.at[into], &s->conflicts.at[from].rows, err);
}

/* Where the newest one stands that wrote what was made use of, or did so in some try: its place plus one. */
static uint32_t newest_of_row(const struct search *s, const struct row_glance *g)
{
    const struct stored_row *row = g->row;
    uint32_t newest = 0;

    for (uint32_t k = row->version_count; k > 0 && newest == 0; k--) {
        const struct row_version *v = &row->versions[k - 1];

        if (v->is_whole || (v->changes & g->used))
            newest = v->position;
    }
    for (size_t k = 0; row->touches && k < row->touches->list.count; k++) {
        const struct row_touch *t = &row->touches->list.at[k];

        if ((t->changes & g->used) && s->place_of[t->txn] > newest)
            newest = s->place_of[t->txn];
    }
    return newest;
}

/* The newest one that is committed, of those that may be to blame: its place plus one, or 0. */
static uint32_t newest_to_blame(struct search *s, uint32_t conflict)
{
    struct conflict *c = &s->conflicts.at[conflict];
    uint32_t newest = 0;

    sort_conflict(c);
    for (size_t i = 0; i < c->rows.glances.count; i++) {
        uint32_t place = newest_of_row(s, &c->rows.glances.at[i]);

        if (place > newest)
            newest = place;
    }
    return newest;
}

/* --- Choices ---------------------------------------------------------------------------------------- */

/* How many deferred ones stood among the first `place` of the order. */
static uint32_t deferred_below(const struct search *s, uint32_t place)
{
    uint32_t count = 0;

    while (count < s->deferrals.count && s->deferrals.at[count].place + count < place)
        count++;
    return count;
}

struct run_window search_window(const struct search *s, uint32_t txn)
{
    uint32_t newest = (uint32_t)s->frames.count;
    struct run_window w = { 0, newest };
    uint32_t least;

    if (!s->instants)
        return w;
    least = s->is_loose && !s->is_strict ? s->instants->surely[txn] : s->instants->least[txn];
    w.floor = least - deferred_below(s, least);
    if (s->instants->most[txn] < UINT32_MAX) {
        uint32_t most = s->instants->most[txn] - deferred_below(s, s->instants->most[txn]);

        if (most < w.ceiling)
            w.ceiling = most;
    }
    return w;
}

bool search_may_commit(const struct rows *rows, bool by_value, uint32_t state, uint32_t high)
{
    const row_list *written = audit_rows_written(rows);

    for (size_t i = 0; i < written->count; i++) {
        const struct stored_row *row = written->at[i];
        const struct row_version *newest = audit_rows_visible(row, STATE_NEWEST);
        const struct row_version *seen = audit_rows_visible(row, by_value ? state : high);

        if (newest == seen)
            continue;
        if (!by_value)
            return false;
        if (!audit_rows_equal(rows, row->table, row->own, seen ? seen->cells : NULL) &&
            !audit_rows_equal(rows, row->table, seen ? seen->cells : NULL,
                        newest ? newest->cells : NULL))
            return false;
    }
    return true;
}

/*
 * The deepest choice that has a lower state goes there, those behind it are open again. At locking,
 * states never fall from one statement to the next, so that none goes below where those before it
 * must be at least.
 */
bool search_advance(enum run_mode mode, choice_list *choices, uint32_t floor,
                    const struct search_relevance *relevance)
{
    while (choices->count > 0) {
        struct choice *last = &choices->at[choices->count - 1];
        uint32_t least = last->floor > floor ? last->floor : floor;

        for (size_t i = 0; mode == RUN_LOCKING && i + 1 < choices->count; i++)
            if (choices->at[i].low > least)
                least = choices->at[i].low;
        if (!relevance || *relevance->is_all || influence_has(relevance->set, last->query)) {
            if (last->low > least) {
                last->state = last->low - 1;
                return true;
            }
            if (relevance && least > floor)
                *relevance->is_all = true;
        }
        choices->count--;
    }
    return false;
}

/* Whether the run that has ended, with answers that are right, may be committed. */
bool audit_search_may_commit(const struct search *s, uint32_t txn)
{
    const struct runner *r = s->runner;
    uint32_t state = r->choices.count > 0 ? r->choices.at[0].state : r->window.ceiling;
    uint32_t high = r->choices.count > 0 && r->tracks ? r->choices.at[0].high : state;

    if (s->is_strict && !s->plan->txns.at[txn].has_place &&
        audit_rows_written(s->rows)->count > 0)
        return false;
    if (s->is_deferred[txn] &&
        (audit_rows_written(s->rows)->count > 0 || (s->mode == RUN_LOCKING && !r->only_reads)))
        return false;
    return s->mode != RUN_SNAPSHOT || search_may_commit(s->rows, s->by_value, state, high);
}

/* Which rows are blamed, and for which columns. */
static uint64_t hash_of_blame(const struct search *s, uint32_t blamed)
{
    const struct conflict *c = &s->conflicts.at[blamed];
    uint64_t hash = c->rows.glances.count;

    for (size_t i = 0; i < c->rows.glances.count; i++)
        hash = hash_mix(hash_mix(hash, (uint64_t)(uintptr_t)c->rows.glances.at[i].row),
                        c->rows.glances.at[i].used);
    return hash;
}

static bool is_new_try(const struct search *s, uint32_t conflict, struct tried t)
{
    const struct conflict *c = &s->conflicts.at[conflict];

    for (size_t i = 0; i < c->tried.count; i++)
        if (c->tried.at[i].blamed == t.blamed && c->tried.at[i].written == t.written)
            return false;
    return true;
}

/* What is pending is committed. */
enum status audit_search_push(struct search *s, struct search_frame frame, struct error *err)
{
    TRY(audit_rows_commit(s->rows, err));
    TRY(array_push(&s->frames, frame, err));
    s->place_of[frame.txn] = (uint32_t)s->frames.count;
    return STATUS_OK;
}

enum status audit_search_commit(struct search *s, uint32_t txn, uint32_t conflict, struct error *err)
{
    const struct runner *r = s->runner;
    struct search_frame frame = { .txn = txn,
                                  .ceiling = r->window.ceiling,
                                  .statements = r->statements,
                                  .choice = s->choices.count,
                                  .conflict = conflict,
                                  .is_loose = s->is_loose };

    if (r->tracks && r->choices.count > 0) {
        TRY(array_reserve(&s->choices, r->choices.count, err));
        frame.choice_count = (uint32_t)r->choices.count;
        memcpy(&s->choices.at[s->choices.count], r->choices.at,
               r->choices.count * sizeof *r->choices.at);
        runner_settle_choices(r, s->by_value, &s->choices.at[s->choices.count], frame.choice_count);
        s->choices.count += r->choices.count;
    }
    return audit_search_push(s, frame, err);
}

enum status audit_search_run(struct search *s, uint32_t txn, const choice_list *path, bool tracks,
                             struct error *err)
{
    struct runner *r = s->runner;

    r->window = search_window(s, txn);
    r->tracks = tracks;
    r->waits = s->waits && !s->is_loose;
    r->footprint = tracks ? &s->footprint : NULL;
    r->path = path->at;
    r->path_count = (uint32_t)path->count;
    TRY(runner_run(r, txn, err));
    if (!pace_spend(s->pace, RUN_PACE + 64 * r->statements))
        s->is_out_of_time = true;
    return STATUS_OK;
}

bool audit_search_is_over(const struct search *s)
{
    return s->is_out_of_time || s->runner->runs >= s->runs_max || s->runner->limit[0];
}

/* One of unknown outcome does nothing. */
enum status audit_search_commit_absent(struct search *s, uint32_t txn, uint32_t conflict, struct error *err)
{
    const struct search_frame frame = {
        .txn = txn, .choice = s->choices.count, .conflict = conflict, .is_absent = true
    };

    assert(audit_rows_written(s->rows)->count == 0);
    return audit_search_push(s, frame, err);
}

/* Whether it is taken as not committed before it is taken as committed. */
static bool is_absent_first(const struct search *s, uint32_t txn)
{
    return s->plan->txns.at[txn].is_unknown && !audit_plan_has_ts(s->plan, txn);
}

/* What a try came to. */
struct attempt {
    choice_list path;
    uint32_t conflict; /* of the tries so far */
    uint32_t blamed;   /* who tries again has to change these rows; or NOBODY */
    bool is_accepted;
    bool was_reading;  /* a run that failed has written nothing */
};

/* Why the run that has ended is of no use; with rows that were in the way. */
static enum status find_reason(struct search *s, uint32_t txn, enum reason *reason,
                               struct error *err)
{
    const row_list *written = audit_rows_written(s->rows);

    *reason = s->runner->end == RUN_WRONG ? REASON_ANSWER : REASON_ALL;
    if (s->runner->end != RUN_RIGHT)
        return STATUS_OK;
    if (audit_search_may_commit(s, txn)) {
        *reason = REASON_BLAMED;
        return STATUS_OK;
    }
    for (size_t i = 0; i < written->count; i++)
        TRY(array_push(&s->footprint.glances,
                       ((struct row_glance){ written->at[i], UINT64_MAX, UINT32_MAX }), err));
    return STATUS_OK;
}

/* Tries that track, from the path on; `skips`: the first of them was tried before. */
static enum status try_on(struct search *s, uint32_t txn, struct attempt *a, bool skips,
                          struct error *err)
{
    struct search_relevance relevance = { s->relevant, &s->all_relevant };
    struct runner *r = s->runner;

    memset(s->relevant, 0, s->plan->influence.word_count * sizeof *s->relevant);
    s->all_relevant = false;
    for (bool more = true; more && !audit_search_is_over(s); skips = false) {
        struct tried tried = { 0, 0 };
        enum reason reason;

        TRY(audit_search_run(s, txn, &a->path, true, err));
        if (a->blamed != NOBODY)
            tried = (struct tried){ hash_of_blame(s, a->blamed), hash_blamed(s, a->blamed) };
        if (audit_rows_written(s->rows)->count == 0 && (s->mode != RUN_LOCKING || r->only_reads))
            a->was_reading = true;
        TRY(find_reason(s, txn, &reason, err));
        if (reason == REASON_BLAMED && !skips && is_new_try(s, a->conflict, tried)) {
            a->is_accepted = true;
            s->footprint.glances.count = 0;
            return audit_search_commit(s, txn, a->conflict, err);
        }
        if (reason == REASON_BLAMED)
            TRY(array_push(&s->conflicts.at[a->conflict].tried, tried, err));
        TRY(audit_rows_drop(s->rows, txn, err));
        TRY(keep_footprint(s, a->conflict, a->blamed, reason, err));
        TRY(runner_keep_choices(r, &a->path, err));
        more = search_advance(s->mode, &a->path, r->window.floor, &relevance);
    }
    return STATUS_OK;
}

/* At the newest state first, without keeping track. */
static enum status try_first(struct search *s, uint32_t txn, struct attempt *a, struct error *err)
{
    struct run_window w = search_window(s, txn);

    s->footprint.glances.count = 0;
    if (w.floor > w.ceiling)
        return STATUS_OK;
    TRY(audit_search_run(s, txn, &a->path, false, err));
    if (is_absent_first(s, txn)) {
        /* Dropped, it has touched what it would have written. */
        a->is_accepted = true;
        TRY(audit_rows_drop(s->rows, txn, err));
        return audit_search_commit_absent(s, txn, a->conflict, err);
    }
    if (s->runner->end == RUN_RIGHT && audit_search_may_commit(s, txn)) {
        a->is_accepted = true;
        return audit_search_commit(s, txn, a->conflict, err);
    }
    TRY(audit_rows_drop(s->rows, txn, err));
    if (a->conflict == NOBODY)
        TRY(new_conflict(s, &a->conflict, err));
    return try_on(s, txn, a, false, err);
}

/* --- Back and forth --------------------------------------------------------------------------------- */

enum status audit_search_pop(struct search *s, bool touches, struct error *err)
{
    struct search_frame frame = s->frames.at[--s->frames.count];

    s->place_of[frame.txn] = 0;
    s->choices.count = frame.choice;
    TRY(drop_conflict(s, frame.conflict, err));
    return audit_rows_pop(s->rows, touches ? frame.txn : NOBODY, err);
}

/* Those that were put off from beyond the place stand where they stood. */
static void restore_deferred(struct search *s, uint32_t place)
{
    while (s->deferrals.count > 0 && s->deferrals.at[s->deferrals.count - 1].place > place) {
        const struct deferral d = s->deferrals.at[--s->deferrals.count];

        /* Those put off last stand last. */
        assert(s->order[s->count - 1] == d.txn);
        memmove(&s->order[d.place + 1], &s->order[d.place],
                (s->count - 1 - d.place) * sizeof *s->order);
        s->order[d.place] = d.txn;
        s->is_deferred[d.txn] = false;
    }
}

/* The transaction at hand goes to the end of the order. Its blame stays with it. */
static enum status defer(struct search *s, uint32_t conflict, struct error *err)
{
    uint32_t place = (uint32_t)s->frames.count, txn = s->order[place];

    if (!s->deferred_conflict) {
        s->deferred_conflict = malloc((s->plan->txns.count + 1) * sizeof *s->deferred_conflict);
        if (!s->deferred_conflict)
            return error_set(err, STATUS_OVER_LIMIT, "no memory for a search");
    }
    memmove(&s->order[place], &s->order[place + 1], (s->count - 1 - place) * sizeof *s->order);
    s->order[s->count - 1] = txn;
    s->is_deferred[txn] = true;
    s->deferred_conflict[txn] = conflict;
    return array_push(&s->deferrals, ((struct deferral){ place, txn }), err);
}

/* The choices of one that was committed and is taken back, from the next one on. */
static enum status try_again(struct search *s, const struct search_frame *frame,
                             struct attempt *a, struct error *err)
{
    bool is_unknown = s->plan->txns.at[frame->txn].is_unknown;

    if (frame->is_absent && !is_absent_first(s, frame->txn))
        return STATUS_OK;
    if (frame->is_absent)
        TRY(array_push(&s->conflicts.at[a->conflict].tried,
                       ((struct tried){ hash_of_blame(s, a->blamed), 0 }), err));
    TRY(try_on(s, frame->txn, a, !frame->is_absent, err));
    if (is_unknown && !a->is_accepted && !frame->is_absent && !is_absent_first(s, frame->txn) &&
        !audit_search_is_over(s)) {
        a->is_accepted = true;
        return audit_search_commit_absent(s, frame->txn, a->conflict, err);
    }
    return STATUS_OK;
}

/* Takes back all from the place on, and gives the one there its next choice. */
static enum status retry_at(struct search *s, uint32_t place, uint32_t blamed, struct attempt *a,
                            struct error *err)
{
    struct search_frame frame;
    enum status status;

    while (s->frames.count > place)
        TRY(audit_search_pop(s, true, err));
    frame = s->frames.at[place - 1];
    TRY(new_conflict(s, &a->conflict, err));
    if (frame.conflict != NOBODY) {
        const struct conflict *from = &s->conflicts.at[frame.conflict];

        TRY(merge_conflict(s, a->conflict, frame.conflict, err));
        for (size_t i = 0; i < from->tried.count; i++)
            TRY(array_push(&s->conflicts.at[a->conflict].tried, from->tried.at[i], err));
    }
    if (frame.choice_count > 0) {
        TRY(array_reserve(&a->path, frame.choice_count, err));
        memcpy(a->path.at, &s->choices.at[frame.choice], frame.choice_count * sizeof *a->path.at);
        a->path.count = frame.choice_count;
    }
    a->blamed = blamed;
    s->refuted = frame.txn;
    TRY(audit_search_pop(s, true, err));
    restore_deferred(s, (uint32_t)s->frames.count);
    s->is_loose = frame.is_loose;
    status = try_again(s, &frame, a, err);
    s->is_loose = false;
    return status;
}

/* Goes back to the newest one to blame until one of them has another choice. */
static enum status go_back(struct search *s, uint32_t conflict, bool *found, struct error *err)
{
    *found = false;
    while (!audit_search_is_over(s)) {
        uint32_t place = newest_to_blame(s, conflict);
        struct attempt a = { .conflict = NOBODY };
        enum status status;

        if (place == 0)
            break;
        s->jumps++;
        status = retry_at(s, place, conflict, &a, err);
        array_close(&a.path);
        TRY(status);
        if (a.is_accepted) {
            *found = true;
            TRY(merge_conflict(s, a.conflict, conflict, err));
            break;
        }
        if (audit_search_is_over(s))
            break;
        TRY(merge_conflict(s, conflict, a.conflict, err));
        TRY(drop_conflict(s, a.conflict, err));
    }
    return drop_conflict(s, conflict, err);
}

static bool has_completion(const struct search *s, uint32_t txn)
{
    return s->plan->txns.at[txn].logged->completed_ns != TIME_NEVER;
}

/* Where times are a help, one whose times are known stands behind all that it could have seen. */
static bool may_be_deferred(const struct search *s, uint32_t txn)
{
    return !s->is_deferred[txn] && s->frames.count + 1 < s->count && !(s->instants && has_completion(s, txn));
}

static enum status take_next(struct search *s, bool *found, struct error *err)
{
    uint32_t txn = s->order[s->frames.count];
    struct attempt a = { .conflict = NOBODY, .blamed = NOBODY };
    enum status status;
    bool is_late;

    if (s->is_deferred[txn] && s->deferred_conflict[txn] != NOBODY) {
        TRY(new_conflict(s, &a.conflict, err));
        TRY(merge_conflict(s, a.conflict, s->deferred_conflict[txn], err));
    }
    status = try_first(s, txn, &a, err);
    array_close(&a.path);
    TRY(status);
    if (!a.is_accepted && s->plan->txns.at[txn].is_unknown && !audit_search_is_over(s)) {
        a.is_accepted = true;
        TRY(audit_search_commit_absent(s, txn, a.conflict, err));
    }
    *found = a.is_accepted;
    if (*found || audit_search_is_over(s))
        return STATUS_OK;
    if (a.conflict == NOBODY)
        TRY(new_conflict(s, &a.conflict, err));
    is_late = a.was_reading && may_be_deferred(s, txn);
    /* Else somebody before it is to blame, most likely, and the longer that takes the more there is to take back. */
    if (is_late && !s->instants && !has_completion(s, txn)) {
        *found = true;
        return defer(s, a.conflict, err);
    }
    s->refuted = txn;
    if (!s->wrong.is_there && !is_late)
        TRY(unexplained_find(&s->wrong, s, txn, err));
    if (s->jumps >= s->repair_from) {
        TRY(audit_repair(s, found, err));
        s->jumps++;
        s->is_repaired |= *found;
        if (*found)
            return drop_conflict(s, a.conflict, err);
        s->repair_pause = 2 * s->repair_pause + REPAIR_PAUSE;
        s->repair_from = s->jumps + s->repair_pause;
    }
    if (is_late) {
        *found = true;
        return defer(s, a.conflict, err);
    }
    return go_back(s, a.conflict, found, err);
}

enum status search_rewind(struct search *s, struct error *err)
{
    while (s->frames.count > 0)
        TRY(audit_search_pop(s, true, err));
    return STATUS_OK;
}

static enum status run_again(struct search *s, const struct search_frame *frame, const choice_list *choices,
                             bool *is_right, struct error *err)
{
    choice_list path = { NULL, 0, 0 };
    enum status status = array_reserve(&path, frame->choice_count, err);

    /* What they had told apart may have changed. */
    for (uint32_t i = 0; i < frame->choice_count && status == STATUS_OK; i++)
        path.at[path.count++] = (struct choice){ .state = choices->at[frame->choice + i].state, .high = UINT32_MAX };
    s->is_loose = frame->is_loose;
    if (status == STATUS_OK)
        status = audit_search_run(s, frame->txn, &path, true, err);
    s->footprint.glances.count = 0;
    *is_right = status == STATUS_OK && s->runner->end == RUN_RIGHT && audit_search_may_commit(s, frame->txn);
    if (*is_right)
        status = audit_search_commit(s, frame->txn, NOBODY, err);
    else if (status == STATUS_OK)
        status = audit_rows_drop(s->rows, frame->txn, err);
    s->is_loose = false;
    array_close(&path);
    return status;
}

/*
 * After a repair all are taken back and run once more, as they ran: those that were put back without a run might
 * depend on what has changed. The search stands behind the last that gives its answers so, and goes on from there.
 */
static enum status confirm(struct search *s, struct error *err)
{
    ARRAY(struct search_frame) frames = { NULL, 0, 0 };
    choice_list choices = { NULL, 0, 0 };
    enum status status = array_reserve(&frames, s->frames.count, err);
    bool is_right = true;

    if (status == STATUS_OK)
        status = array_reserve(&choices, s->choices.count, err);
    for (size_t i = 0; i < s->frames.count && status == STATUS_OK; i++)
        frames.at[frames.count++] = s->frames.at[i];
    for (size_t i = 0; i < s->choices.count && status == STATUS_OK; i++)
        choices.at[choices.count++] = s->choices.at[i];
    if (status == STATUS_OK)
        status = search_rewind(s, err);
    for (size_t i = 0; i < frames.count && status == STATUS_OK && is_right; i++)
        status = frames.at[i].is_absent ? audit_search_commit_absent(s, frames.at[i].txn, NOBODY, err)
                                        : run_again(s, &frames.at[i], &choices, &is_right, err);
    array_close(&frames);
    array_close(&choices);
    return status;
}

enum status search_go(struct search *s, enum search_end *end, struct error *err)
{
    while (s->frames.count < s->count || s->is_repaired) {
        bool found = false;

        if (s->frames.count == s->count) {
            s->is_repaired = false;
            TRY(confirm(s, err));
            continue;
        }
        TRY(take_next(s, &found, err));
        if (!found) {
            *end = audit_search_is_over(s) ? SEARCH_GAVE_UP : SEARCH_REFUTED;
            return STATUS_OK;
        }
        if (s->frames.count % PROGRESS_EVERY == 0)
            progress_report(s->progress, s->frames.count, s->count);
    }
    *end = SEARCH_FOUND;
    return STATUS_OK;
}
