/*
 * postgres_server: PostgreSQL's processes: one node, a primary and its standby, or a publisher and its
 * subscriber; and the faults that they suffer.
 *
 * Nodes have a data folder each, node 1 a copy of the first one's, and listen on sockets of one
 * folder under different ports, or each in its own network. A standby streams from the primary, and
 * replays later what has committed there; a subscriber gets the rows of each transaction when that has
 * committed, and applies them in a transaction of its own, one after another.
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
    bool promotes;   /* if the primary is killed, the standby takes over, and it stays dead */
    bool is_logical; /* node 1 is no standby, but subscribes to what is written on node 0 */
    bool has_table, has_slot;
};

extern const char *const postgres_modes[];

MUST_USE enum status postgres_server_start(struct postgres *, struct buffer *version,
                                           struct error *);
/* With a subscriber, before the table on node 0 has rows. */
MUST_USE enum status postgres_server_subscribe(struct postgres *, const char *create_table,
                                               struct error *);
/* A standby, or a subscriber, has the table's first rows. */
MUST_USE enum status postgres_server_await_standby(struct postgres *, struct error *);
/* As in struct database. */
MUST_USE enum status postgres_server_fault(void *server, enum database_fault, bool begins,
                                           uint32_t turn, bool *is_felt, struct error *);
void postgres_server_stop(struct postgres *);

/* --- Questions --- */

MUST_USE enum status postgres_refuse(const char *what, const char *message, struct error *);
/* To be closed by PQfinish(). */
PGconn *postgres_connect(const char *conninfo);
bool postgres_is_fine(const PGresult *);
/* The first value of the answer goes to `answer`, which may be NULL. */
MUST_USE enum status postgres_ask(PGconn *, const char *sql, char *answer, size_t size,
                                  struct error *);

#endif
