/*
 * journal: a file of lines that only grows, and survives if its writer is killed.
 *
 *     a3f09c2e11d4b870 {"ordeal-sweep":1,…}
 *     5b1e77aa0c93f2d1 run 0 12 {"seed":1,…}
 *
 * Each line begins with a checksum over the checksum of the line before and its own text, so that a
 * changed, lost or moved line is noticed. A line is written in one piece. If the last line is torn
 * nevertheless, it is cut off before the next is written. Damage anywhere else costs the line that has
 * it, and the next one if the checksum itself is damaged or a line is missing: the reader is told, and
 * decides whether the others are worth something.
 *
 * The file is synced about once a second, and at the end.
 *
 * The writer holds a lock on the file, which processes forked from it do not share; otherwise they
 * would keep the lock after the writer was killed.
 */
#ifndef TRIAL_SWEEP_JOURNAL_PRIVATE_H
#define TRIAL_SWEEP_JOURNAL_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

struct journal {
    const char *path;   /* the caller's */
    FILE *stream;       /* NULL: it is not open */
    uint64_t lines;     /* that are there, damaged ones included */
    uint64_t last;      /* the checksum of the last */
    struct buffer line; /* scratch */
    bool syncs;         /* to be set behind journal_open(), if it shall survive a power cut */
    bool is_unsynced, is_new;
    int64_t synced_ns;  /* of our clock */
};

/* `line` is called for every whole line, in order; NULL: for none. */
struct journal_reader {
    enum status (*line)(void *context, struct text text, uint64_t number, struct error *);
    /* For a damaged one. An error ends the reading. NULL: it is an error. */
    enum status (*damage)(void *context, uint64_t number, struct error *);
    void *context;
};

/* Reads all there is. A file that is not there is an error. */
MUST_USE enum status journal_read(const char *path, const struct journal_reader *, struct error *);

/*
 * For writing, behind the whole lines of what is there, which are read first. The
 * path must outlive it. Closed by journal_close(), whatever the status.
 */
MUST_USE enum status journal_open(struct journal *, const char *path,
                                  const struct journal_reader *, struct error *);
/* The text has no line ends. */
MUST_USE enum status journal_append(struct journal *, struct text, struct error *);
/* What was written a while ago, or all of it, is on the disk. */
MUST_USE enum status journal_sync_some(struct journal *, struct error *);
MUST_USE enum status journal_sync(struct journal *, struct error *);
void journal_close(struct journal *);

#endif
