/*
 * predict_program: the programs whose transactions `ordeal predict` looks at, and what they called.
 *
 *     HISTORY           --program
 *     log of calls      FILE.sql or SCENARIO      the log's calls, executed one after another
 *     history           SCENARIO                  the scenario's run on the directed store, always reading the latest
 *
 * The calls of any other run are in the log that `ordeal run --audit-log` writes.
 */
#ifndef CLI_PREDICT_PROGRAM_H
#define CLI_PREDICT_PROGRAM_H

#include <stdatomic.h>

#include "predict/calls.h"
#include "predict/dataflow.h"
#include "trial/scenario/scenario.h"

struct predict_program {
    struct program program;
    char path[SCENARIO_PATH_SIZE]; /* of the program */
    struct call_log log;
    struct predict_calls calls;
    struct buffer text; /* of the log, where it comes from a run */
    bool has_log;
};

/* Whether HISTORY is a log of calls. */
bool predict_program_is_log(const char *history);
/* Reads the log of calls. Closed by predict_program_close(), whatever the status. */
MUST_USE enum status predict_program_read(struct predict_program *, const char *program,
                                          const char *log, struct error *);
/* Runs the scenario on the directed store for its calls; refused if the history is not of that run. */
MUST_USE enum status predict_program_run(struct predict_program *, const char *scenario,
                                         const struct dataflow *, const atomic_bool *stop,
                                         struct error *);
void predict_program_close(struct predict_program *);

#endif
