/*
 * json_writer: the JSON that --json prints, with its commas.
 *
 *     struct json_writer json = { .out = &out };
 *     json_writer_open(&json, NULL, '{');
 *     json_writer_text(&json, "verdict", "valid");
 *     json_writer_open(&json, "checks", '[');
 *     json_writer_close(&json, ']');
 *     json_writer_close(&json, '}');
 *
 * A NULL name is for elements of arrays, and for the whole. Numbers are exact.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_writer {
    struct buffer *out;
    bool needs_comma;
};

/* An object '{' or array '[' within. */
void json_writer_open(struct json_writer *, const char *name, char bracket);
void json_writer_close(struct json_writer *, char bracket);

/* Bytes that are no UTF-8 become question marks; NULL becomes null. */
void json_writer_text(struct json_writer *, const char *name, const char *value);
void json_writer_string(struct json_writer *, const char *name, struct text value);
void json_writer_number(struct json_writer *, const char *name, uint64_t value);
void json_writer_int64(struct json_writer *, const char *name, int64_t value);
void json_writer_null(struct json_writer *, const char *name);
void json_writer_bool(struct json_writer *, const char *name, bool value);
/* Nanoseconds as a decimal number of seconds. */
void json_writer_seconds(struct json_writer *, const char *name, int64_t ns);

#endif
