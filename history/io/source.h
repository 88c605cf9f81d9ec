/*
 * source: reads bytes from a file, standard input or memory.
 *
 * A source is a file, standard input ("-") or memory; zstd is recognised by
 * its magic number and unpacked, also several frames one after another. It
 * gives lines or all that is left:
 *
 *     bytes      begin           searched       end       room
 *     |..taken...|=====unread====|==no search===|..slack..|
 *
 * Memory grows with the longest line, never with the file. Behind every line
 * stand SOURCE_SLACK readable bytes, so that readers may load whole words.
 */
#ifndef HISTORY_IO_SOURCE_H
#define HISTORY_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "history/progress.h"

#define LINE_BYTES_MAX ((size_t)1 << 30)
#define SOURCE_SLACK ((size_t)64)
/* What is taken whole may unpack to this, or to so many times what was packed, whichever is more. */
#define REST_BYTES_FREE ((size_t)1 << 30)
#define REST_EXPANSION_MAX ((size_t)1000)

struct source {
    const char *name; /* the caller's; "standard input" for "-" */
    int file;         /* or -1: memory */
    bool ended;       /* nothing comes after `end` */

    char *bytes;
    size_t begin, searched, end, room;
    size_t line_bytes_max, rest_bytes_free;
    uint64_t offset; /* of bytes[begin], counted unpacked */
    uint64_t line;   /* lines given so far: the number of the last one */

    const char *memory; /* what is left of it */
    size_t memory_left;

    struct ZSTD_DCtx_s *zstd; /* NULL: not compressed */
    char *packed;
    size_t packed_begin, packed_end;
    bool frame_is_open; /* a frame began and has not ended */

    uint64_t taken, size; /* bytes taken from outside, and how many there are, or 0 */
    struct progress progress;
};

/* `path` must outlive the source. `progress` may be NULL; it counts bytes taken from outside. */
MUST_USE enum status source_open(struct source *, const char *path, const struct progress *,
                                 struct error *);
/* Reads what is at `bytes`, which must outlive the source, as if it were a file of that name. */
MUST_USE enum status source_open_memory(struct source *, const char *name, const void *bytes,
                                        size_t size, struct error *);
void source_close(struct source *);

/* The next bytes without taking them: at least `wanted`, fewer only where the source ends. */
MUST_USE enum status source_peek(struct source *, size_t wanted, struct text *, struct error *);

/*
 * The next line without its line feed; `line->at` is NULL at the end. The view
 * holds until the next call. A last line without line feed is a line too.
 */
MUST_USE enum status source_line(struct source *, struct text *line, struct error *);

/* All that is left, in memory from malloc() that the caller frees. */
MUST_USE enum status source_take_rest(struct source *, char **bytes, size_t *size,
                                      struct error *);

#endif
