#include "programs/workloads/builtin.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

#include "base/array.h"
#include "programs/workloads/builtin_private.h"

enum parameter_kind { KIND_INTEGER, KIND_RATIO, KIND_CHOICE };

static const struct {
    const char *name, *help;
    enum parameter_kind kind;
    int64_t low, high;
} parameters[] = {
#define PARAMETER_ROW(enumerator, name_, kind_, low_, high_, help_)                                \
    [PARAMETER_##enumerator] = { name_, help_, KIND_##kind_, low_, high_ },
    BUILTIN_PARAMETERS(PARAMETER_ROW)
#undef PARAMETER_ROW
};

const char *builtin_parameter_name(enum builtin_parameter parameter)
{
    return parameters[parameter].name;
}

const char *builtin_parameter_help(enum builtin_parameter parameter)
{
    return parameters[parameter].help;
}

bool builtin_has_parameter(const struct builtin_workload *workload,
                           enum builtin_parameter parameter)
{
    return workload->defaults[parameter] != NULL;
}

int64_t builtin_option(const struct builtin_options *options, enum builtin_parameter parameter)
{
    assert(builtin_has_parameter(options->workload, parameter));
    assert(parameters[parameter].kind != KIND_RATIO);
    return (int64_t)options->values[parameter].numerator;
}

int64_t builtin_number(const struct builtin *builtin, enum builtin_parameter parameter)
{
    return builtin_option(&builtin->options, parameter);
}

/* --- Setting ---------------------------------------------------------------------------------- */

static bool find_parameter(const struct builtin_workload *workload, struct text name,
                           enum builtin_parameter *found)
{
    for (unsigned i = 0; i < PARAMETER_COUNT; i++)
        if (workload->defaults[i] && text_equal(name, text_of(parameters[i].name))) {
            *found = (enum builtin_parameter)i;
            return true;
        }
    return false;
}

static enum status refuse_name(const struct builtin_workload *workload, struct text name,
                               struct error *err)
{
    const char *names[PARAMETER_COUNT + 1];
    unsigned count = 0;
    const char *nearest;

    for (unsigned i = 0; i < PARAMETER_COUNT; i++)
        if (workload->defaults[i])
            names[count++] = parameters[i].name;
    names[count] = NULL;
    nearest = text_nearest(name, names);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'; did you mean '%s'?",
                         workload->name, TEXT_PRINT(name), nearest);
    return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'", workload->name, TEXT_PRINT(name));
}

static enum status refuse_value(enum builtin_parameter parameter, struct text value,
                                struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "%s must be %s between %" PRId64 " and %" PRId64 ", not '%.*s'",
                     parameters[parameter].name,
                     parameters[parameter].kind == KIND_RATIO ? "a decimal" : "an integer",
                     parameters[parameter].low, parameters[parameter].high, TEXT_PRINT(value));
}

static enum status parse_choice(enum builtin_parameter parameter, struct text value,
                                struct ratio *to, struct error *err)
{
    const char *const *names = choice_names();
    const char *nearest = text_nearest(value, names);

    for (uint64_t i = 0; names[i]; i++)
        if (text_equal(value, text_of(names[i]))) {
            *to = (struct ratio){ i, 1 };
            return STATUS_OK;
        }
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'; did you mean '%s'?",
                         parameters[parameter].name, TEXT_PRINT(value), nearest);
    return error_set(err, STATUS_BAD_INPUT, "%s must be uniform, zipf or hot, not '%.*s'",
                     parameters[parameter].name, TEXT_PRINT(value));
}

static enum status parse_value(enum builtin_parameter parameter, struct text value,
                               struct ratio *to, struct error *err)
{
    int64_t number;
    struct ratio ratio;

