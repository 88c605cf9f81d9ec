#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A signal handler has nowhere else to put it. */
static struct {
    atomic_bool has_come;
    volatile sig_atomic_t signal;
    volatile sig_atomic_t held; /* how often */
    atomic_bool is_noticed;
    atomic_bool time_is_over;
    void (*say)(void *context);
    void *context;
    pthread_t main;
} interrupts;

static const int signals[] = { SIGINT, SIGTERM };

static void end(void)
{
    static const char line[] = "ordeal: interrupted\n";
    ssize_t ignored = 0;

    if (interrupts.say)
        interrupts.say(interrupts.context);
    else
        ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    _exit(128 + interrupts.signal);
}

static void handle(int number)
{
    if (!pthread_equal(pthread_self(), interrupts.main)) {
        pthread_kill(interrupts.main, number);
        return;
    }
    if (atomic_load(&interrupts.has_come)) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    interrupts.signal = number;
    atomic_store(&interrupts.has_come, true);
    if (interrupts.held == 0 && !interrupts.is_noticed)
        end();
}

static void catch_signals(int flags, bool is_needed)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = flags }, before;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 &&
            (is_needed || before.sa_handler != SIG_IGN))
            sigaction(signals[i], &action, NULL);
}

void interrupt_init(void)
{
    interrupts.main = pthread_self();
    catch_signals(SA_RESTART, false);
}

void interrupt_at_end(void (*say)(void *context), void *context)
{
    interrupt_hold();
    interrupts.say = say;
    interrupts.context = context;
    interrupt_release();
}

void interrupt_hold(void)
{
    interrupts.held++;
}

void interrupt_release(void)
{
    interrupts.held--;
    if (interrupts.held == 0 && atomic_load(&interrupts.has_come) && !interrupts.is_noticed)
        end();
}

const atomic_bool *interrupt_notice(bool is_needed)
{
    atomic_store(&interrupts.is_noticed, true);
    if (atomic_load(&interrupts.time_is_over))
        atomic_store(&interrupts.has_come, true);
    catch_signals(0, is_needed);
    return &interrupts.has_come;
}

void interrupt_by_time(void)
{
    atomic_store(&interrupts.time_is_over, true);
    if (atomic_load(&interrupts.is_noticed))
        atomic_store(&interrupts.has_come, true);
}

int interrupt_signal(void)
{
    return atomic_load(&interrupts.has_come) ? (int)interrupts.signal : 0;
}

const char *interrupt_name(void)
{
    return interrupt_signal() == SIGTERM ? "SIGTERM" : "SIGINT";
}
