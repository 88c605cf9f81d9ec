#include "verify/prediction/propagation_private.h"

#include <assert.h>
#include <stdlib.h>

enum status propagation_init(struct propagation *p, uint32_t variable_count, struct error *err)
{
    *p = (struct propagation){ .variable_count = variable_count };
    p->watch = calloc((size_t)variable_count * 2 + 2, sizeof *p->watch);
    p->value = calloc((size_t)variable_count * 2 + 2, sizeof *p->value);
    p->trail = calloc((size_t)variable_count + 1, sizeof *p->trail);
    return p->watch && p->value && p->trail
               ? STATUS_OK
               : error_set(err, STATUS_OVER_LIMIT, "no memory to verify a prediction");
}

void propagation_close(struct propagation *p)
{
    array_close(&p->literals);
    array_close(&p->start);
    array_close(&p->size);
    array_close(&p->next);
    free(p->watch);
    free(p->value);
    free(p->trail);
}

static bool is_true(const struct propagation *p, uint32_t literal)
{
    return p->value[literal];
}

static bool is_false(const struct propagation *p, uint32_t literal)
{
    return p->value[literal ^ 1];
}

/* False: it is false already. */
static bool make_true(struct propagation *p, uint32_t literal)
{
    if (is_true(p, literal))
        return true;
    if (is_false(p, literal))
        return false;
    p->value[literal] = 1;
    p->trail[p->trail_count++] = literal;
    return true;
}

static void watch(struct propagation *p, uint32_t clause, unsigned which)
{
    uint32_t literal = p->literals.at[p->start.at[clause] + which];

    p->next.at[(size_t)clause * 2 + which] = p->watch[literal];
    p->watch[literal] = (clause + 1) * 2 + which;
}

/* The clause's watched literal became false: another one is watched, or the other watched one is true. */
static bool visit(struct propagation *p, uint32_t clause, unsigned which, bool *is_moved)
{
    uint32_t *at = p->literals.at + p->start.at[clause], left = at[which];

    p->visits++;
    *is_moved = false;
    if (is_true(p, at[!which]))
        return true;
    for (uint32_t i = 2; i < p->size.at[clause]; i++)
        if (!is_false(p, at[i])) {
            at[which] = at[i];
            at[i] = left;
            watch(p, clause, which);
            *is_moved = true;
            return true;
        }
    return make_true(p, at[!which]);
}

/* False: a contradiction. */
static bool propagate(struct propagation *p)
{
    while (p->done < p->trail_count) {
        uint32_t literal = p->trail[p->done++] ^ 1, link = p->watch[literal];
        bool is_sound = true;

        p->watch[literal] = 0;
        while (link > 0) {
            uint32_t clause = link / 2 - 1, next = p->next.at[(size_t)clause * 2 + link % 2];
            bool is_moved = false;

            if (is_sound)
                is_sound = visit(p, clause, link % 2, &is_moved);
            if (!is_moved) {
                p->next.at[(size_t)clause * 2 + link % 2] = p->watch[literal];
                p->watch[literal] = link;
            }
            link = next;
        }
        if (!is_sound)
            return false;
    }
    return true;
}

/* Literals that are not false come first. */
static size_t put_open_first(const struct propagation *p, uint32_t *at, size_t count)
{
    size_t open = 0;

    for (size_t i = 0; i < count && open < 2; i++)
        if (!is_false(p, at[i])) {
            uint32_t literal = at[i];

            at[i] = at[open];
            at[open++] = literal;
        }
    return open;
}

enum status propagation_add(struct propagation *p, const uint32_t *literals, size_t count,
                            struct error *err)
{
    uint64_t start = p->literals.count;
    size_t open;

    if (p->is_contradictory)
        return STATUS_OK;
    TRY(array_reserve(&p->literals, count, err));
    TRY(array_reserve(&p->next, 2, err));
    for (size_t i = 0; i < count; i++)
        p->literals.at[start + i] = literals[i];
    open = put_open_first(p, p->literals.at + start, count);
    if (open < 2) {
        p->is_contradictory = open == 0 || !make_true(p, p->literals.at[start]) || !propagate(p);
        return STATUS_OK; /* it says nothing more */
    }
    TRY(array_push(&p->start, start, err));
    TRY(array_push(&p->size, (uint32_t)count, err));
    p->literals.count += count;
    p->next.count += 2;
    watch(p, (uint32_t)p->start.count - 1, 0);
    watch(p, (uint32_t)p->start.count - 1, 1);
    return STATUS_OK;
}

bool propagation_implies(struct propagation *p, const uint32_t *literals, size_t count)
{
    size_t before = p->trail_count;
    bool is_sound = !p->is_contradictory;

    assert(p->done == p->trail_count || p->is_contradictory);
    for (size_t i = 0; i < count && is_sound; i++)
        is_sound = make_true(p, literals[i] ^ 1);
    is_sound = is_sound && propagate(p);
    while (p->trail_count > before && !p->is_contradictory)
        p->value[p->trail[--p->trail_count]] = 0;
    p->done = p->trail_count;
    return !is_sound;
}
