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

#define CLIENTS_DEFAULT 16
#define FOR_DEFAULT_NS INT64_C(5000000000)
#define RECIPES "recipes"

struct record_values {
    const char *database, *connect, *binaries, *topology, *workload, *program, *load, *level,
        *isolation, *duration, *out, *timeout;
    const char *faults[DATABASE_FAULT_COUNT];
    struct option_number clients, transactions, rate, seed;
    struct option_texts sets, settings, calls;
    bool certificate, watch, force, json;
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
    OPERAND_ROW("DATABASE", AT(database), "a database, or `recipes` for a list of them",
                .choices = database_choices),
    TEXT_ROW("connect", "URI", AT(connect),
             "record a server that runs already (default: start one in a private\n"
             "folder and remove it afterwards). Its tables begin with ordeal_\n"
             "and are dropped at the end"),
    TEXT_ROW("binaries", "DIR", AT(binaries), "folder of the server's programs"),
    TEXT_ROW("topology", "T", AT(topology),
             "how the database is run, from `ordeal record recipes`"),
    TEXT_ROW("workload", "W", AT(workload), "what clients do (default: list-append)",
             .choices = workload_run_names),
    TEXT_ROW("program", "FILE.sql", AT(program),
             "a program instead of a workload: its functions run in the database.\n"
             "What they were called with and what they answered is written to\n"
             "audit.jsonl in the folder of --out"),
    TEXTS_ROW("call", "CALL", AT(calls),
              "a function of the program that clients call, with its weight:\n"
              "'20: deposit(uniform(1, 100), 5)'; may be given several times"),
    TEXT_ROW("load", "CALL", AT(load), "the call that makes the program's first rows: 'load(10)'"),
    TEXTS_ROW("set", "key=value", AT(sets),
              "change a parameter of the workload: keys=100; may be given several\n"
              "times"),
    TEXTS_ROW("setting", "key=value", AT(settings),
              "change a setting of the server: synchronous_commit=off; may be\n"
              "given several times"),
    TEXT_ROW("level", "L", AT(level), "isolation level to check (default: serializable)",
             .choices = level_all_names),
    TEXT_ROW("isolation", "L", AT(isolation),
             "level that clients ask the database for (default: that of --level)",
             .choices = level_all_names),
    NUMBER_ROW("clients", "N", AT(clients), 1, RECORD_CLIENTS_MAX,
               "number of concurrent clients (default: 16)"),
    TEXT_ROW("for", "D", AT(duration),
             "how long clients begin transactions, as in 10s (default: 5s)"),
    NUMBER_ROW("transactions", "N", AT(transactions), 1, 100000000,
               "number of transactions, instead of a time"),
    NUMBER_ROW("rate", "N", AT(rate), 1, 10000000,
               "transactions per second of all clients together (default: as many\n"
               "as possible)"),
    TEXT_ROW("kill", "every=D[,for=D]", AT(faults[DATABASE_KILL]),
             "kill all processes of the server, or of a node, with signal 9, and start\n"
             "it again, as in every=2s; for=D is how long it is down (default: 0s)"),
    TEXT_ROW("pause", "every=D[,for=D]", AT(faults[DATABASE_PAUSE]),
             "stop all processes of the server, or of a node, and let them go on\n"
             "(default: for=500ms)"),
    TEXT_ROW("partition", "every=D[,for=D]", AT(faults[DATABASE_PARTITION]),
             "cut a node off from the others (default: for=1s)"),
    TEXT_ROW("latency", "every=D[,for=D]", AT(faults[DATABASE_LATENCY]),
             "slow the network between nodes (default: for=1s)"),
    TEXT_ROW("disk-full", "every=D[,for=D]", AT(faults[DATABASE_DISK_FULL]),
             "fill the disk that has the server's data (default: for=500ms)"),
    TEXT_ROW("clock", "every=D[,for=D]", AT(faults[DATABASE_CLOCK]),
             "set the server's clock to a wrong time (default: for=1s)"),
    FLAG_ROW("certificate", AT(certificate),
             "recover the order of versions and what each transaction saw from\n"
             "the database itself"),
    FLAG_ROW("watch", AT(watch),
             "have interval judge while it runs, and stop at the first violation"),
    TEXT_ROW("out", "DIR", AT(out),
             "write history.jsonl, run.json and the witness of each checker into\n"
             "this folder, which must be new or empty"),
    FLAG_ROW("force", AT(force),
             "let --out replace the files of an earlier recording; other files\n"
             "stay"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX,
               "seed of the workload (default: 0). The same seed gives the same\n"
               "transactions, but a recording cannot be repeated"),
    TIMEOUT_ROW(AT(timeout), "judging included;\n"
                             "without a verdict by then the recording is not judged"),
    JSON_ROW(AT(json)),
};

