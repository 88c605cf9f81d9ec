/*
 * instant_locks: steps about locks, about who was the first of two updaters, and about structures.
 */
#ifndef VERIFY_INSTANTS_INSTANT_LOCKS_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_LOCKS_PRIVATE_H

#include "verify/instants/instant_proof.h"

MUST_USE enum status instant_locks(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_first_wins(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_structure(struct proof *, struct error *);

#endif
