/*
 * cmd_watch: `ordeal watch`: judges histories that still grow, with the checker interval.
 */
#ifndef CLI_CMD_WATCH_H
#define CLI_CMD_WATCH_H

#include "cli/command.h"

extern const struct command command_watch;

#endif
