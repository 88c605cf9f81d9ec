/*
 * compile_reads: which conjuncts belong to which source, and in which order sources are read.
 *
 * A plan is a select of a statement, with those of its correlated subqueries within: their sources
 * are read after its own, by the values that were found there. What depends on no column is
 * computed before the query is begun.
 */
#ifndef PROGRAMS_MACHINE_COMPILE_READS_PRIVATE_H
#define PROGRAMS_MACHINE_COMPILE_READS_PRIVATE_H

#include "programs/machine/compile_private.h"

/* What a conjunct can be computed of. */
enum conjunct_kind {
    CONJUNCT_PLAIN,
    CONJUNCT_SET,   /* it has a set in it, which only the machine knows */
    CONJUNCT_FINAL, /* it has a correlated subquery: when all has been read */
};

/* A WHERE taken apart; each conjunct with the set of sources it needs, a bit each. */
struct conjunct_list {
    ARRAY(const struct expression *) conjuncts;
    ARRAY(uint32_t) sources;
    ARRAY(uint8_t) kinds;
};

/* A select of the statement: the outermost, or that of a correlated subquery. */
struct query_plan {
    const struct expression *e; /* the subquery, or NULL */
    const struct select *select; /* or NULL: of a statement that writes */
    const struct query_source *sources;
    uint32_t source_count, first_source;
    uint32_t first_read;
    struct conjunct_list where;
    struct conjunct_list on[SOURCES_MAX]; /* of sources of outer joins, by their place */
    struct subquery_code *code;
    struct operand limit, offset;
    ARRAY(struct query_plan *) inner;
    struct query_plan *outer;
};

#define PUSH(c, list, value)                                                                       \
    do {                                                                                           \
        if ((c)->status == STATUS_OK)                                                              \
            (c)->status = array_push(list, value, (c)->err);                                       \
    } while (0)

/* What a conjunct, or another expression, can be computed of. */
enum conjunct_kind compile_kind_of(const struct compiler *, const struct expression *);
/* Adds the conjuncts of a condition, which may be NULL. */
void compile_take_apart(struct compiler *, const struct expression *, struct conjunct_list *);

/* NULL without memory. */
struct query_plan *query_plan_new(struct compiler *, struct query_plan *outer);
/* And those within. */
void query_plan_close(struct query_plan *);
/* What is computed before anything is read, of a select and those within it. */
void query_plan_select(struct compiler *, struct query_plan *, struct query_code *);
/* Plans the correlated subqueries of an expression, within the plan. */
void query_plan_expression(struct compiler *, struct query_plan *, struct query_code *, const struct expression *);
/* The sources of the plan, a bit each. */
uint32_t query_plan_sources(const struct query_plan *);
/* Puts the reads into the order in which they are made; `read` are the sources read before. */
void query_plan_order(struct compiler *, const struct query_plan *, struct query_code *, uint32_t read);
/* The value of a LIMIT or OFFSET, or a null. */
struct operand query_plan_row_count(struct compiler *, const struct expression *);

#endif
