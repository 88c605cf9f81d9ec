/*
 * anneal_reads: reads with several possible sources, on a line.
 *
 *     w1     x     w2   x     r        w1 and w2 wrote what r read; of the others, one is
 *                                      between r and the last of these: r costs 1
 *
 * What a read costs is the number of other writers of its key between it and its source, and one
 * more if the source comes after it. The source is the candidate that costs least; it is chosen
 * anew when the read or its source moves, and when it is looked at for a move.
 */
#ifndef CHECKERS_SEARCH_SOLVER_ANNEAL_READS_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_ANNEAL_READS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "checkers/search/solver/anneal_line_private.h"
#include "checkers/search/solver/search_index_private.h"

struct open_read {
    uint32_t reader, source;         /* nodes; SEARCH_NONE: the initial version */
    uint32_t other_start, other_end; /* in others */
    uint32_t cost;
    int64_t low, high; /* labels of the two, the lower first */
};

struct open_read_change {
    uint32_t read;
    struct open_read was;
};

struct anneal_reads {
    const struct search_index *index;
    struct anneal_line *line;
    struct open_read *reads; /* as in the index */
    uint32_t count;
    uint32_t *others; /* nodes: who writes the key */
    /* By node: reads, doubled, and 1 more if the node is the reader or a candidate. */
    uint32_t *touch_start, *touches;
    uint64_t cost;            /* of all */
    ARRAY(uint32_t) suspects; /* all reads that cost, and some that do not */
    uint8_t *is_suspect;
    ARRAY(struct open_read_change) changes; /* of the move at hand */
    uint32_t *changed, *dirty, stamp;       /* by read */
    uint64_t steps;
};

MUST_USE enum status anneal_reads_init(struct anneal_reads *, const struct search_index *,
                                       struct anneal_line *, struct error *);
void anneal_reads_close(struct anneal_reads *);

/* After all labels changed. */
MUST_USE enum status anneal_reads_locate(struct anneal_reads *, struct error *);

/* After a move: what it costs now; then one of the two. */
MUST_USE enum status anneal_reads_follow(struct anneal_reads *, struct error *);
void anneal_reads_take_back(struct anneal_reads *);
MUST_USE enum status anneal_reads_keep(struct anneal_reads *, struct error *);

/*
 * The two nodes of which the one should come before the other, for the suspect to cost less. False:
 * it costs nothing, and is no suspect any more.
 */
bool anneal_reads_draw(struct anneal_reads *, size_t suspect, struct random *, uint32_t *from,
                       uint32_t *to);

#endif
