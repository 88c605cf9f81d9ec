#include "cli/command.h"

#include <assert.h>
#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "cli/cmd_audit.h"
#include "cli/cmd_bisect.h"
#include "cli/cmd_check.h"
#include "cli/cmd_convert.h"
#include "cli/cmd_explain.h"
#include "cli/cmd_explore.h"
#include "cli/cmd_generate.h"
#include "cli/cmd_list.h"
#include "cli/cmd_predict.h"
#include "cli/cmd_program.h"
#include "cli/cmd_prove.h"
#include "cli/cmd_record.h"
#include "cli/cmd_run.h"
#include "cli/cmd_sweep.h"
#include "cli/cmd_verify.h"
#include "cli/cmd_watch.h"
#include "cli/interrupt.h"
#include "cli/output.h"

const struct command *const commands[] = {
    &command_run,     &command_sweep,   &command_bisect,   &command_prove,  &command_explore,
    &command_check,   &command_watch,   &command_verify,   &command_audit,  &command_predict,
    &command_convert, &command_generate, &command_record,  &command_program, &command_list,
    &command_explain, NULL,
};

#define COMMANDS_MAX 32

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->options.command, name) == 0)
            return commands[i];
    return NULL;
}

static enum status refuse_command(const char *name, struct error *err)
{
    const char *names[COMMANDS_MAX + 1] = { 0 };
    const char *nearest;
    size_t count = 0;

    for (; commands[count]; count++) {
        assert(count < COMMANDS_MAX - 1);
        names[count] = commands[count]->options.command;
    }
    names[count] = "help";
    nearest = text_nearest(text_of(name), names);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "no subcommand '%.80s'; did you mean '%s'?", name,
                         nearest);
    return error_set(err, STATUS_BAD_INPUT, "no subcommand '%.80s'; see: ordeal help", name);
}

/* A flag where a subcommand would stand. */
static enum status refuse_flag(const char *flag, struct error *err)
{
    static const char *const names[] = { "--help", "--version", NULL };
    const char *nearest = text_nearest(text_of(flag), names);

    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "no flag %.80s; did you mean %s?", flag, nearest);
    return error_set(err, STATUS_BAD_INPUT, "no flag %.80s; see: ordeal help", flag);
}

static void print_overview(struct buffer *out)
{
    buffer_print(out, "usage: ordeal SUBCOMMAND ...\n\n"
                      "Puts a transactional store through an ordeal and says whether it kept its "
                      "word.\n\n");
    for (size_t i = 0; commands[i]; i++)
        buffer_print(out, "  %-10s %s\n", commands[i]->options.command, commands[i]->summary);
    buffer_print(out, "  %-10s %s\n", "help", "explains a subcommand: ordeal help run");
    buffer_print(out, "\n"
                      "  --help     this, or behind a subcommand, what it takes\n"
                      "  --version  the program's version\n\n"
                      "exit status: 0 all is valid, 1 a violation, 2 the input or the call is "
                      "wrong, 3 undecided,\n             130 and 143 interrupted\n\n"
                      "example:\n  ordeal run scenarios/ping.toml --seed 7\n");
}

#define ROWS_MAX 64

/* A subcommand's own rows, and behind them those that all have. */
struct all_options {
    struct options options;
    struct option rows[ROWS_MAX];
};

static void gather_options(struct all_options *all, const struct options *own)
{
    const size_t memory = (own->values_size + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);

    assert(own->count < ROWS_MAX);
    memcpy(all->rows, own->rows, own->count * sizeof *own->rows);
    all->rows[own->count] = (struct option)MEMORY_ROW(memory);
    all->options = *own;
    all->options.rows = all->rows;
    all->options.count = own->count + 1;
    all->options.values_size = memory + sizeof(char *);
}

static void print_help(const struct command *command, const struct options *options,
                       struct buffer *out)
{
    options_print_usage(options, out);
    buffer_print(out, "\n%c%s.\n\n%s\n", toupper((unsigned char)command->summary[0]),
                 command->summary + 1, command->description);
    options_print_flags(options, out);
    buffer_print(out, "\nexample:\n%s", command->example);
}

/* Prints what a buffer holds, and empties it. */
static enum status print_and_close(struct buffer *out, struct error *err)
{
    enum status status = output_print(out, err);

    buffer_close(out);
    return status;
}

static enum status help_main(int argc, char *const *argv, struct error *err)
{
    struct buffer out = { 0 };
    const struct command *command;
    struct all_options all;

