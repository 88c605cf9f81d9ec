/*
 * text: counted strings, growing output, numbers in text.
 *
 * A struct text is a view: it owns nothing and need not end in a zero byte. A
 * struct buffer owns its bytes and remembers that memory ran out, so that a
 * writer checks once, at its end, with buffer_status().
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct text {
    const char *at;
    size_t length;
};

#define TEXT(literal) ((struct text){ (literal), sizeof(literal) - 1 })
/* For printf: printf("%.*s", TEXT_PRINT(name)). Longer ones are cut. */
#define TEXT_PRINT(text) ((text).length > 200 ? 200 : (int)(text).length), (text).at

struct text text_of(const char *zero_terminated);
bool text_equal(struct text, struct text);
/* By bytes; a prefix comes first. */
int text_compare(struct text, struct text);
bool text_is_utf8(struct text);

/* The whole text is one integer, in range, without a plus sign or idle zeros. */
bool text_to_int64(struct text, int64_t *);

/* The name most like `wanted`, or NULL if none is near. `names` ends in NULL. */
const char *text_nearest(struct text wanted, const char *const *names);

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
void buffer_print(struct buffer *, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_int64(struct buffer *, int64_t);
/* A JSON string, quotes included. */
void buffer_json(struct buffer *, struct text);
MUST_USE enum status buffer_status(const struct buffer *, struct error *);

/* Writes at most 20 bytes at `to`, returns the end. */
char *int64_write(char *to, int64_t);

#endif
