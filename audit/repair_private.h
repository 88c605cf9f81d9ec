/*
 * repair: one transaction that has no answer that fits is explained by few others that did something else.
 *
 *     T3 T4 T5 … T19 T20        T20 was answered 5, and nothing that it may have seen gives 5
 *        T4' T5' … T19 T20      with another state for T4 it is: T5 makes something else of that, all others do the same
 *
 * Most transactions saw what was newest. One that did not, and whose answer does not show it, is found out
 * only when somebody else is answered, much later. To go back step by step would be to try
 * all combinations of what those in between may have seen. Here they stay as they are: those that made what the
 * answer comes from are taken back, the newest first, and each is given every other state of its own. Those behind it
 * are put back: whoever looked at what has changed is run again, the others are written as they were. If none of that
 * is enough, effects on a number are added up; then, where places are a hint, one at a time stands elsewhere; and then
 * two transactions are given other states.
 *
 * It finds executions, and proves nothing.
 */
#ifndef AUDIT_REPAIR_PRIVATE_H
#define AUDIT_REPAIR_PRIVATE_H

#include "audit/search_private.h"

/*
 * For the next one in the order, which has no state that explains its answers. If it is found, that one is committed,
 * and perhaps others have changed; else all is as before.
 */
MUST_USE enum status audit_repair(struct search *, bool *found, struct error *);

#endif
