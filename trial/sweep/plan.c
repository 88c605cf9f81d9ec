#include "trial/sweep/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_fields.h"
#include "base/version.h"
#include "trial/run/run.h"
#include "trial/run/simulation.h"

/* --- Scenarios -------------------------------------------------------------------------------- */

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
    scenario_draws_print(&scratch->swarm.draws, &out);
    scenario_close(scratch);
    status = buffer_status(&out, err);
    digest_begin(&stream);
    if (status == STATUS_OK)
        digest_add(&stream, out.at, out.count);
    if (status == STATUS_OK && scenario->workload.program[0])
        status = digest_add_file(&stream, scenario->workload.program, err);
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
    subject->is_real = scenario->database.kind != NULL;
    if (subject->is_real)
        snprintf(subject->protocol, sizeof subject->protocol, "%s", scenario->database.kind->name);
    subject->has_swarm = scenario->swarm.kinds != 0;
    subject->nemesis_count = scenario->nemesis_count;
    for (uint32_t i = 0; i < scenario->nemesis_count; i++)
        snprintf(subject->nemeses[i], PLAN_LABEL_SIZE, "%s %s",
                 nemesis_kind_name(scenario->nemeses[i].kind),
                 nemesis_shape_name(scenario->nemeses[i].shape));
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        subject->has_fault[i] =
            !scenario->source && !subject->is_real && simulation_always_has_fault(scenario, (enum world_fault)i);
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
    return scenario_read_seeds(text, &plan->seed_first, &plan->seed_last, err);
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
    scenario_draws_print(draws, out);
}

void plan_print_again(const struct plan *plan, uint64_t job, const struct swarm_draws *draws,
                      struct buffer *out)
{
    struct buffer set = { 0 };

    run_echo(plan->subjects.at[plan_subject(plan, job)].path, plan_seed(plan, job),
                       (const char *const *)plan->sets.at, plan->sets.count, out);
    plan_print_draws(draws, &set);
    if (set.count > 0) {
        buffer_byte(&set, '\0');
        buffer_text(out, TEXT(" --set "));
        run_echo_word(set.out_of_memory ? "" : set.at, out);
    }
    out->out_of_memory |= set.out_of_memory;
    buffer_close(&set);
}

void plan_print_history(const struct plan *plan, uint64_t job, struct buffer *out)
{
    const char *path = plan->subjects.at[plan_subject(plan, job)].path;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    buffer_print(out, "%.*s-%" PRIu64 ".jsonl", dot ? (int)(dot - name) : (int)strlen(name), name,
                 plan_seed(plan, job));
}

/* --- As a line: at the head of a journal, and what it is compared by --------------------------- */

static enum status read_nemesis(struct json *json, void *owner, struct error *err)
{
    struct subject *subject = owner;

    if (subject->nemesis_count == NEMESIS_COUNT_MAX)
        return json_refuse(json, "no more nemeses", err);
    return json_fields_word(json, subject->nemeses[subject->nemesis_count++], PLAN_LABEL_SIZE, err);
}

static void write_nemeses(const void *owner, const char *name, struct json_writer *json)
{
    const struct subject *subject = owner;

    for (uint32_t i = 0; i < subject->nemesis_count; i++)
        json_writer_text(json, name, subject->nemeses[i]);
}

static enum status read_fault(struct json *json, void *owner, struct error *err)
{
    struct subject *subject = owner;
    char name[PLAN_LABEL_SIZE];
    int kind = 0;

    TRY(json_fields_word(json, name, sizeof name, err));
    while (kind < FAULT_KIND_COUNT && strcmp(world_fault_name((enum world_fault)kind), name) != 0)
        kind++;
    if (kind == FAULT_KIND_COUNT)
        return json_refuse_token(json, err, "there is no such fault");
    subject->has_fault[kind] = true;
    return STATUS_OK;
}

static void write_faults(const void *owner, const char *name, struct json_writer *json)
{
    const struct subject *subject = owner;

    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (subject->has_fault[i])
            json_writer_text(json, name, world_fault_name((enum world_fault)i));
}

static const struct json_row subject_rows[] = {
    JSON_ROW("path", JSON_WORD, struct subject, path),
    JSON_ROW("name", JSON_WORD, struct subject, name),
    JSON_ROW("digest", JSON_WORD, struct subject, digest),
    JSON_ROW("protocol", JSON_WORD, struct subject, protocol),
    JSON_ROW("store", JSON_FLAG, struct subject, has_store),
    JSON_ROW("raft", JSON_FLAG, struct subject, on_raft),
    JSON_ROW("real", JSON_FLAG, struct subject, is_real),
    JSON_ROW("swarm", JSON_FLAG, struct subject, has_swarm),
    { .name = "nemeses", .type = JSON_LIST, .read = read_nemesis, .write = write_nemeses },
    { .name = "faults", .type = JSON_LIST, .read = read_fault, .write = write_faults },
};
static const struct json_object subject_object = { "a scenario of a sweep", subject_rows,
                                                   ROW_COUNT(subject_rows) };

static enum status read_set(struct json *json, void *owner, struct error *err)
{
    struct plan *plan = owner;

    TRY(array_push(&plan->sets, NULL, err));
    return json_fields_copy(json, &plan->sets.at[plan->sets.count - 1], err);
}

