/*
 * disk: one node's simulated disk: files, explicit sync, and damage.
 *
 * Passive: an operation takes the time now, does its work on the bytes that the
 * running process sees, and returns the outcome and the time at which the
 * process may learn it. The world delivers that; after a crash it must not.
 * The disk serves one operation after another, in the order of the calls.
 *
 *     process sees     | a a a a | b b b b | c c . . |     write, append
 *                                      |
 *                                    sync        durable when the sync is *done*,
 *                                      v         not when it is called
 *     survives a crash | a a a a | b b . . |
 *
 * Files are numbered by the caller, 0 .. file_count_max - 1. A log is a file
 * that is appended to, cut with disk_truncate() and synced. To replace a file
 * in one step, write another, sync it, and rename it over the first.
 *
 * What survives a crash. Whatever a finished sync covered, to the byte. What
 * was not synced is gone, or, where `torn` says so, a sector of 512 bytes of it
 * may be there, missing (what stood there before) or garbage; bytes that were
 * durable and not rewritten never suffer. Create, truncate, rename and delete
 * are the file system's: atomic and durable from the call on. A rename does not
 * sync the bytes it renames.
 *
 * Faults. The bytes as written are kept apart from damage done to them, so that
 * disk_heal() ends all faults and shows them again. Bit rot is a function of
 * place and content: a read that is tried again sees the same. A lying sync
 * reports success; its pages are lost at the next crash unless rewritten and
 * honestly synced before. A loss at a crash is final, as recovery builds on it.
 * Every fate is a function of the disk's key, the file, and the ordinal or the
 * place of the operation; no draw elsewhere moves it.
 *
 * Not modelled: a rename lost by a crash, holes (a write starts at or before the
 * file's end), scheduling within the disk.
 */
#ifndef SIM_DISK_H
#define SIM_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/random.h"
#include "sim/latency.h"
#include "sim/pages.h"

#define DISK_FILE_SIZE_MAX ((uint64_t)256 << 20)

enum disk_outcome {
    DISK_OK,
    DISK_READ_ERROR,  /* nothing was read; another try may succeed */
    DISK_WRITE_ERROR, /* nothing was written, or nothing was promised durable */
    DISK_FULL,        /* nothing was written */
    DISK_ABSENT,      /* there is no such file */
};

enum disk_fault {
    DISK_FAULT_TORN,        /* a crash left parts of what was not synced */
    DISK_FAULT_LYING_SYNC,  /* a crash lost what a sync had promised */
    DISK_FAULT_BIT_ROT,     /* a read returned flipped bits */
    DISK_FAULT_MISDIRECTED, /* a page was stored in another's place */
    DISK_FAULT_READ_ERROR,
    DISK_FAULT_WRITE_ERROR,
    DISK_FAULT_FULL,
    DISK_FAULT_SLOW,
    DISK_FAULT_STALL,
    DISK_FAULT_COUNT
};

/* Each chance belongs to one thing, named here. A zero denominator means never. */
struct disk_faults {
    struct ratio torn;        /* a page with unsynced bytes, at a crash */
    struct ratio lying_sync;  /* a sync */
    struct ratio bit_rot;     /* a page, while it holds the same bytes */
    struct ratio misdirected; /* a page that a sync writes */
    struct ratio read_error;  /* a read */
    struct ratio write_error; /* a write, an append or a sync */
    bool full;                /* no file may grow */
    uint32_t slow_factor;     /* operations take so many times as long; 0 and 1: as usual */
};

struct disk_config {
    uint32_t file_count_max;
    uint32_t page_count_max; /* of 4 KiB, with copies that wait for a sync */
    struct latency read, write, sync;
    int64_t page_ns; /* for each page moved, on top */
    bool draws_by_time; /* see sim/turn.h */
};

struct disk_result {
    enum disk_outcome outcome;
    int64_t done_ns; /* when the process may learn of it */
    size_t size;     /* bytes read */
};

struct disk_file {
    struct random_key key;
    uint64_t writes, reads, syncs; /* ordinals of the file's number: a delete keeps them */
    struct page_table table;
    uint32_t dirty; /* versions written since the last sync was called */
    uint64_t size;
    bool exists;
};

struct disk {
    struct disk_config config;
    struct disk_faults faults;
    struct random_key key;
    struct pages pages;
    struct disk_file *files;
    uint32_t settling_first, settling_last; /* synced versions by the time they are durable */
    uint64_t crashes;
    int64_t now_ns;        /* the latest call */
    int64_t busy_until_ns; /* what was asked for up to now is done */
    int64_t stalled_until_ns;
    uint64_t fault_counts[DISK_FAULT_COUNT]; /* each counted when it takes effect */
};

/* Keeps the arena, and takes more from it as files grow: do not reset it below. */
MUST_USE enum status disk_init(struct disk *, const struct disk_config *, struct random_key,
                               struct arena *, struct error *);

/* From now on draws are those of another key. */
void disk_draw_anew(struct disk *, const struct random_key *);

/* Writes at an offset that is at most the file's size. The first write creates the file. */
struct disk_result disk_write(struct disk *, int64_t now_ns, uint32_t file, uint64_t offset,
                              const void *bytes, size_t size);
struct disk_result disk_append(struct disk *, int64_t now_ns, uint32_t file, const void *bytes,
                               size_t size);
/* Reads up to the file's end; the bytes stand in `bytes` on return. */
struct disk_result disk_read(struct disk *, int64_t now_ns, uint32_t file, uint64_t offset,
                             void *bytes, size_t size);
/* Makes durable all that was written to the file before this call. */
struct disk_result disk_sync(struct disk *, int64_t now_ns, uint32_t file);

/* Cuts the file to `size`, which is at most its size. */
struct disk_result disk_truncate(struct disk *, int64_t now_ns, uint32_t file, uint64_t size);
/* Whatever `to` was is gone. */
struct disk_result disk_rename(struct disk *, int64_t now_ns, uint32_t from, uint32_t to);
struct disk_result disk_delete(struct disk *, int64_t now_ns, uint32_t file);

bool disk_file_exists(const struct disk *, uint32_t file);
/* Whether a crash now would take bytes from what the process sees. */
bool disk_is_writing(const struct disk *, int64_t now_ns);
/* What the process sees; 0 for a file that does not exist. */
uint64_t disk_file_size(const struct disk *, uint32_t file);

/* The process is gone: what no finished sync covered is lost or torn. */
void disk_crash(struct disk *, int64_t now_ns);
/* The disk starts nothing before this time. */
void disk_stall(struct disk *, int64_t now_ns, int64_t until_ns);
/* From now on; damage already done stays, except for bit rot. */
void disk_set_faults(struct disk *, const struct disk_faults *);
/* No faults from now on, and no damage: reads see what was written, syncs have kept their word. */
void disk_heal(struct disk *);

const char *disk_fault_name(enum disk_fault);

#endif
