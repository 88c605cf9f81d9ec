/*
 * cmd_predict: `ordeal predict`: what a weaker level could have let the same clients see.
 */
#ifndef CLI_CMD_PREDICT_H
#define CLI_CMD_PREDICT_H

#include "cli/command.h"

extern const struct command command_predict;

#endif
