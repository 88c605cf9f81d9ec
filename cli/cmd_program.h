/*
 * cmd_program: `ordeal program`: lists the tables and functions of a program of SQL, or calls its
 * functions on the embedded engine.
 */
#ifndef CLI_CMD_PROGRAM_H
#define CLI_CMD_PROGRAM_H

#include "cli/command.h"

extern const struct command command_program;

#endif
