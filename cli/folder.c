#define _GNU_SOURCE /* renameat2() */
#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "history/format.h"
#include "cli/output.h"
#include "history/io/sink.h"
#include "trial/scenario/scenario.h"

enum status folder_make(const char *path, struct error *err)
{
    char *copy = strdup(path);
    enum status status = STATUS_OK;

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    for (char *end = copy + 1; copy[0] != '\0'; end++) {
        char after = *end;
        if (after != '/' && after != '\0')
            continue;
        *end = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            error_set_file(err, copy);
            status = error_set(err, STATUS_IO, "cannot make the folder: %s", strerror(errno));
            break;
        }
        *end = after;
        if (after == '\0')
            break;
    }
    free(copy);
    TRY(status);
    if (scenario_folder_is_there(path))
        return STATUS_OK;
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "this is no folder");
}

enum status folder_write(const char *folder, const char *name, const struct buffer *bytes,
                         struct error *err)
{
    struct buffer path = { 0 };
    enum status status;

    buffer_print(&path, "%s/%s", folder, name);
    buffer_byte(&path, '\0');
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = output_write_file(path.at, bytes, err);
    buffer_close(&path);
    return status;
}

/* --- An answer that is a folder --------------------------------------------------------------- */

/* Every file that some answer has. */
static bool is_of_an_answer(const char *name)
{
    static const char *const names[] = { "scenario.toml", "history.jsonl", "run.json",
                                         "capsule.toml",  "story.txt",     "story.svg",
                                         "prove.json",    "matrix.md",     "predicted.jsonl",
                                         "witness.json",  "prediction.txt", "prediction.svg" };
    static const struct {
        const char *begin, *end;
    } families[] = {
        { "witness-", ".json" }, { "missed-", ".jsonl" }, { "accused-", ".jsonl" } };
    size_t length = strlen(name);

    for (size_t i = 0; i < ROW_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    for (size_t i = 0; i < ROW_COUNT(families); i++) {
        size_t begin = strlen(families[i].begin), end = strlen(families[i].end);

        if (length > begin + end && memcmp(name, families[i].begin, begin) == 0 &&
            strcmp(name + length - end, families[i].end) == 0)
            return true;
    }
    return false;
}

static enum status refuse(const char *path, const char *why, struct error *err)
{
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "%s: %s", why, strerror(errno));
}

typedef enum status visit_entry(void *, const char *folder, const char *name, struct error *);

/* For each entry but itself and the one above; it may take the entry away. */
static enum status for_entries_of(DIR *folder, const char *path, visit_entry *visit, void *context,
                                  struct error *err)
{
    enum status status = STATUS_OK;
    struct dirent *entry;

    while (status == STATUS_OK && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = visit(context, path, entry->d_name, err);
    return status;
}

static enum status for_entries(const char *path, visit_entry *visit, void *context,
                               struct error *err)
{
    DIR *folder = opendir(path);
    enum status status;

    if (!folder)
        return refuse(path, "cannot read the folder", err);
    status = for_entries_of(folder, path, visit, context, err);
    closedir(folder);
    return status;
}

static enum status join(char joined[FOLDER_PATH_SIZE], const char *folder, const char *name,
                        struct error *err)
{
    int length = snprintf(joined, FOLDER_PATH_SIZE, "%s/%s", folder, name);

    if (length > 0 && length < FOLDER_PATH_SIZE)
        return STATUS_OK;
    error_set_file(err, folder);
    return error_set(err, STATUS_BAD_INPUT, "its name is too long");
}

static enum status find_entry(void *context, const char *folder, const char *name,
                              struct error *err)
{
    (void)context;
    error_set_file(err, folder);
    return error_set(err, STATUS_BAD_INPUT,
                     "there is something in this folder (%s): name another, or replace what a run has "
                     "left there with --force",
                     name);
}

/* Without the slashes behind it: what stands beside it has its name and more. */
static enum status settle_path(char settled[FOLDER_PATH_SIZE], const char *path,
                               struct error *err)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || length + sizeof ".XXXXXX" > FOLDER_PATH_SIZE)
        return error_set(err, STATUS_BAD_INPUT, "--out has no name, or one that is too long");
    memcpy(settled, path, length);
    settled[length] = '\0';
    return STATUS_OK;
}

static enum status make_parents(const char *path, struct error *err)
{
    char parent[FOLDER_PATH_SIZE];
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return STATUS_OK;
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    return folder_make(parent, err);
}

enum status folder_draft_open(struct folder_draft *draft, const char *path, struct error *err)
{
    mode_t mask = umask(0);

    umask(mask);
    draft->at[0] = '\0';
    draft->folder = NULL;
    draft->is_open = false;
    TRY(settle_path(draft->path, path, err));
    interrupt_hold();
    memcpy(draft->at, draft->path, strlen(draft->path));
    strcpy(draft->at + strlen(draft->path), ".XXXXXX");
    if (!mkdtemp(draft->at) || chmod(draft->at, 0777 & ~mask) != 0) {
        (void)refuse(draft->path, "cannot make a folder beside it", err);
        draft->at[0] = '\0';
        interrupt_release();
        return STATUS_IO;
    }
    draft->is_open = true;
    draft->folder = opendir(draft->at);
    if (draft->folder)
        return STATUS_OK;
    (void)refuse(draft->at, "cannot read the folder", err);
    folder_draft_close(draft);
    return STATUS_IO;
}

static enum status remove_entry(void *context, const char *folder, const char *name,
                                struct error *err)
{
    const bool *is_all = context;
    char path[FOLDER_PATH_SIZE];

    if (!*is_all && !is_of_an_answer(name))
        return STATUS_OK;
    TRY(join(path, folder, name, err));
    return unlink(path) == 0 ? STATUS_OK : refuse(path, "cannot remove it", err);
}

