/*
 * machine_join: joins what a statement has read, and what it is to read next.
 *
 * Nested loops over the rows of some reads, the path, one read within the other. A level that is
 * joined by equality has its rows sorted by that column, so that only those with the value are
 * looked at; in all levels, rows keep the order they came in. A level of an outer join for which
 * no row is found has a row of nulls.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_JOIN_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_JOIN_PRIVATE_H

#include "programs/machine/machine_private.h"

struct join_level {
    const struct read_code *read;
    const struct datum **rows;
    size_t count;
};

/* Levels are numbered like the reads; not all need be there. */
struct join {
    struct machine *m;
    uint32_t level_end;
    struct join_level levels[SOURCES_MAX]; /* up to the end */
};

/* Calls found() with every row of each level of the path that passes the filters. */
struct join_walk {
    const struct join *join;
    const uint16_t *path, *sources; /* reads, and the numbers of their sources */
    uint32_t length;
    const struct formula *filters; /* of a row of each */
    uint32_t filter_count;
    struct scope *scope; /* where the rows are aimed at */
    enum status (*found)(struct join_walk *);
    void *context;
    bool is_done; /* found() wants no more */
};

/*
 * Rows of a path that belong together, one pointer for each of its reads. They hold until the next
 * run.
 */
struct tuples {
    ARRAY(const struct datum *) at;
    const uint16_t *sources;
    uint32_t width;
    size_t count;
};

/* To be closed, whatever the status. */
MUST_USE enum status machine_join_open(struct join *, struct machine *, const uint16_t *levels, uint32_t count);
MUST_USE enum status machine_join_open_all(struct join *, struct machine *);
void machine_join_close(struct join *);
MUST_USE enum status machine_join_run(struct join_walk *);
MUST_USE enum status machine_join_passes(const struct formula *filters, uint32_t count, struct scope *,
                                 bool *does);
/* Runs it for its tuples; close the array. */
MUST_USE enum status machine_join_collect(struct join_walk *, struct tuples *);
void machine_join_aim(const struct tuples *, size_t tuple, struct scope *);

/* Which values the columns of the next read are restricted to; *is_empty: it would find nothing. */
MUST_USE enum status machine_join_restrict(struct machine *, const struct read_code *next, bool *is_empty);
/* Keeps the rows of the answer that match. */
MUST_USE enum status machine_join_keep_answer(struct machine *, uint32_t read);

#endif
