/*
 * program: a file of SQL and PL/pgSQL, loaded: its tree and its code.
 *
 *     text ── libpg_query ── analyze ──> tree (what it says)
 *                                          │
 *                                       compile ──> code (how it is run)
 *
 * Parsed by PostgreSQL's own parser (libpg_query), never by hand. What the
 * language here does not have is refused with the file's line, the column
 * where the parser gives one, and the construct's name: nothing is skipped.
 */
#ifndef PROGRAMS_MACHINE_PROGRAM_H
#define PROGRAMS_MACHINE_PROGRAM_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "programs/sql/tree.h"

struct code; /* programs/machine/code_private.h */

struct program {
    struct arena arena; /* owns all below */
    struct program_tree tree;
    const struct code *code;
};

MUST_USE enum status program_load(struct program *, struct text sql, struct error *);
MUST_USE enum status program_load_file(struct program *, const char *path, struct error *);
void program_close(struct program *);

/*
 * Adds a function without name or parameters for each statement, in their order and behind those
 * that are there; it returns the rows that its statement gives (machine.h). On failure the error
 * has the statement's line and no file, and the program is as it was.
 */
MUST_USE enum status program_add_statements(struct program *, const struct program_statement *,
                                            uint32_t count, struct error *);

/* The number, or UINT32_MAX. */
uint32_t program_find_function(const struct program *, struct text name);

/* Whether its table may have such a row: as far as NOT NULL and CHECK say. The scratch heap is reset. */
bool program_admits_row(const struct program *, uint32_t table, const struct datum *row,
                        struct heap *scratch);

/* Room for the arguments of a call. */
struct program_arguments {
    struct datum *at;
    uint32_t max;
};

/* A call as text, `transfer(1, 2, 10)`: its function, and its arguments cast to the parameters. */
MUST_USE enum status program_parse_call(const struct program *, struct text call, struct heap *,
                                        uint32_t *function, struct program_arguments,
                                        struct error *);

#endif
