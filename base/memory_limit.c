#include "base/memory_limit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEGABYTE (UINT64_C(1) << 20)
#define PATH_SIZE 4096
#define LIST_SIZE 16384

/* Without the heap, which may be full; false: there is no such file. */
static bool read_file(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);

    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* --- What there is ---------------------------------------------------------------------- */

/* The limit in a file; "max" and a number that no machine has mean none. */
static uint64_t read_limit(const char *path)
{
    char text[64];

    if (!read_file(path, text, sizeof text) || text[0] < '0' || text[0] > '9')
        return MEMORY_UNLIMITED;
    return strtoull(text, NULL, 10);
}

/* Of a group and of all above it. */
static uint64_t least_limit(const char *root, const char *folder, const char *group,
                            const char *name)
{
    uint64_t least = MEMORY_UNLIMITED;
    char path[PATH_SIZE];
    size_t length = strlen(group);

    for (;;) {
        uint64_t limit;

        snprintf(path, sizeof path, "%s%s%.*s/%s", root, folder, (int)length, group, name);
        limit = read_limit(path);
        if (limit < least)
            least = limit;
        if (length == 0)
            return least;
        while (length > 0 && group[--length] != '/')
            continue;
    }
}

static bool has_controller(const char *controllers, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = controllers; (at = strstr(at, name)) != NULL; at += length)
        if ((at == controllers || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

uint64_t memory_limit_of_groups(const char *list, const char *root)
{
    uint64_t least = MEMORY_UNLIMITED, limit = MEMORY_UNLIMITED;
    char text[LIST_SIZE], *after = NULL;

    if (!read_file(list, text, sizeof text))
        return least;
    /* number:controllers:group */
    for (char *line = strtok_r(text, "\n", &after); line; line = strtok_r(NULL, "\n", &after)) {
        char *controllers = strchr(line, ':'), *group;

        group = controllers ? strchr(++controllers, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        if (controllers[0] == '\0')
            limit = least_limit(root, "", group, "memory.max");
        else if (has_controller(controllers, "memory"))
            limit = least_limit(root, "/memory", group, "memory.limit_in_bytes");
        if (limit < least)
            least = limit;
    }
    return least;
}

uint64_t memory_limit_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
    uint64_t bytes = memory_limit_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");

    if (pages > 0 && page_bytes > 0 && (uint64_t)pages * (uint64_t)page_bytes < bytes)
        bytes = (uint64_t)pages * (uint64_t)page_bytes;
    return bytes == MEMORY_UNLIMITED ? bytes : bytes / 4 * 3 / MEGABYTE * MEGABYTE;
}

/* --- What is taken ---------------------------------------------------------------------- */

/* As the kernel counts it: private memory that can be written to. */
static uint64_t bytes_in_use(void)
{
    uint64_t pages = 0;
    char text[256];

    /* size, resident, shared, text, library, data */
    if (read_file("/proc/self/statm", text, sizeof text) &&
        sscanf(text, "%*u %*u %*u %*u %*u %" SCNu64, &pages) == 1)
        return pages * (uint64_t)sysconf(_SC_PAGE_SIZE);
    return 0;
}

enum status memory_limit_set(uint64_t bytes, struct error *err)
{
    uint64_t in_use = bytes_in_use(), most = in_use + bytes;
    struct rlimit limit;

    if (bytes == MEMORY_UNLIMITED || most < in_use)
        return STATUS_OK;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return error_set(err, STATUS_IO, "cannot read the limit of memory");
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most)
        return STATUS_OK;
    limit.rlim_cur = most; /* not above the hard limit, which is at least the old one */
    if (setrlimit(RLIMIT_DATA, &limit) != 0)
        return error_set(err, STATUS_IO, "cannot set the limit of memory");
    return STATUS_OK;
}

uint64_t memory_limit_left(void)
{
    uint64_t in_use = bytes_in_use();
    struct rlimit limit;

    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return MEMORY_UNLIMITED;
    return limit.rlim_cur > in_use ? limit.rlim_cur - in_use : 0;
}

enum status memory_limit_divide(unsigned processes, struct error *err)
{
    uint64_t left = memory_limit_left();

    if (left == MEMORY_UNLIMITED || processes < 2)
        return STATUS_OK;
    return memory_limit_set(left / processes, err);
}

bool memory_limit_is_cause(const struct error *err)
{
    return err->status == STATUS_OVER_LIMIT && strstr(err->text, "memory") != NULL;
}
