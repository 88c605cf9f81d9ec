/*
 * open_order: whether the programs make something of an order of rows that SQL leaves open.
 *
 *     FOR r IN SELECT v FROM t LOOP ...           in which order do they come?
 *     SELECT v INTO x FROM t WHERE a = 1          which of them?
 *     (SELECT v FROM t ORDER BY a LIMIT 1)        which of those with the least a?
 *
 * An audit runs such a program in the order of the keys. If it finds an execution, that is one. If it
 * finds none, another order might have given these answers, so that nothing is refuted. Not among
 * these: at most one row, by a key or a unique constraint; rows that ORDER BY tells apart; and what
 * a single statement answers, where ties are compared as such.
 */
#ifndef AUDIT_PROGRAMS_OPEN_ORDER_H
#define AUDIT_PROGRAMS_OPEN_ORDER_H

#include "base/map.h"
#include "programs/sql/tree.h"

/* It matters for a run only if one of these queries finds several rows. */
struct open_order {
    const struct program_tree *tree;
    struct map lines; /* by the address of the query */
    uint32_t line;    /* of one of which that is not looked at; 0: there is none */
    struct error *err;
    enum status status;
};

/* To be closed in any case. */
MUST_USE enum status open_order_find(struct open_order *, const struct program_tree *,
                                     struct error *);
void open_order_close(struct open_order *);

/* The line of the query, or 0: it is none of them. */
uint32_t open_order_line(const struct open_order *, const struct query *);

#endif
