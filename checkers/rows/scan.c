#include "checkers/rows/scan_private.h"

#include <stdbool.h>

/* clang 14 knows the attribute, but gives the functions names that nothing links with. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#    define VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define VECTORS
#endif

static inline bool is_in(int64_t cell, struct scan_span span)
{
    return (cell >= span.low) & (cell <= span.high);
}

VECTORS uint32_t scan_count(const int64_t *cells, uint32_t count, struct scan_span span)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += is_in(cells[i], span);
    return (uint32_t)found;
}

/* The cell if it is in the span, else the other: by masks, which vectors have. */
static inline int64_t in_or(int64_t cell, struct scan_span span, int64_t other)
{
    int64_t out = -(int64_t)!is_in(cell, span);

    return cell ^ ((cell ^ other) & out);
}

VECTORS int64_t scan_least(const int64_t *cells, uint32_t count, struct scan_span span)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        int64_t cell = in_or(cells[i], span, INT64_MAX);

        least = cell < least ? cell : least;
    }
    return least;
}

VECTORS int64_t scan_most(const int64_t *cells, uint32_t count, struct scan_span span)
{
    int64_t most = INT64_MIN;

    for (uint32_t i = 0; i < count; i++) {
        int64_t cell = in_or(cells[i], span, INT64_MIN);

        most = cell > most ? cell : most;
    }
    return most;
}

VECTORS uint64_t scan_sum(const int64_t *cells, uint32_t count, struct scan_span span)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (uint64_t)in_or(cells[i], span, 0);
    return sum;
}
