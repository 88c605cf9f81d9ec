#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "history/binary/oh.h"
#include "history/builder.h"
#include "history/format.h"

#define TXN_COUNT 5000000
#define OPS_PER_TXN 5
#define KEY_COUNT 1000

/* Items without times: the columns that every history has, and no others. */
static enum status build(struct builder *b, struct history *history, struct error *err)
{
    uint32_t key;

    for (int i = 0; i < KEY_COUNT; i++) {
        char name[16];
        size_t length = (size_t)snprintf(name, sizeof name, "x%d", i);
        TRY(builder_key(b, (struct text){ name, length }, &key, err));
    }
    for (int64_t id = 1; id <= TXN_COUNT; id++) {
        TRY(builder_begin_txn(b, id, id % 20, TXN_OK, err));
        for (int64_t i = 0; i < OPS_PER_TXN; i++) {
            key = (uint32_t)((id * 7919 + i * 104729) % KEY_COUNT);
            TRY(builder_add_op(b, i % 2 ? OP_WRITE : OP_READ, key, value_integer(id * 8 + i), err));
        }
    }
    return builder_finish(b, history, err);
}

static enum status write_file(const char *path, struct error *err)
{
    struct history history = { 0 };
    struct builder builder;
    enum status status;
    double from = bench_seconds();

    builder_init(&builder);
    status = build(&builder, &history, err);
    builder_close(&builder);
    TRY(status);
    printf("  built in %.2f s; %.1f bytes an operation, transactions and all\n",
           bench_seconds() - from,
           (double)history_bytes(&history) / (double)(TXN_COUNT * (double)OPS_PER_TXN));
    status = format_write_history(&history, FORMAT_OH, path, NULL, err);
    history_close(&history);
    return status;
}

static enum status measure(const char *path, struct error *err)
{
    double mapping[BENCH_ROUNDS], checking[BENCH_ROUNDS];
    double bytes = 0;

    TRY(write_file(path, err));
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        struct history history;
        double from = bench_seconds();
        TRY(oh_map(path, &history, err));
        mapping[round] = bench_seconds() - from;
        from = bench_seconds();
        TRY(history_check(&history, err));
        checking[round] = bench_seconds() - from;
        bytes = (double)history_bytes(&history);
        history_close(&history);
    }
    bench_print_rate("map, checksums and check", bytes, "bytes", mapping);
    bench_print_rate("the same", TXN_COUNT, "transactions", mapping);
    bench_print_rate("history_check() alone, on warm pages", bytes, "bytes", checking);
    return STATUS_OK;
}

void bench_oh(void)
{
    char path[] = "/tmp/ordeal-bench-XXXXXX";
    struct error err = { 0 };
    int file = mkstemp(path);

    if (file < 0)
        return;
    close(file);
    if (measure(path, &err) != STATUS_OK)
        printf("  not measured: %s\n", err.text);
    unlink(path);
}
