/*
 * sql_error: what PostgreSQL would answer instead of a result.
 *
 * An error of a statement is part of what a program does: it ends the
 * transaction, and clients tell one from another by its SQLSTATE. So it is no
 * struct error; whoever reads a file turns it into one. Texts are PostgreSQL's
 * own, without DETAIL and HINT.
 */
#ifndef PROGRAMS_VALUES_SQL_ERROR_H
#define PROGRAMS_VALUES_SQL_ERROR_H

#include "base/error.h"

#define SQLSTATE_NUMERIC_OUT_OF_RANGE "22003"
#define SQLSTATE_DATETIME_FORMAT "22007"
#define SQLSTATE_DATETIME_OVERFLOW "22008"
#define SQLSTATE_SUBSTRING "22011"
#define SQLSTATE_DIVISION_BY_ZERO "22012"
#define SQLSTATE_ESCAPE "22025"
#define SQLSTATE_STRING_TOO_LONG "22001"
#define SQLSTATE_PARAMETER "22023"
#define SQLSTATE_TEXT_REPRESENTATION "22P02"
#define SQLSTATE_SYNTAX "42601"
#define SQLSTATE_AMBIGUOUS "42725"
#define SQLSTATE_MISMATCH "42804"
#define SQLSTATE_WRONG_KIND "42809"
#define SQLSTATE_CANNOT_COERCE "42846"
#define SQLSTATE_UNDEFINED_FUNCTION "42883"
#define SQLSTATE_NOT_SUPPORTED "0A000"
#define SQLSTATE_OUT_OF_MEMORY "53200"
#define SQLSTATE_TOO_LARGE "54000"
#define SQLSTATE_CARDINALITY "21000"
#define SQLSTATE_NULL_NOT_ALLOWED "22004"
#define SQLSTATE_ROW_COUNT "2201W"
#define SQLSTATE_SEQUENCE_LIMIT "2200H"
#define SQLSTATE_NOT_READY "55000" /* object not in prerequisite state */
#define SQLSTATE_ROW_OFFSET "2201X"
#define SQLSTATE_NOT_NULL "23502"
#define SQLSTATE_FOREIGN_KEY "23503"
#define SQLSTATE_UNIQUE "23505"
#define SQLSTATE_CHECK "23514"
#define SQLSTATE_NO_RETURN "2F005"
#define SQLSTATE_NO_CURSOR "34000"
#define SQLSTATE_DUPLICATE_CURSOR "42P03"
#define SQLSTATE_TOO_DEEP "54001"
#define SQLSTATE_CANCELED "57014"
#define SQLSTATE_NO_DATA "P0002"
#define SQLSTATE_TOO_MANY_ROWS "P0003"

struct sql_error {
    char sqlstate[6];
    char text[512];
};

/* STATUS_OVER_LIMIT where resources ran out (class 53), else STATUS_BAD_INPUT. */
MUST_USE enum status sql_error_set(struct sql_error *, const char *sqlstate, const char *format,
                                   ...) PRINTF_LIKE(3, 4);
/*
 * The machine that we run on has no memory, as opposed to one whose own limit is reached: that is not
 * what the program does, and whoever called it does not believe what came of it (base/memory.h).
 */
MUST_USE enum status sql_error_no_memory(struct sql_error *);

#endif
