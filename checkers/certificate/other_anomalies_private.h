/*
 * other_anomalies: finds anomalies that are not cycles (duplicate writes, lost updates by places),
 * and the other names of cycles that were found.
 */
#ifndef CHECKERS_CERTIFICATE_OTHER_ANOMALIES_PRIVATE_H
#define CHECKERS_CERTIFICATE_OTHER_ANOMALIES_PRIVATE_H

#include "checkers/certificate/certificate_private.h"

/* Which integers were written, a bit each, up to some times as many as there are operations. */
struct written {
    uint64_t *words;
    uint64_t end;   /* those from here on have none */
    bool any_twice; /* or nobody can tell */
};

MUST_USE enum status certificate_init_written(struct written *, const struct history *, struct error *);

/* Notes it if `writes`; without a jump, as one in two is a read, and nobody knows which. */
static inline void certificate_note_written(struct written *w, bool writes, uint8_t kind, int64_t bits)
{
    uint64_t value = (uint64_t)bits;
    bool has_bit = (kind == VALUE_INTEGER) & (value < w->end);
    uint64_t *word = &w->words[has_bit ? value / 64 : 0];
    uint64_t bit = (uint64_t)(writes & has_bit) << (value & 63);

    w->any_twice |= (writes & !has_bit) | ((*word & bit) != 0);
    *word |= bit;
}

/* A finding about two transactions and a key. */
struct certified_pair {
    enum anomaly kind;
    uint32_t key, first, second; /* transactions */
};

MUST_USE enum status certificate_find_duplicates(struct certificate *, struct error *);
/* Two writers of a key, at the levels of snapshot, the second blind for the first by its places. */
MUST_USE enum status certificate_find_lost_updates(struct certificate *, struct error *);
/* What cycles that were found are also called: internal, lost-update, cyclic-versions. */
MUST_USE enum status certificate_add_names(struct certificate *, struct error *);

#endif
