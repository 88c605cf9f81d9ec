/*
 * tail: reads a file or pipe that may still grow, without waiting.
 *
 *     TRY(tail_open(&tail, path, err));
 *     TRY(tail_read(&tail, buffer, size, &count, err));   // 0: there is nothing now
 *     if (tail.is_over) ...                               // nor will there be
 *
 * A pipe is over at its end. A regular file is over when nobody has it open for writing and it
 * has not grown for two seconds; where the system does not tell who has it open, the two
 * seconds decide alone. One that has become shorter was written anew: it is read from its
 * beginning, and `was_cut` says that something may be missing before what was read.
 */
#ifndef CLI_TAIL_H
#define CLI_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "base/wall_clock.h"

struct tail {
    const char *name; /* "standard input" for "-" */
    int file;
    bool is_regular, is_finished; /* it was over when it was opened */
    bool is_over, was_cut;
    int64_t position; /* in a regular file: what was read of it */
    int64_t grown_ns; /* when something came last, on wall_clock_ns() */
};

MUST_USE enum status tail_open(struct tail *, const char *path, struct error *);
/* Whether both are of one file or pipe, whatever they are called. */
bool tail_is_same(const struct tail *, const struct tail *);
void tail_close(struct tail *);
/* What was read first, if it is packed or no text: `command` can read it from a pipe, unpacked on its way. */
MUST_USE enum status tail_refuse_packed(const struct tail *, struct text first, const char *command,
                                        struct error *);
MUST_USE enum status tail_read(struct tail *, char *bytes, size_t size, size_t *count,
                               struct error *);

#endif
