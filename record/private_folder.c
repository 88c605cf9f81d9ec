#define _GNU_SOURCE /* syscall() */

#include "record/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/node_disk.h"

/* As getdents64() gives them: opendir() needs memory, and there may be none. */
struct folder_entry {
    uint64_t node;
    int64_t next;
    unsigned short length;
    unsigned char kind;
    char name[];
};

static void remove_entry(int folder, const char *name);

/* Until there is nothing more that could be removed. */
static void empty_folder(int folder)
{
    _Alignas(struct folder_entry) char entries[2048];
    long got;

    while ((got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < got;) {
            const struct folder_entry *entry = (const struct folder_entry *)(entries + at);

            if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                remove_entry(folder, entry->name);
            at += entry->length;
        }
}

/* A disk of its own is in the way of its folder. */
static void remove_entry(int folder, const char *name)
{
    char path[64];
    int inside;

    if (unlinkat(folder, name, 0) == 0)
        return;
    inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0)
        return;
    empty_folder(inside);
    close(inside);
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%.30s", folder, name);
    if (node_disk_unmount(path))
        unlinkat(folder, name, AT_REMOVEDIR);
}

bool private_folder_remove(const char *folder)
{
    remove_entry(AT_FDCWD, folder);
    return access(folder, F_OK) != 0;
}
