/*
 * row_contents: what a row may hold, where a run chooses among contents and not among states.
 *
 *     listed   x: 1 2 3 7      all that it may hold, the newest first
 *     seen     x >= 3: 3 7     in this run, since its first look told x >= 3 from x < 3
 *              x: 7            and its second one told all of them apart
 *
 * A content is told by the position of a version that has it. Which contents there are is listed once for all runs of
 * a transaction. A look divides those that are left of a row in classes that it does not tell apart; the run goes on
 * with one of them.
 */
#ifndef AUDIT_ROW_CONTENTS_PRIVATE_H
#define AUDIT_ROW_CONTENTS_PRIVATE_H

#include "audit/rows_private.h"
#include "base/array.h"

#define CONTENT_BEFORE UINT32_MAX /* what the row held before the place */

/* Of a row: at a place, or at any (0). */
struct content_list {
    const struct stored_row *row;
    uint32_t place;
    size_t first; /* of `listed` */
    uint32_t count;
    bool is_open; /* and others, which nobody knows */
};

/* What is left of a list in the run at hand. Looks of one scope see the same content. */
struct content_sight {
    const struct stored_row *row;
    uint32_t scope, place;
    size_t first; /* of `left` */
    uint32_t count;
    bool is_open;
};

struct row_contents {
    ARRAY(struct content_list) lists;
    ARRAY(uint32_t) listed;
    ARRAY(struct content_sight) sights;
    ARRAY(uint32_t) left, classes, table;
};

void row_contents_close(struct row_contents *);
/* What rows may hold is not the same any more. */
void row_contents_forget(struct row_contents *);
void row_contents_begin_run(struct row_contents *);

/* The list, or NULL. */
const struct content_list *row_contents_find(const struct row_contents *, const struct stored_row *,
                                             uint32_t place);
/* A new list, of what is added to it; what is there twice is left out at the end. */
MUST_USE enum status row_contents_begin_list(struct row_contents *, const struct stored_row *,
                                             uint32_t place, struct error *);
MUST_USE enum status row_contents_add(struct row_contents *, uint32_t position, struct error *);
MUST_USE enum status row_contents_end_list(struct row_contents *, struct rows *, bool is_open,
                                           struct error *);

/* What is left in the run at hand, or NULL: no look has met the row in this scope. */
struct content_sight *row_contents_seen(const struct row_contents *, const struct stored_row *,
                                        uint32_t scope, uint32_t place);
MUST_USE enum status row_contents_see(struct row_contents *, const struct content_list *,
                                      uint32_t scope, struct error *);

/* In how many classes the look divides what is left; then one of them is left. */
MUST_USE enum status row_contents_divide(struct row_contents *, struct rows *,
                                         const struct row_look *, const struct content_sight *,
                                         uint32_t *count, struct error *);
MUST_USE enum status row_contents_narrow(struct row_contents *, struct content_sight *,
                                         uint32_t class_, struct error *);

#endif
