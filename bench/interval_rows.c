#include "bench/interval_rows.h"

#include "bench/bench.h"

#define BATCH 256 /* transactions */

/* Transactions, copied: those of the stream are good until the next. */
struct batch {
    struct interval_trace traces[BATCH];
    uint64_t committed[BATCH]; /* instants */
    size_t count;
    ARRAY(struct trace_op) ops;
};

struct stream {
    const struct stream_row *row;
    struct truth truth;
    struct interval_model model;
    struct batch batch;
    struct naive naive;
    double seconds;
    uint64_t statements;
};

static bool is_wanted(const struct stream *s)
{
    const struct truth *t = &s->truth;

    return s->row->transactions > 0 ? t->committed + t->aborted < s->row->transactions
                                    : t->ops < s->row->operations;
}

static enum status fill(struct stream *s, struct error *err)
{
    struct batch *b = &s->batch;
    size_t starts[BATCH];

    b->ops.count = 0;
    for (b->count = 0; b->count < BATCH && is_wanted(s); b->count++) {
        const struct truth_txn *txn;

        TRY(truth_next(&s->truth, &txn, err));
        starts[b->count] = b->ops.count;
        b->traces[b->count] = txn->trace;
        b->committed[b->count] = txn->committed;
        for (size_t i = 0; i < txn->trace.op_count; i++) {
            s->statements += i == 0 || txn->trace.ops[i].op != txn->trace.ops[i - 1].op;
            TRY(array_push(&b->ops, txn->trace.ops[i], err));
        }
    }
    for (size_t i = 0; i < b->count; i++)
        b->traces[i].ops = b->ops.at + starts[i];
    return STATUS_OK;
}

static enum status judge(struct stream *s, struct error *err)
{
    double from = bench_cpu_seconds();

    for (size_t i = 0; i < s->batch.count && !s->row->is_unjudged; i++) {
        TRY(interval_model_advance(&s->model, s->batch.traces[i].invoked, err));
        TRY(interval_model_add(&s->model, &s->batch.traces[i], err));
    }
    s->seconds += bench_cpu_seconds() - from;
    return STATUS_OK;
}

static enum status pass(struct stream *s, struct error *err)
{
    double from;

    do {
        TRY(fill(s, err));
        TRY(judge(s, err));
        for (size_t i = 0; s->row->against_naive && i < s->batch.count; i++)
            TRY(naive_add(&s->naive, &s->batch.traces[i], s->batch.committed[i], err));
    } while (s->batch.count > 0);
    from = bench_cpu_seconds();
    TRY(interval_model_end(&s->model, SIZE_MAX, err));
    s->seconds += bench_cpu_seconds() - from;
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
    options.theta = (struct ratio){ row->theta_percent, 100 };
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
    interval_model_init(&s.model, profile, options.clock_error_ns);
    status = pass(&s, err);
    if (status == STATUS_OK && row->against_naive)
        status = naive_end(&s.naive, &figures->naive, err);
    figures->seconds = s.seconds;
    figures->statements = s.statements;
    figures->ops = s.truth.ops;
    figures->counts = s.model.counts;
    figures->finding_count = s.model.finding_count;
    figures->live_max = s.model.timeline.live_max + s.model.certifier.live_max;
    interval_model_close(&s.model);
    truth_close(&s.truth);
    naive_close(&s.naive);
    array_close(&s.batch.ops);
    return status;
}
