/*
 * cmd_convert: `ordeal convert`: reads a history in one format and writes it in another.
 */
#ifndef CLI_CMD_CONVERT_H
#define CLI_CMD_CONVERT_H

#include "cli/command.h"

extern const struct command command_convert;

#endif
