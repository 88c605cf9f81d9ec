/*
 * cmd_record: `ordeal record`: a workload runs on a real database, and its history is judged.
 */
#ifndef CLI_CMD_RECORD_H
#define CLI_CMD_RECORD_H

#include "cli/command.h"

extern const struct command command_record;

#endif
