/*
 * proof: what shows that an anomaly is there, in words and for the witness.
 *
 *     T12 --wr x--> T15 --rw y--> T12
 *
 *     "T12 wrote x=3, which T15 read; T15 read y=null, which T12 overwrote; so T15 comes both
 *      after and before T12"
 *
 * An edge is a step of a cycle: from one transaction to another that must come
 * after it. Versions are the operations that wrote them. For the witness the form
 * is that of docs/format-witness.md.
 */
#ifndef CHECKERS_PROOF_H
#define CHECKERS_PROOF_H

#include "base/text.h"
#include "history/history.h"

enum edge_kind {
    EDGE_WW,
    EDGE_WR,
    EDGE_PREDICATE_WR,
    EDGE_RW,
    EDGE_PREDICATE_RW,
    EDGE_PROCESS,
    EDGE_REALTIME,
    EDGE_ORDER, /* the store puts the one before the other */
    EDGE_KIND_COUNT
};

static inline bool edge_is_anti(uint8_t kind)
{
    return kind == EDGE_RW || kind == EDGE_PREDICATE_RW;
}

struct edge {
    uint8_t kind; /* enum edge_kind */
    uint32_t from, to;
    uint32_t op;  /* the read or the head of a statement; of ww, process and time nothing */
    uint32_t key; /* but of process, time, order */
    uint32_t
        version; /* ww: the earlier; wr: what was read; predicate-wr: what was seen; rw: likewise */
    uint32_t
        other; /* ww: the later; rw: what overwrote it; predicate-wr and -rw: the changing one */
};

/* "T12 wrote x=3, which T15 read" */
void proof_tell_edge(struct buffer *, const struct history *, const struct edge *);
/* All edges, and what follows from them. */
void proof_tell_cycle(struct buffer *, const struct history *, const struct edge *, size_t count);

/* "cycle":[...] */
void proof_cycle(struct buffer *, const struct history *, const struct edge *, size_t count);

/* "read":{...}: an answer that is not what it should be. */
struct wrong_read {
    uint32_t txn, op; /* a read or a head */
    uint32_t key;     /* or HISTORY_NONE: the statement as a whole */
    bool version_is_known;
    uint32_t version; /* whose value came back */
};

void proof_read(struct buffer *, const struct history *, const struct wrong_read *);
/* "writes":{...} */
void proof_writes(struct buffer *, const struct history *, uint32_t key, uint32_t first,
                  uint32_t second);

#endif
