#include "audit/z3/by_z3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "history/level.h"

void by_z3_close(struct by_z3 *z)
{
    replayed_close(&z->replayed);
}

/* It is an execution only if the machine comes to these answers as well. */
static enum status replay(struct by_z3 *z, const struct prefixes *job,
                          const struct prefixes_reply *reply, struct runner *runner,
                          struct error *err)
{
    TRY(runner_open(runner, z->plan, z->rows, job->mode, err));
    TRY(replayed_run(&z->replayed, job, reply, runner, err));
    z->is_found = z->replayed.is_whole;
    if (z->replayed.disagrees)
        snprintf(z->reason, sizeof z->reason,
                 "the engine z3 has found an execution, but transaction %lld does not give these "
                 "answers in it: a "
                 "fault of this engine; ask --engine native",
                 (long long)z->plan->txns.at[z->replayed.txn].logged->id);
    return STATUS_OK;
}

static void say_open(struct by_z3 *z, const struct prefixes_reply *reply)
{
    if (reply->reason[0])
        snprintf(z->reason, sizeof z->reason, "%s", reply->reason);
    else if (reply->is_stopped)
        snprintf(z->reason, sizeof z->reason,
                 "the time was over when Z3 had found an execution of %" PRIu32 " transactions",
                 reply->solved);
    else
        snprintf(z->reason, sizeof z->reason, "Z3 gave up behind %" PRIu32 " transactions",
                 reply->solved);
}

/* By one rule. */
static enum status solve(struct by_z3 *z, const struct prefixes *job, struct runner *runner,
                         struct error *err)
{
    struct prefixes_reply *reply = NULL;
    enum status status = prefixes_solve(job, &reply, err);
    bool has_answer = status == STATUS_OK && reply->is_done && !reply->reason[0];

    z->is_impossible = has_answer && reply->answer == SMT_IMPOSSIBLE;
    if (status == STATUS_OK) {
        z->result.solved = reply->solved;
        z->result.checks += reply->checks;
        z->jumps += reply->jumps;
        z->result.answer = z->is_impossible ? AUDIT_Z3_IMPOSSIBLE : AUDIT_Z3_UNDECIDED;
    }
    if (has_answer && reply->answer == SMT_HOLDS) {
        z->result.answer = AUDIT_Z3_HOLDS;
        status = replay(z, job, reply, runner, err);
    } else if (status == STATUS_OK && !z->is_impossible) {
        say_open(z, reply);
    }
    free(reply);
    return status;
}

static enum status solve_rules(struct by_z3 *z, struct prefixes *job, struct runner *runner,
                               struct error *err)
{
    bool is_possible = true;

    if (level_is_snapshot(z->options->level) && level_closing(z->options->level) == CLOSING_TIME)
        TRY(prefixes_bound(job, &is_possible, err));
    if (!is_possible) {
        snprintf(z->reason, sizeof z->reason,
                 "the engine z3 tries the order of commits alone, which is not that of time");
        return STATUS_OK;
    }
    TRY(solve(z, job, runner, err));
    if (!z->is_impossible || job->mode != RUN_SNAPSHOT)
        return STATUS_OK;
    job->by_value = z->by_value = true;
    return solve(z, job, runner, err);
}

enum status by_z3_run(struct by_z3 *z, struct runner *runner, struct error *err)
{
    static const enum run_mode modes[] = { RUN_LOCKING, RUN_STATEMENT, RUN_PAPER };
    const struct audit_z3_options *z3 = &z->options->z3;
    enum level level = z->options->level;
    struct prefixes job = { .plan = z->plan,
                            .rows = z->rows,
                            .order = z->order,
                            .count = z->count,
                            .is_by_elements = z3->is_by_elements,
                            .heuristics = z3->heuristics,
                            .rlimit = z3->rlimit > 0 ? z3->rlimit : AUDIT_Z3_RLIMIT,
                            .stop = z->options->stop };
    enum status status;

    job.mode = z->mode = level_is_serializable(level) ? RUN_AT_PLACE
                         : level_is_snapshot(level)   ? RUN_SNAPSHOT
                                                      : modes[z->options->model];
    status = solve_rules(z, &job, runner, err);
    prefixes_close(&job);
    return status;
}
