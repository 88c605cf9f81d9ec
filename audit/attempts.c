#include "audit/attempts_private.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/exhaust_private.h"
#include "audit/z3/by_z3.h"
#include "base/thread.h"

#define ATTEMPTS_MAX 16
#define STACK_BYTES ((size_t)8 << 20)

struct attempts {
    const struct audit *audit;
    struct attempt *at;
    uint32_t count;
    pthread_mutex_t mutex;
    uint32_t next; /* under the mutex */
};

/* --- Which ---------------------------------------------------------------------------------------------- */

static void add(struct attempts *all, struct way way)
{
    struct attempt *a = &all->at[all->count++];

    a->way = way;
    a->audit = all->audit;
    a->progress =
        all->count == 1 || all->audit->options->threads < 2 ? all->audit->options->progress : NULL;
}

static bool may_exhaust(const struct audit *audit)
{
    return !audit->options->by_outcomes && audit->plan.txns.count <= EXHAUST_TXNS_MAX;
}

static void add_serial(struct attempts *all)
{
    const struct audit *audit = all->audit;
    bool by_outcomes = audit->options->by_outcomes;

    if (by_outcomes)
        add(all, (struct way){ .kind = WAY_OUTCOMES, .mode = RUN_AT_PLACE });
    if (audit_respects_time(audit, audit->order))
        add(all, (struct way){ .kind = WAY_ORDER, .mode = RUN_AT_PLACE });
    if (audit_has_help(audit))
        add(all, (struct way){ .kind = WAY_SNAPSHOTS, .mode = RUN_SNAPSHOT, .uses_times = true });
    if (!by_outcomes)
        add(all, (struct way){ .kind = WAY_OUTCOMES, .mode = RUN_AT_PLACE });
    add(all, (struct way){ .kind = WAY_SNAPSHOTS, .mode = RUN_SNAPSHOT });
    if (may_exhaust(audit))
        add(all, (struct way){ .kind = WAY_ALL, .mode = RUN_AT_PLACE, .refutes = true });
}

/* By one rule or model: with times as a help, without, and all executions. */
static void add_mode(struct attempts *all, enum run_mode mode, bool by_value, bool is_weakest)
{
    const struct audit *audit = all->audit;
    bool is_strict = audit_is_strict(audit);
    bool refutes =
        mode == RUN_SNAPSHOT ? !by_value : is_weakest; /* by value is what it refutes in any case */
    bool by_outcomes = audit->options->by_outcomes;

    if (refutes && by_outcomes)
        add(all, (struct way){ .kind = WAY_OUTCOMES, .mode = mode });
    if (is_strict || audit_has_help(audit))
        add(all, (struct way){
                     .kind = WAY_STATES, .mode = mode, .by_value = by_value, .uses_times = true });
    if (refutes && !by_outcomes)
        add(all, (struct way){ .kind = WAY_OUTCOMES, .mode = mode });
    if (!is_strict)
        add(all, (struct way){ .kind = WAY_STATES, .mode = mode, .by_value = by_value });
    if (may_exhaust(audit))
        add(all, (struct way){
                     .kind = WAY_ALL, .mode = mode, .by_value = by_value, .refutes = is_weakest });
}

static void add_read_committed(struct attempts *all)
{
    static const enum run_mode modes[] = { RUN_LOCKING, RUN_STATEMENT, RUN_PAPER };
    unsigned weakest = (unsigned)all->audit->options->model;

    for (unsigned m = 0; m <= weakest; m++)
        add_mode(all, modes[m], false, m == weakest);
}

static void add_native(struct attempts *all)
{
    if (audit_is_serial(all->audit)) {
        add_serial(all);
    } else if (level_is_snapshot(all->audit->options->level)) {
        add_mode(all, RUN_SNAPSHOT, false, false);
        add_mode(all, RUN_SNAPSHOT, true, true);
    } else {
        add_read_committed(all);
    }
}

/* --- One after another, or at the same time --------------------------------------------------------------- */

