/*
 * random_condition: conditions over a table with columns of every type, and rows of it; and programs of
 * statements with such expressions.
 *
 * The table is `t`, made by RANDOM_TABLE; the function `q`, whose parameters the
 * conditions use, is called by RANDOM_CALL. Values are at the edges of their
 * types, and now and then null, so that much overflows, is divided by zero and cut.
 */
#ifndef TESTS_PROGRAMS_MACHINE_RANDOM_CONDITION_H
#define TESTS_PROGRAMS_MACHINE_RANDOM_CONDITION_H

#include "base/random.h"
#include "base/text.h"
#include "programs/values/datum.h"
#include "tests/differential/dice.h"

#define RANDOM_COLUMNS 11
#define RANDOM_TABLE                                                                               \
    "CREATE TABLE t (id bigint PRIMARY KEY, a int, \"order\" int, z smallint, m numeric(8,2),\n"   \
    "    \"any number\" numeric, s varchar(9), \"it\"\"s\" text, f boolean, w timestamp,\n"        \
    "    l bigint[]);\n"
#define RANDOM_PARAMETERS                                                                          \
    "x bigint, y int, k smallint, n numeric, u text, v varchar, g boolean, d timestamp,"           \
    " e bigint[], nil int"
#define RANDOM_CALL                                                                                \
    "q(9223372036854775807, -3, 32767::smallint, -12.50, 'it''s', '\\', true,"                     \
    " timestamp '2001-02-03 04:05:06.5', '{3,NULL,-1}', NULL)"

/* What may stand behind WHERE; nested about as deeply as said. */
void random_condition(struct dice *, unsigned depth, struct buffer *);

/*
 * The table and the function `q`, of statements of every kind whose expressions have the types that are
 * wanted: most are accepted, and do something. It may fail, but it ends.
 */
void random_program(struct dice *, struct buffer *);

void random_row(struct random *, struct datum row[RANDOM_COLUMNS]);

#endif
