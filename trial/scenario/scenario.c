#include "trial/scenario/scenario.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "base/array.h"
#include "base/error.h"
#include "base/version.h"
#include "trial/scenario/configuration_private.h"
#include "trial/scenario/database_private.h"
#include "trial/scenario/keys_private.h"
#include "trial/scenario/latency.h"
#include "trial/scenario/nemesis_private.h"
#include "trial/scenario/schedule_private.h"
#include "trial/scenario/toml_lines_private.h"
#include "trial/scenario/toml_private.h"

#define SETTINGS_BYTES_MAX ((size_t)64 << 20)

/* What only some nemeses understand is refused to the others. */
static enum status check_nemesis(const struct nemesis_options *options, uint32_t node_count,
                                 const struct setting *table, struct error *err)
{
    for (int i = 0; i < NEMESIS_KEY_COUNT; i++) {
        const char *name = nemesis_key_name((enum nemesis_key)i);
        const struct setting *given = toml_find(table, text_of(name));

        if (i == NEMESIS_KEY_LASTS && options->lasts_ns == 0)
            continue; /* as it is printed for all */
        if (given && !nemesis_shape_takes(options->shape, (enum nemesis_key)i))
            return toml_refuse(given, err, "%s %s takes no %s", nemesis_kind_name(options->kind),
                               nemesis_shape_name(options->shape), name);
    }
    if (nemesis_check_options(options, node_count, err) != STATUS_OK)
        return toml_blame(table, err);
    return STATUS_OK;
}

static enum status refuse_list(const struct section *section, const struct setting *given,
                               struct error *err)
{
    return toml_refuse(given, err, "%s should be a list of tables: [[%s]]", section->name,
                       section->name);
}

/* They go into the listing, one after another. */
static enum status read_transactions(struct scenario *scenario, const struct section *section,
                                     const struct setting *list, struct error *err)
{
    struct scenario_transaction transaction;

    for (const struct setting *table = list->first; table; table = table->next) {
        if (table->kind != SETTING_TABLE)
            return refuse_list(section, table, err);
        if (scenario->listing.txns.count == section->count_max)
            return toml_refuse(table, err, "there are more than %" PRIu32 " of [[%s]]",
                               section->count_max, section->name);
        transaction = (struct scenario_transaction){ 0 };
        TRY(section_read(section, table, &transaction, err));
        TRY(scenario_listed_read(scenario, &transaction, table, err));
    }
    return STATUS_OK;
}

static enum status read_list(struct scenario *scenario, const struct section *section,
                             const struct setting *list, struct error *err)
{
    uint32_t *count = (uint32_t *)(void *)((char *)scenario + section->count_offset);
    char *values = (char *)scenario + section->offset;

    if (!list)
        return STATUS_OK;
    if (list->kind != SETTING_ARRAY)
        return refuse_list(section, list, err);
    if (section->type == SECTION_TRANSACTIONS)
        return read_transactions(scenario, section, list, err);
    for (const struct setting *table = list->first; table; table = table->next) {
        if (*count == section->count_max)
            return toml_refuse(table, err, "there are more than %" PRIu32 " of [[%s]]",
                               section->count_max, section->name);
        if (table->kind != SETTING_TABLE)
            return refuse_list(section, table, err);
        TRY(section_read(section, table, values + *count * section->element_size, err));
        if (section->type == SECTION_NEMESES) {
            TRY(scenario_strikes_read(scenario, &scenario->nemeses[*count],
                                      toml_find(table, TEXT("strikes")), err));
            TRY(check_nemesis(&scenario->nemeses[*count], scenario->cluster.nodes, table, err));
        }
        ++*count;
    }
    return STATUS_OK;
}

