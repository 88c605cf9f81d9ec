#include "base/thread.h"

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
