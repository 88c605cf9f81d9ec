/*
 * Decides one key by search: which of the calls in flight takes effect next.
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
#include "checkers/infer/linear/linear_search_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/infer/linear/linear_private.h"

struct move {
    int64_t soonest; /* then: sooner */
    uint32_t call;
    uint8_t rank; /* lower is tried sooner */
};

/* One who took effect, and what comes next. */
struct search_stage {
    uint32_t state, front;    /* before */
    uint32_t made_start;      /* in `made`: what took effect on this stage */
    uint32_t move_start, move_end, move; /* in `moves` */
};

struct tried {
    uint64_t first, second;
};

struct search {
    struct task *task;
    struct linear_result *result;
    uint32_t *next, *previous; /* by call, and one more for both ends: those to come */
    uint32_t *by_end;          /* calls that must take effect, as they complete */
    uint32_t must_count;
    bool *is_made;
    uint32_t state, front; /* now */
    uint64_t first, second;
    ARRAY(struct search_stage) stages;
    ARRAY(uint32_t) made;
    ARRAY(struct move) moves;
    struct tried *tried;
    size_t tried_count, tried_room;
    uint64_t scan, steps, rounds;
    uint32_t furthest; /* front */
    uint32_t needs;    /* still to come: calls that need something */
    bool has_appends, is_overwritten;
    bool gives_up;
};

/* --- Moves --------------------------------------------------------------------- */

/* --- What is to come ---------------------------------------------------------------- */

/* Who is still to come, by what they need and leave. */
static void linear_search_count(struct search *s, uint32_t call, uint32_t by)
{
    const struct call *c = &s->task->at[call];

    if (c->need != STATE_ANY) {
        s->task->marks[c->need].needs += by;
        s->needs += by;
    }
    if (c->set != STATE_ANY)
        s->task->marks[c->set].makers += by;
}

/* It takes effect; and back, in the opposite order. The state is the caller's. */
static void linear_search_make(struct search *s, uint32_t call)
{
    linear_search_count(s, call, (uint32_t)-1);
    s->next[s->previous[call]] = s->next[call];
    s->previous[s->next[call]] = s->previous[call];
    s->is_made[call] = true;
    s->first ^= hash_number(call + 1);
    s->second ^= hash_number(hash_number(~(uint64_t)call));
    while (s->front < s->must_count && s->is_made[s->by_end[s->front]])
        s->front++;
}

static void linear_search_unmake(struct search *s, uint32_t call)
{
    linear_search_count(s, call, 1);
    s->next[s->previous[call]] = call;
    s->previous[s->next[call]] = call;
    s->is_made[call] = false;
    s->first ^= hash_number(call + 1);
    s->second ^= hash_number(hash_number(~(uint64_t)call));
}

/* Nothing that was invoked later may take effect yet. */
static int64_t linear_search_limit(const struct search *s)
{
    return s->front < s->must_count ? s->task->at[s->by_end[s->front]].completed : INT64_MAX;
}

static bool fits(const struct search *s, const struct call *c)
{
    return c->need == STATE_ANY || c->need == s->state;
}

/* What the call leaves behind here. */
static uint32_t linear_search_effect(const struct search *s, const struct call *c)
{
    const struct calls *calls = s->task->calls;
    uint32_t state = s->state;

    if (c->set != STATE_ANY)
        return c->set;
    for (uint32_t at = c->first_appended; at != 0 && state != STATE_UNSEEN;
         at = calls->appended.at[at - 1].next)
        state = linear_states_find_append(&calls->states, state, calls->appended.at[at - 1].element);
    return state;
}

static bool linear_search_is_blind(const struct call *c)
{
    return c->set != STATE_ANY && c->need == STATE_ANY;
}

/* Nobody who is still to come needs what it leaves. */
static bool is_useless(const struct search *s, const struct call *c)
{
    const struct mark *mark = &s->task->marks[c->set];

    return mark->stamp != s->task->stamp || mark->last_need < linear_search_limit(s);
}

/* --- Moves -------------------------------------------------------------------------- */

static enum status linear_search_note_made(struct search *s, uint32_t call, struct error *err)
{
    linear_search_make(s, call);
    return array_push(&s->made, call, err);
}

/* Reads that find what they need. */
static enum status linear_search_make_reads(struct search *s, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= linear_search_limit(s);) {
        uint32_t next = s->next[i];

        s->steps++;
        if (!call_writes(&calls[i]) && fits(s, &calls[i]))
            TRY(linear_search_note_made(s, i, err));
        i = next;
    }
    return STATUS_OK;
}

/* Before a blind write: writes that it may hide. */
static enum status linear_search_make_useless(struct search *s, uint32_t but, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= linear_search_limit(s);) {
        uint32_t next = s->next[i];

        s->steps++;
        if (i != but && linear_search_is_blind(&calls[i]) && !calls[i].is_open && is_useless(s, &calls[i]))
            TRY(linear_search_note_made(s, i, err));
        i = next;
    }
    return STATUS_OK;
}

/* Whether another that leaves the same, and ends sooner, was seen in this scan; else it is this. */
static bool is_best(struct search *s, uint32_t call)
{
    const struct call *c = &s->task->at[call];
    struct mark *mark;
    bool needs = c->need != STATE_ANY;
    int64_t end = c->is_open ? INT64_MAX : c->completed;

    if (c->set == STATE_ANY)
        return true;
    mark = &s->task->marks[c->set];
    if (mark->scan[needs] == s->scan) {
        const struct call *best = &s->task->at[mark->best[needs]];

        if ((best->is_open ? INT64_MAX : best->completed) <= end)
            return false;
    }
    mark->scan[needs] = s->scan;
    mark->best[needs] = call;
    return true;
}

