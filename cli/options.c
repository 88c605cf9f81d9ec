#include "cli/options.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"

#define USAGE_WIDTH 90
#define NAMES_MAX 64
#define LABEL_SIZE 80

static void *value_at(void *values, const struct option *row)
{
    return (char *)values + row->offset;
}

static bool is_operand(const struct option *row)
{
    return row->kind == OPTION_OPERAND || row->kind == OPTION_OPERANDS;
}

/* As a user writes it: "--seed", "-o", "SCENARIO". */
static const char *label(const struct option *row, char text[LABEL_SIZE])
{
    if (is_operand(row))
        snprintf(text, LABEL_SIZE, "%s", row->argument);
    else if (row->name)
        snprintf(text, LABEL_SIZE, "--%s", row->name);
    else
        snprintf(text, LABEL_SIZE, "-%c", row->letter);
    return text;
}

static enum status refuse_name(const struct options *options, struct text name, struct error *err)
{
    const char *names[NAMES_MAX + 1] = { 0 };
    const char *nearest;
    size_t count = 0;

    assert(options->count <= NAMES_MAX);
    for (size_t i = 0; i < options->count; i++)
        if (options->rows[i].name)
            names[count++] = options->rows[i].name;
    nearest = text_nearest(name, names);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s has no flag --%.*s; did you mean --%s?",
                         options->command, TEXT_PRINT(name), nearest);
    return error_set(err, STATUS_BAD_INPUT, "%s has no flag --%.*s; see: ordeal help %s",
                     options->command, TEXT_PRINT(name), options->command);
}

static enum status find_name(const struct options *options, struct text name,
                             const struct option **row, struct error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        *row = &options->rows[i];
        if ((*row)->name && text_equal(text_of((*row)->name), name))
            return STATUS_OK;
    }
    return refuse_name(options, name, err);
}

static enum status find_letter(const struct options *options, char letter,
                               const struct option **row, struct error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        *row = &options->rows[i];
        if ((*row)->letter == letter)
            return STATUS_OK;
    }
    return error_set(err, STATUS_BAD_INPUT, "%s has no flag -%c; see: ordeal help %s",
                     options->command, letter, options->command);
}

static enum status set_number(const struct option *row, const char *given,
                              struct option_number *number, struct error *err)
{
    char text[LABEL_SIZE];

    if (!quantity_to_integer(text_of(given), &number->value))
        return error_set(err, STATUS_BAD_INPUT, "%s takes a number, not '%s'", label(row, text),
                         given);
    if (number->value < row->low || number->value > row->high)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s must be between %" PRId64 " and %" PRId64 ", not %s", label(row, text),
                         row->low, row->high, given);
    number->given = true;
    return STATUS_OK;
}

static enum status refuse_choice(const struct option *row, const char *given,
                                 const char *const *names, struct error *err)
{
    char text[LABEL_SIZE];
    const char *nearest = text_nearest(text_of(given), names);
    struct buffer list = { 0 };
    enum status status;

    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s: there is no '%s'; did you mean %s?",
                         label(row, text), given, nearest);
    for (size_t i = 0; names[i]; i++)
        buffer_print(&list, "%s%s", i ? ", " : "", names[i]);
    status = error_set(err, STATUS_BAD_INPUT, "%s: there is no '%.80s'; there is %.*s",
                       label(row, text), given, (int)list.count, list.at ? list.at : "nothing");
    buffer_close(&list);
    return status;
}

static enum status check_choice(const struct option *row, const char *given, struct error *err)
{
    const char *const *names = row->choices();

    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], given) == 0)
            return STATUS_OK;
    return refuse_choice(row, given, names, err);
}

/* No name of anything is empty, least of all one that more is put behind: "/run.json". */
static enum status set_text(const struct option *row, const char *given, const char **value,
                            struct error *err)
{
    char text[LABEL_SIZE];

    if (given[0] == '\0')
        return error_set(err, STATUS_BAD_INPUT, "%s is empty", label(row, text));
    if (row->choices)
        TRY(check_choice(row, given, err));
    *value = given;
    return STATUS_OK;
}

