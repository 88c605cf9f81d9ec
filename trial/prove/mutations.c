#include "trial/prove/mutations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "trial/run/run.h"

static const char recorded[] = "name = \"recording\"\n"
                               "[cluster]\nnodes = 3\nshards = 2\n"
                               "[workload]\nkind = \"rw-register\"\nkeys = 3\nsessions = 4\n"
                               "transactions = 8\noperations_max = 3\nthink = \"20ms\"\n"
                               "duration = \"5s\"\n[check]\ncheckers = []\n";

static const struct {
    const char *protocol, *workload;
} recipes[] = {
    { "mvto", "rw-register" }, { "2pl", "rw-register" }, { "occ", "rw-register" },
    { "ssi", "rw-register" },  { "mvto", "list-append" }, { "2pl", "list-append" },
    { "occ", "list-append" },  { "ssi", "list-append" },
};

#define RECIPE_COUNT (sizeof recipes / sizeof *recipes)

void mutations_init(struct mutations *mutations)
{
    *mutations = (struct mutations){ .recordings = 0 };
    for (unsigned i = 0; i < JURY_MAX; i++)
        for (unsigned k = 0; k < MUTANT_END_COUNT; k++)
            mutations->first[i][k].recording = UINT64_MAX;
}

uint64_t mutations_recordings(uint64_t seeds)
{
    return seeds * RECIPE_COUNT;
}

/* --- One recording ---------------------------------------------------------------------------- */

static enum status load(uint64_t recording, struct scenario *scenario, struct error *err)
{
    char protocol[60], workload[60];
    const char *const sets[] = { protocol, workload };

    snprintf(protocol, sizeof protocol, "cluster.protocol=%s",
             recipes[recording % RECIPE_COUNT].protocol);
    snprintf(workload, sizeof workload, "workload.kind=%s",
             recipes[recording % RECIPE_COUNT].workload);
    TRY(scenario_read(scenario, "recording.toml", text_of(recorded), sets, 2, err));
    scenario->seed = 1 + recording / RECIPE_COUNT;
    return STATUS_OK;
}

/* False where the run is too large for a sketch: clients may have tried more often than usual. */
static enum status record(uint64_t recording, struct sketch *sketch, enum level *level,
                          bool *fits, struct error *err)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct trial trial = { 0 };
    enum status status;

    *fits = false;
    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = load(recording, scenario, err);
    if (status == STATUS_OK)
        status = trial_run(&trial, scenario, &(struct run_options){ .flags = TRIAL_HISTORY }, err);
    if (status == STATUS_OK) {
        *level = store_protocol_facts(scenario->cluster.protocol).level;
        *fits = sketch_take(sketch, &trial.history);
    }
    trial_close(&trial);
    scenario_close(scenario);
    free(scenario);
    return status;
}

static bool change(const struct mutant_name *name, struct sketch *sketch)
{
    struct random_key seed = random_key_of_seed(name->recording);
    struct random_key key = random_key_fork(&seed, "mutant/%s/%" PRIu32,
                                            mutate_name(name->mutation), name->number);
    struct random random;

    random_init(&random, &key);
    return mutate(sketch, name->mutation, &random);
}

enum status mutations_make(const struct mutant_name *name, struct sketch *sketch,
                           enum level *level, bool *is_made, struct error *err)
{
    TRY(record(name->recording, sketch, level, is_made, err));
    *is_made = *is_made && change(name, sketch);
    return STATUS_OK;
}

/* As it was recorded, one is enough. */
static uint32_t mutants_of(enum mutation mutation)
{
    return mutation == MUTATION_NONE ? 1 : MUTANTS_EACH;
}

static void note(struct mutations *mutations, const struct mutant_name *name,
                 const struct mutant *mutant)
{
    struct mutation_sum *sum = &mutations->sums[name->mutation];

    sum->mutants++;
    sum->wrong += mutant->is_wrong;
    for (unsigned i = 0; i < JURY_MAX; i++) {
        struct mutant_name *first = &mutations->first[i][mutant->ends[i]];
        sum->ends[i][mutant->ends[i]]++;
        if (first->recording == UINT64_MAX)
            *first = *name;
    }
}

static enum status judge_all(uint64_t recording, const struct sketch *sketch, enum level level,
                             struct mutations *mutations, struct error *err)
{
    for (int m = 0; m < MUTATION_COUNT; m++)
        for (uint32_t number = 0; number < mutants_of((enum mutation)m); number++) {
            struct mutant_name name = { recording, (enum mutation)m, number };
            struct sketch changed = *sketch;
            struct mutant mutant;
            if (!change(&name, &changed))
                continue;
            TRY(mutate_judge(&changed, level, &mutant, err));
            if (mutant.is_history)
                note(mutations, &name, &mutant);
        }
    return STATUS_OK;
}

