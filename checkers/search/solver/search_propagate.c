/*
 * What follows from what is true: literals by clauses, edges by their guards.
 */
#include "checkers/search/solver/search_solver_private.h"

#include <assert.h>

void solver_assign(struct solver *s, uint32_t literal, uint32_t reason)
{
    uint32_t variable = literal / 2;

    assert(s->value[literal] == 0);
    s->value[literal] = 1;
    s->value[literal ^ 1] = -1;
    s->level_of[variable] = s->level_count;
    s->reason[variable] = reason;
    s->since[variable] = s->trail_count;
    s->trail[s->trail_count++] = literal;
}

/* --- Clauses ---------------------------------------------------------------------- */

/* Puts a literal that is not false in the second place, and has it watched. */
static enum status find_new_watch(struct solver *s, uint32_t clause, bool *found, struct error *err)
{
    uint32_t *literals = clause_literals(s, clause), size = clause_head(s, clause)->size;

    *found = false;
    for (uint32_t i = 2; i < size; i++) {
        uint32_t literal = literals[i];

        if (s->value[literal] < 0)
            continue;
        literals[i] = literals[1];
        literals[1] = literal;
        *found = true;
        return array_push(&s->watches[literal], ((struct watch){ clause, literals[0] }), err);
    }
    return STATUS_OK;
}

/* Visits the clauses that watch a literal which has become false. */
static enum status visit_clauses(struct solver *s, uint32_t literal, struct error *err)
{
    struct watch *watches = s->watches[literal].at;
    size_t count = s->watches[literal].count, kept = 0, i = 0;
    enum status status = STATUS_OK;

    s->steps += 2 + count;
    for (; i < count && status == STATUS_OK && s->conflict == NO_CLAUSE; i++) {
        struct watch watch = watches[i];
        uint32_t *literals, first;
        bool found;

        if (s->value[watch.blocker] > 0) {
            watches[kept++] = watch;
            continue;
        }
        s->steps += 4;
        literals = clause_literals(s, watch.clause);
        first = literals[0] ^ literals[1] ^ literal;
        literals[0] = first;
        literals[1] = literal;
        if (s->value[first] <= 0) {
            status = find_new_watch(s, watch.clause, &found, err);
            if (status == STATUS_OK && found)
                continue;
        }
        watches[kept++] = (struct watch){ watch.clause, first };
        if (status == STATUS_OK && s->value[first] < 0)
            s->conflict = watch.clause;
        else if (status == STATUS_OK && s->value[first] == 0)
            solver_assign(s, first, watch.clause);
    }
    for (; i < count; i++)
        watches[kept++] = watches[i];
    s->watches[literal].count = kept;
    return status;
}

/* --- Edges ------------------------------------------------------------------------ */

/* Whether the other guard became true before this one did. */
static bool is_complete(const struct solver *s, uint32_t edge, uint32_t literal)
{
    const uint32_t *guards = s->topology.edges[edge].guards;
    uint32_t other = guards[0] == literal ? guards[1] : guards[0];

    if (other == SEARCH_NONE || other == literal)
        return true;
    return s->value[other] > 0 && s->since[other / 2] < s->since[literal / 2];
}

static void insert_edges(struct solver *s, uint32_t literal)
{
    const struct search_index *x = s->index;

    for (uint32_t i = x->guarded_start[literal]; i < x->guarded_start[literal + 1]; i++) {
        uint32_t edge = x->guarded[i];

        if (!is_complete(s, edge, literal))
            continue;
        if (!topology_insert(&s->topology, edge)) {
            s->cycle_count = topology_explain(&s->topology, edge, s->cycle);
            return;
        }
        s->inserted[s->inserted_count++] = edge;
    }
}

enum status solver_propagate(struct solver *s, struct error *err)
{
    while (!solver_has_conflict(s)) {
        /* Clauses are cheaper, and may find the conflict before an order does. */
        if (s->visited < s->trail_count)
            TRY(visit_clauses(s, s->trail[s->visited++] ^ 1, err));
        else if (s->ordered < s->trail_count)
            insert_edges(s, s->trail[s->ordered++]);
        else
            break;
    }
    return STATUS_OK;
}

/* --- Back ------------------------------------------------------------------------- */

void solver_go_back(struct solver *s, uint32_t level)
{
    struct decision_level to;

    if (s->level_count <= level)
        return;
    to = s->levels[level];
    while (s->inserted_count > to.inserted)
        topology_remove(&s->topology, s->inserted[--s->inserted_count]);
    while (s->trail_count > to.trail) {
        uint32_t literal = s->trail[--s->trail_count], variable = literal / 2;

        s->value[literal] = s->value[literal ^ 1] = 0;
        s->phase[variable] = !(literal & 1);
        if (s->activity[variable] > 0)
            solver_heap_add(s, variable);
    }
    s->visited = s->ordered = s->trail_count;
    s->firm_next = to.firm;
    s->read_next = to.read;
    s->level_count = level;
}
