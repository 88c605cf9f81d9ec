/*
 * collection: lets transactions go, and their instants, once nobody to come can ask for them.
 *
 * Letting go. A transaction that is over before anybody still to come can ask for it goes, its
 * instants first, as soon as nothing leads to them (Leopard, theorem 5):
 *
 *     T1 |--------|                      gone
 *     T2      |------|                   held by T3, which is ordered before it
 *     T3          |------------|         held: T4, which is not judged, began before its end
 *     T4                     |------
 *                            oldest
 *
 * What a version must know of an instant that goes, it keeps.
 */
#ifndef CHECKERS_INTERVAL_COLLECTION_PRIVATE_H
#define CHECKERS_INTERVAL_COLLECTION_PRIVATE_H

#include "checkers/interval/interval_model_private.h"

/* Lets transactions go that nobody can ask for any more. */
MUST_USE enum status collection_pass(struct interval_model *, struct error *);

#endif
