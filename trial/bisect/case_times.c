#include "trial/bisect/case_times_private.h"

#include <stdlib.h>

/* Times at which something begins or ends, rising, and where they are moved to. */
struct case_times {
    ARRAY(int64_t) from;
    ARRAY(int64_t) to;
};

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static enum status collect(struct case_times *times, const struct bisect_case *c, struct error *err)
{
    TRY(array_push(&times->from, 0, err));
    for (size_t i = 0; i < c->listing.txns.count; i++)
        TRY(array_push(&times->from, c->listing.txns.at[i].at_ns, err));
    for (size_t i = 0; i < c->strikes.count; i++) {
        TRY(array_push(&times->from, c->strikes.at[i].at_ns, err));
        TRY(array_push(&times->from, c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns, err));
    }
    qsort(times->from.at, times->from.count, sizeof *times->from.at, compare_times);
    return STATUS_OK;
}

static enum status tighten(struct case_times *times, int64_t pause_ns, struct error *err)
{
    int64_t saved_ns = 0;

    for (size_t i = 0; i < times->from.count; i++) {
        int64_t gap_ns = i > 0 ? times->from.at[i] - times->from.at[i - 1] : 0;

        if (gap_ns > pause_ns)
            saved_ns += gap_ns - pause_ns;
        TRY(array_push(&times->to, times->from.at[i] - saved_ns, err));
    }
    return STATUS_OK;
}

static int64_t moved(const struct case_times *times, int64_t at_ns)
{
    const int64_t *place = bsearch(&at_ns, times->from.at, times->from.count,
                                   sizeof *times->from.at, compare_times);

    return times->to.at[place - times->from.at];
}

static void move_all(struct bisect_case *c, const struct case_times *times)
{
    for (size_t i = 0; i < c->listing.txns.count; i++)
        c->listing.txns.at[i].at_ns = moved(times, c->listing.txns.at[i].at_ns);
    for (size_t i = 0; i < c->strikes.count; i++) {
        struct case_strike *strike = &c->strikes.at[i];
        int64_t end_ns = moved(times, strike->at_ns + strike->lasts_ns);

        strike->at_ns = moved(times, strike->at_ns);
        if (strike->lasts_ns > 0)
            strike->lasts_ns = end_ns - strike->at_ns;
    }
}

enum status case_tighten(struct bisect_case *out, const struct bisect_case *c, int64_t pause_ns,
                         struct error *err)
{
    struct case_times times = { 0 };
    enum status status;

    TRY(case_copy(out, c, err));
    status = collect(&times, c, err);
    if (status == STATUS_OK)
        status = tighten(&times, pause_ns, err);
    if (status == STATUS_OK)
        move_all(out, &times);
    array_close(&times.from);
    array_close(&times.to);
    return status;
}

static int64_t first_ns(const struct bisect_case *c)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns < first)
            first = c->listing.txns.at[i].at_ns;
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns < first)
            first = c->strikes.at[i].at_ns;
    return first;
}

static int64_t last_ns(const struct bisect_case *c)
{
    int64_t last = 0;

    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns > last)
            last = c->listing.txns.at[i].at_ns;
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns > last)
            last = c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns;
    return last;
}

int64_t case_end_ns(const struct bisect_case *c)
{
    int64_t end_ns = c->listing.txns.count > 0 ? last_ns(c) : INT64_MAX;

    return end_ns < c->settings.duration_ns ? end_ns : c->settings.duration_ns;
}

enum status case_until(struct bisect_case *out, const struct bisect_case *c, int64_t end_ns,
                       struct error *err)
{
    *out = (struct bisect_case){ .settings = c->settings };
    if (end_ns < out->settings.duration_ns)
        out->settings.duration_ns = end_ns;
    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns <= end_ns)
            listed_copy(&out->listing, &c->listing, &c->listing.txns.at[i]);
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns <= end_ns)
            TRY(array_push(&out->strikes, c->strikes.at[i], err));
    return listed_status(&out->listing, err);
}

void case_shorten(struct bisect_case *c, int64_t after_ns)
{
    int64_t second_ns = 1000000000;
    int64_t end_ns = (last_ns(c) + after_ns + second_ns - 1) / second_ns * second_ns;

    if (end_ns < c->settings.duration_ns)
        c->settings.duration_ns = end_ns;
}

enum status case_start(struct bisect_case *out, const struct bisect_case *c, int64_t start_ns,
                       struct error *err)
{
    int64_t later_ns = first_ns(c) < start_ns ? start_ns - first_ns(c) : 0;

    TRY(case_copy(out, c, err));
    for (size_t i = 0; i < out->listing.txns.count; i++)
        out->listing.txns.at[i].at_ns += later_ns;
    for (size_t i = 0; i < out->strikes.count; i++)
        out->strikes.at[i].at_ns += later_ns;
    out->settings.duration_ns += later_ns;
    return STATUS_OK;
}

static int64_t rounded(int64_t ns, int64_t unit_ns)
{
    return (ns + unit_ns / 2) / unit_ns * unit_ns;
}

enum status case_round(struct bisect_case *out, const struct bisect_case *c, int64_t unit_ns,
                       struct error *err)
{
    TRY(case_copy(out, c, err));
    for (size_t i = 0; i < out->listing.txns.count; i++)
        out->listing.txns.at[i].at_ns = rounded(out->listing.txns.at[i].at_ns, unit_ns);
    for (size_t i = 0; i < out->strikes.count; i++) {
        struct case_strike *strike = &out->strikes.at[i];

        strike->at_ns = rounded(strike->at_ns, unit_ns);
        if (strike->lasts_ns > 0)
            strike->lasts_ns = strike->lasts_ns < unit_ns ? unit_ns
                                                          : rounded(strike->lasts_ns, unit_ns);
    }
    return STATUS_OK;
}
