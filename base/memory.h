/*
 * memory: blocks that grow, from the C library's heap.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Resizes one block; on failure the block stays as it was. */
MUST_USE enum status memory_resize(void **at, size_t count, size_t element_size, struct error *);

#endif
