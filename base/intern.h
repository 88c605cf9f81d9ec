/*
 * intern: texts numbered from 0 in the order they first come.
 *
 * Open addressing over (hash tag, number) slots; the bytes stand one after
 * another in one block:
 *
 *     slots   [ tag|2 ][ free ][ tag|0 ][ tag|1 ]...
 *     end     [ 3, 5, 9 ]                 text i is bytes end[i-1] .. end[i]
 *     bytes   [ x y z | a b | l o n g ]
 *
 * Iterate by number: that is the order of insertion. A view returned by
 * intern_text() holds until the next intern_add().
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdint.h>

#include "base/array.h"
#include "base/text.h"

#define INTERN_NONE UINT32_MAX

struct intern_slot {
    uint32_t tag, number_plus_one; /* zero: free */
};

struct intern {
    struct intern_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    ARRAY(uint64_t) end;
    ARRAY(char) bytes;
};

void intern_close(struct intern *);
size_t intern_count(const struct intern *);
struct text intern_text(const struct intern *, uint32_t number);

/* The text's number, or INTERN_NONE. */
uint32_t intern_find(const struct intern *, struct text);
/* The text's number, which is new if the text is. The text must not be a view into the table. */
MUST_USE enum status intern_add(struct intern *, struct text, uint32_t *number, struct error *);

#endif
