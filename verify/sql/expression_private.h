/*
 * expression: what an expression of SQL says of one row, by walking the tree
 * that PostgreSQL's own parser makes of its text.
 *
 * Logic has three values. A conjunction with something false in it is false,
 * and a disjunction with something true in it is true, whatever else in it
 * cannot be computed: SQL leaves the order open, and the statement was answered.
 * What this room has not learnt (functions on texts, division of decimals) is
 * OUTCOME_UNKNOWN: then nothing is accepted.
 */
#ifndef VERIFY_SQL_EXPRESSION_PRIVATE_H
#define VERIFY_SQL_EXPRESSION_PRIVATE_H

#include <pg_query/pg_query.pb-c.h>

#include "history/history.h"
#include "verify/sql/scalar_private.h"

struct table_row {
    const struct history *history;
    uint32_t table;
    int64_t row; /* bits of a VALUE_ROW with the table's whole rows */
};

enum outcome expression_evaluate(const PgQuery__Node *, const struct table_row *, struct scalar *);

/* The name of a function that is called, or "". */
const char *expression_function(const PgQuery__FuncCall *);

#endif
