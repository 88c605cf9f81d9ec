#include "trial/scenario/scenario_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/version.h"

bool scenario_folder_is_there(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void scenario_folder_close(struct folder_names *names)
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
    char path[SCENARIO_FOLDER_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return name[0] != '.' && length > 0 && (size_t)length < sizeof path && scenario_folder_is_there(path);
}

enum status scenario_folder_read(const char *folder, enum folder_content content,
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

bool scenario_folder_find(char path[SCENARIO_FOLDER_SIZE])
{
    static const char installed[] = "/../share/ordeal/scenarios";
    char *slash;

    strcpy(path, "scenarios");
    if (scenario_folder_is_there(path))
        return true;
    if (version_program(path, SCENARIO_FOLDER_SIZE - sizeof installed) == 0)
        return false;
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    strcpy(slash, installed);
    return scenario_folder_is_there(path);
}
