/*
 * choices: a file that says what a director chose, so that it can be chosen again.
 *
 *     {"ordeal-choices":1,"order":[0,2,1,0]}
 *     {"session":2,"transaction":0,"statement":1,"key":"accounts/7","from":[0,1]}
 *     {"session":0,"transaction":1,"statement":0,"key":"accounts/7","from":"initial"}
 *
 * `order`: the sessions whose next transactions are executed; without it somebody else decides. Each line names a
 * read: the transaction by its number in its session, from 0 and attempts included, the statement by its number among
 * those of the transaction that name a table, and the row; and from which transaction it reads. Reads without a line
 * return the newest legal version. docs/director.md is the whole format.
 */
#ifndef PREDICT_DIRECTOR_CHOICES_H
#define PREDICT_DIRECTOR_CHOICES_H

#include "base/arena.h"
#include "history/io/source.h"
#include "predict/director/director.h"

struct choices {
    bool has_order;
    ARRAY(uint32_t) order;
    ARRAY(struct wanted_read) wishes;
    struct arena arena; /* of the keys' names */
};

/* Each is closed by choices_close(), also after a failure. */
MUST_USE enum status choices_init(struct choices *, struct error *);
MUST_USE enum status choices_read(struct choices *, struct source *, struct error *);
void choices_close(struct choices *);
void choices_write(const struct choices *, struct buffer *);

/* Notes what another director chooses, where it is not the newest legal version. */
struct choice_recorder {
    struct director inner;
    struct choices *choices;
    bool is_short; /* memory ran out: they are not all */
};

struct director choice_recorder_director(struct choice_recorder *);

#endif
