#define _GNU_SOURCE /* dl_iterate_phdr */
#include "base/version.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

/*
 * The shared libraries that can change what a run does or what is said of it: they read its
 * programs, draw its numbers and hash its trace, or are the database itself. Z3 is none of them:
 * smt/ takes no other version than the one that is in the program's text, and no sweep asks it.
 */
static const char *const libraries[] = { "libpg_query.so", "libprotobuf-c.so", "libcjson.so",
                                         "libsodium.so", "libsqlite3.so" };

struct library {
    const char *name; /* how the file's begins */
    struct digest_stream *stream;
    enum status status;
    struct error *err;
};

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

/* Ends the search where the library is found. */
static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
    struct library *library = context;
    const char *slash = strrchr(info->dlpi_name, '/');

    (void)size;
    if (!slash || strncmp(slash + 1, library->name, strlen(library->name)) != 0)
        return 0;
    digest_add(library->stream, library->name, strlen(library->name) + 1);
    library->status = digest_add_file(library->stream, info->dlpi_name, library->err);
    return 1;
}

/*
 * The program is opened by the link itself: one that was replaced since is still this one. A
 * library that was linked into it is not found, and needs not be.
 */
enum status version_build(struct digest *digest, struct error *err)
{
    struct digest_stream stream;

    digest_begin(&stream);
    TRY(digest_add_file(&stream, "/proc/self/exe", err));
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct library library = { libraries[i], &stream, STATUS_OK, err };

        dl_iterate_phdr(add_library, &library);
        TRY(library.status);
    }
    *digest = digest_end(&stream);
    return STATUS_OK;
}
