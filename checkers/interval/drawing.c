#include "checkers/interval/drawing_private.h"

#include <stdarg.h>
#include <stdio.h>

#include "checkers/interval/timeline_private.h"

#define DRAWING_WIDTH 48

void drawing_add(struct window_drawing *d, struct time_window times, const char *format, ...)
{
    va_list arguments;

    if (d->count == DRAWING_ROWS_MAX)
        return;
    d->rows[d->count].times = times;
    va_start(arguments, format);
    vsnprintf(d->rows[d->count].label, sizeof d->rows[d->count].label, format, arguments);
    va_end(arguments);
    d->count++;
}

static bool is_open(int64_t time)
{
    return time == TIMELINE_BEGINNING || time == TIMELINE_END;
}

static void find_scale(const struct window_drawing *d, int64_t *low, int64_t *high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (size_t i = 0; i < d->count; i++)
        for (int end = 0; end < 2; end++) {
            int64_t time = end ? d->rows[i].times.high : d->rows[i].times.low;

            if (is_open(time))
                continue;
            *low = time < *low ? time : *low;
            *high = time > *high ? time : *high;
        }
}

/* Its column; times that are far apart may lie 2^63 from each other. */
static int column_of(int64_t time, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low, from = (uint64_t)time - (uint64_t)low;

    if (time <= low || span == 0)
        return 0;
    if (time >= high)
        return DRAWING_WIDTH - 1;
    return (int)(from / (span / (DRAWING_WIDTH - 1) + 1));
}

void drawing_print(const struct window_drawing *d, struct buffer *out)
{
    int64_t low, high;

    find_scale(d, &low, &high);
    if (low > high)
        return;
    for (size_t i = 0; i < d->count; i++) {
        struct time_window times = d->rows[i].times;
        int from = is_open(times.low) ? 0 : column_of(times.low, low, high);
        int to = times.high == TIMELINE_END ? DRAWING_WIDTH - 1 : column_of(times.high, low, high);

        buffer_print(out, "%-20s ", d->rows[i].label);
        for (int c = 0; c <= to; c++)
            buffer_byte(out, c < from    ? ' '
                             : c == from ? (is_open(times.low) ? '-' : '|')
                             : c == to   ? (is_open(times.high) ? '>' : '|')
                                         : '-');
        buffer_byte(out, '\n');
    }
}