static enum status read_section(struct scenario *scenario, const struct section *section,
                                const struct setting *root, struct error *err)
{
    const struct setting *table = root;

    if (section->name[0] != '\0')
        table = toml_find(root, text_of(section->name));
    if (section->type >= SECTION_LIST)
        return read_list(scenario, section, table, err);
    if (table && table->kind != SETTING_TABLE) {
        return toml_refuse(table, err, "%s should be a table: [%s]", section->name,
                           section->name);
    }
    return section_read(section, table, (char *)scenario + section->offset, err);
}

/* A node that need not speak before the budget is spent proves nothing by its silence. */
static enum status check_ping(const struct scenario *scenario, const struct setting *root,
                              struct error *err)
{
    const struct setting *workload, *interval, *nodes;

    if (scenario->cluster.nodes < 2) {
        nodes = toml_find(toml_find(root, TEXT("cluster")), TEXT("nodes"));
        return toml_refuse(nodes, err, "a ping needs at least 2 nodes");
    }
    if (scenario->workload.settle_ns > scenario->workload.ping.interval_ns)
        return STATUS_OK;
    workload = toml_find(root, TEXT("workload"));
    interval = toml_find(workload, TEXT("interval"));
    return toml_refuse(interval ? interval : workload, err,
                       "workload.settle must be longer than workload.interval");
}

uint32_t scenario_replicas(const struct scenario_cluster *cluster)
{
    bool is_on_raft = store_protocol_facts(cluster->protocol).on_raft;

    return is_on_raft || cluster->replicas < cluster->nodes ? cluster->replicas : cluster->nodes;
}

static enum status check_audit(const struct scenario *scenario, const struct setting *root,
                               struct error *err)
{
    const struct setting *given = toml_find(toml_find(root, TEXT("check")), TEXT("audit"));
    uint32_t level_plus_1 = scenario->check.level_plus_1;
    enum level level;

    if (!scenario->check.audits)
        return STATUS_OK;
    if (scenario_has_database(scenario))
        return toml_refuse(given, err,
                           "check.audit is for the simulated store: --audit-log and ordeal audit are for databases");
    if (scenario->workload.kind != WORKLOAD_PROGRAM && scenario->workload.kind != WORKLOAD_SCHEDULE)
        return toml_refuse(given, err, "check.audit is for the calls of a program or a schedule");
    level = level_plus_1 > 0 ? (enum level)(level_plus_1 - 1)
                             : store_protocol_facts(scenario->cluster.protocol).level;
    if (!(audit_levels() & LEVEL_BIT(level)))
        return toml_refuse(given, err, "there is no audit at %s: check.level may name another level",
                           level_name(level));
    return STATUS_OK;
}

/* What the store would refuse, with the line that says it. */
static enum status check_store(const struct scenario *scenario, const struct setting *root,
                               struct error *err)
{
    static const char *const keys[] = {
        [CLUSTER_SHARDS] = "shards", [CLUSTER_REPLICAS] = "replicas", [CLUSTER_BUGS] = "bugs"
    };
    const struct scenario_cluster *cluster = &scenario->cluster;
    const struct setting *table = toml_find(root, TEXT("cluster")), *given;
    struct cluster_options options = { .protocol = cluster->protocol,
                                       .bugs = cluster->bugs,
                                       .shards = cluster->shards,
                                       .replicas = scenario_replicas(cluster) };
    enum cluster_setting wrong;

    if (store_check_options(&options, cluster->nodes, &wrong, err) != STATUS_OK) {
        given = toml_find(table, text_of(keys[wrong]));
        if (!given) /* the replicas are too many because the nodes are too few */
            given = toml_find(table, TEXT("nodes"));
        return given ? toml_blame(given, err) : err->status;
    }
    if (scenario->workload.kind == WORKLOAD_PROGRAM && scenario->workload.calls.count == 0 &&
        !scenario->workload.is_listed)
        return toml_refuse(toml_find(root, TEXT("workload")), err,
                           "workload.call is missing: which functions of the program are "
                           "called");
    return STATUS_OK;
}

