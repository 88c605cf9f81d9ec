#include "history/format.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "history/binary/oh.h"
#include "history/foreign/foreign.h"
#include "history/io/sink.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"

#define PEEK_BYTES ((size_t)4096)

/*
 * The files of a folder that are a history: one file, or where a tool writes a file for each
 * session, all of these, in the order of their names.
 */
struct format_folder {
    enum format format;
    ARRAY(char *) paths;
};

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

/* NULL: one of our own. */
static const struct foreign *format_foreign(enum format format)
{
    assert(format < FORMAT_COUNT);
    return foreigns[format];
}

/* What the beginning looks like, or FORMAT_ANY. */
static enum format format_recognise(struct text beginning)
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

static void format_folder_close(struct format_folder *);

static enum status format_folder_choose(const char *folder, enum format wanted,
                                        struct format_folder *, struct error *);

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

/*
 * Folders as tools leave them: which of the files are the history.
 *
 *     cobra/     0.log 1.log 2.log         sessions: one history
 *     viper/     J0.json J1.json           likewise
 *     latest/    history.edn jepsen.log results.edn independent/     history.edn
 *     hist-00/   history.bincode info.txt               history.bincode
 *
 * A file is known by how it begins. Of a tool that writes a file for each session, all files with
 * the same ending as one that was known are taken: a damaged one is then refused, and never left out in
 * silence. Otherwise there is one history in the folder, or one that is called history, or
 * the user has to say which.
 */

struct format_entry {
    char *path;
    enum format format; /* or FORMAT_ANY */
};

struct entries {
    ARRAY(struct format_entry) all;
    ARRAY(char *) folders;
};

/* --- The files --------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct format_entry *)a)->path, ((const struct format_entry *)b)->path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A pipe in the folder would be waited for. */
static enum status add_entry(struct entries *entries, const char *folder, const char *name,
                             struct error *err)
{
    struct buffer path = { 0 };
    struct stat file;

    TRY(array_reserve(&entries->all, 1, err));
    TRY(array_reserve(&entries->folders, 1, err));
    buffer_print(&path, "%s/%s", folder, name);
    buffer_byte(&path, '\0');
    if (buffer_status(&path, err) != STATUS_OK)
        return err->status;
    if (lstat(path.at, &file) == 0 && S_ISDIR(file.st_mode))
        entries->folders.at[entries->folders.count++] = path.at;
    else if (stat(path.at, &file) == 0 && S_ISREG(file.st_mode))
        entries->all.at[entries->all.count++] = (struct format_entry){ path.at, FORMAT_ANY };
    else
        buffer_close(&path);
    return STATUS_OK;
}

static enum status list(struct entries *entries, const char *folder, struct error *err)
{
    DIR *directory = opendir(folder);
    enum status status = STATUS_OK;
    const struct dirent *entry;

    if (!directory) {
        error_set_file(err, folder);
        return error_set(err, STATUS_IO, "cannot read the folder: %s", strerror(errno));
    }
    while (status == STATUS_OK && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            status = add_entry(entries, folder, entry->d_name, err);
    closedir(directory);
    if (entries->all.count > 0)
        qsort(entries->all.at, entries->all.count, sizeof *entries->all.at, compare_entries);
    if (entries->folders.count > 0)
        qsort(entries->folders.at, entries->folders.count, sizeof *entries->folders.at,
              compare_paths);
    return status;
}

static void close_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->all.count; i++)
        free(entries->all.at[i].path);
    for (size_t i = 0; i < entries->folders.count; i++)
        free(entries->folders.at[i]);
    array_close(&entries->all);
    array_close(&entries->folders);
}

static enum status recognise(struct format_entry *entry, struct error *err)
{
    struct source source;
    struct text beginning;
    enum status status = source_open(&source, entry->path, NULL, err);

    if (status == STATUS_OK)
        status = source_peek(&source, PEEK_BYTES, &beginning, err);
    if (status == STATUS_OK)
        entry->format = format_recognise(beginning);
    source_close(&source);
    return status;
}

