#include "audit/search_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/repair_private.h"
#include "audit/unexplained_private.h"

#define PROGRESS_EVERY 4096
#define RUN_PACE 256

enum status search_open(struct search *s, const struct plan *plan, struct runner *runner,
                        const uint32_t *order, uint32_t count, struct error *err)
{
    *s = (struct search){ .plan = plan,
                          .rows = runner->rows,
                          .runner = runner,
                          .mode = runner->mode,
                          .count = count,
                          .runs_max = UINT64_MAX };
    s->order = malloc(((size_t)count + 1) * sizeof *s->order);
    s->is_deferred = calloc(plan->txns.count + 1, 1);
    if (!s->order || !s->is_deferred)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a search");
    if (count > 0)
        memcpy(s->order, order, count * sizeof *order);
    return array_reserve(&s->frames, count, err);
}

void search_close(struct search *s)
{
    free(s->order);
    free(s->is_deferred);
    array_close(&s->frames);
    array_close(&s->choices);
    array_close(&s->footprint.glances);
    array_close(&s->footprint.quiet);
    array_close(&s->deferrals);
    unexplained_close(&s->wrong);
}

/* --- Runs ------------------------------------------------------------------------------------------- */

/* How many deferred ones stood among the first `place` of the order. */
static uint32_t deferred_below(const struct search *s, uint32_t place)
{
    uint32_t count = 0;

    while (count < s->deferrals.count && s->deferrals.at[count] + count < place)
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
bool search_advance(enum run_mode mode, choice_list *choices, uint32_t floor)
{
    for (; choices->count > 0; choices->count--) {
        struct choice *last = &choices->at[choices->count - 1];
        uint32_t least = last->floor > floor ? last->floor : floor;

        for (size_t i = 0; mode == RUN_LOCKING && i + 1 < choices->count; i++)
            if (choices->at[i].low > least)
                least = choices->at[i].low;
        if (last->low > least) {
            last->state = last->low - 1;
            return true;
        }
    }
    return false;
}

bool audit_search_fits(const struct search *s, uint32_t txn)
{
    const struct runner *r = s->runner;
    uint32_t state = r->choices.count > 0 ? r->choices.at[0].state : r->window.ceiling;
    uint32_t high = r->choices.count > 0 && r->tracks ? r->choices.at[0].high : state;

    if (r->end != RUN_RIGHT)
        return false;
    if (s->is_strict && !s->plan->txns.at[txn].has_place &&
        audit_rows_written(s->rows)->count > 0)
        return false;
    if (s->is_deferred[txn] &&
        (audit_rows_written(s->rows)->count > 0 || (s->mode == RUN_LOCKING && !r->only_reads)))
        return false;
    return s->mode != RUN_SNAPSHOT || search_may_commit(s->rows, s->by_value, state, high);
}

enum status audit_search_push(struct search *s, struct search_frame frame, const struct choice *choices,
                              struct error *err)
{
    frame.choice = s->choices.count;
    TRY(runner_add_choices(&s->choices, choices, frame.choice_count, err));
    TRY(audit_rows_commit(s->rows, err));
    return array_push(&s->frames, frame, err);
}

enum status audit_search_commit(struct search *s, uint32_t txn, struct error *err)
{
    struct runner *r = s->runner;
    struct search_frame frame = { .txn = txn,
                                  .ceiling = r->window.ceiling,
                                  .statements = r->statements,
                                  .is_loose = s->is_loose };

    if (r->tracks) {
        frame.choice_count = (uint32_t)r->choices.count;
        runner_settle_choices(r, s->by_value, r->choices.at, frame.choice_count);
    }
    return audit_search_push(s, frame, r->choices.at, err);
}

enum status audit_search_commit_absent(struct search *s, uint32_t txn, struct error *err)
{
    assert(audit_rows_written(s->rows)->count == 0);
    return audit_search_push(s, (struct search_frame){ .txn = txn, .is_absent = true }, NULL, err);
}

enum status audit_search_pop(struct search *s, bool touches, struct error *err)
{
    struct search_frame frame = s->frames.at[--s->frames.count];

    s->choices.count = frame.choice;
    return audit_rows_pop(s->rows, touches ? frame.txn : NOBODY, err);
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

enum status audit_search_retrace(struct search *s, uint32_t txn, const choice_list *path, bool is_loose, bool *fits,
                                 struct error *err)
{
    enum status status;

    s->is_loose = is_loose;
    status = audit_search_run(s, txn, path, true, err);
    s->footprint.glances.count = 0;
    *fits = status == STATUS_OK && audit_search_fits(s, txn);
    if (*fits)
        status = audit_search_commit(s, txn, err);
    else if (status == STATUS_OK)
        status = audit_rows_drop(s->rows, txn, err);
    s->is_loose = false;
    return status;
}

bool audit_search_is_over(const struct search *s)
{
    return s->is_out_of_time || s->runner->runs >= s->runs_max || s->runner->limit[0];
}

enum status audit_search_try(struct search *s, uint32_t txn, bool is_loose, search_failure *failed, void *context,
                             bool *found, struct error *err)
{
    choice_list path = { NULL, 0, 0 };
    enum status status = STATUS_OK;
    struct run_window window;
    bool more;

    s->is_loose = is_loose;
    window = search_window(s, txn);
    more = window.floor <= window.ceiling;
    *found = false;
    while (more && status == STATUS_OK && !audit_search_is_over(s)) {
        s->footprint.glances.count = 0;
        status = audit_search_run(s, txn, &path, true, err);
        if (status != STATUS_OK)
            break;
        *found = audit_search_fits(s, txn);
        if (*found)
            break;
        status = failed(context, txn, &more, err);
        if (status == STATUS_OK)
            status = audit_rows_drop(s->rows, txn, err);
        if (status == STATUS_OK)
            status = runner_keep_choices(s->runner, &path, err);
        more = more && search_advance(s->mode, &path, window.floor);
    }
    if (*found)
        status = audit_search_commit(s, txn, err);
    s->footprint.glances.count = 0;
    s->is_loose = false;
    array_close(&path);
    return status;
}

/* --- Transaction by transaction ---------------------------------------------------------------------- */

/* Whether it is taken as not committed before it is taken as committed. */
static bool is_absent_first(const struct search *s, uint32_t txn)
{
    return s->plan->txns.at[txn].is_unknown && !audit_plan_has_ts(s->plan, txn);
}

/* Whether a run of no use has written nothing. */
static enum status note_reading(void *context, uint32_t txn, bool *goes_on, struct error *err)
{
    struct search *s = context;

    (void)txn;
    (void)goes_on;
    (void)err;
    s->was_reading |= audit_rows_written(s->rows)->count == 0 && (s->mode != RUN_LOCKING || s->runner->only_reads);
    return STATUS_OK;
}

/*
 * Time passes where a transaction waits for a lock. So if it is known what it saw at first and at last, each statement
 * most likely saw no more than it must, by the locks taken before it.
 */
static bool sees_the_oldest(const struct search *s, uint32_t txn, struct run_window w)
{
    return s->instants && s->waits && s->plan->txns.at[txn].logged->has_saw && w.floor < w.ceiling;
}

static uint32_t oldest_state(void *context, const struct choice *choice)
{
    (void)context;
    return choice->low;
}

/* At the most likely states first, without keeping track if that is the newest one; then at all. */
static enum status try_states(struct search *s, uint32_t txn, bool *found, struct error *err)
{
    static const choice_list no_path = { NULL, 0, 0 };
    struct run_window w = search_window(s, txn);
    bool is_oldest = sees_the_oldest(s, txn, w);
    enum status status;

    *found = false;
    if (w.floor > w.ceiling)
        return STATUS_OK;
    s->runner->chooser = is_oldest ? oldest_state : NULL;
    status = audit_search_run(s, txn, &no_path, is_oldest, err);
    s->runner->chooser = NULL;
    s->footprint.glances.count = 0;
    TRY(status);
    if (is_absent_first(s, txn)) {
        /* Dropped, it has touched what it would have written. */
        *found = true;
        TRY(audit_rows_drop(s->rows, txn, err));
        return audit_search_commit_absent(s, txn, err);
    }
    *found = audit_search_fits(s, txn);
    if (*found)
        return audit_search_commit(s, txn, err);
    TRY(audit_rows_drop(s->rows, txn, err));
    return audit_search_try(s, txn, false, note_reading, s, found, err);
}

static bool has_completion(const struct search *s, uint32_t txn)
{
    return s->plan->txns.at[txn].logged->completed_ns != TIME_NEVER;
}

/*
 * One that wrote nothing may stand further behind. Where times are a help, one whose times are known stands
 * behind all that it could have seen.
 */
static bool may_be_deferred(const struct search *s, uint32_t txn)
{
    return s->was_reading && !s->is_deferred[txn] && s->frames.count + 1 < s->count &&
           !(s->instants && has_completion(s, txn));
}

/* The transaction at hand goes to the end of the order. */
static enum status defer(struct search *s, struct error *err)
{
    uint32_t place = (uint32_t)s->frames.count, txn = s->order[place];

    memmove(&s->order[place], &s->order[place + 1], (s->count - 1 - place) * sizeof *s->order);
    s->order[s->count - 1] = txn;
    s->is_deferred[txn] = true;
    return array_push(&s->deferrals, place, err);
}

static enum status take_next(struct search *s, bool *found, struct error *err)
{
    uint32_t txn = s->order[s->frames.count];
    bool is_late;

    s->was_reading = false;
    TRY(try_states(s, txn, found, err));
    if (*found || audit_search_is_over(s))
        return STATUS_OK;
    if (s->plan->txns.at[txn].is_unknown) {
        *found = true;
        return audit_search_commit_absent(s, txn, err);
    }
    is_late = may_be_deferred(s, txn);
    if (!s->wrong.is_there && !is_late)
        TRY(unexplained_find(&s->wrong, s, txn, err));
    /* One that may stand anywhere is put off at once: somebody before it need not be to blame. */
    if (!s->is_beyond_repair && !(is_late && !s->instants && !has_completion(s, txn))) {
        s->repairs++;
        TRY(audit_repair(s, found, err));
        s->is_repaired |= *found;
        s->is_beyond_repair = !*found;
    }
    if (*found || !is_late)
        return STATUS_OK;
    *found = true;
    return defer(s, err);
}

/* Everything is taken back; the rows are as at first. */
static enum status take_all_back(struct search *s, struct error *err)
{
    while (s->frames.count > 0)
        TRY(audit_search_pop(s, true, err));
    return STATUS_OK;
}

/* What is told apart in a world that has changed is not known yet: of the path only its states are taken. */
static enum status run_again(struct search *s, const struct search_frame *frame, const choice_list *choices,
                             bool *is_right, struct error *err)
{
    choice_list path = { NULL, 0, 0 };
    enum status status = runner_add_choices(&path, choices->at + frame->choice, frame->choice_count, err);

    for (size_t i = 0; i < path.count; i++)
        path.at[i] = (struct choice){ .state = path.at[i].state, .high = UINT32_MAX };
    if (status == STATUS_OK)
        status = audit_search_retrace(s, frame->txn, &path, frame->is_loose, is_right, err);
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
    enum status status = runner_add_choices(&choices, s->choices.at, s->choices.count, err);
    bool is_right = true;

    if (status == STATUS_OK)
        status = array_reserve(&frames, s->frames.count, err);
    for (size_t i = 0; i < s->frames.count && status == STATUS_OK; i++)
        frames.at[frames.count++] = s->frames.at[i];
    if (status == STATUS_OK)
        status = take_all_back(s, err);
    for (size_t i = 0; i < frames.count && status == STATUS_OK && is_right; i++)
        status = frames.at[i].is_absent ? audit_search_commit_absent(s, frames.at[i].txn, err)
                                        : run_again(s, &frames.at[i], &choices, &is_right, err);
    array_close(&frames);
    array_close(&choices);
    return status;
}

enum status search_go(struct search *s, bool *found, struct error *err)
{
    *found = true;
    while (*found && (s->frames.count < s->count || s->is_repaired)) {
        if (s->frames.count == s->count) {
            s->is_repaired = false;
            TRY(confirm(s, err));
            continue;
        }
        TRY(take_next(s, found, err));
        if (s->frames.count % PROGRESS_EVERY == 0)
            progress_report(s->progress, s->frames.count, s->count);
    }
    return STATUS_OK;
}
