/*
 * driver_builtin: the built-in workloads as clients of the store.
 *
 *     read     READ of the key                                r
 *     write    WRITE of the row, unseen                       w
 *     append   READ for write, WRITE of the longer list       append
 *     insert   READ for write; ABORT if it is there; WRITE    r, insert
 *     select   READ of the scope                              select
 *     update   READ of the scope for write, WRITE of all      update
 *     delete   likewise                                       delete
 *
 * Items and lists are rows of a table (key, value) that histories do not name. A
 * range that means one key is that key: its delete is recorded as a read and a
 * delete of an item.
 *
 * It also keeps the tally of what clients were told, for the workload's
 * invariant, and the first sight of a committed transaction that breaks it.
 */
#ifndef STORE_CLIENTS_DRIVER_BUILTIN_H
#define STORE_CLIENTS_DRIVER_BUILTIN_H

#include "programs/workloads/builtin.h"
#include "store/clients/driver.h"

struct driver_builtin;

/* The builtin must outlive it. What it holds is in the arena, but for the tally. */
MUST_USE enum status driver_builtin_open(struct driver_builtin **, const struct builtin *,
                                         struct arena *, struct error *);
void driver_builtin_close(struct driver_builtin *);
/* From now on transactions are listed there as they begin; NULL: no more. */
void driver_builtin_record(struct driver_builtin *, struct listed *);

const struct schema *driver_builtin_schema(const struct driver_builtin *);
const enum table_shape *driver_builtin_shapes(const struct driver_builtin *);
const struct driver *driver_builtin_driver(const struct driver_builtin *);

/* Called back for each row that the store holds at first. */
typedef enum status driver_add_row(void *context, uint32_t table, const struct datum *cells,
                                   struct error *);
/* Before the first transaction: which names it uses from now on, and what is there. */
MUST_USE enum status driver_builtin_load(struct driver_builtin *, struct catalog *,
                                         driver_add_row *, void *context, struct error *);

/* --- At the end ------------------------------------------------------------------------------- */

/* A row of the final state, in any order; the context is the driver, as cluster_rows() has it. */
MUST_USE enum status driver_builtin_final_row(void *driver, const struct datum *cells,
                                              struct error *);
/*
 * Whether the workload's invariant holds of the final rows and of what clients were told. If not, a
 * sentence says what is broken. Counts at the levels of builtin_invariant_holds_at() only.
 */
MUST_USE enum status driver_builtin_check(struct driver_builtin *, bool *holds,
                                          struct buffer *sentence, struct error *);
/* What the first committed transaction saw that broke the invariant; empty if none did. */
struct text driver_builtin_broken_sight(const struct driver_builtin *);

#endif
