/*
 * outcome_line: what a run came to as the line that journals have, for who is not in this room.
 */
#ifndef TESTS_TRIAL_RUN_OUTCOME_LINE_H
#define TESTS_TRIAL_RUN_OUTCOME_LINE_H

#include <assert.h>

#include "trial/run/outcome.h"

static inline bool outcome_line_of(const struct trial *trial, struct buffer *line, struct error *err)
{
    struct run_outcome outcome = { 0 };
    bool is_made = outcome_of_trial(&outcome, trial, err) == STATUS_OK;

    if (is_made)
        outcome_print(&outcome, line);
    outcome_close(&outcome);
    return is_made;
}

/* Reads the line and prints what it says. False: it is refused. */
static inline bool outcome_line_again(struct text line, struct buffer *again, struct error *err)
{
    struct run_outcome outcome = { 0 };
    bool is_read = outcome_read(&outcome, line, err) == STATUS_OK;

    if (is_read)
        outcome_print(&outcome, again);
    outcome_close(&outcome);
    return is_read;
}

#endif
