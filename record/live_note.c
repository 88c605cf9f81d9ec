#include "record/live_note.h"

#include <inttypes.h>

#include "base/quantity.h"

/* The power of two, and the two bits behind the first. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned power = 63 - (unsigned)__builtin_clzll(ns | 4);

    return power * 4 + (unsigned)(ns >> (power - 2) & 3);
}

/* The largest that goes into it. */
static int64_t end_of(unsigned bucket)
{
    unsigned power = bucket / 4;

    return (int64_t)(((UINT64_C(5) + bucket % 4) << (power - 2)) - 1);
}

void live_note_add(struct live_note *note, int64_t latency_ns)
{
    note->counts[bucket_of(latency_ns > 0 ? (uint64_t)latency_ns : 0)]++;
    note->count++;
}

/* So many of a hundred took no longer. */
static int64_t percentile(const struct live_note *note, unsigned percent)
{
    uint64_t wanted = (note->count * percent + 99) / 100, sum = 0;

    for (unsigned i = 0; i < LIVE_NOTE_BUCKETS; i++) {
        sum += note->counts[i];
        if (sum >= wanted)
            return end_of(i);
    }
    return 0;
}

void live_note_print(const struct live_note *note, const struct recorded_run *run,
                     struct buffer *out)
{
    if (note->count > 0) {
        buffer_text(out, TEXT("half within "));
        quantity_print_rounded(out, percentile(note, 50));
        buffer_text(out, TEXT(", 99% within "));
        quantity_print_rounded(out, percentile(note, 99));
    }
    for (uint32_t i = 0; i < run->code_count; i++)
        buffer_print(out, "%s%s %" PRIu64, i ? ", " : "   ", run->codes[i].code,
                     run->codes[i].count);
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (run->faults[kind] > 0)
            buffer_print(out, "   %" PRIu32 " %s%s", run->faults[kind], fault_facts[kind].noun,
                         run->faults[kind] == 1 ? "" : "s");
}
