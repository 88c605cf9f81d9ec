/*
 * lists: the data that the passes over lists share.
 *
 *     lists.c           the longest list of each key, and the order that it shows; each read against
 *                       it: of which version, and whether it contradicts its own transaction
 *     list_anomalies.c  reads that are no prefix of it, and those of keys where it has what it
 *                       should not have: element by element
 *     lists_edges.c     what comes before what
 *
 * A slot is a place among a key's writes as the history goes; a number is one in the order of
 * versions. Both count from the key's start.
 */
#ifndef CHECKERS_INFER_LISTS_LISTS_PRIVATE_H
#define CHECKERS_INFER_LISTS_LISTS_PRIVATE_H

#include <string.h>

#include "base/map.h"
#include "checkers/infer/infer_private.h"
#include "checkers/values/values.h"

enum list_flag {
    LIST_DEFECTIVE = 1,    /* the longest list has what no committed transaction put there once */
    LIST_INCOMPATIBLE = 2, /* two reads of it contradict each other: it shows no order */
};

/* A read that needs a closer look. */
struct suspect_read {
    uint32_t key, list; /* list HISTORY_NONE: null, or no list */
    uint32_t txn, op;
    bool is_plain; /* but for its own transaction's appends at the end */
};

/* Which append made an element, by element. */
struct listed_element {
    int64_t element;
    uint32_t number;
};

struct list_index {
    ARRAY(struct listed_element) at; /* rising */
    size_t finger;                   /* where the last one was found */
};

struct lists {
    uint32_t *longest;   /* by key: the read that returned its longest list, or HISTORY_NONE */
    uint32_t *length;    /* by key: of that */
    uint32_t *number_at; /* by slot, counted through all keys: the number */
    bool *is_skipped;    /* by number: not read, but what its transaction appended to the key
                            later was, so that it has no place; NULL: there is none */
    uint8_t *flags;      /* by key: enum list_flag */
    uint32_t *known;     /* by list: a key, plus one, of whose longest list it is a prefix */
    struct map known_too; /* list and key, where there is more than one */
    ARRAY(struct suspect_read) suspects;
    struct map dirty;       /* operations: reads of lists with elements of who did not commit */
    uint32_t *tail_readers; /* by key: reads of the last version that is chained, or more */
    uint32_t *next;         /* by number: the next that counts, from it on; NULL: all do */
    uint32_t *hub;          /* by key: the first of its hubs, or HISTORY_NONE; NULL: no key has any */
    struct list_index index;
};

/* The key's appends by element. They are numbered as they are now. */
MUST_USE enum status lists_index(struct infer *, uint32_t key, struct error *);
/* HISTORY_NONE: nobody appended it. */
uint32_t lists_find(struct list_index *, int64_t element);

/* A read of a version that it should not be of. */
struct list_fault {
    enum anomaly kind;
    uint32_t txn, op;
    uint32_t version; /* HISTORY_NONE: none is known */
};

/* Takes over the buffer. */
MUST_USE enum status lists_tell_read(struct infer *, const struct list_fault *, struct buffer *why,
                                     struct error *);

#endif