static enum status check_world(struct scenario *scenario, const struct setting *root,
                               struct error *err)
{
    const struct setting *database = toml_find(root, TEXT("database"));

    TRY(check_audit(scenario, root, err));
    if (database)
        return scenario_database_check(scenario, root, database, err);
    if (scenario->workload.kind == WORKLOAD_PING)
        return check_ping(scenario, root, err);
    return check_store(scenario, root, err);
}

static uint64_t line_of(const struct setting *setting)
{
    return setting ? setting->line : 0;
}

static void note_list(uint64_t *lines, size_t room, const struct setting *list)
{
    const struct setting *one = list ? list->first : NULL;

    for (size_t i = 0; one && i < room; i++, one = one->next)
        lines[i] = one->line;
}

static void note_lines(struct scenario_lines *lines, const struct setting *root)
{
    const struct setting *workload = toml_find(root, TEXT("workload"));
    const struct setting *kind = toml_find(workload, TEXT("kind"));

    if (!kind)
        kind = toml_find(workload, TEXT("program"));
    lines->workload = line_of(kind ? kind : workload);
    lines->load = line_of(toml_find(workload, TEXT("load")));
    note_list(lines->calls, CALLS_MAX, toml_find(workload, TEXT("call")));
    note_list(lines->nemeses, NEMESIS_COUNT_MAX, toml_find(root, TEXT("nemesis")));
    note_list(lines->invariants, INVARIANT_COUNT_MAX, toml_find(root, TEXT("invariant")));
}

/* A program stands beside the scenario, unless its path says where it is. */
static enum status find_program(struct scenario_workload *workload, const char *scenario_path,
                                struct error *err)
{
    const char *slash = strrchr(scenario_path, '/');
    char path[SCENARIO_PATH_SIZE];
    int length;

    if (workload->program[0] == '\0' || workload->program[0] == '/' || !slash)
        return STATUS_OK;
    length = snprintf(path, sizeof path, "%.*s%s", (int)(slash - scenario_path + 1), scenario_path,
                      workload->program);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(err, STATUS_BAD_INPUT, "workload.program: its path is too long");
    memcpy(workload->program, path, (size_t)length + 1);
    return STATUS_OK;
}

static enum status read_meaning(struct scenario *scenario, const struct setting *root,
                                struct error *err)
{
    scenario->workload.is_scheduled = toml_find(root, TEXT("schedule")) != NULL;
    scenario->workload.is_listed = toml_find(root, TEXT("transaction")) != NULL;
    for (size_t i = 0; i < scenario_section_count; i++)
        TRY(read_section(scenario, &scenario_sections[i], root, err));
    if (scenario->workload.is_scheduled)
        TRY(scenario_schedule_check(scenario, toml_find(root, TEXT("schedule")), err));
    note_lines(&scenario->lines, root);
    TRY(check_world(scenario, root, err));
    TRY(scenario_latency_make(&scenario->disk.read, &scenario->disk.config.read, err));
    TRY(scenario_latency_make(&scenario->disk.write, &scenario->disk.config.write, err));
    TRY(scenario_latency_make(&scenario->disk.sync, &scenario->disk.config.sync, err));
    return scenario_latency_make(&scenario->network.latency, &scenario->network.link.latency, err);
}

/* --- What is drawn ---------------------------------------------------------------------------- */

/* Of a scenario that draws settings: it is read again for each seed. */
struct scenario_source {
    char *path;
    struct text text;
    char **sets;
    size_t set_count;
};

static char *keep_text(struct scenario *scenario, struct text text)
{
    char *copy = scenario_keep(scenario, text.length + 1, 1);

    if (copy && text.length > 0)
        memcpy(copy, text.at, text.length);
    return copy;
}

static enum status keep_source(struct scenario *scenario, const struct scenario_source *from,
                               struct error *err)
{
    struct scenario_source *source = scenario_keep(scenario, 1, sizeof *source);
    bool is_kept = source != NULL;

