/*
 * disk_inspect: what tests ask of a disk that nobody else does.
 */
#ifndef TESTS_SIM_DISK_INSPECT_H
#define TESTS_SIM_DISK_INSPECT_H

#include "base/digest.h"
#include "sim/disk.h"

/* Of the bytes that would survive a crash now, were every fault switched off. */
struct digest disk_durable_digest(const struct disk *, int64_t now_ns);
/* Asserts the invariants: each page is in exactly one place, durable times are in order. */
void disk_check(const struct disk *);

#endif
