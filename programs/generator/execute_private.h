/*
 * transact_private: one transaction at a time, and how its parts see it.
 *
 *     view.c        where it stands, and which versions it sees
 *     transact.c    its steps: what it reads and writes there
 *     settle.c      the values of what it did, and its versions for all others
 *
 * A try may be refused: then the steps run again at a later place. Nothing is
 * written down for others, and no value is made, before a try has come through.
 */
#ifndef PROGRAMS_GENERATOR_EXECUTE_PRIVATE_H
#define PROGRAMS_GENERATOR_EXECUTE_PRIVATE_H

#include "programs/generator/generator_private.h"

#define TRIES_MAX 4 /* the last is at the latest place, where nobody stands in the way */

/* In its present try. */
struct transaction {
    struct generator *g;
    struct actor *actor;
    struct record *record;
    int64_t now;
    enum source source;
    int64_t seen_until; /* of one place */
    struct replica *replica;
    int64_t floor; /* what a refused try was too early for */
    unsigned tries;
    bool is_refused;
};

static inline int64_t int64_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Draws a place that has not been refused, and what is seen from it. */
void view_choose(struct transaction *, bool by_predicate);
bool view_sees(const struct transaction *, const struct version *);
/* The newest clean version of the slot's key that is seen, or VERSIONS_NONE. */
uint32_t view_look(const struct transaction *, uint32_t slot);
/* A dirty one that could be seen in its place, or the clean one. */
uint32_t view_look_for_dirt(const struct transaction *, uint32_t slot, uint32_t clean);
/* Under SOURCE_STATEMENT each statement begins with a place not before the last one's. */
void view_begin_statement(struct transaction *);

/* Makes the values of the transaction's effects. */
MUST_USE enum status settle(struct transaction *, struct error *);
/* Then puts its versions where others see them. */
MUST_USE enum status settle_versions(struct transaction *, struct error *);

#endif
