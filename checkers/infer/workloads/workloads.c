#include "checkers/infer/workloads/workloads.h"

#include <inttypes.h>
#include <string.h>

#include "checkers/infer/workloads/workloads_private.h"

#include "checkers/infer/workloads/workload_bank_private.h"
#include "checkers/infer/workloads/workload_counter_private.h"
#include "checkers/infer/workloads/workload_order_private.h"
#include "checkers/infer/workloads/workload_set_private.h"
#include "history/level.h"

/* --- Which it is -------------------------------------------------------------------- */

static bool is_called(const struct history *h, const char *name)
{
    return h->workload != HISTORY_NONE &&
           text_equal(history_text(h, h->workload), text_of(name));
}

/* Whether there is an item operation of that kind. */
static bool has_kind(const struct history *h, uint8_t kind)
{
    return h->op_count > 0 && memchr(h->op_kind, kind, h->op_count);
}

/* A store's own sets and counters are rows and registers, and judged as these. */
enum workload_kind workload_of(const struct history *h)
{
    bool has_writes = has_kind(h, OP_WRITE) || has_kind(h, OP_REMOVE);

    if (is_called(h, "bank"))
        return WORKLOAD_BANK;
    if (h->statement_count > 0 || has_writes)
        return WORKLOAD_NONE;
    return is_called(h, "set") ? WORKLOAD_SET : is_called(h, "counter") ? WORKLOAD_COUNTER : WORKLOAD_NONE;
}

bool workload_is_own(const struct history *h)
{
    enum workload_kind kind = workload_of(h);

    if (kind != WORKLOAD_BANK)
        return kind != WORKLOAD_NONE;
    return h->statement_count == 0 && !has_kind(h, OP_WRITE) && !has_kind(h, OP_REMOVE) &&
           !has_kind(h, OP_APPEND);
}

/* --- What judges share ---------------------------------------------------------------- */

bool workload_finds(struct workload_judge *j, unsigned which)
{
    if (j->told[which] == WORKLOAD_TOLD_MAX) {
        j->check->has_more_findings = true;
        return false;
    }
    j->told[which]++;
    return !check_is_full(j->check);
}

bool workload_goes_on(struct workload_judge *j, uint32_t txn)
{
    if (txn % 4096 != 0 || j->is_stopped)
        return !j->is_stopped;
    progress_report(j->options->progress, txn, j->history->txn_count);
    if (check_is_stopped(j->options)) {
        j->is_stopped = true;
        check_doubt(j->check, "stopped behind %" PRIu32 " of %zu transactions", txn,
                    j->history->txn_count);
    }
    return !j->is_stopped;
}

bool workload_asks_for_order(enum level level)
{
    return level_implies(level, LEVEL_SNAPSHOT) || level_implies(level, LEVEL_SERIALIZABLE) ||
           level == LEVEL_LINEARIZABLE;
}

/* --- Judging ------------------------------------------------------------------------- */

static enum status judge(struct workload_judge *j, enum workload_kind kind, struct error *err)
{
    switch (kind) {
    case WORKLOAD_BANK:
        return workload_judge_bank(j, err);
    case WORKLOAD_SET:
        return workload_judge_set(j, err);
    case WORKLOAD_COUNTER:
        return workload_judge_counter(j, err);
    case WORKLOAD_NONE:
        break;
    }
    return STATUS_OK;
}

static enum status judge_own(struct workload_judge *j, enum workload_kind kind, struct error *err)
{
    if (j->is_stopped)
        return STATUS_OK;
    if (kind == WORKLOAD_SET || (kind == WORKLOAD_COUNTER && j->check->verdict == VERDICT_VALID))
        return workload_find_order(j, kind, err);
    return j->check->verdict == VERDICT_VALID ? workload_tell_bank(j, err) : STATUS_OK;
}

enum status workloads_run(const struct history *h, const struct check_options *options,
                          struct check *check, uint64_t *ruled_out, struct error *err)
{
    struct workload_judge j = { .history = h, .options = options, .check = check };
    enum workload_kind kind = workload_of(h);

    j.is_timed = h->txn_invoked && h->txn_completed;
    TRY(judge(&j, kind, err));
    *ruled_out |= j.ruled_out;
    return workload_is_own(h) ? judge_own(&j, kind, err) : STATUS_OK;
}
