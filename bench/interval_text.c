#include "bench/interval_text.h"

#include "bench/bench.h"
#include "checkers/interval/online/watcher.h"
#include "history/io/sink.h"
#include "history/jsonl/jsonl_write.h"

static enum status feed(struct watcher *w, const struct buffer *bytes, struct error *err)
{
    uint32_t stream;

    TRY(watcher_add_stream(w, "the history", true, &stream, err));
    TRY(watcher_feed(w, stream, (struct text){ bytes->at, bytes->count }, err));
    TRY(watcher_end(w, stream, false, err));
    return watcher_finish(w, err);
}

static enum status watch(const struct buffer *bytes, const struct profile *profile,
                         struct text_figures *f, struct error *err)
{
    struct watcher_options options = { .profile = *profile,
                                       .patience = INT64_C(60000000000),
                                       .bytes_max = (size_t)1 << 30,
                                       .line_bytes_max = (size_t)1 << 24 };
    double from = bench_cpu_seconds();
    struct watcher watcher;
    enum status status;

    watcher_init(&watcher, &options);
    status = feed(&watcher, bytes, err);
    f->seconds = bench_cpu_seconds() - from;
    for (int kind = 0; kind < DEPENDENCY_COUNT; kind++) {
        f->dependencies += watcher.model.counts.dependencies[kind].all;
        f->overlapping += watcher.model.counts.dependencies[kind].overlapping;
        f->deduced += watcher.model.counts.dependencies[kind].deduced;
    }
    watcher_close(&watcher);
    return status;
}

enum status text_measure(const struct history *history, const struct profile *profile,
                         struct text_figures *f, struct error *err)
{
    struct buffer bytes = { 0 };
    enum status status;
    struct sink sink;

    *f = (struct text_figures){ 0 };
    sink_open_memory(&sink, &bytes);
    status = jsonl_write(history, &sink, NULL, err);
    sink_close(&sink);
    if (status == STATUS_OK)
        status = watch(&bytes, profile, f, err);
    buffer_close(&bytes);
    return status;
}
