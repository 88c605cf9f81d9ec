#include "cli/scenario.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/given_latency.h"
#include "cli/scenario_keys.h"
#include "cli/settings.h"
#include "cli/toml_scan.h"

#define SETTINGS_BYTES_MAX ((size_t)64 << 20)

/* What only some nemeses understand is refused to the others. */
static enum status check_nemesis(const struct nemesis_options *options, uint32_t node_count,
                                 const struct setting *table, struct error *err)
{
    for (int i = 0; i < NEMESIS_KEY_COUNT; i++) {
        const char *name = nemesis_key_name((enum nemesis_key)i);
        const struct setting *given = setting_find(table, text_of(name));

        if (i == NEMESIS_KEY_LASTS && options->lasts_ns == 0)
            continue; /* as it is printed for all */
        if (given && !nemesis_shape_takes(options->shape, (enum nemesis_key)i))
            return setting_refuse(given, err, "%s %s takes no %s", nemesis_kind_name(options->kind),
                                  nemesis_shape_name(options->shape), name);
    }
    if (nemesis_check_options(options, node_count, err) != STATUS_OK)
        return setting_blame(table, err);
    return STATUS_OK;
}

static enum status read_nemeses(struct scenario *scenario, const struct section *section,
                                const struct setting *list, struct error *err)
{
    if (!list)
        return STATUS_OK;
    if (list->kind != SETTING_ARRAY)
        return setting_refuse(list, err, "%s should be a list of tables: [[%s]]", section->name,
                              section->name);
    for (const struct setting *table = list->first; table; table = table->next) {
        struct nemesis_options *options = &scenario->nemeses[scenario->nemesis_count];

        if (scenario->nemesis_count == NEMESIS_COUNT_MAX)
            return setting_refuse(table, err, "more than %d nemeses", NEMESIS_COUNT_MAX);
        if (table->kind != SETTING_TABLE)
            return setting_refuse(table, err, "%s should be a list of tables: [[%s]]",
                                  section->name, section->name);
        TRY(section_read(section, table, options, err));
        TRY(check_nemesis(options, scenario->cluster.nodes, table, err));
        scenario->nemesis_count++;
    }
    return STATUS_OK;
}

static enum status read_section(struct scenario *scenario, const struct section *section,
                                const struct setting *root, struct error *err)
{
    const struct setting *table = root;

    if (section->name[0] != '\0')
        table = setting_find(root, text_of(section->name));
    if (section->element_size > 0)
        return read_nemeses(scenario, section, table, err);
    if (table && table->kind != SETTING_TABLE) {
        return setting_refuse(table, err, "%s should be a table: [%s]", section->name,
                              section->name);
    }
    return section_read(section, table, (char *)scenario + section->offset, err);
}

/* A node that need not speak before the budget is spent proves nothing by its silence. */
static enum status check_settling(const struct scenario *scenario, const struct setting *root,
                                  struct error *err)
{
    const struct setting *workload, *interval;

    if (scenario->workload.settle_ns > scenario->workload.ping.interval_ns)
        return STATUS_OK;
    workload = setting_find(root, TEXT("workload"));
    interval = setting_find(workload, TEXT("interval"));
    return setting_refuse(interval ? interval : workload, err,
                          "workload.settle must be longer than workload.interval");
}

static enum status read_meaning(struct scenario *scenario, const struct setting *root,
                                struct error *err)
{
    for (size_t i = 0; i < scenario_section_count; i++)
        TRY(read_section(scenario, &scenario_sections[i], root, err));
    TRY(check_settling(scenario, root, err));
    TRY(given_latency_make(&scenario->disk.read, &scenario->disk.config.read, err));
    TRY(given_latency_make(&scenario->disk.write, &scenario->disk.config.write, err));
    TRY(given_latency_make(&scenario->disk.sync, &scenario->disk.config.sync, err));
    return given_latency_make(&scenario->network.latency, &scenario->network.link.latency, err);
}

static enum status read_in(struct arena *arena, struct scenario *scenario, const char *path,
                           struct text text, const char *const *sets, size_t set_count,
                           struct error *err)
{
    struct setting *root;

    error_set_file(err, path);
    TRY(settings_read(text, arena, &root, err));
    err->file[0] = '\0';
    for (size_t i = 0; i < set_count; i++)
        TRY(settings_set(root, sets[i], arena, err));
    error_set_file(err, path);
    TRY(read_meaning(scenario, root, err));
    err->file[0] = '\0';
    return STATUS_OK;
}

enum status scenario_read(struct scenario *scenario, const char *path, struct text text,
                          const char *const *sets, size_t set_count, struct error *err)
{
    struct arena arena;
    enum status status;

    memset(scenario, 0, sizeof *scenario);
    TRY(arena_init(&arena, SETTINGS_BYTES_MAX, err));
    status = read_in(&arena, scenario, path, text, sets, set_count, err);
    arena_close(&arena);
    return status;
}

static enum status refuse_system(const char *name, struct error *err)
{
    int number = errno;

    error_set_file(err, name);
    return error_set(err, STATUS_IO, "cannot read: %s", strerror(number));
}

/* One byte more than is allowed, where there is so much: the guard then refuses it. */
static enum status read_file(FILE *file, const char *name, struct buffer *bytes, struct error *err)
{
    size_t room = TOML_BYTES_MAX + 1;

    if (!file)
        return refuse_system(name, err);
    if (!buffer_reserve(bytes, room))
        return buffer_status(bytes, err);
    bytes->count = fread(bytes->at, 1, room, file);
    return ferror(file) ? refuse_system(name, err) : STATUS_OK;
}

enum status scenario_load(struct scenario *scenario, const char *path, const char *const *sets,
                          size_t set_count, struct error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    struct buffer bytes = { 0 };
    enum status status = read_file(file, name, &bytes, err);

    if (file && !is_stdin)
        fclose(file);
    if (status == STATUS_OK)
        status = scenario_read(scenario, name, (struct text){ bytes.at, bytes.count }, sets,
                               set_count, err);
    buffer_close(&bytes);
    return status;
}

void scenario_print(const struct scenario *scenario, struct buffer *out)
{
    for (size_t i = 0; i < scenario_section_count; i++) {
        const struct section *section = &scenario_sections[i];
        const char *values = (const char *)scenario + section->offset;
        size_t count = section->element_size > 0 ? scenario->nemesis_count : 1;

        for (size_t k = 0; k < count; k++, values += section->element_size) {
            if (section->element_size > 0)
                buffer_print(out, "\n[[%s]]\n", section->name);
            else if (section->name[0] != '\0')
                buffer_print(out, "\n[%s]\n", section->name);
            section_print(section, values, out);
        }
    }
}

static const struct {
    const char *name, *summary;
} workloads[] = {
#define WORKLOAD_ROW(kind, name, summary) { name, summary },
    WORKLOAD_KINDS(WORKLOAD_ROW)
#undef WORKLOAD_ROW
};

const char *workload_kind_name(enum workload_kind kind)
{
    assert(kind < WORKLOAD_KIND_COUNT);
    return workloads[kind].name;
}

const char *workload_kind_summary(enum workload_kind kind)
{
    assert(kind < WORKLOAD_KIND_COUNT);
    return workloads[kind].summary;
}
