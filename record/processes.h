/*
 * processes: a server's process and the children that it has forked.
 */
#ifndef RECORD_PROCESSES_H
#define RECORD_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* SIGKILL for it and its children; returns when none of them runs, but waits only ten seconds. */
void processes_kill(pid_t, bool is_child_of_ours);
/* To it and its children. */
void processes_signal(pid_t, int signal);

/* In a child that was forked: all files but standard ones and this one. */
void processes_close_files(int kept);

#endif
