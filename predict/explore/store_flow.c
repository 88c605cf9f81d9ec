#include "predict/explore/store_flow_private.h"

#include "predict/predict_private.h"

struct flow_finder {
    struct store_flow *memory;
    const struct directed *store;
    struct dataflow *flow;
    uint32_t *number; /* by transaction of the store: the flow's, or DATAFLOW_NONE */
    uint32_t *reader; /* by key: one more than the last transaction that has an event of it */
};

void store_flow_close(struct store_flow *memory)
{
    map_close(&memory->keys);
}

/* Transactions that committed, the keys that they write, and room for all their events. */
static enum status find_writers(struct flow_finder *f, struct arena *arena, struct error *err)
{
    struct dataflow *flow = f->flow;
    uint32_t count = directed_txn_count(f->store);
    size_t events = 0, place;

    PREDICT_TAKE(arena, f->number, count, err);
    PREDICT_TAKE(arena, flow->session, count, err);
    for (uint32_t txn = 0; txn < count; txn++) {
        struct directed_txn_facts facts = directed_txn(f->store, txn);
        uint32_t reads, writes;
        const uint32_t *keys = directed_writes(f->store, txn, &writes);

        f->number[txn] = DATAFLOW_NONE;
        if (facts.end != DIRECTED_COMMITTED)
            continue;
        f->number[txn] = flow->txn_count;
        flow->session[flow->txn_count++] = facts.session;
        for (uint32_t i = 0; i < writes; i++)
            TRY(map_add(&f->memory->keys, keys[i], f->memory->keys.keys.count, &place, err));
        (void)directed_reads(f->store, txn, &reads);
        events += reads + writes;
    }
    flow->key_count = (uint32_t)f->memory->keys.keys.count;
    events += (size_t)flow->txn_count * flow->key_count; /* rows that came later */
    PREDICT_TAKE(arena, flow->events, events, err);
    PREDICT_TAKE(arena, flow->event_start, flow->txn_count + 1, err);
    PREDICT_TAKE(arena, f->reader, flow->key_count, err);
    return STATUS_OK;
}

static void add_event(struct flow_finder *f, uint32_t txn, uint32_t key, uint32_t writer)
{
    f->flow->events[f->flow->event_count++] =
        (struct dataflow_event){ .key = key, .writer = writer, .op = DATAFLOW_NONE };
    f->reader[key] = f->number[txn] + 1;
}

static void add_reads(struct flow_finder *f, uint32_t txn)
{
    uint32_t count;
    const struct directed_seen *reads = directed_reads(f->store, txn, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t key;

        if (map_find(&f->memory->keys, reads[i].key, &key))
            add_event(f, txn, (uint32_t)key,
                      reads[i].writer == DIRECTED_INITIAL ? DATAFLOW_INITIAL
                                                          : f->number[reads[i].writer]);
    }
}

/* Of the tables that it looked through. */
static void add_later_rows(struct flow_finder *f, uint32_t txn)
{
    uint64_t scanned = directed_scanned(f->store, txn);

    f->memory->is_exact &= scanned == 0;
    for (uint32_t key = 0; scanned && key < f->flow->key_count; key++) {
        uint32_t table = directed_key_table(f->store, (uint32_t)f->memory->keys.keys.at[key]);

        if (scanned >> table % 64 & 1 && f->reader[key] != f->number[txn] + 1)
            add_event(f, txn, key, DATAFLOW_INITIAL);
    }
}

static void add_writes(struct flow_finder *f, uint32_t txn)
{
    uint32_t count;
    const uint32_t *keys = directed_writes(f->store, txn, &count);
    uint64_t key;

    for (uint32_t i = 0; i < count; i++)
        if (map_find(&f->memory->keys, keys[i], &key))
            add_event(f, txn, (uint32_t)key, DATAFLOW_NONE);
}

enum status store_flow_find(struct store_flow *memory, const struct directed *store,
                            struct arena *arena, struct dataflow *flow, struct error *err)
{
    struct flow_finder f = { .memory = memory, .store = store, .flow = flow };

    *flow = (struct dataflow){ .history = NULL };
    map_clear(&memory->keys);
    memory->is_exact = true;
    TRY(find_writers(&f, arena, err));
    for (uint32_t txn = 0; txn < directed_txn_count(store); txn++) {
        if (f.number[txn] == DATAFLOW_NONE)
            continue;
        flow->event_start[f.number[txn]] = flow->event_count;
        add_reads(&f, txn);
        add_later_rows(&f, txn);
        add_writes(&f, txn);
    }
    flow->event_start[flow->txn_count] = flow->event_count;
    return dataflow_index(flow, arena, err);
}
