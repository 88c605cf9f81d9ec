/*
 * cmd_run: `ordeal run`: runs one scenario, has the jury judge it, and reports. With --out it also
 * writes the scenario as it was run, the history and the witnesses.
 */
#ifndef CLI_CMD_RUN_H
#define CLI_CMD_RUN_H

#include "cli/command.h"

extern const struct command command_run;

#endif
