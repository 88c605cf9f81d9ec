/*
 * Learns a clause from a conflict.
 *
 * Back along the trail, every literal of the conflict's level gives way to those it was
 * implied by, until one is left (the first unique implication point). With that negated,
 * and those of earlier levels, there is a clause which would have prevented the conflict.
 * Literals that the others imply are left out of it. The reasons that were used, in the
 * order in which they came into force, and then the conflict itself, are its proof.
 */
#include "checkers/search/solver/solver_analyze_private.h"

#include <assert.h>
#include <stdlib.h>

#define BACK_MAX 20 /* levels that a clause is worth; else one, and its literal joins that */

enum { SEEN = 1, IMPLIED = 2, NOT_IMPLIED = 4 };

static uint32_t number_of_reason(const struct solver *s, uint32_t variable)
{
    if (s->level_of[variable] == 0)
        return s->unit[variable];
    return clause_head(s, s->reason[variable])->number;
}

/* --- The conflict as literals ----------------------------------------------------- */

/* All false. A cycle's are the negated guards. */
static enum status gather_conflict(struct solver *s, struct error *err)
{
    s->stack.count = 0;
    if (s->conflict != NO_CLAUSE) {
        uint32_t size = clause_head(s, s->conflict)->size;

        for (uint32_t i = 0; i < size; i++)
            TRY(array_push(&s->stack, clause_literals(s, s->conflict)[i], err));
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < s->cycle_count; i++)
        for (int g = 0; g < 2; g++) {
            uint32_t guard = s->topology.edges[s->cycle[i]].guards[g];

            if (guard != SEARCH_NONE)
                TRY(array_push(&s->stack, guard ^ 1, err));
        }
    return STATUS_OK;
}

static uint32_t highest_level(const struct solver *s)
{
    uint32_t level = 0;

    for (size_t i = 0; i < s->stack.count; i++)
        if (s->level_of[s->stack.at[i] / 2] > level)
            level = s->level_of[s->stack.at[i] / 2];
    return level;
}

/* --- Resolving -------------------------------------------------------------------- */

/* A false literal comes into play; counted if it is of the level at hand. */
static enum status meet(struct solver *s, uint32_t literal, uint32_t level, uint32_t *open,
                        struct error *err)
{
    uint32_t variable = literal / 2;

    assert(s->value[literal] < 0);
    if (s->seen[variable] & SEEN)
        return STATUS_OK;
    s->seen[variable] |= SEEN;
    TRY(array_push(&s->touched, variable, err));
    if (s->level_of[variable] == 0)
        return array_push(&s->causes, variable, err);
    solver_bump(s, variable);
    if (s->level_of[variable] < level)
        return array_push(&s->learnt, literal, err);
    ++*open;
    return STATUS_OK;
}

static void bump_clause(struct solver *s, uint32_t clause)
{
    struct clause_head *head = clause_head(s, clause);

    if (!head->is_learnt)
        return;
    head->activity += s->clause_bump;
    if (head->activity < 1e20f)
        return;
    for (size_t i = 0; i < s->learnts.count; i++)
        clause_head(s, s->learnts.at[i])->activity *= 1e-20f;
    s->clause_bump *= 1e-20f;
}

/* Fills `learnt`, its first literal the only one of the level. */
static enum status resolve(struct solver *s, uint32_t level, struct error *err)
{
    uint32_t open = 0, at = s->trail_count, literal;

    s->learnt.count = s->causes.count = 0;
    TRY(array_push(&s->learnt, SEARCH_NONE, err));
    for (size_t i = 0; i < s->stack.count; i++)
        TRY(meet(s, s->stack.at[i], level, &open, err));
    for (;;) {
        uint32_t reason;

        do
            literal = s->trail[--at];
        while (!(s->seen[literal / 2] & SEEN) || s->level_of[literal / 2] != level);
        if (--open == 0)
            break;
        reason = s->reason[literal / 2];
        bump_clause(s, reason);
        TRY(array_push(&s->causes, literal / 2, err));
        for (uint32_t i = 0; i < clause_head(s, reason)->size; i++) {
            uint32_t other = clause_literals(s, reason)[i];

            if (other != literal)
                TRY(meet(s, other, level, &open, err));
        }
    }
    s->learnt.at[0] = literal ^ 1;
    return STATUS_OK;
}

/* --- Shortening ------------------------------------------------------------------- */

static enum status mark(struct solver *s, uint32_t variable, uint8_t mark, struct error *err)
{
    s->seen[variable] |= mark;
    return array_push(&s->touched, variable, err);
}

