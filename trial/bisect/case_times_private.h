/*
 * case_times: changes when things happen in a case: shorter pauses, an earlier end, rounder times.
 */
#ifndef TRIAL_BISECT_CASE_TIMES_PRIVATE_H
#define TRIAL_BISECT_CASE_TIMES_PRIVATE_H

#include "trial/bisect/case_private.h"

/* No pause longer than this: between what begins or ends and the next. */
MUST_USE enum status case_tighten(struct bisect_case *, const struct bisect_case *, int64_t pause_ns,
                                  struct error *);

/* Everything later by as much as lets the first thing happen at `start_ns`, if it is earlier. */
MUST_USE enum status case_start(struct bisect_case *, const struct bisect_case *, int64_t start_ns,
                                struct error *);

/* Times and durations to the next multiple of the unit. */
MUST_USE enum status case_round(struct bisect_case *, const struct bisect_case *, int64_t unit_ns,
                                struct error *);

/* Ends so long after the last thing begins or ends, but not later than before. */
void case_shorten(struct bisect_case *, int64_t after_ns);

/* Faults end then, and clients begin no more. */
MUST_USE enum status case_until(struct bisect_case *, const struct bisect_case *, int64_t end_ns,
                                struct error *);

/* When the last thing begins or ends, or the run is over, whichever is earlier. */
int64_t case_end_ns(const struct bisect_case *);

#endif
