/*
 * cmd_explain: `ordeal explain`: explains an anomaly, a level or a bug, with the smallest history that
 * shows it.
 */
#ifndef CLI_CMD_EXPLAIN_H
#define CLI_CMD_EXPLAIN_H

#include "cli/command.h"

extern const struct command command_explain;

#endif