static bool is_proof(const struct attempt *a)
{
    return a->way.kind == WAY_OUTCOMES && a->is_decided && a->verdict.verdict == VERDICT_INVALID;
}

/* Behind a transaction that took too many steps or too much memory, only a proof is looked for. */
static bool is_needed_behind(const struct attempt *a, const struct attempt *later)
{
    if (a->is_decided || a->status != STATUS_OK ||
        (a->pace.is_over && !atomic_load(&a->is_cancelled)))
        return false;
    return !a->limit[0] || later->way.kind == WAY_OUTCOMES;
}

static void cancel_others(struct attempts *all, const struct attempt *ended)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (is_proof(ended) || (&all->at[i] > ended && !is_needed_behind(ended, &all->at[i])))
            atomic_store(&all->at[i].is_cancelled, true);
}

static struct attempt *take_next(struct attempts *all)
{
    struct attempt *next = NULL;

    pthread_mutex_lock(&all->mutex);
    while (!next && all->next < all->count) {
        next = &all->at[all->next++];
        if (atomic_load(&next->is_cancelled))
            next = NULL;
    }
    pthread_mutex_unlock(&all->mutex);
    return next;
}

static void *work(void *context)
{
    struct attempts *all = context;
    struct attempt *a;

    while ((a = take_next(all))) {
        audit_attempt_run(a);
        pthread_mutex_lock(&all->mutex);
        cancel_others(all, a);
        pthread_mutex_unlock(&all->mutex);
    }
    return NULL;
}

