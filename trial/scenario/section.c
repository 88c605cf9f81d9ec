#include "trial/scenario/section_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "trial/scenario/database_private.h"
#include "trial/scenario/latency.h"
#include "trial/scenario/nemesis_private.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/keys_private.h"
#include "trial/scenario/schedule_private.h"
#include "trial/scenario/store_private.h"

#define KEYS_MAX 64

/* "network.loss", or "seed" above all sections. */
struct label {
    char text[64];
};

static struct label label_of(const struct section *section, const struct section_key *row)
{
    struct label label;

    snprintf(label.text, sizeof label.text, "%s%s%s", section->name, section->name[0] ? "." : "",
             row->name);
    return label;
}

/* What a row's value is read from, and how its refusals begin. */
struct section_reader {
    const struct section *section;
    const struct section_key *row;
    const struct setting *setting;
    void *values;
};

static enum status refuse(const struct section_reader *reader, const char *wanted, struct error *err)
{
    struct text given = reader->setting->text;
    struct label label = label_of(reader->section, reader->row);
    bool shown = reader->setting->kind != SETTING_TABLE && reader->setting->kind != SETTING_ARRAY;
    const char *quote = reader->setting->kind == SETTING_STRING ? "\"" : "";

    if (shown)
        return toml_refuse(reader->setting, err, "%s should be %s, not %s%.*s%s", label.text,
                           wanted, quote, TEXT_PRINT(given), quote);
    else
        return toml_refuse(reader->setting, err, "%s should be %s, not %s", label.text, wanted,
                           toml_kind_name(reader->setting->kind));
}

static enum status read_integer(const struct section_reader *reader, int64_t *number, struct error *err)
{
    char wanted[100];

    snprintf(wanted, sizeof wanted, "an integer from %" PRId64 " to %" PRId64, reader->row->low,
             reader->row->high);
    if (reader->setting->kind != SETTING_INTEGER || reader->setting->number < reader->row->low ||
        reader->setting->number > reader->row->high)
        return refuse(reader, wanted, err);
    *number = reader->setting->number;
    return STATUS_OK;
}

static enum status read_uint64(const struct section_reader *reader, uint64_t *value,
                               struct error *err)
{
    int64_t number = 0;

    TRY(read_integer(reader, &number, err));
    *value = (uint64_t)number;
    return STATUS_OK;
}

static enum status read_uint32(const struct section_reader *reader, uint32_t more, uint32_t *value,
                               struct error *err)
{
    int64_t number = 0;

    TRY(read_integer(reader, &number, err));
    *value = (uint32_t)number + more;
    return STATUS_OK;
}

static enum status read_int32(const struct section_reader *reader, int32_t *value, struct error *err)
{
    int64_t number = 0;

    TRY(read_integer(reader, &number, err));
    *value = (int32_t)number;
    return STATUS_OK;
}

static enum status read_duration(const struct section_reader *reader, int64_t *ns, struct error *err)
{
    struct buffer wanted = { 0 };

    if (reader->setting->kind != SETTING_STRING ||
        !quantity_to_duration(reader->setting->text, ns))
        return refuse(reader, "a duration such as \"1.5s\" (ns, us, ms, s, m, h)", err);
    if (*ns >= reader->row->low && *ns <= reader->row->high)
        return STATUS_OK;
    buffer_text(&wanted, TEXT("from "));
    quantity_print_duration(&wanted, reader->row->low);
    buffer_text(&wanted, TEXT(" to "));
    quantity_print_duration(&wanted, reader->row->high);
    buffer_byte(&wanted, '\0');
    (void)refuse(reader, wanted.at ? wanted.at : "less", err);
    buffer_close(&wanted);
    return err->status;
}

static enum status read_probability(const struct section_reader *reader, struct ratio *ratio,
                                    struct error *err)
{
    enum setting_kind kind = reader->setting->kind;

    if ((kind != SETTING_DECIMAL && kind != SETTING_INTEGER) ||
        !quantity_to_probability(reader->setting->text, ratio))
        return refuse(reader, "a decimal from 0 to 1 such as 0.001", err);
    return STATUS_OK;
}

