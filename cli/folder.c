#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "cli/version.h"

bool folder_is_there(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

enum status folder_make(const char *path, struct error *err)
{
    char *copy = strdup(path);

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    for (char *end = copy + 1; copy[0] != '\0'; end++) {
        char after = *end;
        if (after != '/' && after != '\0')
            continue;
        *end = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            error_set_file(err, copy);
            free(copy);
            return error_set(err, STATUS_IO, "cannot make the folder: %s", strerror(errno));
        }
        *end = after;
        if (after == '\0')
            break;
    }
    free(copy);
    if (folder_is_there(path))
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

/* --- What is in it ---------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void folder_close_names(struct folder_names *names)
{
    for (size_t i = 0; i < names->names.count; i++)
        free(names->names.at[i]);
    array_close(&names->names);
}

static bool is_scenario_name(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".toml") == 0;
}

static bool is_folder(const char *folder, const char *name)
{
    char path[FOLDER_PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return name[0] != '.' && length > 0 && (size_t)length < sizeof path && folder_is_there(path);
}

enum status folder_read(const char *folder, enum folder_content content,
                        struct folder_names *names, struct error *err)
{
    DIR *open_folder = opendir(folder);
    struct dirent *entry;

    if (!open_folder) {
        error_set_file(err, folder);
        return error_set(err, STATUS_IO, "%s", strerror(errno));
    }
    while ((entry = readdir(open_folder)) != NULL) {
        bool wanted = content == FOLDER_FOLDERS ? is_folder(folder, entry->d_name)
                                                : is_scenario_name(entry->d_name);
        char *name = wanted ? strdup(entry->d_name) : NULL;
        if (!name)
            continue;
        if (array_push(&names->names, name, err) != STATUS_OK) {
            free(name);
            closedir(open_folder);
            return err->status;
        }
    }
    closedir(open_folder);
    if (names->names.count > 0)
        qsort(names->names.at, names->names.count, sizeof *names->names.at, compare_names);
    return STATUS_OK;
}

bool folder_find_scenarios(char path[FOLDER_PATH_SIZE])
{
    static const char installed[] = "/../share/ordeal/scenarios";
    char *slash;

    strcpy(path, "scenarios");
    if (folder_is_there(path))
        return true;
    if (version_program(path, FOLDER_PATH_SIZE - sizeof installed) == 0)
        return false;
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    strcpy(slash, installed);
    return folder_is_there(path);
}
