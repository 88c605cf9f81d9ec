#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "programs/workloads/builtin.h"
#include "store/store.h"
#include "trial/scenario/configuration_private.h"

/* Kinds in which more can go wrong are drawn more often; those without a row, once. */
static const struct {
    const char *name;
    uint64_t weight;
} weights[] = {
    { "rw-register", 3 },
    { "list-append", 2 },
    { "predicate", 5 },
    { "bank", 2 },
};

static bool is_on_raft(const struct configuration *drawing)
{
    const struct setting *protocol = configuration_find(drawing, "cluster.protocol");
    const struct protocol *found = protocol && protocol->kind == SETTING_STRING
                                       ? store_protocol(protocol->text)
                                       : NULL;

    return !found || store_protocol_facts(found).on_raft;
}

static uint64_t weight_of(const struct configuration *drawing,
                          const struct builtin_workload *workload)
{
    if (workload->shape == BUILTIN_LISTS && !is_on_raft(drawing))
        return 0;
    for (size_t i = 0; i < ROW_COUNT(weights); i++)
        if (text_equal(text_of(weights[i].name), text_of(workload->name)))
            return weights[i].weight;
    return 1;
}

static void draw_kind(struct configuration *drawing)
{
    struct random random = configuration_stream(drawing, "workload.kind");
    const struct builtin_workload *const *all;
    uint64_t total = 0, drawn;
    unsigned count;

    all = builtin_all(&count);
    for (unsigned i = 0; i < count; i++)
        total += weight_of(drawing, all[i]);
    drawn = random_below(&random, total);
    for (unsigned i = 0; i < count; i++) {
        uint64_t weight = weight_of(drawing, all[i]);
        if (drawn < weight) {
            configuration_put(drawing, "workload.kind", "\"%s\"", all[i]->name);
            return;
        }
        drawn -= weight;
    }
}

/* --- Parameters ------------------------------------------------------------------------------- */

struct parameters {
    struct configuration *drawing;
    const struct builtin_workload *workload;
};

static bool has(const struct parameters *of, enum builtin_parameter parameter, char path[64])
{
    snprintf(path, 64, "workload.%s", builtin_parameter_name(parameter));
    return builtin_has_parameter(of->workload, parameter);
}

/* As it is given or drawn, else as it is by default. */
static int64_t value(const struct parameters *of, enum builtin_parameter parameter)
{
    struct builtin_options defaults = builtin_defaults(of->workload);
    char path[64];

    if (!has(of, parameter, path))
        return 0;
    return configuration_number(of->drawing, path, (int64_t)defaults.values[parameter].numerator);
}

static void magnitude(const struct parameters *of, enum builtin_parameter parameter, int64_t low,
                      int64_t high)
{
    char path[64];

    if (has(of, parameter, path))
        configuration_draw_count(of->drawing, path, low, high < low ? low : high);
}

static void uniform(const struct parameters *of, enum builtin_parameter parameter, int64_t low,
                    int64_t high)
{
    struct random random;
    char path[64];

    if (!has(of, parameter, path))
        return;
    random = configuration_stream(of->drawing, path);
    configuration_put(of->drawing, path, "%" PRId64,
                      random_between(&random, low, high < low ? low : high));
}

/* In hundredths. */
static void hundredths(const struct parameters *of, enum builtin_parameter parameter, int64_t low,
                       int64_t high)
{
    struct random random;
    char path[64];

    if (!has(of, parameter, path))
        return;
    random = configuration_stream(of->drawing, path);
    configuration_put(of->drawing, path, "0.%02" PRId64, random_between(&random, low, high));
}

static bool tosses(const struct parameters *of, const char *what, uint64_t one_in)
{
    return configuration_tosses(of->drawing, what, one_in);
}

/*
 * From few keys, for which all contend, to as many as are usual and more. Some workloads have
 * keys in pairs or groups, of which not all may be hot.
 */
