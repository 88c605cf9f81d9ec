/*
 * oh_repair: makes all checksums of an .oh file right again, knowing no more
 * of the format than docs/format-oh.md says. A mutation gets past a checksum
 * by luck once in 2^64; with this, what stands behind it is tried as well.
 */
#ifndef TESTS_HISTORY_BINARY_OH_REPAIR_H
#define TESTS_HISTORY_BINARY_OH_REPAIR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/checksum.h"

#define OH_HEADER_SIZE 64
#define OH_SECTION_SIZE 64

static inline uint64_t oh_number(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, bytes, size);
    return number;
}

/* The place of the entry in the table, or 0 if the file has no such. */
static inline size_t oh_entry(const unsigned char *bytes, size_t size, size_t section)
{
    size_t at = OH_HEADER_SIZE + section * OH_SECTION_SIZE;

    if (size < OH_HEADER_SIZE || section >= oh_number(bytes + 12, 4) ||
        at + OH_SECTION_SIZE > size)
        return 0;
    return at;
}

static inline void oh_repair(unsigned char *bytes, size_t size)
{
    uint64_t sum;
    size_t entry, head = OH_HEADER_SIZE;

    for (size_t n = 0; (entry = oh_entry(bytes, size, n)); n++) {
        uint64_t offset = oh_number(bytes + entry + 40, 8);
        uint64_t length = oh_number(bytes + entry + 48, 8);
        if (offset <= size && length <= size - offset) {
            sum = checksum(bytes + offset, (size_t)length);
            memcpy(bytes + entry + 56, &sum, sizeof sum);
        }
        head = entry + OH_SECTION_SIZE;
    }
    if (size < OH_HEADER_SIZE)
        return;
    memset(bytes + 56, 0, 8);
    sum = checksum(bytes, head);
    memcpy(bytes + 56, &sum, sizeof sum);
}

#endif
