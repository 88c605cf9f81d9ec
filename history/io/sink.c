#define _GNU_SOURCE /* O_TMPFILE */
#include "history/io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"

#define PACKED_BYTES ((size_t)256 << 10)
#define LEVEL_OF_ZSTD 3
#define TEMPORARY_NAMES_MAX 1000
#define WAY_BYTES 40

static enum status refuse_system(struct sink *sink, const char *verb, struct error *err)
{
    int number = errno;

    error_set_file(err, sink->name);
    return error_set(err, STATUS_IO, "cannot %s: %s", verb, strerror(number));
}

static enum status write_through(struct sink *sink, const char *bytes, size_t size,
                                 struct error *err)
{
    if (sink->memory) {
        buffer_text(sink->memory, (struct text){ bytes, size });
        return buffer_status(sink->memory, err);
    }
    while (size > 0) {
        ssize_t done = write(sink->file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return refuse_system(sink, "write", err);
        bytes += done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

static enum status pack(struct sink *sink, const void *bytes, size_t size, ZSTD_EndDirective end,
                        struct error *err)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t rest;

    do {
        ZSTD_outBuffer out = { sink->packed, PACKED_BYTES, 0 };
        rest = ZSTD_compressStream2(sink->zstd, &out, &in, end);
        if (ZSTD_isError(rest)) {
            error_set_file(err, sink->name);
            return error_set(err, STATUS_OVER_LIMIT, "cannot compress: %s",
                             ZSTD_getErrorName(rest));
        }
        TRY(write_through(sink, sink->packed, out.pos, err));
    } while (end == ZSTD_e_end ? rest != 0 : in.pos < in.size);
    return STATUS_OK;
}

enum status sink_write(struct sink *sink, const void *bytes, size_t size, struct error *err)
{
    return sink->zstd ? pack(sink, bytes, size, ZSTD_e_continue, err)
                      : write_through(sink, bytes, size, err);
}

/* Gives a new file, or the one that has no name, the temporary name. */
static bool try_name(struct sink *sink, const char *nameless)
{
    if (nameless)
        return linkat(AT_FDCWD, nameless, AT_FDCWD, sink->temporary, AT_SYMLINK_FOLLOW) == 0;
    sink->file = open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return sink->file >= 0;
}

/* Finds a name that nobody has. `nameless` is the way to a file without one, or NULL. */
static enum status name_beside(struct sink *sink, const char *nameless, struct error *err)
{
    size_t room = strlen(sink->path) + 40;

    sink->temporary = malloc(room);
    if (!sink->temporary)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a file name");
    for (int i = 0; i < TEMPORARY_NAMES_MAX; i++) {
        snprintf(sink->temporary, room, "%s.part-%ld-%d", sink->path, (long)getpid(), i);
        if (try_name(sink, nameless))
            return STATUS_OK;
        if (errno != EEXIST)
            break;
    }
    free(sink->temporary);
    sink->temporary = NULL;
    return refuse_system(sink, "create", err);
}

static void way_to_nameless(const struct sink *sink, char way[static WAY_BYTES])
{
    snprintf(way, WAY_BYTES, "/proc/self/fd/%d", sink->file);
}

/* Opens a file in the folder that is gone when the program is, unless it gets a name. */
static bool create_nameless(struct sink *sink)
{
    char way[WAY_BYTES];
    char *path = strdup(sink->path);

    if (!path)
        return false;
    sink->file = open(dirname(path), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(path);
    if (sink->file < 0)
        return false;
    way_to_nameless(sink, way);
    if (access(way, F_OK) == 0)
        return true;
    close(sink->file);
    sink->file = -1;
    return false;
}

static enum status open_file(struct sink *sink, struct error *err)
{
    struct stat stat_before;
    bool exists = stat(sink->name, &stat_before) == 0;

    if (exists && !S_ISREG(stat_before.st_mode)) {
        sink->file = open(sink->name, O_WRONLY | O_CLOEXEC);
        return sink->file < 0 ? refuse_system(sink, "open", err) : STATUS_OK;
    }
    /* Whoever may not write a file may not replace it either. */
    if (exists && access(sink->name, W_OK) != 0)
        return refuse_system(sink, "write", err);
    sink->path = exists ? realpath(sink->name, NULL) : strdup(sink->name);
    if (!sink->path)
        return refuse_system(sink, "open", err);
    if (!create_nameless(sink))
        TRY(name_beside(sink, NULL, err));
    if (exists && fchmod(sink->file, stat_before.st_mode & 07777) != 0)
        return refuse_system(sink, "set the mode", err);
    return STATUS_OK;
}

static enum status begin_packing(struct sink *sink, struct error *err)
{
    size_t refused;

    TRY(memory_resize((void **)&sink->packed, PACKED_BYTES, 1, err));
    sink->zstd = ZSTD_createCCtx();
    if (!sink->zstd)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to compress");
    refused = ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_compressionLevel, LEVEL_OF_ZSTD);
    if (!ZSTD_isError(refused))
        refused = ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1);
    if (ZSTD_isError(refused))
        return error_set(err, STATUS_OVER_LIMIT, "cannot compress: %s",
                         ZSTD_getErrorName(refused));
    return STATUS_OK;
}

static bool ends_in_zst(const char *path)
{
    size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

static enum status open_all(struct sink *sink, const char *path, struct error *err)
{
    if (strcmp(path, "-") == 0)
        return STATUS_OK;
    sink->name = path;
    sink->file = -1;
    TRY(open_file(sink, err));
    return ends_in_zst(path) ? begin_packing(sink, err) : STATUS_OK;
}

enum status sink_open(struct sink *sink, const char *path, struct error *err)
{
    enum status status;

    *sink = (struct sink){ .name = "standard output", .file = STDOUT_FILENO };
    status = open_all(sink, path, err);
    if (status != STATUS_OK)
        sink_close(sink);
    return status;
}

void sink_open_memory(struct sink *sink, struct buffer *memory)
{
    *sink = (struct sink){ .name = "memory", .file = -1, .memory = memory };
}

/* What cannot be synced, as a folder of some systems, is no error. */
static bool sync_file(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF;
}

enum status sink_sync_folder_of(const char *path, struct error *err)
{
    char *copy = strdup(path);
    int folder;
    bool is_synced;

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a file name");
    folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (folder < 0) /* it may be written, but not read */
        return STATUS_OK;
    is_synced = sync_file(folder);
    close(folder);
    if (is_synced)
        return STATUS_OK;
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "cannot write the folder to the disk: %s", strerror(errno));
}

enum status sink_commit(struct sink *sink, struct error *err)
{
    if (sink->zstd)
        TRY(pack(sink, NULL, 0, ZSTD_e_end, err));
    if (sink->path && sink->syncs && !sync_file(sink->file))
        return refuse_system(sink, "write to the disk", err);
    if (sink->path && !sink->temporary) {
        char way[WAY_BYTES];
        way_to_nameless(sink, way);
        TRY(name_beside(sink, way, err));
    }
    if (sink->file > STDOUT_FILENO) {
        int file = sink->file;
        sink->file = -1;
        if (close(file) != 0)
            return refuse_system(sink, "write", err);
    }
    if (!sink->path)
        return STATUS_OK;
    if (rename(sink->temporary, sink->path) != 0)
        return refuse_system(sink, "rename", err);
    free(sink->temporary);
    sink->temporary = NULL;
    return sink->syncs ? sink_sync_folder_of(sink->path, err) : STATUS_OK;
}

void sink_close(struct sink *sink)
{
    if (sink->file > STDOUT_FILENO)
        close(sink->file);
    if (sink->temporary)
        unlink(sink->temporary);
    ZSTD_freeCCtx(sink->zstd);
    free(sink->temporary);
    free(sink->path);
    free(sink->packed);
    *sink = (struct sink){ .file = -1 };
}
