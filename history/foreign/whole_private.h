/*
 * whole: a file that is read as a whole, value by value, into a draft.
 *
 *     status = whole_begin(&whole, source, is_json, err);
 *     if (status == STATUS_OK)
 *         status = take values from whole.edn, add them to whole.draft;
 *     return whole_end(&whole, source, status, "tool", history, err);
 *
 * So a refusal names the file, the line and the offset, whatever reader it comes from.
 */
#ifndef HISTORY_FOREIGN_WHOLE_PRIVATE_H
#define HISTORY_FOREIGN_WHOLE_PRIVATE_H

#include "history/foreign/draft_private.h"
#include "history/foreign/edn_private.h"
#include "history/io/source.h"

struct whole {
    struct edn edn;
    struct foreign_draft draft;
    char *bytes;
};

/* Ended by whole_end(), also after a failure. */
MUST_USE enum status whole_begin(struct whole *, struct source *, bool is_json, struct error *);
/*
 * The history if all was well so far; otherwise the error is about where the lexer is. Nothing is
 * left of the whole afterwards.
 */
MUST_USE enum status whole_end(struct whole *, const struct source *, enum status so_far,
                               const char *producer, struct history *, struct error *);

/* The same for several files, one after another, each after whole_init(); whole_end() has no source. */
void whole_init(struct whole *);
MUST_USE enum status whole_take(struct whole *, struct source *, bool is_json, struct error *);
/* The error is about where the lexer is in that file. */
enum status whole_refuse(const struct whole *, const char *file, struct error *);

/* Whether everything was read, but for blanks. */
MUST_USE enum status whole_is_over(struct whole *, struct error *);

#endif
