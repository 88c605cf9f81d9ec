#include "bench/bench.h"

#include <stdio.h>

#include "bench/interval_rows.h"

/*
 * The model on streams of a simulated database whose clients tell intervals. Each row is a
 * process of its own, so that its peak of memory is its own; a stream is made piece by piece, and
 * only what the model does is timed, in what the processor did, which a busy machine does not
 * stretch. The peak is that of the simulated database and of the model together.
 */
#define STREAM(of, as) .profile = "postgresql/serializable", .workload = TRUTH_##of, .name = (as)
#define MILLION UINT64_C(1000000)

/* By postgresql/serializable, where nothing else is said. */
static const struct stream_row rates[] = {
    { STREAM(BLINDW_RW, "blindw-rw"), .operations = 4 * MILLION },
    { STREAM(BLINDW_RW, "blindw-rw, 64 sessions"), .operations = 4 * MILLION, .sessions = 64 },
    { STREAM(BLINDW_RW, "blindw-rw, 256 sessions"), .operations = 4 * MILLION, .sessions = 256 },
    { STREAM(BLINDW_RW, "blindw-rw, 10,000 keys"), .operations = 4 * MILLION, .keys = 10000 },
    { STREAM(BLINDW_RW, "blindw-rw, 100,000 keys"), .operations = 4 * MILLION, .keys = 100000 },
    { STREAM(BLINDW_RW, "the same, not judged"),
      .operations = 4 * MILLION, .keys = 100000, .is_unjudged = true },
    { STREAM(BLINDW_W, "blindw-w"), .operations = 4 * MILLION },
    { STREAM(BLINDW_RW_PLUS, "blindw-rw+, ranges of 10 keys"), .operations = 4 * MILLION },
    { STREAM(MIXED, "reads to write, deletes"), .operations = 4 * MILLION },
    { .profile = "postgresql/snapshot", .name = "blindw-rw, snapshot", .operations = 4 * MILLION,
      .workload = TRUTH_BLINDW_RW },
    { .profile = "postgresql/read-committed", .name = "blindw-rw, read-committed",
      .operations = 4 * MILLION, .workload = TRUTH_BLINDW_RW },
    { .profile = "innodb/serializable", .name = "blindw-rw, locks of reads",
      .operations = 4 * MILLION, .workload = TRUTH_BLINDW_RW },
};

/* Leopard's figure 3: YCSB-A is one operation a transaction, half of them writes. */
#define YCSB(as, of_sessions, theta)                                                               \
    { STREAM(BLINDW_RW, as), .operations = 2 * MILLION, .ops = 1, .keys = 100000,                  \
      .sessions = (of_sessions), .theta_percent = (theta) }
#define BLINDW(as, of_sessions, theta)                                                             \
    { STREAM(BLINDW_RW, as), .operations = 2 * MILLION, .keys = 100000,                            \
      .sessions = (of_sessions), .theta_percent = (theta) }

static const struct stream_row skews[] = {
    YCSB("single operations, 8 sessions, uniform", 8, 0),
    YCSB("single operations, 8 sessions, 0.9", 8, 90),
    YCSB("single operations, 8 sessions, 1.2", 8, 120),
    YCSB("single operations, 64 sessions, uniform", 64, 0),
    YCSB("single operations, 64 sessions, 0.9", 64, 90),
    YCSB("single operations, 64 sessions, 1.2", 64, 120),
    BLINDW("blindw-rw, 8 sessions, uniform", 8, 0),
    BLINDW("blindw-rw, 8 sessions, 0.9", 8, 90),
    BLINDW("blindw-rw, 64 sessions, uniform", 64, 0),
    BLINDW("blindw-rw, 64 sessions, 0.9", 64, 90),
};

/* Leopard's figure 12, at its 24 sessions and 2000 keys. */
#define FEW .operations = 4 * MILLION, .sessions = 24, .keys = 2000