static enum status add_text(const struct option *row, const char *given, struct option_texts *texts,
                            struct error *err)
{
    char text[LABEL_SIZE];

    if (texts->count == OPTION_TEXTS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "more than %d times %s", OPTION_TEXTS_MAX,
                         label(row, text));
    texts->at[texts->count++] = given;
    return STATUS_OK;
}

static bool is_repeatable(const struct option *row)
{
    return row->kind == OPTION_TEXTS || row->kind == OPTION_LIST || row->kind == OPTION_OPERANDS;
}

static bool is_given(const struct option *row, void *values)
{
    switch (row->kind) {
    case OPTION_FLAG:
        return *(bool *)value_at(values, row);
    case OPTION_TEXT:
    case OPTION_OPERAND:
        return *(const char **)value_at(values, row) != NULL;
    case OPTION_NUMBER:
        return ((struct option_number *)value_at(values, row))->given;
    case OPTION_TEXTS:
    case OPTION_LIST:
    case OPTION_OPERANDS:
        return ((struct option_texts *)value_at(values, row))->count > 0;
    }
    return false;
}

static enum status set_value(const struct option *row, const char *given, void *values,
                             struct error *err)
{
    char text[LABEL_SIZE];
    void *value = value_at(values, row);

    if (!is_repeatable(row) && is_given(row, values))
        return error_set(err, STATUS_BAD_INPUT, "%s is given twice", label(row, text));
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)value = true;
        return STATUS_OK;
    case OPTION_TEXT:
    case OPTION_OPERAND:
        return set_text(row, given, value, err);
    case OPTION_NUMBER:
        return set_number(row, given, value, err);
    case OPTION_TEXTS:
    case OPTION_LIST:
    case OPTION_OPERANDS:
        return add_text(row, given, value, err);
    }
    return STATUS_OK;
}

static enum status take_operand(const struct options *options, const char *given, void *values,
                                struct error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option *row = &options->rows[i];
        if (row->kind == OPTION_OPERANDS ||
            (row->kind == OPTION_OPERAND && !is_given(row, values)))
            return set_value(row, given, values, err);
    }
    return error_set(err, STATUS_BAD_INPUT, "%s does not take '%s'; see: ordeal help %s",
                     options->command, given, options->command);
}

/* What stands behind a subcommand, and how far it has been taken. */
struct arguments {
    char *const *at;
    int count, next;
};

static bool has_more(const struct arguments *arguments)
{
    return arguments->next < arguments->count;
}

/* What a flag stands with: behind "=" or the letter, or as the next argument. */
static enum status take_flag(const struct option *row, const char *attached,
                             struct arguments *arguments, void *values, struct error *err)
{
    char text[LABEL_SIZE];

    if (row->kind == OPTION_FLAG && attached)
        return error_set(err, STATUS_BAD_INPUT, "%s takes no value", label(row, text));
    if (row->kind != OPTION_FLAG && !attached) {
        if (!has_more(arguments))
            return error_set(err, STATUS_BAD_INPUT, "%s needs its %s", label(row, text),
                             row->argument);
        attached = arguments->at[arguments->next++];
    }
    TRY(set_value(row, attached, values, err));
    while (row->kind == OPTION_LIST && has_more(arguments) && arguments->at[arguments->next][0] != '-')
        TRY(set_value(row, arguments->at[arguments->next++], values, err));
    return STATUS_OK;
}

static bool is_required(const struct option *row)
{
    return is_operand(row) ? !row->optional : row->required;
}

static enum status take_argument(const struct options *options, struct arguments *arguments,
                                 void *values, struct error *err)
{
    const char *argument = arguments->at[arguments->next++];
    const struct option *row = NULL;
    const char *attached = NULL;

    if (argument[0] != '-' || argument[1] == '\0')
        return take_operand(options, argument, values, err);
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        TRY(find_name(options, (struct text){ argument + 2, length }, &row, err));
        if (argument[2 + length] == '=')
            attached = argument + 2 + length + 1;
    } else {
        TRY(find_letter(options, argument[1], &row, err));
        if (argument[2] != '\0')
            attached = argument + 2;
    }
    return take_flag(row, attached, arguments, values, err);
}

