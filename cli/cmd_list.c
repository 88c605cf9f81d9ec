#include "cli/cmd_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_writer.h"
#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "cli/output.h"
#include "history/anomaly.h"
#include "history/format.h"
#include "history/level.h"
#include "nemesis/nemesis.h"
#include "programs/workloads/builtin.h"
#include "programs/workloads/workload.h"
#include "store/store.h"
#include "trial/scenario/profile_file.h"
#include "trial/scenario/scenario.h"

struct list_values {
    const char *what;
    bool json;
};

/* One thing, as a person and as a program reads it. */
struct entry {
    const char *name, *description;
    const char *field, *value; /* one more field for programs; NULL: none */
};

/* Where the entries go. */
struct list_printer {
    struct buffer *out;
    struct json_writer *json; /* NULL: for people */
    size_t width;          /* of names; 0: they are only measured */
    size_t widest;
};

static void add(struct list_printer *listing, struct entry entry)
{
    size_t length = strlen(entry.name);

    if (length > listing->widest)
        listing->widest = length;
    if (listing->json) {
        json_writer_open(listing->json, NULL, '{');
        json_writer_text(listing->json, "name", entry.name);
        json_writer_text(listing->json, "description", entry.description);
        if (entry.field)
            json_writer_text(listing->json, entry.field, entry.value);
        json_writer_close(listing->json, '}');
    } else if (listing->width > 0) {
        buffer_print(listing->out, "%-*s  %s\n", (int)listing->width, entry.name,
                     entry.description);
    }
}

static enum status list_anomalies(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < ANOMALY_COUNT; i++) {
        enum level level;
        bool of_level = anomaly_weakest_level((enum anomaly)i, &level);

        add(listing, (struct entry){ anomaly_name((enum anomaly)i),
                                     anomaly_definition((enum anomaly)i), "weakest_level",
                                     of_level ? level_name(level) : NULL });
    }
    return STATUS_OK;
}

static enum status list_formats(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < FORMAT_COUNT; i++)
        add(listing, (struct entry){ format_name((enum format)i),
                                     format_description((enum format)i), NULL, NULL });
    return STATUS_OK;
}

static enum status list_levels(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < LEVEL_END; i++)
        if (i != LEVEL_COUNT)
            add(listing, (struct entry){ level_name((enum level)i), level_promise((enum level)i),
                                         NULL, NULL });
    return STATUS_OK;
}

static bool is_shape_of(enum nemesis_shape shape, enum nemesis_kind kind)
{
    return nemesis_shape_kind(shape) == kind;
}

static void answer_shape(struct json_writer *json, enum nemesis_shape shape)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", nemesis_shape_name(shape));
    json_writer_text(json, "description", nemesis_shape_summary(shape));
    json_writer_text(json, "fault_model", nemesis_shape_is_outside(shape) ? "outside" : "inside");
    json_writer_open(json, "keys", '[');
    for (int i = 0; i < NEMESIS_KEY_COUNT; i++)
        if (nemesis_shape_takes(shape, (enum nemesis_key)i))
            json_writer_text(json, NULL, nemesis_key_name((enum nemesis_key)i));
    json_writer_close(json, ']');
    json_writer_open(json, "victims", '[');
    for (int i = 0; i < NEMESIS_VICTIMS_COUNT; i++)
        if (nemesis_shape_takes(shape, NEMESIS_KEY_VICTIMS) &&
            nemesis_shape_allows(shape, (enum nemesis_victims)i))
            json_writer_text(json, NULL, nemesis_victims_name((enum nemesis_victims)i));
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

static void answer_nemesis(struct json_writer *json, enum nemesis_kind kind)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", nemesis_kind_name(kind));
    json_writer_open(json, "shapes", '[');
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        if (is_shape_of((enum nemesis_shape)i, kind))
            answer_shape(json, (enum nemesis_shape)i);
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

