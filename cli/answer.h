/*
 * answer: the JSON that --json prints, with its commas.
 *
 *     struct answer answer = { .out = &out };
 *     answer_open(&answer, NULL, '{');
 *     answer_text(&answer, "verdict", "valid");
 *     answer_open(&answer, "checks", '[');
 *     answer_close(&answer, ']');
 *     answer_close(&answer, '}');
 *
 * A NULL name is for elements of arrays, and for the whole. Numbers are exact.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct answer {
    struct buffer *out;
    bool needs_comma;
};

/* An object '{' or array '[' within. */
void answer_open(struct answer *, const char *name, char bracket);
void answer_close(struct answer *, char bracket);

/* Bytes that are no UTF-8 become question marks. */
void answer_text(struct answer *, const char *name, const char *value);
void answer_number(struct answer *, const char *name, uint64_t value);
void answer_null(struct answer *, const char *name);
void answer_bool(struct answer *, const char *name, bool value);
/* Nanoseconds as a decimal number of seconds. */
void answer_seconds(struct answer *, const char *name, int64_t ns);

#endif
