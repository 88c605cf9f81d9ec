#include "sim/trace.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BATCH 128
#define CHECKPOINT_SHIFT_FIRST 10

enum print {
    PRINT_NOTHING,
    PRINT_NUMBER,
    PRINT_NUMBERS,
    PRINT_SIGNED,
    PRINT_DURATION,
    PRINT_MESSAGE
};

static const struct {
    const char *name;
    enum print print;
} kinds[TRACE_KIND_COUNT] = {
#define X(kind, name, print) { name, PRINT_##print },
    TRACE_KINDS(X)
#undef X
};

/* libsodium wants its state at a multiple of 64; the arena gives multiples of 16. */
static struct digest_stream *push_stream(struct arena *arena)
{
    size_t alignment = _Alignof(struct digest_stream);
    char *at = arena_push(arena, 1, sizeof(struct digest_stream) + alignment);

    if (!at)
        return NULL;
    return (struct digest_stream *)(void *)(at + (alignment - (uintptr_t)at % alignment));
}

enum status trace_init(struct trace *trace, const struct trace_options *options,
                       uint32_t node_count, struct arena *arena, struct error *err)
{
    *trace = (struct trace){ .options = *options,
                             .node_count = node_count,
                             .checkpoint_shift = CHECKPOINT_SHIFT_FIRST };
    trace->ring = arena_push(arena, TRACE_RING_COUNT, sizeof *trace->ring);
    trace->checkpoints = arena_push(arena, TRACE_CHECKPOINT_COUNT_MAX, sizeof *trace->checkpoints);
    trace->window = arena_push(arena, options->window_count, sizeof *trace->window);
    trace->stream = push_stream(arena);
    if (!trace->ring || !trace->checkpoints || !trace->window || !trace->stream)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the trace");
    digest_begin(trace->stream);
    return STATUS_OK;
}

void trace_close(struct trace *trace)
{
    buffer_close(&trace->line);
}

/* Written out, so that a compiler sees one store where the machine is little-endian. */
static void put_word(char *to, uint64_t word)
{
    to[0] = (char)(uint8_t)word;
    to[1] = (char)(uint8_t)(word >> 8);
    to[2] = (char)(uint8_t)(word >> 16);
    to[3] = (char)(uint8_t)(word >> 24);
    to[4] = (char)(uint8_t)(word >> 32);
    to[5] = (char)(uint8_t)(word >> 40);
    to[6] = (char)(uint8_t)(word >> 48);
    to[7] = (char)(uint8_t)(word >> 56);
}

_Static_assert(TRACE_KIND_COUNT <= 256, "a kind has eight bits of a record");

/* Nobody is the number behind the last endpoint that there can be. */
static uint64_t endpoint_bits(uint32_t endpoint)
{
    return endpoint < TRACE_ENDPOINT_COUNT_MAX ? endpoint : TRACE_ENDPOINT_COUNT_MAX;
}

static void put_record(char *to, const struct trace_record *record)
{
    put_word(to, (uint64_t)record->at_ns);
    put_word(to + 8, record->kind | endpoint_bits(record->node) << 8 |
                         endpoint_bits(record->peer) << 20 | (uint64_t)record->size << 32);
    put_word(to + 16, record->a);
    put_word(to + 24, record->b);
}

/* Hashes `count` records that start at a multiple of the batch. */
static void hash_records(struct digest_stream *stream, const struct trace_record *records,
                         size_t count)
{
    char bytes[BATCH * TRACE_RECORD_BYTES];

    assert(count <= BATCH);
    for (size_t i = 0; i < count; i++)
        put_record(bytes + i * TRACE_RECORD_BYTES, &records[i]);
    digest_add(stream, bytes, count * TRACE_RECORD_BYTES);
}

/* Every second one stays: those that the doubled distance would have made. */
static void thin_checkpoints(struct trace *trace)
{
    trace->checkpoint_count /= 2;
    trace->checkpoint_shift++;
    for (uint32_t i = 0; i < trace->checkpoint_count; i++)
        trace->checkpoints[i] = trace->checkpoints[2 * i + 1];
}

static void end_batch(struct trace *trace)
{
    uint64_t first = trace->count - BATCH;
    struct digest_stream stream;

    if (trace->options.unhashed)
        return;
    hash_records(trace->stream, &trace->ring[first % TRACE_RING_COUNT], BATCH);
    if (trace->count % (UINT64_C(1) << trace->checkpoint_shift) != 0)
        return;
    stream = *trace->stream;
    trace->checkpoints[trace->checkpoint_count++] = digest_end(&stream);
    if (trace->checkpoint_count == TRACE_CHECKPOINT_COUNT_MAX)
        thin_checkpoints(trace);
}

static void tell(struct trace *trace, const struct trace_record *record, struct text detail)
{
    buffer_clear(&trace->line);
    trace_print(trace, record, detail, &trace->line);
    trace->options.line(trace->options.line_context,
                        (struct text){ trace->line.at, trace->line.count });
}

