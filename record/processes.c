#include "record/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/wall_clock.h"
#include "record/node_clock.h"

#define TICK_NS 2000000
#define PATIENCE_NS INT64_C(10000000000)

/* As /proc has it; 'Z': it has ended, and nobody has asked how. '\0': it is gone. */
static char state_of(pid_t pid, pid_t *parent)
{
    char path[64], line[512], state = '\0';
    const char *behind_name;
    FILE *file;
    size_t got;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return '\0';
    got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = '\0';
    behind_name = strrchr(line, ')');
    return behind_name && sscanf(behind_name + 1, " %c %d", &state, parent) == 2 ? state : '\0';
}

typedef ARRAY(pid_t) pid_list;

/* The processes that it has started. Servers fork one level deep. */
static void list_children(pid_t parent, pid_list *children)
{
    DIR *proc = opendir("/proc");
    struct error err;

    if (!proc)
        return;
    for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc)) {
        pid_t pid = (pid_t)atoi(entry->d_name), its;

        if (isdigit((unsigned char)entry->d_name[0]) && state_of(pid, &its) && its == parent &&
            array_push(children, pid, &err) != STATUS_OK)
            break;
    }
    closedir(proc);
}

/* In a container whose first process asks for no one's end, the dead stay in the table. */
static bool is_running(pid_t pid)
{
    pid_t parent;
    char state = state_of(pid, &parent);

    return state != '\0' && state != 'Z';
}

/* The children first find their parent dead, and so cannot start others. */
void processes_kill(pid_t pid, bool is_ours)
{
    pid_list children = { 0 };
    int64_t until = wall_clock_ns() + PATIENCE_NS;

    kill(pid, SIGSTOP);
    list_children(pid, &children);
    kill(pid, SIGKILL);
    if (is_ours)
        waitpid(pid, NULL, 0);
    for (size_t i = 0; i < children.count; i++)
        kill(children.at[i], SIGKILL);
    for (size_t i = 0; i < children.count; i++) {
        while (is_running(children.at[i]) && wall_clock_ns() < until)
            wall_clock_sleep(TICK_NS);
        node_clock_forget(children.at[i]);
    }
    node_clock_forget(pid);
    array_close(&children);
}

/* A parent that is stopped first starts no others. */
void processes_signal(pid_t pid, int signal)
{
    pid_list children = { 0 };

    kill(pid, signal);
    list_children(pid, &children);
    for (size_t i = 0; i < children.count; i++)
        kill(children.at[i], signal);
    array_close(&children);
}

void processes_close_files(int kept)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fd != kept)
            close(fd);
}
