#include "trial/scenario/profile_file.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "trial/scenario/store_private.h"
#include "trial/scenario/toml_private.h"

#define SETTINGS_BYTES_MAX ((size_t)64 << 20)
#define KEYS_MAX 32
#define PROFILES_MAX 128

/* --- Values ------------------------------------------------------------------------------ */

static enum status refuse(const struct setting *given, const char *wanted, struct error *err)
{
    return toml_refuse(given, err, "%.*s should be %s, not %s", TEXT_PRINT(given->key), wanted,
                       toml_kind_name(given->kind));
}

/* One of several words; its number. Nothing is set where nothing is given. */
static enum status read_word(const struct setting *root, const char *key,
                             const char *const *names, unsigned *number, struct error *err)
{
    const struct setting *given = toml_find(root, text_of(key));

    if (!given)
        return STATUS_OK;
    if (given->kind != SETTING_STRING)
        return refuse(given, "a string", err);
    for (unsigned i = 0; names[i]; i++)
        if (text_equal(given->text, text_of(names[i]))) {
            *number = i;
            return STATUS_OK;
        }
    return toml_refuse_name(given, key, names, err);
}

static enum status read_level(const struct setting *root, enum level *level, struct error *err)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_SNAPSHOT, LEVEL_SERIALIZABLE,
                                         LEVEL_STRICT_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE };
    const char *names[ROW_COUNT(levels) + 1] = { 0 };
    unsigned number = ROW_COUNT(levels);

    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        names[i] = level_name(levels[i]);
    TRY(read_word(root, "level", names, &number, err));
    if (number < ROW_COUNT(levels))
        *level = levels[number];
    return STATUS_OK;
}

static enum status read_line(const struct setting *root, const char *key, char *line,
                             struct error *err)
{
    const struct setting *given = toml_find(root, text_of(key));

    return given ? scenario_line_read(line, PROFILE_TEXT_SIZE, key, given, err) : STATUS_OK;
}

static enum status read_rules(const struct setting *root, struct profile *profile,
                              struct error *err)
{
    for (const struct profile_rule *rule = profile_rules; rule->name; rule++) {
        const struct setting *given = toml_find(root, text_of(rule->name));

        if (!given)
            continue;
        if (given->kind != SETTING_BOOLEAN)
            return refuse(given, "true or false", err);
        *(bool *)((char *)profile + rule->offset) = given->number != 0;
    }
    return STATUS_OK;
}

/* --- Keys -------------------------------------------------------------------------------- */

static const char *const words[] = { "name", "summary", "like", "level",
                                     "view", "timing",  "certifier" };

static enum status check_keys(const struct setting *root, struct error *err)
{
    const char *names[KEYS_MAX + 1] = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < ROW_COUNT(words); i++)
        names[count++] = words[i];
    for (const struct profile_rule *rule = profile_rules; rule->name && count < KEYS_MAX; rule++)
        names[count++] = rule->name;
    return toml_check_keys(root, "a profile", names, err);
}

static void list_names(const char *names[PROFILES_MAX + 1])
{
    unsigned count;
    const struct profile *all = profile_all(&count);

    for (unsigned i = 0; i < count && i < PROFILES_MAX; i++)
        names[i] = all[i].name;
}

static enum status read_like(const struct setting *root, struct profile *profile,
                             struct error *err)
{
    const struct setting *like = toml_find(root, TEXT("like"));
    const char *names[PROFILES_MAX + 1] = { 0 };
    const struct profile *found;

    *profile = (struct profile){ .level = LEVEL_COUNT };
    if (!like)
        return STATUS_OK;
    if (like->kind != SETTING_STRING)
        return refuse(like, "a string", err);
    found = profile_find(like->text);
    if (!found) {
        list_names(names);
        return toml_refuse_name(like, "profile", names, err);
    }
    *profile = *found;
    return STATUS_OK;
}

/* Of these nobody can guess what is meant. */
static enum status check_given(const struct setting *root, struct error *err)
{
    static const char *const needed[] = { "level", "view", "timing" };

