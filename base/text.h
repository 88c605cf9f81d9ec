/*
 * text: counted strings, and numbers in them. A struct text is a view: it owns nothing and need not
 * end in a zero byte. Output that grows is base/buffer.h, which comes with this header.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
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

/* Takes a prefix off; false: it does not have it. */
bool text_take(struct text *, struct text prefix);
/* What stands behind the last of these bytes; all of it, if there is none. */
struct text text_behind_last(struct text, char);
/* The whole text is one integer, in range, without a plus sign or idle zeros. */
bool text_to_int64(struct text, int64_t *);

/*
 * Takes the digits at the front of the text. False, and nothing is taken: there are none, or the
 * number is too large.
 */
bool text_take_uint64(struct text *, uint64_t *);

/* The name most like `wanted`, or NULL if none is near. `names` ends in NULL. */
const char *text_nearest(struct text wanted, const char *const *names);

/* Writes at most 20 bytes at `to`, returns the end. */
char *text_write_int64(char *to, int64_t);

#endif