    if (argc > 1)
        return error_set(err, STATUS_BAD_INPUT, "help takes one subcommand");
    command = argc == 0 ? NULL : find_command(argv[0]);
    if (argc == 1 && !command)
        return refuse_command(argv[0], err);
    if (command) {
        gather_options(&all, &command->options);
        print_help(command, &all.options, &out);
    } else {
        print_overview(&out);
    }
    return print_and_close(&out, err);
}

static enum exit_code undecided_code(const struct options *options, int argc, char *const *argv)
{
    return options_has_flag(options, argc, argv, "git-bisect") ? EXIT_SKIP : EXIT_UNDECIDED;
}

/* Parses, and runs if that succeeds. */
static enum status call(const struct command *command, const struct options *options, int argc,
                        char *const *argv, enum exit_code *code, struct error *err)
{
    void *values = calloc(1, options->values_size);
    struct limits limits;
    enum status status;

    if (!values)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    status = options_parse(options, argc, argv, values, err);
    if (status == STATUS_OK) {
        const char *timeout = options_text(options, values, LIMITS_TIMEOUT);

        status = limits_begin(&limits, command->has_parts ? NULL : timeout, command->unfinished,
                              options_has_flag(options, argc, argv, "json"),
                              undecided_code(options, argc, argv), err);
        if (status == STATUS_OK)
            status = limits_set_memory(&limits, options_text(options, values, LIMITS_MEMORY), err);
        if (command->reads_strange_files)
            hash_set_key(hash_random_key());
        if (status == STATUS_OK)
            status = command->run(values, &limits, code, err);
        status = memory_confirm(0, status, err);
        if (memory_limit_is_cause(err))
            error_wrap(err, "out of memory (%s)", limits.memory);
        limits_end(&limits);
    }
    free(values);
    return status;
}

static bool asks_for_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static enum exit_code subcommand_main(const struct command *command, int argc, char *const *argv)
{
    struct all_options all;
    const struct options *options = &all.options;
    enum exit_code code = EXIT_VALID;
    struct error err = { 0 };
    enum status status;
    bool json;

    gather_options(&all, &command->options);
    json = options_has_flag(options, argc, argv, "json");
    if (asks_for_help(argc, argv)) {
        struct buffer out = { 0 };
        print_help(command, options, &out);
        status = print_and_close(&out, &err);
    } else {
        status = call(command, options, argc, argv, &code, &err);
    }
    if (status != STATUS_OK) {
        output_report(&err, json);
        code = command_exit_combine(code, EXIT_WRONG);
    }
    if (code != EXIT_VALID && code != EXIT_VIOLATION && code < EXIT_SKIP &&
        options_has_flag(options, argc, argv, "git-bisect"))
        code = EXIT_SKIP;
    return code;
}

enum exit_code command_exit_combine(enum exit_code a, enum exit_code b)
{
    static const enum exit_code order[] = { EXIT_WRONG, EXIT_VIOLATION, EXIT_UNDECIDED };

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_VALID;
}

enum exit_code command_exit_noticed(enum exit_code code)
{
    int signal = interrupt_signal();

    return signal == SIGINT    ? EXIT_INTERRUPTED
           : signal == SIGTERM ? EXIT_TERMINATED
                               : code;
}

/* What stands where a subcommand would: help, --version, nothing at all. */
static enum status plain_main(int argc, char *const *argv, const char *version, struct error *err)
{
    struct buffer out = { 0 };

    if (strcmp(argv[1], "--version") == 0) {
        buffer_print(&out, "ordeal %s\n", version);
        return print_and_close(&out, err);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0)
        return help_main(argc - 2, argv + 2, err);
    return argv[1][0] == '-' ? refuse_flag(argv[1], err) : refuse_command(argv[1], err);
}

static enum exit_code usage_main(void)
{
    struct buffer out = { 0 };

    print_overview(&out);
    fwrite(out.at, 1, out.count, stderr);
    buffer_close(&out);
    return EXIT_WRONG;
}

/* Whoever reads objects gets one, even if no subcommand is there to know the flag. */
static bool asks_for_json(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

int command_main(int argc, char *const *argv, const char *version)
{
    struct error err = { 0 };
    const struct command *command;

    output_init();
    interrupt_init();
    foreign_watch();
    if (argc < 2)
        return usage_main();
    command = find_command(argv[1]);
    if (command)
        return subcommand_main(command, argc - 2, argv + 2);
    if (plain_main(argc, argv, version, &err) == STATUS_OK)
        return EXIT_VALID;
    output_report(&err, asks_for_json(argc - 1, argv + 1));
    return EXIT_WRONG;
}

enum exit_code command_exit_of_verdict(enum verdict verdict)
{
    return verdict == VERDICT_VALID     ? EXIT_VALID
           : verdict == VERDICT_INVALID ? EXIT_VIOLATION
                                        : EXIT_UNDECIDED;
}
