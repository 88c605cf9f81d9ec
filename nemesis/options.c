#include "nemesis/options.h"

#include <inttypes.h>

#include "nemesis/strikes.h"

static enum status check_duration(const char *name, int64_t ns, struct error *err)
{
    if (ns < 0 || ns > WORLD_TIME_NS_MAX / 4)
        return error_set(err, STATUS_BAD_INPUT, "%s must be from 0 to 69 hours", name);
    return STATUS_OK;
}

static enum status check_listed_times(const struct nemesis_options *options, struct error *err)
{
    const struct nemesis_times *at = &options->at;

    if (at->count > NEMESIS_TIMES_MAX)
        return error_set(err, STATUS_BAD_INPUT, "at lists more than %d times", NEMESIS_TIMES_MAX);
    if (options->start_ns || options->every_ns)
        return error_set(err, STATUS_BAD_INPUT, "at says when: it goes without start and every");
    for (uint32_t i = 0; i < at->count; i++)
        TRY(check_duration("at", at->at_ns[i], err));
    for (uint32_t i = 1; i < at->count; i++)
        if (at->at_ns[i] <= at->at_ns[i - 1] || at->at_ns[i] - at->at_ns[i - 1] < options->lasts_ns)
            return error_set(err, STATUS_BAD_INPUT,
                             "at must rise, by lasts at least from one time to the next");
    if (at->count > 1 && options->lasts_ns == 0 &&
        nemesis_shape_takes(options->shape, NEMESIS_KEY_LASTS))
        return error_set(err, STATUS_BAD_INPUT, "at lists more than one time: it needs lasts");
    return STATUS_OK;
}

static enum status check_times(const struct nemesis_options *options, struct error *err)
{
    TRY(check_duration("start", options->start_ns, err));
    TRY(check_duration("every", options->every_ns, err));
    TRY(check_duration("lasts", options->lasts_ns, err));
    if (nemesis_shape_ends_itself(options->shape) && options->lasts_ns == 0)
        return error_set(err, STATUS_BAD_INPUT, "%s %s needs lasts: it ends by itself",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape));
    return options->at.count > 0 ? check_listed_times(options, err) : STATUS_OK;
}

static enum status check_victims(const struct nemesis_options *options, uint32_t node_count,
                                 struct error *err)
{
    const struct nemesis_nodes *nodes = &options->nodes;
    uint32_t needed = nemesis_nodes_needed(options->shape, options->victims);

    if (!nemesis_shape_allows(options->shape, options->victims))
        return error_set(err, STATUS_BAD_INPUT, "%s %s cannot have the victims %s",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape),
                         nemesis_victims_name(options->victims));
    if (options->shard_plus_1 && options->victims != VICTIMS_LEADER)
        return error_set(err, STATUS_BAD_INPUT, "shard is for victims = \"leader\"");
    if ((options->victims == VICTIMS_NODES) != (nodes->count > 0))
        return error_set(err, STATUS_BAD_INPUT, "nodes and victims = \"nodes\" go together");
    if (nodes->count > NEMESIS_NODES_MAX)
        return error_set(err, STATUS_BAD_INPUT, "nodes lists more than %d", NEMESIS_NODES_MAX);
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->at[i] >= node_count)
            return error_set(err, STATUS_BAD_INPUT, "there is no node %" PRIu32, nodes->at[i]);
        for (uint32_t k = 0; k < i; k++)
            if (nodes->at[k] == nodes->at[i])
                return error_set(err, STATUS_BAD_INPUT, "nodes lists %" PRIu32 " twice",
                                 nodes->at[i]);
    }
    if (node_count < needed)
        return error_set(err, STATUS_BAD_INPUT, "%s %s needs at least %" PRIu32 " nodes",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape),
                         needed);
    return STATUS_OK;
}

static enum status check_taken(const struct nemesis_options *options, enum nemesis_key key,
                               bool given, struct error *err)
{
    if (given && !nemesis_shape_takes(options->shape, key))
        return error_set(err, STATUS_BAD_INPUT, "%s %s takes no %s",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape),
                         nemesis_key_name(key));
    return STATUS_OK;
}

static enum status check_keys(const struct nemesis_options *options, struct error *err)
{
    TRY(check_taken(options, NEMESIS_KEY_AMOUNT, options->amount_ns != 0, err));
    TRY(check_taken(options, NEMESIS_KEY_DRIFT, options->drift_ppm != 0, err));
    TRY(check_taken(options, NEMESIS_KEY_CHANCE, options->chance.denominator != 0, err));
    TRY(check_taken(options, NEMESIS_KEY_DELAY, options->delay_ns != 0, err));
    TRY(check_taken(options, NEMESIS_KEY_FACTOR, options->factor != 0, err));
    TRY(check_taken(options, NEMESIS_KEY_WHILE_WRITING, options->while_writing, err));
    TRY(check_taken(options, NEMESIS_KEY_OUTSIDE, options->outside, err));
    TRY(check_taken(options, NEMESIS_KEY_VICTIMS, options->victims != VICTIMS_USUAL, err));
    return check_taken(options, NEMESIS_KEY_LASTS, options->lasts_ns != 0, err);
}

static enum status check_sizes(const struct nemesis_options *options, struct error *err)
{
    TRY(check_duration("amount", options->amount_ns, err));
    if (options->drift_ppm < 0 || options->drift_ppm > CLOCK_DRIFT_PPM_MAX)
        return error_set(err, STATUS_BAD_INPUT, "drift_ppm must be from 0 to %d",
                         CLOCK_DRIFT_PPM_MAX);
    if (options->chance.denominator &&
        (options->chance.numerator == 0 || options->chance.numerator > options->chance.denominator))
        return error_set(err, STATUS_BAD_INPUT, "chance must be more than 0, and 1 at most");
    if (options->delay_ns < 0 || options->delay_ns > LATENCY_GIVEN_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT, "delay must be from 0 to an hour");
    if (options->factor == 1 || options->factor > NEMESIS_FACTOR_MAX)
        return error_set(err, STATUS_BAD_INPUT, "factor must be from 2 to %d", NEMESIS_FACTOR_MAX);
    return STATUS_OK;
}

enum status nemesis_check_options(const struct nemesis_options *options, uint32_t node_count,
                                  struct error *err)
{
    if (nemesis_shape_kind(options->shape) != options->kind)
        return error_set(err, STATUS_BAD_INPUT, "%s has no shape %s",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape));
    TRY(check_keys(options, err));
    if (options->strike_count > 0) {
        TRY(strikes_check(options, node_count, err));
    } else {
        TRY(check_times(options, err));
        TRY(check_victims(options, node_count, err));
    }
    TRY(check_sizes(options, err));
    if (nemesis_shape_is_outside(options->shape) && !options->outside)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s %s is outside the fault model: it needs outside = true",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape));
    return STATUS_OK;
}
