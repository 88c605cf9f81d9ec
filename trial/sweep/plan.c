#include "trial/sweep/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "trial/run/command_echo.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario_folder.h"
#include "trial/scenario/swarm.h"
#include "trial/sweep/seeds.h"

/* --- Scenarios -------------------------------------------------------------------------------- */

static enum status digest_program(struct digest_stream *stream, const char *path,
                                  struct error *err)
{
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    size_t got;

    if (!file) {
        error_set_file(err, path);
        return error_set(err, STATUS_IO, "cannot read the program");
    }
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        digest_add(stream, bytes, got);
    fclose(file);
    return STATUS_OK;
}

/* Without the seed (what it draws, 0 draws), and with what the program says in the place of where it stands. */
static enum status digest_scenario(const struct scenario *scenario, struct scenario *scratch,
                                   char hex[DIGEST_HEX_SIZE], struct error *err)
{
    struct digest_stream stream;
    struct buffer out = { 0 };
    struct digest digest;
    enum status status;

    TRY(scenario_with_seed(scratch, scenario, 0, NULL, err));
    if (scratch->workload.program[0])
        snprintf(scratch->workload.program, sizeof scratch->workload.program, "program");
    scenario_print(scratch, &out);
    buffer_print(&out, "%" PRIx32, scratch->swarm.dimensions);
    given_draws_print(&scratch->swarm.draws, &out);
    scenario_close(scratch);
    status = buffer_status(&out, err);
    digest_begin(&stream);
    if (status == STATUS_OK)
        digest_add(&stream, out.at, out.count);
    if (status == STATUS_OK && scenario->workload.program[0])
        status = digest_program(&stream, scenario->workload.program, err);
    digest = digest_end(&stream);
    digest_hex(&digest, hex);
    buffer_close(&out);
    return status;
}

static void describe(struct subject *subject, const struct scenario *scenario)
{
    struct store_protocol_facts facts = store_protocol_facts(scenario->cluster.protocol);

    snprintf(subject->name, sizeof subject->name, "%s", scenario->name);
    subject->has_store = scenario->workload.kind != WORKLOAD_PING;
    snprintf(subject->protocol, sizeof subject->protocol, "%s",
             scenario->draws_protocol ? "" : facts.name);
    subject->on_raft = facts.on_raft;
    subject->has_swarm = scenario->swarm.kinds != 0;
    subject->nemesis_count = scenario->nemesis_count;
    for (uint32_t i = 0; i < scenario->nemesis_count; i++)
        snprintf(subject->nemeses[i], PLAN_LABEL_SIZE, "%s %s",
                 nemesis_kind_name(scenario->nemeses[i].kind),
                 nemesis_shape_name(scenario->nemeses[i].shape));
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        subject->has_fault[i] =
            !scenario->source && simulation_always_has_fault(scenario, (enum world_fault)i);
}

/* Into the place that plan_load() has made for it. */
static enum status load_one(struct plan *plan, size_t index, const char *path,
                            struct scenario *scratch, struct error *err)
{
    struct subject *subject = &plan->subjects.at[index];
    struct scenario *scenario = &plan->scenarios[index];
    const char *const *sets = (const char *const *)plan->sets.at;

    *subject = (struct subject){ 0 };
    if (strlen(path) >= sizeof subject->path)
        return error_set(err, STATUS_BAD_INPUT, "'%.80s...' is too long a path", path);
    snprintf(subject->path, sizeof subject->path, "%s", path);
    TRY(scenario_load(scenario, path, sets, plan->sets.count, err));
    describe(subject, scenario);
    return digest_scenario(scenario, scratch, subject->digest, err);
}

static enum status load_all(struct plan *plan, const char *folder,
                            const struct folder_names *names, struct error *err)
{
    size_t count = names->names.count;
    struct scenario *scratch = calloc(1, sizeof *scratch);
    enum status status = scratch ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory");

    if (status == STATUS_OK)
        status = array_reserve(&plan->subjects, count, err);
    plan->scenarios = calloc(count, sizeof *plan->scenarios);
    if (status == STATUS_OK && !plan->scenarios)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for %zu scenarios", count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct buffer path = { 0 };
        plan->subjects.count++;
        buffer_print(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "",
                     names->names.at[i]);
        buffer_byte(&path, '\0');
        status = buffer_status(&path, err);
        if (status == STATUS_OK)
            status = load_one(plan, i, path.at, scratch, err);
        buffer_close(&path);
    }
    free(scratch);
    return status;
}

static enum status load_folder(struct plan *plan, const char *path, struct error *err)
{
    struct folder_names names = { { 0 } };
    char *folder = strdup(path);
    enum status status = folder ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory");

