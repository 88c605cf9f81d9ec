/*
 * node_disk: a disk for a node's data that can be full: a small file system in memory (tmpfs).
 *
 *     TRY(node_disk_mount(folder, user, group, err));     needs root's rights
 *     TRY(node_disk_fill(folder, true, err));             it has no more room than what is in it takes
 *     TRY(node_disk_fill(folder, false, err));
 *     node_disk_unmount(folder);
 *
 * It is filled by being made smaller: that takes no time and no memory, and what the server deletes
 * makes room for what it writes, as on any disk.
 */
#ifndef RECORD_NODE_DISK_H
#define RECORD_NODE_DISK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Over an empty folder, which it then is for that user alone. */
MUST_USE enum status node_disk_mount(const char *folder, uid_t, gid_t, struct error *);
MUST_USE enum status node_disk_fill(const char *folder, bool begins, struct error *);
/* False: nothing is mounted there, or we may not. */
bool node_disk_unmount(const char *folder);

#endif
