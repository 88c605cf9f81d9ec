/*
 * table: what checkers take, beside what the papers say that theirs took.
 *
 *     static const struct bench_row rows[] = {
 *         { .work = "items, 100k", .checker = "order", .workload = "rw-mix",
 *           .transactions = 100000, .level = LEVEL_SERIALIZABLE, .paper_seconds = 1.7 },
 *     };
 *     bench_table("Enne on a Ryzen 1600", rows, sizeof rows / sizeof *rows);
 *
 * For each row a history is generated into a file, then read and judged several
 * times by a process of its own, so that its peak of memory is that of reading
 * and judging, and of nothing else. What is compared with the paper is the time
 * of checking alone, without reading, as there. Beside it stands what the processors did in the
 * best round, and that divided by the transactions: the same at each size, if time is linear.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "history/level.h"
#include "tests/programs/generator/anonymize.h"

enum bench_twist {
    BENCH_AS_MADE,
    /*
     * One transaction that only reads does not say where it stands; all say which
     * snapshot they read. So no order of all transactions is at hand to be tried, and
     * `certificate` needs its graph.
     */
    BENCH_WITHOUT_A_PLACE,
};

struct bench_row {
    const char *work;    /* what the row is called, behind its checker's name */
    const char *checker;
    const char *workload;          /* of `ordeal generate` */
    int64_t transactions, keys;    /* keys 0: the workload's own */
    int64_t sessions, operations;  /* likewise */
    int64_t predicates_percent;    /* 0: the workload's own */
    enum level level;              /* to judge by; the history is made at it too */
    const char *plant;             /* an anomaly that is put in; NULL: none */
    enum bench_twist twist;
    struct ratio version_order;    /* 0/0: all of it */
    unsigned threads;              /* 0: one */
    const struct anonymize_options *disguise; /* for black boxes; NULL: as it was made */
    bool is_large;                 /* read as .oh: text would take gigabytes of disk */
    double paper_seconds;          /* 0: the paper has no figure */
    bool paper_gave_up;            /* after that time */
};

/* `whose`: the papers' programs and their machine. */
void bench_table(const char *whose, const struct bench_row *, size_t count);

#endif
