#include "checkers/infer/linear/linear_search_private.h"

/*
 * One key by search: who takes effect next?
 *
 *     in flight   A: w x 1 |-------------|      the first of them to complete is the front: here B;
 *                 B: r x 2    |---|             nothing invoked behind its end may come before it
 *                 C: w x 2  |-------|
 *     state x=1   done {A}    moves: C, which leaves x=2; then B at once
 *
 * Wing and Gong's search, depth first. What has taken effect and what the key then holds is
 * all that matters of the way there, so that nothing is tried twice (Lowe, "Testing for
 * linearizability", 2017): the set is remembered by two sums of 64 bits, which two sets share by
 * accident or not at all; a key that was refused wrongly for that would lack a proof, and be unknown.
 *
 * Moves that need not be tried:
 * - a read that finds what it needs is made at once: it changes nothing;
 * - of several that leave the same, the first that must be over is made first;
 * - a blind write whose value nobody needs any more is made before another blind write, or when
 *   nothing else may be; one that may have been left out is never made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define STATES_HELD_MAX 6
#define TRIED_MAX ((size_t)12 << 20) /* configurations: 768 MB while their table grows */

/* --- What has been tried ------------------------------------------------------------ */

static struct tried *seek(const struct search *s, struct tried key)
{
    size_t slot = key.first & (s->tried_room - 1);

    while ((s->tried[slot].first | s->tried[slot].second) != 0 &&
           (s->tried[slot].first != key.first || s->tried[slot].second != key.second))
        slot = (slot + 1) & (s->tried_room - 1);
    return &s->tried[slot];
}

static enum status grow_tried(struct search *s, struct error *err)
{
    struct tried *old = s->tried;
    size_t room = s->tried_room;

    s->tried = NULL;
    s->tried_room = room ? 2 * room : 1024;
    if (check_memory((void **)&s->tried, s->tried_room, sizeof *s->tried, 0, err) != STATUS_OK) {
        s->tried = old;
        s->tried_room = room;
        return STATUS_OVER_LIMIT;
    }
    for (size_t i = 0; i < room; i++)
        if ((old[i].first | old[i].second) != 0)
            *seek(s, old[i]) = old[i];
    free(old);
    return STATUS_OK;
}

/* Whether it is the first time that this has taken effect and left this. */
static enum status try_first(struct search *s, bool *is_first, struct error *err)
{
    struct tried key = { hash_number(s->first + s->state),
                         hash_number(s->second ^ hash_number(s->state)) | 1 };
    struct tried *slot;

    if (2 * s->tried_count >= s->tried_room)
        TRY(grow_tried(s, err));
    slot = seek(s, key);
    *is_first = slot->second == 0;
    if (*is_first) {
        *slot = key;
        s->tried_count++;
        s->gives_up = s->tried_count >= TRIED_MAX;
    }
    return STATUS_OK;
}

/* --- The search --------------------------------------------------------------------- */

/* How far it has come, and what the key could hold then. */
static enum status note_furthest(struct search *s, struct error *err)
{
    struct linear_result *result = s->result;

    if (s->front > s->furthest) {
        s->furthest = s->front;
        result->held.count = 0;
    }
    if (s->front < s->furthest || result->held.count >= STATES_HELD_MAX)
        return STATUS_OK;
    for (size_t i = 0; i < result->held.count; i++)
        if (result->held.at[i] == s->state)
            return STATUS_OK;
    return array_push(&result->held, s->state, err);
}

/* Behind a move: what is made at once, and what may come next. */
static enum status enter(struct search *s, bool *is_new, struct error *err)
{
    struct stage *stage = &s->stages.at[s->stages.count - 1];

    TRY(search_make_reads(s, err));
    TRY(try_first(s, is_new, err));
    if (!*is_new)
        return STATUS_OK;
    TRY(note_furthest(s, err));
    return search_list_moves(s, stage, err);
}

static enum status push_stage(struct search *s, struct error *err)
{
    struct stage stage = { .state = s->state,
                           .front = s->front,
                           .made_start = (uint32_t)s->made.count,
                           .move_start = (uint32_t)s->moves.count,
                           .move_end = (uint32_t)s->moves.count,
                           .move = (uint32_t)s->moves.count };

    return array_push(&s->stages, stage, err);
}

static void pop_stage(struct search *s)
{
    const struct stage *stage = &s->stages.at[--s->stages.count];

    while (s->made.count > stage->made_start)
        search_unmake(s, s->made.at[--s->made.count]);
    s->moves.count = stage->move_start;
    s->state = stage->state;
    s->front = stage->front;
}

/*
 * What was held is gone, somebody will still need it, and nobody can leave it again: of what only
 * grows, because it never shrinks.
 */
static bool is_lost(const struct search *s, uint32_t before)
{
    const struct mark *mark;

    if (before == s->state || s->task->is_blind)
        return false;
    if (s->state == STATE_UNSEEN && !s->is_overwritten && s->needs > 0)
        return true;
    if (before == STATE_UNSEEN)
        return false;
    mark = &s->task->marks[before];
    return mark->needs > 0 && (s->has_appends ? !s->is_overwritten : mark->makers == 0);
}

static enum status advance(struct search *s, uint32_t call, struct error *err)
{
    const struct call *c = &s->task->at[call];
    uint32_t before = s->state;
    bool is_new = false;

    TRY(push_stage(s, err));
    if (search_is_blind(c))
        TRY(search_make_useless(s, call, err));
    s->state = search_effect(s, c);
    TRY(search_note_made(s, call, err));
    if (!is_lost(s, before))
        TRY(enter(s, &is_new, err));
    if (!is_new)
        pop_stage(s);
    return STATUS_OK;
}

