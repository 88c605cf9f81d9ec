/*
 * jepsen_values: the operations that Jepsen's values stand for.
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

/*
 * Jepsen's tests that are neither transactions nor registers:
 *
 *     set       {:f :add, :value 3}          {:f :read, :value #{1 3}}      or [1 3]
 *     counter   {:f :add, :value 3}          {:f :read, :value 17}
 *     bank      {:f :transfer, :value {:from 0, :to 1, :amount 5}}
 *               {:f :read, :value {0 10, 1 15}}                             or [10 15]
 *     mutex     {:f :acquire}                {:f :release}
 *     comments  {:f :write, :value 3}        {:f :read, :value #{1 3}}      or [1 3]
 *
 * What is added is appended to the key "added", and a read of a set is a list; the header's workload
 * says which of the two it is. A bank's accounts are keys that are read together; nobody says
 * which balances a transfer wrote, so it has no operations. Whoever acquires a mutex finds the key
 * "mutex" false and makes it true; release is the reverse. Of comments (causal-reverse is another
 * name of that test) each is a key, which its write makes true; a read is of all of them, null
 * where it did not see one. Where keys are independent, values are [k v], and k is the key; of
 * comments, k/3 is.
 */

/* Opens #{1 2}, [1 2] or (1 2); `bracket` is what edn_more() wants. */
MUST_USE enum status jepsen_open_many(struct edn *, char *bracket, const char *what,
                                      struct error *);
/* Of comments: passes `[k` where there are keys, and the key of each that comes then. */
MUST_USE enum status jepsen_comment_begin(struct jepsen_reader *, uint32_t *group, struct error *);
MUST_USE enum status jepsen_comment_key(struct jepsen_reader *, uint32_t *key, struct error *);
MUST_USE enum status jepsen_name_workload(struct jepsen_reader *, struct error *);

#endif
