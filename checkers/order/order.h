/*
 * order: decides serializability by replaying transactions in the store's own order.
 *
 *     ts 1   T1: w x 1            x=1
 *     ts 2   T2: r x 1, w y 2     reads what is there
 *     ts 3   T3: r y null         refused: y is 2, which T2 wrote
 *
 * For stores that can say in which order their transactions ran: by timestamp, by
 * the instant at which all locks were held, by validation. After "Bringing Order to
 * Practical Validation of Database Isolation Levels", algorithm 4 (expected
 * serialization order). A history that is serializable by luck alone, in some other
 * order than the store's, is refused: the store broke its own rule.
 *
 * Items, lists, predicates, aggregates, inserts and deletes; time and memory grow
 * with the operations, and with the rows that statements look through. The session
 * and strict levels look at the order once more, against sessions and times: what a
 * read missed that had completed before it began is its staleness.
 *
 * Also in parts, for histories longer than memory: what rows hold at the end of a
 * part are the initial values of the next (order_carry()).
 */
#ifndef CHECKERS_ORDER_ORDER_H
#define CHECKERS_ORDER_ORDER_H

#include "checkers/checker.h"

struct builder;

/*
 * What the transactions of a history leave behind in the store's order, added to a
 * builder as the initial values of a history that goes on from there.
 */
MUST_USE enum status order_carry(const struct history *, struct builder *next, struct error *);

#endif
