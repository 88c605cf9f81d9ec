/*
 * cmd_audit: `ordeal audit`: asks whether a log of calls has the right answers.
 */
#ifndef CLI_CMD_AUDIT_H
#define CLI_CMD_AUDIT_H

#include "cli/command.h"

extern const struct command command_audit;

#endif
