/*
 * engine: programs executed at once, in memory, one call after another.
 *
 * The reference for all that machines run on: a single node, no concurrency,
 * every call a transaction that happens as a whole or, when it fails, not at
 * all. On the same file and the same calls it says what PostgreSQL says.
 *
 * Tables are kept as indexes of rows: one by the primary key, one for each
 * unique and one for each foreign key. Reads go by the index of which a filter
 * pins most; their rows come in the order of the primary key. Constraints are
 * the machine's business, not the engine's.
 */
#ifndef PROGRAMS_MACHINE_ENGINE_H
#define PROGRAMS_MACHINE_ENGINE_H

#include "programs/machine/sequences.h"

struct engine;

/* How a call ended. Texts hold until the next one. */
struct engine_outcome {
    bool is_done;      /* else it failed, and nothing of it is left */
    struct datum value; /* of the function's type; null if it returns nothing */
    uint32_t line;     /* in the file, where it failed */
    const char *sqlstate, *message;
};

/* Told of each request, and of the rows that answer a READ. */
typedef void engine_watcher(void *context, const struct request *, const struct datum *const *rows,
                            uint32_t count);

MUST_USE enum status engine_open(struct engine **, const struct program *, struct error *);
void engine_close(struct engine *);

void engine_watch(struct engine *, engine_watcher *, void *context);

/* Arguments are of the parameters' types. An error is that of the memory here, not of the call. */
MUST_USE enum status engine_call(struct engine *, uint32_t function,
                                 const struct datum *arguments, struct engine_outcome *,
                                 struct error *);

/* The rows that a filter means, in the order of the key; they hold until the next call. */
MUST_USE enum status engine_read(struct engine *, const struct filter *,
                                 const struct datum *const **rows, uint32_t *count,
                                 struct error *);

/* Where its sequences stand. */
const struct sequences *engine_sequences(const struct engine *);

/* A row from elsewhere, between calls: no constraint is looked at but the primary key. */
MUST_USE enum status engine_put_row(struct engine *, uint32_t table, const struct datum *cells,
                                    struct error *);

/* All rows of a table, likewise. */
MUST_USE enum status engine_read_table(struct engine *, uint32_t table,
                                       const struct datum *const **rows, uint32_t *count,
                                       struct error *);

#endif
