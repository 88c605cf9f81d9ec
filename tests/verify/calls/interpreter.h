/*
 * interpreter: the verifier's interpreter behind texts, for tests that compare it with others.
 *
 * Values are as psql shows them, and <NULL>.
 */
#ifndef TESTS_VERIFY_CALLS_INTERPRETER_H
#define TESTS_VERIFY_CALLS_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum interpreted { INTERPRETED_WELL, INTERPRETED_ERROR, INTERPRETED_UNKNOWN };

/* They fail the test if the program is not understood. */
void interpreter_open(struct text program);
void interpreter_load(const char *call);
void interpreter_close(void);

/* Commits as number `position` if it ends well; `answer` is the value, the SQLSTATE, or what is not known. */
enum interpreted interpreter_call(struct text routine, const struct text *arguments, uint32_t count,
                                  uint32_t position, struct text *answer);

/* Rows of a table that are there after so many. */
uint32_t interpreter_count(struct text table, uint32_t position);
/* A cell of the row with this primary key. False: there is no such row. */
bool interpreter_cell(struct text table, const struct text *key, uint32_t column, uint32_t position,
                      struct text *cell);

#endif
