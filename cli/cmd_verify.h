/*
 * cmd_verify: `ordeal verify`: accepts or refuses a witness against its history. The work is done in
 * verify.
 */
#ifndef CLI_CMD_VERIFY_H
#define CLI_CMD_VERIFY_H

#include "cli/command.h"

extern const struct command command_verify;

#endif
