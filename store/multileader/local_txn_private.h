/*
 * local_txn: clients' transactions at one node of a multi-leader store.
 */
#ifndef STORE_MULTILEADER_LOCAL_TXN_PRIVATE_H
#define STORE_MULTILEADER_LOCAL_TXN_PRIVATE_H

#include "store/multileader/multileader_private.h"

void local_request(struct multileader *, uint32_t client, struct text bytes);
/* Own transactions that have been applied are committed. */
void local_committed(struct multileader *, const struct delta *);
/* More has been applied: sessions may have waited for it. */
void local_wake(struct multileader *);
/* Gives up on silent clients and on sessions that have waited too long. */
void local_tick(struct multileader *);
/* A delta that says nothing, for its stamp. */
void local_mark(struct multileader *);
/* The least that any transaction at hand sees; UINT64_MAX: there is none that looks back. */
uint64_t local_oldest_snapshot(const struct multileader *);
/* The version that is seen where the log was applied up to an entry. */
const struct stored_version *local_version(const struct multileader *, uint32_t key,
                                           uint64_t snapshot);

#endif
