/*
 * isolation_fixture: scripted interleavings, and what came of them.
 *
 *     struct interleaving it = { .program = ..., .script = "1: r 1; 2: w 1 12; ...",
 *                                .protocol = "ssi", .shards = 4 };
 *     run = isolation_run(&it);
 *     run.is_serial, run.committed[0], isolation_reads(&run, 1, "[2,22]")
 *
 * A script is steps `SESSION: WHAT`, apart by semicolons. WHAT is begin (which may be left out
 * before a session's first statement), commit, abort, await, a statement of SQL, or, of a
 * table test(id, value):
 *
 *     r 1         SELECT id, value FROM test WHERE id = 1
 *     rall        SELECT id, value FROM test
 *     rp COND     SELECT id, value FROM test WHERE COND
 *     w 1 11      UPDATE test SET value = 11 WHERE id = 1
 *     ins 3 30    INSERT INTO test VALUES (3, 30)
 *     del COND    DELETE FROM test WHERE COND
 *
 * Whether what was committed is serializable is found by brute force, and not from
 * the history: some order of the transactions, each run whole on the embedded engine,
 * must give every statement the rows that it gave. After all, one more transaction
 * reads every table; it is the last of any order.
 */
#ifndef TESTS_STORE_ISOLATION_FIXTURE_H
#define TESTS_STORE_ISOLATION_FIXTURE_H

#include "store/store.h"

#define ISOLATION_SESSIONS_MAX 5 /* the one that reads the end included */
#define ISOLATION_STEPS_MAX 60

struct interleaving {
    const char *program; /* SQL with a function load() */
    const char *script;
    const char *protocol;
    uint32_t shards;
    uint64_t seed;
};

struct isolation_step {
    uint32_t session; /* from 0 */
    enum schedule_act act;
    enum schedule_outcome outcome;
    bool has_rows;
    char sql[200], rows[300];
};

/* Nothing to be closed. */
struct isolation_run {
    uint32_t session_count; /* with the one that reads the end */
    struct isolation_step steps[ISOLATION_STEPS_MAX];
    uint32_t step_count;
    bool committed[ISOLATION_SESSIONS_MAX];
    uint32_t committed_count, aborted_count; /* of the script's sessions */
    bool is_serial;   /* some order explains what was committed */
    char final[1000]; /* rows of all tables, one table after another */
    char complaint[300]; /* stuck, replicas differ, the oracle says otherwise; or empty */
};

struct isolation_run isolation_run(const struct interleaving *);
/* Whether a SELECT of a session, from 1, gave this row: the nth (from 1), or, for 0, any. */
bool isolation_reads(const struct isolation_run *, uint32_t session, uint32_t nth, const char *row);
/* Steps with their outcomes and rows, for messages; in a buffer that the next call overwrites. */
const char *isolation_describe(const struct isolation_run *);

#endif
