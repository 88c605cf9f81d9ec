/*
 * difference: finds the first event in which two runs differ, for --twice.
 *
 * Checkpoints of the two traces give a window of events. Both runs are then repeated to look into that
 * window.
 */
#ifndef TRIAL_RUN_DIFFERENCE_H
#define TRIAL_RUN_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "history/progress.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"

struct difference {
    bool found;
    uint64_t event;              /* the number of the event, from 0 */
    struct buffer first, second; /* it, as a person reads it, in the one and the other run */
};

/* `first` has run already; the second run is of `again`, the same scenario unless in tests. */
MUST_USE enum status difference_find(struct difference *, const struct simulation *first,
                                     const struct scenario *, const struct scenario *again,
                                     const struct progress *, struct error *);
void difference_close(struct difference *);

#endif
