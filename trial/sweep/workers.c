#include "trial/sweep/workers.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/wall_clock.h"

/* How `ordeal` ends when the machine fails it, and when it could not judge. */
#define EXIT_OF_MACHINE 2
#define EXIT_NOT_JUDGED 3

/* Before a job and an answer: how long it is, and of an answer what it is. */
struct worker_frame {
    uint64_t length;
    uint32_t end; /* enum work_end */
    uint32_t lacks_a_part; /* of an answer: memory ran out on the way, as it says */
};

/* --- In a worker ------------------------------------------------------------------------------ */

static bool read_all(int socket, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        ssize_t got = read(socket, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* A socket whose other end is gone is no reason to be killed. */
static bool send_all(int socket, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool send_frame(int socket, const void *bytes, struct worker_frame frame)
{
    return send_all(socket, &frame, sizeof frame) && send_all(socket, bytes, frame.length);
}

static bool do_job(const struct workers_options *options, int socket, struct text job)
{
    struct buffer answer = { 0 };
    struct error err = { 0 };
    uint64_t failures = memory_failures(), told = memory_told();
    enum status status = options->work(options->context, job, &answer, &err);
    bool sent;

    if (memory_confirm(failures, status, &err) == STATUS_OK)
        sent = send_frame(socket, answer.at,
                          (struct worker_frame){ answer.count, WORK_DONE, memory_told() != told });
    else
        sent = send_frame(socket, &err, (struct worker_frame){ sizeof err, WORK_REFUSED, false });
    buffer_close(&answer);
    return sent;
}

static unsigned worker_count(const struct workers *workers)
{
    return workers->options.count > 0 ? workers->options.count : 1;
}

/* Never returns: what the parent would do at its own end is none of our business. */
static void be_worker(const struct workers_options *options, int socket)
{
    struct worker_frame frame;
    struct buffer job = { 0 };

    while (read_all(socket, &frame, sizeof frame)) {
        char *at;
        buffer_clear(&job);
        at = buffer_reserve(&job, frame.length + 1);
        if (!at)
            _exit(EXIT_OF_MACHINE);
        if (!read_all(socket, at, frame.length))
            break;
        at[frame.length] = '\0'; /* for those who read it as a string */
        if (!do_job(options, socket, (struct text){ at, frame.length }))
            break;
    }
    _exit(0);
}

/* --- Workers come and go ---------------------------------------------------------------------- */

void workers_end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0); /* it was gone before */
}

/*
 * What belongs to the other workers must not be held open here: they would never see its end. An
 * interrupt at the terminal reaches all processes: it is the parent's to end us.
 */
static void become_worker(const struct workers *workers, const struct worker *self, int socket)
{
    sigset_t interrupts;
    struct error err = { 0 };

    for (unsigned i = 0; i < WORKERS_MAX; i++) {
        const struct worker *other = &workers->list[i];
        if (other != self && other->pid > 0) {
            close(other->socket);
            close(fileno(other->words));
        }
    }
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, NULL);
    dup2(fileno(self->words), STDERR_FILENO);
    if (memory_limit_divide(worker_count(workers), &err) != STATUS_OK)
        _exit(EXIT_OF_MACHINE);
    be_worker(&workers->options, socket);
}

static enum status refuse_worker(struct worker *worker, struct error *err)
{
    if (worker->words)
        fclose(worker->words);
    *worker = (struct worker){ 0 };
    return error_set(err, STATUS_IO, "cannot start a worker: %s", strerror(errno));
}

static enum status start_worker(struct workers *workers, struct worker *worker, struct error *err)
{
    pid_t parent = getpid();
    int ends[2];

