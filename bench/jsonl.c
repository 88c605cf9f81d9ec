#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "history/builder.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"
#include "programs/generator/generate.h"

#define TXN_COUNT 1000000
#define GENERATED_COUNT 200000
#define OPS_PER_TXN 5
#define KEY_COUNT 1000
#define SESSION_COUNT 20

/* Reads and writes of random keys with times, as a store's clients record them. */
static enum status add_txn(struct builder *b, struct random *random, int64_t id, int64_t *now,
                           uint32_t *writer_of_key, struct error *err)
{
    int64_t invoked = *now;

    TRY(builder_begin_txn(b, id, id % SESSION_COUNT, TXN_OK, err));
    for (int i = 0; i < OPS_PER_TXN; i++) {
        uint32_t key = (uint32_t)random_below(random, KEY_COUNT);
        bool is_write = random_below(random, 2);
        int64_t from = *now + random_between(random, 1000, 50000);
        *now = from + random_between(random, 1000, 50000);
        TRY(builder_add_op(b, is_write ? OP_WRITE : OP_READ, key, value_integer(id * 8 + i), err));
        TRY(builder_set_op_at(b, from, *now, err));
        if (is_write)
            writer_of_key[key] = (uint32_t)id;
    }
    TRY(builder_set_txn_at(b, invoked, *now, err));
    return builder_set_ts(b, (struct place){ 1, { id } }, err);
}

/* By key, its last writer in each part of the history: enough to make orders long. */
static enum status add_orders(struct builder *b, const uint32_t *writers, size_t count,
                              struct error *err)
{
    for (uint32_t key = 0; key < KEY_COUNT; key++) {
        uint32_t last = 0;
        TRY(builder_begin_order(b, key, err));
        for (size_t i = 0; i < count; i++) {
            uint32_t writer = writers[i * KEY_COUNT + key];
            if (writer == 0 || writer == last)
                continue;
            TRY(builder_add_version(b, (struct version_name){ .txn_id = writer }, err));
            last = writer;
        }
    }
    return STATUS_OK;
}

static enum status build(struct builder *b, bool has_orders, uint32_t *writers, size_t count,
                         struct error *err)
{
    struct random_key seed = random_key_of_seed(1);
    struct random random;
    int64_t now = 0;

    random_init(&random, &seed);
    for (uint32_t key = 0; key < KEY_COUNT; key++) {
        char name[16];
        uint32_t number;
        struct text text = { name, (size_t)snprintf(name, sizeof name, "k%u", key) };
        TRY(builder_key(b, text, &number, err));
    }
    for (int64_t id = 1; id <= TXN_COUNT; id++) {
        size_t part = (size_t)(id - 1) * count / TXN_COUNT;
        uint32_t *latest = writers + part * KEY_COUNT;
        TRY(add_txn(b, &random, id, &now, latest, err));
    }
    return has_orders ? add_orders(b, writers, count, err) : STATUS_OK;
}

static enum status make_history(bool has_orders, struct history *history, struct error *err)
{
    size_t count = 1000; /* parts of the history, each with the last writers of the keys */
    uint32_t *writers = calloc(count * KEY_COUNT, sizeof *writers);
    struct builder builder;
    enum status status;

    if (!writers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    builder_init(&builder);
    status = build(&builder, has_orders, writers, count, err);
    if (status == STATUS_OK)
        status = builder_finish(&builder, history, err);
    builder_close(&builder);
    free(writers);
    return status;
}

static enum status write_text(const struct history *history, struct buffer *text,
                              struct error *err)
{
    double seconds[BENCH_ROUNDS];
    struct sink sink;

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        TRY(sink_open(&sink, "/dev/null", err));
        TRY(jsonl_write(history, &sink, NULL, err));
        sink_close(&sink);
        seconds[round] = bench_seconds() - from;
    }
    sink_open_memory(&sink, text);
    TRY(jsonl_write(history, &sink, NULL, err));
    bench_print_rate("write, to /dev/null", (double)text->count, "bytes", seconds);
    return STATUS_OK;
}

static enum status read_text(const struct buffer *text, unsigned flags, const char *what,
                             struct error *err)
{
    double seconds[BENCH_ROUNDS];

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        struct source source;
        struct history history;
        TRY(source_open_memory(&source, "memory", text->at, text->count, err));
        TRY(jsonl_read(&source, flags, &history, err));
        source_close(&source);
        seconds[round] = bench_seconds() - from;
        history_close(&history);
    }
    bench_print_rate(what, (double)text->count, "bytes", seconds);
    return STATUS_OK;
}

/* Writes the history, closes it, and reads what was written. */
static enum status measure(struct history *history, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = write_text(history, &text, err);

    history_close(history);
    if (status == STATUS_OK)
        status = read_text(&text, 0, "read", err);
    if (status == STATUS_OK)
        status = read_text(&text, JSONL_GENERAL_ONLY, "read without the fast path", err);
    buffer_close(&text);
    return status;
}

static enum status measure_items(bool has_orders, struct error *err)
{
    struct history history = { 0 };

    TRY(make_history(has_orders, &history, err));
    printf("  %d transactions of %d operations with times, %s\n", TXN_COUNT, OPS_PER_TXN,
           has_orders ? "version orders of a thousand versions a key" : "no version orders");
    return measure(&history, err);
}

static enum status measure_workload(const char *name, struct error *err)
{
    struct generate_options options = generate_defaults(workload_find(text_of(name)));
    struct history history = { 0 };
    struct planted planted;

    options.transactions = GENERATED_COUNT;
    TRY(generate(&options, &history, &planted, err));
    printf("  %d transactions of %s\n", GENERATED_COUNT, name);
    return measure(&history, err);
}

void bench_jsonl(void)
{
    static const char *const workloads[] = { "predicate-mix", "blindw-rw+", "list-append" };
    struct error err = { 0 };

    if (measure_items(false, &err) != STATUS_OK || measure_items(true, &err) != STATUS_OK)
        printf("  %s\n", err.text);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (measure_workload(workloads[i], &err) != STATUS_OK)
            printf("  %s: %s\n", workloads[i], err.text);
}
