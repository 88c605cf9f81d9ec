/*
 * order_private: a replay: what every key holds while transactions go by. It stays
 * where it is while it is open.
 */
#ifndef CHECKERS_ORDER_ORDER_PRIVATE_H
#define CHECKERS_ORDER_ORDER_PRIVATE_H

#include "checkers/checker_private.h"
#include "checkers/graph/places.h"
#include "checkers/order/order.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"
#include "checkers/values/wrong_answer.h"

struct replay {
    const struct history *history;
    struct check *check; /* NULL: only what is written matters */
    struct judge judge;
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

MUST_USE enum status replay_init(struct replay *, const struct history *, struct check *,
                                 bool takes_open_in, bool slowly, struct error *);
void replay_close(struct replay *);
/* The options are those of the check; NULL without one. */
MUST_USE enum status replay_run(struct replay *, const struct check_options *, struct error *);

#endif
