#include "cli/cmd_record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_record.h"
#include "history/format.h"
#include "record/record.h"
#include "trial/run/jury.h"
#include "trial/scenario/profile_file.h"
#include "trial/scenario/scenario.h"

#define CLIENTS_DEFAULT 16
#define FOR_DEFAULT_NS INT64_C(5000000000)
#define RECIPES "recipes"

struct record_values {
    const char *database, *connect, *binaries, *topology, *workload, *level, *isolation, *duration,
        *kill, *out, *timeout;
    struct option_number clients, transactions, rate, seed;
    struct option_texts sets, settings;
    bool certificate, force, json;
};

static const char *const *database_choices(void)
{
    static const char *names[32];
    size_t count = 0;

    for (const char *const *name = database_names();
         *name && count + 2 < sizeof names / sizeof *names; name++)
        names[count++] = *name;
    names[count] = RECIPES;
    return names;
}

#define AT(field) offsetof(struct record_values, field)

static const struct option record_rows[] = {
    { .argument = "DATABASE",
      .kind = OPTION_OPERAND,
      .offset = AT(database),
      .choices = database_choices,
      .help = "a database, or `recipes` for a list of them" },
    { .name = "connect",
      .argument = "URI",
      .kind = OPTION_TEXT,
      .offset = AT(connect),
      .help = "record a server that runs already (default: start one in a private\n"
              "folder and remove it afterwards). Its tables begin with ordeal_\n"
              "and are dropped at the end" },
    { .name = "binaries",
      .argument = "DIR",
      .kind = OPTION_TEXT,
      .offset = AT(binaries),
      .help = "folder of the server's programs" },
    { .name = "topology",
      .argument = "T",
      .kind = OPTION_TEXT,
      .offset = AT(topology),
      .help = "how the database is run, from `ordeal record recipes`" },
    { .name = "workload",
      .argument = "W",
      .kind = OPTION_TEXT,
      .offset = AT(workload),
      .choices = workload_run_names,
      .help = "what clients do (default: list-append)" },
    { .name = "set",
      .argument = "key=value",
      .kind = OPTION_TEXTS,
      .offset = AT(sets),
      .help = "change a parameter of the workload: keys=100; may be given several\n"
              "times" },
    { .name = "setting",
      .argument = "key=value",
      .kind = OPTION_TEXTS,
      .offset = AT(settings),
      .help = "change a setting of the server: synchronous_commit=off; may be\n"
              "given several times" },
    { .name = "level",
      .argument = "L",
      .kind = OPTION_TEXT,
      .offset = AT(level),
      .choices = level_all_names,
      .help = "isolation level to check (default: serializable)" },
    { .name = "isolation",
      .argument = "L",
      .kind = OPTION_TEXT,
      .offset = AT(isolation),
      .choices = level_all_names,
      .help = "level that clients ask the database for (default: that of --level)" },
    { .name = "clients",
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(clients),
      .low = 1,
      .high = RECORD_CLIENTS_MAX,
      .help = "number of concurrent clients (default: 16)" },
    { .name = "for",
      .argument = "D",
      .kind = OPTION_TEXT,
      .offset = AT(duration),
      .help = "how long clients begin transactions, as in 10s (default: 5s)" },
    { .name = "transactions",
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(transactions),
      .low = 1,
      .high = 100000000,
      .help = "number of transactions, instead of a time" },
    { .name = "rate",
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(rate),
      .low = 1,
      .high = 10000000,
      .help = "transactions per second of all clients together (default: as many\n"
              "as possible)" },
    { .name = "kill",
      .argument = "every=D",
      .kind = OPTION_TEXT,
      .offset = AT(kill),
      .help = "kill all processes of the server with signal 9 and start it again,\n"
              "as in every=2s" },
    { .name = "certificate",
      .kind = OPTION_FLAG,
      .offset = AT(certificate),
      .help = "recover the order of versions and what each transaction saw from\n"
              "the database itself" },
    { .name = "out",
      .argument = "DIR",
      .kind = OPTION_TEXT,
      .offset = AT(out),
      .help = "write history.jsonl, run.json and the witness of each checker into\n"
              "this folder, which must be new or empty" },
    { .name = "force",
      .kind = OPTION_FLAG,
      .offset = AT(force),
      .help = "let --out replace the files of an earlier recording; other files\n"
              "stay" },
    { .name = "seed",
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(seed),
      .low = 0,
      .high = SEED_MAX,
      .help = "seed of the workload (default: 0). The same seed gives the same\n"
              "transactions, but a recording cannot be repeated" },
    TIMEOUT_ROW(AT(timeout), "judging included;\n"
                             "without a verdict by then the recording is not judged"),
    { .name = "json", .kind = OPTION_FLAG, .offset = AT(json), .help = "print one JSON object" },
};