static bool is_chosen(const struct search *s, uint32_t call)
{
    const struct call *c = &s->task->at[call];

    return c->set == STATE_ANY || s->task->marks[c->set].best[c->need != STATE_ANY] == call;
}

/* Whether the call may be the next, and is worth it. */
static bool is_move(const struct search *s, uint32_t call)
{
    const struct call *c = &s->task->at[call];

    if (!fits(s, c) || !call_writes(c))
        return false;
    if (linear_search_is_blind(c) && is_useless(s, c))
        return s->front < s->must_count && s->by_end[s->front] == call;
    return true;
}

static uint8_t rank_of(const struct search *s, uint32_t call)
{
    const struct call *front =
        s->front < s->must_count ? &s->task->at[s->by_end[s->front]] : NULL;
    uint32_t after = linear_search_effect(s, &s->task->at[call]);

    if (after == STATE_UNSEEN)
        return 3;
    if (front == &s->task->at[call] || (front && front->need == after))
        return 0;
    return s->task->at[call].is_open ? 2 : 1;
}

/* When the first of those in flight who need each state must be over. */
static void seek_needs(struct search *s)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= linear_search_limit(s); i = s->next[i]) {
        struct mark *mark;

        if (calls[i].need == STATE_ANY)
            continue;
        mark = &s->task->marks[calls[i].need];
        if (mark->sought != s->scan || calls[i].completed < mark->soonest) {
            mark->sought = s->scan;
            mark->soonest = calls[i].completed;
        }
    }
}

static struct move move_of(const struct search *s, uint32_t call)
{
    const struct call *c = &s->task->at[call];
    struct move move = { .call = call, .rank = rank_of(s, call), .soonest = INT64_MAX };

    if (c->set != STATE_ANY && s->task->marks[c->set].sought == s->scan)
        move.soonest = s->task->marks[c->set].soonest;
    return move;
}

static bool is_sooner(const struct search *s, const struct move *a, const struct move *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->soonest != b->soonest)
        return a->soonest < b->soonest;
    return s->task->at[a->call].completed < s->task->at[b->call].completed;
}

/* What may come next, the likeliest first. */
static enum status linear_search_list_moves(struct search *s, struct search_stage *stage, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;
    size_t kept;

    s->scan++;
    seek_needs(s);
    stage->move_start = stage->move = (uint32_t)s->moves.count;
    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= linear_search_limit(s); i = s->next[i]) {
        s->steps++;
        if (is_move(s, i) && is_best(s, i))
            TRY(array_push(&s->moves, move_of(s, i), err));
    }
    kept = stage->move_start;
    for (size_t i = stage->move_start; i < s->moves.count; i++)
        if (is_chosen(s, s->moves.at[i].call))
            s->moves.at[kept++] = s->moves.at[i];
    s->moves.count = kept;
    /* Few; those of one rank as they must be over. */
    for (size_t i = stage->move_start + 1; i < kept; i++)
        for (size_t k = i; k > stage->move_start && is_sooner(s, &s->moves.at[k],
                                                              &s->moves.at[k - 1]);
             k--) {
            struct move swap = s->moves.at[k];

            s->moves.at[k] = s->moves.at[k - 1];
            s->moves.at[k - 1] = swap;
        }
    stage->move_end = (uint32_t)kept;
    return STATUS_OK;
}

/* --- The search ---------------------------------------------------------------- */

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
    struct search_stage *stage = &s->stages.at[s->stages.count - 1];

    TRY(linear_search_make_reads(s, err));
    TRY(try_first(s, is_new, err));
    if (!*is_new)
        return STATUS_OK;
    TRY(note_furthest(s, err));
    return linear_search_list_moves(s, stage, err);
}

static enum status push_stage(struct search *s, struct error *err)
{
    struct search_stage stage = { .state = s->state,
                           .front = s->front,
                           .made_start = (uint32_t)s->made.count,
                           .move_start = (uint32_t)s->moves.count,
                           .move_end = (uint32_t)s->moves.count,
                           .move = (uint32_t)s->moves.count };

    return array_push(&s->stages, stage, err);
}

static void pop_stage(struct search *s)
{
    const struct search_stage *stage = &s->stages.at[--s->stages.count];

    while (s->made.count > stage->made_start)
        linear_search_unmake(s, s->made.at[--s->made.count]);
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
    if (linear_search_is_blind(c))
        TRY(linear_search_make_useless(s, call, err));
    s->state = linear_search_effect(s, c);
    TRY(linear_search_note_made(s, call, err));
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
        struct search_stage *stage = &s->stages.at[s->stages.count - 1];

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
        linear_search_count(s, i, 1);
        s->has_appends |= s->task->at[i].appended != 0;
        s->is_overwritten |= s->task->at[i].overwrites;
    }
    /* What may be left out, and nobody needs, is. */
    for (uint32_t i = 0; i < count && !s->has_appends; i++)
        if (s->task->at[i].is_open &&
            (s->task->at[i].set == STATE_ANY || s->task->marks[s->task->at[i].set].needs == 0))
            linear_search_make(s, i);
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

enum status linear_search_decide(struct task *task, struct linear_result *result, struct error *err)
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