    if (status == STATUS_OK)
        status = scenario_folder_read(folder, FOLDER_SCENARIOS, &names, err);
    for (size_t i = strlen(path); folder && i > 1 && folder[i - 1] == '/'; i--)
        folder[i - 1] = '\0';
    if (status == STATUS_OK && names.names.count == 0) {
        error_set_file(err, path);
        status = error_set(err, STATUS_BAD_INPUT, "there is no scenario in this folder");
    }
    if (status == STATUS_OK)
        status = load_all(plan, folder, &names, err);
    scenario_folder_close(&names);
    free(folder);
    return status;
}

/* Each failure is run again from its file, in a process of its own: there must be one. */
static enum status load_file(struct plan *plan, const char *path, struct error *err)
{
    struct folder_names one = { { 0 } };
    char *name = strdup(path);
    enum status status;

    if (strcmp(path, "-") == 0)
        status = error_set(err, STATUS_BAD_INPUT,
                           "a sweep reads its scenario several times: give it a file");
    else
        status = name ? array_push(&one.names, name, err)
                      : error_set(err, STATUS_OVER_LIMIT, "no memory");
    if (status == STATUS_OK)
        status = load_all(plan, NULL, &one, err);
    array_close(&one.names);
    free(name);
    return status;
}

static enum status identify(struct plan *plan, struct error *err)
{
    struct digest build = { { 0 } };

    snprintf(plan->version, sizeof plan->version, "%s", version_text());
    TRY(version_build(&build, err));
    digest_hex(&build, plan->build);
    return STATUS_OK;
}

enum status plan_load(struct plan *plan, const char *path, const char *const *sets,
                      size_t set_count, struct error *err)
{
    plan->shard_count = plan->shard_count > 0 ? plan->shard_count : 1;
    TRY(identify(plan, err));
    for (size_t i = 0; i < set_count; i++) {
        char *set = strdup(sets[i]);
        if (!set)
            return error_set(err, STATUS_OVER_LIMIT, "no memory");
        if (array_push(&plan->sets, set, err) != STATUS_OK) {
            free(set);
            return err->status;
        }
    }
    return scenario_folder_is_there(path) ? load_folder(plan, path, err) : load_file(plan, path, err);
}

void plan_close(struct plan *plan)
{
    for (size_t i = 0; i < plan->sets.count; i++)
        free(plan->sets.at[i]);
    for (size_t i = 0; plan->scenarios && i < plan->subjects.count; i++)
        scenario_close(&plan->scenarios[i]);
    array_close(&plan->sets);
    array_close(&plan->subjects);
    free(plan->scenarios);
    *plan = (struct plan){ 0 };
}

/* --- Seeds and shards ------------------------------------------------------------------------- */

static bool read_shard_number(struct text text, uint64_t *number)
{
    int64_t value;

    if (!text_to_int64(text, &value) || value < 0 || value > INT32_MAX)
        return false;
    *number = (uint64_t)value;
    return true;
}

enum status plan_take_seeds(struct plan *plan, const char *text, struct error *err)
{
    return seeds_read(text, &plan->seed_first, &plan->seed_last, err);
}

enum status plan_take_shard(struct plan *plan, const char *text, struct error *err)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    plan->shard = 0;
    plan->shard_count = 1;
    if (!text)
        return STATUS_OK;
    if (!slash ||
        !read_shard_number((struct text){ text, (size_t)(slash - text) }, &plan->shard) ||
        !read_shard_number(text_of(slash + 1), &plan->shard_count) || plan->shard_count == 0)
        return error_set(err, STATUS_BAD_INPUT, "--shard takes 2/4, not '%s'", text);
    if (plan->shard > plan->shard_count)
        return error_set(err, STATUS_BAD_INPUT, "--shard %s: there are only %" PRIu64, text,
                         plan->shard_count);
    plan->shard %= plan->shard_count;
    return STATUS_OK;
}

uint64_t plan_job_count(const struct plan *plan)
{
    return (plan->seed_last - plan->seed_first + 1) * plan->subjects.count;
}

uint64_t plan_shard_job_count(const struct plan *plan)
{
    uint64_t jobs = plan_job_count(plan);

    return jobs / plan->shard_count + (jobs % plan->shard_count > plan->shard);
}

void plan_print_draws(const struct swarm_draws *draws, struct buffer *out)
{
    bool any = false;

    for (int i = 0; draws && i < SWARM_DIMENSION_COUNT; i++)
        any |= draws->of[i].is_given;
    if (!any)
        return;
    buffer_text(out, TEXT("swarm.draws="));
    given_draws_print(draws, out);
}

void plan_print_again(const struct plan *plan, uint64_t job, const struct swarm_draws *draws,
                      struct buffer *out)
{
    struct buffer set = { 0 };

    command_echo_print(plan->subjects.at[plan_subject(plan, job)].path, plan_seed(plan, job),
                (const char *const *)plan->sets.at, plan->sets.count, out);
    plan_print_draws(draws, &set);
    if (set.count > 0) {
        buffer_byte(&set, '\0');
        buffer_text(out, TEXT(" --set "));
        command_echo_print_word(set.out_of_memory ? "" : set.at, out);
    }
    out->out_of_memory |= set.out_of_memory;
    buffer_close(&set);
}
