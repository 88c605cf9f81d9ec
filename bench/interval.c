#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/interval_rows.h"

/*
 * The mirror on streams of a simulated database whose clients tell intervals. Each row is a
 * process of its own, so that its peak of memory is its own; a stream is made piece by piece, and
 * only what the mirror does is timed, in what the processor did, which a busy machine does not
 * stretch.
 */
#define STREAM(of, as, n)                                                                          \
    .profile = "postgresql/serializable", .workload = TRUTH_##of, .name = (as), .operations = (n)
#define MILLION UINT64_C(1000000)

static const struct stream_row rates[] = {
    { STREAM(BLINDW_RW, "blindw-rw", MILLION) },
    { STREAM(BLINDW_RW, "blindw-rw, 64 sessions", MILLION), .sessions = 64 },
    { STREAM(BLINDW_RW, "blindw-rw, 256 sessions", MILLION), .sessions = 256 },
    { STREAM(BLINDW_RW, "blindw-rw, 100,000 keys", MILLION), .keys = 100000 },
    { STREAM(BLINDW_W, "blindw-w", MILLION) },
    { STREAM(BLINDW_RW_PLUS, "blindw-rw+, ranges of 10 keys", MILLION) },
    { STREAM(MIXED, "reads to write, deletes, locks", MILLION) },
    { .profile = "postgresql/snapshot", .name = "blindw-rw, snapshot", .operations = MILLION,
      .workload = TRUTH_BLINDW_RW },
    { .profile = "postgresql/read-committed", .name = "blindw-rw, read-committed",
      .operations = MILLION, .workload = TRUTH_BLINDW_RW },
    { .profile = "innodb/serializable", .name = "blindw-rw, locks of reads",
      .operations = MILLION, .workload = TRUTH_BLINDW_RW },
};

/* Leopard's figures 3 and 12. */
static const struct stream_row overlaps[] = {
    { STREAM(BLINDW_W, "blindw-w, 8 sessions, 2000 keys", MILLION), .sessions = 8, .keys = 2000 },
    { STREAM(BLINDW_W, "blindw-w, 24 sessions, 2000 keys", MILLION), .sessions = 24, .keys = 2000 },
    { STREAM(BLINDW_RW, "blindw-rw, 8 sessions, 2000 keys", MILLION), .sessions = 8, .keys = 2000 },
    { STREAM(BLINDW_RW, "blindw-rw, 24 sessions, 2000 keys", MILLION),
      .sessions = 24, .keys = 2000 },
    { STREAM(BLINDW_RW, "blindw-rw, 64 sessions, 2000 keys", MILLION),
      .sessions = 64, .keys = 2000 },
    { STREAM(BLINDW_RW, "blindw-rw, 24 sessions, 100 keys", MILLION), .sessions = 24, .keys = 100 },
    { STREAM(MIXED, "mixed, 24 sessions, 2000 keys", MILLION), .sessions = 24, .keys = 2000 },
    { STREAM(MIXED, "mixed, 24 sessions, 100 values", MILLION),
      .sessions = 24, .keys = 2000, .values = 100 },
};

/* Leopard's figure 10, beside a search for cycles in the whole graph. */
static const struct stream_row growth[] = {
    { STREAM(BLINDW_RW, "2,000 transactions", 16000), .against_naive = true },
    { STREAM(BLINDW_RW, "4,000 transactions", 32000), .against_naive = true },
    { STREAM(BLINDW_RW, "8,000 transactions", 64000), .against_naive = true },
    { STREAM(BLINDW_RW, "16,000 transactions", 128000), .against_naive = true },
    { STREAM(BLINDW_RW, "32,000 transactions", 256000), .against_naive = true },
    { STREAM(BLINDW_RW, "8,000, 4 sessions", 64000), .sessions = 4, .against_naive = true },
    { STREAM(BLINDW_RW, "8,000, 32 sessions", 64000), .sessions = 32, .against_naive = true },
    { STREAM(BLINDW_RW, "8,000, 128 sessions", 64000), .sessions = 128, .against_naive = true },
    { STREAM(BLINDW_RW, "8,000, of 2 operations", 16000), .ops = 2, .against_naive = true },
    { STREAM(BLINDW_RW, "8,000, of 32 operations", 256000), .ops = 32, .against_naive = true },
};

