/*
 * cmd_prove: `ordeal prove`: shows which checker finds which bug. The work is done in trial/prove.
 */
#ifndef CLI_CMD_PROVE_H
#define CLI_CMD_PROVE_H

#include "cli/command.h"

extern const struct command command_prove;

#endif
