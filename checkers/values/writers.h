/*
 * writers: who wrote a value of a key: a table over (key, value).
 *
 *     slot     bits 7   key x   writer 12          12 wrote x=7
 *     slot     bits 8   key x   SEVERAL + 3        several wrote x=8: the chain that begins there
 *
 * What a writer's number means is its user's: a transaction, a version, a place in an array. A
 * slot has all that must be compared where the value is an integer, so that to find it takes one
 * access that is not at hand, which writers_expect() asks for ahead.
 */
#ifndef CHECKERS_VALUES_WRITERS_H
#define CHECKERS_VALUES_WRITERS_H

#include "base/array.h"
#include "base/hash.h"
#include "checkers/values/values.h"

#define WRITERS_NOBODY UINT32_MAX

struct written_slot {
    uint64_t bits;   /* the integer, or the value's hash */
    uint32_t key;
    uint32_t writer; /* and flags; WRITERS_NOBODY: free */
};

struct further_writer {
    uint32_t writer, next; /* next: a place in `further`, or WRITERS_NOBODY */
    uint32_t last;         /* of the first: where its chain ends */
};

struct writers {
    const struct history *history;
    /* The operation by which a writer wrote the key. */
    uint32_t (*op_of)(const void *context, uint32_t key, uint32_t writer);
    const void *context;
    struct written_slot *slots;
    uint64_t mask;
    ARRAY(struct further_writer) further;
};

/* One writer of a value; the next ones are those that wrote it, too, as they were added. */
struct writer {
    uint32_t number; /* WRITERS_NOBODY: there is none */
    uint32_t next;
};

/* Room for so many writes. Who opens it sets op_of and its context. Closed also after a failure. */
MUST_USE enum status writers_init(struct writers *, const struct history *, uint64_t count,
                                  struct error *);
void writers_close(struct writers *);

/* `first`, which may be NULL: who wrote the same before, or WRITERS_NOBODY. */
MUST_USE enum status writers_add(struct writers *, uint32_t key, struct value, uint32_t writer,
                                 uint32_t *first, struct error *);
struct writer writers_find(const struct writers *, uint32_t key, struct value);

static inline struct writer writers_next(const struct writers *w, struct writer writer)
{
    const struct further_writer *next;

    if (writer.next == WRITERS_NOBODY)
        return (struct writer){ WRITERS_NOBODY, WRITERS_NOBODY };
    next = &w->further.at[writer.next];
    return (struct writer){ next->writer, next->next };
}

static inline uint64_t writers_bits(const struct writers *w, struct value value)
{
    return value.kind == VALUE_INTEGER ? (uint64_t)value.bits : values_hash(w->history, value);
}

static inline uint64_t writers_slot(const struct writers *w, uint32_t key, uint64_t bits)
{
    return hash_number(bits + hash_number(key)) & w->mask;
}

/* This value will be asked for, or added, soon. */
static inline void writers_expect(const struct writers *w, uint32_t key, struct value value)
{
    __builtin_prefetch(&w->slots[writers_slot(w, key, writers_bits(w, value))], 1);
}

#endif
