/*
 * own_server: a server of our own, its nodes, its private folder, and the watchdog that takes all of
 * them away if we cannot.
 *
 *     TRY(own_server_open(&server, err));                a folder, which the server's user owns
 *     TRY(own_server_run(&server, argv, err));           a program that ends: initdb
 *     TRY(own_server_start(&server, 0, argv, err));      one that stays, as node 0
 *     TRY(own_server_start(&server, 1, argv, err));      another, if there are several
 *     ... own_server_is_alive(&server, 0) ... own_server_kill(&server, 0) ... own_server_start() again ...
 *     own_server_close(&server);
 *
 * As root, programs run as the user `postgres`, or else `nobody`: servers refuse to be root. A
 * watchdog process holds a pipe to us; if we end in whatever way, it kills the nodes and removes
 * the folder. What programs that end print goes to FOLDER/log, what a node prints to FOLDER/log-N.
 */
#ifndef RECORD_OWN_SERVER_H
#define RECORD_OWN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define OWN_SERVER_PATH_SIZE 256
#define OWN_SERVER_NODES_MAX 16

struct own_server {
    char folder[OWN_SERVER_PATH_SIZE]; /* empty: it is not open */
    pid_t pids[OWN_SERVER_NODES_MAX];  /* of its nodes; 0: it does not run */
    pid_t watchdog;
    int watchdog_pipe;
    uid_t user; /* that programs run as, */
    gid_t group;
    bool changes_user; /* if they run as another */
};

MUST_USE enum status own_server_open(struct own_server *, struct error *);
/* All nodes end: SIGINT first, then SIGKILL. */
void own_server_close(struct own_server *);

/* The first word is a path. Fails with the last line of what it said. */
MUST_USE enum status own_server_run(struct own_server *, const char *const *argv, struct error *);

/* The same for a program that stays. The node must not run. */
MUST_USE enum status own_server_start(struct own_server *, unsigned node, const char *const *argv,
                                      struct error *);
bool own_server_is_alive(struct own_server *, unsigned node);
/* SIGKILL to the node and all its children; returns when none of them is left. */
MUST_USE enum status own_server_kill(struct own_server *, unsigned node, struct error *);
/* SIGSTOP to the node and all its children, or SIGCONT. */
MUST_USE enum status own_server_pause(struct own_server *, unsigned node, bool begins,
                                      struct error *);
/* The last line of what the node said, or "". */
void own_server_last_words(const struct own_server *, unsigned node, char *to, size_t size);

/* Of 127.0.0.1, for a node that cannot listen on a socket of the folder. */
MUST_USE enum status own_server_free_ports(unsigned *ports, unsigned count, struct error *);

/* Adds to a file of its folder. */
MUST_USE enum status own_server_write(struct own_server *, const char *name, const char *text,
                                      struct error *);

#endif
