/*
 * interval_rows: what one stream of operations costs the model.
 *
 *     static const struct stream_row row = { .profile = "postgresql/serializable",
 *                                            .workload = TRUTH_BLINDW_RW,
 *                                            .operations = 1000000 };
 *     TRY(stream_measure(&row, &figures, err));
 *
 * The stream is made by the tests' database of known instants, a few hundred transactions
 * at a time, and only the model's part is timed. Where a row asks for it, the
 * same transactions are judged by a search for cycles as well (interval_naive.h).
 */
#ifndef BENCH_INTERVAL_ROWS_H
#define BENCH_INTERVAL_ROWS_H

#include "bench/interval_naive.h"
#include "checkers/interval/interval_model.h"
#include "tests/checkers/interval/truth.h"

struct stream_row {
    const char *name, *profile;
    enum truth_workload workload;
    uint64_t operations;                  /* at the least */
    uint64_t transactions;                /* 0: as many as have so many operations */
    uint32_t sessions, keys, ops, values; /* 0: the workload's own */
    uint32_t theta_percent;               /* how much more often the first keys are chosen */
    bool against_naive;
    bool is_unjudged; /* the stream alone, for what its own memory is */
};

struct stream_figures {
    double seconds;           /* of the processor, by the model alone */
    uint64_t ops, statements; /* a range of ten keys is ten of the former and one of the latter */
    struct interval_counts counts;
    uint64_t finding_count;
    size_t live_max; /* instants at a time */
    struct naive_figures naive;
};

MUST_USE enum status stream_measure(const struct stream_row *, struct stream_figures *,
                                    struct error *);

#endif
