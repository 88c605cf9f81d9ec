/*
 * memory: blocks that grow, from the C library's heap.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * How many allocations of blocks and buffers have failed in this thread and nobody has told. What was
 * made while the number rose may lack something, whatever its status says.
 */
uint64_t memory_failures(void);
void memory_note_failure(void);
/* Those since it was `before` have been told: a part of what was asked for lacks, and the rest may be believed. */
void memory_tell_failures(uint64_t before);
/* How often that was done in this thread. */
uint64_t memory_told(void);

/*
 * Takes the status of work that began when their number was `before`: where the number rose, it is
 * STATUS_OVER_LIMIT, and the error says that memory is out, whatever the work took that for.
 */
MUST_USE enum status memory_confirm(uint64_t before, enum status, struct error *);

/* Resizes one block; on failure the block stays as it was. */
MUST_USE enum status memory_resize(void **at, size_t count, size_t element_size, struct error *);

#endif
