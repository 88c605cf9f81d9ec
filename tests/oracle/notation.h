/*
 * notation: histories that fit on a line, for tests.
 *
 *     init x 0; T1: w x 1, r y _; T2 s1 @10-20 ts3 snap2: r x [1 2]; order x T1 T2
 *
 *     T1 abort, T1 unknown       status; ok if unsaid
 *     s1                         session; each transaction has its own if unsaid
 *     @10-20, @10-               invoked and completed, or never completed
 *     ts3, snap2                 places
 *
 *     r x 1, r x _, r x          read: value, null, no answer; w x 1, d x, a x 3 (append)
 *     sel v>=10&v<=20 {7=12}     select, where * is every row; upd and del alike; ins {7=12}
 *     top 2 v>=10 {7=12 9=13}    select ... order by v limit 2
 *     agg min(v) v>=10 3         an aggregate
 *     r x 1 from T1              the version it read, or init
 *     sel * {} from t/7 T1       a version set
 *     ... locked @12-14          it asked for a lock; its own times
 *     ... !                      refused
 *
 * There is one table, t(id, v); a value of a key t/7 is the v of its row. Values
 * are integers, and lists in brackets.
 */
#ifndef TESTS_ORACLE_NOTATION_H
#define TESTS_ORACLE_NOTATION_H

#include "history/history.h"

/* Stops the program on what it does not understand: the text is in the test. */
void notation_read(const char *, struct history *);

#endif
