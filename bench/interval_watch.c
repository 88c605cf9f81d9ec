/*
 * `ordeal watch` as it is called, on files of text: reading, parsing, putting streams in order and
 * judging, beside what the model alone takes for the same transactions. Each call is a process of
 * its own, so that its peak of memory is what watching takes: of a finished file, in which
 * somebody may still come who began early, as much waits as there is room for, and then no more.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/interval_rows.h"
#include "cli/command.h"
#include "history/io/sink.h"
#include "history/jsonl/jsonl_write.h"

#define PROFILE "postgresql/serializable"
#define STREAMS_MAX 16

struct watch_row {
    const char *name;
    enum truth_workload workload;
    uint64_t transactions;
    uint32_t sessions;
    uint32_t streams; /* sessions are dealt out to them */
};

static const struct watch_row rows[] = {
    { "blindw-rw, one stream", TRUTH_BLINDW_RW, 30000, 16, 1 },
    { "blindw-rw, one stream", TRUTH_BLINDW_RW, 120000, 16, 1 },
    { "blindw-rw, one stream", TRUTH_BLINDW_RW, 480000, 16, 1 },
    { "blindw-rw, one stream", TRUTH_BLINDW_RW, 960000, 16, 1 },
    { "blindw-rw, 4 streams", TRUTH_BLINDW_RW, 120000, 16, 4 },
    { "blindw-rw, 16 streams", TRUTH_BLINDW_RW, 120000, 16, 16 },
    { "blindw-rw, 64 sessions, 16 streams", TRUTH_BLINDW_RW, 120000, 64, 16 },
    { "blindw-rw+, one stream", TRUTH_BLINDW_RW_PLUS, 40000, 16, 1 },
    { "reads to write, 4 streams", TRUTH_MIXED, 120000, 16, 4 },
};

/* What is made for a row: files, and how much is in them. */
struct streams {
    char paths[STREAMS_MAX][PATH_MAX];
    uint32_t count;
    struct made {
        uint64_t bytes, ops;
    } made;
};

/* --- Files ------------------------------------------------------------------------------------ */

static struct text next_line(struct text *rest)
{
    const char *feed = memchr(rest->at, '\n', rest->length);
    struct text line = { rest->at, feed ? (size_t)(feed - rest->at) + 1 : rest->length };

    rest->at += line.length;
    rest->length -= line.length;
    return line;
}

static enum status deal_out(const struct history *h, struct text text, struct streams *s,
                            struct error *err)
{
    struct text header = next_line(&text);
    FILE *files[STREAMS_MAX] = { 0 };
    bool is_written = true;

    for (uint32_t i = 0; i < s->count; i++) {
        files[i] = fopen(s->paths[i], "w");
        is_written &= files[i] && fwrite(header.at, header.length, 1, files[i]) == 1;
    }
    for (uint32_t txn = 0; txn < h->txn_count && is_written; txn++) {
        struct text line = next_line(&text);

        is_written = fwrite(line.at, line.length, 1, files[h->txn_session[txn] % s->count]) == 1;
    }
    for (uint32_t i = 0; i < s->count; i++)
        is_written &= files[i] && fclose(files[i]) == 0;
    return is_written ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "the disk is full");
}

static enum status make(const struct watch_row *row, struct streams *s, struct error *err)
{
    struct truth_options options = truth_options(profile_find(TEXT(PROFILE)));
    struct buffer bytes = { 0 };
    struct history history;
    enum status status;
    struct sink sink;

    options.workload = row->workload;
    options.transactions = row->transactions;
    options.sessions = row->sessions;
    options.seed = 1;
    TRY(truth_history(&options, &history, err));
    sink_open_memory(&sink, &bytes);
    status = jsonl_write(&history, &sink, NULL, err);
    sink_close(&sink);
    if (status == STATUS_OK)
        status = deal_out(&history, (struct text){ bytes.at, bytes.count }, s, err);
    s->made.bytes = bytes.count;
    s->made.ops = history.op_count;
    buffer_close(&bytes);
    history_close(&history);
    return status;
}

/* --- Watching ---------------------------------------------------------------------------------- */

static void watch(struct streams *s)
{
    char words[][40] = { "ordeal", "watch", "--profile", PROFILE, "--json" };
    char *argv[sizeof words / sizeof *words + STREAMS_MAX + 1] = { 0 };
    int count = 0;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        argv[count++] = words[i];
    for (uint32_t i = 0; i < s->count; i++)
        argv[count++] = s->paths[i];
    if (!freopen("/dev/null", "w", stdout))
        _exit(EXIT_WRONG);
    _exit(command_main(count, argv, "bench"));
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void print(const struct watch_row *row, struct streams *s)
{
    struct stream_row alone = { .profile = PROFILE,
                                .workload = row->workload,
                                .transactions = row->transactions,
                                .sessions = row->sessions };
    struct stream_figures model = { 0 };
    struct error err = { 0 };
    struct rusage usage;
    double seconds;
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        watch(s);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != EXIT_VALID || stream_measure(&alone, &model, &err) != STATUS_OK) {
        printf(" not measured, or not valid\n");
        return;
    }
    seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    printf(" %8.2f %8.1f %8.2f %9.1f %7ld %12.2f\n", (double)s->made.ops / 1e6,
           (double)s->made.bytes / 1e6, (double)s->made.ops / seconds / 1e6,
           (double)s->made.bytes / seconds / 1e6, usage.ru_maxrss / 1024,
           (double)model.ops / model.seconds / 1e6);
}

/* What made the files must not count as memory of what reads them: a process for either. */
static bool make_apart(const struct watch_row *row, struct streams *s)
{
    int ends[2];
    bool is_made;
    pid_t child;

    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct error err = { 0 };

        is_made = make(row, s, &err) == STATUS_OK &&
                  write(ends[1], &s->made, sizeof s->made) == (ssize_t)sizeof s->made;
        _exit(!is_made);
    }
    close(ends[1]);
    is_made = child > 0 && read(ends[0], &s->made, sizeof s->made) == (ssize_t)sizeof s->made;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return is_made;
}

static void measure(const void *context)
{
    const struct watch_row *row = context;
    const char *folder = getenv("TMPDIR");
    struct streams streams = { .count = row->streams };

    for (uint32_t i = 0; i < streams.count; i++) {
        int file;

        snprintf(streams.paths[i], PATH_MAX, "%s/ordeal-bench-XXXXXX",
                 folder && *folder ? folder : "/tmp");
        file = mkstemp(streams.paths[i]);
        if (file >= 0)
            close(file);
    }
    if (make_apart(row, &streams))
        print(row, &streams);
    else
        printf(" not made\n");
    for (uint32_t i = 0; i < streams.count; i++)
        unlink(streams.paths[i]);
}

void bench_interval_watch(void)
{
    printf(" ordeal watch, of text in files, in what the processor did for all of it\n"
           "  %-40s %8s %8s %8s %9s %7s %12s\n",
           "", "M ops", "MB text", "M ops/s", "MB/s", "MB", "mirror alone");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("  %-40s", rows[i].name);
        bench_in_child(measure, &rows[i]);
    }
}