static enum status read_nemesis(const struct section_reader *reader, enum nemesis_kind *kind,
                                struct error *err)
{
    const char *names[NEMESIS_KIND_COUNT + 1] = { 0 };

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_kind(reader->setting->text, kind))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        names[i] = nemesis_kind_name((enum nemesis_kind)i);
    return toml_refuse_name(reader->setting, "nemesis", names, err);
}

static enum status read_shape(const struct section_reader *reader, enum nemesis_shape *shape,
                              struct error *err)
{
    const struct nemesis_options *options = reader->values;
    const char *names[NEMESIS_SHAPE_COUNT + 1] = { 0 };
    char what[64];
    size_t count = 0;

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_shape(options->kind, reader->setting->text, shape))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        if (nemesis_shape_kind((enum nemesis_shape)i) == options->kind)
            names[count++] = nemesis_shape_name((enum nemesis_shape)i);
    snprintf(what, sizeof what, "%s of shape", nemesis_kind_name(options->kind));
    return toml_refuse_name(reader->setting, what, names, err);
}

static enum status read_victims(const struct section_reader *reader, enum nemesis_victims *victims,
                                struct error *err)
{
    const char *names[NEMESIS_VICTIMS_COUNT + 1] = { 0 };

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_victims(reader->setting->text, victims))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_VICTIMS_COUNT; i++)
        names[i] = nemesis_victims_name((enum nemesis_victims)i);
    return toml_refuse_name(reader->setting, "group of victims", names, err);
}

static enum status read_boolean(const struct section_reader *reader, bool *flag, struct error *err)
{
    if (reader->setting->kind != SETTING_BOOLEAN)
        return refuse(reader, "true or false", err);
    *flag = reader->setting->number != 0;
    return STATUS_OK;
}

static enum status read_equals(const struct section_reader *reader, char *line, struct error *err)
{
    struct label label = label_of(reader->section, reader->row);
    struct setting as_text = *reader->setting;

    if (as_text.kind == SETTING_INTEGER || as_text.kind == SETTING_DECIMAL)
        as_text.kind = SETTING_STRING; /* 7 is "7" */
    return scenario_line_read(line, (size_t)reader->row->high + 1, label.text, &as_text, err);
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_number(struct buffer *out, uint64_t number)
{
    buffer_print(out, "%" PRIu64, number);
}

static void print_word(struct buffer *out, const char *word)
{
    buffer_print(out, "\"%s\"", word);
}

static void print_duration(struct buffer *out, int64_t ns)
{
    buffer_byte(out, '"');
    quantity_print_duration(out, ns);
    buffer_byte(out, '"');
}

static void print_workload(const struct section *section, const void *workload,
                           struct buffer *out)
{
    const char *word;

    (void)section->subject(workload, &word);
    buffer_print(out, "\"%s\"", word);
}

/* From anywhere, so that what is printed can be run from another folder. */
static void print_path(const char *path, struct buffer *out)
{
    char *whole = realpath(path, NULL);

    buffer_json(out, text_of(whole ? whole : path));
    free(whole);
}

static enum builtin_parameter parameter_of(const struct section_key *row)
{
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (strcmp(builtin_parameter_name((enum builtin_parameter)i), row->name) == 0)
            return (enum builtin_parameter)i;
    assert(!"a row for every parameter");
    return PARAMETER_COUNT;
}

static void print_parameter(const struct section_key *row, const struct scenario_workload *workload,
                            struct buffer *out)
{
    enum builtin_parameter parameter = parameter_of(row);
    const char *quote = parameter == PARAMETER_CHOICE ? "\"" : "";

    buffer_text(out, text_of(quote));
    builtin_print_value(&workload->builtin, parameter, out);
    buffer_text(out, text_of(quote));
}

/* Where transactions are listed, nothing is left to those parameters that draw them. */
static bool parameter_matters(const struct scenario_workload *workload,
                              enum builtin_parameter parameter)
{
    static const bool is_of_state[PARAMETER_COUNT] = {
        [PARAMETER_KEYS] = true,   [PARAMETER_GROUP] = true, [PARAMETER_BALANCE] = true,
        [PARAMETER_VALUES] = true, [PARAMETER_WIDTH] = true, [PARAMETER_REPEAT_VALUES] = true,
    };

