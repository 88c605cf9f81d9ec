#include "nemesis/strikes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nemesis/nemesis.h"
#include "nemesis/victims_private.h"

static void free_strike(struct nemesis_strike *strike)
{
    free(strike->nodes);
    free(strike->by);
    free(strike->links);
}

void strike_log_close(struct strike_log *log)
{
    for (size_t i = 0; i < log->list.count; i++)
        free_strike(&log->list.at[i].strike);
    array_close(&log->list);
}

enum status strike_log_status(const struct strike_log *log, struct error *err)
{
    return log->is_short ? error_set(err, STATUS_OVER_LIMIT, "no memory for what nemeses did")
                         : STATUS_OK;
}

/* --- What is listed of which shape ------------------------------------------------------------ */

enum nemesis_shape strikes_shape(enum nemesis_shape shape)
{
    return shape == SHAPE_CLOCK_STROBE || shape == SHAPE_CLOCK_OFFSET ? SHAPE_CLOCK_STEP : shape;
}

bool strikes_have_by(enum nemesis_shape shape)
{
    return shape == SHAPE_CLOCK_STEP || shape == SHAPE_CLOCK_DRIFT;
}

bool strikes_have_links(enum nemesis_shape shape)
{
    return shape == SHAPE_CLOG_LINK || nemesis_shape_kind(shape) == NEMESIS_MESSAGE;
}

bool strikes_have_no_nodes(enum nemesis_shape shape)
{
    return shape == SHAPE_PARTITION_HALVES || shape == SHAPE_CLOG_LINK;
}

/* Of a partition: how many nodes of the order say all. */
static uint32_t first_side(const struct nemesis *nemesis)
{
    enum nemesis_victims who = victims_meant(nemesis);
    uint32_t count = nemesis->node_count;
    bool is_drawn = who != VICTIMS_USUAL && who != VICTIMS_LEADER;

    switch (nemesis->options.shape) {
    case SHAPE_PARTITION_HALVES:
        return 0;
    case SHAPE_PARTITION_ISOLATE_ONE:
        return is_drawn ? nemesis->drawn : 1;
    case SHAPE_PARTITION_RANDOM_HALVES:
    case SHAPE_PARTITION_ONE_WAY:
        return is_drawn ? nemesis->drawn : count / 2;
    default:
        return count;
    }
}

/* Those who keep no victims strike the first of their order. */
static void find_nodes(const struct nemesis *nemesis, const uint32_t **nodes, uint32_t *count)
{
    enum nemesis_shape shape = nemesis->options.shape;

    *nodes = nemesis->order;
    if (nemesis->options.kind == NEMESIS_PARTITION) {
        *count = first_side(nemesis);
    } else if (shape == SHAPE_CRASH_RESTART || nemesis->options.kind == NEMESIS_CLOG) {
        *count = strikes_have_no_nodes(shape) ? 0 : nemesis->drawn;
    } else {
        *nodes = nemesis->victims;
        *count = nemesis->victim_count;
    }
}

/* --- The log ---------------------------------------------------------------------------------- */

static void push(struct strike_log *log, const struct nemesis *nemesis,
                 struct nemesis_strike strike)
{
    struct logged_strike logged = { nemesis->place, strike };
    struct error err;

    if (array_push(&log->list, logged, &err) == STATUS_OK)
        return;
    free_strike(&strike);
    log->is_short = true;
}

static bool copy_nodes(struct nemesis_strike *strike, const uint32_t *nodes, uint32_t count)
{
    strike->node_count = count;
    if (count == 0)
        return true;
    strike->nodes = calloc(count, sizeof *strike->nodes);
    if (strike->nodes)
        memcpy(strike->nodes, nodes, count * sizeof *nodes);
    return strike->nodes != NULL;
}

/* What a release would undo was done. */
static bool copy_by(struct nemesis_strike *strike, const struct nemesis *nemesis)
{
    if (!strikes_have_by(strikes_shape(nemesis->options.shape)) || strike->node_count == 0)
        return true;
    strike->by = calloc(strike->node_count, sizeof *strike->by);
    for (uint32_t i = 0; strike->by && i < strike->node_count; i++)
        strike->by[i] = -nemesis->undo[i];
    return strike->by != NULL;
}

static bool copy_links(struct nemesis_strike *strike, const struct nemesis *nemesis)
{
    uint32_t count = nemesis->node_count;

    if (nemesis->options.shape != SHAPE_CLOG_LINK && !victims_are_links(nemesis))
        return true;
    strike->links = calloc((size_t)count * count, sizeof *strike->links);
    for (uint32_t i = 0; strike->links && i < count * count; i++)
        if (nemesis->cuts[i])
            strike->links[strike->link_count++] = (struct nemesis_link){ i / count, i % count };
    return strike->links != NULL;
}

void strike_log_add(struct strike_log *log, const struct nemesis *nemesis)
{
    int64_t now_ns = nemesis->all->world->now_ns;
    bool ends = nemesis->holds || nemesis_shape_ends_itself(nemesis->options.shape);
    struct nemesis_strike strike = { .at_ns = now_ns };
    const uint32_t *nodes;
    uint32_t count;

    if (nemesis->options.shape == SHAPE_CLOCK_STROBE)
        return;
    if (ends && nemesis->until_ns != INT64_MAX)
        strike.lasts_ns = nemesis->until_ns - now_ns;
    find_nodes(nemesis, &nodes, &count);
    if (copy_nodes(&strike, nodes, count) && copy_by(&strike, nemesis) &&
        copy_links(&strike, nemesis)) {
        if (count > 0 || strike.link_count > 0 ||
            nemesis->options.shape == SHAPE_PARTITION_HALVES)
            push(log, nemesis, strike);
        else
            free_strike(&strike); /* there was nobody to strike */
        return;
    }
    free_strike(&strike);
    log->is_short = true;
}