void folder_draft_close(struct folder_draft *draft)
{
    bool is_all = true;
    struct error err = { 0 };

    if (draft->at[0] != '\0') {
        if (draft->folder)
            rewinddir(draft->folder);
        if (!draft->folder ||
            for_entries_of(draft->folder, draft->at, remove_entry, &is_all, &err) == STATUS_OK)
            (void)rmdir(draft->at);
    }
    if (draft->folder)
        closedir(draft->folder);
    draft->folder = NULL;
    draft->at[0] = '\0';
    if (draft->is_open)
        interrupt_release();
    draft->is_open = false;
}

static enum status move_entry(void *context, const char *folder, const char *name,
                              struct error *err)
{
    char from[FOLDER_PATH_SIZE], to[FOLDER_PATH_SIZE];

    TRY(join(from, folder, name, err));
    TRY(join(to, context, name, err));
    return rename(from, to) == 0 ? STATUS_OK : refuse(to, "cannot put it there", err);
}

/* A file of the old folder that stays, also in the new one. */
static enum status keep_entry(void *context, const char *folder, const char *name,
                              struct error *err)
{
    char from[FOLDER_PATH_SIZE], to[FOLDER_PATH_SIZE];

    if (is_of_an_answer(name))
        return STATUS_OK;
    TRY(join(from, folder, name, err));
    TRY(join(to, context, name, err));
    return link(from, to) == 0 ? STATUS_OK : refuse(to, "cannot put it there", err);
}

/* The draft and what is there change places at once, where the system can do that. */
static bool exchange(struct folder_draft *draft)
{
    struct error ignored = { 0 };
    struct stat about;
    DIR *old;

    if (lstat(draft->path, &about) != 0 || !S_ISDIR(about.st_mode) ||
        chmod(draft->at, about.st_mode & 07777) != 0 || !(old = opendir(draft->path)))
        return false;
    if (for_entries_of(old, draft->path, keep_entry, draft->at, &ignored) != STATUS_OK ||
        renameat2(AT_FDCWD, draft->at, AT_FDCWD, draft->path, RENAME_EXCHANGE) != 0) {
        closedir(old);
        return false;
    }
    closedir(draft->folder);
    draft->folder = old;
    return true;
}

static enum status sync_entry(void *context, const char *folder, const char *name,
                              struct error *err)
{
    char path[FOLDER_PATH_SIZE];
    bool is_synced;
    int file;

    (void)context;
    TRY(join(path, folder, name, err));
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(path, "cannot open it", err);
    is_synced = fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
    close(file);
    return is_synced ? STATUS_OK : refuse(path, "cannot write it to the disk", err);
}

static enum status put_in_place(struct folder_draft *draft, bool force, struct error *err)
{
    bool is_all = false;

    errno = 0;
    if (rename(draft->at, draft->path) == 0) { /* also onto an empty one */
        draft->at[0] = '\0';
        return STATUS_OK;
    }
    if (!scenario_folder_is_there(draft->path) ||
        (!force && (errno == ENOTEMPTY || errno == EEXIST)))
        return refuse(draft->path, "cannot put the folder there", err);
    if (exchange(draft))
        return STATUS_OK; /* the draft is what was there */
    TRY(for_entries(draft->path, remove_entry, &is_all, err));
    return for_entries(draft->at, move_entry, draft->path, err);
}

enum status folder_draft_commit(struct folder_draft *draft, bool force, struct error *err)
{
    char inside[FOLDER_PATH_SIZE];

    TRY(for_entries(draft->at, sync_entry, NULL, err));
    TRY(join(inside, draft->at, ".", err));
    TRY(sink_sync_folder_of(inside, err));
    TRY(put_in_place(draft, force, err));
    return sink_sync_folder_of(draft->path, err);
}

enum status folder_claim(const char *path, bool force, struct error *err)
{
    struct folder_draft draft;
    char settled[FOLDER_PATH_SIZE];

    TRY(settle_path(settled, path, err));
    TRY(make_parents(settled, err));
    if (scenario_folder_is_there(settled)) {
        if (!force)
            TRY(for_entries(settled, find_entry, NULL, err));
    } else if (access(settled, F_OK) == 0) {
        error_set_file(err, settled);
        return error_set(err, STATUS_IO, "this is no folder");
    }
    TRY(folder_draft_open(&draft, settled, err));
    folder_draft_close(&draft);
    return STATUS_OK;
}

enum status folder_answer(const char *path, bool force,
                          enum status (*write)(const void *report, const char *folder,
                                               struct error *),
                          const void *report, struct error *err)
{
    struct folder_draft draft;
    enum status status;

    TRY(folder_draft_open(&draft, path, err));
    status = write(report, draft.at, err);
    if (status == STATUS_OK)
        status = folder_draft_commit(&draft, force, err);
    folder_draft_close(&draft);
    return status;
}

static enum status write_witness(const char *folder, const struct check *check, struct error *err)
{
    char name[100];

    snprintf(name, sizeof name, "witness-%s.json", check->checker->name);
    return folder_write(folder, name, &check->witness, err);
}

enum status folder_write_judged(const char *folder, const struct history *history,
                                const struct jury *jury, struct error *err)
{
    struct buffer path = { 0 };
    enum status status;

    buffer_print(&path, "%s/history.jsonl", folder);
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = format_write_history(history, FORMAT_JSONL, path.at, NULL, err);
    buffer_close(&path);
    for (uint32_t i = 0; status == STATUS_OK && i < jury->juror_count; i++)
        if (jury->jurors[i].check.witness.count > 0)
            status = write_witness(folder, &jury->jurors[i].check, err);
    return status;
}
