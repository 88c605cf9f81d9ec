/*
 * commit_owners: which client's transaction each commit of the database's own order is.
 *
 * By the number that the client was told, or if it was told nothing by what it would have written. Numbers are
 * used again after a crash, so what was written must fit as well.
 */
#ifndef RECORD_COMMIT_OWNERS_H
#define RECORD_COMMIT_OWNERS_H

#include "record/record_history.h"

#define NO_COMMIT SIZE_MAX

/* A transaction of a log, by the time of its invocation. */
struct placed_txn {
    const struct client_log *log;
    const struct log_txn *txn;
    size_t commit; /* of the order; NO_COMMIT: none */
};

typedef ARRAY(struct placed_txn) placed_txns;

/*
 * Gives each transaction its commit, each commit its transaction or NO_COMMIT, to be freed, and counts what does not
 * fit.
 */
MUST_USE enum status commit_owners_find(placed_txns *, const struct recovered_order *,
                                        size_t **commit_txns, struct record_certificate *,
                                        struct error *);

bool commit_owners_may_write(enum builtin_request_kind);
/* It has written, as far as it was told. */
bool commit_owners_has_written(const struct placed_txn *);

#endif
