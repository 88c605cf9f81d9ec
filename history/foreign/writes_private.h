/*
 * writes: who wrote the value that somebody read, for the formats that name writers.
 *
 * It also settles which transactions such formats, and those without unknown outcomes, have:
 * the committed ones, and those of unknown outcome that a committed one read from. These did
 * commit, or the store would have shown what it rolled back; what they read means
 * nothing and is left out. Where nobody can say which of several writes of one value was read, and an
 * unknown outcome hangs on it, the history is refused.
 */
#ifndef HISTORY_FOREIGN_WRITES_PRIVATE_H
#define HISTORY_FOREIGN_WRITES_PRIVATE_H

#include "base/array.h"
#include "history/history.h"

struct write {
    struct value value;
    uint32_t key, txn, op;
};

struct writes {
    ARRAY(struct write) all;  /* by key, value and operation */
    ARRAY(uint32_t) unknown;  /* by place in them, and one more: how many of unknown outcome precede */
    bool *has_txn;           /* by transaction: the format has it */
};

enum source_kind {
    SOURCE_INITIAL, /* nobody wrote it, and the key begins with it */
    SOURCE_WRITE,
    SOURCE_NOBODY,
    SOURCE_SEVERAL
};

/* Closed by writes_close(), also after a failure. */
MUST_USE enum status writes_init(struct writes *, const struct history *, struct error *);
void writes_close(struct writes *);
/* Only who wrote what: no transaction is settled, and none is refused. */
MUST_USE enum status writes_collect(struct writes *, const struct history *, struct error *);

/*
 * Where the value of a read comes from; `writer` is set for SOURCE_WRITE. What the transaction itself
 * wrote before comes first; several writes by one transaction are one, the last.
 */
enum source_kind writes_source(const struct writes *, const struct history *, uint32_t txn,
                               uint32_t op, struct write *writer);

#endif