    if (source) {
        source->path = keep_text(scenario, text_of(from->path));
        source->text = (struct text){ keep_text(scenario, from->text), from->text.length };
        source->sets = scenario_keep(scenario, from->set_count + 1, sizeof *source->sets);
        is_kept = source->path && source->text.at && source->sets;
    }
    for (size_t i = 0; is_kept && i < from->set_count; i++, source->set_count++) {
        source->sets[i] = keep_text(scenario, text_of(from->sets[i]));
        is_kept = source->sets[i] != NULL;
    }
    scenario->source = is_kept ? source : NULL;
    return is_kept ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
}

static const struct section *find_section(const char *name)
{
    for (size_t i = 0; i < scenario_section_count; i++)
        if (strcmp(scenario_sections[i].name, name) == 0)
            return &scenario_sections[i];
    assert(!"a section of this name");
    return NULL;
}

/* A seed that is refused later draws as 0. */
static enum status draw_settings(struct scenario *scenario, const struct scenario_source *from,
                                 struct setting *root, struct arena *arena, struct error *err)
{
    const struct setting *seed = toml_find(root, TEXT("seed"));
    const struct setting *table = toml_find(root, TEXT("swarm"));
    struct swarm_options swarm = { 0 };

    if (!table || table->kind != SETTING_TABLE)
        return STATUS_OK;
    TRY(section_read(find_section("swarm"), table, &swarm, err));
    if (swarm.dimensions == 0)
        return STATUS_OK;
    if (!scenario->source)
        TRY(keep_source(scenario, from, err));
    scenario->draws_protocol =
        swarm.dimensions >> SWARM_PROTOCOL & 1 &&
        !toml_find(toml_find(root, TEXT("cluster")), TEXT("protocol"));
    return configuration_draw(root, &swarm,
                              seed && seed->kind == SETTING_INTEGER ? (uint64_t)seed->number : 0,
                              arena, err);
}

static enum status read_in(struct arena *arena, struct scenario *scenario,
                           const struct scenario_source *from, struct error *err)
{
    struct setting *root;

    error_set_file(err, from->path);
    TRY(toml_read(from->text, arena, &root, err));
    err->file[0] = '\0';
    for (size_t i = 0; i < from->set_count; i++)
        TRY(toml_set(root, from->sets[i], arena, err));
    error_set_file(err, from->path);
    TRY(draw_settings(scenario, from, root, arena, err));
    TRY(read_meaning(scenario, root, err));
    TRY(find_program(&scenario->workload, from->path, err));
    scenario->drawn_seed = scenario->seed;
    err->file[0] = '\0';
    return STATUS_OK;
}

static enum status read_from(struct scenario *scenario, const struct scenario_source *from,
                             struct error *err)
{
    struct arena arena;
    enum status status;

    TRY(arena_init(&arena, SETTINGS_BYTES_MAX, err));
    status = read_in(&arena, scenario, from, err);
    arena_close(&arena);
    return status;
}

enum status scenario_read(struct scenario *scenario, const char *path, struct text text,
                          const char *const *sets, size_t set_count, struct error *err)
{
    struct scenario_source from = { (char *)path, text, (char **)sets, set_count };

    memset(scenario, 0, sizeof *scenario);
    return read_from(scenario, &from, err);
}

/* The assignments of the source, and behind them these seeds. */
struct more_sets {
    char text[SWARM_DIMENSION_COUNT + 1][64];
    size_t count;
};

static void print_seeds(struct more_sets *more, uint64_t seed, const struct swarm_draws *draws)
{
    snprintf(more->text[0], sizeof more->text[0], "seed=%" PRIu64, seed);
    more->count = 1;
    for (int i = 0; draws && i < SWARM_DIMENSION_COUNT; i++)
        if (draws->of[i].is_given)
            snprintf(more->text[more->count++], sizeof more->text[0], "swarm.draws.%s=%" PRIu64,
                     swarm_dimension_name((enum swarm_dimension)i), draws->of[i].seed);
}

