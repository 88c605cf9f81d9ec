/*
 * predicates: which rows the statements of a history mean: "where":"v >= 10".
 *
 *     text ── libpg_query ── analyze ── compile_condition() ──> filter
 *     row of the history ── the columns that it reads, as datums ──> yes, no, undecided
 *
 * The language is that of conditions in programs (condition.h): all that this
 * room computes of one row. The table's columns and types are those of line 1
 * of the history. Names are folded as in PostgreSQL: V is v, "V" is V. An empty
 * text is every row. Refused by name and column are subqueries, parameters,
 * calls, aggregates, other tables, whatever else does not stand behind WHERE,
 * and what fails for every row (v > 1 / 0); also texts of more than 1 MB, 10000
 * words, some 500 levels, or 256 characters of operators in a row.
 *
 * A set holds the predicates of one history, each text of a table compiled once.
 * Histories have thousands of texts that differ in their numbers only:
 *
 *     v >= 10 AND v <= 20      numbers cut out: v >= # AND v <= #, 10, 20
 *     v >= 12 AND v <= 15      the same condition, other parameters
 *
 * so the parser is not asked about each of them: a text takes some 35 us, the
 * first of a shape twice that, and one of a known shape 0.4 us and 150 bytes; a
 * row then takes 15 ns. Texts with a comment, a point, a dollar or an escape are
 * not cut. A shape is used if its first text comes out of it as it does whole: one
 * with the length of a type does not. Whatever is not cut is compiled whole, and
 * so is everything refused, for messages to be about the text.
 *
 * Logic has three values, and only true matches. A row for which the condition
 * cannot be computed (a division by zero, a value that its column's type cannot
 * have) is undecided: SQL leaves open in which order conjuncts are looked at, so
 * a store may have failed, or have left the row out; who judges it must say
 * unknown. Whatever condition_pin() and condition_range() exclude is a no, never
 * undecided: an index changes no answer.
 *
 * Making a set and adding to it is for one thread of the process at a time
 * (libpg_query is not for two). Afterwards any number may ask, each with a
 * scratch of its own.
 */
#ifndef PROGRAMS_MACHINE_PREDICATES_H
#define PROGRAMS_MACHINE_PREDICATES_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "programs/machine/condition.h"

#define PREDICATE_NONE UINT32_MAX
#define PREDICATE_COLUMNS_MAX 1600 /* of a table; PostgreSQL has no wider ones */

/* What it reads, pins and confines is for condition.h to say. */
struct predicate {
    uint32_t table;
    struct filter filter;
};

struct predicates;

enum predicates_flag { PREDICATES_WHOLE = 1 }; /* compiles each text by itself, for comparison */

/*
 * The predicates of all statements, but for those that were refused by the store
 * (their texts may be anything) and inserts. The history must outlive the set.
 * Errors name the transaction, the table and the column of the text.
 */
MUST_USE enum status predicates_open(struct predicates **, const struct history *, unsigned flags,
                                     struct error *);
void predicates_close(struct predicates *);

/* One more, of no statement. The text need not outlive it. */
MUST_USE enum status predicates_add(struct predicates *, uint32_t table, struct text,
                                    uint32_t *number, struct error *);

/* They are numbered from 0, in the order of the first statement that has them. */
uint32_t predicates_count(const struct predicates *);
const struct predicate *predicates_get(const struct predicates *, uint32_t number);
/* The number, by the number of the statement, or PREDICATE_NONE. */
uint32_t predicates_of_statement(const struct predicates *, uint32_t statement);

/* The canonical text: "v >= 10 AND v <= 20"; nothing for every row. */
void predicates_print(const struct predicates *, uint32_t number, struct buffer *);

/* --- Rows --- */

/* What a thread needs to ask. */
struct predicate_scratch {
    struct heap heap;
    struct datum *row;
    struct sql_error error; /* why the last answer was PREDICATE_UNDECIDED */
};

enum predicate_answer { PREDICATE_NO, PREDICATE_YES, PREDICATE_UNDECIDED };

MUST_USE enum status predicate_scratch_init(struct predicate_scratch *, struct error *);
void predicate_scratch_close(struct predicate_scratch *);

/* What is no row of the predicate's table, such as null, never matches. */
enum predicate_answer predicates_match(const struct predicates *, uint32_t number, struct value row,
                                       struct predicate_scratch *);

/*
 * A column of such a row as condition_pin() and condition_range() give values, for
 * indexes. Texts and lists are the history's own. Refused: the type cannot have it.
 */
MUST_USE enum status predicates_read(const struct predicates *, uint32_t table, struct value row,
                                     uint16_t column, struct datum *, struct sql_error *);
/* The same of a row of another history, whose table has the same columns in the same order. */
struct predicate_cell {
    uint32_t table;
    struct value row;
    uint16_t column;
};
MUST_USE enum status predicates_read_other(const struct predicates *, const struct history *,
                                           struct predicate_cell, struct datum *,
                                           struct sql_error *);

/* For who keeps rows by themselves: a datum for each column of the predicate's table. */
enum predicate_answer predicates_match_datums(const struct predicates *, uint32_t number,
                                              const struct datum *row, struct predicate_scratch *);

#endif