void trace_add(struct trace *trace, const struct trace_record *record, struct text detail)
{
    uint64_t into_window = trace->count - trace->options.window_from;

    trace->ring[trace->count % TRACE_RING_COUNT] = *record;
    if (into_window < trace->options.window_count)
        trace->window[into_window] = *record;
    trace->count++;
    if (trace->count % BATCH == 0)
        end_batch(trace);
    if (trace->options.line)
        tell(trace, record, detail);
}

bool trace_is_read(const struct trace *trace)
{
    return trace->options.line != NULL;
}

struct digest trace_hash(const struct trace *trace)
{
    struct digest_stream stream = *trace->stream;
    uint64_t rest = trace->count % BATCH;

    if (!trace->options.unhashed)
        hash_records(&stream, &trace->ring[(trace->count - rest) % TRACE_RING_COUNT], rest);
    return digest_end(&stream);
}

static void print_endpoint(const struct trace *trace, uint32_t endpoint, struct buffer *to)
{
    if (endpoint < trace->node_count)
        buffer_print(to, "n%" PRIu32, endpoint);
    else
        buffer_print(to, "c%" PRIu32, endpoint - trace->node_count);
}

/* Bare numbers only where nobody has put them into words. */
static void print_fields(const struct trace_record *record, bool has_detail, struct buffer *to)
{
    switch (kinds[record->kind].print) {
    case PRINT_NOTHING:
        break;
    case PRINT_NUMBER:
        buffer_print(to, " %" PRIu64, record->a);
        break;
    case PRINT_NUMBERS:
        if (!has_detail)
            buffer_print(to, " %" PRIu64 " %" PRIu64, record->a, record->b);
        break;
    case PRINT_SIGNED:
        buffer_print(to, " %+" PRId64, (int64_t)record->a);
        break;
    case PRINT_DURATION:
        buffer_print(to, " %+" PRId64 " us", (int64_t)record->a / 1000);
        break;
    case PRINT_MESSAGE:
        buffer_print(to, " #%" PRIu64 ", %" PRIu32 " bytes", record->a, record->size);
        break;
    }
}

void trace_print(const struct trace *trace, const struct trace_record *record, struct text detail,
                 struct buffer *to)
{
    int64_t us = record->at_ns / 1000;

    buffer_print(to, "%9" PRId64 ".%03d %03d ms  ", us / 1000, (int)(us % 1000),
                 (int)(record->at_ns % 1000));
    if (record->node != TRACE_NOBODY)
        print_endpoint(trace, record->node, to);
    if (record->peer != TRACE_NOBODY) {
        buffer_text(to, TEXT(" → "));
        print_endpoint(trace, record->peer, to);
    }
    if (record->node != TRACE_NOBODY)
        buffer_text(to, TEXT("  "));
    buffer_print(to, "%s", kinds[record->kind].name);
    print_fields(record, detail.length > 0, to);
    if (detail.length > 0) {
        buffer_text(to, TEXT("  "));
        buffer_text(to, detail);
    }
}

/* The checkpoint of the first (i + 1) << shift records; shift is at least the trace's own. */
static const struct digest *checkpoint_at(const struct trace *trace, uint64_t i, uint32_t shift)
{
    uint64_t place = ((i + 1) << (shift - trace->checkpoint_shift)) - 1;

    return place < trace->checkpoint_count ? &trace->checkpoints[place] : NULL;
}

static bool same_digest(const struct digest *a, const struct digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool trace_find_window(const struct trace *one, const struct trace *two, uint64_t *from,
                       uint64_t *count)
{
    uint32_t shift = one->checkpoint_shift;
    uint64_t shorter = one->count < two->count ? one->count : two->count;
    struct digest hash_one = trace_hash(one), hash_two = trace_hash(two);

    if (one->count == two->count && same_digest(&hash_one, &hash_two))
        return false;
    if (shift < two->checkpoint_shift)
        shift = two->checkpoint_shift;
    for (uint64_t i = 0;; i++) {
        const struct digest *a = checkpoint_at(one, i, shift), *b = checkpoint_at(two, i, shift);
        *from = i << shift;
        if (!a || !b) {
            /* One may simply go on where the other ends. */
            *count = shorter - *from + 1;
            return true;
        }
        if (!same_digest(a, b)) {
            *count = UINT64_C(1) << shift;
            return true;
        }
    }
}

const struct trace_record *trace_window_record(const struct trace *trace, uint64_t number)
{
    uint64_t into_window = number - trace->options.window_from;

    if (number >= trace->count || into_window >= trace->options.window_count)
        return NULL;
    return &trace->window[into_window];
}

static bool same_record(const struct trace_record *a, const struct trace_record *b)
{
    char bytes_a[TRACE_RECORD_BYTES], bytes_b[TRACE_RECORD_BYTES];

    if (!a || !b)
        return a == b;
    put_record(bytes_a, a);
    put_record(bytes_b, b);
    return memcmp(bytes_a, bytes_b, sizeof bytes_a) == 0;
}

bool trace_find_difference(const struct trace *one, const struct trace *two, uint64_t *number)
{
    uint64_t from = one->options.window_from, count = one->options.window_count;

    assert(from == two->options.window_from && count == two->options.window_count);
    for (*number = from; *number - from < count; ++*number)
        if (!same_record(trace_window_record(one, *number), trace_window_record(two, *number)))
            return true;
    return false;
}
