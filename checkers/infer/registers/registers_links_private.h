/*
 * registers_links: infers pairs of versions of a register that follow each other.
 */
#ifndef CHECKERS_INFER_REGISTERS_REGISTERS_LINKS_PRIVATE_H
#define CHECKERS_INFER_REGISTERS_REGISTERS_LINKS_PRIVATE_H

#include "checkers/infer/registers/registers.h"

/* registers_links.c: which version comes before which. */
MUST_USE enum status registers_link(struct registers *, struct error *);

#endif
