#include "audit/z3/replayed_private.h"

#include <stdlib.h>

#include "audit/search_private.h"
#include "audit/z3/rows_private.h"
#include "base/hash.h"

void replayed_close(struct replayed *r)
{
    array_close(&r->placed);
    array_close(&r->choices);
    array_close(&r->path);
    map_close(&r->wanted);
    free(r->is_absent);
    free(r->before);
}

/* --- What is wanted --------------------------------------------------------------------------------------- */

static uint64_t key_of(uint32_t txn, uint32_t statement, uint64_t row)
{
    return hash_mix(hash_mix(hash_number(txn + UINT64_C(1)), statement), row);
}

static enum status take_reply(struct replayed *r, const struct prefixes *job,
                              const struct prefixes_reply *reply, struct error *err)
{
    size_t place;

    r->is_absent = calloc(job->plan->txns.count + 1, 1);
    r->before = calloc((size_t)job->count + 2, sizeof *r->before);
    if (!r->is_absent || !r->before)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an execution");
    for (uint32_t i = 0; i < reply->choice_count; i++) {
        const struct prefix_choice *c = &reply->choices[i];

        if (c->row == PREFIXES_IS_PRESENT)
            r->is_absent[c->txn] = c->state == 0;
        else
            TRY(map_add(&r->wanted, key_of(c->txn, c->statement, c->row), c->state, &place, err));
    }
    for (uint32_t i = 0; i < job->count; i++)
        r->before[i + 1] = r->before[i] + !r->is_absent[job->order[i]];
    return STATUS_OK;
}

/* The state that a choice of the run should be, or what it is. */
static uint32_t wanted_state(const struct replayed *r, const struct runner *runner,
                             const struct choice *c)
{
    const struct schema_table *tables = runner->plan->program->tree.schema.tables;
    uint64_t row =
        c->row ? symbolic_row_name(c->row->table, &tables[c->row->table], c->row->like) : 0;
    uint64_t state;

    if (!map_find(&r->wanted, key_of(runner->txn, c->statement, row), &state))
        return c->state;
    return r->before[state];
}

/* --- Runs ------------------------------------------------------------------------------------------------- */

/* The path becomes that of the run up to its first choice that should be another. False: there is none. */
static enum status correct_path(struct replayed *r, const struct runner *runner, bool *is_other,
                                struct error *err)
{
    *is_other = false;
    for (uint32_t i = 0; i < runner->choices.count && !*is_other; i++) {
        uint32_t state = wanted_state(r, runner, &runner->choices.at[i]);

        if (state == runner->choices.at[i].state)
            continue;
        TRY(runner_keep_choices(runner, &r->path, err));
        r->path.at[i].state = state;
        r->path.count = i + 1;
        *is_other = true;
    }
    return STATUS_OK;
}

static enum status run_as_wanted(struct replayed *r, struct runner *runner, uint32_t txn,
                                 struct error *err)
{
    bool is_other = true;

    r->path.count = 0;
    for (size_t tries = 0; is_other; tries++) {
        runner->path = r->path.at;
        runner->path_count = (uint32_t)r->path.count;
        TRY(runner_run(runner, txn, err));
        TRY(correct_path(r, runner, &is_other, err));
        if (is_other && tries > runner->choices.count)
            break; /* it does not come to an end */
        if (is_other)
            TRY(audit_rows_abandon(runner->rows, err));
    }
    if (is_other)
        runner->end = RUN_FAILED;
    return STATUS_OK;
}

static bool may_commit(const struct prefixes *job, const struct runner *runner)
{
    const choice_list *choices = &runner->choices;

    return job->mode != RUN_SNAPSHOT || choices->count == 0 ||
           search_may_commit(runner->rows, job->by_value, choices->at[0].state,
                             choices->at[0].high);
}

static enum status place(struct replayed *r, const struct prefixes *job, struct runner *runner,
                         uint32_t txn, struct error *err)
{
    uint32_t count = (uint32_t)runner->choices.count;
    struct exhausted one = { .txn = txn,
                             .statements = runner->statements,
                             .choice = r->choices.count,
                             .choice_count = count,
                             .ceiling = runner->window.ceiling };

    TRY(array_reserve(&r->choices, count + 1, err));
    for (uint32_t i = 0; i < count; i++)
        r->choices.at[one.choice + i] = runner->choices.at[i];
    runner_settle_choices(runner, job->by_value, r->choices.at + one.choice, count);
    r->choices.count += count;
    TRY(array_push(&r->placed, one, err));
    return audit_rows_commit(runner->rows, err);
}

enum status replayed_run(struct replayed *r, const struct prefixes *job,
                         const struct prefixes_reply *reply, struct runner *runner,
                         struct error *err)
{
    TRY(take_reply(r, job, reply, err));
    for (uint32_t i = 0; i < job->count; i++) {
        uint32_t txn = job->order[i];
        struct run_window w = { job->mode == RUN_AT_PLACE ? i : 0, i };

        if (r->is_absent[txn])
            continue;
        if (job->is_bound)
            prefixes_bounds(job, txn, &w);
        runner->window = (struct run_window){ r->before[w.floor], r->before[w.ceiling] };
        runner->tracks = true;
        TRY(run_as_wanted(r, runner, txn, err));
        if (runner->limit[0])
            return STATUS_OK;
        if (runner->end != RUN_RIGHT || !may_commit(job, runner)) {
            r->disagrees = true;
            r->txn = txn;
            return audit_rows_abandon(runner->rows, err);
        }
        TRY(place(r, job, runner, txn, err));
    }
    r->is_whole = true;
    return STATUS_OK;
}