/* The next literal of the reason that is not yet known to be implied; SEARCH_NONE: none is left. */
static enum status next_doubt(struct solver *s, uint32_t variable, uint32_t *doubt,
                              struct error *err)
{
    uint32_t reason = s->reason[variable], size = clause_head(s, reason)->size;

    *doubt = SEARCH_NONE;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t other = clause_literals(s, reason)[i] / 2;

        if (other == variable || s->seen[other] & (SEEN | IMPLIED))
            continue;
        if (s->level_of[other] == 0) {
            TRY(mark(s, other, SEEN, err));
            TRY(array_push(&s->causes, other, err));
            continue;
        }
        *doubt = other;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/*
 * Whether what the clause says of other variables implies this one too: its reason is made of such,
 * or of others that are implied. Without recursion: the stack holds those in doubt.
 */
static enum status is_implied(struct solver *s, uint32_t variable, bool *yes, struct error *err)
{
    s->stack.count = 0;
    *yes = true;
    if (s->reason[variable] == NO_CLAUSE) {
        *yes = false;
        return STATUS_OK;
    }
    TRY(array_push(&s->stack, variable, err));
    while (s->stack.count > 0) {
        uint32_t top = s->stack.at[s->stack.count - 1], doubt;

        TRY(next_doubt(s, top, &doubt, err));
        if (doubt == SEARCH_NONE) {
            TRY(mark(s, top, IMPLIED, err));
            TRY(array_push(&s->causes, top, err));
            s->stack.count--;
            continue;
        }
        /* A level without a literal in the clause has its decision to imply it, and no more. */
        if (s->seen[doubt] & NOT_IMPLIED || s->reason[doubt] == NO_CLAUSE ||
            s->level_mark[s->level_of[doubt]] != s->level_stamp) {
            *yes = false;
            break;
        }
        TRY(array_push(&s->stack, doubt, err));
    }
    for (size_t i = 0; !*yes && i < s->stack.count; i++)
        TRY(mark(s, s->stack.at[i], NOT_IMPLIED, err));
    return STATUS_OK;
}

static enum status shorten(struct solver *s, struct error *err)
{
    size_t kept = 1;

    s->level_stamp++;
    for (size_t i = 0; i < s->learnt.count; i++)
        s->level_mark[s->level_of[s->learnt.at[i] / 2]] = s->level_stamp;
    for (size_t i = 1; i < s->learnt.count; i++) {
        bool implied;

        TRY(is_implied(s, s->learnt.at[i] / 2, &implied, err));
        if (!implied)
            s->learnt.at[kept++] = s->learnt.at[i];
    }
    s->learnt.count = kept;
    return STATUS_OK;
}

/* --- Proof ------------------------------------------------------------------------ */

struct edge_cause {
    uint32_t since, variable;
};

static int compare_causes(const void *a, const void *b)
{
    const struct edge_cause *x = a, *y = b;

    return (x->since > y->since) - (x->since < y->since);
}

static enum status sort_causes(struct solver *s, struct error *err)
{
    struct edge_cause *causes = NULL;

    TRY(memory_resize((void **)&causes, s->causes.count + 1, sizeof *causes, err));
    for (size_t i = 0; i < s->causes.count; i++)
        causes[i] = (struct edge_cause){ s->since[s->causes.at[i]], s->causes.at[i] };
    qsort(causes, s->causes.count, sizeof *causes, compare_causes);
    for (size_t i = 0; i < s->causes.count; i++)
        s->causes.at[i] = causes[i].variable;
    free(causes);
    return STATUS_OK;
}

/* The literals are `learnt`. */
static enum status log_step(struct solver *s, uint32_t *number, struct error *err)
{
    struct log_entry entry = { .literals = s->learnt.at,
                               .literal_count = (uint32_t)s->learnt.count };

    *number = 0;
    if (!s->is_logging)
        return STATUS_OK;
    TRY(sort_causes(s, err));
    s->numbers.count = 0;
    for (size_t i = 0; i < s->causes.count; i++)
        TRY(array_push(&s->numbers, number_of_reason(s, s->causes.at[i]), err));
    if (s->conflict != NO_CLAUSE) {
        TRY(array_push(&s->numbers, clause_head(s, s->conflict)->number, err));
    } else {
        entry.cycle = s->cycle;
        entry.cycle_count = s->cycle_count;
    }
    entry.by = s->numbers.at;
    entry.by_count = (uint32_t)s->numbers.count;
    return search_log_add(&s->log, &entry, number, err);
}

static enum status log_unit(struct solver *s, uint32_t literal, struct error *err)
{
    uint32_t reason = s->reason[literal / 2];
    struct log_entry entry = { .literals = &literal, .literal_count = 1 };