enum status scenario_with_seed(struct scenario *scenario, const struct scenario *of, uint64_t seed,
                               const struct swarm_draws *draws, struct error *err)
{
    struct scenario_source from;
    struct more_sets more;
    enum status status;
    char **sets;

    if (!of->source) {
        *scenario = *of;
        scenario->seed = seed;
        scenario->is_borrowed = true;
        for (int i = 0; draws && i < SWARM_DIMENSION_COUNT; i++)
            if (draws->of[i].is_given)
                scenario->swarm.draws.of[i] = draws->of[i];
        return STATUS_OK;
    }
    memset(scenario, 0, sizeof *scenario);
    print_seeds(&more, seed, draws);
    from = *of->source;
    sets = calloc(from.set_count + more.count, sizeof *sets);
    if (!sets)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    memcpy(sets, from.sets, from.set_count * sizeof *sets);
    for (size_t i = 0; i < more.count; i++)
        sets[from.set_count++] = more.text[i];
    from.sets = sets;
    scenario->source = of->source;
    status = read_from(scenario, &from, err);
    free(sets);
    return status;
}

enum status scenario_take_seed(struct scenario *scenario, uint64_t seed, struct error *err)
{
    struct scenario *drawn;
    enum status status;

    if (!scenario->source) {
        scenario->seed = seed;
        return STATUS_OK;
    }
    drawn = calloc(1, sizeof *drawn);
    if (!drawn)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = scenario_with_seed(drawn, scenario, seed, NULL, err);
    if (status == STATUS_OK)
        status = keep_source(drawn, scenario->source, err);
    if (status == STATUS_OK) {
        scenario_close(scenario);
        *scenario = *drawn;
    } else {
        scenario_close(drawn);
    }
    free(drawn);
    return status;
}

enum status scenario_load(struct scenario *scenario, const char *path, const char *const *sets,
                          size_t set_count, struct error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct buffer bytes = { 0 };
    enum status status = toml_read_file(path, &bytes, err);

    memset(scenario, 0, sizeof *scenario);
    if (status == STATUS_OK)
        status = scenario_read(scenario, name, (struct text){ bytes.at, bytes.count }, sets,
                               set_count, err);
    buffer_close(&bytes);
    return status;
}

/* Memory comes in blocks, each of which knows the one before. */
struct scenario_block {
    struct scenario_block *before;
};

void *scenario_keep(struct scenario *scenario, size_t count, size_t size)
{
    size_t head = (sizeof(struct scenario_block) + 15) / 16 * 16;
    struct scenario_block *block = NULL;

    if (size > 0 && count <= (SIZE_MAX - head) / size)
        block = calloc(1, head + count * size);
    if (!block)
        return NULL;
    block->before = scenario->blocks;
    scenario->blocks = block;
    return (char *)block + head;
}

void scenario_close(struct scenario *scenario)
{
    if (scenario->is_borrowed)
        return;
    while (scenario->blocks) {
        struct scenario_block *before = scenario->blocks->before;
        free(scenario->blocks);
        scenario->blocks = before;
    }
    listed_close(&scenario->listing);
}

static uint32_t list_count(const struct scenario *scenario, const struct section *section)
{
    uint32_t count;

    memcpy(&count, (const char *)scenario + section->count_offset, sizeof count);
    return count;
}

static void print_section(const struct scenario *scenario, const struct section *section,
                          struct buffer *out)
{
    const char *values = (const char *)scenario + section->offset;
    size_t count = section->element_size > 0 ? list_count(scenario, section) : 1;

    for (size_t k = 0; k < count; k++, values += section->element_size) {
        if (section->element_size > 0)
            buffer_print(out, "\n[[%s]]\n", section->name);
        else if (section->name[0] != '\0')
            buffer_print(out, "\n[%s]\n", section->name);
        section_print(section, values, out);
    }
}

