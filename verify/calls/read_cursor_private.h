/*
 * read_cursor: where a body speaks of explicit cursors, which not every parser knows.
 *
 * The body is parsed with other statements in their places, which have names such as "cursor 3". What stood there is
 * remembered under that number.
 */
#ifndef VERIFY_CALLS_READ_CURSOR_PRIVATE_H
#define VERIFY_CALLS_READ_CURSOR_PRIVATE_H

#include "verify/calls/reader_private.h"

enum cursor_use_kind { CURSOR_USE_DECLARE, CURSOR_USE_OPEN, CURSOR_USE_FETCH, CURSOR_USE_CLOSE, CURSOR_USE_LOOP };

struct cursor_use {
    enum cursor_use_kind kind;
    struct text name;
    const struct text *arguments; /* texts between commas */
    uint32_t argument_count;
    struct text sql; /* what stands behind FOR; .at is NULL: nothing */
    struct text replaced;
    size_t pattern; /* which was found there */
};

struct cursor_uses {
    struct cursor_use *at;
    uint32_t count;
    uint32_t argument_count; /* that are declared in all */
};

/* Gives the statement that creates the function as the parser shall see it. */
struct text read_cursor_uses(struct reader *, struct text statement, struct text body, struct cursor_uses *);
/* What an expression or query stands for, or NULL. */
const struct cursor_use *read_cursor_use(const struct cursor_uses *, const char *sql);

#endif
