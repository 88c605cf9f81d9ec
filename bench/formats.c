#include "bench/bench.h"

#include <stdio.h>

#include "history/foreign/foreign.h"
#include "programs/generator/generate.h"

#define TXN_COUNT 50000

static const struct {
    const char *name, *workload;
    const struct foreign *foreign;
} rows[] = {
    { "jepsen-edn, list-append", "list-append", &foreign_jepsen_edn },
    { "jepsen-json, list-append", "list-append", &foreign_jepsen_json },
    { "jepsen-edn, rw-mix", "rw-mix", &foreign_jepsen_edn },
    { "plume, rw-mix", "rw-mix", &foreign_plume },
    { "isopredict, rw-mix", "rw-mix", &foreign_isopredict },
    { "dbcop, rw-mix", "rw-mix", &foreign_dbcop },
};

static enum status make(const char *workload, const struct foreign *foreign, struct buffer *text,
                        struct error *err)
{
    struct generate_options options = generate_defaults(workload_find(text_of(workload)));
    struct planted planted;
    struct history history;
    struct sink sink;
    uint32_t losses;
    enum status status;

    options.transactions = TXN_COUNT;
    TRY(generate(&options, &history, &planted, err));
    sink_open_memory(&sink, text);
    status = foreign->examine(&history, &losses, err);
    if (status == STATUS_OK)
        status = foreign->write(&history, &sink, err);
    sink_close(&sink);
    history_close(&history);
    return status;
}

static enum status read_rounds(const char *name, const struct foreign *foreign,
                               const struct buffer *text, struct error *err)
{
    double seconds[BENCH_ROUNDS];

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        struct source source;
        struct history history;

        TRY(source_open_memory(&source, "memory", text->at, text->count, err));
        TRY(foreign->read(&source, &history, err));
        source_close(&source);
        seconds[round] = bench_seconds() - from;
        history_close(&history);
    }
    bench_print_rate(name, (double)text->count, "bytes", seconds);
    return STATUS_OK;
}

/* What reading the formats of other tools takes, from memory to a history that has been checked. */
void bench_formats(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { 0 };
        struct buffer text = { 0 };

        if (make(rows[i].workload, rows[i].foreign, &text, &err) != STATUS_OK ||
            read_rounds(rows[i].name, rows[i].foreign, &text, &err) != STATUS_OK)
            printf("  %s: %s\n", rows[i].name, err.text);
        buffer_close(&text);
    }
}
