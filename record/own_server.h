/*
 * own_server: a server of our own, its private folder, and the watchdog that takes both away if we
 * cannot.
 *
 *     TRY(own_server_open(&server, err));                a folder, which the server's user owns
 *     TRY(own_server_run(&server, argv, err));           a program that ends: initdb
 *     TRY(own_server_start(&server, argv, err));         the one that stays
 *     ... own_server_is_alive(&server) ... own_server_kill(&server) ... own_server_start(...) again ...
 *     own_server_close(&server);
 *
 * As root, programs run as the user `postgres`, or else `nobody`: servers refuse to be root. A
 * watchdog process holds a pipe to us; if we end in whatever way, it kills the server and removes
 * the folder. Everything that the programs print goes to FOLDER/log.
 */
#ifndef RECORD_OWN_SERVER_H
#define RECORD_OWN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define OWN_SERVER_PATH_SIZE 256

struct own_server {
    char folder[OWN_SERVER_PATH_SIZE]; /* empty: it is not open */
    pid_t pid;                         /* 0: none runs */
    pid_t watchdog;
    int watchdog_pipe;
    uid_t user; /* that programs run as, */
    gid_t group;
    bool changes_user; /* if they run as another */
};

MUST_USE enum status own_server_open(struct own_server *, struct error *);
/* Everything ends: SIGINT first, then SIGKILL. */
void own_server_close(struct own_server *);

/* The first word is a path. Fails with the last line of what it said. */
MUST_USE enum status own_server_run(struct own_server *, const char *const *argv, struct error *);
MUST_USE enum status own_server_start(struct own_server *, const char *const *argv, struct error *);
bool own_server_is_alive(struct own_server *);
/* SIGKILL to the server and all its children; returns when none of them is left. */
MUST_USE enum status own_server_kill(struct own_server *, struct error *);
/* The last line of what its programs said, or "". */
void own_server_last_words(const struct own_server *, char *to, size_t size);

/* Adds to a file of its folder. */
MUST_USE enum status own_server_write(struct own_server *, const char *name, const char *text,
                                      struct error *);

#endif
