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
/* Those since it was `before` have been told. */
void memory_forgive_failures(uint64_t before);

/* Resizes one block; on failure the block stays as it was. */
MUST_USE enum status memory_resize(void **at, size_t count, size_t element_size, struct error *);

#endif
