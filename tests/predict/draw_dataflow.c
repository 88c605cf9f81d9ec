#include "tests/predict/draw_dataflow.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define KEYS_MAX 8
#define TXNS_MAX 64

enum draw_readers { READ_LATEST, READ_EARLIER, READ_ANY };

struct draw {
    struct random *random;
    const struct draw_options *options;
    struct dataflow *trace;
    enum draw_readers readers;
    uint32_t keys, ops;
    bool writes[TXNS_MAX][KEYS_MAX]; /* in the end */
    bool is_read[TXNS_MAX][KEYS_MAX * 2];
    uint32_t op_key[TXNS_MAX][KEYS_MAX * 2];
    uint32_t op_count[TXNS_MAX];
};

static void draw_ops(struct draw *d, uint32_t txn)
{
    d->op_count[txn] = (uint32_t)random_between(d->random, 1, d->options->ops_max);
    for (uint32_t i = 0; i < d->op_count[txn]; i++) {
        d->op_key[txn][i] = (uint32_t)random_below(d->random, d->keys);
        d->is_read[txn][i] = random_below(d->random, 5) < 3;
        d->writes[txn][d->op_key[txn][i]] |= !d->is_read[txn][i];
    }
}

static uint32_t draw_writer(struct draw *d, uint32_t txn, uint32_t key)
{
    uint32_t candidates[TXNS_MAX + 1], count = 0, end = txn;

    if (d->readers == READ_ANY && random_below(d->random, 4) == 0)
        end = d->trace->txn_count;
    candidates[count++] = DATAFLOW_INITIAL;
    for (uint32_t t = 0; t < end; t++)
        if (t != txn && d->writes[t][key])
            candidates[count++] = t;
    if (d->readers != READ_LATEST && random_below(d->random, 2) == 0)
        return candidates[random_below(d->random, count)];
    return candidates[count - 1];
}

/* Reads behind an own write of the key are left out, and all its writes but the last. */
static void add_events(struct draw *d, uint32_t txn)
{
    struct dataflow *trace = d->trace;
    bool is_written[KEYS_MAX] = { false };

    trace->event_start[txn] = trace->event_count;
    for (uint32_t i = 0; i < d->op_count[txn]; i++) {
        uint32_t key = d->op_key[txn][i], writer = DATAFLOW_NONE;
        bool is_last = true;

        for (uint32_t j = i + 1; j < d->op_count[txn]; j++)
            is_last &= d->op_key[txn][j] != key || d->is_read[txn][j];
        if (d->is_read[txn][i] && !is_written[key])
            writer = draw_writer(d, txn, key);
        else if (d->is_read[txn][i])
            continue;
        is_written[key] |= !d->is_read[txn][i];
        if (d->is_read[txn][i] || is_last)
            trace->events[trace->event_count++] = (struct dataflow_event){ key, writer, DATAFLOW_NONE };
    }
}

void draw_dataflow(struct random *random, const struct draw_options *options, struct arena *arena,
                struct dataflow *trace)
{
    struct draw *d = arena_push(arena, 1, sizeof *d);
    uint64_t kind = random_below(random, 8);
    uint32_t sessions;
    struct error err = { 0 };

    TEST_ASSERT_NOT_NULL(d);
    assert(options->keys_max <= KEYS_MAX && options->txns_max <= TXNS_MAX &&
           options->ops_max <= KEYS_MAX * 2);
    *trace = (struct dataflow){ .txn_count = (uint32_t)random_between(random, 2, options->txns_max) };
    d->random = random;
    d->options = options;
    d->trace = trace;
    d->readers = kind < 5 ? READ_LATEST : kind < 7 ? READ_EARLIER : READ_ANY;
    d->keys = (uint32_t)random_between(random, 1, options->keys_max);
    sessions = (uint32_t)random_between(random, 2, options->sessions_max);
    trace->key_count = d->keys;
    trace->session = arena_push(arena, trace->txn_count, sizeof *trace->session);
    trace->event_start = arena_push(arena, trace->txn_count + 1, sizeof *trace->event_start);
    trace->events =
        arena_push(arena, trace->txn_count * (size_t)options->ops_max, sizeof *trace->events);
    TEST_ASSERT_TRUE(trace->session && trace->event_start && trace->events);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        trace->session[txn] = (uint32_t)random_below(random, sessions);
        draw_ops(d, txn);
    }
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        add_events(d, txn);
    trace->event_start[trace->txn_count] = trace->event_count;
    ASSERT_OK(dataflow_index(trace, arena, &err), &err);
}

void draw_print(const struct dataflow *trace, struct buffer *out)
{
    buffer_clear(out);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        const char *between = ": ";

        buffer_print(out, "%ss%" PRIu32 " T%" PRIu32, txn > 0 ? " | " : "", trace->session[txn] + 1,
                     txn + 1);
        for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
            struct dataflow_event e = trace->events[i];

            buffer_print(out, "%s%s k%" PRIu32, between, dataflow_is_read(e) ? "r" : "w", e.key);
            if (e.writer == DATAFLOW_INITIAL)
                buffer_print(out, " init");
            else if (dataflow_is_read(e))
                buffer_print(out, " T%" PRIu32, e.writer + 1);
            between = ", ";
        }
    }
}
