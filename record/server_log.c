#include "record/server_log.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

long server_log_size(const char *path)
{
    struct stat log;

    return stat(path, &log) == 0 ? (long)log.st_size : 0;
}

static bool has_one(const char *line, const char *const *words)
{
    bool has = !words && line[0] != '\0';

    for (size_t i = 0; words && words[i] && !has; i++)
        has = strstr(line, words[i]) != NULL;
    return has;
}

bool server_log_find(const char *path, long from, const char *const *words, const char *unless,
                     char *to, size_t size)
{
    FILE *log = fopen(path, "re");
    char line[2000];
    bool is_found = false;

    to[0] = '\0';
    if (log)
        (void)!fseek(log, from, SEEK_SET);
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        if (has_one(line, words) && !(unless && strstr(line, unless))) {
            snprintf(to, size, "%s", line);
            is_found = true;
        }
    }
    if (log)
        fclose(log);
    return is_found;
}