    return builtin_has_parameter(workload->builtin.workload, parameter) &&
           (!workload->is_listed || is_of_state[parameter]);
}

/* What else they are of has been drawn. */
static bool draws_matter(const struct swarm_draws *draws)
{
    return draws->of[SWARM_NEMESIS].is_given;
}

/* --- By type ---------------------------------------------------------------------------------- */

/*
 * What there is to know of each type of value:
 *
 *     X(KIND, type in C, how it is read, how it is printed, whether nothing was written)
 *
 * `at` points to the value. A key that is always written is never unset.
 */
#define KEY_TYPES(X)                                                                               \
    X(NAME, char, READ_LINE(SCENARIO_NAME_SIZE), buffer_json(out, text_of(at)), false)             \
    X(SEED, uint64_t, read_uint64(reader, at, err), print_number(out, *at), false)                 \
    X(SIZE, uint64_t, read_uint64(reader, at, err), print_number(out, *at), *at == 0)              \
    X(COUNT, uint32_t, read_uint32(reader, 0, at, err), print_number(out, *at), *at == 0)          \
    X(INDEX, uint32_t, read_uint32(reader, 1, at, err), print_number(out, *at - 1), *at == 0)      \
    X(PPM, int32_t, read_int32(reader, at, err), buffer_print(out, "%" PRId32, *at), *at == 0)     \
    X(DURATION, int64_t, read_duration(reader, at, err), print_duration(out, *at), *at == 0)       \
    X(PROBABILITY, struct ratio, read_probability(reader, at, err),                                \
      quantity_print_probability(out, *at), at->denominator == 0)                                  \
    X(LATENCY, struct scenario_latency, READ(scenario_latency_read),                               \
      scenario_latency_print(at, out), false)                                                      \
    X(WORKLOAD, struct scenario_workload, READ(scenario_workload_read),                            \
      print_workload(section, at, out), at->program[0] != '\0')                                    \
    X(BOOLEAN, bool, read_boolean(reader, at, err), buffer_print(out, *at ? "true" : "false"),     \
      !*at)                                                                                        \
    X(NEMESIS, enum nemesis_kind, read_nemesis(reader, at, err),                                   \
      print_word(out, nemesis_kind_name(*at)), false)                                              \
    X(SHAPE, enum nemesis_shape, read_shape(reader, at, err),                                      \
      print_word(out, nemesis_shape_name(*at)), false)                                             \
    X(VICTIMS, enum nemesis_victims, read_victims(reader, at, err),                                \
      print_word(out, nemesis_victims_name(*at)), *at == VICTIMS_USUAL)                            \
    X(TIMES, struct nemesis_times, READ(scenario_times_read), scenario_times_print(at, out),       \
      at->count == 0)                                                                              \
    X(NODES, struct nemesis_nodes, READ(scenario_nodes_read), scenario_nodes_print(at, out),       \
      at->count == 0)                                                                              \
    X(KINDS, uint32_t, READ(scenario_kinds_read), scenario_kinds_print(*at, out), *at == 0)        \
    X(DIMENSIONS, uint32_t, READ(scenario_dimensions_read), (void)at, true) /* see what they drew */\
    X(DRAWS, struct swarm_draws, READ(scenario_draws_read), scenario_draws_print(at, out),         \
      !draws_matter(at))                                                                           \
    X(SITES, uint64_t, READ(scenario_sites_read), scenario_sites_print(*at, out), *at == 0)        \
    X(PROTOCOL, const struct protocol *, READ(scenario_protocol_read),                             \
      print_word(out, store_protocol_facts(*at).name), false)                                      \
    X(BUGS, struct bugs, READ(scenario_bugs_read), scenario_bugs_print(at, out),                   \
      memchr(at->on, true, sizeof *at) == NULL)                                                    \
    X(PARAMETER, struct scenario_workload,                                                         \
      scenario_parameter_read(at, row->name, reader->setting, err),                                \
      print_parameter(row, at, out), !parameter_matters(at, parameter_of(row)))                    \
    X(CALLS, struct scenario_calls, READ(scenario_calls_read), scenario_calls_print(at, out),      \
      at->count == 0)                                                                              \
    X(LEVEL, uint32_t, READ(scenario_level_read),                                                  \
      print_word(out, level_name((enum level)(*at - 1))), *at == 0)                                \
    X(CHECKERS, struct check_wishes, READ(scenario_checkers_read),                                 \
      scenario_checkers_print(at, out), !at->is_listed)                                            \
    X(LINE, char, READ_LINE(row->high + 1), buffer_json(out, text_of(at)), *at == '\0')            \
    X(PATH, char, READ_LINE(row->high + 1), print_path(at, out), *at == '\0')                      \
    X(EQUALS, char, read_equals(reader, at, err), buffer_json(out, text_of(at)), false)            \
    X(SESSION, char, READ(scenario_session_read), scenario_session_print(at, out), false)          \
    X(DO, struct scenario_do, READ(scenario_do_read), scenario_do_print(at, out), false)           \
    X(EXPECT, uint32_t, READ(scenario_expect_read), scenario_expect_print(*at, out), *at == 0)     \
    X(ROWS, struct scenario_rows, READ(scenario_rows_read), scenario_rows_print(at, out),          \
      !at->are_given)                                                                              \
    X(STRIKES, struct nemesis_options, STATUS_OK, scenario_strikes_print(at, out),                 \
      at->strike_count == 0)                                                                       \
    X(STEPS, const struct setting *, (*at = reader->setting, STATUS_OK), (void)at, true)           \
    X(DATABASE, const struct database *, READ(scenario_database_read),                             \
      print_word(out, (*at)->name), !*at)                                                          \
    X(SETTINGS, struct scenario_settings, READ(scenario_settings_read),                            \
      scenario_settings_print(at, out), at->count == 0)                                            \
    X(EVENTS, struct steering_events, READ(scenario_events_read), scenario_events_print(at, out),  \
      at->count == 0)

/* A function that takes the value, how refusals name it, and the setting. */
#define READ(read) read(at, label.text, reader->setting, err)
#define READ_LINE(size) scenario_line_read(at, (size_t)(size), label.text, reader->setting, err)

static enum status read_row(const struct section_reader *reader, struct error *err)
{
    const struct section_key *row = reader->row;
    struct label label = label_of(reader->section, row);
    void *place = (char *)reader->values + row->offset;

