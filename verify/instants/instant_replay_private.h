/*
 * instant_replay: whether an order of instants explains what was read: each view sees the last
 * version before it.
 */
#ifndef VERIFY_INSTANTS_INSTANT_REPLAY_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_REPLAY_PRIVATE_H

#include "verify/instants/instant_order.h"

MUST_USE enum status instant_order_judge_reads(struct order *, struct error *);

#endif
