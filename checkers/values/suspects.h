/*
 * suspects: finds the write of a value that a read should not have returned.
 *
 * Only who explains a wrong answer asks; so all writes are put in order by key when
 * the first one does, and the elements of a key's lists when one of its lists is
 * asked about. Where several may be meant, the most harmless is.
 */
#ifndef CHECKERS_VALUES_SUSPECTS_H
#define CHECKERS_VALUES_SUSPECTS_H

#include "base/array.h"
#include "checkers/graph/places.h"
#include "history/anomaly.h"

enum suspicion {
    SUSPECT_INITIAL,      /* what was there before all transactions */
    SUSPECT_COMMITTED,    /* a version that its transaction left behind */
    SUSPECT_SELF_EARLIER, /* the reader wrote it before */
    SUSPECT_SELF_LATER,   /* the reader writes it later */
    SUSPECT_OPEN,         /* nobody knows whether its transaction committed */
    SUSPECT_INTERMEDIATE, /* its transaction overwrote it itself */
    SUSPECT_LEFT_OUT,     /* of an unknown transaction that did not commit */
    SUSPECT_ABORTED,
    SUSPECT_NOBODY,
};

struct suspect {
    enum suspicion suspicion;
    uint32_t version; /* or VERSION_INITIAL, also of nobody */
    uint32_t txn;     /* or HISTORY_NONE */
    bool repeats;     /* a list with an element twice, that was appended once */
};

/* Who put an element into a key's list. */
struct element_source {
    int64_t element;
    uint64_t write; /* in `writes`, plus one; 0: it was there at first */
};

struct suspects {
    const struct history *history;
    const struct places *places;
    uint64_t *start;                      /* by key, and one more; NULL: nobody has asked yet */
    uint32_t *writes;                     /* operations, as the history goes */
    ARRAY(struct element_source) sources; /* of one key, by element */
    uint32_t source_key;                  /* that one, or HISTORY_NONE */
};

void suspects_init(struct suspects *, const struct history *, const struct places *);
void suspects_close(struct suspects *);

/* What a read of such a write is called, or ANOMALY_COUNT: it has no name of its own. */
enum anomaly suspects_anomaly(enum suspicion);

/*
 * Of the value that operation `op` (a read, or a row) of the transaction returned.
 * Of several committed versions that have it, the latest that the places put
 * before the reader is meant.
 */
MUST_USE enum status suspects_find(struct suspects *, uint32_t txn, uint32_t op, struct suspect *,
                                   struct error *);

#endif
