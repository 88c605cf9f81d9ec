/*
 * What to decide next, and how. First the sources of reads, then what else stands in
 * clauses, then what was in conflicts (the most recent first), then what the order
 * satisfies in neither way.
 */
#include "checkers/search/solver/search_solver_private.h"

#include <assert.h>

#include "base/binary_heap.h"

/* --- The heap --------------------------------------------------------------------- */

static inline bool is_above(const struct solver *s, uint32_t a, uint32_t b)
{
    return s->activity[a] > s->activity[b] || (s->activity[a] == s->activity[b] && a < b);
}

static void put(struct solver *s, uint32_t variable, uint32_t place)
{
    s->heap[place] = variable;
    s->heap_place[variable] = place;
}

#define IS_ABOVE(a, b) is_above(s, (a), (b))
#define PUT(place, variable) put(s, (variable), (uint32_t)(place))

static void sift_up(struct solver *s, uint32_t place)
{
    uint32_t variable = s->heap[place];

    BINARY_HEAP_UP(s->heap, place, variable, IS_ABOVE, PUT);
}

static void sift_down(struct solver *s, uint32_t place)
{
    uint32_t variable = s->heap[place];

    BINARY_HEAP_DOWN(s->heap, s->heap_count, place, variable, IS_ABOVE, PUT);
}

void solver_heap_add(struct solver *s, uint32_t variable)
{
    if (s->heap_place[variable] != SEARCH_NONE)
        return;
    put(s, variable, s->heap_count++);
    sift_up(s, s->heap_count - 1);
}

static uint32_t heap_pop(struct solver *s)
{
    uint32_t top = s->heap[0], last = s->heap[--s->heap_count];

    s->heap_place[top] = SEARCH_NONE;
    if (s->heap_count > 0) {
        put(s, last, 0);
        sift_down(s, 0);
    }
    return top;
}

void solver_bump(struct solver *s, uint32_t variable)
{
    s->activity[variable] += s->bump;
    if (s->activity[variable] > 1e100) {
        for (uint32_t v = 0; v < s->index->problem->variable_count; v++)
            s->activity[v] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_place[variable] != SEARCH_NONE)
        sift_up(s, s->heap_place[variable]);
}

/* --- What the order says ---------------------------------------------------------- */

/* How far backwards the edges of a literal lead, all together. */
static uint64_t distance_back(const struct solver *s, uint32_t literal)
{
    const struct search_index *x = s->index;
    const uint32_t *place = s->topology.place;
    uint64_t sum = 0;

    for (uint32_t i = x->guarded_start[literal]; i < x->guarded_start[literal + 1]; i++) {
        const struct search_edge *edge = &x->problem->edges[x->guarded[i]];
        uint32_t other = edge->guards[0] == literal ? edge->guards[1] : edge->guards[0];

        if (place[edge->from] < place[edge->to])
            continue;
        if (other == SEARCH_NONE || s->value[other] >= 0)
            sum += place[edge->from] - place[edge->to] + 1;
    }
    return sum;
}

bool solver_order_likes(const struct solver *s, uint32_t variable)
{
    uint64_t yes = distance_back(s, search_literal(variable, true));
    uint64_t no = distance_back(s, search_literal(variable, false));

    return yes == no ? s->phase[variable] : yes < no;
}

static bool is_violated(const struct solver *s, uint32_t variable)
{
    return distance_back(s, search_literal(variable, true)) > 0 &&
           distance_back(s, search_literal(variable, false)) > 0;
}

/* --- Choices ---------------------------------------------------------------------- */

/* How far the writer is before the reader; behind it, further than any that is before. */
static uint32_t distance_of(const struct solver *s, const struct search_choice *choice)
{
    uint32_t reader = s->topology.place[choice->reader], writer, n = s->topology.node_count;

    if (choice->writer == SEARCH_NONE)
        return reader + 1;
    writer = s->topology.place[choice->writer];
    return writer < reader ? reader - writer : n + 1 + (writer - reader);
}

/* The open candidate to decide; SEARCH_NONE if the source is known or none is open. */
static uint32_t best_candidate(const struct solver *s, uint32_t read)
{
    const struct search_choice *choices = s->index->problem->choices;
    uint32_t best = SEARCH_NONE, best_distance = UINT32_MAX;

    for (uint32_t i = s->index->read_start[read]; i < s->index->read_start[read + 1]; i++) {
        int8_t value = s->value[search_literal(choices[i].variable, true)];
        uint32_t distance;

        if (value > 0)
            return SEARCH_NONE;
        if (value < 0)
            continue;
        distance = distance_of(s, &choices[i]);
        if (distance < best_distance) {
            best = choices[i].variable;
            best_distance = distance;
        }
    }
    return best;
}

static bool decide_read(struct solver *s, uint32_t *literal)
{
    for (; s->read_next < s->index->read_count; s->read_next++) {
        uint32_t variable = best_candidate(s, s->read_next);

        if (variable != SEARCH_NONE) {
            *literal = search_literal(variable, true);
            return true;
        }
    }
    return false;
}

/* --- The others ------------------------------------------------------------------- */

static bool is_open(const struct solver *s, uint32_t variable)
{
    return s->value[search_literal(variable, true)] == 0;
}

static uint32_t next_firm(struct solver *s)
{
    for (; s->firm_next < s->index->firm_count; s->firm_next++)
        if (is_open(s, s->index->firm[s->firm_next]))
            return s->index->firm[s->firm_next];
    return SEARCH_NONE;
}

static uint32_t next_active(struct solver *s)
{
    while (s->heap_count > 0) {
        uint32_t variable = heap_pop(s);

        if (is_open(s, variable))
            return variable;
    }
    return SEARCH_NONE;
}

/* Goes once round all variables at the most, from where it last found one. */
static uint32_t next_violated(struct solver *s)
{
    uint32_t count = s->index->problem->variable_count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = s->lazy_next;

        s->lazy_next = variable + 1 < count ? variable + 1 : 0;
        s->steps += 4;
        if (is_open(s, variable) && is_violated(s, variable))
            return variable;
    }
    return SEARCH_NONE;
}

bool solver_decide(struct solver *s, uint32_t *literal)
{
    uint32_t variable;

    s->steps++;
    if (decide_read(s, literal))
        return true;
    variable = next_firm(s);
    if (variable == SEARCH_NONE)
        variable = next_active(s);
    if (variable == SEARCH_NONE)
        variable = next_violated(s);
    if (variable == SEARCH_NONE)
        return false;
    *literal = search_literal(variable, solver_order_likes(s, variable));
    return true;
}
