/*
 * thread: threads with a stack of a known size, whatever `ulimit -s` is, and how many cores there
 * are for them. The whole of a stack counts against the limit of memory.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#define THREAD_STACK_BYTES ((size_t)512 << 10) /* enough where nothing recurses over an input */

#define THREAD_COUNT_MAX 1024 /* that may be asked for */

/* The machine's cores that are in use, at least 1 and at the most THREAD_COUNT_MAX. */
unsigned thread_core_count(void);

/* As pthread_create(): 0, or the code of an error. */
int thread_start(pthread_t *, size_t stack_bytes, void *(*work)(void *), void *context);

#endif
