#include "history/format.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "history/binary/oh.h"
#include "history/format_private.h"
#include "history/io/sink.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"

static const char *const names[] = {
#define FORMAT_NAME(enumerator, c, name, description) name,
    FORMATS(FORMAT_NAME)
#undef FORMAT_NAME
        NULL
};

static const char *const descriptions[] = {
#define FORMAT_DESCRIPTION(enumerator, c, name, description) description,
    FORMATS(FORMAT_DESCRIPTION)
#undef FORMAT_DESCRIPTION
};

static const struct foreign *const foreigns[FORMAT_COUNT] = {
#define FORMAT_FOREIGN(enumerator, c, name, description) [FORMAT_##enumerator] = &foreign_##c,
    FOREIGN_FORMATS(FORMAT_FOREIGN)
#undef FORMAT_FOREIGN
};

const char *format_name(enum format format)
{
    assert(format < FORMAT_COUNT);
    return names[format];
}

const char *format_description(enum format format)
{
    assert(format < FORMAT_COUNT);
    return descriptions[format];
}

bool format_of_text(struct text text, enum format *format)
{
    for (enum format f = 0; f < FORMAT_COUNT; f++) {
        if (text_equal(text, text_of(names[f]))) {
            *format = f;
            return true;
        }
    }
    return false;
}

const char *const *format_names(void)
{
    return names;
}

const struct foreign *format_foreign(enum format format)
{
    assert(format < FORMAT_COUNT);
    return foreigns[format];
}

enum format format_recognise(struct text beginning)
{
    if (oh_is(beginning.at, beginning.length))
        return FORMAT_OH;
    if (jsonl_is_it(beginning))
        return FORMAT_JSONL;
    for (enum format f = 0; f < FORMAT_COUNT; f++)
        if (foreigns[f] && foreigns[f]->is_it(beginning))
            return f;
    return FORMAT_ANY;
}

static enum status refuse_unknown(struct text beginning, struct error *err)
{
    static const char *const marks[] = { "\xef\xbb\xbf", "\xff\xfe", "\xfe\xff" };

    err->line = beginning.length > 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (beginning.length >= strlen(marks[i]) &&
            memcmp(beginning.at, marks[i], strlen(marks[i])) == 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "the file begins with a byte order mark: no format of histories does");
    return error_set(err, STATUS_BAD_INPUT,
                     beginning.length == 0
                         ? "the file is empty: a history begins with {\"ordeal-history\":1,..."
                         : "no format of histories is known that begins so: native text begins "
                           "with {\"ordeal-history\":1,...");
}

/* A forced format must not be another than the file's; a file of no format is refused. */
static enum status choose(struct source *source, enum format *format, struct error *err)
{
    struct text beginning;
    enum format found;

    TRY(source_peek(source, PEEK_BYTES, &beginning, err));
    found = format_recognise(beginning);
    if (*format == FORMAT_ANY)
        *format = found;
    if (found == *format && found != FORMAT_ANY)
        return STATUS_OK;
    if (found == FORMAT_ANY && *format == FORMAT_JSONL)
        return STATUS_OK; /* its reader says best what is wrong with the first line */
    error_set_file(err, source->name);
    if (found != FORMAT_ANY)
        return error_set(err, STATUS_BAD_INPUT, "this file is in format %s, not %s", names[found],
                         names[*format]);
    if (*format != FORMAT_ANY)
        return error_set(err, STATUS_BAD_INPUT, "this file is not in format %s", names[*format]);
    return refuse_unknown(beginning, err);
}

static bool is_mappable(const struct source *source)
{
    return source->file > 0 && source->size > 0 && !source->zstd;
}

static enum status read_oh(struct source *source, struct history *history, struct error *err)
{
    char *bytes;
    size_t size;

    if (is_mappable(source))
        return oh_map(source->name, history, err);
    TRY(source_take_rest(source, &bytes, &size, err));
    return oh_read(source->name, bytes, size, history, err);
}

static enum status read_source(struct source *source, enum format format, struct history *history,
                               struct error *err)
{
    TRY(choose(source, &format, err));
    if (format == FORMAT_OH)
        return read_oh(source, history, err);
    if (!foreigns[format])
        return jsonl_read(source, 0, history, err);
    if (foreigns[format]->read)
        return foreigns[format]->read(source, history, err);
    return error_set(err, STATUS_BAD_INPUT,
                     "this is one session of a history in format %s: name the folder, with all of "
                     "them",
                     names[format]);
}

static enum status read_file(const char *path, enum format format, const struct progress *progress,
                             struct history *history, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, progress, err);

    if (status == STATUS_OK)
        status = read_source(&source, format, history, err);
    if (status != STATUS_OK && !err->file[0])
        error_set_file(err, source.name);
    source_close(&source);
    return status;
}

static enum status read_folder(const char *path, enum format wanted,
                               const struct progress *progress, struct history *history,
                               struct error *err)
{
    struct format_folder folder;
    enum status status = format_folder_choose(path, wanted, &folder, err);

    if (status == STATUS_OK) {
        const struct foreign *foreign = foreigns[folder.format];

        status = foreign && foreign->read_sessions
                     ? foreign->read_sessions((const char *const *)folder.paths.at,
                                              folder.paths.count, history, err)
                     : read_file(folder.paths.at[0], folder.format, progress, history, err);
    }
    if (status != STATUS_OK && !err->file[0])
        error_set_file(err, path);
    format_folder_close(&folder);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum status format_read_history(const char *path, enum format format,
                                const struct progress *progress, struct history *history,
                                struct error *err)
{
    *history = (struct history){ 0 };
    return is_folder(path) ? read_folder(path, format, progress, history, err)
                           : read_file(path, format, progress, history, err);
}

static enum status write_to_sink(void *context, const void *bytes, size_t size, struct error *err)
{
    return sink_write(context, bytes, size, err);
}

enum status format_losses(const struct history *history, enum format format, uint32_t *losses,
                          struct error *err)
{
    assert(format < FORMAT_COUNT);
    *losses = 0;
    if (!foreigns[format])
        return STATUS_OK;
    if (!foreigns[format]->examine)
        return error_set(err, STATUS_BAD_INPUT, "histories in format %s are read, but not written",
                         names[format]);
    return foreigns[format]->examine(history, losses, err);
}

static enum status write_sink(const struct history *history, enum format format, struct sink *sink,
                              const struct progress *progress, struct error *err)
{
    uint32_t losses;

    TRY(format_losses(history, format, &losses, err));
    if (foreigns[format])
        TRY(foreigns[format]->write(history, sink, err));
    else if (format == FORMAT_OH)
        TRY(oh_write(history, write_to_sink, sink, err));
    else
        TRY(jsonl_write(history, sink, progress, err));
    return sink_commit(sink, err);
}

enum status format_write_history(const struct history *history, enum format format,
                                 const char *path, const struct progress *progress,
                                 struct error *err)
{
    struct sink sink;
    enum status status;

    if (foreigns[format] && foreigns[format]->write_folder) {
        uint32_t losses;

        TRY(format_losses(history, format, &losses, err));
        return foreigns[format]->write_folder(history, path, err);
    }
    TRY(sink_open(&sink, path, err));
    status = write_sink(history, format, &sink, progress, err);
    sink_close(&sink);
    return status;
}