/* --- As a line -------------------------------------------------------------------------------- */

static void print_sum(const struct mutation_sum *sum, struct buffer *out)
{
    buffer_print(out, "%" PRIu64 " %" PRIu64 " ", sum->mutants, sum->wrong);
    for (unsigned i = 0; i < JURY_MAX; i++)
        for (unsigned k = 0; k < MUTANT_END_COUNT; k++)
            buffer_print(out, "%" PRIu64 " ", sum->ends[i][k]);
}

/* Which mutant of the recording was the first; MUTATION_COUNT: none. */
static void print_firsts(const struct mutations *mutations, struct buffer *out)
{
    for (unsigned i = 0; i < JURY_MAX; i++)
        for (unsigned k = 0; k < MUTANT_END_COUNT; k++) {
            const struct mutant_name *first = &mutations->first[i][k];
            bool is_there = first->recording != UINT64_MAX;
            buffer_print(out, "%d %" PRIu32 " ", is_there ? (int)first->mutation : MUTATION_COUNT,
                         first->number);
        }
}

enum status mutations_work(uint64_t recording, struct buffer *answer, struct error *err)
{
    struct mutations mutations;
    struct sketch *sketch = malloc(sizeof *sketch);
    enum level level = LEVEL_SERIALIZABLE;
    bool fits = false;
    enum status status;

    if (!sketch)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a sketch");
    mutations_init(&mutations);
    status = record(recording, sketch, &level, &fits, err);
    if (status == STATUS_OK && fits)
        status = judge_all(recording, sketch, level, &mutations, err);
    buffer_print(answer, "%d ", fits);
    for (int m = 0; m < MUTATION_COUNT; m++)
        print_sum(&mutations.sums[m], answer);
    print_firsts(&mutations, answer);
    free(sketch);
    return status;
}

/* Numbers of a line, one after another. */
struct numbers {
    struct text rest;
    bool is_bad;
};

static uint64_t next_number(struct numbers *numbers)
{
    uint64_t number = 0;
    struct text *rest = &numbers->rest;

    if (!text_take_uint64(rest, &number) || rest->length == 0 || rest->at[0] != ' ')
        numbers->is_bad = true;
    else
        *rest = (struct text){ rest->at + 1, rest->length - 1 };
    return number;
}

static bool comes_before(const struct mutant_name *a, const struct mutant_name *b)
{
    if (a->recording != b->recording)
        return a->recording < b->recording;
    return a->mutation != b->mutation ? a->mutation < b->mutation : a->number < b->number;
}

static void read_firsts(struct mutations *mutations, uint64_t recording, struct numbers *numbers)
{
    for (unsigned i = 0; i < JURY_MAX; i++)
        for (unsigned k = 0; k < MUTANT_END_COUNT; k++) {
            struct mutant_name *first = &mutations->first[i][k];
            struct mutant_name name = { .recording = recording };
            uint64_t mutation = next_number(numbers);
            name.mutation = (enum mutation)mutation;
            name.number = (uint32_t)next_number(numbers);
            if (mutation < MUTATION_COUNT && comes_before(&name, first))
                *first = name;
        }
}

enum status mutations_add(struct mutations *mutations, uint64_t recording, struct text answer,
                          struct error *err)
{
    struct numbers numbers = { .rest = answer };

    mutations->recordings += next_number(&numbers);
    for (int m = 0; m < MUTATION_COUNT; m++) {
        struct mutation_sum *sum = &mutations->sums[m];
        sum->mutants += next_number(&numbers);
        sum->wrong += next_number(&numbers);
        for (unsigned i = 0; i < JURY_MAX; i++)
            for (unsigned k = 0; k < MUTANT_END_COUNT; k++)
                sum->ends[i][k] += next_number(&numbers);
    }
    read_firsts(mutations, recording, &numbers);
    if (numbers.is_bad || numbers.rest.length > 0)
        return error_set(err, STATUS_BAD_INPUT, "expected what the mutants came to");
    return STATUS_OK;
}

/* --- What it means ---------------------------------------------------------------------------- */

uint64_t mutations_count(const struct mutations *mutations, unsigned checker, enum mutant_end end)
{
    uint64_t count = 0;

    for (int m = 0; m < MUTATION_COUNT; m++)
        count += mutations->sums[m].ends[checker][end];
    return count;
}

bool mutations_are_bad(const struct mutations *mutations)
{
    for (unsigned i = 0; checkers_all()[i] && i < JURY_MAX; i++)
        if (mutations_count(mutations, i, MUTANT_ACCUSED) > 0 ||
            (checkers_all()[i]->is_complete && mutations_count(mutations, i, MUTANT_MISSED) > 0))
            return true;
    return false;
}
