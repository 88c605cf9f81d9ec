/*
 * foreign_fixture: the formats of other tools, and what texts in them are read as.
 */
#ifndef TESTS_HISTORY_FOREIGN_FOREIGN_FIXTURE_H
#define TESTS_HISTORY_FOREIGN_FOREIGN_FIXTURE_H

#include "history/foreign/foreign.h"
#include "history/format.h"

/* A small history in each format that is one file, with the bytes that text cannot show. */
struct foreign_row {
    enum format format;
    const struct foreign *foreign;
    const char *text;
    size_t size;
};

extern const struct foreign_row foreign_rows[];
extern const size_t foreign_row_count;

MUST_USE enum status foreign_read_text(const struct foreign *, const char *text, size_t size,
                                       struct history *, struct error *);
/* In native text without its first line; to be freed. */
char *foreign_native(const struct history *);
/* The text is read as those lines. */
void foreign_expect(const struct foreign *, const char *text, const char *wanted);
/* It is refused on that line, and so. */
void foreign_expect_refusal(const struct foreign *, const char *text, uint64_t line,
                            const char *why);

#endif