    switch (parameters[parameter].kind) {
    case KIND_CHOICE:
        return parse_choice(parameter, value, to, err);
    case KIND_RATIO:
        if (!random_ratio_of_text(value, &ratio) ||
            ratio.numerator >
                (unsigned __int128)ratio.denominator * (uint64_t)parameters[parameter].high)
            return refuse_value(parameter, value, err);
        *to = ratio;
        return STATUS_OK;
    default:
        if (!text_to_int64(value, &number) || number < parameters[parameter].low ||
            number > parameters[parameter].high)
            return refuse_value(parameter, value, err);
        *to = (struct ratio){ (uint64_t)number, 1 };
        return STATUS_OK;
    }
}

enum status builtin_set(struct builtin_options *options, struct text name, struct text value,
                        struct error *err)
{
    enum builtin_parameter parameter;

    if (!find_parameter(options->workload, name, &parameter))
        return refuse_name(options->workload, name, err);
    return parse_value(parameter, value, &options->values[parameter], err);
}

struct builtin_options builtin_defaults(const struct builtin_workload *workload)
{
    struct builtin_options options = { .workload = workload };
    struct error err = { 0 };

    for (unsigned i = 0; i < PARAMETER_COUNT; i++) {
        enum status status = STATUS_OK;

        options.values[i] = (struct ratio){ 0, 1 };
        if (workload->defaults[i])
            status = parse_value((enum builtin_parameter)i, text_of(workload->defaults[i]),
                                 &options.values[i], &err);
        assert(status == STATUS_OK);
        (void)status;
    }
    return options;
}

/* A ratio is as it was parsed: over a power of ten. */
static void print_ratio(struct ratio ratio, struct buffer *out)
{
    uint64_t rest = ratio.numerator % ratio.denominator;

    buffer_print(out, "%" PRIu64, ratio.numerator / ratio.denominator);
    if (ratio.denominator > 1)
        buffer_byte(out, '.');
    for (uint64_t unit = ratio.denominator / 10; unit > 0; unit /= 10)
        buffer_byte(out, (char)('0' + rest / unit % 10));
}

void builtin_print_value(const struct builtin_options *options, enum builtin_parameter parameter,
                         struct buffer *out)
{
    struct ratio value = options->values[parameter];

    if (parameters[parameter].kind == KIND_CHOICE)
        buffer_text(out, text_of(choice_names()[value.numerator]));
    else
        print_ratio(value, out);
}

/* --- Whether they go together ----------------------------------------------------------------- */

uint32_t builtin_choices(const struct builtin_options *options)
{
    if (options->workload->behaviour->choices)
        return options->workload->behaviour->choices(options);
    return (uint32_t)builtin_option(options, PARAMETER_KEYS);
}

static enum status check_operations(const struct builtin_options *options, struct error *err)
{
    int64_t least, most;

    if (!builtin_has_parameter(options->workload, PARAMETER_OPERATIONS_MIN))
        return STATUS_OK;
    least = builtin_option(options, PARAMETER_OPERATIONS_MIN);
    most = builtin_option(options, PARAMETER_OPERATIONS_MAX);
    if (least > most)
        return error_set(err, STATUS_BAD_INPUT,
                         "operations_min is %" PRId64
                         ", more than operations_max, which is %" PRId64,
                         least, most);
    return STATUS_OK;
}

static enum status check_hot_keys(const struct builtin_options *options, struct error *err)
{
    uint32_t choices = builtin_choices(options);

    if (builtin_option(options, PARAMETER_CHOICE) == CHOICE_HOT &&
        builtin_option(options, PARAMETER_HOT_KEYS) >= choices)
        return error_set(err, STATUS_BAD_INPUT,
                         "hot_keys is %" PRId64 ", but must be less than the %" PRIu32
                         " there are to choose from",
                         builtin_option(options, PARAMETER_HOT_KEYS), choices);
    return STATUS_OK;
}

enum status builtin_check_options(const struct builtin_options *options, struct error *err)
{
    TRY(check_operations(options, err));
    if (options->workload->behaviour->check)
        TRY(options->workload->behaviour->check(options, err));
    return check_hot_keys(options, err);
}
