#include "cli/clock_error.h"

#include "checkers/interval/profile.h"

#define OPS_JUDGED_MAX UINT64_C(40000000) /* in all runs together */
#define OPS_GUESSED_MAX UINT64_C(4000000) /* where no finding says what it takes */
#define GUESS_NS INT64_C(1000000)         /* then a millisecond is tried first */
#define RUNS_MAX 48

struct search {
    const struct checker *checker;
    const struct history *history;
    struct check_options options;
    uint64_t runs_left;
};

static enum status try(struct search *s, int64_t ns, bool *explains, struct error *err)
{
    struct check check;
    enum status status;

    s->runs_left--;
    s->options.clock_error_ns = ns;
    status = checker_run(s->checker, s->history, &s->options, &check, err);
    *explains = status == STATUS_OK && check.verdict != VERDICT_INVALID;
    check_close(&check);
    return status;
}

/* Something that is enough, and something that is not. */
static enum status find_ends(struct search *s, int64_t *low, int64_t *high, struct error *err)
{
    bool explains = false;

    for (;;) {
        if (*high > CLOCK_ERROR_MAX_NS || s->runs_left == 0) {
            *high = 0;
            return STATUS_OK;
        }
        TRY(try(s, *high, &explains, err));
        if (explains)
            return STATUS_OK;
        *low = *high;
        *high *= 2;
    }
}

static bool is_by_times(const struct check *check, const struct check_options *options)
{
    return check->verdict == VERDICT_INVALID && check->checker->takes_profile &&
           options->profile && options->profile->timing != TIMING_NONE;
}

enum status clock_error_find(const struct check *check, const struct history *h,
                             const struct check_options *options, int64_t *ns, struct error *err)
{
    struct search s = { .checker = check->checker, .history = h, .options = *options };
    int64_t low = options->clock_error_ns, high = check->clock_error_ns;

    *ns = 0;
    if (high == 0 && !is_by_times(check, options))
        return STATUS_OK;
    s.options.flags = 0;
    s.options.progress = NULL;
    s.runs_left = (high > 0 ? OPS_JUDGED_MAX : OPS_GUESSED_MAX) / (check->op_count + 1);
    if (s.runs_left > RUNS_MAX)
        s.runs_left = RUNS_MAX;
    if (s.runs_left == 0 || low > CLOCK_ERROR_MAX_NS)
        return STATUS_OK;
    if (high == 0)
        high = low > GUESS_NS / 2 ? 2 * low : GUESS_NS;
    TRY(find_ends(&s, &low, &high, err));
    while (high - low > 1 + high / 100 && s.runs_left > 0) {
        int64_t middle = low + (high - low) / 2;
        bool explains;

        TRY(try(&s, middle, &explains, err));
        if (explains)
            high = middle;
        else
            low = middle;
    }
    *ns = high;
    return STATUS_OK;
}
