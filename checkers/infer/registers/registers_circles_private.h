/*
 * registers_circles: finds keys whose inferred version order has a cycle.
 */
#ifndef CHECKERS_INFER_REGISTERS_REGISTERS_CIRCLES_PRIVATE_H
#define CHECKERS_INFER_REGISTERS_REGISTERS_CIRCLES_PRIVATE_H

#include "checkers/infer/registers/registers.h"

/* registers_circles.c: keys whose versions precede each other; they lose those links. */
MUST_USE enum status registers_find_circles(struct registers *, struct error *);

#endif