/* "a drawn disk takes factor times as long   (factor, victims, lasts)" */
static void describe_shape(enum nemesis_shape shape, struct buffer *to)
{
    const char *before = "   (";

    buffer_text(to, text_of(nemesis_shape_summary(shape)));
    for (int i = 0; i < NEMESIS_KEY_COUNT; i++)
        if (nemesis_shape_takes(shape, (enum nemesis_key)i)) {
            buffer_print(to, "%s%s", before, nemesis_key_name((enum nemesis_key)i));
            before = ", ";
        }
    buffer_byte(to, ')'); /* every shape takes something */
    buffer_byte(to, '\0');
}

/* A program reads kinds that have shapes; a person a line for each shape. */
static enum status list_nemeses(struct list_printer *listing, struct error *err)
{
    for (int i = 0; listing->json && i < NEMESIS_KIND_COUNT; i++)
        answer_nemesis(listing->json, (enum nemesis_kind)i);
    for (int i = 0; !listing->json && i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        struct buffer name = { 0 }, description = { 0 };

        buffer_print(&name, "%s %s", nemesis_kind_name(nemesis_shape_kind(shape)),
                     nemesis_shape_name(shape));
        describe_shape(shape, &description);
        TRY(buffer_status(&name, err));
        TRY(buffer_status(&description, err));
        add(listing, (struct entry){ name.at, description.at, NULL, NULL });
        buffer_close(&name);
        buffer_close(&description);
    }
    return STATUS_OK;
}

/* Who runs it: the one name that two subcommands have for two workloads is listed twice. */
static void add_workload(struct list_printer *listing, const char *used_by, const char *name,
                         const char *description)
{
    struct buffer text = { 0 };

    buffer_print(&text, "%-8s  %s", used_by, description);
    add(listing, (struct entry){ name, listing->json ? description : text.at, "used_by",
                                 used_by });
    listing->out->out_of_memory |= text.out_of_memory;
    buffer_close(&text);
}

/* Integers as numbers; decimals, which must stay exact, and words as text. */
static void answer_default(struct json_writer *json, const struct builtin_options *options,
                           enum builtin_parameter parameter)
{
    struct buffer value = { 0 };
    int64_t number;

    builtin_print_value(options, parameter, &value);
    if (text_to_int64((struct text){ value.at, value.count }, &number)) {
        json_writer_number(json, "default", (uint64_t)number);
    } else {
        buffer_byte(&value, '\0');
        json_writer_text(json, "default", value.out_of_memory ? "" : value.at);
    }
    json->out->out_of_memory |= value.out_of_memory;
    buffer_close(&value);
}

static void answer_builtin(struct json_writer *json, const struct workload *workload)
{
    struct builtin_options options = builtin_defaults(workload);

    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", workload->name);
    json_writer_text(json, "description", workload->description);
    json_writer_text(json, "used_by", "run");
    json_writer_open(json, "parameters", '[');
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        enum builtin_parameter parameter = (enum builtin_parameter)i;

        if (!builtin_has_parameter(workload, parameter))
            continue;
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "name", builtin_parameter_name(parameter));
        json_writer_text(json, "description", builtin_parameter_help(parameter));
        answer_default(json, &options, parameter);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

/* Those that `generate` makes, then those that `run` runs. */
static enum status list_workloads(struct list_printer *listing, struct error *err)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    (void)err;
    for (unsigned i = 0; i < count; i++)
        add_workload(listing, "generate", workloads[i]->name, workloads[i]->mix->description);
    workloads = workload_run(&count);
    for (unsigned i = 0; i < count; i++)
        if (listing->json)
            answer_builtin(listing->json, workloads[i]);
        else
            add_workload(listing, "run", workloads[i]->name, workloads[i]->description);
    add_workload(listing, "run", scenario_workload_name(WORKLOAD_PING),
                 scenario_workload_summary(WORKLOAD_PING));
    return STATUS_OK;
}

static enum status list_protocols(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (const char *const *name = store_protocol_names(); *name; name++) {
        struct store_protocol_facts facts =
            store_protocol_facts(store_protocol(text_of(*name)));
        add(listing, (struct entry){ facts.name, facts.summary, "level",
                                     level_name(facts.level) });
    }
    return STATUS_OK;
}

