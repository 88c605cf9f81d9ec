/*
 * history_private: what the makers of histories share: the table of columns,
 * who owns their memory, and what is derived from them.
 */
#ifndef HISTORY_HISTORY_PRIVATE_H
#define HISTORY_HISTORY_PRIVATE_H

#include "history/history.h"

#define HISTORY_COUNT_MAX (UINT32_MAX - 1) /* numbers are 32 bits, and one of them is none */

enum history_group {
#define HISTORY_GROUP(group) GROUP_##group,
    HISTORY_GROUPS(HISTORY_GROUP)
#undef HISTORY_GROUP
    GROUP_COUNT
};

enum history_column {
#define HISTORY_COLUMN(group, type, name, extra, optional) COLUMN_##name,
    HISTORY_COLUMNS(HISTORY_COLUMN)
#undef HISTORY_COLUMN
    HISTORY_COLUMN_COUNT
};

struct history_form {
    const char *name;
    enum history_group group;
    uint8_t element_size, extra, optional;
    size_t offset; /* of the pointer within struct history */
};

/* By enum history_column. */
extern const struct history_form history_forms[HISTORY_COLUMN_COUNT];

/* What releases a history: columns on the heap, or one file that holds them all. */
struct history_memory {
    void *columns[HISTORY_COLUMN_COUNT];
    uint32_t *key_initial, *key_order, *shape_sorted;
    void *file; /* NULL, or mapped, or on the heap */
    size_t file_size;
    bool file_is_mapped;
};

const void *history_column(const struct history *, enum history_column);
void history_set_column(struct history *, enum history_column, const void *);
size_t history_group_count(const struct history *, enum history_group);
void history_set_group_count(struct history *, enum history_group, size_t count);

/*
 * Whether an operation's times can be those of the next one of its transaction: it is invoked no
 * earlier than `last`, which becomes its own, and ends by `end`, as far as anybody wrote down when.
 * One that was never answered has no end.
 */
static inline bool history_times_follow(int64_t invoked, int64_t completed, int64_t *last,
                                        int64_t end)
{
    if (invoked == TIME_ABSENT)
        return true;
    if (invoked < *last)
        return false;
    *last = invoked;
    return end == TIME_ABSENT ||
           (invoked <= end && (completed == TIME_NEVER || completed <= end));
}

/* Whether the group's elements are numbered by 32 bits somewhere. */
bool history_group_is_numbered(enum history_group);

/*
 * Fills in what is derived. The columns must be in place, and the numbers in
 * initial_key, order_key and the shapes within range; whoever reads a file
 * calls this after history_check().
 */
MUST_USE enum status history_derive(struct history *, struct error *);

#endif