static void run_all(struct attempts *all)
{
    pthread_t threads[ATTEMPTS_MAX];
    uint32_t wanted = all->audit->options->threads, started = 0;

    if (wanted > all->count)
        wanted = all->count;
    while (started + 1 < wanted && thread_start(&threads[started], STACK_BYTES, work, all) == 0)
        started++;
    work(all);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* --- What they came to -------------------------------------------------------------------------------------- */

/* Nothing behind it counts. */
static bool is_end(const struct attempt *a)
{
    return a->is_decided || a->status != STATUS_OK || a->limit[0];
}

/* The one that counts; else the last. */
static struct attempt *choose(const struct attempts *all)
{
    struct attempt *last = &all->at[0];

    for (uint32_t i = 0; i < all->count; i++)
        if (is_proof(&all->at[i]))
            return &all->at[i];
    for (uint32_t i = 0; i < all->count && !is_end(last); i++)
        if (all->at[i].is_run)
            last = &all->at[i];
    return last;
}

/* The first answer that was wrong is what is shown, also of a log that is invalid because nothing was found. */
static void take_wrong(struct attempts *all, struct attempt *chosen)
{
    for (struct attempt *a = all->at; a < chosen && !chosen->verdict.wrong.is_there; a++) {
        chosen->verdict.wrong = a->verdict.wrong;
        a->verdict.wrong = (struct audit_wrong){ .is_there = false };
    }
}

static void take_counts(const struct attempts *all, struct attempt *chosen)
{
    struct audit_counts *counts = &chosen->verdict.counts;

    counts->runs += all->audit->runs;
    for (const struct attempt *a = all->at; a < chosen; a++) {
        counts->runs += a->verdict.counts.runs;
        counts->jumps += a->verdict.counts.jumps;
    }
}

static const char *what_was_not_found(const struct attempt *chosen)
{
    if (chosen->audit->options->engine == AUDIT_Z3)
        return "Z3 finds no execution in the order of commits";
    return audit_is_serial(chosen->audit) ? "no serial order was found" : "no execution was found";
}

static void say_no_proof(const struct attempts *all, struct attempt *chosen)
{
    char *reason = chosen->verdict.reason;
    size_t room = sizeof chosen->verdict.reason;
    const char *what = what_was_not_found(chosen), *no_proof = "";
    uint32_t open_line = 0;

    for (const struct attempt *a = all->at; a <= chosen; a++) {
        open_line = a->open_line > 0 ? a->open_line : open_line;
        no_proof = a->no_proof[0] ? a->no_proof : no_proof;
    }
    if (open_line > 0)
        snprintf(reason, room,
                 "%s, but the program uses an order of rows that SQL leaves open (line %" PRIu32
                 "), and other orders were not tried",
                 what, open_line);
    else
        snprintf(reason, room, "%s, which is no proof that there is none%s%s", what,
                 no_proof[0] ? ": " : "", no_proof);
}

static void say_why_unknown(const struct attempts *all, struct attempt *chosen)
{
    char *reason = chosen->verdict.reason;
    size_t room = sizeof chosen->verdict.reason;

    if (chosen->pace.is_over)
        snprintf(reason, room, "the time was over");
    else if (chosen->limit[0])
        snprintf(reason, room, "%s", chosen->limit);
    else if (chosen->way.kind == WAY_ALL && !chosen->is_refuted)
        snprintf(reason, room, "no %s was found in as many runs as were allowed",
                 audit_is_serial(chosen->audit) ? "serial order" : "execution");
    else if (!reason[0])
        say_no_proof(all, chosen);
}

static enum status conclude(struct attempts *all, struct attempt *chosen,
                            struct audit_verdict *verdict, struct error *err)
{
    bool is_valid;

    if (chosen->status != STATUS_OK) {
        *err = chosen->err;
        return chosen->status;
    }
    is_valid = chosen->is_decided && chosen->verdict.verdict == VERDICT_VALID;
    if (!is_valid)
        take_wrong(all, chosen);
    if (chosen->way.refutes && chosen->is_refuted && !is_end(chosen))
        TRY(audit_attempt_say_invalid(chosen, &(struct witness_core){ NULL, 0 }, err));
    if (!chosen->is_decided)
        say_why_unknown(all, chosen);
    take_counts(all, chosen);
    if (is_valid && all->audit->options->settles)
        TRY(settle_make(&chosen->settle, &chosen->plan, all->audit->options,
                        &chosen->verdict.settled, err));
    if (chosen > all->at)
        chosen->verdict.z3 = all->at[0].verdict.z3;
    *verdict = chosen->verdict;
    chosen->verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    return STATUS_OK;
}

/* Z3 leaves no proof that anybody could check: the native engine has to find one. */
static void run_by_z3(struct attempts *all)
{
    const struct attempt *z3 = &all->at[0];

    add(all, (struct way){ .kind = WAY_Z3 });
    run_all(all);
    if (!z3->is_refuted || is_end(z3) || z3->pace.is_over || all->audit->options->z3.proves_nothing)
        return;
    add(all, (struct way){ .kind = WAY_OUTCOMES, .mode = z3->way.mode });
    if (may_exhaust(all->audit))
        add(all, (struct way){ .kind = WAY_ALL,
                               .mode = z3->way.mode,
                               .by_value = z3->way.by_value,
                               .refutes = true });
    run_all(all);
}

enum status attempts_judge(struct audit *audit, struct audit_verdict *verdict, struct error *err)
{
    struct attempts all = { .audit = audit, .mutex = PTHREAD_MUTEX_INITIALIZER };
    enum status status;

    if (audit->options->engine == AUDIT_Z3 && audit_is_serial(audit) &&
        !audit_respects_time(audit, audit->order)) {
        snprintf(verdict->reason, sizeof verdict->reason, "%s", BY_Z3_AGAINST_TIME);
        return STATUS_OK;
    }
    all.at = calloc(ATTEMPTS_MAX, sizeof *all.at);
    if (!all.at)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an audit");
    if (audit->options->engine == AUDIT_Z3) {
        run_by_z3(&all);
    } else {
        add_native(&all);
        run_all(&all);
    }
    status = conclude(&all, choose(&all), verdict, err);
    for (uint32_t i = 0; i < all.count; i++)
        audit_attempt_close(&all.at[i]);
    free(all.at);
    return status;
}
