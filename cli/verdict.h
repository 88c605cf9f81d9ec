/*
 * verdict: what a verdict is called, and which exit status says it.
 */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "checkers/checker.h"
#include "cli/command.h"

const char *verdict_name(enum verdict);
enum exit_code verdict_exit_code(enum verdict);

#endif
