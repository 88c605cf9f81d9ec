#include "smt/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

#define WATCH_MILLISECONDS 5

/* What both processes see; the result is behind it. */
struct apart_shared {
    atomic_bool is_done;
    enum status status;
    struct error error;
    alignas(16) char result[];
};

/* --- The process ------------------------------------------------------------------------------ */

/* Interrupts are for whoever waits for it, and will tell how it ended. */
static void leave_it_to_the_parent(void)
{
    const struct rlimit nothing = { 0, 0 };
    sigset_t interrupts;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, NULL);
    setrlimit(RLIMIT_CORE, &nothing);
}

static _Noreturn void be_apart(const struct apart *apart, struct apart_shared *shared, pid_t parent)
{
    uint64_t failures = memory_failures();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0); /* it was gone before */
    leave_it_to_the_parent();
    shared->status = apart->work(apart->context, shared->result, &shared->error);
    if (shared->status == STATUS_OK && memory_failures() != failures)
        shared->status = error_set(&shared->error, STATUS_OVER_LIMIT, "no memory for %s",
                                   apart->library);
    atomic_store(&shared->is_done, true);
    _exit(0);
}

/* --- Who waits for it ------------------------------------------------------------------------- */

/* The process has the other end of the pipe open, and nobody else, until it ends. */
static int await_end(struct apart *apart, pid_t process, int end)
{
    struct pollfd polled = { end, POLLIN, 0 };
    int how = 0;

    while (poll(&polled, 1, apart->stop ? WATCH_MILLISECONDS : -1) <= 0)
        if (apart->stop && atomic_load(apart->stop)) {
            apart->is_stopped = true;
            kill(process, SIGKILL);
            break;
        }
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        continue;
    return how;
}

static enum status take_result(const struct apart *apart, const struct apart_shared *shared, int how,
                               void *result, struct error *err)
{
    if (!atomic_load(&shared->is_done) && WIFSIGNALED(how))
        return error_set(err, STATUS_OVER_LIMIT,
                         "%s ended by signal %d: no memory, or a fault of its own", apart->library,
                         WTERMSIG(how));
    if (!atomic_load(&shared->is_done))
        return error_set(err, STATUS_OVER_LIMIT,
                         "%s ended with exit status %d: no memory, or a fault of its own",
                         apart->library, WEXITSTATUS(how));
    if (shared->status != STATUS_OK)
        *err = shared->error;
    else if (apart->size > 0)
        memcpy(result, shared->result, apart->size);
    return shared->status;
}

static enum status run(struct apart *apart, struct apart_shared *shared, void *result,
                       struct error *err)
{
    pid_t parent = getpid(), process;
    int ends[2], how;

    if (pipe(ends) != 0)
        return error_set(err, STATUS_IO, "cannot start a process for %s: %s", apart->library,
                         strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    process = fork();
    if (process == 0)
        be_apart(apart, shared, parent);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a process for %s", apart->library);
    }
    how = await_end(apart, process, ends[0]);
    close(ends[0]);
    if (!apart->is_stopped)
        return take_result(apart, shared, how, result, err);
    if (apart->size > 0)
        memcpy(result, shared->result, apart->size);
    return STATUS_OK;
}

enum status apart_run(struct apart *apart, void *result, struct error *err)
{
    size_t size = sizeof(struct apart_shared) + apart->size;
    struct apart_shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum status status;

    apart->is_stopped = false;
    if (shared == MAP_FAILED)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what %s answers", apart->library);
    status = run(apart, shared, result, err);
    munmap(shared, size);
    return status;
}
