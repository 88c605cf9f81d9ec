/*
 * heap: memory for the texts and arrays of one computation.
 *
 * It is given out from one end and taken back at once, by heap_reset(). A heap
 * costs nothing until it is used, keeps its largest block when it is reset, and
 * never holds more than its limit. Nothing it gives out ever moves.
 *
 * It also counts the work of whoever computes with it, so that budgets see what
 * a long text costs.
 */
#ifndef PROGRAMS_VALUES_HEAP_H
#define PROGRAMS_VALUES_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "programs/values/sql_error.h"

struct heap_block;

struct heap {
    struct heap_block *newest; /* the largest, too */
    char *at, *end;            /* what is free of it */
    size_t held_bytes, limit_bytes;
    uint64_t work; /* bytes given out since heap_init(), and what else takes as long as writing one */
};

void heap_init(struct heap *, size_t limit_bytes);
void heap_close(struct heap *);

/* Takes back everything given out. */
void heap_reset(struct heap *);

/* Aligned to 16 bytes, not zeroed. Over the limit: "out of memory", and nothing changes. */
MUST_USE enum status heap_push(struct heap *, size_t size, void **, struct sql_error *);

/* Gives back the end of what was pushed last: it keeps `size` bytes from `start`. */
void heap_shrink(struct heap *, void *start, size_t size);

#endif
