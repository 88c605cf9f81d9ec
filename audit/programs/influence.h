/*
 * influence: which statements of a function have a say in what it answers and in what it writes.
 *
 * A statement has a say in another if what it read may reach it: through variables, conditions on the way,
 * calls, or rows that it wrote and that were read again. It is taken from the text, whatever way a run takes,
 * so that it may say too much, never too little. Conditions under which a function only fails
 * do not count: who gives an answer has not failed.
 */
#ifndef AUDIT_PROGRAMS_INFLUENCE_H
#define AUDIT_PROGRAMS_INFLUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/map.h"
#include "programs/machine/program.h"

/*
 * Of queries of functions that have a name, by their numbers, and behind those one for all that have none: subqueries.
 * NULL: nothing is known, all count.
 */
typedef uint64_t query_set;

/* What a query that was run in one run with some arguments writes in all of these that do not fail. */
enum certain_write {
    WRITES_PERHAPS,
    WRITES_ROWS, /* one or more */
    WRITES_ROW,  /* an INSERT: the row with the key that it wrote in the one run */
    WRITES_ROW_IF_THERE, /* an UPDATE: the same, if the row is there, whatever is in it */
};

struct influence {
    const struct program_tree *tree;
    const bool *is_written; /* by table: others never change */
    bool lacks_memory;
    struct map numbers;     /* of queries, by address */
    uint32_t query_count, word_count;
    ARRAY(const struct query *) queries;
    query_set **slots;      /* by function: a set for each slot */
    query_set *returned, *control; /* a set for each function */
    query_set *reached;     /* a set for each query: those with a say in it */
    enum certain_write *certain; /* by query */
    bool *is_closed;        /* by function: all that it may write are rows that it writes in any run */
    bool *calls;            /* by function and function */
};

MUST_USE enum status influence_find(struct influence *, const struct program_tree *,
                                    const bool *is_written, struct error *);
void influence_close(struct influence *);

/* Those with a say in the answer of a function; NULL: it is a single statement. */
const query_set *influence_on_answer(const struct influence *, uint32_t function);

/* Adds those that write to a table to `writers`, and to `reached` those with a say in them. */
void influence_add_writers(const struct influence *, uint32_t table, query_set *writers,
                           query_set *reached);

/* Also of the query of a single statement. */
enum certain_write influence_certain(const struct influence *, const struct query *);

/* Also of a single statement. */
bool influence_is_closed(const struct influence *, uint32_t function);

/* The query's number, or UINT32_MAX: it is of no function with a name. */
uint32_t influence_number(const struct influence *, const struct query *);

static inline bool influence_has(const query_set *set, uint32_t number)
{
    return !set || number == UINT32_MAX || (set[number / 64] >> number % 64 & 1);
}

#endif
