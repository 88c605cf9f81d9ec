/*
 * predicate_fixture: a history with a table of every type, and its predicates.
 *
 *     id    a           z       m       s        f      w (s)  l          o
 *     1     10          1       12.30   'ab'     true   1      {1,2}      7
 *     2     20          -1      -0.50   ''       false  0      {}         8
 *     3     all null
 *     4     -3          3       0.00    'it''s'  true   -1     {5}        null
 *     5     0           0       12.3    'AB'     null   2      {2,2,2}    0
 *     6     2147483647  -32768  99.99   'éé'     false  1.5    null       9223372036854775807
 *
 * o is called "Order", and c, which is null but in row 1, is of a type that no
 * condition can read. u has other rows.
 */
#ifndef TESTS_PROGRAMS_MACHINE_PREDICATE_FIXTURE_H
#define TESTS_PROGRAMS_MACHINE_PREDICATE_FIXTURE_H

#include "history/history.h"
#include "programs/machine/predicates.h"

#define PREDICATE_ROWS 6
#define PREDICATE_TABLE 0
#define PREDICATE_OTHER_TABLE 1

/* The history that such lines are; fails the test if they are none. */
struct history predicate_history_of(const char *lines);

/* The one above, with these operations in a transaction of its own behind; or NULL. */
struct history predicate_history(const char *operations);
/* Rows 1 to PREDICATE_ROWS of t, from 0; and one of u. */
struct value predicate_row(const struct history *, uint32_t row);
struct value predicate_other_row(const struct history *);

#endif
