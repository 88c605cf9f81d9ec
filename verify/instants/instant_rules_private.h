/*
 * instant_rules: whether an order of instants keeps what the profile promises of locks, of updaters
 * and of dependencies.
 */
#ifndef VERIFY_INSTANTS_INSTANT_RULES_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_RULES_PRIVATE_H

#include "verify/instants/instant_order.h"

MUST_USE enum status instant_order_judge_locks(struct order *, struct error *);
MUST_USE enum status instant_order_judge_updaters(struct order *, struct error *);
MUST_USE enum status instant_order_judge_dependencies(struct order *, struct error *);

#endif
