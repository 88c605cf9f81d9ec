/*
 * live_note: what a recording says of itself while it runs: latencies, reasons of rollbacks, faults.
 *
 *     half within 210 us, 99% within 3.9 ms   40001 57, 40P01 2   3 kills
 *
 * Latencies are counted in buckets, four for each power of two, so that a figure is at most a quarter
 * too large.
 */
#ifndef RECORD_LIVE_NOTE_H
#define RECORD_LIVE_NOTE_H

#include "record/record.h"

#define LIVE_NOTE_BUCKETS 256

struct live_note {
    uint64_t counts[LIVE_NOTE_BUCKETS];
    uint64_t count;
};

void live_note_add(struct live_note *, int64_t latency_ns);
/* As far as it has come. */
void live_note_print(const struct live_note *, const struct recorded_run *, struct buffer *);

#endif
