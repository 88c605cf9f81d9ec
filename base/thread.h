/*
 * thread: threads with a small stack, since the whole of it counts against the limit of memory.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#define THREAD_STACK_BYTES ((size_t)512 << 10)

/* As pthread_create(): 0, or the code of an error. */
int thread_start(pthread_t *, void *(*work)(void *), void *context);

#endif
