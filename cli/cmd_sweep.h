/*
 * cmd_sweep: `ordeal sweep`: runs many seeds of a scenario, or merges the journals of several sweeps,
 * and reports what failed. The work is done in trial/sweep.
 */
#ifndef CLI_CMD_SWEEP_H
#define CLI_CMD_SWEEP_H

#include "cli/command.h"

extern const struct command command_sweep;

#endif
