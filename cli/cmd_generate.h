/*
 * cmd_generate: `ordeal generate`: writes a history that is correct at a level by construction, if
 * wanted with one planted anomaly.
 */
#ifndef CLI_CMD_GENERATE_H
#define CLI_CMD_GENERATE_H

#include "cli/command.h"

extern const struct command command_generate;

#endif
