/*
 * registers_values: finds the write of each value that was read of a register.
 *
 *     key          x                      y
 *     slots        . 7->0 . 9->1 8->2 .   1->3 .        a small table for each key
 *
 * A writer is possible if it may have committed and wrote the key no more: the others,
 * aborted and intermediate ones, are only told where nobody else is left. Null and the
 * empty list are one, and a delete writes null; the initial value is there besides.
 */
#ifndef CHECKERS_INFER_REGISTERS_REGISTERS_VALUES_PRIVATE_H
#define CHECKERS_INFER_REGISTERS_REGISTERS_VALUES_PRIVATE_H

#include "checkers/infer/infer_private.h"

/* All writers of a value: two of the possible ones are enough to know that there are several. */
struct value_writers {
    uint32_t count;         /* possible ones */
    uint32_t first, second; /* of these; numbers of versions, or INFER_NOTHING */
    uint32_t other;         /* the most harmless of the impossible ones, or INFER_NOTHING */
};

struct value_slot {
    uint64_t hash;
    uint32_t place; /* a version's number; of repeated values a place in `repeated` */
    uint8_t kind;   /* of the plain value; VALUE_NONE: free */
    bool is_repeated;
};

struct repetition {
    struct value_writers writers;
    uint32_t version; /* some version that has the value */
};

struct register_values {
    const struct infer *infer;
    uint64_t *start; /* by key, and one more: its slots, a power of two of them or none */
    struct value_slot *slots;
    ARRAY(struct repetition) repeated;
};

/* Two versions of one value are told to `hears`. Closed by register_values_close(). */
MUST_USE enum status register_values_init(struct register_values *, struct infer *,
                                          enum status (*hears)(struct infer *, uint32_t first,
                                                               uint32_t second, struct error *),
                                          struct error *);
void register_values_close(struct register_values *);

struct value_writers register_values_find(const struct register_values *, uint32_t key,
                                          struct value);

#endif