static const struct stream_row overlaps[] = {
    { STREAM(BLINDW_W, "blindw-w"), FEW },
    { STREAM(BLINDW_RW, "blindw-rw"), FEW },
    { STREAM(BLINDW_RW_PLUS, "blindw-rw+"), FEW },
    { STREAM(MIXED, "reads to write, unique values"), FEW },
    { STREAM(MIXED, "reads to write, 100 values"), FEW, .values = 100 },
    { STREAM(MIXED, "reads to write, 2 values"), FEW, .values = 2 },
    { STREAM(BLINDW_RW, "blindw-rw, 2 values"), FEW, .values = 2 },
    { .profile = "postgresql/read-committed", .name = "blindw-w, read-committed",
      .workload = TRUTH_BLINDW_W, FEW },
    { .profile = "innodb/serializable", .name = "blindw-rw, locks of reads",
      .workload = TRUTH_BLINDW_RW, FEW },
    { .profile = "tidb/snapshot", .name = "blindw-rw, no locks", .workload = TRUTH_BLINDW_RW, FEW },
};

/* Leopard's figure 10, beside a search for cycles in the whole graph. */
#define GROWTH(as, count) STREAM(BLINDW_RW_PLUS, as), .transactions = (count)

static const struct stream_row growth[] = {
    { GROWTH("2,000 transactions", 2000), .against_naive = true },
    { GROWTH("4,000 transactions", 4000), .against_naive = true },
    { GROWTH("8,000 transactions", 8000), .against_naive = true },
    { GROWTH("16,000 transactions", 16000), .against_naive = true },
    { GROWTH("32,000 transactions", 32000), .against_naive = true },
    { GROWTH("64,000 transactions", 64000), .against_naive = true },
    { GROWTH("8,000, 4 sessions", 8000), .sessions = 4, .against_naive = true },
    { GROWTH("8,000, 8 sessions", 8000), .sessions = 8, .against_naive = true },
    { GROWTH("8,000, 32 sessions", 8000), .sessions = 32, .against_naive = true },
    { GROWTH("8,000, 128 sessions", 8000), .sessions = 128, .against_naive = true },
    { GROWTH("8,000, of 2 statements", 8000), .ops = 2, .against_naive = true },
    { GROWTH("8,000, of 4 statements", 8000), .ops = 4, .against_naive = true },
    { GROWTH("8,000, of 16 statements", 8000), .ops = 16, .against_naive = true },
    { GROWTH("8,000, of 32 statements", 8000), .ops = 32, .against_naive = true },
};

static const struct stream_row lengths[] = {
    { GROWTH("64,000 transactions", 64000) },
    { GROWTH("256,000 transactions", 256000) },
    { GROWTH("256,000, 64 sessions", 256000), .sessions = 64 },
    { GROWTH("256,000, 256 sessions", 256000), .sessions = 256 },
    { GROWTH("64,000, of 64 statements", 64000), .ops = 64 },
};

static const struct stream_row large_lengths[] = {
    { STREAM(BLINDW_RW, "blindw-rw, 1M operations"), .operations = MILLION },
    { STREAM(BLINDW_RW, "blindw-rw, 10M operations"), .operations = 10 * MILLION },
    { STREAM(BLINDW_RW, "blindw-rw, 100M operations"), .operations = 100 * MILLION },
    { STREAM(BLINDW_RW_PLUS, "blindw-rw+, 100M rows"), .operations = 100 * MILLION },
    { STREAM(MIXED, "reads to write, 100M operations"), .operations = 100 * MILLION },
    { STREAM(BLINDW_RW, "blindw-rw, 100M, 10,000 keys"),
      .operations = 100 * MILLION, .keys = 10000 },
    { STREAM(BLINDW_RW, "blindw-rw, 100M, 64 sessions"),
      .operations = 100 * MILLION, .sessions = 64 },
};

/* --- Printing ---------------------------------------------------------------------------- */

