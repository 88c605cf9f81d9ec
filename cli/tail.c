#define _GNU_SOURCE /* F_SETLEASE */

#include "cli/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/wall_clock.h"
#include "cli/output.h"

#define QUIET_SECONDS 2
#define SECOND_NS ((int64_t)1000000000)

static enum status refuse(const char *path, const char *what, struct error *err)
{
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "cannot %s: %s", what, strerror(errno));
}

/* Whoever holds a file open for writing stands in the way of a lease to read it. */
static bool may_be_written(int file)
{
#ifdef F_SETLEASE
    if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
        (void)fcntl(file, F_SETLEASE, F_UNLCK);
        return false;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK;
#else
    (void)file;
    return false;
#endif
}

static bool is_quiet(const struct stat *about)
{
    return time(NULL) - about->st_mtime >= QUIET_SECONDS;
}

enum status tail_open(struct tail *tail, const char *path, struct error *err)
{
    bool is_standard = strcmp(path, "-") == 0;
    struct stat about;

    *tail = (struct tail){ .name = is_standard ? "standard input" : path, .file = STDIN_FILENO };
    if (!is_standard) /* a pipe that nobody writes to yet is not waited for here */
        tail->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (tail->file < 0)
        return refuse(path, "open it", err);
    if (fstat(tail->file, &about) != 0)
        return refuse(path, "look at it", err);
    if (S_ISDIR(about.st_mode)) {
        error_set_file(err, path);
        return error_set(err, STATUS_IO, "is a directory");
    }
    tail->is_regular = S_ISREG(about.st_mode);
    tail->is_finished = tail->is_regular && is_quiet(&about) && !may_be_written(tail->file);
    tail->grown_ns = wall_clock_ns();
    return STATUS_OK;
}

bool tail_is_same(const struct tail *a, const struct tail *b)
{
    struct stat of_a, of_b;

    return fstat(a->file, &of_a) == 0 && fstat(b->file, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

void tail_close(struct tail *tail)
{
    if (tail->file > STDIN_FILENO)
        close(tail->file);
    tail->file = -1;
}

/* At its end: is it the last one? */
static bool has_ended(const struct tail *tail)
{
    struct stat about;

    if (tail->is_finished)
        return true;
    return wall_clock_ns() - tail->grown_ns >= QUIET_SECONDS * SECOND_NS &&
           fstat(tail->file, &about) == 0 && is_quiet(&about) && !may_be_written(tail->file);
}

/* One that somebody empties and writes anew. */
static void follow_cut(struct tail *tail)
{
    struct stat about;

    if (fstat(tail->file, &about) != 0 || about.st_size >= tail->position ||
        lseek(tail->file, 0, SEEK_SET) != 0)
        return;
    tail->position = 0;
    tail->was_cut = true;
}

enum status tail_refuse_packed(const struct tail *tail, struct text first, const char *command,
                               struct error *err)
{
    static const struct {
        const char *magic, *what, *with;
    } rows[] = {
        { "\x28\xb5\x2f\xfd", "packed", "zstd -dc" },
        { "\x1f\x8b", "packed", "gzip -dc" },
        { "\x89OHD", "no text but .oh", "ordeal convert --to jsonl -o -" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct text magic = text_of(rows[i].magic);

        if (first.length < magic.length || memcmp(first.at, magic.at, magic.length) != 0)
            continue;
        error_set_file(err, tail->name);
        return error_set(err, STATUS_BAD_INPUT, "is %s: %s FILE | ordeal %s", rows[i].what,
                         rows[i].with, command);
    }
    return STATUS_OK;
}

static enum status read_some(struct tail *tail, char *bytes, size_t size, size_t *count,
                             struct error *err)
{
    ssize_t got;

    if (tail->is_regular)
        follow_cut(tail);
    got = read(tail->file, bytes, size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return STATUS_OK;
    if (got < 0)
        return refuse(tail->name, "read it", err);
    *count = (size_t)got;
    tail->position += got;
    if (got > 0)
        tail->grown_ns = wall_clock_ns();
    else
        tail->is_over = !tail->is_regular || has_ended(tail);
    return STATUS_OK;
}

enum status tail_read(struct tail *tail, char *bytes, size_t size, size_t *count,
                      struct error *err)
{
    struct pollfd what = { .fd = tail->file, .events = POLLIN };

    *count = 0;
    tail->was_cut = false;
    if (tail->is_over || (!tail->is_regular && poll(&what, 1, 0) <= 0))
        return STATUS_OK;
    return read_some(tail, bytes, size, count, err);
}
