#include "cli/clock_error.h"

#include "checkers/interval/profile.h"

#define OPS_JUDGED_MAX UINT64_C(8000000) /* in all runs together: a few seconds */
#define OPS_GUESSED_MAX UINT64_C(4000000) /* where no finding says what it takes */
#define GUESS_NS INT64_C(1000000)         /* then a millisecond is tried first */
#define RUNS_MAX 48

/* Something that is enough, and something that is not. */
static enum status find_ends(const struct clock_error_trial *trial, int64_t *low, int64_t *high,
                             uint64_t *runs_left, struct error *err)
{
    bool explains = false;

    for (; *high <= CLOCK_ERROR_MAX_NS && *runs_left > 0; *high *= 2) {
        --*runs_left;
        TRY(trial->judge(trial->context, *high, &explains, err));
        if (explains)
            return STATUS_OK;
        *low = *high;
    }
    *high = 0;
    return STATUS_OK;
}

enum status clock_error_search(const struct clock_error_trial *trial, int64_t low, int64_t about,
                               int64_t *ns, struct error *err)
{
    uint64_t runs_left = (about > 0 ? OPS_JUDGED_MAX : OPS_GUESSED_MAX) / (trial->op_count + 1);
    int64_t high = about;

    *ns = 0;
    if (low > CLOCK_ERROR_MAX_NS)
        return STATUS_OK;
    if (runs_left > RUNS_MAX)
        runs_left = RUNS_MAX;
    if (high == 0)
        high = low > GUESS_NS / 2 ? 2 * low : GUESS_NS;
    TRY(find_ends(trial, &low, &high, &runs_left, err));
    while (high - low > 1 + high / 100 && runs_left > 0) {
        int64_t middle = low + (high - low) / 2;
        bool explains;

        runs_left--;
        TRY(trial->judge(trial->context, middle, &explains, err));
        if (explains)
            high = middle;
        else
            low = middle;
    }
    *ns = high;
    return STATUS_OK;
}

/* --- Of a check ------------------------------------------------------------------------------ */

struct recheck {
    const struct checker *checker;
    const struct history *history;
    struct check_options options;
};

static enum status check_again(void *context, int64_t ns, bool *explains, struct error *err)
{
    struct recheck *r = context;
    struct check check;
    enum status status;

    r->options.clock_error_ns = ns;
    status = checker_run(r->checker, r->history, &r->options, &check, err);
    *explains = status == STATUS_OK && check.verdict == VERDICT_VALID; /* and all was looked at */
    check_close(&check);
    return status;
}

static bool is_by_times(const struct check *check, const struct check_options *options)
{
    return check->verdict == VERDICT_INVALID && checker_can(check->checker, ABLE_PROFILE) &&
           options->profile && options->profile->timing != TIMING_NONE;
}

enum status clock_error_find(const struct check *check, const struct history *h,
                             const struct check_options *options, int64_t *ns, struct error *err)
{
    struct recheck r = { .checker = check->checker, .history = h, .options = *options };
    struct clock_error_trial trial = { check_again, &r, check->op_count };

    *ns = 0;
    if (check->clock_error_ns == 0 && !is_by_times(check, options))
        return STATUS_OK;
    r.options.flags = 0;
    r.options.progress = NULL;
    return clock_error_search(&trial, options->clock_error_ns, check->clock_error_ns, ns, err);
}
