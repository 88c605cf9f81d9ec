/*
 * answer: which version an operation read, and whether its answer is that.
 * docs/format-witness.md, "What an operation read".
 */
#ifndef VERIFY_VERSIONS_ANSWER_H
#define VERIFY_VERSIONS_ANSWER_H

#include "verify/sql/query.h"
#include "verify/verify_private.h"

enum sight_kind {
    SIGHT_SPOT,
    SIGHT_NOBODY, /* the certificate names a version that nobody can read */
    SIGHT_UNSAID, /* nothing says which one */
};

struct sight {
    enum sight_kind kind;
    uint32_t spot;
    bool is_vague; /* or a version of a transaction that counts perhaps */
};

/* To be called before answer_sight() for an operation, a head or an item operation. */
void answer_prepare(struct verifier *, uint32_t op);
/* What the operation read of a key that its transaction had not written. */
struct sight answer_sight(const struct verifier *, uint32_t txn, uint32_t op, uint32_t key);

enum answer_judgement { ANSWER_RIGHT, ANSWER_WRONG, ANSWER_UNSAID };

/* Whether an item operation or a row is a read of a committed transaction that has an answer. */
bool answer_reads_value(const struct verifier *, uint32_t txn, uint32_t op);
/* Whether an operation of a transaction that counts has an answer that means something. */
bool answer_is_judged(const struct verifier *, uint32_t txn, uint32_t op);

/* A row of a statement's table, as the statement saw it. */
struct glance {
    uint32_t key;
    bool is_own;
    struct sight sight; /* unless own */
    struct value row;
    enum match match;
    uint32_t row_op; /* the row that came back, or HISTORY_NONE */
};

/* Refuses SQL that does not parse. To be closed if it could be opened. */
MUST_USE enum status answer_open_statement(struct verifier *, uint32_t head,
                                           struct statement_query *, struct error *);

typedef enum status glance_function(struct verifier *, const struct statement_query *, uint32_t txn,
                                    const struct glance *, struct error *);

/* After answer_prepare(). */
enum answer_judgement answer_judge_item(const struct verifier *, uint32_t txn, uint32_t op);
/* `each` may be NULL: it is called for every row, if they can all be told. */
MUST_USE enum status answer_judge_statement(struct verifier *, uint32_t txn, uint32_t head,
                                            glance_function *each, enum answer_judgement *,
                                            struct error *);
/* One row alone. */
MUST_USE enum status answer_judge_row(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      enum answer_judgement *, struct error *);
void answer_glance(const struct verifier *, const struct statement_query *, uint32_t txn,
                   uint32_t head, uint32_t key, struct glance *);

/* --- Where nobody knows which version it was: docs/format-witness.md, "Sights" --- */

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
MUST_USE enum status answer_narrow(struct verifier *, uint32_t txn, uint32_t end, uint32_t key,
                                   struct candidates *, struct error *);

/* Leaves those with which the statement agrees. */
MUST_USE enum status answer_admits(struct verifier *, uint32_t head, uint32_t key,
                                   struct candidates *, struct error *);

/* The statement's greatest or least value of that name, counted from 0; refuses what is none. */
MUST_USE enum status answer_find_extreme(struct verifier *, const struct statement_query *,
                                         struct text name, size_t *aggregate, struct error *);
/* Whether it can have come from this version of a row of the table. */
bool answer_has_extreme(const struct verifier *, const struct statement_query *, size_t aggregate,
                        uint32_t key, uint32_t version);

#endif
