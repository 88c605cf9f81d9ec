/*
 * changes: what drivers keep between a request and its answer: rows to be
 * written, rows that were seen, and the times of a request whose answer is only
 * half of an operation.
 *
 * A driver's memory: lists keep their room, so that a steady state takes nothing.
 */
#ifndef STORE_CLIENTS_CHANGES_PRIVATE_H
#define STORE_CLIENTS_CHANGES_PRIVATE_H

#include "store/clients/record.h"

struct changes {
    struct wire_writer bytes;
    ARRAY(struct row_change) list; /* rows are in place once it is sealed */
};

void changes_init(struct changes *, struct pool *);
void changes_clear(struct changes *);
void changes_add_row(struct changes *, uint32_t key, const struct datum *cells, uint16_t count);
void changes_add_bytes(struct changes *, uint32_t key, struct text row);
void changes_add_removal(struct changes *, uint32_t key);
/* After the last: then the rows can be looked at, until it is cleared. */
void changes_seal(struct changes *);

/* A request's share of an operation that is not over, with its own copy of what was seen. */
struct kept_op {
    struct record_op op;
    ARRAY(struct seen_key) set;
};

void changes_keep_op(struct kept_op *, struct pool *, const struct record_op *);
/* The operation as a whole: it began with the first request and ended with the last. */
struct record_op changes_end_op(const struct kept_op *, int64_t completed_ns);

/*
 * Which keys have come in this round. A store with a bug may give a row twice; whoever writes rows,
 * or takes them down, does it once.
 */
struct key_marks {
    ARRAY(uint32_t) rounds; /* by key, the last in which it came */
    uint32_t round;
};

void changes_begin_marks(struct key_marks *);
/* False: it has come already. */
bool changes_add_mark(struct key_marks *, struct pool *, uint32_t key);

#endif
