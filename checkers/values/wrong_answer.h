/*
 * wrong_answer: what is wrong with an answer, in words and with proof.
 *
 * A checker has found that an answer is not what it should be: it says which
 * version should have been seen. Whose value came back instead gives the anomaly
 * its name: an aborted transaction's, a version that its writer overwrote itself, a
 * later write of the reader's own, nobody's. This is for telling only: that the
 * answer is wrong has been decided before.
 */
#ifndef CHECKERS_VALUES_WRONG_ANSWER_H
#define CHECKERS_VALUES_WRONG_ANSWER_H

#include "checkers/checker.h"
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

/* What every accusation of one check has in common. */
struct judge {
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

/* Which keys and tables open transactions wrote. Closed by judge_close(), also after a failure. */
MUST_USE enum status judge_note_open(struct judge *, struct error *);
void judge_close(struct judge *);

/* A read whose answer is not what is held. */
MUST_USE enum status blame_read(const struct judge *, uint32_t txn, uint32_t op,
                                const struct held *, struct error *);
/* A statement with that fault; where it has a key, this is what that holds. */
MUST_USE enum status blame_statement(const struct judge *, uint32_t txn, uint32_t head,
                                     const struct answer_fault *, const struct held *,
                                     struct error *);

#endif
