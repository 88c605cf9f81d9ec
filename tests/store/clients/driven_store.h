/*
 * driven_store: the simplest store that drivers can run on, and the record of it.
 *
 * One place, no messages. A transaction sees what was committed when it began
 * and its own writes; it commits if nobody else has committed since, and is
 * tried again otherwise: strictly serializable, and sadly slow. Whatever else
 * happens to clients happens to every so-manieth of them.
 */
#ifndef TESTS_STORE_CLIENTS_DRIVEN_STORE_H
#define TESTS_STORE_CLIENTS_DRIVEN_STORE_H

#include "store/clients/driver.h"

#define DRIVEN_CLIENTS_MAX 8

struct driven_options {
    uint32_t clients, transactions; /* of each client */
    uint32_t attempts;              /* of one transaction */
    bool interleaves;               /* else one transaction after another */
    uint64_t seed;                  /* of who goes next */
    /* One in so many; 0: none. */
    uint32_t unknown_every; /* commits without answer, which happen every other time */
    uint32_t silent_every;  /* requests that are never answered: the attempt is over */
    uint32_t forget_every;  /* a fault: commits that are acknowledged and do not happen */
    bool sees_all;          /* a fault: reads see what is committed by now, and all may commit */
};

struct driven_row {
    char *bytes; /* NULL: there is none */
    size_t size;
    uint64_t writer;
};

struct driven_write {
    uint32_t key;
    char *bytes;
    size_t size;
};

struct driven_client {
    uint64_t ordinal, txn;
    uint32_t attempt, session;
    bool is_running;
    uint64_t begun_at; /* commits before it began */
    ARRAY(struct driven_write) writes;
};

struct driven_store {
    struct catalog catalog;
    struct run_record *record;
    const struct schema *schema;
    ARRAY(struct driven_row) rows; /* by key */
    struct driven_client clients[DRIVEN_CLIENTS_MAX];
    uint64_t commits, requests, decided;
    int64_t now_ns;
    uint64_t committed, aborted, unknown, own_aborts;
};

void driven_open(struct driven_store *, const struct schema *, const enum table_shape *,
                 const char *workload, bool unique);
void driven_close(struct driven_store *);
/* For a driver's load: the context is the store. */
enum status driven_add_row(void *store, uint32_t table, const struct datum *cells,
                           struct error *);
void driven_run(struct driven_store *, const struct driver *, const struct driven_options *);
/* Each row of a table at the end, in no order. */
void driven_rows(struct driven_store *, uint32_t table,
                 enum status (*row)(void *context, const struct datum *cells, struct error *),
                 void *context);
/* Fails the test if it is not whole, or if text, binary and text are not the same. */
void driven_history(struct driven_store *, struct history *);

#endif