/* --- What the flags say ----------------------------------------------------------------------- */

static enum status read_duration(const char *flag, const char *text, int64_t *ns, struct error *err)
{
    if (quantity_to_duration(text_of(text), ns) && *ns > 0)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "--%s takes a time as in 2s, not '%.80s'", flag, text);
}

static enum status set_workload(const struct record_values *values, struct record_trial *trial,
                                struct error *err)
{
    const char *name = values->workload ? values->workload : "list-append";

    trial->workload = builtin_defaults(workload_find(text_of(name)));
    for (size_t i = 0; i < values->sets.count; i++) {
        const char *set = values->sets.at[i], *equal = strchr(set, '=');

        if (!equal)
            return error_set(err, STATUS_BAD_INPUT, "--set takes key=value, not '%.80s'", set);
        TRY(builtin_set(&trial->workload, (struct text){ set, (size_t)(equal - set) },
                        text_of(equal + 1), err));
    }
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

static enum status set_length(const struct record_values *values, struct record_plan *plan,
                              struct error *err)
{
    if (values->duration)
        TRY(read_duration("for", values->duration, &plan->for_ns, err));
    else if (!values->transactions.given)
        plan->for_ns = FOR_DEFAULT_NS;
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (values->faults[kind])
            TRY(fault_wish_read(&plan->faults[kind], (enum database_fault)kind,
                                text_of(values->faults[kind]), err));
    return STATUS_OK;
}

static struct text without_blanks(struct text text)
{
    while (text.length > 0 && text.at[0] == ' ')
        text = (struct text){ text.at + 1, text.length - 1 };
    while (text.length > 0 && text.at[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* "20: deposit(uniform(1, 100), 5)", taken apart at the commas that stand between its arguments. */
static enum status read_call(struct text given, struct program_call *call, struct text *arguments,
                             struct error *err)
{
    const char *colon = memchr(given.at, ':', given.length), *paren;
    struct text rest = given;
    uint64_t weight = 1;
    size_t begins = 0;
    int depth = 0;
    bool is_quoted = false;

    paren = memchr(given.at, '(', given.length);
    if (colon && paren && colon < paren) {
        if (!text_take_uint64(&rest, &weight) || weight == 0 || weight > 1000000 ||
            rest.at != colon)
            return error_set(err, STATUS_BAD_INPUT, "--call: the weight of '%.80s' is no number",
                             given.at);
        rest = (struct text){ colon + 1, given.length - (size_t)(colon + 1 - given.at) };
    }
    rest = without_blanks(rest);
    if (!paren || rest.length == 0 || rest.at[rest.length - 1] != ')')
        return error_set(err, STATUS_BAD_INPUT, "--call takes name(arguments), not '%.80s'",
                         given.at);
    *call = (struct program_call){ .procedure = { rest.at, (size_t)(paren - rest.at) },
                                   .weight = (uint32_t)weight,
                                   .arguments = arguments };
    rest = (struct text){ paren + 1, (size_t)(rest.at + rest.length - 1 - (paren + 1)) };
    for (size_t i = 0; i <= rest.length && without_blanks(rest).length > 0; i++) {
        char byte = i < rest.length ? rest.at[i] : ',';

        is_quoted ^= byte == '\'';
        depth += is_quoted ? 0 : (byte == '(') - (byte == ')');
        if (i < rest.length && (is_quoted || depth > 0 || byte != ','))
            continue;
        if (call->argument_count == CALL_ARGUMENTS_MAX)
            return error_set(err, STATUS_BAD_INPUT, "--call: more than %d arguments",
                             CALL_ARGUMENTS_MAX);
        arguments[call->argument_count++] =
            without_blanks((struct text){ rest.at + begins, i - begins });
        begins = i + 1;
    }
    return STATUS_OK;
}

static enum status set_program(const struct record_values *values, struct record_trial *trial,
                               struct error *err)
{
    struct record_program_plan *program = &trial->plan.program;

    if (!values->program && (values->calls.count > 0 || values->load))
        return error_set(err, STATUS_BAD_INPUT, "--call and --load are of a --program");
    if (!values->program)
        return STATUS_OK;
    if (values->workload || values->sets.count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "clients run a --workload or a --program, not both");
    if (values->calls.count > CALLS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "there are more than %d calls", CALLS_MAX);
    *program = (struct record_program_plan){ values->program, values->load, trial->calls,
                                             (uint32_t)values->calls.count };
    for (size_t i = 0; i < values->calls.count; i++)
        TRY(read_call(text_of(values->calls.at[i]), &trial->calls[i], trial->arguments[i], err));
    return STATUS_OK;
}

static enum status plan_trial(const struct record_values *values, struct record_trial *trial,
                              struct error *err)
{
    struct record_plan *plan = &trial->plan;

    trial->level = read_level(values->level, LEVEL_SERIALIZABLE);
    *plan = (struct record_plan){
        .database = database_find(text_of(values->database)),
        .how = { .connect = values->connect,
                 .binaries = values->binaries,
                 .mode = values->topology,
                 .isolation = read_level(values->isolation, trial->level),
                 .certifies = values->certificate,
                 .clients =
                     values->clients.given ? (uint32_t)values->clients.value : CLIENTS_DEFAULT,
                 .settings = values->settings.at,
                 .setting_count = values->settings.count },
        .transactions = (uint64_t)values->transactions.value,
        .rate = (uint64_t)values->rate.value,
        .seed = (uint64_t)values->seed.value,
    };
    TRY(set_workload(values, trial, err));
    TRY(set_program(values, trial, err));
    return set_length(values, plan, err);
}

/* --- Recording and judging -------------------------------------------------------------------- */

static enum status write_files(const void *context, const char *folder, struct error *err)
{
    const struct record_report *report = context;
    struct buffer bytes = { 0 };
    enum status status = STATUS_OK;

    if (report->scenario) {
        scenario_print(report->scenario, &bytes);
        status = folder_write(folder, "scenario.toml", &bytes, err);
    }
    buffer_clear(&bytes);
    report_record_print_json(report, &bytes);
    if (status == STATUS_OK)
        status = folder_write(folder, "run.json", &bytes, err);
    buffer_close(&bytes);
    if (status == STATUS_OK && !report->trial->plan.workload)
        return folder_write(folder, "audit.jsonl", &report->trial->recording.audit_log, err);
    if (status == STATUS_OK)
        status = folder_write_judged(folder, &report->trial->recording.history, report->jury, err);
    return status;
}

static void print(const struct record_report *report, bool json, struct buffer *out)
{
    if (json)
        report_record_print_json(report, out);
    else
        report_record_print(report, out);
}

static enum status say(const struct record_report *report, bool json, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    print(report, json, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

/* What is known so far, for when the time is over. */
struct record_publishing {
    struct record_report report;
    bool json;
    struct limits *limits;
};

static void publish(void *context, const struct jury *so_far)
{
    struct record_publishing *p = context;
    struct buffer out = { 0 };

    p->report.jury = so_far;
    print(&p->report, p->json, &out);
    limits_publish(p->limits, &out,
                   (int)command_exit_of_verdict(report_record_verdict(&p->report)));
    buffer_close(&out);
}

static enum status record_and_judge(struct record_trial *trial, const struct record_answer *answer,
                                    struct limits *limits, struct error *err)
{
    struct record_publishing publishing = { { trial, NULL, answer->scenario, NULL },
                                            answer->json,
                                            limits };
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct record_trial_options options = { .wants_witnesses = answer->out != NULL,
                                            .limit_ns = limits_left_ns(limits),
                                            .unfinished = limits->reason,
                                            .memory = limits->memory,
                                            .stop = interrupt_notice(false),
                                            .time_is_over = limits_stop(limits),
                                            .progress = &progress,
                                            .tell = publish,
                                            .context = &publishing };
    enum status status;

    progress_bar_begin(&bar, "recording", "");
    status = record_trial_run(trial, &options, err);
    progress_bar_end(&bar);
    if (status == STATUS_OK)
        record_trial_doubt_unfelt(trial);
    return status;
}

enum status cmd_record_trial(struct record_trial *trial, const struct record_answer *answer,
                             struct limits *limits, enum exit_code *code, struct error *err)
{
    struct record_report report = { trial, &trial->jury, answer->scenario, answer->out };
    enum status status;

    TRY(record_trial_settle(trial, err));
    status = record_and_judge(trial, answer, limits, err);
    if (status == STATUS_OK) {
        limits_settle(limits);
        *code = command_exit_noticed(command_exit_of_verdict(report_record_verdict(&report)));
        if (answer->out)
            status = folder_answer(answer->out, answer->force, write_files, &report, err);
        if (status == STATUS_OK && answer->audit_log)
            status = output_write(answer->audit_log, &trial->recording.audit_log, err);
    }
    if (status == STATUS_OK)
        status = say(&report, answer->json, err);
    record_trial_close(trial);
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
    const struct record_values *values = given;
    struct record_answer answer = { .out = values->out,
                                    .force = values->force,
                                    .json = values->json };
    struct record_trial trial = { .watches = values->watch };

    if (strcmp(values->database, RECIPES) == 0)
        return print_recipes(values->json, err);
    TRY(plan_trial(values, &trial, err));
    if (values->out)
        TRY(folder_claim(values->out, values->force, err));
    return cmd_record_trial(&trial, &answer, limits, code, err);
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
