#include "history/io/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"

/* A chunk fits the second-level cache: it is parsed while it is still warm. */
#define CHUNK_BYTES ((size_t)256 << 10)

static enum status refuse_system(struct source *source, const char *verb, struct error *err)
{
    int number = errno;

    error_set_file(err, source->name);
    return error_set(err, STATUS_IO, "cannot %s: %s", verb, strerror(number));
}

/* The next bytes as they come from outside; none only at the end. */
static enum status take(struct source *source, char *to, size_t room, size_t *count,
                        struct error *err)
{
    ssize_t got;

    if (source->file < 0) {
        got = (ssize_t)(source->memory_left < room ? source->memory_left : room);
        if (got)
            memcpy(to, source->memory, (size_t)got);
        source->memory += got;
        source->memory_left -= (size_t)got;
    } else {
        do
            got = read(source->file, to, room);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return refuse_system(source, "read", err);
    }
    *count = (size_t)got;
    source->taken += (size_t)got;
    progress_report(&source->progress, source->taken, source->size);
    return STATUS_OK;
}

static enum status refuse_packed(struct source *source, const char *why, struct error *err)
{
    uint64_t at = source->taken - (source->packed_end - source->packed_begin);

    error_set_file(err, source->name);
    err->offset = source->offset + (source->end - source->begin);
    return error_set(err, STATUS_BAD_INPUT, "compressed byte %" PRIu64 ": %s", at, why);
}

/* Unpacks until something comes out; nothing only at the end. */
static enum status unpack(struct source *source, char *to, size_t room, size_t *count,
                          struct error *err)
{
    ZSTD_outBuffer out = { to, room, 0 };

    while (out.pos == 0) {
        ZSTD_inBuffer in;
        size_t before, rest;
        bool at_end;

        if (source->packed_begin == source->packed_end) {
            source->packed_begin = source->packed_end = 0;
            TRY(take(source, source->packed, CHUNK_BYTES, &source->packed_end, err));
        }
        at_end = source->packed_end == 0;
        if (at_end && !source->frame_is_open)
            break;
        /* At the end an open frame may still hold bytes that had no room before. */
        in = (ZSTD_inBuffer){ source->packed, source->packed_end, source->packed_begin };
        before = in.pos;
        rest = ZSTD_decompressStream(source->zstd, &out, &in);
        source->packed_begin = in.pos;
        if (ZSTD_isError(rest))
            return refuse_packed(source, ZSTD_getErrorName(rest), err);
        source->frame_is_open = rest != 0;
        if (at_end && source->frame_is_open && out.pos == 0 && in.pos == before)
            return refuse_packed(source, "the zstd frame is cut off here", err);
    }
    *count = out.pos;
    return STATUS_OK;
}

/* Room for another chunk behind what is unread, and slack behind that. */
static enum status make_room(struct source *source, struct error *err)
{
    size_t unread = source->end - source->begin;
    size_t room;

    if (source->begin > 0) {
        memmove(source->bytes, source->bytes + source->begin, unread);
        source->searched -= source->begin;
        source->end = unread;
        source->begin = 0;
    }
    if (source->room - unread >= CHUNK_BYTES + SOURCE_SLACK)
        return STATUS_OK;
    room = unread * 2 + CHUNK_BYTES + SOURCE_SLACK;
    TRY(memory_resize((void **)&source->bytes, room, 1, err));
    source->room = room;
    return STATUS_OK;
}

static enum status fill(struct source *source, struct error *err)
{
    size_t count;
    char *to;

    TRY(make_room(source, err));
    /* Never more than a chunk: of a line that is too long no more is touched than need be. */
    to = source->bytes + source->end;
    TRY(source->zstd ? unpack(source, to, CHUNK_BYTES, &count, err)
                     : take(source, to, CHUNK_BYTES, &count, err));
    source->end += count;
    source->ended = count == 0;
    memset(source->bytes + source->end, 0, SOURCE_SLACK);
    return STATUS_OK;
}

/* What came first is compressed: it goes where packed bytes stand. */
static enum status begin_unpacking(struct source *source, struct error *err)
{
    assert(source->end <= CHUNK_BYTES + SOURCE_SLACK);
    TRY(memory_resize((void **)&source->packed, CHUNK_BYTES + SOURCE_SLACK, 1, err));
    memcpy(source->packed, source->bytes, source->end);
    source->packed_end = source->end;
    source->end = 0;
    source->ended = false;
    source->zstd = ZSTD_createDCtx();
    if (!source->zstd)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to unpack zstd");
    return STATUS_OK;
}

