/*
 * mariadb_server: MariaDB's server, started by us: where its program is, and what every node is told.
 */
#ifndef RECORD_MARIADB_SERVER_PRIVATE_H
#define RECORD_MARIADB_SERVER_PRIVATE_H

#include "record/mariadb_session_private.h"
#include "record/own_server.h"

struct mariadb_servers {
    struct database_options options;
    struct own_server server;
    char program[OWN_SERVER_PATH_SIZE + 32];
};

/*
 * Whether each statement is a query of its own: by the setting multi_statements, which is the clients'
 * and not the server's, or else as usual.
 */
MUST_USE enum status mariadb_server_is_single(const struct database_options *, bool usual,
                                              bool *is_single, struct error *);

/* Whether the settings make tables of MyRocks. */
bool mariadb_server_is_rocks(const struct database_options *);

/* Finds the program, and opens the folder. */
MUST_USE enum status mariadb_server_open(struct mariadb_servers *, unsigned node_count,
                                         struct error *);

/*
 * Adds the arguments of a node, each with a zero byte at its end, without the user's settings, which come last.
 */
void mariadb_server_begin_arguments(const struct mariadb_servers *, unsigned node, struct buffer *);
/* Adds the settings, starts the node, and waits until it takes connections. Closes the arguments. */
MUST_USE enum status mariadb_server_start(struct mariadb_servers *, unsigned node,
                                          struct buffer *arguments, int64_t patience_ns,
                                          struct error *);
/* The same for a call that ends. */
MUST_USE enum status mariadb_server_run(struct mariadb_servers *, struct buffer *arguments,
                                        struct error *);
struct mariadb_address mariadb_server_address(const struct mariadb_servers *, unsigned node);

/* An error of the node's log, the last that says something. */
void mariadb_server_last_error(const struct mariadb_servers *, unsigned node, char *to,
                               size_t size);

#endif
