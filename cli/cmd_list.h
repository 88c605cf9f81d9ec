/*
 * cmd_list: `ordeal list`: lists the protocols, bugs, nemeses, workloads, checkers, levels and
 * whatever else has a name.
 */
#ifndef CLI_CMD_LIST_H
#define CLI_CMD_LIST_H

#include "cli/command.h"

extern const struct command command_list;

#endif
