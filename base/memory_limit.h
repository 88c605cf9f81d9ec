/*
 * memory_limit: how much memory the process may take.
 *
 * The kernel is the accountant (RLIMIT_DATA), so that the limit covers arenas, tables and all
 * libraries. Memory that the process has when the limit is set comes on top. An allocation
 * above the limit fails as on a machine that has no more.
 */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define MEMORY_UNLIMITED UINT64_MAX

/* Three quarters of what the machine has, or its control group, in whole MB. */
uint64_t memory_limit_default(void);
/* The process may take so much more. A tighter limit that it has already stays. */
MUST_USE enum status memory_limit_set(uint64_t bytes, struct error *);
/* How much of the limit is left. */
uint64_t memory_limit_left(void);
/* In one of several processes that share it: each may take the same part of what is left. */
MUST_USE enum status memory_limit_divide(unsigned processes, struct error *);

/* Whether the error says that memory ran out, and not another limit. */
bool memory_limit_is_cause(const struct error *);

/*
 * The least limit of the control groups in `list`, which is as /proc/self/cgroup is, and of those
 * above them, in the file systems below `root`: version 2, and the memory controller of version 1.
 */
uint64_t memory_limit_of_groups(const char *list, const char *root);

#endif
