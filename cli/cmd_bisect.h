/*
 * cmd_bisect: `ordeal bisect`: finds a failing run and makes it small, or finds the moment after which
 * it fails. The work is done in trial/bisect.
 */
#ifndef CLI_CMD_BISECT_H
#define CLI_CMD_BISECT_H

#include "cli/command.h"

extern const struct command command_bisect;

#endif