static const struct stream_row lengths[] = {
    { STREAM(BLINDW_RW, "blindw-rw, 1M operations", MILLION) },
    { STREAM(BLINDW_RW, "blindw-rw, 10M operations", 10 * MILLION) },
};

static const struct stream_row large_lengths[] = {
    { STREAM(BLINDW_RW, "blindw-rw, 1M operations", MILLION) },
    { STREAM(BLINDW_RW, "blindw-rw, 10M operations", 10 * MILLION) },
    { STREAM(BLINDW_RW, "blindw-rw, 100M operations", 100 * MILLION) },
    { STREAM(BLINDW_RW_PLUS, "blindw-rw+, 100M operations", 100 * MILLION) },
    { STREAM(MIXED, "mixed, 100M operations", 100 * MILLION) },
};

/* --- Printing ---------------------------------------------------------------------------- */

static void print_share(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        printf(" %8s", "-");
    else
        printf(" %8.3f", 100 * (double)part / (double)whole);
}

static void print_dependencies(const struct stream_figures *f)
{
    for (int kind = 0; kind < DEPENDENCY_COUNT; kind++) {
        const struct dependency_counts *d = &f->counts.dependencies[kind];

        print_share(d->overlapping, d->all);
        print_share(d->deduced, d->overlapping);
    }
}

static void print_figures(const struct stream_row *row, const struct stream_figures *f)
{
    double ops = (double)f->counts.ops;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    printf(" %8.2f %7.0f %9zu %7ld", ops / f->seconds / 1e6, f->seconds / ops * 1e9, f->live_max,
           usage.ru_maxrss / 1024);
    print_dependencies(f);
    if (row->against_naive)
        printf(" %12.1f %12.1f %12.1f", f->seconds * 1e3, f->naive.once_seconds * 1e3,
               f->naive.often_seconds * 1e3);
    printf("%s\n", f->finding_count > 0 ? "   ACCUSED" : "");
}

static void print_row(const struct stream_row *row)
{
    struct stream_figures figures = { 0 };
    struct error err = { 0 };
    pid_t child;

    printf("  %-36s", row->name);
    fflush(stdout);
    child = fork();
    if (child > 0) {
        waitpid(child, NULL, 0);
        return;
    }
    if (child < 0 || stream_measure(row, &figures, &err) != STATUS_OK)
        printf(" not measured: %s\n", err.text);
    else
        print_figures(row, &figures);
    fflush(stdout);
    if (child == 0)
        _exit(0);
}

static void print_rows(const char *title, const struct stream_row *rows, size_t count)
{
    printf(" %s\n  %-36s %8s %7s %9s %7s %9s %9s", title, "", "M ops/s", "ns/op", "instants", "MB",
           "beta %", "deduced %");
    if (rows[0].against_naive)
        printf(" %12s %12s %12s", "mirror ms", "cycles ms", "online ms");
    printf("\n");
    for (size_t i = 0; i < count; i++)
        print_row(&rows[i]);
}

void bench_interval(void)
{
    print_rows("operations a second, of one core", rates, ROW_COUNT(rates));
    print_rows("how many dependencies overlap, and how many of these are deduced", overlaps,
               ROW_COUNT(overlaps));
    print_rows("against a search for cycles in the whole graph", growth, ROW_COUNT(growth));
    print_rows("memory", lengths, ROW_COUNT(lengths));
}

void bench_interval_large(void)
{
    print_rows("memory", large_lengths, ROW_COUNT(large_lengths));
}