/* A frame, or a frame to be skipped. */
static bool is_zstd(struct text first)
{
    const unsigned char *byte = (const unsigned char *)first.at;

    if (first.length < 4)
        return false;
    return (byte[0] == 0x28 && byte[1] == 0xb5 && byte[2] == 0x2f && byte[3] == 0xfd) ||
           ((byte[0] & 0xf0) == 0x50 && byte[1] == 0x2a && byte[2] == 0x4d && byte[3] == 0x18);
}

static enum status look_inside(struct source *source, struct error *err)
{
    struct text first;

    TRY(source_peek(source, 4, &first, err));
    return is_zstd(first) ? begin_unpacking(source, err) : STATUS_OK;
}

enum status source_open(struct source *source, const char *path, const struct progress *progress,
                        struct error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    struct stat stat;

    *source = (struct source){ .name = is_input ? "standard input" : path,
                               .file = STDIN_FILENO,
                               .line_bytes_max = LINE_BYTES_MAX,
                               .rest_bytes_free = REST_BYTES_FREE };
    if (progress)
        source->progress = *progress;
    if (!is_input)
        source->file = open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0)
        return refuse_system(source, "open", err);
    if (fstat(source->file, &stat) == 0 && S_ISREG(stat.st_mode))
        source->size = (uint64_t)stat.st_size;
    return look_inside(source, err);
}

enum status source_open_memory(struct source *source, const char *name, const void *bytes,
                               size_t size, struct error *err)
{
    *source = (struct source){ .name = name,
                               .file = -1,
                               .memory = bytes,
                               .memory_left = size,
                               .size = size,
                               .line_bytes_max = LINE_BYTES_MAX,
                               .rest_bytes_free = REST_BYTES_FREE };
    return look_inside(source, err);
}

void source_close(struct source *source)
{
    if (source->file > STDIN_FILENO)
        close(source->file);
    ZSTD_freeDCtx(source->zstd);
    free(source->packed);
    free(source->bytes);
    *source = (struct source){ .file = -1 };
}

enum status source_peek(struct source *source, size_t wanted, struct text *text,
                        struct error *err)
{
    assert(wanted <= CHUNK_BYTES);
    while (source->end - source->begin < wanted && !source->ended)
        TRY(fill(source, err));
    *text = (struct text){ source->bytes + source->begin, source->end - source->begin };
    return STATUS_OK;
}

static enum status refuse_line(struct source *source, struct error *err)
{
    error_set_file(err, source->name);
    err->line = source->line + 1;
    err->offset = source->offset;
    return error_set(err, STATUS_OVER_LIMIT, "the line is longer than %zu bytes",
                     source->line_bytes_max);
}

static void take_line(struct source *source, size_t length, size_t taken, struct text *line)
{
    *line = (struct text){ source->bytes + source->begin, length };
    source->begin += taken;
    source->searched = source->begin;
    source->offset += taken;
    source->line++;
}

enum status source_line(struct source *source, struct text *line, struct error *err)
{
    for (;;) {
        size_t unread = source->end - source->begin;
        size_t unsearched = source->end - source->searched;
        char *feed = unsearched ? memchr(source->bytes + source->searched, '\n', unsearched) : NULL;
        size_t length = feed ? (size_t)(feed - source->bytes) - source->begin : unread;

        if (length > source->line_bytes_max)
            return refuse_line(source, err);
        if (feed) {
            take_line(source, length, length + 1, line);
            return STATUS_OK;
        }
        if (source->ended)
            break;
        source->searched = source->end;
        TRY(fill(source, err));
    }
    *line = (struct text){ NULL, 0 };
    if (source->begin < source->end)
        take_line(source, source->end - source->begin, source->end - source->begin, line);
    return STATUS_OK;
}

/* Where it is known how much comes, there is room for it at once: no block is moved as it grows. */
static enum status expect_rest(struct source *source, struct error *err)
{
    size_t room;

    if (source->zstd || source->size <= source->taken)
        return STATUS_OK;
    room = source->end + (size_t)(source->size - source->taken) + 2 * CHUNK_BYTES + SOURCE_SLACK;
    if (room <= source->room)
        return STATUS_OK;
    TRY(memory_resize((void **)&source->bytes, room, 1, err));
    source->room = room;
    return STATUS_OK;
}

enum status source_take_rest(struct source *source, char **bytes, size_t *size,
                             struct error *err)
{
    TRY(expect_rest(source, err));
    while (!source->ended) {
        TRY(fill(source, err));
        if (source->zstd && source->end > source->rest_bytes_free &&
            source->end / REST_EXPANSION_MAX > source->taken)
            return refuse_packed(source, "it unpacks to more than any history would", err);
    }
    if (source->begin > 0)
        TRY(make_room(source, err));
    *bytes = source->bytes;
    *size = source->end;
    source->offset += source->end;
    source->bytes = NULL;
    source->searched = source->end = source->room = 0;
    return STATUS_OK;
}