    if (reason == NO_CLAUSE) /* a clause of one literal, which has a number already */
        return STATUS_OK;
    s->numbers.count = 0;
    for (uint32_t i = 0; i < clause_head(s, reason)->size; i++) {
        uint32_t other = clause_literals(s, reason)[i];

        if (other != literal)
            TRY(array_push(&s->numbers, s->unit[other / 2], err));
    }
    TRY(array_push(&s->numbers, clause_head(s, reason)->number, err));
    entry.by = s->numbers.at;
    entry.by_count = (uint32_t)s->numbers.count;
    TRY(search_log_add(&s->log, &entry, &s->unit[literal / 2], err));
    s->reason[literal / 2] = NO_CLAUSE;
    return STATUS_OK;
}

enum status solver_log_units(struct solver *s, struct error *err)
{
    assert(s->level_count == 0);
    for (; s->logged < s->trail_count; s->logged++) {
        uint32_t literal = s->trail[s->logged];

        if (s->is_logging)
            TRY(log_unit(s, literal, err));
        else
            s->reason[literal / 2] = NO_CLAUSE;
    }
    return STATUS_OK;
}

/* --- All together ----------------------------------------------------------------- */

static void forget_marks(struct solver *s)
{
    for (size_t i = 0; i < s->touched.count; i++)
        s->seen[s->touched.at[i]] = 0;
    s->touched.count = 0;
}

/* The conflict holds at level 0: there is no model. */
static enum status conclude(struct solver *s, struct error *err)
{
    uint32_t open = 0, number;

    TRY(solver_log_units(s, err));
    s->learnt.count = s->causes.count = 0;
    for (size_t i = 0; i < s->stack.count; i++)
        TRY(meet(s, s->stack.at[i], 1, &open, err));
    TRY(log_step(s, &number, err));
    forget_marks(s);
    s->is_impossible = true;
    return STATUS_OK;
}

/* The literal of the highest level but the first comes second. Returns that level. */
static uint32_t arrange(struct solver *s)
{
    size_t second = 1;
    uint32_t literal;

    if (s->learnt.count == 1)
        return 0;
    for (size_t i = 2; i < s->learnt.count; i++)
        if (s->level_of[s->learnt.at[i] / 2] > s->level_of[s->learnt.at[second] / 2])
            second = i;
    literal = s->learnt.at[second];
    s->learnt.at[second] = s->learnt.at[1];
    s->learnt.at[1] = literal;
    return s->level_of[literal / 2];
}

static uint32_t count_levels(struct solver *s)
{
    uint32_t count = 0;

    s->level_stamp++;
    for (size_t i = 0; i < s->learnt.count; i++) {
        uint32_t *stamp = &s->level_mark[s->level_of[s->learnt.at[i] / 2]];

        count += *stamp != s->level_stamp;
        *stamp = s->level_stamp;
    }
    return count;
}

/* Goes back, and assigns the first literal of what was learnt. */
static enum status apply(struct solver *s, uint32_t level, uint32_t number, struct error *err)
{
    uint32_t target = arrange(s), spread = count_levels(s), clause = NO_CLAUSE;
    struct clause_head *head;

    /* A long way back undoes much that would be decided in the same way again. */
    if (s->learnt.count > 1 && level - target > BACK_MAX)
        target = level - 1;
    solver_go_back(s, target);
    if (s->learnt.count == 1) {
        s->unit[s->learnt.at[0] / 2] = number;
        solver_assign(s, s->learnt.at[0], NO_CLAUSE);
        return STATUS_OK;
    }
    TRY(solver_add_clause(s, s->learnt.at, (uint32_t)s->learnt.count, number, &clause, err));
    TRY(array_push(&s->learnts, clause, err));
    head = clause_head(s, clause);
    head->is_learnt = 1;
    head->spread = spread;
    head->activity = s->clause_bump;
    solver_assign(s, s->learnt.at[0], clause);
    return STATUS_OK;
}

enum status solver_resolve_conflict(struct solver *s, struct error *err)
{
    uint32_t level, number;

    s->counts.conflicts++;
    TRY(gather_conflict(s, err));
    level = highest_level(s);
    solver_go_back(s, level);
    if (level == 0)
        return conclude(s, err);
    if (s->conflict != NO_CLAUSE)
        bump_clause(s, s->conflict);
    TRY(resolve(s, level, err));
    TRY(shorten(s, err));
    TRY(log_step(s, &number, err));
    forget_marks(s);
    s->conflict = NO_CLAUSE;
    s->cycle_count = 0;
    s->bump /= 0.95;
    s->clause_bump /= 0.999f;
    return apply(s, level, number, err);
}