/* --- What the flags say ----------------------------------------------------------------------- */

struct record_call {
    const struct record_values *values;
    struct record_plan options;
    struct builtin_options workload;
    enum level level;
    struct given_profile profile;
    bool has_profile;
};

static enum status read_duration(const char *flag, const char *text, int64_t *ns, struct error *err)
{
    if (quantity_to_duration(text_of(text), ns) && *ns > 0)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "--%s takes a time as in 2s, not '%.80s'", flag, text);
}

static enum status set_workload(struct record_call *call, struct error *err)
{
    const char *name = call->values->workload ? call->values->workload : "list-append";
    const struct workload *workload = workload_find(text_of(name));

    call->workload = builtin_defaults(workload);
    for (size_t i = 0; i < call->values->sets.count; i++) {
        const char *set = call->values->sets.at[i], *equal = strchr(set, '=');

        if (!equal)
            return error_set(err, STATUS_BAD_INPUT, "--set takes key=value, not '%.80s'", set);
        TRY(builtin_set(&call->workload, (struct text){ set, (size_t)(equal - set) },
                        text_of(equal + 1), err));
    }
    call->options.workload = &call->workload;
    return STATUS_OK;
}

static enum level read_level(const char *given, enum level usual)
{
    enum level level = usual;
    bool is_known = !given || level_of_text(text_of(given), &level);

    assert(is_known);
    (void)is_known;
    return level;
}

static void set_server(struct record_call *call)
{
    const struct record_values *values = call->values;
    struct database_options *how = &call->options.how;

    call->level = read_level(values->level, LEVEL_SERIALIZABLE);
    how->isolation = read_level(values->isolation, call->level);
    how->connect = values->connect;
    how->binaries = values->binaries;
    how->mode = values->topology;
    how->settings = values->settings.at;
    how->setting_count = values->settings.count;
    how->certifies = values->certificate;
}

static enum status check_faults(const struct record_call *call, struct error *err)
{
    const struct database *database = call->options.database;

    if (call->values->kill &&
        (call->values->connect || !(database->faults & DATABASE_FAULT_BIT(DATABASE_KILL))))
        return error_set(err, STATUS_BAD_INPUT,
                         call->values->connect
                             ? "--kill is for servers that ordeal has started: not with --connect"
                             : "%s has no server to kill",
                         database->title);
    return STATUS_OK;
}

static enum status set_length(struct record_call *call, struct error *err)
{
    const struct record_values *values = call->values;
    struct record_plan *o = &call->options;

    o->how.clients = values->clients.given ? (uint32_t)values->clients.value : CLIENTS_DEFAULT;
    o->transactions = (uint64_t)values->transactions.value;
    o->rate = (uint64_t)values->rate.value;
    o->seed = (uint64_t)values->seed.value;
    if (values->duration)
        TRY(read_duration("for", values->duration, &o->for_ns, err));
    else if (!values->transactions.given)
        o->for_ns = FOR_DEFAULT_NS;
    if (values->kill)
        TRY(read_duration("kill",
                          strncmp(values->kill, "every=", 6) == 0 ? values->kill + 6 : values->kill,
                          &o->kill_every_ns, err));
    return STATUS_OK;
}

static enum status set_options(struct record_call *call, struct error *err)
{
    const char *profile;

    call->options.database = database_find(text_of(call->values->database));
    TRY(set_workload(call, err));
    set_server(call);
    TRY(record_plan_settle(&call->options, err));
    TRY(set_length(call, err));
    TRY(check_faults(call, err));
    call->options.judges_invariant =
        builtin_invariant_holds_at(call->workload.workload, call->level);
    profile = call->level == call->options.how.isolation
                  ? call->options.database->profile(call->level)
                  : NULL;
    if (profile) {
        TRY(profile_load(&call->profile, profile, err));
        call->has_profile = true;
    }
    return STATUS_OK;
}

/* --- Recording and judging -------------------------------------------------------------------- */

static enum status write_files(const struct record_report *report, const char *folder,
                               struct error *err)
{
    const struct jury *jury = report->jury;
    struct buffer bytes = { 0 };
    enum status status;
    char name[100];

