#include "cli/cmd_generate.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/json_writer.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "history/anomaly.h"
#include "history/format.h"
#include "history/history.h"
#include "history/level.h"
#include "programs/generator/generate.h"
#include "programs/workloads/workload.h"
#include "trial/scenario/scenario.h"

struct generate_values {
    const char *workload, *level, *plant, *out, *timeout;
    struct option_number transactions, sessions, keys, operations, predicates, seed;
};

#define AT(field) offsetof(struct generate_values, field)

static const struct option generate_rows[] = {
    OPERAND_ROW("WORKLOAD", AT(workload), "mix of operations: see ordeal list workloads",
                .choices = workload_generated_names),
    NUMBER_ROW("transactions", "N", AT(transactions), 1, GENERATE_TRANSACTIONS_MAX,
               "number of transactions (default: 10000)"),
    NUMBER_ROW("sessions", "N", AT(sessions), 1, GENERATE_SESSIONS_MAX,
               "number of concurrent sessions (default: 20)"),
    NUMBER_ROW("keys", "N", AT(keys), 1, GENERATE_KEYS_MAX, "number of keys"),
    NUMBER_ROW("operations", "N", AT(operations), 1, GENERATE_OPERATIONS_MAX,
               "number of operations in each transaction"),
    NUMBER_ROW("predicates", "PERCENT", AT(predicates), 0, 100,
               "percentage of reads and updates that are by predicate, for\n"
               "workloads with predicates"),
    TEXT_ROW("level", "L", AT(level),
             "level at which the history is correct (default:\n"
             "strict-serializable)",
             .choices = level_names),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX, "seed of all random draws (default: 0)"),
    TEXT_ROW("plant", "ANOMALY", AT(plant),
             "plant one anomaly, and write its transactions to\n"
             "FILE.planted.json",
             .choices = anomaly_names),
    TIMEOUT_ROW(AT(timeout), "without a result by\n"
                             "then nothing is written"),
    OUT_FILE_ROW(AT(out), "write to FILE: binary if the name ends in .oh, else text;\n"
                          "compressed with .zst behind it; - is standard output, as text"),
};

/* By what stands before a last ".zst". */
static enum format format_of_path(const char *path)
{
    size_t length = strlen(path);

    if (length > 4 && strcmp(path + length - 4, ".zst") == 0)
        length -= 4;
    return length > 3 && strncmp(path + length - 3, ".oh", 3) == 0 ? FORMAT_OH : FORMAT_JSONL;
}

static void override(int64_t *number, const struct option_number *given)
{
    if (given->given)
        *number = given->value;
}

static struct generate_options options_of(const struct generate_values *values)
{
    struct generate_options options =
        generate_defaults(workload_find(text_of(values->workload)));
    bool known = true;

    override(&options.transactions, &values->transactions);
    override(&options.sessions, &values->sessions);
    override(&options.keys, &values->keys);
    override(&options.operations, &values->operations);
    override(&options.predicates_percent, &values->predicates);
    if (values->seed.given)
        options.seed = (uint64_t)values->seed.value;
    if (values->level)
        known &= level_of_text(text_of(values->level), &options.level);
    if (values->plant)
        known &= anomaly_of_text(text_of(values->plant), &options.plant);
    assert(known);
    return options;
}

static enum status write_planted(const char *out_path, const struct planted *planted,
                                 struct error *err)
{
    struct buffer path = { 0 }, out = { 0 };
    struct json_writer json = { .out = &out };
    enum status status;

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "kind", anomaly_name(planted->kind));
    json_writer_open(&json, "transactions", '[');
    for (unsigned i = 0; i < planted->count; i++)
        json_writer_number(&json, NULL, (uint64_t)planted->ids[i]);
    json_writer_close(&json, ']');
    json_writer_close(&json, '}');
    buffer_byte(&out, '\n');
    buffer_print(&path, "%s.planted.json", out_path);
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = output_write_file(path.at, &out, err);
    buffer_close(&path);
    buffer_close(&out);
    return status;
}

static enum status write_all(const struct history *history, const struct planted *planted,
                             const struct generate_values *values, struct progress_bar *bar,
                             struct error *err)
{
    struct progress progress = progress_bar_listener(bar);

    progress_bar_next(bar, "writing", "");
    TRY(format_write_history(history, format_of_path(values->out), values->out, &progress, err));
    return values->plant ? write_planted(values->out, planted, err) : STATUS_OK;
}

static enum status cmd_generate_run(const void *given, struct limits *limits,
                                    enum exit_code *code, struct error *err)
{
    const struct generate_values *values = given;
    struct generate_options options = options_of(values);
    struct progress_bar bar;
    struct progress progress;
    struct history history;
    struct planted planted;
    enum status status;

    *code = EXIT_VALID;
    if (values->plant && strcmp(values->out, "-") == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "--plant writes FILE.planted.json beside FILE: -o - has no name");
    progress_bar_begin(&bar, "drawing", "");
    progress = progress_bar_listener(&bar);
    options.progress = &progress;
    status = generate(&options, &history, &planted, err);
    if (status == STATUS_OK) {
        status = write_all(&history, &planted, values, &bar, err);
        limits_settle(limits);
        history_close(&history);
    }
    progress_bar_end(&bar);
    return status;
}

const struct command command_generate = {
    .summary = "makes a history that is correct at a level by construction",
    .description =
        "The history has times, sessions, the store's own order and unique values. The same\n"
        "arguments make the same bytes. With --plant it is incorrect in one known place: without\n"
        "the planted transactions no anomaly remains.\n",
    .example = "  ordeal generate rw-mix --transactions 1_000_000 -o history.oh\n"
               "  ordeal generate list-append --plant G-single --seed 7 -o bad.jsonl\n",
    .options = { "generate", generate_rows, ROW_COUNT(generate_rows),
                 sizeof(struct generate_values) },
    .run = cmd_generate_run,
    .unfinished = "not generated",
};
