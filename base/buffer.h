/*
 * buffer: output that grows. It owns its bytes and remembers that memory ran out, so that a writer
 * checks once, at its end, with buffer_status().
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct text; /* base/text.h */

struct buffer {
    char *at;
    size_t count, room;
    bool out_of_memory;
};

void buffer_close(struct buffer *);
void buffer_clear(struct buffer *);
/* Room for `more` bytes behind the last, or NULL. Commit them by adding to count. */
char *buffer_reserve(struct buffer *, size_t more);
void buffer_byte(struct buffer *, char);
void buffer_text(struct buffer *, struct text);
/* All of another, and that it lacks something. */
void buffer_append(struct buffer *, const struct buffer *);
void buffer_print(struct buffer *, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_int64(struct buffer *, int64_t);
/* A JSON string, quotes included. */
void buffer_json(struct buffer *, struct text);
/* A character in UTF-8: neither half of a surrogate pair nor above 0x10ffff. */
void buffer_utf8(struct buffer *, uint32_t code);
MUST_USE enum status buffer_status(const struct buffer *, struct error *);

#endif
