#include "trial/scenario/latency.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/quantity.h"

/* The parts by name; what is absent is -1. */
struct parts {
    int64_t constant, min, max, mean, median, p99, tail;
    struct ratio tail_chance;
};

static const struct {
    const char *name;
    size_t offset;
} durations[] = {
    { "constant", offsetof(struct parts, constant) },
    { "min", offsetof(struct parts, min) },
    { "max", offsetof(struct parts, max) },
    { "mean", offsetof(struct parts, mean) },
    { "median", offsetof(struct parts, median) },
    { "p99", offsetof(struct parts, p99) },
    { "tail", offsetof(struct parts, tail) },
};

#define DURATION_COUNT (sizeof durations / sizeof *durations)

static enum status refuse_part(const char *label, const struct setting *part, const char *wanted,
                               struct error *err)
{
    return toml_refuse(part, err, "%s.%.*s should be %s", label, TEXT_PRINT(part->key), wanted);
}

static enum status read_duration(int64_t *ns, const char *label, const struct setting *part,
                                 struct error *err)
{
    if (part->kind != SETTING_STRING || !quantity_to_duration(part->text, ns))
        return refuse_part(label, part, "a duration such as \"1.5ms\" (ns, us, ms, s, m, h)", err);
    if (*ns < 0 || *ns > LATENCY_GIVEN_MAX_NS)
        return refuse_part(label, part, "from 0s to 1h", err);
    return STATUS_OK;
}

static enum status read_chance(struct ratio *chance, const char *label, const struct setting *part,
                               struct error *err)
{
    if ((part->kind != SETTING_DECIMAL && part->kind != SETTING_INTEGER) ||
        !quantity_to_probability(part->text, chance))
        return refuse_part(label, part, "a decimal from 0 to 1 such as 0.001", err);
    return STATUS_OK;
}

static enum status read_part(struct parts *parts, const char *label, const struct setting *part,
                             struct error *err)
{
    const char *names[DURATION_COUNT + 2] = { 0 };
    const char *nearest;

    if (text_equal(part->key, TEXT("tail_chance")))
        return read_chance(&parts->tail_chance, label, part, err);
    for (size_t i = 0; i < DURATION_COUNT; i++) {
        names[i] = durations[i].name;
        if (text_equal(text_of(names[i]), part->key))
            return read_duration((int64_t *)((char *)parts + durations[i].offset), label, part,
                                 err);
    }
    names[DURATION_COUNT] = "tail_chance";
    nearest = text_nearest(part->key, names);
    return toml_refuse(part, err, "%s has no '%.*s'%s%s%s", label, TEXT_PRINT(part->key),
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

/* Which distribution the parts make; exactly one, without parts left over. */
static bool choose(const struct parts *p, struct scenario_latency *latency)
{
    bool min = p->min >= 0, max = p->max >= 0, mean = p->mean >= 0;
    bool median = p->median >= 0, p99 = p->p99 >= 0, constant = p->constant >= 0;

    if (constant && !min && !max && !mean && !median && !p99)
        *latency = (struct scenario_latency){ GIVEN_CONSTANT, p->constant, 0, 0, { 0, 0 } };
    else if (min && max && !constant && !mean && !median && !p99)
        *latency = (struct scenario_latency){ GIVEN_UNIFORM, p->min, p->max, 0, { 0, 0 } };
    else if (mean && !constant && !max && !median && !p99)
        *latency =
            (struct scenario_latency){ GIVEN_EXPONENTIAL, min ? p->min : 0, p->mean, 0, { 0, 0 } };
    else if (median && p99 && !constant && !min && !max && !mean)
        *latency = (struct scenario_latency){ GIVEN_LOGNORMAL, p->median, p->p99, 0, { 0, 0 } };
    else
        return false;
    if ((p->tail >= 0) != (p->tail_chance.denominator > 0))
        return false;
    if (p->tail >= 0) {
        latency->tail_ns = p->tail;
        latency->tail_chance = p->tail_chance;
    }
    return true;
}

static enum status read_table(struct scenario_latency *latency, const char *label,
                              const struct setting *table, struct error *err)
{
    struct parts parts = { -1, -1, -1, -1, -1, -1, -1, { 0, 0 } };

    for (const struct setting *part = table->first; part; part = part->next)
        TRY(read_part(&parts, label, part, err));
    if (choose(&parts, latency))
        return STATUS_OK;
    return toml_refuse(
        table, err,
        "%s should have median and p99, or min and max, or mean and perhaps min, or "
        "constant; and tail only with tail_chance",
        label);
}

enum status scenario_latency_read(struct scenario_latency *latency, const char *label,
                                  const struct setting *setting, struct error *err)
{
    struct latency made;

    *latency = (struct scenario_latency){ .kind = GIVEN_CONSTANT };
    if (setting->kind == SETTING_TABLE) {
        TRY(read_table(latency, label, setting, err));
    } else if (setting->kind != SETTING_STRING ||
               !quantity_to_duration(setting->text, &latency->first_ns)) {
        return toml_refuse(setting, err,
                           "%s should be a duration such as \"1ms\" or a table such as "
                           "{ median = \"1ms\", p99 = \"20ms\" }",
                           label);
    }
    if (scenario_latency_make(latency, &made, err) == STATUS_OK)
        return STATUS_OK;
    error_wrap(err, "%s", label);
    return toml_blame(setting, err);
}

static void print_part(struct buffer *out, const char *name, int64_t ns)
{
    buffer_print(out, "%s = \"", name);
    quantity_print_duration(out, ns);
    buffer_byte(out, '"');
}

void scenario_latency_print(const struct scenario_latency *latency, struct buffer *out)
{
    static const char *const names[][2] = {
        [GIVEN_CONSTANT] = { "constant", NULL },
        [GIVEN_UNIFORM] = { "min", "max" },
        [GIVEN_EXPONENTIAL] = { "min", "mean" },
        [GIVEN_LOGNORMAL] = { "median", "p99" },
    };

    buffer_text(out, TEXT("{ "));
    print_part(out, names[latency->kind][0], latency->first_ns);
    if (names[latency->kind][1]) {
        buffer_text(out, TEXT(", "));
        print_part(out, names[latency->kind][1], latency->second_ns);
    }
    if (latency->tail_chance.denominator) {
        buffer_text(out, TEXT(", "));
        print_part(out, "tail", latency->tail_ns);
        buffer_text(out, TEXT(", tail_chance = "));
        quantity_print_probability(out, latency->tail_chance);
    }
    buffer_text(out, TEXT(" }"));
}

enum status scenario_latency_make(const struct scenario_latency *given, struct latency *latency,
                                  struct error *err)
{
    switch (given->kind) {
    case GIVEN_CONSTANT:
        TRY(latency_constant(latency, given->first_ns, err));
        break;
    case GIVEN_UNIFORM:
        TRY(latency_uniform(latency, given->first_ns, given->second_ns, err));
        break;
    case GIVEN_EXPONENTIAL:
        TRY(latency_exponential(latency, given->first_ns, given->second_ns, err));
        break;
    case GIVEN_LOGNORMAL:
        TRY(latency_lognormal(latency, given->first_ns, given->second_ns, err));
        break;
    }
    if (given->tail_chance.denominator)
        return latency_add_tail(latency, given->tail_chance, given->tail_ns, err);
    return STATUS_OK;
}
