/*
 * The names of versions, and what they name.
 *
 * Writes are put in order of their keys once, when the first name is asked for:
 *
 *     key_writes   [ 0, 3, 5 ]            writes of key k are key_writes[k] .. key_writes[k+1]
 *     writes       [ t1 t4 t9 | t2 t4 ]   transaction and operation, both rising
 *
 * A version order names a key's writers about as they stand there, so each is
 * looked for from where the last was found, further and further on, or back: no
 * step of a usual order waits for memory.
 */
#ifndef HISTORY_BUILDER_VERSIONS_PRIVATE_H
#define HISTORY_BUILDER_VERSIONS_PRIVATE_H

#include "history/builder_private.h"

/* Numbers for version names that had to wait. */
MUST_USE enum status builder_resolve_sets(struct builder *, struct error *);

#endif
