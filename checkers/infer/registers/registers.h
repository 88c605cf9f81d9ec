/*
 * registers: infers version orders of registers from unique values.
 *
 *     reads     committed reads of others' versions, as the history goes, and by version
 *     links     one version before another of its key, by the first of them
 *
 * Nodes are versions, by number, and behind them the initial version of each key. That
 * it comes before all is not said by links, but for those who read it and then wrote.
 */
#ifndef CHECKERS_INFER_REGISTERS_REGISTERS_H
#define CHECKERS_INFER_REGISTERS_REGISTERS_H

#include "checkers/infer/infer_private.h"
#include "checkers/values/writers.h"

struct register_read {
    uint32_t op, txn;
    uint32_t node; /* what was read */
    uint32_t own;  /* what the reader left of the key, or INFER_NOTHING */
    bool is_behind; /* it had written the key before */
};

/* Whether the reader's own version follows what it read. */
static inline bool register_is_update(const struct register_read *read)
{
    return read->own != INFER_NOTHING && !read->is_behind;
}

struct version_link {
    uint32_t from, to;      /* nodes */
    uint32_t first, second; /* who had to do with the one, and then who with the other */
    bool is_parallel;       /* the second wrote the other: session and time say as much */
};

typedef ARRAY(struct version_link) version_links;

/* Links of one source from one node; with hubs where there are many of them and many readers. */
struct link_group {
    uint32_t node;
    uint32_t start, end; /* in `next` */
    uint32_t hub;        /* the first of two a link, or INFER_NOTHING */
    uint8_t by;          /* enum order_source */
    bool is_parallel;    /* its ww edges lead where session order or real time does */
};

enum key_circle {
    CIRCLE_OF_DATA = 1,    /* versions of the key precede each other by updates */
    CIRCLE_OF_SESSION = 2, /* by these and sessions */
    CIRCLE_OF_READS = 4,   /* by these and reads of sessions */
    CIRCLE_OF_TIME = 8,
};

struct registers {
    struct infer *infer;
    struct writers writers; /* of values: versions, of all transactions */
    uint32_t node_count;
    uint32_t *number_of; /* by operation that writes: the version */
    uint32_t *key_of;    /* by version */
    uint32_t *last_write, *last_read; /* by key: the operation plus one, while one is read */

    ARRAY(struct register_read) reads;
    uint32_t *read_start; /* by transaction, and one more */
    uint32_t *reader_start;        /* by node, and one more: in by_node */
    struct register_read *by_node; /* the reads again */

    version_links links[SOURCE_TIME + 1]; /* by enum order_source */
    uint8_t *circles;                     /* by key; NULL: none has any */
    uint32_t *next;                       /* versions, by group */
    ARRAY(struct link_group) groups;

    uint64_t looks;     /* at operations, for one that wrote what was read before */
    uint64_t ambiguous; /* reads that several may have written */
    uint32_t ambiguous_read;
};

static inline uint32_t register_initial(const struct registers *r, uint32_t key)
{
    return r->infer->versions.count + key;
}

static inline bool register_is_initial(const struct registers *r, uint32_t node)
{
    return node >= r->infer->versions.count;
}

static inline uint32_t register_key(const struct registers *r, uint32_t node)
{
    return register_is_initial(r, node) ? node - r->infer->versions.count : r->key_of[node];
}

/* --- For the inference -------------------------------------------------------------- */

MUST_USE enum status infer_read_registers(struct infer *, struct error *);
/* Orders of versions: unless the history has been replayed. */
MUST_USE enum status infer_link_registers(struct infer *, struct error *);
void infer_close_registers(struct infer *);

#endif
