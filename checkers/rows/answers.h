/*
 * answers: whether a statement returned what it should have, given the rows that
 * match where it looked.
 *
 *     select * from t where v >= 10 order by v limit 2      matching: t/1 v=30, t/2 v=10, t/3 v=20
 *
 *     rows without a limit     exactly those that match, each as it is
 *     with a limit             so many of them, none behind one that is left out
 *     with an order            none behind one that should come later; equals in any order
 *     count sum min max avg    the number
 *     update, delete           exactly those that match; what was in them is not returned
 *
 * What is no such order or aggregate, and what cannot be computed, is undecided.
 */
#ifndef CHECKERS_ROWS_ANSWERS_H
#define CHECKERS_ROWS_ANSWERS_H

#include "base/text.h"
#include "history/history.h"
#include "programs/machine/predicates.h"

struct matched_row {
    uint32_t key;
    struct value row;
};

enum answer { ANSWER_AGREES, ANSWER_DIFFERS, ANSWER_UNDECIDED };

enum answer_fault_kind {
    FAULT_MISSING, /* a row that matches did not come */
    FAULT_EXTRA,   /* a row came that does not match there */
    FAULT_OTHER,   /* a row came that looks different there */
    FAULT_CHOICE,  /* with a limit or an order: not these rows, or not like this */
    FAULT_NUMBER,  /* an aggregate */
    FAULT_UNSEEN,  /* the version set names a version that nobody can see */
};

struct answer_fault {
    enum answer_fault_kind kind;
    uint32_t key;          /* MISSING, EXTRA, OTHER, UNSEEN */
    uint32_t op;           /* EXTRA, OTHER: the row */
    struct value expected; /* MISSING, OTHER */
    uint32_t aggregate;    /* NUMBER: in the history */
    char should_be[80];    /* NUMBER, CHOICE */
};

struct answers {
    const struct history *history;
    const struct predicates *predicates;
    uint32_t *stamp, *place; /* by key: of which question it was part, and where */
    uint32_t question;
};

/* Closed by answers_close(), also after a failure. */
MUST_USE enum status answers_init(struct answers *, const struct history *,
                                  const struct predicates *, struct error *);
void answers_close(struct answers *);

/* Of an answered select, update or delete. The fault tells the first difference. */
enum answer answers_compare(struct answers *, uint32_t head, const struct matched_row *rows,
                            size_t count, struct answer_fault *);

/*
 * Whether a statement that is not about a part of the rows alone can have had its answer where the
 * key, of its table, had this row, whatever the others were. True, too, if that cannot be told.
 */
bool answers_admit(struct answers *, uint32_t head, uint32_t returned_op,
                   enum predicate_answer matches, struct value row);

/* The greatest or least that a statement was told of a column; false: this aggregate is no such. */
bool answers_extreme(const struct history *, uint32_t table, uint32_t aggregate, uint16_t *column,
                     int64_t *extreme, bool *is_least);

/* Whether the answer depends on what is in a matching row that it did not return. */
bool answers_read_all(const struct history *, uint32_t head);

#endif