    switch (row->kind) {
#define KEY_READ(key, type, read, print, is_unset)                                                 \
    case KEY_##key: {                                                                              \
        type *at = place;                                                                          \
        (void)at;                                                                                  \
        return read;                                                                               \
    }
        KEY_TYPES(KEY_READ)
#undef KEY_READ
    }
    return STATUS_OK;
}

static void print_value(const struct section *section, const struct section_key *row,
                        const void *place, struct buffer *out)
{
    switch (row->kind) {
#define KEY_PRINT(key, type, read, print, is_unset)                                                \
    case KEY_##key: {                                                                              \
        type const *at = place;                                                                    \
        print;                                                                                     \
        break;                                                                                     \
    }
        KEY_TYPES(KEY_PRINT)
#undef KEY_PRINT
    }
}

/* Whether a key without default was left alone: it then has no written form. */
static bool is_unset(const struct section_key *row, const void *place)
{
    bool has_default = !row->fallback || row->fallback[0] != '\0';

    if (has_default && row->kind != KEY_WORKLOAD)
        return false;
    switch (row->kind) {
#define KEY_IS_UNSET(key, type, read, print, is_unset)                                             \
    case KEY_##key: {                                                                              \
        type const *at = place;                                                                    \
        (void)at;                                                                                  \
        return is_unset;                                                                           \
    }
        KEY_TYPES(KEY_IS_UNSET)
#undef KEY_IS_UNSET
    }
    return false;
}

