/*
 * sources: where a read may come from, if nothing is known but what clients saw.
 *
 * docs/format-witness.md, "Possible versions". The last version that a transaction
 * left of a key is of one sort with all others of that key that look the same to
 * whoever reads:
 *
 *     x = 5          T1's, T4's          a read of 5
 *     x = null       initial, T7's       a read of null
 *     l, .. 3        T2's append of 3    a read of [1,3]
 *
 * A read may come from one sort, or, where a list was written whole as well as
 * appended to, from two. Of a plain list it is known whose elements were read.
 */
#ifndef VERIFY_VALUES_SOURCES_H
#define VERIFY_VALUES_SOURCES_H

#include "verify/verify_private.h"

#define VERSION_UNKNOWN (HISTORY_NONE - 1)
#define NO_TXN HISTORY_NONE /* who made the initial version */

enum reading_kind {
    READING_OF_OTHERS,
    READING_OF_OWN, /* right, and says nothing more */
    READING_WRONG,  /* whatever the order was */
};

/* What an operation read of a key. */
struct reading {
    uint32_t txn, op, key; /* the item operation or the row */
    enum reading_kind kind;
    uint32_t sorts[2]; /* of possible versions; HISTORY_NONE: no such */
    bool has_own;      /* the reader's own version is of these sorts, but not possible */
    uint32_t own;
    uint64_t source_count; /* possible versions */
    bool is_plain;         /* of a plain list: one version is possible, which is this */
    uint32_t version;
    uint32_t element_op; /* of a plain list: what appended its last element; VERSION_INITIAL */
    bool is_torn;        /* of a plain list: of somebody it has a part, or not in one piece */
    uint32_t elsewhere;  /* of a read that is not of its own, though it had written: see below */
    bool is_sight;       /* of a row: all that its transaction says of it, see answer.h */
    bool is_narrowed;    /* a sight: statements say more of it than values do */
    uint64_t first_seen; /* a sight: where its possible versions begin */
    uint32_t number;     /* of readings so far */
};

/*
 * Where reads need not find what their own transaction had written, one that did not may be from
 * others: `elsewhere` is the one version that it can be from, or one of these.
 */
#define ELSEWHERE_NOT (HISTORY_NONE - 1)  /* its own, or there is nothing to be said */
#define ELSEWHERE_MANY (HISTORY_NONE - 2) /* several */
#define ELSEWHERE_NONE (HISTORY_NONE - 3) /* nobody's, nor its own */

/* Whether nobody left that: or, of a list, one who had not appended all of his own yet. */
bool source_is_nowhere(const struct verifier *, const struct reading *);

/* What a read of a plain list has of one transaction, or of the initial list. */
struct element_span {
    uint32_t txn;
    uint32_t first, last, count; /* places in the list; elements */
    uint32_t element;            /* the last one's number */
    bool is_reversed;            /* an element stands before one that was put there earlier */
};

/* After versions_build(). */
MUST_USE enum status sources_build(struct verifier *, struct error *);
void sources_close(struct sources *);

/* Of an item operation or of a row; refuses what is no read of a committed transaction. */
MUST_USE enum status sources_read(struct verifier *, uint32_t txn, uint32_t op, struct reading *,
                                  struct error *);
/*
 * If the operation of the reading is a statement about the table of its key, and statements are premises: what
 * it says of the row. The reading names its transaction, operation and key.
 */
MUST_USE enum status sources_sight(struct verifier *, struct reading *, bool *is_sight,
                                   struct error *);
/* By its number; until the next sources_read(). */
const struct reading *sources_reading(const struct verifier *, uint32_t number);
/*
 * Of a plain list, whether it was never so, whoever had appended: it lacks initial elements, or what was
 * appended just before one of its elements by the same transaction, or has one that nobody appended, or twice.
 */
MUST_USE enum status source_list_never_was(struct verifier *, const struct reading *,
                                           bool *never_was, struct error *);
bool source_is_possible(const struct verifier *, const struct reading *, uint32_t version);
/* The possible versions by numbers from 0; the reader's own is there, to be passed over. */
static inline uint64_t source_end(const struct reading *r)
{
    return r->source_count + r->has_own;
}

static inline bool source_is_own(const struct reading *r, uint32_t version)
{
    return r->has_own && version == r->own;
}

uint32_t source_at(const struct verifier *, const struct reading *, uint64_t n);
/* NULL: none of its elements was read. */
const struct element_span *source_span(const struct verifier *, const struct reading *,
                                       uint32_t txn);

/* What appended an element to a plain list, by one who may count; or HISTORY_NONE. */
MUST_USE enum status source_of_element(struct verifier *, uint32_t key, int64_t element,
                                       uint32_t *op, struct error *);
bool source_is_plain(const struct verifier *, uint32_t key);
/* The only version that a read can have come from, which was before its own transaction's. */
bool source_is_only(const struct verifier *, const struct reading *, uint32_t *version);

/*
 * Where there are places: the last possible version of those before a place, VERSION_INITIAL if that is
 * it, VERSION_UNKNOWN if there is none.
 */
uint32_t source_latest(const struct verifier *, const struct reading *, uint32_t place);

/* Of a plain list: how many elements it put there, and NO_TXN before all. */
uint32_t source_element_count(const struct verifier *, uint32_t txn, uint32_t key);

#endif