static enum status check_required(const struct options *options, void *values, struct error *err)
{
    char text[LABEL_SIZE];

    for (size_t i = 0; i < options->count; i++) {
        const struct option *row = &options->rows[i];
        if (is_required(row) && !is_given(row, values))
            return error_set(err, STATUS_BAD_INPUT, "%s needs %s%s%s; see: ordeal help %s",
                             options->command, label(row, text),
                             is_operand(row) ? "" : " ",
                             is_operand(row) ? "" : row->argument, options->command);
    }
    return STATUS_OK;
}

enum status options_parse(const struct options *options, int argc, char *const *argv, void *values,
                          struct error *err)
{
    struct arguments arguments = { argv, argc, 0 };
    bool only_operands = false;

    while (has_more(&arguments)) {
        if (only_operands) {
            TRY(take_operand(options, argv[arguments.next++], values, err));
        } else if (strcmp(argv[arguments.next], "--") == 0) {
            only_operands = true;
            arguments.next++;
        } else {
            TRY(take_argument(options, &arguments, values, err));
        }
    }
    return check_required(options, values, err);
}

const char *options_text(const struct options *options, const void *values, const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option *row = &options->rows[i];

        if (row->kind == OPTION_TEXT && row->name && strcmp(row->name, name) == 0)
            return *(const char *const *)((const char *)values + row->offset);
    }
    return NULL;
}

bool options_has_flag(const struct options *options, int argc, char *const *argv, const char *name)
{
    bool known = false;

    for (size_t i = 0; i < options->count; i++)
        if (options->rows[i].name && strcmp(options->rows[i].name, name) == 0)
            known = true;
    for (int i = 0; known && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return true;
    return false;
}

/* "SCENARIO", "[--seed N]", "-o FILE". */
static void print_row(const struct option *row, struct buffer *out)
{
    char text[LABEL_SIZE];
    bool optional = !is_required(row);

    buffer_print(out, "%s%s", optional ? "[" : "", label(row, text));
    if (row->argument && !is_operand(row))
        buffer_print(out, " %s", row->argument);
    if (row->kind == OPTION_OPERANDS)
        buffer_text(out, TEXT("..."));
    if (optional)
        buffer_byte(out, ']');
}

void options_print_usage(const struct options *options, struct buffer *out)
{
    size_t line = out->count;
    size_t indent;
    struct buffer piece = { 0 };

    buffer_print(out, "usage: ordeal %s", options->command);
    indent = out->count - line;
    for (size_t i = 0; i < options->count; i++) {
        buffer_clear(&piece);
        print_row(&options->rows[i], &piece);
        if (out->count - line + 1 + piece.count > USAGE_WIDTH) {
            buffer_byte(out, '\n');
            line = out->count;
            buffer_print(out, "%*s", (int)indent, "");
        }
        buffer_byte(out, ' ');
        buffer_append(out, &piece);
    }
    buffer_byte(out, '\n');
    buffer_close(&piece);
}

static void print_label_and_argument(const struct option *row, char text[2 * LABEL_SIZE])
{
    char name[LABEL_SIZE];
    bool pair = row->argument && !is_operand(row);

    snprintf(text, 2 * LABEL_SIZE, "%s%s%s", label(row, name), pair ? " " : "",
             pair ? row->argument : "");
}

void options_print_flags(const struct options *options, struct buffer *out)
{
    char text[2 * LABEL_SIZE];
    size_t width = 0;

    for (size_t i = 0; i < options->count; i++) {
        print_label_and_argument(&options->rows[i], text);
        if (strlen(text) > width)
            width = strlen(text);
    }
    for (size_t i = 0; i < options->count; i++) {
        const char *help = options->rows[i].help;
        print_label_and_argument(&options->rows[i], text);
        for (;;) {
            size_t length = strcspn(help, "\n");
            buffer_print(out, "  %-*s  %.*s\n", (int)width, text, (int)length, help);
            if (help[length] == '\0')
                break;
            help += length + 1;
            text[0] = '\0';
        }
    }
}
