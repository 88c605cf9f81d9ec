/*
 * read_back: a driver whose clients read all that the store holds, at the end of a run.
 *
 * When all has healed and nothing is under way, ordinary transactions of the
 * clients' sessions read every key that the workload has a name for, rows that are
 * absent included, a few dozen in each. They stand in the history and are judged
 * as any other: a write that was acknowledged and then lost is seen by nobody if
 * nobody reads it again.
 *
 * With leaders, a key has one place where it is read: clients share the keys.
 * With several leaders each client reads every key, at its own node and behind
 * its own session's writes.
 */
#ifndef STORE_CLIENTS_READ_BACK_H
#define STORE_CLIENTS_READ_BACK_H

#include "store/clients/driver.h"

struct read_back;

/* Keys of the first tables, as the catalog knows them now. Memory is the pool's. */
struct read_back *read_back_open(struct pool *, const struct catalog *, uint32_t table_count,
                                 uint32_t clients, bool each_reads_all);
const struct driver *read_back_driver(const struct read_back *);

#endif
