#include "predict/z3/clauses_private.h"

#include <assert.h>
#include <stdlib.h>

void clauses_close(struct clauses *f)
{
    array_close(&f->literals);
    array_close(&f->clause_end);
    array_close(&f->lesses);
    array_close(&f->gathered);
}

enum status clauses_status(const struct clauses *f, struct error *err)
{
    if (f->status != STATUS_OK)
        *err = f->error;
    return f->status;
}

static void note(struct clauses *f, enum status status)
{
    if (f->status == STATUS_OK)
        f->status = status;
}

uint32_t clauses_variable(struct clauses *f)
{
    return 2 * f->variable_count++;
}

uint32_t clauses_integer(struct clauses *f)
{
    return f->integer_count++;
}

void clauses_add(struct clauses *f, const uint32_t *literals, size_t count)
{
    size_t start = f->literals.count;

    for (size_t i = 0; i < count; i++)
        if (literals[i] == CLAUSES_TRUE)
            return;
    for (size_t i = 0; i < count && f->status == STATUS_OK; i++)
        if (literals[i] != CLAUSES_FALSE)
            note(f, array_push(&f->literals, literals[i], &f->error));
    if (f->status == STATUS_OK)
        note(f, array_push(&f->clause_end, f->literals.count, &f->error));
    if (f->status != STATUS_OK)
        f->literals.count = start;
}

void clauses_less(struct clauses *f, uint32_t guard, uint32_t low, uint32_t high)
{
    assert(low < f->integer_count && high < f->integer_count && low != high);
    if (guard != CLAUSES_FALSE && f->status == STATUS_OK)
        note(f, array_push(&f->lesses, ((struct clauses_less){ guard, low, high }), &f->error));
}

void clauses_implies(struct clauses *f, const uint32_t *premises, size_t count, uint32_t conclusion)
{
    uint32_t clause[8];

    assert(count < ROW_COUNT(clause));
    for (size_t i = 0; i < count; i++)
        clause[i] = clauses_not(premises[i]);
    clause[count] = conclusion;
    clauses_add(f, clause, count + 1);
}

void clauses_gather(struct clauses *f, uint32_t literal)
{
    if (f->status == STATUS_OK)
        note(f, array_push(&f->gathered, literal, &f->error));
}

void clauses_some_gathered(struct clauses *f)
{
    clauses_add(f, f->gathered.at, f->gathered.count);
}

/* By a variable for each: it, or one before it, is true. */
void clauses_at_most_one_gathered(struct clauses *f)
{
    uint32_t before = CLAUSES_FALSE;

    for (size_t i = 0; i < f->gathered.count; i++) {
        uint32_t literal = f->gathered.at[i];
        uint32_t so_far = i + 1 < f->gathered.count ? clauses_variable(f) : CLAUSES_TRUE;

        clauses_implies(f, (uint32_t[]){ literal, before }, 2, CLAUSES_FALSE);
        clauses_implies(f, &literal, 1, so_far);
        clauses_implies(f, &before, 1, so_far);
        before = so_far;
    }
}

void clauses_forget_gathered(struct clauses *f)
{
    f->gathered.count = 0;
}

uint64_t clauses_literal_count(const struct clauses *f)
{
    uint64_t count = f->literals.count;

    for (size_t i = 0; i < f->lesses.count; i++)
        count += f->lesses.at[i].guard == CLAUSES_TRUE ? 1 : 2;
    return count;
}