/* The strike of this clock that has no end yet, or NULL. */
static struct nemesis_strike *open_strike(struct strike_log *log, const struct nemesis *nemesis,
                                          uint32_t node)
{
    for (size_t i = log->list.count; i-- > 0;) {
        struct logged_strike *logged = &log->list.at[i];
        if (logged->place == nemesis->place && logged->strike.nodes[0] == node)
            return logged->strike.lasts_ns == 0 ? &logged->strike : NULL;
    }
    return NULL;
}

void strike_log_flicker(struct strike_log *log, const struct nemesis *nemesis, uint32_t node,
                        int64_t by_ns)
{
    int64_t now_ns = nemesis->all->world->now_ns;
    struct nemesis_strike strike = { .at_ns = now_ns };
    struct nemesis_strike *away = open_strike(log, nemesis, node);

    if (away) {
        away->lasts_ns = now_ns - away->at_ns;
        return;
    }
    strike.by = calloc(1, sizeof *strike.by);
    if (!strike.by || !copy_nodes(&strike, &node, 1)) {
        free_strike(&strike);
        log->is_short = true;
        return;
    }
    strike.by[0] = by_ns;
    push(log, nemesis, strike);
}

/* --- Whether a list makes sense --------------------------------------------------------------- */

static enum status check_nodes(const struct nemesis_strike *strike, uint32_t node_count,
                               struct error *err)
{
    for (uint32_t i = 0; i < strike->node_count; i++) {
        if (strike->nodes[i] >= node_count)
            return error_set(err, STATUS_BAD_INPUT, "there is no node %" PRIu32, strike->nodes[i]);
        for (uint32_t k = 0; k < i; k++)
            if (strike->nodes[k] == strike->nodes[i])
                return error_set(err, STATUS_BAD_INPUT, "a strike lists node %" PRIu32 " twice",
                                 strike->nodes[i]);
    }
    for (uint32_t i = 0; i < strike->link_count; i++)
        if (strike->links[i].from >= node_count || strike->links[i].to >= node_count ||
            strike->links[i].from == strike->links[i].to)
            return error_set(err, STATUS_BAD_INPUT, "there is no link from node %" PRIu32
                             " to node %" PRIu32, strike->links[i].from, strike->links[i].to);
    return STATUS_OK;
}

static enum status check_one(const struct nemesis_options *options,
                             const struct nemesis_strike *strike, uint32_t node_count,
                             struct error *err)
{
    enum nemesis_shape shape = options->shape;
    const char *kind = nemesis_kind_name(options->kind), *name = nemesis_shape_name(shape);

    TRY(check_nodes(strike, node_count, err));
    if ((strike->by != NULL) != strikes_have_by(shape))
        return error_set(err, STATUS_BAD_INPUT, "a strike of %s %s %s", kind, name,
                         strike->by ? "has no by" : "needs by: by how much each clock goes wrong");
    if (strike->link_count > 0 && !strikes_have_links(shape))
        return error_set(err, STATUS_BAD_INPUT, "a strike of %s %s has no links", kind, name);
    if (strike->node_count > 0 && strikes_have_no_nodes(shape))
        return error_set(err, STATUS_BAD_INPUT, "a strike of %s %s has no nodes", kind, name);
    if (strike->node_count == 0 && strike->link_count == 0 && shape != SHAPE_PARTITION_HALVES)
        return error_set(err, STATUS_BAD_INPUT, "a strike needs nodes%s",
                         strikes_have_links(shape) ? ", or links" : "");
    if ((shape == SHAPE_PARTITION_BRIDGE || shape == SHAPE_PARTITION_MAJORITIES_RING) &&
        strike->node_count != node_count)
        return error_set(err, STATUS_BAD_INPUT, "a strike of %s %s lists all nodes, in order",
                         kind, name);
    if (strike->lasts_ns > 0 && !nemesis_shape_takes(shape, NEMESIS_KEY_LASTS))
        return error_set(err, STATUS_BAD_INPUT, "%s %s takes no lasts", kind, name);
    if (strike->lasts_ns == 0 && nemesis_shape_ends_itself(shape))
        return error_set(err, STATUS_BAD_INPUT, "%s %s needs lasts: it ends by itself", kind, name);
    return STATUS_OK;
}

enum status strikes_check(const struct nemesis_options *options, uint32_t node_count,
                          struct error *err)
{
    if (options->start_ns || options->every_ns || options->lasts_ns || options->at.count > 0 ||
        options->victims != VICTIMS_USUAL || options->while_writing || options->amount_ns ||
        options->drift_ppm)
        return error_set(err, STATUS_BAD_INPUT,
                         "strikes say when, whom and by how much: beside them there is no start, "
                         "every, lasts, at, victims, amount, drift_ppm or while_writing");
    if (strikes_shape(options->shape) != options->shape)
        return error_set(err, STATUS_BAD_INPUT, "%s %s is listed as strikes of %s step",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape),
                         nemesis_kind_name(options->kind));
    for (uint32_t i = 0; i < options->strike_count; i++) {
        if (i > 0 && options->strikes[i].at_ns < options->strikes[i - 1].at_ns)
            return error_set(err, STATUS_BAD_INPUT, "strikes must stand by rising time");
        TRY(check_one(options, &options->strikes[i], node_count, err));
    }
    return STATUS_OK;
}
