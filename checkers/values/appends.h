/*
 * appends: which keys are lists that are only appended to, and which append put each element there.
 *
 *     T1: append x 3, append x 5    T2: append y 1, write y [7]
 *
 *     x is a list: 3 by T1; 5 by T1, before it 3        y is strange
 *
 * The elements of all lists are in one table, over (key, element).
 */
#ifndef CHECKERS_VALUES_APPENDS_H
#define CHECKERS_VALUES_APPENDS_H

#include "base/error.h"
#include "base/hash.h"
#include "checkers/values/values.h"

#define APPEND_INITIAL (HISTORY_NONE - 1) /* in the place of an operation: it was there at first */

enum written_key {
    WRITTEN_REGISTER,
    WRITTEN_LIST,    /* only appended to, and no element twice */
    WRITTEN_STRANGE, /* appended to and written, or elements repeat: its reads are not judged */
};

struct append {
    int64_t element;
    uint32_t key;
    uint32_t op;     /* the append, or APPEND_INITIAL; HISTORY_NONE: nobody's */
    uint32_t txn;    /* of APPEND_INITIAL HISTORY_NONE, as the next */
    uint32_t before; /* the transaction's append of the key before it, or HISTORY_NONE */
};

struct appends {
    const struct history *history;
    uint8_t *key_kind; /* enum written_key, by key; NULL: nobody appends anything */
    struct append *slots;
    uint64_t mask;
};

/* Whose appends count: all whose entry is another than this. */
struct append_writers {
    const uint8_t *of_txn; /* by transaction: its status, or its standing */
    uint8_t excluded;
    bool knows_excluded; /* theirs make a key a list, too, and are known where no other is like them */
};

/* Closed by appends_close(), also after a failure. */
MUST_USE enum status appends_init(struct appends *, const struct history *,
                                  const struct append_writers *, struct error *);
void appends_close(struct appends *);

/* Of a key that is a list, or strange: the slot of an element, which is nobody's if it is free. */
static inline struct append *appends_find(const struct appends *a, uint32_t key, int64_t element)
{
    uint64_t at = hash_number((uint64_t)element + hash_number(key)) & a->mask;

    while (a->slots[at].op != HISTORY_NONE &&
           (a->slots[at].key != key || a->slots[at].element != element))
        at = (at + 1) & a->mask;
    return &a->slots[at];
}

static inline uint8_t appends_kind(const struct appends *a, uint32_t key)
{
    return a->key_kind ? a->key_kind[key] : WRITTEN_REGISTER;
}

#endif
