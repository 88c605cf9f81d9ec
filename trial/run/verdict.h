/*
 * verdict: what a verdict is called.
 */
#ifndef TRIAL_RUN_VERDICT_H
#define TRIAL_RUN_VERDICT_H

#include "checkers/checker.h"

const char *verdict_name(enum verdict);

#endif
