/*
 * The two-level pipeline against one heap of everything (Leopard, figure 9).
 *
 * Clients do one thing after the other, and their traces come as they are fetched: from the
 * client that is waited for, a batch at a time, so that a slow client is never waited for with
 * all of the fast ones in memory. The heap of everything is what one would do without: it takes
 * a batch from every client in turn, as they come, and gives out what no client can be before.
 */
#include <stdio.h>

#include "base/random.h"
#include "bench/bench.h"
#include "checkers/interval/online/watcher.h"

#define CLIENTS_MAX 256
#define BATCH 64 /* traces that a client hands over at a time */

struct speeds {
    const char *name;
    uint32_t clients;
    uint64_t traces;
    uint32_t unevenness; /* the slowest client takes so many times as long as the fastest */
    bool sorts_all;
};

/* Each brings traces in its own order, at its own speed, and nothing of them is kept here. */
struct source {
    struct random random;
    int64_t now, step;
    uint64_t left;
    uint32_t lane;
};

struct sources {
    struct source at[CLIENTS_MAX];
    uint32_t count;
    size_t waiting_max;
    uint64_t given;
    int64_t last;
    bool is_unordered;
    double seconds;
};

static const struct speeds rows[] = {
    { "24 clients, even, one heap", 24, 2000000, 1, true },
    { "24 clients, even, pipeline", 24, 2000000, 1, false },
    { "24 clients, 1:10, one heap", 24, 2000000, 10, true },
    { "24 clients, 1:10, pipeline", 24, 2000000, 10, false },
    { "24 clients, 1:1000, one heap", 24, 2000000, 1000, true },
    { "24 clients, 1:1000, pipeline", 24, 2000000, 1000, false },
    { "256 clients, even, one heap", 256, 2000000, 1, true },
    { "256 clients, even, pipeline", 256, 2000000, 1, false },
    { "256 clients, 1:1000, one heap", 256, 2000000, 1000, true },
    { "256 clients, 1:1000, pipeline", 256, 2000000, 1000, false },
};

/* In the same virtual time a client that is so many times as slow does so much less. */
static void start(struct sources *s, const struct speeds *row)
{
    double work = 0;

    *s = (struct sources){ .count = row->clients, .last = INT64_MIN };
    for (uint32_t i = 0; i < s->count; i++) {
        struct random_key key = random_key_of_seed(i + 1);

        random_init(&s->at[i].random, &key);
        s->at[i].step = 1000 + (int64_t)i * 1000 * (row->unevenness - 1) / (s->count - 1);
        work += 1.0 / (double)s->at[i].step;
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->at[i].left =
            (uint64_t)((double)row->traces / work / (double)s->at[i].step) + 1;
}

static int64_t next_of(struct source *c)
{
    c->left--;
    c->now += 1 + (int64_t)random_below(&c->random, (uint64_t)(2 * c->step));
    return c->now;
}

static void give(struct sources *s, int64_t invoked)
{
    s->is_unordered |= invoked < s->last;
    s->last = invoked;
    s->given++;
}

/* --- The pipeline ----------------------------------------------------------------------------- */

static enum status fetch(struct sources *s, struct pipeline *p, struct source *c, struct error *err)
{
    for (int i = 0; i < BATCH && c->left > 0; i++)
        TRY(pipeline_push(p, c->lane, next_of(c), NULL, 0, err));
    if (c->left == 0)
        pipeline_close_lane(p, c->lane);
    s->waiting_max = p->waiting > s->waiting_max ? p->waiting : s->waiting_max;
    return STATUS_OK;
}

static enum status run_pipeline(struct sources *s, struct pipeline *p, struct error *err)
{
    struct pipeline_item item;

    for (uint32_t i = 0; i < s->count; i++)
        TRY(pipeline_open_lane(p, i, INT64_MIN, &s->at[i].lane, err));
    for (;;) {
        uint32_t lane = pipeline_awaited(p);

        if (lane != PIPELINE_NONE)
            TRY(fetch(s, p, &s->at[pipeline_lane(p, lane)->owner], err));
        if (pipeline_next(p, &item))
            give(s, item.invoked);
        else if (lane == PIPELINE_NONE)
            return STATUS_OK;
    }
}

/* --- One heap --------------------------------------------------------------------------------- */

struct plain_heap {
    ARRAY(struct pipeline_item) items;
};

static enum status plain_heap_push(struct plain_heap *h, struct pipeline_item item, struct error *err)
{
    size_t at = h->items.count;

    TRY(array_push(&h->items, item, err));
    for (; at > 0 && item.invoked < h->items.at[(at - 1) / 2].invoked; at = (at - 1) / 2)
        h->items.at[at] = h->items.at[(at - 1) / 2];
    h->items.at[at] = item;
    return STATUS_OK;
}

static struct pipeline_item plain_heap_pop(struct plain_heap *h)
{
    struct pipeline_item top = h->items.at[0], last = h->items.at[--h->items.count];
    size_t at = 0;

    for (size_t child; (child = 2 * at + 1) < h->items.count; at = child) {
        child += child + 1 < h->items.count &&
                 h->items.at[child + 1].invoked < h->items.at[child].invoked;
        if (h->items.at[child].invoked >= last.invoked)
            break;
        h->items.at[at] = h->items.at[child];
    }
    h->items.at[at] = last;
    return top;
}

/* Nobody who brings something still brings what began before. */
static int64_t watermark(const struct sources *s)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i].left > 0 && s->at[i].now < least)
            least = s->at[i].now;
    return least;
}

static enum status run_heap(struct sources *s, struct plain_heap *h, struct error *err)
{
    int64_t until;

    do {
        for (uint32_t i = 0; i < s->count; i++)
            for (int k = 0; k < BATCH && s->at[i].left > 0; k++) {
                struct pipeline_item item = { .invoked = next_of(&s->at[i]) };

                TRY(plain_heap_push(h, item, err));
            }
        s->waiting_max = h->items.count > s->waiting_max ? h->items.count : s->waiting_max;
        until = watermark(s);
        while (h->items.count > 0 && h->items.at[0].invoked <= until)
            give(s, plain_heap_pop(h).invoked);
    } while (until != INT64_MAX);
    return STATUS_OK;
}

/* --- Printing --------------------------------------------------------------------------------- */

static void measure(const void *context)
{
    const struct speeds *row = context;
    struct sources s;
    struct pipeline p;
    struct plain_heap heap = { 0 };
    struct error err = { 0 };
    enum status status;
    double from;

    start(&s, row);
    pipeline_init(&p);
    from = bench_cpu_seconds();
    status = row->sorts_all ? run_heap(&s, &heap, &err) : run_pipeline(&s, &p, &err);
    s.seconds = bench_cpu_seconds() - from;
    if (status != STATUS_OK)
        printf(" not measured: %s\n", err.text);
    else
        printf(" %9.1f %9.2f %9zu %7ld%s\n", s.seconds / (double)s.given * 1e9,
               (double)s.given / s.seconds / 1e6, s.waiting_max, bench_peak_megabytes(),
               s.is_unordered ? "   UNORDERED" : "");
    pipeline_close(&p);
    array_close(&heap.items);
}

void bench_interval_pipeline(void)
{
    printf(" traces in the order of invocation, of clients of different speed\n  %-40s %9s %9s %9s "
           "%7s\n", "", "ns/trace", "M/s", "waiting", "MB");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("  %-40s", rows[i].name);
        bench_in_child(measure, &rows[i]);
    }
}
