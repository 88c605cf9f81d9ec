/*
 * commit_ranks: the order in which commits became visible, from the snapshots of those who read.
 *
 * A snapshot is a text as PostgreSQL has it, "xmin:xmax:list": it saw every commit below xmax that
 * the list does not name. A database whose snapshots are positions of one log says "N:N:". A
 * commit's rank is the number of the first snapshot that saw it, from 1, where snapshots are
 * ordered by what they saw; those of one rank saw the same. So a snapshot of rank k saw exactly the
 * commits of ranks up to k:
 *
 *     log          a  b  c  d
 *     snapshots    {a, c}  {a, b, c}            c became visible before b, whose place in the log is earlier
 *     ranks        a 1, c 1, b 2, d 3           d was seen by nobody
 *
 * Snapshots of one database make a chain. One that does not fit, because it lacks what an earlier
 * one saw, gets no rank.
 *
 * After a crash a database may use numbers again of which nothing reached its disk. A snapshot from
 * before counted such a number as rolled back, and its text cannot tell it from the later commit:
 *
 *     7 is rolled back    snapshot 8:8:    crash    another 7 commits
 *
 * So a snapshot saw nothing of transactions that were begun when its own had ended, whatever its text
 * says.
 */
#ifndef RECORD_COMMIT_RANKS_H
#define RECORD_COMMIT_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct numbered_commit {
    uint64_t xid;
    int64_t begun_ns; /* INT64_MIN: nobody knows */
};

struct taken_snapshot {
    struct text text;
    int64_t ended_ns; /* when its transaction had ended; INT64_MAX: nobody knows */
};

struct commit_ranks {
    uint32_t *commit_ranks;   /* by commit, 1 to rank_count + 1 */
    uint32_t *snapshot_ranks; /* by snapshot, 0 to rank_count; COMMIT_RANKS_NONE: it fits nowhere */
    uint32_t rank_count;
    size_t misfits;
};

#define COMMIT_RANKS_NONE UINT32_MAX

/*
 * Empty texts are no snapshots, and get no rank; they are no misfits either. Refuses what is no
 * snapshot.
 */
MUST_USE enum status commit_ranks_find(struct commit_ranks *, const struct numbered_commit *commits,
                                       size_t commit_count, const struct taken_snapshot *snapshots,
                                       size_t snapshot_count, struct error *);
void commit_ranks_close(struct commit_ranks *);

#endif
