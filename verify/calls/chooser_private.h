/*
 * chooser: which states a transaction may have seen, one choice after another.
 *
 *     chooser_begin(&c, kind, limit)
 *     while (chooser_next(&c)) run it, with chooser_see() and the chooser as context
 *
 * All runs that can differ are made, none of them twice: states in which nothing that a statement looked at
 * has changed are one choice.
 */
#ifndef VERIFY_CALLS_CHOOSER_PRIVATE_H
#define VERIFY_CALLS_CHOOSER_PRIVATE_H

#include "verify/calls/run_private.h"

enum chooses {
    CHOOSES_NOTHING,    /* all statements see the limit */
    CHOOSES_ONE,        /* one state for all */
    CHOOSES_EACH,       /* a state for each statement */
    CHOOSES_FORWARD,    /* which never go down */
    CHOOSES_EACH_ROW,   /* a state for each row of each statement */
};

struct choice {
    const struct row_entry *entry; /* or NULL: of a state */
    uint32_t value, low, began;    /* a state, or how many versions of the row */
};

struct chooser {
    enum chooses chooses;
    uint32_t limit; /* the last state that may be seen */
    bool is_first, has_overflowed;
    struct choice *choices;
    uint32_t made, kept, room; /* in this run; taken over from the last one */
    uint32_t statement;        /* the first choice of the statement at hand */
};

void chooser_begin(struct chooser *, enum chooses, uint32_t limit, struct choice *choices, uint32_t room);
bool chooser_next(struct chooser *);
void chooser_see(struct run *, uint32_t statement);
/* The state that all statements saw, with CHOOSES_ONE. */
uint32_t chooser_state(const struct chooser *);

#endif
