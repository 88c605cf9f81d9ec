/*
 * json: a strict lexer over one line of JSON.
 *
 * It hands out what the caller asks for and nothing else, so the caller's
 * grammar bounds the nesting and no tree is built. Stricter than JSON itself:
 * numbers are 64-bit integers; the zero character and lone surrogates are
 * refused. A text handed out is a view of the line, or of `decoded` where it
 * had escapes; both hold until json_begin() is called for the next line.
 *
 *     json_open(&json, '{', "an object", &err);
 *     for (size_t n = 0;; n++) {
 *         json_field(&json, n, &name, &err);
 *         if (!name.at)
 *             break;
 *         json_integer(&json, "a number", &number, &err);
 *     }
 *
 * Refusals say what was expected and what was found, with the offset counted
 * from the beginning of the line.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define JSON_DEPTH_MAX 64 /* of what is skipped */

struct json {
    const char *begin, *at, *end;
    const char *token;     /* where the last string, number or bracket handed out begins */
    struct buffer decoded; /* never longer than the line, so it never moves within one */
};

void json_begin(struct json *, struct text line);
void json_close(struct json *);

/* Of a text in several lines: what ends a line becomes a blank, but within strings, to be refused there. */
void json_blank_line_ends(char *bytes, size_t size);

/* Passes blanks; the next character, or 0 at the end of the line. */
static inline char json_peek(struct json *json)
{
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\t'))
        json->at++;
    return json->at < json->end ? *json->at : 0;
}

/* Passes an opening bracket, `{` or `[`. `what` is what the caller expects: "an object". */
MUST_USE enum status json_open(struct json *, char bracket, const char *what, struct error *);
/* The name of field number n of an object, and its colon; `name->at` is NULL at its end. */
MUST_USE enum status json_field(struct json *, size_t n, struct text *name, struct error *);
/* Whether element number n of an array comes next; otherwise the array is over. */
MUST_USE enum status json_element(struct json *, size_t n, bool *more, struct error *);

MUST_USE enum status json_integer(struct json *, const char *what, int64_t *, struct error *);
MUST_USE enum status json_string(struct json *, const char *what, struct text *, struct error *);
/* Passes `null`, `true` or `false` if that comes next. */
bool json_word(struct json *, const char *word);
/* Passes one value of any kind. */
MUST_USE enum status json_skip(struct json *, struct error *);
/* Nothing but blanks is left. */
MUST_USE enum status json_end(struct json *, struct error *);

/*
 * The place of a field's name in `names`, which ends in NULL, and its bit in `seen`: an unknown name and
 * one that was seen before are refused.
 */
MUST_USE enum status json_know_field(struct json *, struct text name, const char *const *names,
                                     unsigned *field, unsigned *seen, struct error *);
/* The place of a string in `names`. `what`: "status". */
MUST_USE enum status json_choice(struct json *, const char *what, const char *const *names,
                                 unsigned *choice, struct error *);
/* The place of a string in `words`, which end in NULL. `what`: "a verdict". */
MUST_USE enum status json_one_of(struct json *, const char *const *words, const char *what,
                                 unsigned *number, struct error *);

/* "expected WHAT, found ...", at the next character. */
MUST_USE enum status json_refuse(struct json *, const char *what, struct error *);
/* Something is wrong with the last token. */
MUST_USE enum status json_refuse_token(struct json *, struct error *, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