static void answer_words(struct json_writer *json, const char *name, const char *words)
{
    char word[64];

    json_writer_open(json, name, '[');
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_writer_text(json, NULL, word);
        words += length + strspn(words + length, " ");
    }
    json_writer_close(json, ']');
}

static void answer_bug(struct json_writer *json, const struct bug_entry *bug)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", bug->name);
    json_writer_text(json, "description", bug->what);
    answer_words(json, "protocols", bug->protocols);
    json_writer_text(json, "holds", level_name(bug->holds));
    answer_words(json, "checkers", bug->checkers);
    json_writer_text(json, "seen", bug->seen);
    json_writer_close(json, '}');
}

static enum status list_bugs(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < BUG_COUNT; i++) {
        const struct bug_entry *bug = bug_entry((enum bug)i);
        struct buffer about = { 0 };

        if (listing->json) {
            answer_bug(listing->json, bug);
            continue;
        }
        buffer_print(&about, "%s: %s", bug->protocols, bug->what);
        buffer_byte(&about, '\0');
        add(listing, (struct entry){ bug->name, about.at ? about.at : bug->what, NULL, NULL });
        buffer_close(&about);
    }
    return STATUS_OK;
}

static enum status list_paths(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < SOMETIMES_COUNT; i++) {
        const char *protocols = sometimes_protocols((enum rare_path)i);
        add(listing, (struct entry){ sometimes_name((enum rare_path)i),
                                     protocols[0] ? protocols : "all protocols", "reached_by",
                                     sometimes_is_outside((enum rare_path)i) ? "outside"
                                                                             : "swarm" });
    }
    return STATUS_OK;
}

static enum status list_buggify(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++)
        add(listing, (struct entry){ buggify_name((enum buggify_site)i),
                                     buggify_summary((enum buggify_site)i), NULL, NULL });
    return STATUS_OK;
}

/* A scenario that cannot be read is listed with the reason. */
static void add_scenario(struct list_printer *listing, const char *folder, const char *name)
{
    struct scenario *scenario = calloc(1, sizeof *scenario); /* too large for a stack */
    struct error problem = { 0 };
    struct buffer path = { 0 };
    bool readable;

    buffer_print(&path, "%s/%s", folder, name);
    if (scenario && !path.out_of_memory) {
        readable = scenario_load(scenario, path.at, NULL, 0, &problem) == STATUS_OK;
        add(listing, (struct entry){ path.at, readable ? scenario->name : problem.text, "error",
                                     readable ? NULL : problem.text });
        scenario_close(scenario);
    } else {
        listing->out->out_of_memory = true;
    }
    free(scenario);
    buffer_close(&path);
}

static enum status list_folder(struct list_printer *listing, const char *folder, struct error *err)
{
    struct folder_names names = { { 0 } };
    enum status status = scenario_folder_read(folder, FOLDER_SCENARIOS, &names, err);

    for (size_t i = 0; status == STATUS_OK && i < names.names.count; i++)
        add_scenario(listing, folder, names.names.at[i]);
    scenario_folder_close(&names);
    return status;
}

/* Those that should come out valid, and behind them those of the folders there are. */
static enum status list_scenarios(struct list_printer *listing, struct error *err)
{
    char folder[SCENARIO_FOLDER_SIZE];
    struct folder_names folders = { { 0 } };
    enum status status;

    if (!scenario_folder_find(folder))
        return error_set(err, STATUS_IO,
                         "no folder of scenarios: neither ./scenarios nor an installed one");
    TRY(list_folder(listing, folder, err));
    status = scenario_folder_read(folder, FOLDER_FOLDERS, &folders, err);
    for (size_t i = 0; status == STATUS_OK && i < folders.names.count; i++) {
        struct buffer path = { 0 };
        buffer_print(&path, "%s/%s", folder, folders.names.at[i]);
        status = buffer_status(&path, err);
        if (status == STATUS_OK)
            status = list_folder(listing, path.at, err);
        buffer_close(&path);
    }
    scenario_folder_close(&folders);
    return status;
}

