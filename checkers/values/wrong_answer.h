/*
 * wrong_answer: explains and proves why an answer is wrong.
 *
 * A checker has found that an answer is not what it should be: it says which
 * version should have been seen. Whose value came back instead gives the anomaly
 * its name: an aborted transaction's, a version that its writer overwrote itself, a
 * later write of the reader's own, nobody's. This is for telling only: that the
 * answer is wrong has been decided before.
 */
#ifndef CHECKERS_VALUES_WRONG_ANSWER_H
#define CHECKERS_VALUES_WRONG_ANSWER_H

#include "checkers/check.h"
#include "checkers/graph/places.h"
#include "checkers/proof/proof.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"

/* What a key holds, and the operation that wrote it. */
struct held {
    struct content content;
    uint32_t version; /* or VERSION_INITIAL */
};

/* What all wrong answers of one check have in common. */
struct wrong_answers {
    const struct history *history;
    struct check *check;
    const struct places *places;
    const struct keys *keys;
    const struct contents *contents;
    struct suspects *suspects;
    bool by_order;        /* the order of places is what was violated; else a version set */
    uint8_t *key_is_open; /* by key: an open transaction wrote it; NULL: there is none */
    bool *table_is_open;  /* by table: the same of one of its rows */
};

/* Which keys and tables open transactions wrote. Closed by wrong_answer_close(), also after a failure. */
MUST_USE enum status wrong_answer_note_open(struct wrong_answers *, struct error *);
void wrong_answer_close(struct wrong_answers *);

/* A read whose answer is not what is held. */
MUST_USE enum status wrong_answer_tell_read(const struct wrong_answers *, uint32_t txn, uint32_t op,
                                            const struct held *, struct error *);
/* A statement with that fault; where it has a key, this is what that holds. */
MUST_USE enum status wrong_answer_tell_statement(const struct wrong_answers *, uint32_t txn, uint32_t head,
                                                 const struct answer_fault *, const struct held *,
                                                 struct error *);

#endif
