/*
 * record_inspect: what tests ask of a record that nobody else does.
 */
#ifndef TESTS_STORE_CLIENTS_RECORD_INSPECT_H
#define TESTS_STORE_CLIENTS_RECORD_INSPECT_H

#include <assert.h>

#include "store/clients/record_private.h"

/* Where the transaction was decided to be. False: it has no place, or not yet. */
static inline bool record_place(const struct run_record *r, uint64_t number, struct stamp *place)
{
    const struct recorded_txn *txn = &r->txns.at[number - 1];

    assert(number >= 1 && number <= r->txns.count);
    *place = txn->place;
    return txn->has_place;
}

/* How often the store said something else of a transaction than it had said before. */
static inline uint64_t record_contradictions(const struct run_record *r)
{
    return r->contradictions;
}

#endif
