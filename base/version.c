#include "base/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

const char *version_text(void)
{
    return ORDEAL_VERSION;
}

size_t version_program(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);

    if (length <= 0 || (size_t)length >= size)
        return 0;
    path[length] = '\0';
    return (size_t)length;
}

static enum status refuse(const char *path, struct error *err)
{
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "cannot read the program itself: %s", strerror(errno));
}

/* Opened by the link itself: a program that was replaced since is still this one. */
enum status version_build(struct digest *digest, struct error *err)
{
    static const char path[] = "/proc/self/exe";
    struct digest_stream stream;
    char bytes[PATH_SIZE];
    FILE *file = fopen(path, "rb");
    size_t got;

    if (!file)
        return refuse(path, err);
    digest_begin(&stream);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        digest_add(&stream, bytes, got);
    if (ferror(file)) {
        fclose(file);
        return refuse(path, err);
    }
    fclose(file);
    *digest = digest_end(&stream);
    return STATUS_OK;
}
