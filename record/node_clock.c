#include "record/node_clock.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Debian's place first. */
static const char *const libraries[] = { "/usr/lib/*/faketime/libfaketimeMT.so.1",
                                         "/usr/lib64/faketime/libfaketimeMT.so.1",
                                         "/usr/local/lib/faketime/libfaketimeMT.so.1" };

static bool find_library(char *path, size_t size)
{
    glob_t found;

    path[0] = '\0';
    for (size_t i = 0; i < ROW_COUNT(libraries) && path[0] == '\0'; i++)
        if (glob(libraries[i], 0, NULL, &found) == 0) {
            snprintf(path, size, "%s", found.gl_pathv[0]);
            globfree(&found);
        }
    return path[0] != '\0';
}

enum status node_clock_open(struct node_clock *clock, const char *file, struct error *err)
{
    char library[400];

    if (!find_library(library, sizeof library))
        return error_set(err, STATUS_IO,
                         "a wrong clock is made by libfaketime, which is not on this machine: "
                         "install the package faketime");
    snprintf(clock->words[0], sizeof clock->words[0], "/usr/bin/env");
    snprintf(clock->words[1], sizeof clock->words[1], "LD_PRELOAD=%s", library);
    snprintf(clock->words[2], sizeof clock->words[2], "FAKETIME_TIMESTAMP_FILE=%s", file);
    snprintf(clock->words[3], sizeof clock->words[3], "FAKETIME_NO_CACHE=1");
    snprintf(clock->words[4], sizeof clock->words[4], "FAKETIME_DONT_FAKE_MONOTONIC=1");
    return node_clock_set(file, 0, err);
}

/* The node finds the old file or the new one, never a part. */
enum status node_clock_set(const char *file, int seconds, struct error *err)
{
    char made[400];
    FILE *words;
    bool is_set;

    snprintf(made, sizeof made, "%s.new", file);
    words = fopen(made, "we");
    is_set = words && fprintf(words, "%+d\n", seconds) > 0;
    if (words)
        is_set &= fclose(words) == 0;
    is_set = is_set && chmod(made, 0644) == 0 && rename(made, file) == 0;
    if (is_set)
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: %s", file, strerror(errno));
}

void node_clock_forget(pid_t pid)
{
    static const char *const kinds[] = { "faketime_shm_", "sem.faketime_sem_" };
    char path[64];

    for (size_t i = 0; i < ROW_COUNT(kinds); i++) {
        snprintf(path, sizeof path, "/dev/shm/%s%d", kinds[i], (int)pid);
        unlink(path);
    }
}

int node_clock_watch(const char *file)
{
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    if (watch >= 0)
        (void)!inotify_add_watch(watch, file, IN_OPEN);
    return watch;
}

bool node_clock_was_read(int watch)
{
    char events[512];
    bool was_read = watch >= 0 && read(watch, events, sizeof events) > 0;

    if (watch >= 0)
        close(watch);
    return was_read;
}