    report_record_print_json(report, &bytes);
    status = folder_write(folder, "run.json", &bytes, err);
    buffer_clear(&bytes);
    buffer_print(&bytes, "%s/history.jsonl", folder);
    if (status == STATUS_OK)
        status = buffer_status(&bytes, err);
    if (status == STATUS_OK)
        status =
            format_write_history(&report->recording->history, FORMAT_JSONL, bytes.at, NULL, err);
    for (uint32_t i = 0; status == STATUS_OK && i < jury->juror_count; i++)
        if (jury->jurors[i].check.witness.count > 0) {
            snprintf(name, sizeof name, "witness-%s.json", jury->jurors[i].check.checker->name);
            status = folder_write(folder, name, &jury->jurors[i].check.witness, err);
        }
    buffer_close(&bytes);
    return status;
}

static enum status write_folder(const struct record_report *report, bool force, struct error *err)
{
    struct folder_draft draft;
    enum status status;

    TRY(folder_draft_open(&draft, report->out, err));
    status = write_files(report, draft.at, err);
    if (status == STATUS_OK)
        status = folder_draft_commit(&draft, force, err);
    folder_draft_close(&draft);
    return status;
}

static enum status judge(const struct record_call *call, const struct recorded_run *recording,
                         struct limits *limits, const struct progress *progress, struct jury *jury,
                         struct error *err)
{
    struct jury_options options = {
        .check = { .level = call->level,
                   .flags = call->values->out ? CHECK_WITNESS : 0,
                   .threads = 1,
                   .engine = ENGINE_NATIVE },
        .rule = JURY_COMPLETE,
        .profile = call->has_profile ? &call->profile.profile : NULL,
        .limit_ns = limits_left_ns(limits),
        .unfinished = limits->reason,
        .memory = limits->memory,
        .progress = progress,
    };

    return jury_judge(jury, &recording->history, &options, err);
}

static enum status record_and_judge(struct record_call *call, struct recorded_run *recording,
                                    struct jury *jury, struct limits *limits, struct error *err)
{
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    enum status status;

    call->options.progress = &progress;
    call->options.stop = interrupt_notice(false);
    progress_bar_begin(&bar, "recording", "");
    status = record_run(recording, &call->options, err);
    if (status == STATUS_OK)
        status = judge(call, recording, limits, &progress, jury, err);
    progress_bar_end(&bar);
    return status;
}

static enum status say(const struct record_report *report, bool json, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    if (json)
        report_record_print_json(report, &out);
    else
        report_record_print(report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status print_recipes(bool json, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    report_record_recipes(json, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status cmd_record_run(const void *given, struct limits *limits, enum exit_code *code,
                                  struct error *err)
{
    struct record_call call = { .values = given };
    struct recorded_run recording = { .kills = 0 };
    struct jury jury = { .juror_count = 0 };
    struct record_report report = { &call.options, &recording, &jury, call.values->out };
    enum status status;

    if (strcmp(call.values->database, RECIPES) == 0)
        return print_recipes(call.values->json, err);
    TRY(set_options(&call, err));
    if (call.values->out)
        TRY(folder_claim(call.values->out, call.values->force, err));
    status = record_and_judge(&call, &recording, &jury, limits, err);
    if (status == STATUS_OK) {
        limits_settle(limits);
        *code = command_exit_noticed(command_exit_of_verdict(report_record_verdict(&report)));
        if (call.values->out)
            status = write_folder(&report, call.values->force, err);
    }
    if (status == STATUS_OK)
        status = say(&report, call.values->json, err);
    jury_close(&jury);
    record_run_close(&recording);
    return status;
}

const struct command command_record = {
    .summary = "puts a real database on trial",
    .description =
        "Starts the database in a private folder, or connects to one, runs the clients of a "
        "workload\n"
        "on it, and judges what they saw. With --certificate the order of versions and what\n"
        "each transaction saw are recovered from the database itself, so that every level can be\n"
        "judged exactly. A recording cannot be repeated: the clients meet as the machine has it.\n"
        "Exits with 0 if the recording is valid, 1 if it is invalid, 2 if the call is wrong or "
        "the\n"
        "database cannot be had, and 3 if the recording is inconclusive.\n",
    .example = "  ordeal record postgres --workload list-append --level serializable --for 10s\n"
               "  ordeal record postgres --isolation snapshot --workload write-skew --certificate\n"
               "  ordeal record sqlite --topology rollback --workload bank\n",
    .options = { "record", record_rows, ROW_COUNT(record_rows), sizeof(struct record_values) },
    .run = cmd_record_run,
};
