#include "predict/explore/orders_private.h"

#include <assert.h>
#include <string.h>

/* A search in one trace. Point 2 t is where t reads, 2 t + 1 where it writes. */
struct order_search {
    struct orders *memory;
    enum level level;
    uint32_t count;                         /* transactions */
    uint64_t before_reads[ORDERS_TXNS_MAX]; /* points that must stand in front */
    uint32_t conflicts[ORDERS_TXNS_MAX];    /* transactions that write a key in common */
};

static uint64_t reads_of(uint32_t txn)
{
    return UINT64_C(1) << 2 * txn;
}

static uint64_t writes_of(uint32_t txn)
{
    return UINT64_C(2) << 2 * txn;
}

void orders_close(struct orders *orders)
{
    map_close(&orders->dead);
    array_close(&orders->gaps);
}

static enum status add_read(struct order_search *s, const struct dataflow *trace, uint32_t txn,
                            struct dataflow_event e, struct error *err)
{
    uint64_t writes = e.writer == DATAFLOW_INITIAL ? 0 : writes_of(e.writer);

    s->before_reads[txn] |= writes;
    for (uint32_t i = trace->writer_start[e.key]; i < trace->writer_start[e.key + 1]; i++) {
        struct order_gap gap = { trace->writers[i], writes, reads_of(txn) };

        if (gap.other != txn && gap.other != e.writer)
            TRY(array_push(&s->memory->gaps, gap, err));
    }
    return STATUS_OK;
}

static void add_write(struct order_search *s, const struct dataflow *trace, uint32_t txn,
                      uint32_t key)
{
    for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++)
        if (trace->writers[i] != txn)
            s->conflicts[txn] |= UINT32_C(1) << trace->writers[i];
}

static enum status prepare(struct order_search *s, const struct dataflow *trace, struct error *err)
{
    s->memory->gaps.count = 0;
    map_clear(&s->memory->dead);
    for (uint32_t txn = 0; txn < s->count; txn++) {
        if (trace->previous[txn] != DATAFLOW_NONE)
            s->before_reads[txn] |= writes_of(trace->previous[txn]);
        for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
            struct dataflow_event e = trace->events[i];

            if (dataflow_is_read(e))
                TRY(add_read(s, trace, txn, e, err));
            else
                add_write(s, trace, txn, e.key);
        }
    }
    return STATUS_OK;
}

static bool may_read(const struct order_search *s, uint32_t txn, uint64_t set)
{
    if (s->before_reads[txn] & ~set)
        return false;
    for (uint32_t other = s->conflicts[txn]; s->level == LEVEL_SNAPSHOT && other;
         other &= other - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(other);

        if (set & reads_of(u) && !(set & writes_of(u)))
            return false;
    }
    return true;
}

static bool may_write(const struct order_search *s, uint32_t txn, uint64_t set)
{
    for (size_t i = 0; i < s->memory->gaps.count; i++) {
        const struct order_gap *gap = &s->memory->gaps.at[i];

        if (gap->other == txn && (set & gap->writes) == gap->writes && !(set & gap->reads))
            return false;
    }
    return true;
}

/* What comes next of the transaction; 0: nothing may. */
static uint64_t next_points(const struct order_search *s, uint32_t txn, uint64_t set)
{
    uint64_t next = set & reads_of(txn) ? writes_of(txn) : reads_of(txn);

    if (set & writes_of(txn))
        return 0;
    if (next == reads_of(txn) && !may_read(s, txn, set))
        return 0;
    if (s->level == LEVEL_SERIALIZABLE)
        next = reads_of(txn) | writes_of(txn);
    return next & writes_of(txn) && !may_write(s, txn, set | reads_of(txn)) ? 0 : next;
}

static enum status search(struct order_search *s, uint64_t set, bool *exist, struct error *err)
{
    uint64_t seen;
    size_t place;

    *exist = set == (s->count == 32 ? UINT64_MAX : (UINT64_C(1) << 2 * s->count) - 1);
    if (*exist || map_find(&s->memory->dead, set, &seen))
        return STATUS_OK;
    for (uint32_t txn = 0; txn < s->count; txn++) {
        uint64_t next = next_points(s, txn, set);

        if (next)
            TRY(search(s, set | next, exist, err));
        if (*exist)
            return STATUS_OK;
    }
    return map_add(&s->memory->dead, set, 0, &place, err);
}

enum status orders_exist(struct orders *orders, const struct dataflow *trace, enum level level,
                         bool *exist, struct error *err)
{
    struct order_search s = { .memory = orders, .level = level, .count = trace->txn_count };

    assert(level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT || level == LEVEL_SERIALIZABLE);
    assert(trace->txn_count <= ORDERS_TXNS_MAX);
    TRY(prepare(&s, trace, err));
    return search(&s, 0, exist, err);
}