/* --- The choice -------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* The name's end from its last dot on, but for the .zst of what is compressed. */
static struct text ending_of(const char *path)
{
    struct text name = text_of(name_of(path));
    size_t dot;

    if (name.length > 4 && strcmp(name.at + name.length - 4, ".zst") == 0)
        name.length -= 4;
    for (dot = name.length; dot > 0 && name.at[dot - 1] != '.';)
        dot--;
    return dot > 0 ? (struct text){ name.at + dot, name.length - dot } : (struct text){ "", 0 };
}

static bool is_called_history(const char *path)
{
    return strncmp(name_of(path), "history.", strlen("history.")) == 0;
}

static enum status take(struct format_folder *chosen, struct format_entry *entry, struct error *err)
{
    TRY(array_push(&chosen->paths, entry->path, err));
    entry->path = NULL;
    return STATUS_OK;
}

static enum status take_sessions(struct entries *entries, const struct format_entry *known,
                                 struct format_folder *chosen, struct error *err)
{
    struct text ending = ending_of(known->path);
    enum format format = chosen->format = known->format;

    for (size_t i = 0; i < entries->all.count; i++) {
        struct format_entry *entry = &entries->all.at[i];

        if (entry->format == format || text_equal(ending_of(entry->path), ending))
            TRY(take(chosen, entry, err));
    }
    return STATUS_OK;
}

/* The first of those that come into question, and the first that is another history; or NULL. */
static void find_candidates(struct entries *entries, enum format wanted, bool only_called_history,
                            struct format_entry **first, struct format_entry **other)
{
    *first = *other = NULL;
    for (size_t i = 0; i < entries->all.count; i++) {
        struct format_entry *entry = &entries->all.at[i];

        if (entry->format == FORMAT_ANY || (wanted != FORMAT_ANY && entry->format != wanted) ||
            (only_called_history && !is_called_history(entry->path)))
            continue;
        if (!*first)
            *first = entry;
        else if (!*other && (entry->format != (*first)->format || !format_foreign(entry->format) ||
                             !format_foreign(entry->format)->read_sessions))
            *other = entry;
    }
}

static enum status refuse_several(const char *folder, const struct format_entry *one,
                                  const struct format_entry *other, struct error *err)
{
    error_set_file(err, folder);
    return error_set(
        err, STATUS_BAD_INPUT,
        "there are several histories in this folder, such as %s in format %s and %s in "
        "format %s: name one of them",
        name_of(one->path), format_name(one->format), name_of(other->path),
        format_name(other->format));
}

static enum status choose_entries(struct entries *entries, const char *folder, enum format wanted,
                                  struct format_folder *chosen, struct error *err)
{
    struct format_entry *first, *other;

    find_candidates(entries, wanted, true, &first, &other);
    if (!first)
        find_candidates(entries, wanted, false, &first, &other);
    if (other)
        return refuse_several(folder, first, other, err);
    if (!first) {
        error_set_file(err, folder);
        if (wanted != FORMAT_ANY)
            return error_set(err, STATUS_BAD_INPUT, "no file in this folder is in format %s",
                             format_name(wanted));
        return error_set(err, STATUS_BAD_INPUT, "no file in this folder is a history");
    }
    if (format_foreign(first->format) && format_foreign(first->format)->read_sessions)
        return take_sessions(entries, first, chosen, err);
    chosen->format = first->format;
    return take(chosen, first, err);
}

/* The files of a folder, and what each of them looks like. */
static enum status survey(struct entries *entries, const char *folder, struct error *err)
{
    TRY(list(entries, folder, err));
    for (size_t i = 0; i < entries->all.count; i++)
        TRY(recognise(&entries->all.at[i], err));
    return STATUS_OK;
}

/* Closed by format_folder_close(), also after a failure. */
static enum status format_folder_choose(const char *folder, enum format wanted,
                                        struct format_folder *chosen, struct error *err)
{
    struct entries entries = { 0 };
    enum status status;

    *chosen = (struct format_folder){ .format = FORMAT_ANY };
    status = survey(&entries, folder, err);
    if (status == STATUS_OK)
        status = choose_entries(&entries, folder, wanted, chosen, err);
    close_entries(&entries);
    return status;
}

