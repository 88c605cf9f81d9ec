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

/* Of a stack that grows: what mostly is used of it is taken at the beginning. */
#define STACK_BYTES_TAKEN ((size_t)256 << 10)
#define PAGE_BYTES 4096

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

/*
 * A stack that grows where there is no memory left (`ulimit -v`) ends the process by a signal, whatever it
 * was at. An allocation that fails is an error like others, so the stack comes first.
 */
static __attribute__((noinline)) void take_stack(void)
{
    volatile char room[STACK_BYTES_TAKEN];

    for (size_t i = 0; i < sizeof room; i += PAGE_BYTES)
        room[i] = 0;
}

int main(int argc, char **argv)
{
    struct main_call call = { argc, argv, 0 };
    struct rlimit limit;
    pthread_t thread;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= STACK_BYTES)
        take_stack();
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES ||
        thread_start(&thread, STACK_BYTES, main_work, &call) != 0)
        main_work(&call);
    else
        pthread_join(thread, NULL);
    return call.code;
}
