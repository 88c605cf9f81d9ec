/*
 * postgres_server: PostgreSQL's processes: one node, or a primary and its standby; and the faults that
 * they suffer.
 *
 * Nodes have a data folder each, node 1 a copy of the first one's, and listen on sockets of one
 * folder under different ports. A standby streams from the primary through its socket, and replays
 * later what has committed there.
 */
#ifndef RECORD_POSTGRES_SERVER_PRIVATE_H
#define RECORD_POSTGRES_SERVER_PRIVATE_H

#include <libpq-fe.h>

#include "record/database.h"
#include "record/own_server.h"

#define POSTGRES_NODES_MAX 2

struct postgres {
    struct database_options options;
    struct own_server server; /* folder empty: it is not ours */
    char programs[OWN_SERVER_PATH_SIZE];
    char conninfo[POSTGRES_NODES_MAX][1024];
    PGconn *control; /* to the primary; of a server that is not ours it holds the temporary slot */
    unsigned node_count;
    _Atomic unsigned primary;
    bool promotes; /* if the primary is killed, the standby takes over, and it stays dead */
    bool has_table, has_slot;
};

extern const char *const postgres_modes[];

MUST_USE enum status postgres_server_start(struct postgres *, struct buffer *version,
                                           struct error *);
/* A standby has all that was committed so far. */
MUST_USE enum status postgres_server_await_standby(struct postgres *, struct error *);
MUST_USE enum status postgres_server_fault(struct postgres *, enum database_fault, bool begins,
                                           uint32_t turn, struct error *);
void postgres_server_stop(struct postgres *);

/* --- Questions --- */

MUST_USE enum status postgres_refuse(const char *what, const char *message, struct error *);
bool postgres_is_fine(const PGresult *);
/* The first value of the answer goes to `answer`, which may be NULL. */
MUST_USE enum status postgres_ask(PGconn *, const char *sql, char *answer, size_t size,
                                  struct error *);

#endif