    for (size_t i = 0; i < ROW_COUNT(needed) && !toml_find(root, TEXT("like")); i++)
        if (!toml_find(root, text_of(needed[i])))
            return toml_refuse(NULL, err, "%s is missing, and there is no like to have it from",
                               needed[i]);
    return STATUS_OK;
}

static enum status read_meaning(struct given_profile *given, const struct setting *root,
                                struct error *err)
{
    struct profile *profile = &given->profile;
    unsigned view, timing, certifier;

    TRY(check_keys(root, err));
    TRY(check_given(root, err));
    TRY(read_like(root, profile, err));
    view = profile->view;
    timing = profile->timing;
    certifier = profile->certifier;
    TRY(read_level(root, &profile->level, err));
    TRY(read_word(root, "view", profile_view_names, &view, err));
    TRY(read_word(root, "timing", profile_timing_names, &timing, err));
    TRY(read_word(root, "certifier", profile_certifier_names, &certifier, err));
    profile->view = (enum profile_view)view;
    profile->timing = (enum profile_timing)timing;
    profile->certifier = (enum profile_certifier)certifier;
    TRY(read_rules(root, profile, err));
    TRY(read_line(root, "name", given->name, err));
    TRY(read_line(root, "summary", given->summary, err));
    profile->name = given->name;
    profile->summary = given->summary;
    return profile_check(profile, err);
}

/* --- Files --------------------------------------------------------------------------------- */

enum status profile_read(struct given_profile *given, const char *path, struct text text,
                         struct error *err)
{
    struct setting *root;
    struct arena arena;
    enum status status;

    *given = (struct given_profile){ .summary = "own" };
    snprintf(given->name, sizeof given->name, "%s", path);
    TRY(arena_init(&arena, SETTINGS_BYTES_MAX, err));
    error_set_file(err, path);
    status = toml_read(text, &arena, &root, err);
    if (status == STATUS_OK)
        status = read_meaning(given, root, err);
    if (status == STATUS_OK)
        err->file[0] = '\0';
    arena_close(&arena);
    return status;
}

static enum status refuse_name(const char *given, struct error *err)
{
    const char *names[PROFILES_MAX + 1] = { 0 };
    const char *nearest;

    list_names(names);
    nearest = text_nearest(text_of(given), names);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "--profile: there is no '%.80s'; did you mean %s?",
                         given, nearest);
    return error_set(err, STATUS_BAD_INPUT,
                     "--profile: there is no '%.80s'; `ordeal list profiles` has them, and a file "
                     "of your own ends with .toml",
                     given);
}

enum status profile_load(struct given_profile *given, const char *path, struct error *err)
{
    const struct profile *found = profile_find(text_of(path));
    size_t length = strlen(path);
    struct buffer bytes = { 0 };
    enum status status;

    if (found) {
        *given = (struct given_profile){ .profile = *found };
        return STATUS_OK;
    }
    if (length < 5 || strcmp(path + length - 5, ".toml") != 0)
        return refuse_name(path, err);
    status = toml_read_file(path, &bytes, err);
    if (status == STATUS_OK)
        status = profile_read(given, path, (struct text){ bytes.at, bytes.count }, err);
    buffer_close(&bytes);
    return status;
}

/* --- For programs --------------------------------------------------------------------------- */

void profile_answer(struct json_writer *json, const struct profile *profile)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", profile->name);
    json_writer_text(json, "description", profile->summary);
    json_writer_text(json, "level", level_name(profile->level));
    json_writer_text(json, "view", profile_view_names[profile->view]);
    json_writer_text(json, "timing", profile_timing_names[profile->timing]);
    json_writer_text(json, "certifier", profile_certifier_names[profile->certifier]);
    json_writer_open(json, "rules", '[');
    for (const struct profile_rule *rule = profile_rules; rule->name; rule++)
        if (profile_has(profile, rule))
            json_writer_text(json, NULL, rule->name);
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}
