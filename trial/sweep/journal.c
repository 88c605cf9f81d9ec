#include "trial/sweep/journal_private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/wall_clock.h"
#include "history/io/sink.h"

#define SUM_DIGITS 16
#define SYNC_EVERY_NS INT64_C(1000000000)

/* Of the text behind the checksum of the line before. */
static uint64_t chain(struct buffer *scratch, uint64_t before, struct text text)
{
    buffer_clear(scratch);
    buffer_print(scratch, "%016" PRIx64 " ", before);
    buffer_text(scratch, text);
    return scratch->out_of_memory ? 0 : checksum(scratch->at, scratch->count);
}

static enum status refuse(const char *path, struct error *err, const char *what)
{
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "%s: %s", what, strerror(errno));
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Where a reading stands. */
struct journal_reading {
    const char *path;
    FILE *file;
    char *line; /* getline()'s */
    size_t room;
    struct buffer scratch;
    uint64_t lines, last;
    off_t whole; /* bytes of whole lines */
};

/*
 * The text of a line with its end, and the checksum that it gives itself; false if that does not fit
 * the text behind the checksum that the line before gave itself.
 */
static bool open_line(struct journal_reading *reading, size_t length, struct text *text, uint64_t *sum)
{
    char digits[SUM_DIGITS + 1] = "";
    char *end;

    if (length < SUM_DIGITS + 2)
        return false;
    memcpy(digits, reading->line, SUM_DIGITS);
    *sum = strtoull(digits, &end, 16);
    *text = (struct text){ reading->line + SUM_DIGITS + 1, length - SUM_DIGITS - 2 };
    if (*end || reading->line[SUM_DIGITS] != ' ' || reading->line[length - 1] != '\n')
        return false;
    snprintf(digits, sizeof digits, "%016" PRIx64, *sum); /* no blanks, no capitals */
    return memcmp(reading->line, digits, SUM_DIGITS) == 0 &&
           chain(&reading->scratch, reading->last, *text) == *sum;
}

static enum status tell_damage(const struct journal_reading *reading,
                               const struct journal_reader *reader, struct error *err)
{
    if (reader && reader->damage)
        return reader->damage(reader->context, reading->lines, err);
    return error_set(err, STATUS_BAD_INPUT, "the journal is damaged: the checksum does not fit");
}

static enum status read_lines(struct journal_reading *reading, const struct journal_reader *reader,
                              struct error *err)
{
    ssize_t length;

    while ((length = getline(&reading->line, &reading->room, reading->file)) > 0) {
        struct text text;
        uint64_t sum = 0;
        bool is_whole = open_line(reading, (size_t)length, &text, &sum);
        int next;
        enum status status = STATUS_OK;

        TRY(buffer_status(&reading->scratch, err));
        if (!is_whole) {
            next = getc(reading->file);
            if (next == EOF)
                break; /* the last line, and only that, can have been torn */
            ungetc(next, reading->file);
        }
        reading->lines++;
        reading->last = sum;
        reading->whole += length;
        if (!is_whole)
            status = tell_damage(reading, reader, err);
        else if (reader)
            status = reader->line(reader->context, text, reading->lines, err);
        if (status != STATUS_OK) {
            error_set_file(err, reading->path);
            err->line = reading->lines;
            return err->status;
        }
    }
    return feof(reading->file) ? STATUS_OK
                               : refuse(reading->path, err, "cannot read the journal");
}

static void end_reading(struct journal_reading *reading)
{
    if (reading->file)
        fclose(reading->file);
    free(reading->line);
    buffer_close(&reading->scratch);
}

enum status journal_read(const char *path, const struct journal_reader *reader, struct error *err)
{
    struct journal_reading reading = { .path = path, .file = fopen(path, "rb") };
    enum status status;

    if (!reading.file)
        return refuse(path, err, "cannot open the journal");
    status = read_lines(&reading, reader, err);
    end_reading(&reading);
    return status;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static enum status read_before(struct journal *journal, const struct journal_reader *reader,
                               struct error *err)
{
    struct journal_reading reading = { .path = journal->path, .file = journal->stream };
    enum status status = read_lines(&reading, reader, err);

    journal->lines = reading.lines;
    journal->is_new = reading.lines == 0;
    journal->last = reading.last;
    if (status == STATUS_OK && ftruncate(fileno(journal->stream), reading.whole) != 0)
        status = refuse(journal->path, err, "cannot cut off the torn line");
    reading.file = NULL; /* closing any view of the file would give up the lock */
    end_reading(&reading);
    return status;
}

static enum status lock(struct journal *journal, struct error *err)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fcntl(fileno(journal->stream), F_SETLK, &all) == 0)
        return STATUS_OK;
    if (errno != EAGAIN && errno != EACCES)
        return refuse(journal->path, err, "cannot lock the journal");
    error_set_file(err, journal->path);
    return error_set(err, STATUS_BAD_INPUT, "another process is writing this journal");
}

enum status journal_open(struct journal *journal, const char *path,
                         const struct journal_reader *reader, struct error *err)
{
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    *journal = (struct journal){ .path = path };
    if (file < 0)
        return refuse(path, err, "cannot open the journal");
    journal->stream = fdopen(file, "r+");
    if (!journal->stream) {
        close(file);
        return refuse(path, err, "cannot open the journal");
    }
    TRY(lock(journal, err));
    return read_before(journal, reader, err);
}

enum status journal_append(struct journal *journal, struct text text, struct error *err)
{
    uint64_t sum = chain(&journal->line, journal->last, text);

    assert(!memchr(text.at, '\n', text.length));
    buffer_clear(&journal->line);
    buffer_print(&journal->line, "%016" PRIx64 " ", sum);
    buffer_text(&journal->line, text);
    buffer_byte(&journal->line, '\n');
    TRY(buffer_status(&journal->line, err));
    for (size_t done = 0; done < journal->line.count;) {
        ssize_t written =
            write(fileno(journal->stream), journal->line.at + done, journal->line.count - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return refuse(journal->path, err, "cannot write the journal");
        done += (size_t)written;
    }
    journal->last = sum;
    journal->lines++;
    journal->is_unsynced = true;
    return journal_sync_some(journal, err);
}

enum status journal_sync(struct journal *journal, struct error *err)
{
    /* What is no file need not be synced. */
    if (journal->syncs && journal->is_unsynced && fdatasync(fileno(journal->stream)) != 0 &&
        errno != EINVAL && errno != ENOTSUP)
        return refuse(journal->path, err, "cannot write the journal to the disk");
    if (journal->syncs && journal->is_new)
        TRY(sink_sync_folder_of(journal->path, err));
    journal->is_new = false;
    journal->is_unsynced = false;
    journal->synced_ns = wall_clock_ns();
    return STATUS_OK;
}

enum status journal_sync_some(struct journal *journal, struct error *err)
{
    if (!journal->is_unsynced || wall_clock_ns() - journal->synced_ns < SYNC_EVERY_NS)
        return STATUS_OK;
    return journal_sync(journal, err);
}

void journal_close(struct journal *journal)
{
    if (journal->stream)
        fclose(journal->stream);
    journal->stream = NULL;
    buffer_close(&journal->line);
}
