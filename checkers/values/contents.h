/*
 * contents: the value of a key to which transactions write or append.
 *
 * A content is a value of the history, or a list that appends have made, of which
 * nothing is copied while it grows: all its earlier contents are its beginnings.
 *
 *     w l [7]      the history's list [7]
 *     append l 3   [7 3      grown list 0, length 2: copied once
 *     append l 5   [7 3 5    grown list 0, length 3
 *
 * Null and the empty list are one: a list that was never written.
 */
#ifndef CHECKERS_VALUES_CONTENTS_H
#define CHECKERS_VALUES_CONTENTS_H

#include "base/array.h"
#include "history/history.h"

#define CONTENT_GROWN VALUE_KIND_COUNT /* a kind behind those of values: bits is a grown list */

struct content {
    int64_t bits;
    uint32_t length; /* of a grown list */
    uint8_t kind;
};

struct grown_list {
    int64_t *at;
    uint32_t count, room;
};

struct contents {
    const struct history *history;
    ARRAY(struct grown_list) lists;
};

void contents_init(struct contents *, const struct history *);
void contents_close(struct contents *);

static inline struct content content_of(struct value value)
{
    return (struct content){ .bits = value.bits, .kind = (uint8_t)value.kind };
}

/* What an operation that writes leaves behind where there was `before`. */
MUST_USE enum status contents_write(struct contents *, struct content before, uint32_t op,
                                    struct content *after, struct error *);

/* Whether a read with this answer can have been of it. */
bool contents_equal(const struct contents *, struct content, struct value read);

/* Elements of a grown list or a list of the history; nothing of anything else. */
size_t contents_elements(const struct contents *, struct content, const int64_t **elements);

void contents_tell(struct buffer *, const struct contents *, struct content);

#endif
