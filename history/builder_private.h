/*
 * builder_private: what the builder's files share.
 *
 * builder.c holds columns, names, transactions, item operations and the names of versions;
 * builder_tables.c tables, lists, rows and statements.
 */
#ifndef HISTORY_BUILDER_PRIVATE_H
#define HISTORY_BUILDER_PRIVATE_H

#include "history/builder.h"
#include "history/history_private.h"
#include "history/tables.h"

/* Behind BUILDER_RESERVE(): makes room in every column of the group, and an extra element. */
MUST_USE enum status builder_grow(struct builder *, enum history_group, size_t more,
                                  struct error *);

#define BUILDER_RESERVE(b, group, more, err)                                                       \
    ((b)->group##_room - (b)->group##_count >= (size_t)(more)                                      \
         ? STATUS_OK                                                                               \
         : builder_grow((b), GROUP_##group, (size_t)(more), (err)))

/* What the operation being described is: an item operation or a statement's head. */
size_t builder_op_at_hand(const struct builder *);

enum key_mark { KEY_HAS_INITIAL = 1, KEY_HAS_ORDER = 2 };

/* Refuses what the key has already. */
MUST_USE enum status builder_mark_key(struct builder *, uint32_t key, enum key_mark,
                                      const char *what, struct error *);

/* The end of a transaction's operations. */
size_t builder_txn_end(const struct builder *, size_t txn);

#endif
