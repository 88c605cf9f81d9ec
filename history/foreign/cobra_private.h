/*
 * cobra: Cobra's logs, a folder of files `*.log`, one a session. A record is a byte and
 * words of 64 bits, the most significant byte first:
 *
 *     S txn                                begins
 *     R writer-txn write-id key hash       reads; hash is that of the value
 *     W write-id key hash                  writes
 *     C txn                                commits
 *
 * Time-ordered logs have a time behind the numbers of S and C, which is seen from
 * where the next record begins. Aborted transactions are not logged.
 *
 * A write is known by its write-id, and a read that names another hash or transaction than the
 * write did has read what nobody wrote. Clients that could not store ids with their
 * values log one universal id for all: then a write is known by its hash, and
 * need not be the only one with it. One such record makes it so for all of the folder.
 */
#ifndef HISTORY_FOREIGN_COBRA_PRIVATE_H
#define HISTORY_FOREIGN_COBRA_PRIVATE_H

#include "history/foreign/foreign_private.h"

#define COBRA_INITIAL UINT64_C(0xbebeebee)
#define COBRA_NULL UINT64_C(0xdeadbeef)
#define COBRA_UNIVERSAL UINT64_C(0xabddefee)

/* A time from here on begins with a byte that could be a record's: it would not be told from one. */
#define COBRA_TIME_END (INT64_C(0x43) << 56)

/* Numbers that mean something else than a transaction or a write. */
static inline bool cobra_is_reserved(uint64_t number)
{
    return number == COBRA_INITIAL || number == COBRA_NULL || number == COBRA_UNIVERSAL;
}

MUST_USE enum status cobra_examine(const struct history *, uint32_t *losses, struct error *);
MUST_USE enum status cobra_write(const struct history *, const char *folder, struct error *);

#endif
