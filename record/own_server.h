/*
 * own_server: a server of our own, its nodes, its private folder, and the watchdog that takes all of
 * them away if we cannot.
 *
 *     TRY(own_server_open(&server, 2, faults, err));     a folder, which the server's user owns
 *     TRY(own_server_make_data(&server, 0, "data0", err));
 *     TRY(own_server_run(&server, argv, err));           a program that ends: initdb
 *     TRY(own_server_start(&server, 0, argv, err));      one that stays, as node 0
 *     TRY(own_server_start(&server, 1, argv, err));      another, if there are several
 *     TRY(own_server_fault(&server, DATABASE_KILL, true, 0, &is_felt, err));
 *     ... own_server_is_alive(&server, 0) ... own_server_start() again ...
 *     own_server_close(&server);
 *
 * As root, programs run as the user `postgres`, or else `nobody`: servers refuse to be root. A
 * watchdog process holds a pipe to us; if we end in whatever way, it kills the nodes and removes
 * the folder. What programs that end print goes to FOLDER/log, what a node prints to FOLDER/log-N.
 *
 * Faults are those of struct database. What a fault needs is made when the server is opened: a network
 * for each node if they will be parted or slowed, with this thread in the middle; a file system for the data
 * of each if disks will be full; a library in front of the C library if clocks will be wrong. Without the
 * rights, programs or packages it is refused, and they are named.
 */
#ifndef RECORD_OWN_SERVER_H
#define RECORD_OWN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "record/database.h"
#include "record/network.h"
#include "record/watchdog.h"

/* What nodes of any program can suffer; a wrong clock needs one that asks the C library for the time. */
#define OWN_SERVER_FAULTS                                                                          \
    (DATABASE_FAULT_BIT(DATABASE_KILL) | DATABASE_FAULT_BIT(DATABASE_PAUSE) |                      \
     DATABASE_FAULT_BIT(DATABASE_PARTITION) | DATABASE_FAULT_BIT(DATABASE_LATENCY) |               \
     DATABASE_FAULT_BIT(DATABASE_DISK_FULL))

#define OWN_SERVER_PATH_SIZE 256
#define OWN_SERVER_NODES_MAX NETWORK_NODES_MAX

struct own_server {
    char folder[OWN_SERVER_PATH_SIZE]; /* empty: it is not open */
    pid_t pids[OWN_SERVER_NODES_MAX];  /* of its nodes; 0: it does not run */
    struct watchdog watchdog;
    uid_t user; /* that programs run as, */
    gid_t group;
    bool changes_user; /* if they run as another */
    unsigned node_count;
    uint32_t faults; /* a bit for each that they will suffer */
    struct network network;
    char addresses[OWN_SERVER_NODES_MAX][NETWORK_ADDRESS_SIZE]; /* where nodes listen */
    char data[OWN_SERVER_NODES_MAX][64];                        /* "": none was made */
    unsigned wrong_clocks;                                      /* how many there have been */
    int clock_watch;                                            /* of the one that is there */
    uint64_t before; /* what was counted when the fault began: bytes of a log, or packets */
};

/* By one thread, which also closes it. */
MUST_USE enum status own_server_open(struct own_server *, unsigned node_count, uint32_t faults,
                                     struct error *);
/* All nodes end: SIGINT first, then SIGKILL. */
void own_server_close(struct own_server *);

/*
 * Words, each ending in a zero byte, as a list that ends in NULL, to be freed. The words must stay where they are.
 */
MUST_USE enum status own_server_words(const struct buffer *words, const char ***argv,
                                      struct error *);

/* The first word is a path. Fails with the last line of what it said. */
MUST_USE enum status own_server_run(struct own_server *, const char *const *argv, struct error *);

/* The same for a program that stays. The node must not run. */
MUST_USE enum status own_server_start(struct own_server *, unsigned node, const char *const *argv,
                                      struct error *);
bool own_server_is_alive(struct own_server *, unsigned node);
/* SIGKILL to the node, if it is alive, and all its children; returns when none of them is left. */
void own_server_kill(struct own_server *, unsigned node);
/*
 * A fault of a node begins, or ends. Who was killed, or has ended by itself, is not started again
 * here. `is_felt` is as in struct database: of a kill or a pause, that the process was there; of the others
 * it is known at the end.
 */
MUST_USE enum status own_server_fault(struct own_server *, enum database_fault, bool begins,
                                      unsigned node, bool *is_felt, struct error *);
void own_server_path_of_log(const struct own_server *, unsigned node, char *path, size_t size);
/* The last line of what the node said, or "". */
void own_server_last_words(const struct own_server *, unsigned node, char *to, size_t size);

/* An empty folder of the server's user, unless it is there. */
MUST_USE enum status own_server_make_folder(struct own_server *, const char *name, struct error *);
/* The same for a node's data; on a disk of its own if that may become full. */
MUST_USE enum status own_server_make_data(struct own_server *, unsigned node, const char *name,
                                          struct error *);

/* For nodes that cannot listen on a socket of the folder. */
MUST_USE enum status own_server_free_ports(unsigned *ports, unsigned count, struct error *);

/* Adds to a file of its folder. */
MUST_USE enum status own_server_write(struct own_server *, const char *name, const char *text,
                                      struct error *);

#endif
