/*
 * numbers: what nextval() gave to the transactions of a log.
 *
 * Nobody knows that: a log has answers. So each request of a transaction, counted from 0, gets a number that
 * nobody else has. Where an answer turns out to be that number, and the log has another one there, the log has told
 * which it was; from then on it is that. What is found so is an execution. If none is found, nothing is refuted:
 * with other numbers there might be one, unless it makes no difference which they are (quiet_numbers).
 */
#ifndef AUDIT_NUMBERS_PRIVATE_H
#define AUDIT_NUMBERS_PRIVATE_H

#include "base/array.h"
#include "base/map.h"
#include "programs/sql/schema.h"
#include "programs/values/datum.h"

struct number_request {
    uint32_t txn, ordinal; /* of the transaction's requests */
    uint32_t sequence;     /* UINT32_MAX: whatever */
    bool is_repeated;      /* currval(): somebody has got it before */
};

struct given_number {
    int64_t value;
    uint32_t sequence;
    bool is_told, is_repeated;
};

struct numbers {
    const struct schema *schema;
    ARRAY(struct given_number) all;
    struct map of_request; /* by transaction and ordinal: its place in `all` */
    struct map told;       /* by sequence and value, likewise */
    uint32_t line;         /* that asked for one; 0: none did */
    bool may_repeat;       /* setval() has been called */
    bool are_quiet;        /* it makes no difference which they are */
};

void numbers_close(struct numbers *);
/* A row that was there at first: what is chosen may be in it. */
void numbers_note_initial(struct numbers *, const struct datum *cells, uint32_t count);
MUST_USE enum status numbers_ask(struct numbers *, const struct number_request *, int64_t *value,
                                 struct error *);
/* The log has told it; *is_new: it had been unknown. Not what the same sequence gave to somebody else. */
MUST_USE enum status numbers_learn(struct numbers *, uint32_t txn, uint32_t ordinal, int64_t value,
                                   bool *is_new, struct error *);
/* False: it was never asked for. */
bool numbers_find(const struct numbers *, uint32_t txn, uint32_t ordinal, int64_t *value);

#endif
