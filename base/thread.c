#include "base/thread.h"

#include <unistd.h>

int thread_start(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *context)
{
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);

    if (code != 0)
        return code;
    code = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (code == 0)
        code = pthread_create(thread, &attributes, work, context);
    pthread_attr_destroy(&attributes);
    return code;
}

unsigned thread_core_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    if (count < 1)
        return 1; /* also where the system does not say */
    return count < THREAD_COUNT_MAX ? (unsigned)count : THREAD_COUNT_MAX;
}
