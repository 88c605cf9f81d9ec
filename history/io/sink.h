/*
 * sink: writes bytes to a file, standard output ("-"), a device or memory.
 *
 *     sink_open(&sink, "out.jsonl.zst", &err);
 *     sink_write(&sink, bytes, size, &err)...
 *     sink_commit(&sink, &err);
 *     sink_close(&sink);
 *
 * A path that ends in `.zst` is compressed. A file is written under a
 * no name (where the system has such files, else under a temporary one beside it)
 * and gets its own by sink_commit(): whoever stops or is killed before leaves
 * the old file as it was, and no half one. Unless `syncs` is set behind sink_open() it is not synced:
 * that guards against our failing, not against a power cut. Standard output and
 * what is no plain file are written directly.
 */
#ifndef HISTORY_IO_SINK_H
#define HISTORY_IO_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct sink {
    const char *name; /* the caller's; "standard output" for "-" */
    char *path;       /* where the file goes, links resolved; NULL: written where it is */
    char *temporary;  /* where it is until then, or NULL: it has no name yet */
    bool syncs;              /* sink_commit() waits until all is on the disk */
    int file;                /* or -1 */
    struct buffer *memory;   /* NULL: a file */
    struct ZSTD_CCtx_s *zstd; /* NULL: not compressed */
    char *packed;
};

/* `path` must outlive the sink. */
MUST_USE enum status sink_open(struct sink *, const char *path, struct error *);
/* Appends to the buffer, which must outlive the sink. */
void sink_open_memory(struct sink *, struct buffer *);
/* Best in pieces of some hundred kilobytes: every call is a system call. */
MUST_USE enum status sink_write(struct sink *, const void *bytes, size_t size, struct error *);
/* Everything is written: the file gets its name. */
MUST_USE enum status sink_commit(struct sink *, struct error *);
/* Without sink_commit() before, nothing is left of the file. */
void sink_close(struct sink *);

/* What was made, renamed or removed in the folder in which this path stands is on the disk. */
MUST_USE enum status sink_sync_folder_of(const char *path, struct error *);

#endif
