#include "bench/interval_rows.h"

#include <time.h>

#define BATCH 256 /* transactions */

double stream_cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Transactions, copied: those of the stream are good until the next. */
struct batch {
    struct trace traces[BATCH];
    size_t count;
    ARRAY(struct trace_op) ops;
};

struct stream {
    const struct stream_row *row;
    struct truth truth;
    struct mirror mirror;
    struct batch batch;
    struct naive naive;
    double seconds;
};

static enum status fill(struct stream *s, struct error *err)
{
    struct batch *b = &s->batch;
    size_t starts[BATCH];

    b->ops.count = 0;
    for (b->count = 0; b->count < BATCH && s->truth.ops < s->row->operations; b->count++) {
        const struct truth_txn *txn;

        TRY(truth_next(&s->truth, &txn, err));
        starts[b->count] = b->ops.count;
        b->traces[b->count] = txn->trace;
        for (size_t i = 0; i < txn->trace.op_count; i++)
            TRY(array_push(&b->ops, txn->trace.ops[i], err));
    }
    for (size_t i = 0; i < b->count; i++)
        b->traces[i].ops = b->ops.at + starts[i];
    return STATUS_OK;
}

static enum status judge(struct stream *s, struct error *err)
{
    double from = stream_cpu_seconds();

    for (size_t i = 0; i < s->batch.count; i++) {
        TRY(mirror_advance(&s->mirror, s->batch.traces[i].invoked, err));
        TRY(mirror_add(&s->mirror, &s->batch.traces[i], err));
    }
    s->seconds += stream_cpu_seconds() - from;
    return STATUS_OK;
}

static enum status pass(struct stream *s, struct error *err)
{
    double from;

    do {
        TRY(fill(s, err));
        TRY(judge(s, err));
        for (size_t i = 0; s->row->against_naive && i < s->batch.count; i++)
            TRY(naive_add(&s->naive, &s->batch.traces[i], err));
    } while (s->batch.count > 0);
    from = stream_cpu_seconds();
    TRY(mirror_end(&s->mirror, SIZE_MAX, err));
    s->seconds += stream_cpu_seconds() - from;
    return STATUS_OK;
}

static struct truth_options options_of(const struct stream_row *row, const struct profile *profile)
{
    struct truth_options options = truth_options(profile);

    options.workload = row->workload;
    options.transactions = 0;
    options.seed = 1;
    if (row->sessions > 0)
        options.sessions = row->sessions;
    if (row->keys > 0)
        options.keys = row->keys;
    if (row->ops > 0)
        options.ops = row->ops;
    if (row->values > 0)
        options.values = row->values;
    return options;
}

enum status stream_measure(const struct stream_row *row, struct stream_figures *figures,
                           struct error *err)
{
    const struct profile *profile = profile_find(text_of(row->profile));
    struct truth_options options = options_of(row, profile);
    struct stream s = { .row = row };
    enum status status;

    TRY(truth_init(&s.truth, &options, err));
    mirror_init(&s.mirror, profile, options.clock_error_ns);
    status = pass(&s, err);
    if (status == STATUS_OK && row->against_naive)
        status = naive_end(&s.naive, &figures->naive, err);
    figures->seconds = s.seconds;
    figures->counts = s.mirror.counts;
    figures->finding_count = s.mirror.finding_count;
    figures->live_max = s.mirror.timeline.live_max + s.mirror.certifier.live_max;
    mirror_close(&s.mirror);
    truth_close(&s.truth);
    naive_close(&s.naive);
    array_close(&s.batch.ops);
    return status;
}
