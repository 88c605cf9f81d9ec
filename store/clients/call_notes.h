/*
 * call_notes: what clients of a program called and were answered, for the log of calls.
 *
 * The drivers of programs and schedules note each transaction when it ends; the record knows when that was,
 * how it ended and where the store put it. It stands outside the simulated world, as the record does.
 */
#ifndef STORE_CLIENTS_CALL_NOTES_H
#define STORE_CLIENTS_CALL_NOTES_H

#include "base/array.h"
#include "base/json_writer.h"
#include "programs/machine/machine.h"
#include "store/clients/record.h"

struct noted_call {
    uint64_t txn;
    size_t at, length; /* in `bytes` */
};

struct call_notes {
    ARRAY(struct noted_call) calls; /* in the order in which they ended */
    struct buffer bytes;            /* of each what call_log_begin_call() and _end_call() write */
    struct buffer rows, room;       /* scratch */
};

void call_notes_close(struct call_notes *);

/* A call begins: its name and arguments, which are kept by the caller until it ends. */
void call_notes_begin(struct call_notes *, const struct program *, uint32_t function,
                      const struct datum *arguments, struct buffer *beginning);
/* How its transaction ended, and at which request of its machine. */
struct noted_end {
    enum txn_status status;
    bool is_void; /* the function returns nothing */
    const struct request *request;
};
/* False: memory ran out. */
bool call_notes_end(struct call_notes *, uint64_t txn, const struct buffer *beginning,
                    const struct noted_end *);

/* A transaction of statements has ended: {"statements":[...],"answers":[...]}. False: memory ran out. */
bool call_notes_add(struct call_notes *, uint64_t txn, struct text members);
/* Of a statement: the rows that it returned as an answer, an element of an array that is open. */
void call_notes_write_rows(struct call_notes *, const struct request *, struct json_writer *);

/* The log, in the order in which transactions began. */
MUST_USE enum status call_notes_write(struct call_notes *, const struct run_record *,
                                      struct text load, struct buffer *, struct error *);

#endif
