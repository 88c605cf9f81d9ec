/*
 * rerun: repeats a run in a new process, by the command line that is reported.
 *
 *     ordeal run scenarios/bank.toml --seed 7 --json
 *
 * The new process has other addresses and nothing left over from earlier runs. It must leave the same
 * trace and find the same failures. If the machine fails it (it is killed, or exits with 2), that is
 * an error and says nothing about the run.
 */
#ifndef TRIAL_SWEEP_RERUN_PRIVATE_H
#define TRIAL_SWEEP_RERUN_PRIVATE_H

#include <stdbool.h>

#include "base/error.h"
#include "trial/run/outcome.h"

struct rerun {
    const char *path;
    uint64_t seed;
    const char *const *sets;
    size_t set_count;
};

/*
 * Whether the run comes out as the outcome says. If not, `how` tells what came out
 * instead.
 */
MUST_USE enum status rerun_confirms(const struct rerun *, const struct run_outcome *, bool *confirms,
                                    struct buffer *how, struct error *);

/* Whether it dies by this signal, or with this exit status if there is no signal. */
MUST_USE enum status rerun_dies(const struct rerun *, int signal, int exit_status, bool *dies,
                                struct buffer *how, struct error *);

#endif
