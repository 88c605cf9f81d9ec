#include "base/foreign.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_OF_MACHINE 2

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

/* A signal handler has nowhere else to look. */
static _Thread_local const char *volatile library;

void foreign_begin(const char *name)
{
    library = name;
}

void foreign_end(void)
{
    library = NULL;
}

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

static _Noreturn void end_process(const char *why)
{
    say("ordeal: ");
    say(library ? library : "a library");
    say(why);
    _exit(EXIT_OF_MACHINE);
}

_Noreturn void foreign_out_of_memory(void)
{
    end_process(" is out of memory\n");
}

static void end_foreign(void)
{
    if (library)
        end_process(" failed: out of memory, or a fault of its own\n");
}

/* What is not a library's comes again, without us. */
static void crash(int number)
{
    end_foreign();
    signal(number, SIG_DFL);
}

void foreign_watch(void)
{
    struct sigaction action = { .sa_handler = crash };

#ifdef IS_SANITIZED
    return;
#endif
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    atexit(end_foreign);
}
