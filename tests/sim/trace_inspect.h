/*
 * trace_inspect: the last records of a trace, for tests.
 */
#ifndef TESTS_SIM_TRACE_INSPECT_H
#define TESTS_SIM_TRACE_INSPECT_H

#include "sim/trace.h"

/* The n-th before the last; NULL: it is not kept any more, or there never was one. */
static inline const struct trace_record *trace_last(const struct trace *trace, uint64_t n)
{
    if (n >= trace->count || n >= TRACE_RING_COUNT)
        return NULL;
    return &trace->ring[(trace->count - 1 - n) % TRACE_RING_COUNT];
}

#endif
