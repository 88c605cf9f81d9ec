#include "bench/table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timeout.h"
#include "bench/bench.h"
#include "checkers/checker.h"
#include "history/format.h"
#include "programs/generator/generate.h"

/* The papers' own patience with a check. */
#define PATIENCE_NS INT64_C(300000000000)
/* Rounds that take longer than this together are enough. */
#define ENOUGH_SECONDS 20.0

/* What the process that measures tells the one that prints. */
struct figures {
    bool is_measured;
    enum verdict verdict;
    int rounds; /* that were made */
    double read_seconds, check_seconds[BENCH_ROUNDS];
    double cpu_seconds; /* of the round that took the least: what a busy machine does not stretch */
    char error[400];
};

/* --- In a process of its own --------------------------------------------------- */

static enum status write_history(const struct bench_row *row, const struct history *history,
                                 const char *path, struct error *err)
{
    struct history disguised;
    enum status status;

    enum format format = row->is_large ? FORMAT_OH : FORMAT_JSONL;

    if (!row->disguise)
        return format_write_history(history, format, path, NULL, err);
    TRY(anonymize_history(history, row->disguise, &disguised, err));
    status = format_write_history(&disguised, format, path, NULL, err);
    history_close(&disguised);
    return status;
}

static enum status make_history(const struct bench_row *row, const char *path, struct error *err)
{
    struct generate_options options = generate_defaults(workload_find(text_of(row->workload)));
    struct history history, timeless;
    struct planted planted;
    enum status status;

    options.transactions = row->transactions;
    options.level = row->level;
    if (row->keys > 0)
        options.keys = row->keys;
    if (row->sessions > 0)
        options.sessions = row->sessions;
    if (row->operations > 0)
        options.operations = row->operations;
    if (row->predicates_percent > 0)
        options.predicates_percent = row->predicates_percent;
    if (row->plant && !anomaly_of_text(text_of(row->plant), &options.plant))
        return error_set(err, STATUS_BAD_INPUT, "there is no anomaly %s", row->plant);
    TRY(generate(&options, &history, &planted, err));
    /* Those of the papers have no times of operations, which would be half of all bytes. */
    timeless = history;
    timeless.op_invoked = timeless.op_completed = NULL;
    status = write_history(row, &timeless, path, err);
    history_close(&history);
    return status;
}

static bool only_reads(const struct history *h, size_t txn)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]))
            return false;
    return true;
}

/* Columns of which a twisted history has its own. */
struct twist {
    uint8_t *ts_parts, *snapshot_parts;
    int64_t *snapshot;
};

static void untwist(struct twist *twist)
{
    free(twist->ts_parts);
    free(twist->snapshot_parts);
    free(twist->snapshot);
}

/* The same history, seen through columns that say the same in other words. */
static enum status twist_history(const struct history *h, struct twist *twist,
                                 struct history *twisted, struct error *err)
{
    size_t txn = 0;

    *twisted = *h;
    while (txn < h->txn_count && !only_reads(h, txn))
        txn++;
    if (txn == h->txn_count || !h->txn_ts || h->txn_ts_parts)
        return error_set(err, STATUS_BAD_INPUT, "this history cannot be twisted");
    TRY(memory_resize((void **)&twist->ts_parts, h->txn_count, 1, err));
    TRY(memory_resize((void **)&twist->snapshot_parts, h->txn_count, 1, err));
    TRY(memory_resize((void **)&twist->snapshot, h->txn_count, sizeof *twist->snapshot, err));
    memset(twist->ts_parts, 1, h->txn_count);
    memset(twist->snapshot_parts, 1, h->txn_count);
    twist->ts_parts[txn] = 0;
    for (size_t t = 0; t < h->txn_count; t++)
        twist->snapshot[t] = h->txn_ts[t] - 1;
    twisted->txn_ts_parts = twist->ts_parts;
    twisted->txn_snapshot_parts = twist->snapshot_parts;
    twisted->txn_snapshot = twist->snapshot;
    return STATUS_OK;
}

static enum status check_once(const struct bench_row *row, const struct history *history,
                              struct figures *figures, struct error *err)
{
    const struct checker *checker = checker_find(text_of(row->checker));
    struct check_options options = { .level = row->level,
                                     .threads = row->threads,
                                     .version_order = row->version_order };
    struct timeout timeout;
    struct check check;
    enum status status;
    double from, cpu;

    if (!checker)
        return error_set(err, STATUS_BAD_INPUT, "there is no checker %s", row->checker);
    TRY(timeout_begin(&timeout, PATIENCE_NS, err));
    options.stop = timeout_stop(&timeout);
    from = bench_seconds();
    cpu = bench_cpu_seconds();
    status = checker_run(checker, history, &options, &check, err);
    cpu = bench_cpu_seconds() - cpu;
    figures->check_seconds[figures->rounds++] = bench_seconds() - from;
    if (figures->rounds == 1 || cpu < figures->cpu_seconds)
        figures->cpu_seconds = cpu;
    figures->verdict = check.verdict;
    check_close(&check);
    timeout_end(&timeout);
    return status;
}

