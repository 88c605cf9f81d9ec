/*
 * mariadb_session: a client of MariaDB. What it shares with others stands in a manner; which server
 * it talks to, in an address.
 *
 * A transaction's steps are sent as one query of several statements, if the manner allows it, so that
 * a batch costs one round trip. The server stops at the first that fails.
 */
#ifndef RECORD_MARIADB_SESSION_PRIVATE_H
#define RECORD_MARIADB_SESSION_PRIVATE_H

#include <mysql.h>
#include <pthread.h>

#include "record/database.h"
#include "record/mariadb_address_private.h"

/*
 * The server keeps Binlog_snapshot_position once for all sessions, so that they ask one after
 * another. Where a file of the log begins, it is told before the last commits of the file before can
 * be seen. Those are among the commits that clients wait for when the file is first told, so that its positions
 * are believed when all of these have been answered.
 */
struct mariadb_positions {
    pthread_mutex_t one_asks;
    pthread_mutex_t mutex; /* of what follows */
    uint64_t file;         /* the last that was told */
    unsigned in_flight,
        old; /* commits that were sent and not answered; of these, before `file` was told */
};

/*
 * How sessions work. A snapshot of theirs is a text as in record/commit_ranks.h, whose numbers are
 * places in the binary log: at snapshot mariadb_binlog_place(), at serializable those of GTIDs.
 */
struct mariadb_manner {
    const struct stored_table *table;
    enum level isolation;
    bool certifies;
    bool is_single; /* each statement is a query of its own, and a round trip */
    struct mariadb_positions *positions; /* of one that certifies; else NULL */
};

/* STATUS_IO: not now. */
MUST_USE enum status mariadb_session_connect(MYSQL **, const struct mariadb_address *,
                                             struct error *);
/* The server writes to this file now. */
void mariadb_session_note_file(struct mariadb_positions *, uint64_t file);
/* The first value of the answer goes to `answer`, which may be NULL. */
MUST_USE enum status mariadb_session_ask(MYSQL *, const char *sql, char *answer, size_t size,
                                         struct error *);

/* As a database's query. */
MUST_USE enum status mariadb_session_query(MYSQL *, const char *sql, struct buffer *value,
                                           struct error *);

/* `setup` is a statement that it sends first, or NULL. */
MUST_USE enum status mariadb_session_open(void **session, const struct mariadb_manner *,
                                          const struct mariadb_address *, const char *setup,
                                          struct error *);
MUST_USE enum status mariadb_session_steps(void *session, const struct database_step *,
                                           uint32_t count, struct database_answer *,
                                           struct error *);
void mariadb_session_close(void *session);

/* The empty table, and its first rows, by one connection. */
MUST_USE enum status mariadb_session_load(MYSQL *, const struct stored_table *,
                                          const struct builtin *, bool *has_table, struct error *);

#endif
