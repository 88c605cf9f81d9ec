/*
 * instant_locks: what the profile promises of locks, of updaters and of dependencies: steps about
 * that, and whether an order of instants keeps it.
 */
#ifndef VERIFY_INSTANTS_INSTANT_LOCKS_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_LOCKS_PRIVATE_H

#include "verify/instants/instant_order.h"
#include "verify/instants/instant_proof.h"

MUST_USE enum status instant_locks(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_first_wins(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_structure(struct proof *, struct error *);

MUST_USE enum status instant_locks_judge(struct order *, struct error *);
MUST_USE enum status instant_locks_judge_updaters(struct order *, struct error *);
MUST_USE enum status instant_locks_judge_dependencies(struct order *, struct error *);

#endif
