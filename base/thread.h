/*
 * thread: threads with a stack of a known size, whatever `ulimit -s` is. The whole of it counts
 * against the limit of memory.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#define THREAD_STACK_BYTES ((size_t)512 << 10) /* enough where nothing recurses over an input */

/* As pthread_create(): 0, or the code of an error. */
int thread_start(pthread_t *, size_t stack_bytes, void *(*work)(void *), void *context);

#endif
