/*
 * query: what a statement of a history asks of the rows of its table.
 *
 * Nothing here knows which versions of the rows are meant: they are handed in
 * one by one. A null is no row, and matches nothing.
 */
#ifndef VERIFY_SQL_QUERY_H
#define VERIFY_SQL_QUERY_H

#include <pg_query/pg_query.pb-c.h>

#include "base/array.h"
#include "verify/sql/expression_private.h"

/* Part of a query: "WHERE v > 1", "ORDER BY v", or what stands behind SELECT. */
enum clause_part { CLAUSE_WHERE, CLAUSE_ORDER, CLAUSE_TARGETS };

/* The tree that PostgreSQL's own parser makes of such a part. */
struct clause {
    PgQuery__ParseResult *result;
    size_t count; /* 1 for CLAUSE_WHERE */
    PgQuery__Node **nodes;
};

/*
 * Refuses a text that is more than this part, so that it would change the query that it is put
 * into, and one that is too long or too deep for a parser that calls itself.
 */
MUST_USE enum status query_open_clause(struct clause *, enum clause_part, struct text,
                                       struct error *);
void query_close_clause(struct clause *);

enum match { MATCH_NO, MATCH_YES, MATCH_UNDECIDED };

/* One of "values":{"min(v)":3}, as far as it has been computed. */
struct query_aggregate {
    struct clause tree;
    const PgQuery__FuncCall *call;
    struct scalar so_far; /* null as long as there was nothing */
    int64_t count;
};

struct statement_query {
    const struct history *history;
    uint32_t statement, table;
    bool has_where;
    struct clause where, order;
    ARRAY(struct query_aggregate) aggregates;
    bool has_rows;   /* its rows are an answer, if only an empty one */
    int64_t limit;   /* or -1 */
    bool is_unknown; /* it computes something that this room has not learnt */
};

/* Refuses SQL that does not parse. To be closed in any case. */
MUST_USE enum status query_open(struct statement_query *, const struct history *,
                                uint32_t statement, struct error *);
void query_close(struct statement_query *);

enum match query_match(const struct statement_query *, struct value row);

/* Whether it reads what is in a row that matches, and not only that it does. */
bool query_reads_inside(const struct statement_query *, bool is_returned_by_select);

/* By ORDER BY: below, at or above zero. */
enum outcome query_compare(const struct statement_query *, struct value, struct value, int *);

/* A row that matches, for the aggregates. */
void query_count(struct statement_query *, struct value row);
/*
 * Whether a row that matches can have been there, for the aggregates that were answered, whatever
 * the others were; and whether the value of one of them, a greatest or least, can be that row's.
 */
bool query_aggregates_admit(const struct statement_query *, struct value row);
bool query_has_extreme(const struct statement_query *, size_t aggregate, struct value row);

/* Whether it is such a value. */
bool query_is_extreme(const struct statement_query *, size_t aggregate);

/* Whether the aggregates that were answered are those of the rows counted. */
bool query_aggregates_agree(const struct statement_query *);

#endif