static bool is_over(struct search *s)
{
    if (s->steps > s->task->steps_max)
        s->gives_up = true;
    if (s->rounds++ % 4096 == 0 && check_is_stopped(s->task->options)) {
        s->gives_up = true;
        s->result->reason = "it was stopped";
    }
    return s->gives_up;
}

static enum status run(struct search *s, struct error *err)
{
    bool unused;

    TRY(push_stage(s, err));
    TRY(enter(s, &unused, err));
    while (s->stages.count > 0 && s->front < s->must_count && !is_over(s)) {
        struct stage *stage = &s->stages.at[s->stages.count - 1];

        if (stage->move == stage->move_end)
            pop_stage(s);
        else
            TRY(advance(s, s->moves.at[stage->move++].call, err));
    }
    return STATUS_OK;
}

static int compare_ends(const void *a, const void *b)
{
    const struct call *x = *(const struct call *const *)a, *y = *(const struct call *const *)b;

    if (x->completed != y->completed)
        return x->completed < y->completed ? -1 : 1;
    return (x > y) - (x < y);
}

static enum status sort_ends(struct search *s, struct error *err)
{
    const struct call **ends = NULL;

    TRY(memory_resize((void **)&ends, s->task->count, sizeof *ends, err));
    for (uint32_t i = 0; i < s->task->count; i++)
        if (!s->task->at[i].is_open)
            ends[s->must_count++] = &s->task->at[i];
    if (s->must_count > 1)
        qsort(ends, s->must_count, sizeof *ends, compare_ends);
    for (uint32_t i = 0; i < s->must_count; i++)
        s->by_end[i] = (uint32_t)(ends[i] - s->task->at);
    free(ends);
    return STATUS_OK;
}

/* When the last who needs each state is over; of a list also all that it may have grown from. */
static void note_needs(const struct search *s)
{
    const struct states *states = &s->task->calls->states;

    /* From the last to end, so that no state is looked at twice. */
    for (uint32_t i = s->must_count; i-- > 0;) {
        const struct call *c = &s->task->at[s->by_end[i]];
        uint32_t state = c->need;

        while (state != STATE_ANY) {
            struct mark *mark = &s->task->marks[state];

            if (mark->stamp == s->task->stamp && mark->last_need >= c->completed)
                break;
            mark->stamp = s->task->stamp;
            mark->last_need = c->completed;
            state = states->all.at[state].parent;
        }
    }
}

static enum status begin(struct search *s, struct error *err)
{
    uint32_t count = s->task->count;

    TRY(memory_resize((void **)&s->next, (size_t)count + 1, sizeof *s->next, err));
    TRY(memory_resize((void **)&s->previous, (size_t)count + 1, sizeof *s->previous, err));
    TRY(memory_resize((void **)&s->by_end, count, sizeof *s->by_end, err));
    TRY(check_memory((void **)&s->is_made, count, sizeof *s->is_made, 0, err));
    for (uint32_t i = 0; i <= count; i++) {
        s->next[i] = i == count ? 0 : i + 1;
        s->previous[i] = i == 0 ? count : i - 1;
    }
    TRY(sort_ends(s, err));
    note_needs(s);
    for (uint32_t i = 0; i < count; i++) {
        search_count(s, i, 1);
        s->has_appends |= s->task->at[i].appended != 0;
        s->is_overwritten |= s->task->at[i].overwrites;
    }
    /* What may be left out, and nobody needs, is. */
    for (uint32_t i = 0; i < count && !s->has_appends; i++)
        if (s->task->at[i].is_open &&
            (s->task->at[i].set == STATE_ANY || s->task->marks[s->task->at[i].set].needs == 0))
            search_make(s, i);
    s->first = s->second = 0;
    return STATUS_OK;
}

static enum status conclude(struct search *s, struct error *err)
{
    struct linear_result *result = s->result;

    if (s->front == s->must_count) {
        result->answer = LINEAR_HOLDS;
        for (size_t i = 0; i < s->made.count; i++)
            TRY(array_push(&result->order, s->made.at[i], err));
    } else if (s->gives_up) {
        result->answer = LINEAR_OPEN;
        if (!result->reason)
            result->reason = "too many orders had to be tried";
    } else {
        result->answer = LINEAR_FAILS;
        if (s->task->is_blind)
            result->stuck = s->by_end[s->furthest];
    }
    return STATUS_OK;
}

static void close(struct search *s)
{
    free(s->next);
    free(s->previous);
    free(s->by_end);
    free(s->is_made);
    free(s->tried);
    array_close(&s->stages);
    array_close(&s->made);
    array_close(&s->moves);
}

/* Nobody counts yet. */
static void clear_marks(const struct task *task)
{
    for (uint32_t i = 0; i < task->count; i++) {
        if (task->at[i].set != STATE_ANY)
            task->marks[task->at[i].set] = (struct mark){ 0 };
        if (task->at[i].need != STATE_ANY)
            task->marks[task->at[i].need] = (struct mark){ 0 };
    }
    task->marks[task->initial] = (struct mark){ 0 };
}

enum status search_decide(struct task *task, struct linear_result *result, struct error *err)
{
    struct search s = { .task = task, .result = result, .state = task->initial };
    enum status status;

    task->stamp++;
    clear_marks(task);
    status = begin(&s, err);
    if (status == STATUS_OK)
        status = run(&s, err);
    if (status == STATUS_OK)
        status = conclude(&s, err);
    close(&s);
    return status;
}