static void draw_keys(const struct parameters *of)
{
    static const char *const choices[] = { "uniform", "zipf", "hot" };
    struct random random = configuration_stream(of->drawing, "workload.choice");
    struct random keys = configuration_stream(of->drawing, "workload.keys");
    int64_t highest = 2 * value(of, PARAMETER_KEYS), unit = value(of, PARAMETER_GROUP), drawn;
    char path[64];

    unit = unit < 2 ? 2 : unit;
    highest = highest < 4 ? 4 : highest > 200 ? 200 : highest;
    drawn = configuration_rounded(&keys, 2 * unit, highest < 2 * unit ? 2 * unit : highest);
    uniform(of, PARAMETER_KEYS, drawn / unit * unit, drawn / unit * unit);
    if (!has(of, PARAMETER_CHOICE, path))
        return;
    configuration_put(of->drawing, path, "\"%s\"", choices[random_below(&random, 3)]);
    hundredths(of, PARAMETER_THETA, 50, 99);
    hundredths(of, PARAMETER_HOT_SHARE, 50, 95);
    magnitude(of, PARAMETER_HOT_KEYS, 1, value(of, PARAMETER_KEYS) / unit / 2);
}

static void draw_operations(const struct parameters *of)
{
    char path[64];

    if (!has(of, PARAMETER_OPERATIONS_MAX, path))
        return;
    magnitude(of, PARAMETER_OPERATIONS_MAX, value(of, PARAMETER_OPERATIONS_MIN) > 1
                                                ? value(of, PARAMETER_OPERATIONS_MIN) : 1, 12);
    if (tosses(of, "at least", 2))
        magnitude(of, PARAMETER_OPERATIONS_MIN, 1, value(of, PARAMETER_OPERATIONS_MAX));
    else
        uniform(of, PARAMETER_OPERATIONS_MIN, 1, 1);
}

static void draw_values(const struct parameters *of)
{
    if (tosses(of, "keys retire", 2))
        magnitude(of, PARAMETER_WRITES_PER_KEY, 4, 256);
    if (tosses(of, "values repeat", 8))
        magnitude(of, PARAMETER_REPEAT_VALUES, 2, 20);
    if (tosses(of, "transactions abort", 4))
        uniform(of, PARAMETER_ABORT_PERCENT, 1, 30);
    magnitude(of, PARAMETER_VALUES, 10, 1000);
    magnitude(of, PARAMETER_WIDTH, 1, value(of, PARAMETER_VALUES) / 3);
}

/* How much of each there is. */
static void draw_mixture(const struct parameters *of)
{
    uniform(of, PARAMETER_READ_PERCENT, 0, 90);
    uniform(of, PARAMETER_SELECT_PERCENT, 0, 100);
    uniform(of, PARAMETER_RANGE_PERCENT, 0, 100);
    uniform(of, PARAMETER_DELETE_PERCENT, 0, 60);
    if (tosses(of, "rows are written blindly", 2))
        uniform(of, PARAMETER_BLIND_PERCENT, 1, 80);
    if (tosses(of, "rows are born again", 2))
        uniform(of, PARAMETER_REBORN_PERCENT, 1, 60);
    uniform(of, PARAMETER_DEPOSIT_PERCENT, 10, 60);
}

void configuration_draw_workload(struct configuration *drawing)
{
    struct parameters of = { .drawing = drawing };
    const struct setting *kind;

    draw_kind(drawing);
    kind = configuration_find(drawing, "workload.kind");
    if (drawing->status != STATUS_OK || !kind || kind->kind != SETTING_STRING)
        return;
    of.workload = builtin_find(kind->text);
    if (!of.workload)
        return; /* it will be refused */
    uniform(&of, PARAMETER_GROUP, 2, 5);
    draw_keys(&of);
    draw_operations(&of);
    draw_values(&of);
    draw_mixture(&of);
}
