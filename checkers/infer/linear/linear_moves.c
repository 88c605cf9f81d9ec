#include "checkers/infer/linear/linear_search_private.h"

#include "base/hash.h"

/* --- What is to come ---------------------------------------------------------------- */

/* Who is still to come, by what they need and leave. */
void search_count(struct search *s, uint32_t call, uint32_t by)
{
    const struct call *c = &s->task->at[call];

    if (c->need != STATE_ANY) {
        s->task->marks[c->need].needs += by;
        s->needs += by;
    }
    if (c->set != STATE_ANY)
        s->task->marks[c->set].makers += by;
}

void search_make(struct search *s, uint32_t call)
{
    search_count(s, call, (uint32_t)-1);
    s->next[s->previous[call]] = s->next[call];
    s->previous[s->next[call]] = s->previous[call];
    s->is_made[call] = true;
    s->first ^= hash_number(call + 1);
    s->second ^= hash_number(hash_number(~(uint64_t)call));
    while (s->front < s->must_count && s->is_made[s->by_end[s->front]])
        s->front++;
}

void search_unmake(struct search *s, uint32_t call)
{
    search_count(s, call, 1);
    s->next[s->previous[call]] = call;
    s->previous[s->next[call]] = call;
    s->is_made[call] = false;
    s->first ^= hash_number(call + 1);
    s->second ^= hash_number(hash_number(~(uint64_t)call));
}

/* Nothing that was invoked later may take effect yet. */
int64_t search_limit(const struct search *s)
{
    return s->front < s->must_count ? s->task->at[s->by_end[s->front]].completed : INT64_MAX;
}

static bool fits(const struct search *s, const struct call *c)
{
    return c->need == STATE_ANY || c->need == s->state;
}

/* What the call leaves behind here. */
uint32_t search_effect(const struct search *s, const struct call *c)
{
    const struct calls *calls = s->task->calls;
    uint32_t state = s->state;

    if (c->set != STATE_ANY)
        return c->set;
    for (uint32_t at = c->first_appended; at != 0 && state != STATE_UNSEEN;
         at = calls->appended.at[at - 1].next)
        state = states_find_append(&calls->states, state, calls->appended.at[at - 1].element);
    return state;
}

bool search_is_blind(const struct call *c)
{
    return c->set != STATE_ANY && c->need == STATE_ANY;
}

/* Nobody who is still to come needs what it leaves. */
static bool is_useless(const struct search *s, const struct call *c)
{
    const struct mark *mark = &s->task->marks[c->set];

    return mark->stamp != s->task->stamp || mark->last_need < search_limit(s);
}

/* --- Moves -------------------------------------------------------------------------- */

enum status search_note_made(struct search *s, uint32_t call, struct error *err)
{
    search_make(s, call);
    return array_push(&s->made, call, err);
}

/* Reads that find what they need. */
enum status search_make_reads(struct search *s, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= search_limit(s);) {
        uint32_t next = s->next[i];

        s->steps++;
        if (!call_writes(&calls[i]) && fits(s, &calls[i]))
            TRY(search_note_made(s, i, err));
        i = next;
    }
    return STATUS_OK;
}

/* Before a blind write: writes that it may hide. */
enum status search_make_useless(struct search *s, uint32_t but, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= search_limit(s);) {
        uint32_t next = s->next[i];

        s->steps++;
        if (i != but && search_is_blind(&calls[i]) && !calls[i].is_open && is_useless(s, &calls[i]))
            TRY(search_note_made(s, i, err));
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
    if (search_is_blind(c) && is_useless(s, c))
        return s->front < s->must_count && s->by_end[s->front] == call;
    return true;
}

static uint8_t rank_of(const struct search *s, uint32_t call)
{
    const struct call *front =
        s->front < s->must_count ? &s->task->at[s->by_end[s->front]] : NULL;
    uint32_t after = search_effect(s, &s->task->at[call]);

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

    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= search_limit(s); i = s->next[i]) {
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

enum status search_list_moves(struct search *s, struct stage *stage, struct error *err)
{
    const struct call *calls = s->task->at;
    uint32_t end = s->task->count;
    size_t kept;

    s->scan++;
    seek_needs(s);
    stage->move_start = stage->move = (uint32_t)s->moves.count;
    for (uint32_t i = s->next[end]; i != end && calls[i].invoked <= search_limit(s); i = s->next[i]) {
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
