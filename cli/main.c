#include <pthread.h>
#include <sys/resource.h>

#include "base/thread.h"
#include "base/version.h"
#include "cli/command.h"

/*
 * What the nesting of an input may need: SQL may be nested 1000 deep, and its parser, which is a
 * library, recurses. Where `ulimit -s` allows less, all work is done by a thread that has this.
 */
#define STACK_BYTES ((size_t)8 << 20)

struct main_call {
    int argc;
    char **argv;
    int code;
};

static void *main_work(void *context)
{
    struct main_call *call = context;

    call->code = command_main(call->argc, call->argv, version_text());
    return NULL;
}

int main(int argc, char **argv)
{
    struct main_call call = { argc, argv, 0 };
    struct rlimit limit;
    pthread_t thread;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES ||
        thread_start(&thread, STACK_BYTES, main_work, &call) != 0)
        main_work(&call);
    else
        pthread_join(thread, NULL);
    return call.code;
}
