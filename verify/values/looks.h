/*
 * looks: what a transaction can have seen of a row, by all that it says of it.
 *
 * docs/format-witness.md, "Sights". Of a row that it has not written, a transaction sees one version.
 * Its reads of the row and its statements about the table, each with its rows or numbers, leave
 * some of the last versions that others left, the possible ones.
 */
#ifndef VERIFY_VALUES_LOOKS_H
#define VERIFY_VALUES_LOOKS_H

#include "verify/sql/query.h"
#include "verify/verify_private.h"

/* Versions of a key, or VERSION_INITIAL, that may be what a transaction saw. */
struct candidates {
    uint32_t *at;
    uint32_t count;
    bool is_narrowed; /* values alone would leave more */
};

/*
 * Leaves those with which all agrees that the
 * transaction's operations up to `end` say of it.
 */
MUST_USE enum status looks_narrow(struct verifier *, uint32_t txn, uint32_t end, uint32_t key,
                                  struct candidates *, struct error *);

/* Leaves those with which the statement agrees. */
MUST_USE enum status look_admits(struct verifier *, uint32_t head, uint32_t key,
                                 struct candidates *, struct error *);

/* The statement's greatest or least value of that name, counted from 0; refuses what is none. */
MUST_USE enum status look_extreme(struct verifier *, const struct statement_query *,
                                  struct text name, size_t *aggregate, struct error *);
/* Whether it can have come from this version of a row of the table. */
bool look_has_extreme(const struct verifier *, const struct statement_query *, size_t aggregate,
                      uint32_t key, uint32_t version);

#endif