void scenario_print(const struct scenario *scenario, struct buffer *out)
{
    for (size_t i = 0; i < scenario_section_count; i++) {
        const struct section *section = &scenario_sections[i];

        if (section->type == SECTION_TRANSACTIONS)
            scenario_listed_print(scenario, out);
        else if (!section->is_there || section->is_there(scenario))
            print_section(scenario, section, out);
    }
}

static const struct {
    const char *name, *summary;
} workloads[] = {
#define WORKLOAD_ROW(kind, name, summary) { name, summary },
    WORKLOAD_KINDS(WORKLOAD_ROW)
#undef WORKLOAD_ROW
};

const char *scenario_workload_name(enum scenario_workload_kind kind)
{
    assert(kind < WORKLOAD_KIND_COUNT);
    return workloads[kind].name;
}

const char *scenario_workload_summary(enum scenario_workload_kind kind)
{
    assert(kind < WORKLOAD_KIND_COUNT);
    return workloads[kind].summary;
}

static bool read_seed(struct text text, uint64_t *seed)
{
    int64_t value;

    if (!text_to_int64(text, &value) || value < 0 || value > SEED_MAX)
        return false;
    *seed = (uint64_t)value;
    return true;
}

enum status scenario_read_seeds(const char *text, uint64_t *first, uint64_t *last, struct error *err)
{
    const char *dots = strstr(text, "..");
    struct text from = { text, dots ? (size_t)(dots - text) : strlen(text) };

    if (!read_seed(from, first) || !read_seed(dots ? text_of(dots + 2) : from, last))
        return error_set(err, STATUS_BAD_INPUT,
                         "--seeds takes 1..100, or one seed, each 0 to 2^53-1, not '%s'", text);
    if (*last < *first)
        return error_set(err, STATUS_BAD_INPUT, "--seeds %s ends before it begins", text);
    return STATUS_OK;
}

bool scenario_folder_is_there(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void scenario_folder_close(struct folder_names *names)
{
    for (size_t i = 0; i < names->names.count; i++)
        free(names->names.at[i]);
    array_close(&names->names);
}

static bool is_scenario_name(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".toml") == 0;
}

static bool is_folder(const char *folder, const char *name)
{
    char path[SCENARIO_FOLDER_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return name[0] != '.' && length > 0 && (size_t)length < sizeof path && scenario_folder_is_there(path);
}

enum status scenario_folder_read(const char *folder, enum folder_content content,
                                 struct folder_names *names, struct error *err)
{
    DIR *open_folder = opendir(folder);
    struct dirent *entry;

    if (!open_folder) {
        error_set_file(err, folder);
        return error_set(err, STATUS_IO, "%s", strerror(errno));
    }
    while ((entry = readdir(open_folder)) != NULL) {
        bool wanted = content == FOLDER_FOLDERS ? is_folder(folder, entry->d_name)
                                                : is_scenario_name(entry->d_name);
        char *name;

        if (!wanted)
            continue;
        name = strdup(entry->d_name);
        if (!name || array_push(&names->names, name, err) != STATUS_OK) {
            free(name);
            closedir(open_folder);
            return error_set(err, STATUS_OVER_LIMIT, "no memory for the names in a folder");
        }
    }
    closedir(open_folder);
    if (names->names.count > 0)
        qsort(names->names.at, names->names.count, sizeof *names->names.at, compare_names);
    return STATUS_OK;
}

bool scenario_folder_find(char path[SCENARIO_FOLDER_SIZE])
{
    static const char installed[] = "/../share/ordeal/scenarios";
    char *slash;

    strcpy(path, "scenarios");
    if (scenario_folder_is_there(path))
        return true;
    if (version_program(path, SCENARIO_FOLDER_SIZE - sizeof installed) == 0)
        return false;
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    strcpy(slash, installed);
    return scenario_folder_is_there(path);
}
