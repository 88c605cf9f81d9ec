#include "record/binaries.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_in(const struct binary *b, const char *folder, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", folder, b->file);

    return length > 0 && (size_t)length < size && access(path, b->is_library ? R_OK : X_OK) == 0;
}

/* `ordeal` is build/release/ordeal: that is build/databases. */
static bool is_near(const struct binary *b, char *path, size_t size)
{
    char folder[500], self[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length <= 0 || !b->folder)
        return false;
    self[length] = '\0';
    for (int i = 0; i < 2 && strrchr(self, '/'); i++)
        *strrchr(self, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/databases/%s", self, b->folder);
    return is_in(b, folder, path, size);
}

enum status binaries_find(const struct binary *b, const struct database_options *options,
                          char *path, size_t size, struct error *err)
{
    const char *given = options->binaries;

    if (given && is_in(b, given, path, size))
        return STATUS_OK;
    if (given)
        return error_set(err, STATUS_BAD_INPUT, "--binaries %.200s has no %s", given, b->file);
    if (is_in(b, b->is_library ? "/usr/lib" : "/usr/bin", path, size) ||
        is_in(b, b->is_library ? "/usr/local/lib" : "/usr/local/bin", path, size) ||
        is_near(b, path, size))
        return STATUS_OK;
    return error_set(err, STATUS_IO,
                     "there is no %s on this machine: %s, or name the folder of %s with --binaries",
                     b->title, b->advice, b->file);
}
