/*
 * session: a program that was read, its tables, and transactions run on them one at a time.
 *
 *     session_open(&s, program)      within arena_guarded()
 *     session_begin(&s, see, context, before, is_locking)
 *     session_call(&s, routine, cells, count, &value)   or  session_statement(), several times
 *     row_states_commit(&s.store, position)                   or not
 *
 * Whatever fails says why: an error of SQL, which ends the transaction, or something that the
 * interpreter does not know, which decides nothing. Memory that runs out leaves by the guard.
 */
#ifndef VERIFY_CALLS_SESSION_PRIVATE_H
#define VERIFY_CALLS_SESSION_PRIVATE_H

#include "verify/calls/reader_private.h"
#include "verify/calls/run_private.h"

enum ended { ENDED_WELL, ENDED_IN_ERROR, ENDED_UNKNOWN };

struct session_statement {
    struct text sql;
    const struct statement *statement;
    struct session_statement *next;
};

struct session {
    struct arena lasting, scratch; /* of programs and rows; of one transaction */
    struct arena_guard guard;
    struct trap trap; /* sqlstate or reason, when it did not end well */
    struct catalog catalog;
    struct reader reader;
    struct row_store store;
    struct numbering numbering;
    struct run run;
    struct session_statement *buckets[1024]; /* statements that were read, by their text */
};

MUST_USE enum status session_init(struct session *, size_t memory_max, struct error *);
void session_close(struct session *);

/* Reads the program. The rest is for within a guard, too. */
enum ended session_open(struct session *, struct text program);

/* Forgets what the transaction before has used. `see` sets run->view. */
void session_begin(struct session *, void (*see)(struct run *, uint32_t statement), void *context,
                   uint32_t before, bool is_locking);

/* Arguments are texts, as a log has them. A value that is void is null. */
enum ended session_call(struct session *, const struct routine *, const struct text *arguments,
                        uint32_t count, struct item *value);

/* Reads it, unless it was read before. */
enum ended session_prepare(struct session *, struct text sql, const struct statement **);
enum ended session_execute(struct session *, const struct statement *, const struct text *parameters,
                           uint32_t count, struct outcome_of_statement *);

/*
 * What is in the buffer, which is closed, until the transaction is over; leaves by the guard if there is no memory.
 */
struct text session_keep(struct session *, struct buffer *);
struct text session_print(struct session *, const struct item *);

/* A call as text: "load(2)". */
enum ended session_call_text(struct session *, struct text call);

/* A row of the initial state, columns by name. */
enum ended session_put_row(struct session *, struct text table, const struct text *names_and_values,
                           uint32_t column_count);

#endif
