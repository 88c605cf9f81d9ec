#include "record/node_disk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

/* More than a recording needs, and no memory is taken before it is written. */
#define ROOM "size=4g"
#define ATTEMPTS 100

enum status node_disk_mount(const char *folder, uid_t user, gid_t group, struct error *err)
{
    char options[100];

    snprintf(options, sizeof options, ROOM ",mode=700,uid=%u,gid=%u", (unsigned)user,
             (unsigned)group);
    if (mount("ordeal", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0)
        return STATUS_OK;
    if (errno == EPERM)
        return error_set(err, STATUS_IO,
                         "a disk that can be full is a file system of its own, and needs the right "
                         "to mount one: be root, or have CAP_SYS_ADMIN");
    return error_set(err, STATUS_IO, "%s: no tmpfs can be mounted there: %s", folder,
                     strerror(errno));
}

static bool resize(const char *folder, const char *options)
{
    return mount("ordeal", folder, "tmpfs", MS_REMOUNT | MS_NOSUID | MS_NODEV, options) == 0;
}

/* It cannot be made smaller than what is in it, which may have grown since it was asked for. */
enum status node_disk_fill(const char *folder, bool begins, struct error *err)
{
    bool is_done = !begins && resize(folder, ROOM);

    for (int i = 0; begins && !is_done && i < ATTEMPTS; i++) {
        unsigned long long used;
        struct statvfs disk;
        char options[40];

        if (statvfs(folder, &disk) != 0)
            break;
        used = (unsigned long long)(disk.f_blocks - disk.f_bfree) * disk.f_frsize;
        snprintf(options, sizeof options, "size=%llu",
                 used > 0 ? used : (unsigned long long)disk.f_frsize); /* 0: no limit */
        is_done = resize(folder, options);
    }
    if (is_done)
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: the room on it cannot be changed: %s", folder,
                     strerror(errno));
}

bool node_disk_unmount(const char *folder)
{
    return umount2(folder, MNT_DETACH) == 0;
}
