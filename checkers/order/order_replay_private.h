/*
 * order_replay: replays transactions in the store's order, and compares each answer with what
 * the keys hold. The struct must not be moved while it is open.
 */
#ifndef CHECKERS_ORDER_ORDER_REPLAY_PRIVATE_H
#define CHECKERS_ORDER_ORDER_REPLAY_PRIVATE_H

#include "checkers/check_private.h"
#include "checkers/graph/places.h"
#include "checkers/order/order.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"
#include "checkers/values/wrong_answer.h"

struct order_replay {
    const struct history *history;
    struct check *check; /* NULL: only what is written matters */
    struct wrong_answers wrong_answers;
    struct places places;
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct contents contents;
    struct rows rows;
    struct suspects suspects;
    struct held *held; /* by key */
    bool is_slow;
};

MUST_USE enum status order_replay_init(struct order_replay *, const struct history *, struct check *,
                                       bool takes_open_in, bool slowly, struct error *);
void order_replay_close(struct order_replay *);
/* The options are those of the check; NULL without one. */
MUST_USE enum status order_replay_run(struct order_replay *, const struct check_options *, struct error *);

#endif
