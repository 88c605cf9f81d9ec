/*
 * record_private: what the clients of a recording share, for record.c and record_program.c.
 */
#ifndef RECORD_RECORD_PRIVATE_H
#define RECORD_RECORD_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "record/live_lines.h"
#include "record/live_note.h"
#include "record/record.h"
#include "record/watchdog.h"

#define ATTEMPTS_MAX 16 /* of one transaction that the database rolls back */

struct record_program;

/* What the clients share. */
struct record_stage {
    const struct record_plan *options;
    const struct database *database;
    void *server;
    struct record_program *program; /* NULL: a built-in workload */
    struct builtin builtin;
    uint32_t clients;
    struct stored_table table;
    struct watchdog watchdog; /* of the table in a server that is not ours */
    char table_name[64];
    struct live_lines live; /* where somebody watches */
    bool is_live;           /* it is open */
    struct buffer lines;    /* that were taken from there */
    int64_t began_ns, until_ns;
    atomic_bool is_over;
    atomic_uint running; /* clients */
    atomic_uint_fast64_t begun, ended;

    pthread_mutex_t mutex; /* what follows */
    struct builtin_tally tally;
    struct recorded_run *recording;
    struct live_note note;
    struct error failure; /* the first; STATUS_OK: none */
};

struct record_client {
    struct record_stage *stage;
    struct client_log *log;
    pthread_t thread;
    uint32_t number, incarnation;
    void *session;
    struct database_answer answer;
    struct database_step *steps;
    struct buffer text, room; /* of a call */
    bool is_running;
};

/* The number of the client's session. */
uint32_t record_session(const struct record_client *);
/* A transaction is over: for the counts. The mutex is held. */
void record_count(struct record_client *, enum txn_status);
/* Whether it is known what became of it; if the connection was lost, only before the commit was sent. */
enum txn_status record_status(const struct record_client *, enum database_step_kind last);
/* A finding that there is no memory to tell of must not get lost. */
MUST_USE enum status record_broken(struct recorded_run *, struct buffer *sentence, struct error *);
/* While the server is down there is no connection to be had: then it waits. */
MUST_USE enum status record_open_session(struct record_client *, struct error *);
void record_close_session(struct record_client *);

#endif
