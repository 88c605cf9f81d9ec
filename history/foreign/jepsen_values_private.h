/*
 * What Jepsen's values say:
 *
 *     txn          [[:append k e] [:r k nil] [:w k v]], also with :read and :write
 *     read, write  v             or, where a test has many registers, [k v]
 *     cas          [old new]     or [k [old new]]
 *
 * Whether registers have keys is the same in all of a history: what is written and compared
 * says so, and what a read was invoked with. A register holds no lists, so [k v] is no value.
 */
#ifndef HISTORY_FOREIGN_JEPSEN_VALUES_PRIVATE_H
#define HISTORY_FOREIGN_JEPSEN_VALUES_PRIVATE_H

#include "history/foreign/jepsen_events_private.h"

/* jepsen_values.c: the operations that the value at that place stands for; NULL: there is none. */
MUST_USE enum status jepsen_take_ops(struct jepsen_reader *, uint32_t txn, unsigned function,
                                     const char *value, struct error *);
/* A keyword keeps its colon, so that :x and "x" are two keys. */
MUST_USE enum status jepsen_take_name(struct jepsen_reader *, struct text *name, struct error *);
/*
 * Whether a completion's value may belong to that invocation: they differ in what was read
 * alone. Adds what it looked at to `bytes_compared`.
 */
bool jepsen_values_match(struct jepsen_reader *, unsigned function, const char *invoked,
                         const char *completed);

#endif
