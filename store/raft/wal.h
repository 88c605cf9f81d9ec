/*
 * wal: term, vote, log and snapshot of one replica, on its node's disk.
 *
 *     meta    two pages, written in turn; in each the same record twice
 *     log     | base: a snapshot | record | record | ...
 *     next    the next log while it is being written: synced, then renamed over the log
 *
 * The memory is ahead of the disk: whoever owns this changes `meta`, pushes to
 * or cuts the log in memory, and calls wal_work(); what is on the disk follows,
 * one job at a time. All that has come meanwhile goes into the next job, so that
 * many entries share one write and one sync. `stored` says up to where entries are
 * durable, wal_meta_is_stored() whether term and vote are. A failed job is
 * tried again, after a pause that doubles.
 *
 * What a crash leaves, and what it proves. A record carries its index, its term
 * and a checksum, and in `sealed` the length of the file that was durable before
 * it was written. The base was synced before its file got this name. Reading stops at
 * the first record that is not whole:
 *
 *   - nothing comes behind: all is there;
 *   - the base is bad, or a whole record behind has `sealed` beyond the bad one: bytes that were
 *     durable are damaged. The replica wipes itself: it starts over from an empty log;
 *   - else the bytes belong to the last write. Either its sync never finished, and
 *     nobody was told of them; or it did, and they are damaged since. No disk can tell
 *     these apart without a second sync for every first. The tail is cut off.
 *
 * In both of the latter the replica is `doubtful` from then on, and says so on disk
 * before anything is cut: it may have acknowledged what it does not hold. raft.c argues what a
 * doubtful replica may do and when it is one no longer.
 *
 * Term and vote must outlive damage, as no majority can give them back. A page of
 * meta is overwritten only while the other holds what was durable before it, and
 * damage that takes one byte, or one sector, of a page leaves the record's other
 * copy. If there is none all the same (which takes faults outside the model), the replica
 * is `lost`: it must keep silent for good.
 */
#ifndef STORE_RAFT_WAL_H
#define STORE_RAFT_WAL_H

#include "sim/disk.h"
#include "sim/world.h"
#include "store/raft/raft_log.h"
#include "store/sometimes.h"
#include "store/wire_private.h"

struct wal_options {
    struct world *world;
    uint32_t node;
    struct disk *disk;
    uint32_t first_file;
    uint64_t payload; /* of its timers and completions */
    struct sometimes *sometimes;
};

struct wal_meta {
    uint64_t term;
    uint32_t vote; /* a node, or WORLD_NOBODY */
    bool doubtful;
};

enum wal_found { WAL_FRESH, WAL_WHOLE, WAL_CUT, WAL_WIPED, WAL_LOST };

enum wal_job {
    WAL_NO_JOB,
    WAL_READ_META,
    WAL_READ_LOG,
    WAL_WRITE_META,
    WAL_APPEND,
    WAL_WRITE_NEXT,
    WAL_RENAME,
};

/* What the end of a job means to the owner. */
enum wal_event {
    WAL_NOTHING,
    WAL_OPENED, /* `found` and the log are filled; wal_state() is the snapshot at base_index */
    WAL_META_STORED,
    WAL_ENTRIES_STORED,
    WAL_CHECKPOINTED,
};

/* A snapshot that is to become the base of the log. */
struct wal_checkpoint {
    bool wanted;
    bool needed; /* the log on disk has nothing to do with the one in memory: no way but this */
    uint64_t index, term;
    uint32_t generation;
    struct wire_writer state;
};

struct wal {
    struct wal_options options;
    struct pool *pool;
    struct raft_log *log;
    struct wal_meta meta; /* what is to be on disk */
    uint64_t written;     /* entries up to this are in the file */
    uint64_t stored;      /* and up to this no crash takes them away */
    uint64_t base_index;
    enum wal_found found;

    bool is_open, has_read_meta, has_read_log;
    struct wal_meta meta_stored, meta_in_job;
    bool meta_is_missing; /* the file has not both its pages */
    uint64_t meta_sequence;
    unsigned meta_page; /* the one that holds the newest durable record; if both do, the second */
    uint32_t base_end;
    uint32_t cut_at; /* while opening: a tail to be cut off, or 0 */
    struct wal_checkpoint checkpoint;
    uint32_t generation_in_job;

    enum wal_job job;
    uint64_t job_upto; /* the last entry that the job makes durable */
    enum disk_outcome outcome;
    bool is_waiting; /* after a failure */
    int64_t pause_ns;
    struct wire_writer bytes;
    char *read;
    size_t read_size;
    struct text state;
};

/* Begins to read. The log is empty, and the wal's to fill. */
void wal_open(struct wal *, const struct wal_options *, struct raft_log *, struct pool *);
enum wal_event wal_on_completion(struct wal *);
void wal_on_timer(struct wal *);
/* Starts the next job if there is one to do and none under way. */
void wal_work(struct wal *);

bool wal_meta_is_stored(const struct wal *);
/* After WAL_OPENED, until wal_forget_state(). Empty if base_index is 0. */
struct text wal_state(const struct wal *);
void wal_forget_state(struct wal *);

/* Before the log in memory is cut behind this entry: the file is cut at once. */
void wal_cut(struct wal *, uint64_t index);
/* Where the host is to write its state at this entry, to be called after. */
struct wire_writer *wal_begin_checkpoint(struct wal *, uint64_t index, uint64_t term);
/* The log in memory was replaced by an empty one behind this entry; swaps the writer. */
void wal_replace(struct wal *, uint64_t index, uint64_t term, struct wire_writer *state);
bool wal_is_checkpointing(const struct wal *);

#endif
