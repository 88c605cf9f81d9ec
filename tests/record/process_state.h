/*
 * process_state: what a process of a test is doing, by /proc.
 */
#ifndef TESTS_RECORD_PROCESS_STATE_H
#define TESTS_RECORD_PROCESS_STATE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* 'S', 'T' and so on; '?': it is gone. */
static inline char state_of(pid_t pid)
{
    char path[64], line[300] = "", state = '?';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (file) {
        if (fgets(line, sizeof line, file) && strrchr(line, ')'))
            state = strrchr(line, ')')[2];
        fclose(file);
    }
    return state;
}

/* It may still be in the table where the first process of a container asks for no one's end. */
static inline bool has_ended(pid_t pid)
{
    char state = state_of(pid);

    return state == 'Z' || state == '?';
}

#endif
