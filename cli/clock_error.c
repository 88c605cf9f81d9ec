#include "cli/clock_error.h"

#include <stdbool.h>

#include "checkers/interval/profile.h"

#define OPS_JUDGED_MAX UINT64_C(8000000) /* in all runs together */
#define OPS_GUESSED_MAX UINT64_C(4000000) /* where no finding says what it takes */
#define GUESS_NS INT64_C(1000000)         /* then a millisecond is tried first */
#define RUNS_MAX 48

struct clock_error_search {
    const struct clock_error_trial *trial;
    uint64_t runs_left;
    bool is_stopped;
};

/* Whether so much was tried, and what came of it. */
static enum status try_error(struct clock_error_search *s, int64_t ns, bool *is_tried,
                             enum clock_error_answer *answer, struct error *err)
{
    const atomic_bool *stop = s->trial->stop;
    enum status status = STATUS_OK;

    *answer = CLOCKS_DO_NOT;
    *is_tried = s->runs_left > 0 && !s->is_stopped;
    if (!*is_tried)
        return STATUS_OK;
    s->runs_left--;
    status = s->trial->judge(s->trial->context, ns, answer, err);
    s->is_stopped = stop && atomic_load_explicit(stop, memory_order_relaxed);
    *is_tried = !s->is_stopped;
    return status;
}

/* Something that is enough, and something that is not. */
static enum status find_ends(struct clock_error_search *s, int64_t *low, int64_t *high,
                             struct error *err)
{
    enum clock_error_answer answer, most;
    bool is_first = true, is_tried;

    for (; *high <= CLOCK_ERROR_MAX_NS; *high *= 2) {
        TRY(try_error(s, *high, &is_tried, &answer, err));
        if (!is_tried)
            break;
        if (answer == CLOCKS_EXPLAIN)
            return STATUS_OK;
        *low = *high;
        if (is_first)
            TRY(try_error(s, CLOCK_ERROR_MAX_NS, &is_tried, &most, err));
        if (is_first && is_tried && most == CLOCKS_DO_NOT)
            break;
        is_first = false;
    }
    *high = 0;
    return STATUS_OK;
}

enum status clock_error_search(const struct clock_error_trial *trial, int64_t low, int64_t about,
                               int64_t *ns, struct error *err)
{
    struct clock_error_search s = {
        .trial = trial,
        .runs_left = (about > 0 ? OPS_JUDGED_MAX : OPS_GUESSED_MAX) / (trial->op_count + 1),
    };
    enum clock_error_answer answer;
    int64_t high = about;
    bool is_tried = true;

    *ns = 0;
    if (low > CLOCK_ERROR_MAX_NS)
        return STATUS_OK;
    if (s.runs_left > RUNS_MAX)
        s.runs_left = RUNS_MAX;
    if (high == 0)
        high = low > GUESS_NS / 2 ? 2 * low : GUESS_NS;
    TRY(find_ends(&s, &low, &high, err));
    while (high - low > 1 + high / 100 && is_tried) {
        int64_t middle = low + (high - low) / 2;

        TRY(try_error(&s, middle, &is_tried, &answer, err));
        if (is_tried && answer == CLOCKS_EXPLAIN)
            high = middle;
        else if (is_tried)
            low = middle;
    }
    *ns = high == 0 && s.is_stopped ? CLOCK_ERROR_UNKNOWN : high;
    return STATUS_OK;
}

/* --- Of a check ------------------------------------------------------------------------------ */

struct recheck {
    const struct checker *checker;
    const struct history *history;
    struct check_options options;
};

static enum status check_again(void *context, int64_t ns, enum clock_error_answer *answer,
                               struct error *err)
{
    struct recheck *r = context;
    struct check check;
    enum status status;

    r->options.clock_error_ns = ns;
    status = checker_run(r->checker, r->history, &r->options, &check, err);
    *answer = check.verdict == VERDICT_INVALID || status != STATUS_OK ? CLOCKS_DO_NOT
              : check.verdict == VERDICT_VALID                        ? CLOCKS_EXPLAIN
                                                                      : CLOCKS_LEAVE_OPEN;
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
    struct clock_error_trial trial = { check_again, &r, check->op_count, options->stop };

    *ns = 0;
    if (check->clock_error_ns == 0 && !is_by_times(check, options))
        return STATUS_OK;
    r.options.flags = 0;
    r.options.progress = NULL;
    return clock_error_search(&trial, options->clock_error_ns, check->clock_error_ns, ns, err);
}
