/*
 * disk_private: what the parts of the disk know of each other.
 *
 *     disk.c          operations, time, and the way of a page to durability; digest, check and print
 *     disk_damage.c   what crashes and faults do to bytes, and how it is undone
 */
#ifndef SIM_DISK_PRIVATE_H
#define SIM_DISK_PRIVATE_H

#include "sim/disk.h"

/* What a word is drawn for. Never renumber: runs of old seeds would change. */
enum disk_draw {
    DISK_DRAW_WRITE_TIME,
    DISK_DRAW_READ_TIME,
    DISK_DRAW_SYNC_TIME,
    DISK_DRAW_CHANGE_TIME,
    DISK_DRAW_WRITE_ERROR,
    DISK_DRAW_READ_ERROR,
    DISK_DRAW_SYNC_ERROR,
    DISK_DRAW_LIE,
    DISK_DRAW_MISDIRECT,
    DISK_DRAW_TEAR,
    DISK_DRAW_TEAR_SECTORS,
    DISK_DRAW_ROT,
};

static inline uint64_t disk_draw(const struct disk_file *file, enum disk_draw draw,
                                 uint64_t ordinal)
{
    return random_draw_at(&file->key, (uint64_t)draw << 56 | ordinal);
}

/* The ordinal of what happens to one page in the file's n-th sync or the disk's n-th crash. */
static inline uint64_t disk_page_ordinal(uint64_t n, uint32_t page)
{
    return n << 16 | page;
}

static inline bool disk_happens(struct ratio chance, uint64_t word)
{
    return chance.denominator != 0 && random_word_below(word, chance);
}

static inline uint32_t disk_page_count(const struct disk_file *file)
{
    return (uint32_t)((file->size + PAGE_BYTES - 1) / PAGE_BYTES);
}

/* Now that this version is durable: frees what no crash can bring back any more. */
void disk_prune(struct disk *, uint32_t version);

#endif
