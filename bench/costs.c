/*
 * What one transaction more costs: memory and time, by reader and by checker. Each figure is of a
 * process that reads a file, and judges it where a checker is named; what the same process takes for a
 * file of one transaction is subtracted.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "checkers/checker.h"
#include "history/format.h"
#include "programs/generator/generate.h"

#define TXN_COUNT 200000

struct cost_row {
    const char *format, *workload;
    const char *checker; /* NULL: it is only read */
    enum level level;
    bool is_hidden; /* the store's own order */
    int64_t transactions; /* 0: TXN_COUNT */
};

static const struct cost_row rows[] = {
    { "jsonl", "rw-mix", NULL, 0, false, 0 },
    { "oh", "rw-mix", NULL, 0, false, 0 },
    { "plume", "rw-mix", NULL, 0, false, 0 },
    { "dbcop", "rw-mix", NULL, 0, false, 0 },
    { "jepsen-edn", "rw-mix", NULL, 0, false, 0 },
    { "jepsen-json", "rw-mix", NULL, 0, false, 0 },
    { "jsonl", "predicate-mix", NULL, 0, false, 0 },
    { "jsonl", "list-append", NULL, 0, false, 0 },
    { "jsonl", "rw-mix", "order", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "rw-mix", "certificate", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "rw-mix", "blackbox", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "rw-mix", "blackbox", LEVEL_SERIALIZABLE, true, 0 },
    { "jsonl", "rw-mix", "blackbox", LEVEL_SNAPSHOT, true, 0 },
    { "jsonl", "rw-mix", "weak", LEVEL_READ_COMMITTED, false, 0 },
    { "jsonl", "rw-mix", "weak", LEVEL_CAUSAL, false, 0 },
    { "jsonl", "rw-mix", "infer", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "list-append", "infer", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "rw-mix", "interval", LEVEL_SERIALIZABLE, false, 20000 },
    { "jsonl", "predicate-mix", "order", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "predicate-mix", "certificate", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "predicate-mix", "blackbox", LEVEL_SERIALIZABLE, false, 0 },
    { "jsonl", "predicate-mix", "interval", LEVEL_SERIALIZABLE, false, 20000 },
};

struct cost {
    double seconds;
    long kilobytes;
    uint64_t operations;
    enum verdict verdict;
};

struct work {
    const struct cost_row *row;
    const char *path;
    int64_t transactions;
};

static enum status make(const struct work *work, struct cost *cost, struct error *err)
{
    struct generate_options options =
        generate_defaults(workload_find(text_of(work->row->workload)));
    struct planted planted;
    struct history history;
    enum format format;
    enum status status;

    (void)cost;
    options.transactions = work->transactions;
    if (!format_of_text(text_of(work->row->format), &format))
        return error_set(err, STATUS_BAD_INPUT, "there is no format %s", work->row->format);
    TRY(generate(&options, &history, &planted, err));
    status = format_write_history(&history, format, work->path, NULL, err);
    history_close(&history);
    return status;
}

static enum status read_and_judge(const struct work *work, struct cost *cost, struct error *err)
{
    const struct cost_row *row = work->row;
    struct check_options options = { .level = row->level,
                                     .threads = 1,
                                     .version_order = { row->is_hidden ? 0 : 1, 1 } };
    double from = bench_cpu_seconds();
    struct history history;
    struct check check;

    TRY(format_read_history(work->path, FORMAT_ANY, NULL, &history, err));
    cost->operations = history.op_count;
    if (row->checker) {
        TRY(checker_run(checker_find(text_of(row->checker)), &history, &options, &check, err));
        cost->verdict = check.verdict;
    }
    cost->seconds = bench_cpu_seconds() - from;
    return STATUS_OK;
}

/* In a process of its own; false, and the reason is printed: it failed. */
static bool in_child(enum status (*does)(const struct work *, struct cost *, struct error *),
                     const struct work *work, struct cost *cost)
{
    struct rusage usage = { 0 };
    int ends[2];
    bool is_told;
    pid_t child;

    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct error err = { 0 };
        enum status status = does(work, cost, &err);

        if (status != STATUS_OK)
            printf(" not measured: %s", err.text);
        fflush(stdout);
        _exit(status != STATUS_OK || write(ends[1], cost, sizeof *cost) != (ssize_t)sizeof *cost);
    }
    close(ends[1]);
    is_told = child > 0 && read(ends[0], cost, sizeof *cost) == (ssize_t)sizeof *cost;
    close(ends[0]);
    if (child > 0)
        wait4(child, NULL, 0, &usage);
    cost->kilobytes = usage.ru_maxrss;
    return is_told;
}

static void print_row(const struct cost_row *row, const char *path)
{
    static const char *const words[] = { "", "   found INVALID", "   UNKNOWN" };
    int64_t count = row->transactions ? row->transactions : TXN_COUNT;
    struct work one = { row, path, 1 }, all = { row, path, count };
    struct cost least = { 0 }, most = { 0 }, unused;
    char what[100];

    snprintf(what, sizeof what, "%s%s%s, %s as %s", row->checker ? row->checker : "read",
             row->checker && row->level != LEVEL_SERIALIZABLE ? ", " : "",
             row->checker && row->level != LEVEL_SERIALIZABLE ? level_name(row->level) : "",
             row->workload, row->format);
    printf("  %-50s %-10s", what, row->is_hidden ? "no order" : "");
    if (in_child(make, &one, &unused) && in_child(read_and_judge, &one, &least) &&
        in_child(make, &all, &unused) && in_child(read_and_judge, &all, &most))
        printf(" %6.1f %10.0f %10.0f%s", (double)most.operations / (double)count,
               (double)(most.kilobytes - least.kilobytes) * 1024 / (double)count,
               (most.seconds - least.seconds) / (double)count * 1e9, words[most.verdict]);
    printf("\n");
}

void bench_costs(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    int file;

    snprintf(path, sizeof path, "%s/ordeal-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    file = mkstemp(path);
    if (file < 0) {
        printf("  not measured: cannot make %s\n", path);
        return;
    }
    close(file);
    printf("  %-50s %-10s %6s %10s %10s\n", "a transaction more", "", "ops", "bytes", "ns");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_row(&rows[i], path);
    unlink(path);
}