static enum status check_rounds(const struct bench_row *row, const struct history *history,
                                struct figures *figures, struct error *err)
{
    double from = bench_seconds();

    do
        TRY(check_once(row, history, figures, err));
    while (figures->rounds < BENCH_ROUNDS && bench_seconds() - from < ENOUGH_SECONDS);
    figures->is_measured = true;
    return STATUS_OK;
}

static enum status measure(const struct bench_row *row, const char *path, struct figures *figures,
                           struct error *err)
{
    struct history history, twisted;
    struct twist twist = { 0 };
    double from = bench_seconds();
    enum status status;

    TRY(format_read_history(path, FORMAT_ANY, NULL, &history, err));
    figures->read_seconds = bench_seconds() - from;
    if (row->twist == BENCH_WITHOUT_A_PLACE) {
        status = twist_history(&history, &twist, &twisted, err);
        if (status == STATUS_OK)
            status = check_rounds(row, &twisted, figures, err);
        untwist(&twist);
    } else {
        status = check_rounds(row, &history, figures, err);
    }
    history_close(&history);
    return status;
}

/* --- Two processes -------------------------------------------------------------- */

static void work_in_child(const struct bench_row *row, const char *path, bool is_made, int told)
{
    struct figures figures = { 0 };
    struct error err = { 0 };
    enum status status =
        is_made ? measure(row, path, &figures, &err) : make_history(row, path, &err);

    if (status != STATUS_OK)
        snprintf(figures.error, sizeof figures.error, "%s", err.text);
    if (write(told, &figures, sizeof figures) != (ssize_t)sizeof figures)
        _exit(1);
    _exit(status != STATUS_OK);
}

/* False: it did not even say what was wrong. */
static bool in_child(const struct bench_row *row, const char *path, bool is_made,
                     struct figures *figures, long *peak_kilobytes)
{
    struct rusage usage = { 0 };
    int ends[2];
    bool is_told;
    pid_t child;

    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    child = fork();
    if (child == 0)
        work_in_child(row, path, is_made, ends[1]);
    close(ends[1]);
    is_told = child > 0 && read(ends[0], figures, sizeof *figures) == (ssize_t)sizeof *figures;
    close(ends[0]);
    if (child > 0)
        wait4(child, NULL, 0, &usage);
    *peak_kilobytes = usage.ru_maxrss;
    return is_told;
}

/* --- The table ------------------------------------------------------------------- */

static const char *print_seconds(char text[20], double seconds)
{
    if (seconds >= 1)
        snprintf(text, 20, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, 20, "%.2f ms", seconds * 1e3);
    else
        snprintf(text, 20, "%.0f us", seconds * 1e6);
    return text;
}

static void print_paper(const struct bench_row *row, double best)
{
    char text[20];

    if (row->paper_seconds > 0)
        printf(" %s%9s %s%5.0f", row->paper_gave_up ? ">" : " ",
               print_seconds(text, row->paper_seconds), row->paper_gave_up ? ">" : " ",
               row->paper_seconds / best);
    else
        printf(" %10s %6s", "-", "-");
}

static void print_figures(const struct bench_row *row, const struct figures *figures,
                          long peak_kilobytes)
{
    static const char *const words[] = { "", "   found INVALID", "   UNKNOWN" };
    double best = figures->check_seconds[0], worst = best;
    char text[20];

    for (int i = 1; i < figures->rounds; i++) {
        best = figures->check_seconds[i] < best ? figures->check_seconds[i] : best;
        worst = figures->check_seconds[i] > worst ? figures->check_seconds[i] : worst;
    }
    print_paper(row, best);
    printf(" %10s %+5.0f %%", print_seconds(text, best), (worst / best - 1) * 100);
    printf(" %10s %8.0f", print_seconds(text, figures->cpu_seconds),
           figures->cpu_seconds / (double)row->transactions * 1e9);
    printf(" %10s %7ld MB%s\n", print_seconds(text, figures->read_seconds), peak_kilobytes / 1024,
           words[figures->verdict]);
}

static void print_row(const struct bench_row *row, const char *path)
{
    struct figures figures = { 0 };
    long peak_kilobytes = 0;
    char work[100];

    snprintf(work, sizeof work, "%s, %s", row->checker, row->work);
    printf("  %-50s", work);
    fflush(stdout);
    if (!in_child(row, path, false, &figures, &peak_kilobytes) || figures.error[0] != '\0')
        printf(" not made: %s\n", figures.error);
    else if (!in_child(row, path, true, &figures, &peak_kilobytes) || !figures.is_measured)
        printf(" not measured: %s\n", figures.error);
    else
        print_figures(row, &figures, peak_kilobytes);
}

void bench_table(const char *whose, const struct bench_row *rows, size_t count)
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
    printf("  the paper's figures: %s; ours: the best of at most %d rounds\n", whose, BENCH_ROUNDS);
    printf("  %-50s %10s %6s %10s %7s %10s %8s %10s %10s\n", "work", "paper", "ratio", "check",
           "spread", "cpu", "ns/txn", "read", "peak");
    for (size_t i = 0; i < count; i++)
        print_row(&rows[i], path);
    unlink(path);
}
