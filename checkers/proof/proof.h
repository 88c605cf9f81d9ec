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
#ifndef CHECKERS_PROOF_PROOF_H
#define CHECKERS_PROOF_PROOF_H

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
    EDGE_CO,    /* at weak levels: a read forces it; struct reason says which */
    EDGE_KIND_COUNT
};

static inline bool edge_is_anti(uint8_t kind)
{
    return kind == EDGE_RW || kind == EDGE_PREDICATE_RW;
}

struct edge {
    uint8_t kind; /* enum edge_kind */
    uint8_t by;   /* enum order_source: what the order of its versions was inferred from */
    uint32_t from, to;
    uint32_t op;  /* the read or the head of a statement; of ww, process and time nothing */
    uint32_t key; /* but of process, time, order */
    uint32_t
        version; /* ww: the earlier; wr: what was read; predicate-wr: what was seen; rw: likewise */
    uint32_t
        other; /* ww: the later; rw: what overwrote it; predicate-wr and -rw: the changing one */
};

/*
 * What an edge of a weak level's commit order rests on.
 *
 *     co  T2 -> T1 on x: T3 read T1's version of x, and T2, who wrote x too, comes before T3 by
 *         `because`: edges process and wr that lead from T2 to T3. `to` is HISTORY_NONE if T3
 *         read the initial version: that edge is a cycle by itself.
 *     ww  T1 -> T2 on a list: T3 read the list, where what T1 appended stands before what T2
 *         appended, or without what T2 appended. No `because`.
 *
 * Of a co edge, `version` and `other` are the last versions that the two wrote.
 */
struct reason {
    uint32_t reader, read; /* T3; its operation: an item read or a row of a select */
    const struct edge *because;
    size_t because_count;
};

/* "T12 wrote x=3, which T15 read" */
void proof_tell_edge(struct buffer *, const struct history *, const struct edge *);
/* All edges, what follows from them, and whether that is a long fork. */
void proof_tell_cycle(struct buffer *, const struct history *, const struct edge *, size_t count);

/* "cycle":[...] */
void proof_cycle(struct buffer *, const struct history *, const struct edge *, size_t count);
/* The same with a reason beside each edge, which only those of co, and of ww in `weak`, need. */
void proof_tell_cycle_by(struct buffer *, const struct history *, const struct edge *,
                         const struct reason *, size_t count);
void proof_cycle_by(struct buffer *, const struct history *, const struct edge *,
                    const struct reason *, size_t count);

/* That a version of a key comes before another: otherwise there were the cycle. An element of "orders". */
struct version_order {
    uint32_t key, first, second; /* operations that wrote them */
};

void proof_order(struct buffer *, const struct history *, const struct version_order *,
                 const struct edge *, size_t count);

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
/* dirty-update: the list that the operation read has the first, aborted, before the second. */
void proof_dirty(struct buffer *, const struct history *, uint32_t first, uint32_t second,
                 uint32_t reader, uint32_t read);

/*
 * "reads":[...]: two reads of a key. incompatible-order: of lists, neither a prefix of the other;
 * lost-update: by two transactions, of one version, which both go on to write. Operations are item
 * reads or rows.
 */
void proof_reads(struct buffer *, const struct history *, const uint32_t txns[2],
                 const uint32_t ops[2]);
/* "totals":[...]: wrong-total: two transactions that read all accounts, with different sums. */
void proof_totals(struct buffer *, const struct history *, const uint32_t txns[2]);

/* Why a version of a key comes before another one. */
enum version_reason {
    VERSION_READ_THEN_WRITTEN, /* txns[0], committed, read the one and left the other */
    VERSION_IN_SESSION, /* txns[0] had to do with the one, and txns[1], later, with the other */
    VERSION_IN_TIME,    /* likewise, by real time */
};

struct version_step {
    uint8_t reason;    /* enum version_reason */
    uint32_t from, to; /* last versions, or VERSION_INITIAL */
    uint32_t txns[2];
};

/* "versions":{...}: cyclic-versions. */
void proof_versions(struct buffer *, const struct history *, uint32_t key,
                    const struct version_step *, size_t count);

#endif