    worker->done = 0;
    worker->words = tmpfile();
    if (!worker->words || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return refuse_worker(worker, err);
    /* What we were about to print is ours to print. */
    fflush(stdout);
    fflush(stderr);
    worker->pid = fork();
    if (worker->pid == 0) {
        workers_end_with(parent);
        close(ends[0]);
        become_worker(workers, worker, ends[1]);
    }
    close(ends[1]);
    if (worker->pid < 0) {
        close(ends[0]);
        return refuse_worker(worker, err);
    }
    worker->socket = ends[0];
    fcntl(worker->socket, F_SETFD, FD_CLOEXEC);
    fcntl(fileno(worker->words), F_SETFD, FD_CLOEXEC);
    return STATUS_OK;
}

/* How it ended, as waitpid() has it. */
static int end_worker(struct worker *worker)
{
    int how = 0;

    close(worker->socket);
    while (waitpid(worker->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    fclose(worker->words);
    buffer_close(&worker->in);
    free(worker->job.text);
    *worker = (struct worker){ 0 };
    return how;
}

/* --- Jobs out --------------------------------------------------------------------------------- */

static unsigned count_busy(const struct workers *workers)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < worker_count(workers); i++)
        busy += workers->list[i].is_busy;
    return busy;
}

static size_t queue_length(const struct workers *workers)
{
    return workers->queue.count - workers->queue_head;
}

static struct worker *idle_worker(struct workers *workers)
{
    for (unsigned i = 0; i < worker_count(workers); i++)
        if (!workers->list[i].is_busy)
            return &workers->list[i];
    return NULL;
}

/* A worker that is gone before it has its job will be found dead with it. */
static enum status give_job(struct workers *workers, struct worker *worker, struct error *err)
{
    unsigned jobs_max = workers->options.jobs_max;
    struct worker_job *job;

    if (worker->pid > 0 && jobs_max > 0 && worker->done >= jobs_max)
        end_worker(worker);
    if (worker->pid == 0)
        TRY(start_worker(workers, worker, err));
    job = &worker->job;
    *job = workers->queue.at[workers->queue_head++];
    worker->is_busy = true;
    worker->began_ns = wall_clock_ns();
    (void)send_frame(worker->socket, job->text,
                     (struct worker_frame){ job->length, WORK_DONE, false });
    if (workers->queue_head == workers->queue.count)
        workers->queue.count = workers->queue_head = 0;
    return STATUS_OK;
}

static enum status give_jobs(struct workers *workers, struct error *err)
{
    struct worker *worker;

    while (queue_length(workers) > 0 && (worker = idle_worker(workers)) != NULL)
        TRY(give_job(workers, worker, err));
    return STATUS_OK;
}

enum status workers_submit(struct workers *workers, struct text job, struct error *err)
{
    struct worker_job waiting = { workers->submitted, malloc(job.length + 1), job.length, 0, 0 };

