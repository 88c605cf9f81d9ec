#include "audit/z3/by_z3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/z3/prefixes_private.h"
#include "audit/z3/rows_private.h"
#include "base/hash.h"

void by_z3_close(struct by_z3 *z)
{
    exhaust_close(&z->found);
    runner_close(&z->runner);
    audit_instants_close(&z->instants);
    map_close(&z->wanted);
    free(z->bound_order);
    free(z->before);
}

/* --- Times ------------------------------------------------------------------------------------------------ */

struct run_window by_z3_window(const struct by_z3 *z, uint32_t place)
{
    struct run_window w = { z->job.mode == RUN_AT_PLACE ? place : 0, place };

    if (z->is_bound) {
        w.floor = z->instants.least[z->order[place]];
        if (z->instants.most[z->order[place]] < w.ceiling)
            w.ceiling = z->instants.most[z->order[place]];
    }
    return w;
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Those that only read are put behind all that was completed before they were invoked. */
static enum status place_readers(struct by_z3 *z, struct error *err)
{
    uint64_t *places = calloc((size_t)z->count + 1, sizeof *places);

    z->bound_order = calloc((size_t)z->count + 1, sizeof *z->bound_order);
    if (!places || !z->bound_order) {
        free(places);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    }
    for (uint32_t i = 0; i < z->count; i++) {
        uint32_t least = z->instants.least[z->order[i]];
        bool waits = !z->plan->txns.at[z->order[i]].has_place && least > i;

        places[i] = (uint64_t)(waits ? least : i) << 32 | i;
    }
    qsort(places, z->count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < z->count; i++)
        z->bound_order[i] = z->order[(uint32_t)places[i]];
    z->order = z->bound_order;
    free(places);
    return STATUS_OK;
}

/* False: this order is against time. */
static enum status bound(struct by_z3 *z, bool *is_possible, struct error *err)
{
    z->is_bound = true;
    TRY(audit_instants_find(&z->instants, z->plan, z->order, z->count, 0, err));
    *is_possible = !z->instants.is_torn;
    if (!*is_possible)
        return STATUS_OK;
    TRY(place_readers(z, err));
    audit_instants_close(&z->instants);
    TRY(audit_instants_find(&z->instants, z->plan, z->order, z->count, 0, err));
    for (uint32_t i = 0; i < z->count; i++) {
        struct run_window w = by_z3_window(z, i);

        *is_possible &= w.floor <= w.ceiling;
    }
    return STATUS_OK;
}

/* --- What Z3 has found, run by the machine ---------------------------------------------------------------- */

static uint64_t key_of(uint32_t txn, uint32_t statement, uint64_t row)
{
    return hash_mix(hash_mix(hash_number(txn + UINT64_C(1)), statement), row);
}

static bool is_absent(const struct by_z3 *z, uint32_t txn)
{
    uint64_t is_there;

    return map_find(&z->wanted, key_of(txn, 0, PREFIXES_IS_PRESENT), &is_there) && is_there == 0;
}

static enum status take_reply(struct by_z3 *z, const struct prefixes_reply *reply,
                              struct error *err)
{
    size_t place;

    z->before = calloc((size_t)z->count + 2, sizeof *z->before);
    if (!z->before)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an execution");
    for (uint32_t i = 0; i < reply->choice_count; i++) {
        const struct prefix_choice *c = &reply->choices[i];

        TRY(map_add(&z->wanted, key_of(c->txn, c->statement, c->row), c->state, &place, err));
    }
    for (uint32_t i = 0; i < z->count; i++)
        z->before[i + 1] = z->before[i] + !is_absent(z, z->order[i]);
    return STATUS_OK;
}

static uint32_t wanted_state(void *context, const struct choice *c)
{
    const struct by_z3 *z = context;
    const struct schema_table *tables = z->plan->program->tree.schema.tables;
    uint64_t row =
        c->row ? symbolic_row_name(c->row->table, &tables[c->row->table], c->row->like) : 0;
    uint64_t state;

    if (!map_find(&z->wanted, key_of(z->runner.txn, c->statement, row), &state))
        return c->state;
    return z->before[state];
}

static enum status replay(struct by_z3 *z, const struct prefixes_reply *reply, struct error *err)
{
    TRY(take_reply(z, reply, err));
    TRY(runner_open(&z->runner, z->plan, z->rows, z->job.mode, err));
    TRY(exhaust_open(&z->found, z->plan, &z->runner, &z->job, err));
    z->runner.chooser = wanted_state;
    z->runner.context = z;
    z->is_found = true;
    for (uint32_t i = 0; i < z->count && z->is_found; i++) {
        struct run_window w = by_z3_window(z, i);

        w = (struct run_window){ z->before[w.floor], z->before[w.ceiling] };
        if (!is_absent(z, z->order[i]))
            TRY(exhaust_add(&z->found, z->order[i], w, &z->is_found, err));
        if (!z->is_found)
            snprintf(z->reason, sizeof z->reason,
                     "the engine z3 has found an execution, but transaction %lld does not give "
                     "these answers in it: a "
                     "fault of this engine; ask --engine native",
                     (long long)z->plan->txns.at[z->order[i]].logged->id);
    }
    return STATUS_OK;
}

/* --- Rules ------------------------------------------------------------------------------------------------ */

static void say_open(struct by_z3 *z, const struct prefixes_reply *reply)
{
    if (reply->reason[0])
        snprintf(z->reason, sizeof z->reason, "%s", reply->reason);
    else if (reply->is_stopped)
        snprintf(z->reason, sizeof z->reason,
                 "the time was over when Z3 had found an execution of %" PRIu64 " transactions",
                 reply->result.solved);
    else
        snprintf(z->reason, sizeof z->reason, "Z3 gave up behind %" PRIu64 " transactions",
                 reply->result.solved);
}

/* By one rule. */
static enum status solve(struct by_z3 *z, struct error *err)
{
    struct prefixes_reply *reply = NULL;
    enum status status = prefixes_solve(z, &reply, err);

    if (status == STATUS_OK) {
        reply->result.checks += z->result.checks;
        z->result = reply->result;
        z->jumps += reply->jumps;
        if (reply->result.answer == AUDIT_Z3_HOLDS)
            status = replay(z, reply, err);
        else if (reply->result.answer != AUDIT_Z3_IMPOSSIBLE)
            say_open(z, reply);
    }
    free(reply);
    return status;
}

enum status by_z3_run(struct by_z3 *z, struct error *err)
{
    static const enum run_mode modes[] = { RUN_LOCKING, RUN_STATEMENT, RUN_PAPER };
    enum level level = z->options->level;
    bool is_possible = true;

    z->job =
        (struct exhaust_options){ .level = level,
                                  .mode = level_is_serializable(level) ? RUN_AT_PLACE
                                          : level_is_snapshot(level)   ? RUN_SNAPSHOT
                                                                       : modes[z->options->model],
                                  .runs_max = UINT64_MAX,
                                  .pace = z->pace };
    if (level == LEVEL_STRICT_SNAPSHOT)
        TRY(bound(z, &is_possible, err));
    if (!is_possible) {
        snprintf(z->reason, sizeof z->reason, "%s", BY_Z3_AGAINST_TIME);
        return STATUS_OK;
    }
    TRY(solve(z, err));
    if (z->result.answer != AUDIT_Z3_IMPOSSIBLE || z->job.mode != RUN_SNAPSHOT)
        return STATUS_OK;
    z->job.by_value = true;
    return solve(z, err);
}
