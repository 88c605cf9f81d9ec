/*
 * disk_damage: what crashes and faults do to the bytes of a disk, and how it is undone.
 */
#ifndef SIM_DISK_DAMAGE_PRIVATE_H
#define SIM_DISK_DAMAGE_PRIVATE_H

#include "sim/disk_private.h"

/* Copies what a read of this part of the page returns; whether rot changed it. */
bool disk_read_page(const struct disk *, const struct disk_file *, uint32_t page, size_t offset,
                    uint8_t *bytes, size_t size);
/* Perhaps stores what a sync writes to this version in another page of the file. */
void disk_misdirect(struct disk *, struct disk_file *, uint32_t version, uint64_t sync);

#endif