static enum status list_checkers(struct list_printer *listing, struct error *err)
{
    (void)err;
    for (const struct checker *const *checker = checkers_all(); *checker; checker++)
        add(listing, (struct entry){ (*checker)->name, (*checker)->summary, NULL, NULL });
    return STATUS_OK;
}

static enum status list_profiles(struct list_printer *listing, struct error *err)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    (void)err;
    for (unsigned i = 0; i < count; i++)
        if (listing->json)
            profile_answer(listing->json, &profiles[i]);
        else
            add(listing, (struct entry){ profiles[i].name, profiles[i].summary, NULL, NULL });
    return STATUS_OK;
}

static const struct {
    const char *name;
    enum status (*list)(struct list_printer *, struct error *);
} lists[] = {
    { "protocols", list_protocols }, { "bugs", list_bugs }, { "nemeses", list_nemeses },
    { "workloads", list_workloads }, { "checkers", list_checkers }, { "levels", list_levels },
    { "anomalies", list_anomalies }, { "profiles", list_profiles }, { "formats", list_formats },
    { "scenarios", list_scenarios }, { "buggify", list_buggify }, { "paths", list_paths },
};

static const char *const *list_names(void)
{
    static const char *const names[] = { "protocols", "bugs",    "nemeses", "workloads", "checkers",
                                         "levels", "anomalies", "profiles", "formats", "scenarios",
                                         "buggify", "paths", NULL };

    static_assert(ROW_COUNT(names) == ROW_COUNT(lists) + 1, "each list has its name here");
    return names;
}

#define AT(field) offsetof(struct list_values, field)

static const struct option list_rows[] = {
    OPERAND_ROW("WHAT", AT(what),
                "protocols, bugs, nemeses, workloads, checkers, levels, anomalies,\n"
                "profiles, formats, scenarios, buggify or paths",
                .choices = list_names),
    FLAG_ROW("json", AT(json), "print one JSON array of objects with name and description"),
};

static enum status list_all(const char *what, struct list_printer *listing, struct error *err)
{
    for (size_t i = 0; i < ROW_COUNT(lists); i++)
        if (strcmp(lists[i].name, what) == 0)
            return lists[i].list(listing, err);
    assert(!"the options let through what there is no list of");
    return STATUS_BAD_INPUT;
}

/* Once to measure the names, once to print them. */
static enum status list_for_people(const char *what, struct buffer *out, struct error *err)
{
    struct list_printer listing = { .out = out };

    TRY(list_all(what, &listing, err));
    listing.width = listing.widest;
    return list_all(what, &listing, err);
}

static enum status list_for_programs(const char *what, struct buffer *out, struct error *err)
{
    struct json_writer json = { .out = out };
    struct list_printer listing = { .out = out, .json = &json };

    json_writer_open(&json, NULL, '[');
    TRY(list_all(what, &listing, err));
    json_writer_close(&json, ']');
    buffer_byte(out, '\n');
    return STATUS_OK;
}

static enum status cmd_list_run(const void *given, struct limits *limits,
                                enum exit_code *code, struct error *err)
{
    const struct list_values *values = given;
    struct buffer out = { 0 };
    enum status status = values->json ? list_for_programs(values->what, &out, err)
                                      : list_for_people(values->what, &out, err);

    (void)limits; /* it is done at once */
    *code = EXIT_VALID;
    if (status == STATUS_OK)
        status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

const struct command command_list = {
    .summary = "lists what has a name",
    .description =
        "Scenarios are those in ./scenarios, or else the installed ones: first those that should\n"
        "come out valid, then those in folders, which test other things.\n",
    .example = "  ordeal list nemeses\n  ordeal list bugs --json\n",
    .options = { "list", list_rows, ROW_COUNT(list_rows), sizeof(struct list_values) },
    .run = cmd_list_run,
};
