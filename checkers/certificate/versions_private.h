/*
 * versions: the versions of each key, in the order that the certificate gives.
 */
#ifndef CHECKERS_CERTIFICATE_VERSIONS_PRIVATE_H
#define CHECKERS_CERTIFICATE_VERSIONS_PRIVATE_H

#include "base/error.h"
#include "checkers/values/contents.h"

struct certificate;

/*
 * What transactions that are in left behind, numbered by key and within a key in
 * version order:
 *
 *     key      x           y
 *     start    0           2        3
 *     number   0     1     2
 *     rank     T1    T4    T2
 */
struct certified_versions {
    uint32_t *start; /* by key, and one more */
    uint32_t count;
    uint32_t *op, *rank;     /* by number: what wrote it, and its transaction's rank */
    uint32_t *rank_memory;   /* of ranks, and of one before and one behind, which mean nothing */
    struct content *content; /* by number; NULL: nothing was appended */
    uint32_t *number;        /* by operation, or HISTORY_NONE: it left nothing behind */
    bool *is_sorted;         /* by key: its order is that of places, and all have one */
    uint32_t *by_place; /* beside op: numbers of the key's versions by place; NULL: all sorted */
    uint32_t unplaced;  /* a transaction that wrote and has no place, or HISTORY_NONE */
};

MUST_USE enum status certificate_init_versions(struct certificate *, struct error *);
void certificate_close_versions(struct certified_versions *);

struct content certificate_content(const struct certificate *, uint32_t key, uint32_t number);

#endif
