#include "trial/scenario/database_private.h"

#include <stdio.h>
#include <string.h>

#include "trial/scenario/keys_private.h"
#include "trial/scenario/store_private.h"

enum status scenario_database_read(const struct database **kind, const char *label,
                                   const struct setting *given, struct error *err)
{
    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    *kind = database_find(given->text);
    return *kind ? STATUS_OK : toml_refuse_name(given, "database", database_names(), err);
}

enum status scenario_settings_read(struct scenario_settings *settings, const char *label,
                                   const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count > DATABASE_SETTINGS_MAX)
        return toml_refuse(list, err, "%s should be a list of at most %d strings \"key=value\"",
                           label, DATABASE_SETTINGS_MAX);
    for (const struct setting *one = list->first; one; one = one->next) {
        TRY(scenario_line_read(settings->at[settings->count], DATABASE_LINE_SIZE, label, one, err));
        settings->count++;
    }
    return STATUS_OK;
}

void scenario_settings_print(const struct scenario_settings *settings, struct buffer *out)
{
    buffer_byte(out, '[');
    for (uint32_t i = 0; i < settings->count; i++) {
        buffer_text(out, i ? TEXT(", ") : TEXT(""));
        buffer_json(out, text_of(settings->at[i]));
    }
    buffer_byte(out, ']');
}

bool scenario_has_database(const struct scenario *scenario)
{
    return scenario->database.kind != NULL;
}

/* A key with its usual value says nothing. */
static bool is_usual(const struct section *section, const struct setting *given)
{
    for (size_t i = 0; i < section->count; i++)
        if (text_equal(given->key, text_of(section->rows[i].name)))
            return section->rows[i].fallback &&
                   text_equal(given->text, text_of(section->rows[i].fallback));
    return false;
}

static const struct section *find_section(const char *name)
{
    size_t i = 0;

    while (strcmp(scenario_sections[i].name, name) != 0)
        i++;
    return &scenario_sections[i];
}

static void note_unused(struct scenario_database *database, const struct setting *given,
                        const char *section, const char *key)
{
    size_t length = strlen(database->unused);

    if (given && (key[0] == '\0' || !is_usual(find_section(section), given)))
        snprintf(database->unused + length, sizeof database->unused - length, "%s%s%s%s",
                 length ? ", " : "", section, section[0] && key[0] ? "." : "", key);
}

/* What real clocks, networks, disks and servers are like, nobody can say here. */
static void note_all_unused(struct scenario_database *database, const struct setting *root)
{
    static const char *const sections[] = { "cluster", "clocks",  "network",
                                            "disk",    "buggify", "limits" };
    static const char *const keys[] = { "think",    "timeout", "patience",
                                        "attempts", "backoff", "settle" };
    const struct setting *workload = toml_find(root, TEXT("workload"));

    for (size_t i = 0; i < ROW_COUNT(sections); i++)
        note_unused(database, toml_find(root, text_of(sections[i])), sections[i], "");
    for (size_t i = 0; i < ROW_COUNT(keys); i++)
        note_unused(database, toml_find(workload, text_of(keys[i])), "workload", keys[i]);
}

enum status scenario_database_check(struct scenario *scenario, const struct setting *root,
                                    const struct setting *table, struct error *err)
{
    static const char *const refused[] = { "swarm", "schedule", "transaction", "capsule", "explore" };

    if (!scenario->database.kind)
        return toml_refuse(table, err, "database.kind is missing: which database");
    if (scenario->workload.kind != WORKLOAD_BUILTIN && scenario->workload.kind != WORKLOAD_PROGRAM)
        return toml_refuse(toml_find(root, TEXT("workload")), err,
                           "a real database runs one of the workloads of `ordeal list workloads`");
    for (size_t i = 0; i < ROW_COUNT(refused); i++)
        if (toml_find(root, text_of(refused[i])))
            return toml_refuse(toml_find(root, text_of(refused[i])), err,
                               "`%s` is for the simulated world: not with [database]", refused[i]);
    note_all_unused(&scenario->database, root);
    return STATUS_OK;
}
