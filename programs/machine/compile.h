/*
 * compile: from what a program says to how it is run.
 *
 * Cannot refuse what analysis let pass, but for size: more than 65,535 slots or
 * constants in one function, or more than SOURCES_MAX tables in one statement.
 */
#ifndef PROGRAMS_MACHINE_COMPILE_H
#define PROGRAMS_MACHINE_COMPILE_H

#include "base/arena.h"
#include "base/error.h"
#include "programs/machine/code_private.h"
#include "programs/sql/tree.h"

/* Code refers to the tree, and lives in the arena. The error has the file's line. */
MUST_USE enum status compile_program(const struct program_tree *, struct arena *,
                                     const struct code **, struct error *);

#endif