/* --- Sections --------------------------------------------------------------------------------- */

/* What the table says of a key that is absent, read as if it stood in the file. */
static enum status read_fallback(struct section_reader *reader, const struct setting *table,
                                 struct error *err)
{
    struct setting setting = { .kind = SETTING_STRING };
    bool is_number = reader->row->kind == KEY_SEED || reader->row->kind == KEY_SIZE ||
                     reader->row->kind == KEY_COUNT || reader->row->kind == KEY_PPM;

    if (reader->row->kind == KEY_WORKLOAD) {
        struct scenario_workload *workload = reader->values;
        workload->kind = workload->is_scheduled ? WORKLOAD_SCHEDULE : WORKLOAD_PROGRAM;
        if (workload->program[0] != '\0')
            return STATUS_OK;
    }
    if (!reader->row->fallback) {
        struct label label = label_of(reader->section, reader->row);
        return toml_refuse(table, err, "%s is missing: %s", label.text, reader->row->help);
    }
    setting.text = text_of(reader->row->fallback);
    if (reader->row->kind == KEY_SHAPE) {
        struct nemesis_options *options = reader->values;
        options->shape = nemesis_default_shape(options->kind);
        return STATUS_OK;
    }
    if (setting.text.length == 0)
        return STATUS_OK; /* zero already */
    if (is_number) {
        bool good = text_to_int64(setting.text, &setting.number);
        assert(good);
        setting.kind = SETTING_INTEGER;
    } else if (reader->row->kind == KEY_PROBABILITY) {
        setting.kind = SETTING_DECIMAL;
    }
    reader->setting = &setting;
    return read_row(reader, err);
}

static enum status check_keys(const struct section *section, const struct setting *table,
                              struct error *err)
{
    const char *names[KEYS_MAX + 1] = { 0 };
    bool is_top = section->name[0] == '\0';
    size_t count = 0;

    assert(section->count + (is_top ? scenario_section_count : 0) <= KEYS_MAX);
    for (size_t i = 0; i < section->count; i++)
        names[count++] = section->rows[i].name;
    for (size_t i = 1; is_top && i < scenario_section_count; i++)
        names[count++] = scenario_sections[i].name;
    return toml_check_keys(table, is_top ? "a scenario" : section->name, names, err);
}

/* Whether a key says something of what the section is about: a ping has no sessions. */
static bool row_applies(const struct section *section, const struct section_key *row,
                        const void *values)
{
    const char *word;

    return row->only == 0 || !section->subject || (section->subject(values, &word) & row->only);
}

static enum status refuse_foreign(const struct section *section, const struct setting *given,
                                  const void *values, struct error *err)
{
    const char *word;

    (void)section->subject(values, &word);
    return toml_refuse(given, err, "the %s %s has no '%.*s'", section->name, word,
                       TEXT_PRINT(given->key));
}

enum status section_read(const struct section *section, const struct setting *table, void *values,
                         struct error *err)
{
    TRY(check_keys(section, table, err));
    for (size_t i = 0; i < section->count; i++) {
        struct section_reader reader = { section, &section->rows[i], NULL, values };

        if (table)
            reader.setting = toml_find(table, text_of(section->rows[i].name));
        if (reader.setting && !row_applies(section, reader.row, values))
            return refuse_foreign(section, reader.setting, values, err);
        if (reader.setting)
            TRY(read_row(&reader, err));
        else if (row_applies(section, reader.row, values))
            TRY(read_fallback(&reader, table, err));
    }
    return STATUS_OK;
}

void section_print(const struct section *section, const void *values, struct buffer *out)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct section_key *row = &section->rows[i];
        const void *at = (const char *)values + row->offset;

        if (!row_applies(section, row, values) || is_unset(row, at))
            continue;
        buffer_print(out, "%s = ", row->name);
        print_value(section, row, at, out);
        buffer_byte(out, '\n');
    }
}
