/*
 * answer_number: the number by which an answer is wrong: the answer itself, or one within a text.
 *
 *     answered   balance -26411.18, order 97
 *     came out   balance -23025.18, order 97          3386.00 are lacking
 */
#ifndef AUDIT_ANSWER_NUMBER_PRIVATE_H
#define AUDIT_ANSWER_NUMBER_PRIVATE_H

#include "audit/plan_private.h"

struct answer_number {
    struct text wanted; /* the answer in the log; NULL: it is not that of a call, or not one value */
    enum type_kind type;
    struct heap *heap;
    bool is_within; /* answers are texts, */
    size_t at;      /* and there the number begins; what is before is right */
};

struct answer_number answer_number_of(const struct plan *, uint32_t txn, struct heap *);
/* That of an answer that came out; null: there is none. The first one says where in a text it is. */
struct datum answer_number_in(struct answer_number *, const struct datum *answer);
/* That of the log. */
struct datum answer_number_wanted(const struct answer_number *);

/* By how much the first is more than the second. False: they are not numbers of one kind. */
bool answer_number_compare(const struct datum *, const struct datum *, __int128 *more);

#endif
