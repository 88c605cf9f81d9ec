/*
 * gaps: times of which not everything is known.
 *
 *     gap            [---------)
 *     T1  w x 1           |--|            somebody else may have written x here too,
 *     T2  r x 7                 |--|      and this is where the 7 may come from
 *     T3  w x 2                    |--|
 *     T4  r x 7                            |--|     T3 hides what was written in the gap
 *
 * A line of a stream that nobody can read, a stream that was cut, a client that is not waited
 * for any longer: within the times of what was lost, somebody may have written anything to any
 * key, and no longer after. A gap may be open: nobody knows yet when it ends. Few are kept
 * apart; of more, the one that spans them all.
 */
#ifndef CHECKERS_INTERVAL_GAPS_PRIVATE_H
#define CHECKERS_INTERVAL_GAPS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

#define GAPS_KEPT 32

struct gap {
    int64_t from, to;
};

struct gaps {
    ARRAY(struct gap) closed; /* in order, apart from each other */
    int64_t open_from;        /* where is_open */
    bool is_open;
};

void gaps_close(struct gaps *);
MUST_USE enum status gaps_add(struct gaps *, int64_t from, int64_t to, struct error *);
/* When the last gap that begins by this time ends; INT64_MIN: none does. */
int64_t gaps_end(const struct gaps *, int64_t by);

#endif
