/*
 * quiet_numbers: whether it makes no difference which numbers sequences gave.
 *
 *     CREATE TABLE seen (id serial PRIMARY KEY, who bigint);
 *     INSERT INTO seen (who) VALUES (p_who);    SELECT count(*) FROM seen WHERE who = p_who;
 *
 * Each number goes into a column of a new row, as it is, and nothing else does. Nothing ever looks at that column: no
 * statement, no CHECK, no foreign key. Then every execution has a twin in which other numbers were given and all else
 * is the same, as long as nothing has failed.
 */
#ifndef AUDIT_PROGRAMS_QUIET_NUMBERS_H
#define AUDIT_PROGRAMS_QUIET_NUMBERS_H

#include <stdbool.h>

#include "base/error.h"
#include "programs/sql/tree.h"

MUST_USE enum status quiet_numbers_find(const struct program_tree *, bool *are_quiet, struct error *);

#endif