static void print_rate(const struct stream_row *row, const struct stream_figures *f)
{
    double ops = (double)f->ops;

    if (row->is_unjudged)
        printf(" %8s %8s %7s %9s", "-", "-", "-", "-");
    else
        printf(" %8.2f %8.2f %7.0f %9zu", ops / f->seconds / 1e6,
               (double)f->statements / f->seconds / 1e6, f->seconds / ops * 1e9, f->live_max);
    printf(" %7ld", bench_peak_megabytes());
}

static void print_share(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        printf(" %9s", "-");
    else
        printf(" %9.4f", 100 * (double)part / (double)whole);
}

static void print_shares(const struct stream_row *row, const struct stream_figures *f)
{
    struct dependency_counts all = { 0 };

    (void)row;
    for (int kind = 0; kind < DEPENDENCY_COUNT; kind++) {
        const struct dependency_counts *d = &f->counts.dependencies[kind];

        all.all += d->all;
        all.overlapping += d->overlapping;
        all.deduced += d->deduced;
        print_share(d->overlapping, d->all);
        print_share(d->deduced, d->overlapping);
    }
    print_share(all.overlapping, all.all);
    print_share(all.overlapping - all.deduced, all.all);
}

static void print_growth(const struct stream_row *row, const struct stream_figures *f)
{
    printf(" %9.2f %10.1f %7.0f %7ld", (double)f->ops / 1e6, f->seconds * 1e3,
           f->seconds / (double)f->ops * 1e9, bench_peak_megabytes());
    if (row->against_naive)
        printf(" %10.1f %10.1f%s", f->naive.once_seconds * 1e3, f->naive.often_seconds * 1e3,
               f->naive.has_cycle ? "   ACCUSED by it" : "");
}

struct table {
    const char *title, *head;
    void (*print)(const struct stream_row *, const struct stream_figures *);
    const struct stream_row *rows;
    size_t count;
};

struct shown {
    const struct table *table;
    const struct stream_row *row;
};

static void measure(const void *context)
{
    const struct shown *shown = context;
    struct stream_figures figures = { 0 };
    struct error err = { 0 };

    if (stream_measure(shown->row, &figures, &err) != STATUS_OK) {
        printf(" not measured: %s\n", err.text);
        return;
    }
    shown->table->print(shown->row, &figures);
    printf("%s\n", figures.finding_count > 0 ? "   ACCUSED" : "");
}

static void print_table(const struct table *table)
{
    printf(" %s\n  %-40s %s\n", table->title, "", table->head);
    for (size_t i = 0; i < table->count; i++) {
        printf("  %-40s", table->rows[i].name);
        bench_in_child(measure, &(struct shown){ table, &table->rows[i] });
    }
}

#define RATE_HEAD " M ops/s  M st./s   ns/op  instants      MB"
#define SHARE_HEAD                                                                                 \
    "ww beta %  deduced  wr beta %  deduced rw beta %  deduced    beta % unknown %"
#define GROWTH_HEAD "   M ops  mirror ms   ns/op      MB"

static const struct table tables[] = {
    { "operations a second, of one core", RATE_HEAD, print_rate, rates, ROW_COUNT(rates) },
    { "dependencies that overlap, by skew (theta) and sessions, and how many of them are deduced",
      SHARE_HEAD, print_shares, skews, ROW_COUNT(skews) },
    { "by workload, 24 sessions, 2000 keys", SHARE_HEAD, print_shares, overlaps,
      ROW_COUNT(overlaps) },
    { "growth, blindw-rw+: against a search for cycles in the whole graph, at the end, or online",
      GROWTH_HEAD "  cycles ms  online ms", print_growth, growth, ROW_COUNT(growth) },
    { "the mirror alone", GROWTH_HEAD, print_growth, lengths, ROW_COUNT(lengths) },
};

static const struct table large_table = { "memory", RATE_HEAD, print_rate, large_lengths,
                                        ROW_COUNT(large_lengths) };

void bench_interval(void)
{
    for (size_t i = 0; i < ROW_COUNT(tables); i++)
        print_table(&tables[i]);
}

void bench_interval_large(void)
{
    print_table(&large_table);
}
