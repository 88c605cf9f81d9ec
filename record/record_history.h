/*
 * record_history: the logs of all clients, and the order that the database recovered, as a history.
 *
 * Transactions are numbered from 1 in the order in which they were invoked. With an order, those
 * that wrote get their place (`ts`) and every key its version order; with snapshots, committed
 * transactions say where they read.
 */
#ifndef RECORD_RECORD_HISTORY_H
#define RECORD_RECORD_HISTORY_H

#include "record/client_log.h"

struct record_source {
    const struct builtin *builtin;
    const struct stored_table *table;
    struct text producer; /* "PostgreSQL 15.18" */
    const struct client_log *logs;
    uint32_t log_count;
    int64_t began_ns;                    /* times count from here */
    const struct recovered_order *order; /* NULL: none was recovered */
    bool is_over;                        /* the last log has read everything back */
    int64_t first_id;                    /* of the first transaction; 0: 1 */
    bool is_without_initial;             /* only transactions are wanted */
};

/* How the clients' words fit to the database's order, if there is one, and to the last read. */
struct record_certificate {
    uint64_t commits;  /* that the database has */
    uint64_t resolved; /* of unknown transactions, that committed */
    uint64_t
        missing; /* clients were told that they committed, and the database has no such commit */
    uint64_t aborted; /* clients were told that they were rolled back, and the database has them */
    uint64_t strange; /* commits of nobody */
    uint64_t misfits; /* snapshots that do not fit into the order */
    uint64_t lost; /* clients were told that they committed, and the last read lacks their writes */
    uint64_t twins; /* rows with the key of another row of the same answer; the history leaves them out */
    int64_t first_missing, first_aborted, first_lost, first_twin; /* the transactions' numbers */
};

MUST_USE enum status record_history_make(const struct record_source *, struct record_certificate *,
                                         struct history *, struct error *);

#endif
