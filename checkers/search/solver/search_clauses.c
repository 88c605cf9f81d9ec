/*
 * The clauses of an engine: loading them, keeping the useful of those learnt.
 */
#include "checkers/search/solver/search_solver_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static enum status watch_clause(struct solver *s, uint32_t clause, struct error *err)
{
    const uint32_t *literals = clause_literals(s, clause);

    TRY(array_push(&s->watches[literals[0]], ((struct watch){ clause, literals[1] }), err));
    return array_push(&s->watches[literals[1]], ((struct watch){ clause, literals[0] }), err);
}

enum status solver_add_clause(struct solver *s, const uint32_t *literals, uint32_t count,
                              uint32_t number, uint32_t *clause, struct error *err)
{
    struct clause_head head = { .size = count, .number = number };

    assert(count >= 2);
    if (s->words.count + count + HEAD_WORDS >= NO_CLAUSE)
        return error_set(err, STATUS_OVER_LIMIT, "the search has too many clauses");
    TRY(array_reserve(&s->words, count + HEAD_WORDS, err));
    *clause = (uint32_t)s->words.count;
    s->words.count += HEAD_WORDS + count;
    *clause_head(s, *clause) = head;
    memcpy(clause_literals(s, *clause), literals, count * sizeof *literals);
    return watch_clause(s, *clause, err);
}

/* --- Loading ---------------------------------------------------------------------- */

/* Without repetitions, in `learnt`. False: a literal and its negation are in it. */
static enum status gather(struct solver *s, uint32_t number, bool *is_useful, struct error *err)
{
    const struct search_problem *p = s->index->problem;

    s->learnt.count = 0;
    *is_useful = true;
    for (uint32_t i = p->clause_start[number]; i < p->clause_start[number + 1]; i++) {
        uint32_t literal = p->literals[i];
        bool is_new = true;

        for (size_t j = 0; j < s->learnt.count; j++) {
            is_new &= s->learnt.at[j] != literal;
            *is_useful &= s->learnt.at[j] != (literal ^ 1);
        }
        if (is_new)
            TRY(array_push(&s->learnt, literal, err));
    }
    return STATUS_OK;
}

static enum status conclude(struct solver *s, const uint32_t *by, uint32_t by_count,
                            struct error *err)
{
    uint32_t number;

    s->is_impossible = true;
    if (!s->is_logging)
        return STATUS_OK;
    return search_log_add(&s->log, &(struct log_entry){ .by = by, .by_count = by_count }, &number,
                          err);
}

enum status solver_load_clauses(struct solver *s, struct error *err)
{
    for (uint32_t c = 0; c < s->index->problem->clause_count && !s->is_impossible; c++) {
        uint32_t clause, variable;
        bool is_useful;

        TRY(gather(s, c, &is_useful, err));
        if (!is_useful)
            continue;
        if (s->learnt.count > 1) {
            TRY(solver_add_clause(s, s->learnt.at, (uint32_t)s->learnt.count, c, &clause, err));
        } else if (s->learnt.count == 0) {
            TRY(conclude(s, &c, 1, err));
        } else {
            variable = s->learnt.at[0] / 2;
            if (s->value[s->learnt.at[0]] < 0)
                TRY(conclude(s, (uint32_t[]){ s->unit[variable], c }, 2, err));
            if (s->value[s->learnt.at[0]] != 0)
                continue;
            s->unit[variable] = c;
            solver_assign(s, s->learnt.at[0], NO_CLAUSE);
        }
    }
    return STATUS_OK;
}

/* --- Forgetting ------------------------------------------------------------------- */

struct worth {
    uint32_t clause, spread;
    float activity;
};

static int compare_worth(const void *a, const void *b)
{
    const struct worth *x = a, *y = b;

    if (x->spread != y->spread)
        return x->spread > y->spread ? -1 : 1;
    if (x->activity != y->activity)
        return x->activity < y->activity ? -1 : 1;
    return (x->clause > y->clause) - (x->clause < y->clause);
}

static bool is_reason(const struct solver *s, uint32_t clause)
{
    uint32_t literal = clause_literals(s, clause)[0];

    return s->value[literal] > 0 && s->reason[literal / 2] == clause;
}

/* The worse half of those that joined more than two levels. */
static enum status doom_clauses(struct solver *s, struct error *err)
{
    struct worth *list = NULL;
    size_t count = 0;

    TRY(memory_resize((void **)&list, s->learnts.count + 1, sizeof *list, err));
    for (size_t i = 0; i < s->learnts.count; i++) {
        uint32_t clause = s->learnts.at[i];
        const struct clause_head *head = clause_head(s, clause);

        if (head->spread > 2 && head->size > 2 && !is_reason(s, clause))
            list[count++] = (struct worth){ clause, head->spread, head->activity };
    }
    qsort(list, count, sizeof *list, compare_worth);
    for (size_t i = 0; i < count / 2; i++)
        clause_head(s, list[i].clause)->is_doomed = 1;
    free(list);
    return STATUS_OK;
}

/* Moves the clauses together, and tells reasons and lists where they went. */
static enum status compact(struct solver *s, struct error *err)
{
    uint32_t to = 0;
    size_t kept = 0;

    for (size_t l = 0; l < 2 * (size_t)s->index->problem->variable_count; l++)
        s->watches[l].count = 0;
    s->learnts.count = 0;
    for (uint32_t from = 0; from < s->words.count;) {
        uint32_t size = clause_head(s, from)->size + HEAD_WORDS;
        bool was_reason = is_reason(s, from);

        if (!clause_head(s, from)->is_doomed) {
            memmove(s->words.at + to, s->words.at + from, size * sizeof *s->words.at);
            if (was_reason)
                s->reason[clause_literals(s, to)[0] / 2] = to;
            if (clause_head(s, to)->is_learnt)
                s->learnts.at[kept++] = to; /* no more than there were */
            to += size;
        }
        from += size;
    }
    s->words.count = to;
    s->learnts.count = kept;
    for (uint32_t c = 0; c < to; c += clause_head(s, c)->size + HEAD_WORDS)
        TRY(watch_clause(s, c, err));
    return STATUS_OK;
}

enum status solver_reduce_clauses(struct solver *s, struct error *err)
{
    TRY(doom_clauses(s, err));
    TRY(compact(s, err));
    s->learnt_max += 400;
    return STATUS_OK;
}
