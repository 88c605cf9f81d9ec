#include "verify/calls/numbering_private.h"

#include <string.h>

#include "base/hash.h"

#define CHOSEN_MAX 1000 /* for a transaction */
#define OWNERS_MAX UINT64_C(1000000)

void numbering_open(struct numbering *n, const struct catalog *catalog, struct arena *arena)
{
    *n = (struct numbering){ .catalog = catalog };
    n->states = arena_take(arena, catalog->sequence_count + 1, sizeof *n->states);
    for (uint32_t i = 0; i < catalog->sequence_count; i++)
        n->states[i] = (struct sequence_state){ .last = catalog->sequences[i].start };
}

void numbering_give(struct numbering *n, uint64_t owner, const int64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < n->catalog->sequence_count; i++)
        n->states[i].is_known = false;
    n->last = NULL;
    n->is_given = true;
    n->given = numbers;
    n->given_count = count;
    n->given_at = 0;
    n->owner = owner;
}

/* No two transactions get the same from a sequence that never goes back. */
static void claim(struct numbering *n, const struct workbench *w, const struct sequence *s, int64_t value)
{
    uint64_t key = hash_number(s->number) ^ (uint64_t)value, owner;
    struct error err;
    size_t place;

    if (!n->owners || n->catalog->may_repeat)
        return;
    if (map_find(n->owners, key, &owner) && owner != n->owner)
        trap_unknown(w->trap, "how sequence %.*s gave %lld to two transactions", TEXT_PRINT(s->name),
                     (long long)value);
    if (map_add(n->owners, key, n->owner, &place, &err) != STATUS_OK)
        trap_unknown(w->trap, "more numbers of sequences than there is memory for");
}

void numbering_choose(struct numbering *n)
{
    n->is_chosen = true;
}

static __int128 first_chosen(const struct sequence *s)
{
    return s->low / 2 + s->high / 2;
}

bool numbering_could_choose(const struct numbering *n, int64_t number)
{
    for (uint32_t i = 0; i < n->catalog->sequence_count; i++) {
        __int128 behind = number - first_chosen(&n->catalog->sequences[i]);

        if (behind >= 0 && behind < (__int128)OWNERS_MAX * CHOSEN_MAX)
            return true;
    }
    return false;
}

/* In the middle of what the sequence has, so many for each transaction. */
static int64_t take_chosen(struct numbering *n, const struct workbench *w, const struct sequence *s)
{
    __int128 number = first_chosen(s) + (__int128)(n->owner % OWNERS_MAX) * CHOSEN_MAX + n->given_at;

    if (n->given_at == CHOSEN_MAX || n->owner >= OWNERS_MAX || number > s->high)
        trap_unknown(w->trap, "so many numbers that sequences gave");
    n->given_at++;
    return (int64_t)number;
}

static int64_t take_given(struct numbering *n, const struct workbench *w, const struct sequence *s)
{
    if (n->is_chosen && s && n->given_count == 0)
        return take_chosen(n, w, s);
    if (n->given_at == n->given_count)
        trap_unknown(w->trap, "the numbers that sequences gave");
    return n->given[n->given_at++];
}

static int64_t count_on(struct sequence_state *state, const struct workbench *w, const struct sequence *s)
{
    __int128 next = (__int128)state->last + s->step;

    if (!state->is_called) {
        state->is_called = true;
        return state->last;
    }
    if (next < s->low || next > s->high) {
        if (!s->cycles)
            trap_error(w->trap, "2200H");
        next = s->step > 0 ? s->low : s->high;
    }
    state->last = (int64_t)next;
    return state->last;
}

static struct item next_of(struct numbering *n, const struct workbench *w, const struct sequence *s)
{
    struct sequence_state *state = &n->states[s->number];

    state->known = n->is_given ? take_given(n, w, s) : count_on(state, w, s);
    if (n->is_given)
        claim(n, w, s, state->known);
    state->is_known = true;
    n->last = s;
    return item_integer(state->known);
}

/* Without a nextval() before it, it is what the session had from another transaction. */
static struct item current_of(struct numbering *n, const struct workbench *w, const struct sequence *s)
{
    int64_t value;

    if (s && n->states[s->number].is_known)
        return item_integer(n->states[s->number].known);
    if (!n->is_given)
        trap_error(w->trap, "55000");
    value = take_given(n, w, NULL);
    if (s)
        n->states[s->number] = (struct sequence_state){ .known = value, .is_known = true };
    return item_integer(value);
}

struct item numbering_evaluate(struct numbering *n, const struct workbench *w, const struct formula *f,
                               struct item value, struct item is_called)
{
    const struct sequence *s = f->as.asks.sequence;
    struct sequence_state *state;

    switch (f->as.asks.kind) {
    case NUMBER_NEXT:
        return next_of(n, w, s);
    case NUMBER_CURRENT:
        return current_of(n, w, s);
    case NUMBER_LAST:
        return current_of(n, w, n->last);
    case NUMBER_SET:
        break;
    }
    if (item_is_null(&value) || item_is_null(&is_called))
        return item_null();
    if (value.as.integer < s->low || value.as.integer > s->high)
        trap_error(w->trap, "22003");
    state = &n->states[s->number];
    state->last = value.as.integer;
    state->is_called = is_called.as.integer;
    if (state->is_called) {
        state->known = value.as.integer;
        state->is_known = true;
    }
    return value;
}
