/*
 * clause: a part of a query of SQL, as the tree that PostgreSQL's own parser makes
 * of it.
 *
 * A text that is more than this part, so that it would change the query that it is
 * put into, is refused; so is one that is too long or too deep for a parser that
 * calls itself.
 */
#ifndef VERIFY_SQL_CLAUSE_PRIVATE_H
#define VERIFY_SQL_CLAUSE_PRIVATE_H

#include <pg_query/pg_query.pb-c.h>

#include "base/error.h"
#include "base/text.h"

/* Part of a query: "WHERE v > 1", "ORDER BY v", or what stands behind SELECT. */
enum clause_part { CLAUSE_WHERE, CLAUSE_ORDER, CLAUSE_TARGETS };

struct clause {
    PgQuery__ParseResult *result;
    size_t count; /* 1 for CLAUSE_WHERE */
    PgQuery__Node **nodes;
};

/* Refuses what is not this part and nothing else. */
MUST_USE enum status clause_open(struct clause *, enum clause_part, struct text, struct error *);
void clause_close(struct clause *);

#endif
