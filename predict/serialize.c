#include "predict/serialize_private.h"

#include <string.h>

#include "predict/bit_rows_private.h"

#define SERIALIZE_BRANCHES_MAX 100000 /* tried before nobody knows */

/* A read, and where else its key is written. */
struct serial_read {
    uint32_t txn, writer, key;
};

struct serializer {
    const struct dataflow *trace;
    struct arena *arena;
    const atomic_bool *stop;
    struct serial_read *reads;
    uint32_t read_count;
    uint32_t branches;
    uint32_t *order, *place; /* the order, and by transaction its place */
    uint32_t *waiting;       /* by transaction: those before it that are not placed yet */
};

static bool add_order(const struct bit_rows *before, uint32_t first, uint32_t second)
{
    /* Row of t: what comes after t. */
    if (bit_rows_has(before, first, second))
        return true;
    if (first == second || bit_rows_has(before, second, first))
        return false;
    for (uint32_t t = 0; t < before->count; t++)
        if (t == first || bit_rows_has(before, t, first)) {
            bit_rows_add(before, t, second);
            bit_rows_join(before, t, second);
        }
    return true;
}

/* One read against one other writer. False: a cycle. */
static bool apply_rules(const struct bit_rows *before, const struct serial_read *r, uint32_t other,
                        bool *is_new)
{
    bool is_initial = r->writer == DATAFLOW_INITIAL;

    if (bit_rows_has(before, other, r->txn)) {
        if (is_initial)
            return false;
        *is_new |= !bit_rows_has(before, other, r->writer);
        return add_order(before, other, r->writer);
    }
    if (is_initial || bit_rows_has(before, r->writer, other)) {
        *is_new |= !bit_rows_has(before, r->txn, other);
        return add_order(before, r->txn, other);
    }
    return true;
}

static bool saturate(const struct serializer *s, const struct bit_rows *before)
{
    const struct dataflow *t = s->trace;
    bool is_new = true;

    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < s->read_count; i++) {
            const struct serial_read *r = &s->reads[i];

            for (uint32_t w = t->writer_start[r->key]; w < t->writer_start[r->key + 1]; w++)
                if (t->writers[w] != r->writer && t->writers[w] != r->txn &&
                    !apply_rules(before, r, t->writers[w], &is_new))
                    return false;
        }
    }
    return true;
}

/* Of those that nothing must precede, always the first. */
static void sort_transactions(const struct serializer *s, const struct bit_rows *before)
{
    uint32_t n = before->count, placed = 0;

    memset(s->waiting, 0, n * sizeof *s->waiting);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t w = 0; w < before->words; w++)
            for (uint64_t bits = bit_rows_row(before, a)[w]; bits; bits &= bits - 1)
                s->waiting[64 * w + (uint32_t)__builtin_ctzll(bits)]++;
    while (placed < n) {
        uint32_t next = 0;

        while (s->waiting[next] != 0)
            next++;
        s->waiting[next] = UINT32_MAX;
        s->place[next] = placed;
        s->order[placed++] = next;
        for (uint32_t w = 0; w < before->words; w++)
            for (uint64_t bits = bit_rows_row(before, next)[w]; bits; bits &= bits - 1)
                s->waiting[64 * w + (uint32_t)__builtin_ctzll(bits)]--;
    }
}

/* A read that the order does not explain, and who stands between. */
static bool find_violation(const struct serializer *s, const struct serial_read **read,
                           uint32_t *other)
{
    const struct dataflow *t = s->trace;

    for (uint32_t i = 0; i < s->read_count; i++) {
        const struct serial_read *r = &s->reads[i];

        for (uint32_t w = t->writer_start[r->key]; w < t->writer_start[r->key + 1]; w++) {
            uint32_t c = t->writers[w];

            if (c != r->writer && c != r->txn && s->place[c] < s->place[r->txn] &&
                (r->writer == DATAFLOW_INITIAL || s->place[c] > s->place[r->writer])) {
                *read = r;
                *other = c;
                return true;
            }
        }
    }
    return false;
}

/* Orders that are known, and not contradictory: an order that explains all, or none. */
static enum status find_order(struct serializer *s, const struct bit_rows *before,
                              enum serialize_answer *answer, struct error *err)
{
    const struct serial_read *read;
    uint32_t other;

    sort_transactions(s, before);
    *answer = SERIALIZE_ORDER;
    if (!find_violation(s, &read, &other))
        return STATUS_OK;
    for (unsigned way = 0; way < 2; way++) {
        size_t used = s->arena->used;
        struct bit_rows more;

        *answer = SERIALIZE_STOPPED;
        if (++s->branches > SERIALIZE_BRANCHES_MAX || (s->stop && atomic_load(s->stop)))
            return STATUS_OK;
        TRY(bit_rows_init(&more, before->count, s->arena, err));
        memcpy(more.at, before->at, (size_t)more.count * more.words * sizeof *more.at);
        *answer = SERIALIZE_NO_ORDER;
        if (add_order(&more, way == 0 ? read->txn : other, way == 0 ? other : read->writer) &&
            saturate(s, &more))
            TRY(find_order(s, &more, answer, err));
        arena_reset_to(s->arena, used);
        if (*answer != SERIALIZE_NO_ORDER)
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* Sessions and who reads from whom. False: a cycle. */
static bool add_first(const struct serializer *s, const struct bit_rows *before)
{
    for (uint32_t txn = 0; txn < s->trace->txn_count; txn++)
        if (s->trace->previous[txn] != DATAFLOW_NONE &&
            !add_order(before, s->trace->previous[txn], txn))
            return false;
    for (uint32_t i = 0; i < s->read_count; i++)
        if (s->reads[i].writer != DATAFLOW_INITIAL &&
            !add_order(before, s->reads[i].writer, s->reads[i].txn))
            return false;
    return true;
}

enum status serialize(const struct dataflow *trace, struct arena *arena, const atomic_bool *stop,
                      enum serialize_answer *answer, uint32_t **order, struct error *err)
{
    struct serializer s = { .trace = trace, .arena = arena, .stop = stop };
    struct bit_rows before;

    PREDICT_TAKE(arena, s.order, trace->txn_count, err);
    PREDICT_TAKE(arena, s.place, trace->txn_count, err);
    PREDICT_TAKE(arena, s.waiting, trace->txn_count, err);
    PREDICT_TAKE(arena, s.reads, trace->event_count, err);
    TRY(bit_rows_init(&before, trace->txn_count, arena, err));
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
            if (dataflow_is_read(trace->events[e]))
                s.reads[s.read_count++] =
                    (struct serial_read){ txn, trace->events[e].writer, trace->events[e].key };
    *order = s.order;
    *answer = SERIALIZE_CYCLE;
    if (!add_first(&s, &before) || !saturate(&s, &before))
        return STATUS_OK;
    return find_order(&s, &before, answer, err);
}
