#include "base/version.h"

#include <unistd.h>

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

/* Opened by the link itself: a program that was replaced since is still this one. */
enum status version_build(struct digest *digest, struct error *err)
{
    struct digest_stream stream;

    digest_begin(&stream);
    TRY(digest_add_file(&stream, "/proc/self/exe", err));
    *digest = digest_end(&stream);
    return STATUS_OK;
}
