#include "tests/predict/predict_fixture.h"

#include <inttypes.h>

#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

struct dataflow fixture_dataflow(const char *notation, struct history *history, struct arena *arena)
{
    struct error err = { 0 };
    struct dataflow trace;

    notation_read(notation, history);
    ASSERT_OK(dataflow_of_history(&trace, history, arena, &err), &err);
    return trace;
}

void fixture_print_dataflow(const struct dataflow *trace, struct buffer *out)
{
    const struct history *h = trace->history;

    buffer_clear(out);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        const char *between = ": ";

        buffer_print(out, "%sT%" PRId64, txn > 0 ? " | " : "", h->txn_id[trace->txn[txn]]);
        for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
            struct dataflow_event e = trace->events[i];
            struct text key = history_key(h, trace->key[e.key]);

            buffer_print(out, "%s%s %.*s", between, dataflow_is_read(e) ? "r" : "w", (int)key.length,
                         key.at);
            if (e.writer == DATAFLOW_INITIAL)
                buffer_print(out, " init");
            else if (dataflow_is_read(e))
                buffer_print(out, " T%" PRId64, h->txn_id[trace->txn[e.writer]]);
            between = ", ";
        }
    }
}
