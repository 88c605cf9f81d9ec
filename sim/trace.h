/*
 * trace: what happened in a run, folded into one hash.
 *
 * Every event becomes a record, and the records, in order, as four little-endian
 * words each, are what BLAKE2b sees: two runs with the same trace hash did the
 * same. Records pass through a ring, which serves both as the batch
 * that is hashed and as the memory of the last events.
 *
 *     records   0 ........ 1023 | 1024 ...... 2047 | 2048 ... 2100
 *     kept            checkpoint[0]      checkpoint[1]   ring: the last ones
 *
 * checkpoint[i] is the hash of the first (i + 1) << checkpoint_shift records.
 * When the list is full every second one is dropped, so that a run of any
 * length has between half a list and a list of them.
 *
 * Two runs are compared in two steps. trace_find_window() names the records
 * in which they part; both are run again with options.window_from and
 * window_count set to it, and trace_find_difference() then names the first
 * record that differs.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"

#define TRACE_NOBODY UINT32_MAX
#define TRACE_RECORD_BYTES 32
#define TRACE_ENDPOINT_COUNT_MAX 4095
#define TRACE_CHECKPOINT_COUNT_MAX 2048
#define TRACE_RING_COUNT 256

/* X(KIND, its name in text, how `a` and `b` are printed). The order is part of the hash. */
#define TRACE_KINDS(X)                                                                             \
    X(START, "starts", NOTHING)                                                                    \
    X(RESTART, "restarts", NUMBER) /* epoch */                                                     \
    X(CRASH, "crashes", NUMBER)    /* the epoch that ends */                                       \
    X(PAUSE, "pauses", NOTHING)                                                                    \
    X(RESUME, "resumes", NUMBER) /* events that waited */                                          \
    X(SEND, "send", MESSAGE)     /* ordinal on its link, checksum of the bytes */                  \
    X(DUPLICATE, "duplicated", MESSAGE)                                                            \
    X(DELIVER, "deliver", MESSAGE)                                                                 \
    X(LOST, "lost", MESSAGE)                                                                       \
    X(CUT_OFF, "cut off", MESSAGE)                                                                 \
    X(EVICTED, "evicted", MESSAGE)                                                                 \
    X(REFUSED, "refused", MESSAGE)                                                                 \
    X(TIMER, "timer", NUMBER)           /* payload */                                              \
    X(COMPLETION, "completion", NUMBER) /* what */                                                 \
    X(CALL, "call", NUMBERS)            /* what; `size` is the caller */                           \
    X(LINK_CUT, "link cut", NUMBER)     /* cuts of this link now */                                \
    X(LINK_MENDED, "link mended", NUMBER)                                                          \
    X(CLOG, "clogged for", DURATION)                                                               \
    X(CLOCK_STEP, "clock steps by", DURATION)                                                      \
    X(CLOCK_SLEW, "clock slews by", DURATION) /* by, ppm */                                        \
    X(CLOCK_DRIFT, "clock drifts, ppm", SIGNED)                                                    \
    X(CLOCK_FREEZE, "clock freezes", NOTHING)                                                      \
    X(CLOCK_THAW, "clock thaws", NOTHING)                                                          \
    X(CLOCK_RESTORE, "clock restored", NOTHING)                                                    \
    X(ROLE, "role", NUMBERS) /* shard, role */                                                     \
    X(CALM, "network calm", NOTHING)                                                               \
    X(NOTE, "note", NUMBERS)                                                                       \
    X(BURST, "burst", NUMBERS)         /* its number, its kind */                                  \
    X(BURST_END, "burst ends", NUMBER) /* its number */                                            \
    X(DISK, "disk suffers", NUMBERS)   /* a bit for each of its faults from now on */              \
    X(DISK_STALL, "disk stalls for", DURATION)

enum trace_kind {
#define X(kind, name, print) TRACE_##kind,
    TRACE_KINDS(X)
#undef X
        TRACE_KIND_COUNT
};

/* One event. `node` did it or has it done to it; `peer` is the other end, or TRACE_NOBODY. */
struct trace_record {
    int64_t at_ns;
    uint32_t kind, node, peer;
    uint32_t size; /* of a message, in bytes; a note's topic; a call's caller; else 0 */
    uint64_t a, b;
};

/* Gets one line without its end; the text lives until the call returns. */
typedef void trace_line_function(void *context, struct text line);

struct trace_options {
    trace_line_function *line; /* NULL: no text is made */
    void *line_context;
    uint64_t window_from, window_count; /* records to keep whole; count 0: none */
    bool unhashed; /* for measuring the rest: the trace hash is that of no events */
};

struct trace {
    struct trace_options options;
    uint32_t node_count; /* higher numbers are printed as clients */
    uint64_t count;      /* records so far */
    struct trace_record *ring;
    struct digest_stream *stream; /* of whole batches */
    struct digest *checkpoints;
    uint32_t checkpoint_count, checkpoint_shift;
    struct trace_record *window;
    struct buffer line; /* scratch */
};

MUST_USE enum status trace_init(struct trace *, const struct trace_options *, uint32_t node_count,
                                struct arena *, struct error *);
void trace_close(struct trace *);

/* `detail` is for the text only, and is not hashed. */
void trace_add(struct trace *, const struct trace_record *, struct text detail);
/* Whether anybody reads the text, so that it is worth making. */
bool trace_is_read(const struct trace *);

/* The hash of the records so far. */
struct digest trace_hash(const struct trace *);


/* The record as a person reads it: "    1.203 412 ms  n2 → n4  deliver #17 9 bytes". */
void trace_print(const struct trace *, const struct trace_record *, struct text detail,
                 struct buffer *);

/* False: the two did the same. Else they part in records [from, from + count). */
bool trace_find_window(const struct trace *, const struct trace *, uint64_t *from, uint64_t *count);
/* Of two traces with the same window: the number of the first record that differs. False: none. */
bool trace_find_difference(const struct trace *, const struct trace *, uint64_t *number);
/* Record `number` of the window, or NULL if the run ended before it. */
const struct trace_record *trace_window_record(const struct trace *, uint64_t number);

#endif