static void format_folder_close(struct format_folder *chosen)
{
    for (size_t i = 0; i < chosen->paths.count; i++)
        free(chosen->paths.at[i]);
    array_close(&chosen->paths);
}

/* --- All of them ------------------------------------------------------------------- */

#define FOLDERS_DEEP_MAX 16

static enum status add_path(struct history_paths *found, const char *path, struct error *err)
{
    char *copy = strdup(path);

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the names of histories");
    if (array_push(&found->paths, copy, err) == STATUS_OK)
        return STATUS_OK;
    free(copy);
    return err->status;
}

/*
 * The history of a test that Jepsen has run, if this is its folder, or NULL. What is in its folders are
 * logs, reports, and parts of that history, one for each key.
 */
static const char *jepsen_history(const struct entries *entries)
{
    static const char *const marks[] = { "test.edn", "test.jepsen", "test.fressian", "results.edn",
                                         "jepsen.log" };
    const char *history = NULL;
    bool is_test = false;

    for (size_t i = 0; i < entries->all.count; i++) {
        const char *name = name_of(entries->all.at[i].path);

        if (strcmp(name, "history.edn") == 0)
            history = entries->all.at[i].path;
        for (size_t mark = 0; mark < sizeof marks / sizeof *marks; mark++)
            is_test |= strcmp(name, marks[mark]) == 0;
    }
    return is_test ? history : NULL;
}

/*
 * Whether the folder as a whole is one history: then nothing in it may stand beside that. A single
 * file is named itself.
 */
static enum status add_whole(struct entries *entries, const char *folder, enum format wanted,
                             struct history_paths *found, bool *is_one, struct error *err)
{
    struct format_folder chosen = { .format = FORMAT_ANY };
    const char *jepsen = jepsen_history(entries);
    struct error why = { 0 };
    enum status status = STATUS_BAD_INPUT;

    *is_one = jepsen;
    if (jepsen)
        return add_path(found, jepsen, err);
    if (entries->folders.count == 0)
        status = choose_entries(entries, folder, wanted, &chosen, &why);
    *is_one = status == STATUS_OK;
    if (status == STATUS_OK)
        status = add_path(found, chosen.paths.count == 1 ? chosen.paths.at[0] : folder, &why);
    format_folder_close(&chosen);
    if (status == STATUS_OK || (status == STATUS_BAD_INPUT && !*is_one))
        return STATUS_OK;
    *err = why;
    return status;
}

static enum status find_in(const char *folder, enum format wanted, unsigned depth,
                           struct history_paths *found, struct error *err)
{
    struct entries entries = { 0 };
    enum status status = survey(&entries, folder, err);
    bool is_one = false;

    if (status == STATUS_OK)
        status = add_whole(&entries, folder, wanted, found, &is_one, err);
    for (size_t i = 0; status == STATUS_OK && !is_one && i < entries.all.count; i++) {
        enum format format = entries.all.at[i].format;

        if (format == FORMAT_ANY || (wanted != FORMAT_ANY && format != wanted))
            found->other_count++;
        else
            status = add_path(found, entries.all.at[i].path, err);
    }
    for (size_t i = 0; status == STATUS_OK && !is_one && i < entries.folders.count; i++)
        status = depth > 0
                     ? find_in(entries.folders.at[i], wanted, depth - 1, found, err)
                     : error_set(err, STATUS_OVER_LIMIT, "folders are nested too deep: %.200s",
                                 entries.folders.at[i]);
    close_entries(&entries);
    return status;
}

enum status format_find_histories(const char *path, enum format wanted, struct history_paths *found,
                                  struct error *err)
{
    struct stat file;

    if (stat(path, &file) != 0 || !S_ISDIR(file.st_mode))
        return add_path(found, path, err);
    return find_in(path, wanted, FOLDERS_DEEP_MAX, found, err);
}

void history_paths_close(struct history_paths *found)
{
    for (size_t i = 0; i < found->paths.count; i++)
        free(found->paths.at[i]);
    array_close(&found->paths);
}