static void write_sets(const void *owner, const char *name, struct json_writer *json)
{
    const struct plan *plan = owner;

    for (size_t i = 0; i < plan->sets.count; i++)
        json_writer_text(json, name, plan->sets.at[i]);
}

static enum status read_subject(struct json *json, void *owner, struct error *err)
{
    struct plan *plan = owner;

    TRY(array_push(&plan->subjects, ((struct subject){ 0 }), err));
    return json_fields_read(json, &subject_object, &plan->subjects.at[plan->subjects.count - 1], err);
}

static void write_subjects(const void *owner, const char *name, struct json_writer *json)
{
    const struct plan *plan = owner;

    for (size_t i = 0; i < plan->subjects.count; i++)
        json_fields_write(json, name, &subject_object, &plan->subjects.at[i]);
}

static enum status read_format(struct json *json, void *owner, struct error *err)
{
    struct plan *plan = owner;
    uint64_t format = 0;

    TRY(json_fields_count(json, &format, err));
    if (format != 1)
        return json_refuse_token(json, err, "the journal's format is %" PRIu64 ", not 1", format);
    plan->has_format = true;
    return STATUS_OK;
}

static void write_format(const void *owner, const char *name, struct json_writer *json)
{
    (void)owner;
    json_writer_number(json, name, 1);
}

static const struct json_row plan_rows[] = {
    { .name = "ordeal-sweep", .read = read_format, .write = write_format },
    JSON_ROW("version", JSON_WORD, struct plan, version),
    JSON_ROW("build", JSON_WORD, struct plan, build),
    JSON_ROW("first", JSON_COUNT, struct plan, seed_first),
    JSON_ROW("last", JSON_COUNT, struct plan, seed_last),
    JSON_ROW("shard", JSON_COUNT, struct plan, shard),
    JSON_ROW("shards", JSON_COUNT, struct plan, shard_count),
    JSON_ROW("until-failure", JSON_FLAG, struct plan, until_failure),
    JSON_ROW("guided", JSON_FLAG, struct plan, is_guided),
    { .name = "sets", .type = JSON_LIST, .read = read_set, .write = write_sets },
    { .name = "scenarios", .type = JSON_LIST, .read = read_subject, .write = write_subjects },
};
static const struct json_object plan_object = { "a sweep", plan_rows, ROW_COUNT(plan_rows) };

void plan_print(const struct plan *plan, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_fields_write(&json, NULL, &plan_object, plan);
}

enum status plan_read(struct plan *plan, struct text line, struct error *err)
{
    TRY(json_fields_read_line(line, &plan_object, plan, err));
    if (!plan->has_format || plan->subjects.count == 0 || plan->shard_count == 0 ||
        plan->shard >= plan->shard_count || plan->seed_last < plan->seed_first ||
        plan->seed_last > SEED_MAX)
        return error_set(err, STATUS_BAD_INPUT, "this is not the beginning of a sweep's journal");
    return STATUS_OK;
}

/* --- Comparing -------------------------------------------------------------------------------- */

static enum status check_same(const struct plan *before, const struct plan *plan,
                              struct error *err)
{
    if (strcmp(before->version, plan->version) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is the journal of ordeal %s, and here is %s: their runs may differ",
                         before->version, plan->version);
    if (before->seed_first != plan->seed_first || before->seed_last != plan->seed_last)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is the journal of the seeds %" PRIu64 "..%" PRIu64
                         ", not of %" PRIu64 "..%" PRIu64, before->seed_first, before->seed_last, plan->seed_first,
                         plan->seed_last);
    if (before->is_guided != plan->is_guided)
        return error_set(err, STATUS_BAD_INPUT, "this is the journal of a sweep %s --guided",
                         before->is_guided ? "with" : "without");
    if (before->until_failure != plan->until_failure)
        return error_set(err, STATUS_BAD_INPUT, "this is the journal of a sweep %s --until-failure",
                         before->until_failure ? "with" : "without");
    if (before->subjects.count != plan->subjects.count)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is the journal of %zu scenarios, not of %zu",
                         before->subjects.count, plan->subjects.count);
    for (size_t i = 0; i < plan->subjects.count; i++)
        if (strcmp(before->subjects.at[i].digest, plan->subjects.at[i].digest) != 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "this is the journal of another scenario: %s is not what %s was",
                             plan->subjects.at[i].path, before->subjects.at[i].path);
    return STATUS_OK;
}

enum status plan_check_resume(const struct plan *before, const struct plan *plan,
                              struct error *err)
{
    TRY(check_same(before, plan, err));
    if (before->shard_count != plan->shard_count || before->shard != plan->shard)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is the journal of shard %" PRIu64 "/%" PRIu64 ", not of %" PRIu64
                         "/%" PRIu64, before->shard ? before->shard : before->shard_count,
                         before->shard_count, plan->shard ? plan->shard : plan->shard_count,
                         plan->shard_count);
    if (strcmp(before->build, plan->build) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is the journal of another build of ordeal %s: its runs may differ",
                         before->version);
    return STATUS_OK;
}

enum status plan_check_merge(const struct plan *plan, const struct plan *shard, struct error *err)
{
    TRY(check_same(shard, plan, err));
    if (shard->shard_count != plan->shard_count)
        return error_set(err, STATUS_BAD_INPUT,
                         "this is one of %" PRIu64 " shards, and others are of %" PRIu64,
                         shard->shard_count, plan->shard_count);
    return STATUS_OK;
}