    if (!waiting.text)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a job");
    memcpy(waiting.text, job.at, job.length);
    if (array_push(&workers->queue, waiting, err) != STATUS_OK) {
        free(waiting.text);
        return err->status;
    }
    workers->submitted++;
    return give_jobs(workers, err);
}

bool workers_want_jobs(const struct workers *workers)
{
    return count_busy(workers) + queue_length(workers) < worker_count(workers);
}

uint64_t workers_pending(const struct workers *workers)
{
    return count_busy(workers) + queue_length(workers) + workers->done.count;
}

/* --- Answers in ------------------------------------------------------------------------------- */

static void free_work(struct work *work)
{
    if (work)
        buffer_close(&work->answer);
    free(work);
}

/* The worker has no job any more, and its job an answer. */
static enum status finish(struct workers *workers, struct worker *worker, struct work **work,
                          struct error *err)
{
    *work = calloc(1, sizeof **work);
    if (!*work)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an answer");
    if (array_push(&workers->done, *work, err) != STATUS_OK) {
        free(*work);
        return err->status;
    }
    (*work)->number = worker->job.number;
    free(worker->job.text);
    worker->job = (struct worker_job){ 0 };
    worker->is_busy = false;
    worker->done++;
    return STATUS_OK;
}

/* The worker's job is the next to be handed out. */
static enum status put_back(struct workers *workers, struct worker *worker, struct error *err)
{
    if (workers->queue_head == 0) {
        TRY(array_push(&workers->queue, worker->job, err));
        memmove(workers->queue.at + 1, workers->queue.at,
                (workers->queue.count - 1) * sizeof *workers->queue.at);
        workers->queue_head++;
    }
    workers->queue.at[--workers->queue_head] = worker->job;
    worker->job = (struct worker_job){ 0 };
    worker->is_busy = false;
    workers->tried_again++;
    return STATUS_OK;
}

static void read_last_words(FILE *words, char *text, size_t size)
{
    rewind(words);
    if (!fgets(text, (int)size, words))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

void workers_print_signal(int signal, struct buffer *out)
{
    static const struct {
        int signal;
        const char *name;
    } names[] = {
        { SIGABRT, "SIGABRT" }, { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },
        { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGKILL, "SIGKILL" },
        { SIGTRAP, "SIGTRAP" }, { SIGSYS, "SIGSYS" },   { SIGTERM, "SIGTERM" },
        { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].signal == signal) {
            buffer_text(out, text_of(names[i].name));
            return;
        }
    buffer_print(out, "signal %d", signal);
}

/* Other signals come from outside, as the kernel's when memory runs out. */
bool workers_is_crash(int signal, int exit_status)
{
    static const int crashes[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };

    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (signal == crashes[i])
            return true;
    return signal == 0 && exit_status != EXIT_OF_MACHINE && exit_status != EXIT_NOT_JUDGED;
}

/* Of a worker that ended without an answer. */
static enum status describe_end(const struct work *end, struct error *why, struct error *err)
{
    struct buffer text = { 0 };
    enum status status;

    if (end->signal) {
        buffer_text(&text, TEXT("its process was killed by "));
        workers_print_signal(end->signal, &text);
    } else {
        buffer_print(&text, "its process ended with exit status %d", end->exit_status);
    }
    if (end->last_words[0] != '\0')
        buffer_print(&text, ": %s", end->last_words);
    buffer_byte(&text, '\0');
    status = buffer_status(&text, err);
    why->status = STATUS_IO;
    if (status == STATUS_OK)
        snprintf(why->text, sizeof why->text, "%s", text.at);
    buffer_close(&text);
    return status;
}

/* A try without an answer, for the reason in end->error. It is made again, or that is the answer. */
static enum status give_up_try(struct workers *workers, struct worker *worker,
                               struct work *end, struct error *err)
{
    struct worker_job *job = &worker->job;
    struct work *work = NULL;
    unsigned tries;
    bool crashes;

    job->crashes += end->end == WORK_DIED;
    tries = ++job->tries;
    crashes = job->crashes > 1;
    if (!crashes && tries < WORK_TRIES_MAX &&
        (end->signal || end->exit_status != EXIT_NOT_JUDGED))
        return put_back(workers, worker, err);
    TRY(finish(workers, worker, &work, err));
    end->number = work->number;
    end->end = crashes ? WORK_DIED : WORK_NOT_JUDGED;
    *work = *end;
    if (tries > 1)
        snprintf(work->error.text, sizeof work->error.text, "%.400s; tried %u times",
                 end->error.text, tries);
    return STATUS_OK;
}

/* The worker is gone. */
static enum status bury(struct workers *workers, struct worker *worker, struct error *err)
{
    struct work end = { 0 };
    struct worker gone = *worker;
    enum status status;
    int how;

    if (!worker->is_busy) {
        end_worker(worker);
        return STATUS_OK;
    }
    read_last_words(worker->words, end.last_words, sizeof end.last_words);
    worker->job = (struct worker_job){ 0 };
    how = end_worker(worker);
    end.signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    end.exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
    end.end = workers_is_crash(end.signal, end.exit_status) ? WORK_DIED : WORK_NOT_JUDGED;
    worker->job = gone.job;
    status = describe_end(&end, &end.error, err);
    if (status == STATUS_OK)
        status = give_up_try(workers, worker, &end, err);
    return status;
}

/* Too little memory, or another refusal of the machine: a fresh process may have better luck. */
static enum status take_refusal(struct workers *workers, struct worker *worker,
                                const struct error *why, struct error *err)
{
    struct work end = { .end = WORK_NOT_JUDGED, .error = *why };
    struct work *work;
    struct worker_job job = worker->job;

    if (why->status == STATUS_BAD_INPUT) {
        TRY(finish(workers, worker, &work, err));
        work->end = WORK_REFUSED;
        work->error = *why;
        buffer_clear(&worker->in);
        return STATUS_OK;
    }
    worker->job = (struct worker_job){ 0 };
    end_worker(worker);
    worker->job = job;
    return give_up_try(workers, worker, &end, err);
}

/* The answer, once all of it is here. */
static enum status take_answer(struct workers *workers, struct worker *worker, struct error *err)
{
    struct worker_frame frame;
    struct work *work;
    struct error why = { 0 };
    const char *bytes;

    if (worker->in.count < sizeof frame)
        return STATUS_OK;
    memcpy(&frame, worker->in.at, sizeof frame);
    bytes = worker->in.at + sizeof frame;
    if (worker->in.count - sizeof frame < frame.length)
        return STATUS_OK;
    assert(worker->is_busy);
    if (frame.end == WORK_REFUSED) {
        assert(frame.length == sizeof why);
        memcpy(&why, bytes, sizeof why);
        return take_refusal(workers, worker, &why, err);
    }
    if (frame.lacks_a_part &&
        (workers->options.wants_all || worker->job.tries + 1 < WORK_TRIES_MAX)) {
        why.status = error_set(&why, STATUS_OVER_LIMIT, "out of memory");
        return take_refusal(workers, worker, &why, err);
    }
    TRY(finish(workers, worker, &work, err));
    buffer_text(&work->answer, (struct text){ bytes, frame.length });
    TRY(buffer_status(&work->answer, err));
    buffer_clear(&worker->in);
    return STATUS_OK;
}

static enum status hear(struct workers *workers, struct worker *worker, struct error *err)
{
    const size_t piece = 65536;
    char *to = buffer_reserve(&worker->in, piece);
    ssize_t got;

    if (!to)
        return buffer_status(&worker->in, err);
    got = read(worker->socket, to, piece);
    if (got < 0 && errno == EINTR)
        return STATUS_OK;
    if (got <= 0)
        return bury(workers, worker, err);
    worker->in.count += (size_t)got;
    return take_answer(workers, worker, err);
}

/* --- Time ------------------------------------------------------------------------------------- */

/* When the worker's try is to be ended, and why then; INT64_MAX: never. */
static int64_t end_of_try(const struct workers *workers, const struct worker *worker,
                          const char **why)
{
    const struct workers_options *options = &workers->options;
    int64_t end_ns = INT64_MAX;

    if (options->job_ns > 0) {
        end_ns = worker->began_ns + options->job_ns;
        *why = options->job_late;
    }
    if (options->until_ns > 0 && options->until_ns < end_ns) {
        end_ns = options->until_ns;
        *why = options->until_late;
    }
    return end_ns;
}

/* Not longer than until the first try is to be ended. */
static int shorten_wait(const struct workers *workers, int timeout_ms)
{
    int64_t now_ns = wall_clock_ns();
    const char *why;

    for (unsigned i = 0; i < worker_count(workers); i++) {
        const struct worker *worker = &workers->list[i];
        int64_t end_ns = worker->is_busy ? end_of_try(workers, worker, &why) : INT64_MAX;
        int64_t left_ms = end_ns > now_ns ? (end_ns - now_ns) / 1000000 + 1 : 0;

        if (end_ns < INT64_MAX && left_ms < INT32_MAX && (timeout_ms < 0 || left_ms < timeout_ms))
            timeout_ms = (int)left_ms;
    }
    return timeout_ms;
}

static enum status end_try(struct workers *workers, struct worker *worker, const char *why,
                           struct error *err)
{
    struct worker_job job = worker->job;
    struct work *work;

    kill(worker->pid, SIGKILL);
    worker->job = (struct worker_job){ 0 };
    end_worker(worker);
    worker->job = job;
    TRY(finish(workers, worker, &work, err));
    work->end = WORK_NOT_JUDGED;
    work->error.status = STATUS_TOO_LONG;
    snprintf(work->error.text, sizeof work->error.text, "%s", why);
    return STATUS_OK;
}

static enum status end_late_tries(struct workers *workers, struct error *err)
{
    int64_t now_ns = wall_clock_ns();

    for (unsigned i = 0; i < worker_count(workers); i++) {
        struct worker *worker = &workers->list[i];
        const char *why = NULL;

        if (worker->is_busy && end_of_try(workers, worker, &why) <= now_ns)
            TRY(end_try(workers, worker, why, err));
    }
    return STATUS_OK;
}

/* Whatever has come within the time. */
static enum status hear_all(struct workers *workers, int timeout_ms, struct error *err)
{
    struct pollfd polled[WORKERS_MAX];
    struct worker *of[WORKERS_MAX];
    nfds_t count = 0;

    for (unsigned i = 0; i < worker_count(workers); i++)
        if (workers->list[i].is_busy) {
            polled[count] = (struct pollfd){ workers->list[i].socket, POLLIN, 0 };
            of[count++] = &workers->list[i];
        }
    if (count == 0)
        return STATUS_OK;
    if (poll(polled, count, shorten_wait(workers, timeout_ms)) < 0 && errno != EINTR)
        return error_set(err, STATUS_IO, "cannot wait for workers: %s", strerror(errno));
    for (nfds_t i = 0; i < count; i++)
        if (polled[i].revents)
            TRY(hear(workers, of[i], err));
    TRY(end_late_tries(workers, err));
    return give_jobs(workers, err);
}

/* The first that was done or, in order, the one whose turn it is. */
static struct work *hand_out(struct workers *workers)
{
    for (size_t i = 0; i < workers->done.count; i++) {
        struct work *work = workers->done.at[i];
        if (workers->options.in_order && work->number != workers->handed_out)
            continue;
        workers->done.count--;
        memmove(&workers->done.at[i], &workers->done.at[i + 1],
                (workers->done.count - i) * sizeof *workers->done.at);
        workers->handed_out++;
        return work;
    }
    return NULL;
}

enum status workers_next(struct workers *workers, int timeout_ms, const struct work **work,
                         struct error *err)
{
    int64_t until_ns = wall_clock_ns() + (int64_t)timeout_ms * 1000000;

    free_work(workers->last);
    workers->last = hand_out(workers);
    while (!workers->last && count_busy(workers) > 0) {
        int64_t left_ns = until_ns - wall_clock_ns();
        if (timeout_ms >= 0 && left_ns < 0)
            left_ns = 0;
        TRY(hear_all(workers, timeout_ms < 0 ? -1 : (int)((left_ns + 999999) / 1000000), err));
        workers->last = hand_out(workers);
        if (timeout_ms >= 0 && left_ns == 0)
            break;
    }
    *work = workers->last;
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

enum status workers_open(struct workers *workers, const struct workers_options *options,
                         struct error *err)
{
    *workers = (struct workers){ .options = *options };
    if (options->count > WORKERS_MAX) {
        workers->options.count = WORKERS_MAX;
        return error_set(err, STATUS_BAD_INPUT, "at most %d workers", WORKERS_MAX);
    }
    return STATUS_OK;
}

void workers_cancel(struct workers *workers)
{
    for (unsigned i = 0; i < worker_count(workers); i++)
        if (workers->list[i].is_busy) {
            kill(workers->list[i].pid, SIGKILL);
            end_worker(&workers->list[i]);
        }
    for (size_t i = workers->queue_head; i < workers->queue.count; i++)
        free(workers->queue.at[i].text);
    workers->queue.count = workers->queue_head = 0;
    for (size_t i = 0; i < workers->done.count; i++)
        free_work(workers->done.at[i]);
    workers->done.count = 0;
    workers->handed_out = workers->submitted;
}

void workers_close(struct workers *workers)
{
    workers_cancel(workers);
    for (unsigned i = 0; i < worker_count(workers); i++)
        if (workers->list[i].pid > 0)
            end_worker(&workers->list[i]);
    free_work(workers->last);
    array_close(&workers->queue);
    array_close(&workers->done);
    *workers = (struct workers){ 0 };
}
