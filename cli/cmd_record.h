/*
 * cmd_record: `ordeal record`, and what a scenario with [database] has in common with it.
 */
#ifndef CLI_CMD_RECORD_H
#define CLI_CMD_RECORD_H

#include "cli/command.h"
#include "trial/run/record_trial.h"

extern const struct command command_record;

struct record_answer {
    const struct scenario *scenario; /* that asks for it; NULL: the flags do */
    const char *out;                 /* the folder to write, or NULL */
    const char *audit_log;           /* where the log of a program's calls is to be written, or NULL */
    bool force, json;
};

/* Records, judges, writes and prints. Closes the trial, which is planned and not settled yet. */
MUST_USE enum status cmd_record_trial(struct record_trial *, const struct record_answer *,
                                      struct limits *, enum exit_code *, struct error *);

#endif
