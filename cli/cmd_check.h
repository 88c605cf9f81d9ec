/*
 * cmd_check: `ordeal check`: judges one or several histories from files.
 */
#ifndef CLI_CMD_CHECK_H
#define CLI_CMD_CHECK_H

#include "cli/command.h"

extern const struct command command_check;

#endif
