/*
 * cmd_explore: `ordeal explore`: runs all that can happen in a small scenario. The work is done in trial/explore.
 */
#ifndef CLI_CMD_EXPLORE_H
#define CLI_CMD_EXPLORE_H

#include "cli/command.h"

extern const struct command command_explore;

#endif
