#include "trial/scenario/nemesis_private.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "nemesis/swarm.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

#define ALL (((1u << SWARM_DIMENSION_COUNT) - 1) & ~(1u << SWARM_NEMESIS))

static enum status refuse_name(const struct setting *setting, struct text name, bool has_all,
                               struct error *err)
{
    const char *names[SWARM_DIMENSION_COUNT + 2] = { 0 };
    struct setting as_text = *setting;
    size_t count = 0;

    as_text.text = name;
    if (has_all)
        names[count++] = "all";
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (!has_all || i != SWARM_NEMESIS)
            names[count++] = swarm_dimension_name((enum swarm_dimension)i);
    return toml_refuse_name(&as_text, "dimension", names, err);
}

static enum status read_dimension(uint32_t *dimensions, const char *label,
                                  const struct setting *name, struct error *err)
{
    enum swarm_dimension dimension;

    if (name->kind != SETTING_STRING)
        return toml_refuse(name, err, "%s should list dimensions by name", label);
    if (text_equal(name->text, TEXT("all"))) {
        *dimensions = ALL;
        return STATUS_OK;
    }
    if (swarm_find_dimension(name->text, &dimension) && dimension != SWARM_NEMESIS) {
        *dimensions |= 1u << dimension;
        return STATUS_OK;
    }
    return refuse_name(name, name->text, true, err);
}

enum status scenario_dimensions_read(uint32_t *dimensions, const char *label,
                                     const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"protocol\", \"raft\"]",
                           label);
    for (const struct setting *name = list->first; name; name = name->next)
        TRY(read_dimension(dimensions, label, name, err));
    return STATUS_OK;
}

enum status scenario_draws_read(struct swarm_draws *draws, const char *label,
                                const struct setting *table, struct error *err)
{
    if (table->kind != SETTING_TABLE)
        return toml_refuse(table, err, "%s should be a table such as { network = 17 }", label);
    for (const struct setting *one = table->first; one; one = one->next) {
        enum swarm_dimension dimension = SWARM_PROTOCOL;

        if (!swarm_find_dimension(one->key, &dimension))
            return refuse_name(one, one->key, false, err);
        if (one->kind != SETTING_INTEGER || one->number < 0 || one->number > SEED_MAX)
            return toml_refuse(one, err, "%s.%.*s should be a seed, an integer from 0 to "
                                            "%" PRId64,
                                  label, TEXT_PRINT(one->key), SEED_MAX);
        draws->of[dimension] = (struct swarm_seed){ true, (uint64_t)one->number };
    }
    return STATUS_OK;
}

void scenario_draws_print(const struct swarm_draws *draws, struct buffer *out)
{
    bool first = true;

    buffer_text(out, TEXT("{ "));
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (draws->of[i].is_given) {
            buffer_print(out, "%s%s = %" PRIu64, first ? "" : ", ",
                         swarm_dimension_name((enum swarm_dimension)i), draws->of[i].seed);
            first = false;
        }
    buffer_text(out, TEXT(" }"));
}

/* --- Rare paths ------------------------------------------------------------------------------- */

#define ALL_SITES ((UINT64_C(1) << BUGGIFY_SITE_COUNT) - 1)

enum status scenario_sites_read(uint64_t *sites, const char *label, const struct setting *list,
                                struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"sync-lags\"]", label);
    for (const struct setting *name = list->first; name; name = name->next) {
        enum buggify_site site;

        if (name->kind != SETTING_STRING)
            return toml_refuse(name, err, "%s should list sites by name", label);
        site = buggify_find(name->text);
        if (text_equal(name->text, TEXT("all")))
            *sites = ALL_SITES;
        else if (site == BUGGIFY_SITE_COUNT)
            return toml_refuse_name(name, "site", buggify_names(), err);
        else
            *sites |= UINT64_C(1) << site;
    }
    return STATUS_OK;
}

void scenario_sites_print(uint64_t sites, struct buffer *out)
{
    bool first = true;

    if (sites == ALL_SITES) {
        buffer_text(out, TEXT("[\"all\"]"));
        return;
    }
    buffer_byte(out, '[');
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++)
        if (sites >> i & 1) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ", buggify_name((enum buggify_site)i));
            first = false;
        }
    buffer_byte(out, ']');
}

enum status scenario_times_read(struct nemesis_times *times, const char *label,
                                const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count == 0 || list->count > NEMESIS_TIMES_MAX)
        return toml_refuse(list, err,
                           "%s should be a list of 1 to %d durations such as "
                           "[\"1s\", \"3.5s\"]",
                           label, NEMESIS_TIMES_MAX);
    for (const struct setting *time = list->first; time; time = time->next) {
        int64_t *at_ns = &times->at_ns[times->count];

        if (time->kind != SETTING_STRING || !quantity_to_duration(time->text, at_ns) ||
            *at_ns < 0 || *at_ns > WORLD_TIME_NS_MAX / 4)
            return toml_refuse(time, err, "%s should list durations such as \"3.5s\", up to 69h",
                               label);
        if (times->count > 0 && *at_ns <= at_ns[-1])
            return toml_refuse(time, err, "%s should rise from one time to the next", label);
        times->count++;
    }
    return STATUS_OK;
}

enum status scenario_nodes_read(struct nemesis_nodes *nodes, const char *label,
                                const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count == 0 || list->count > NEMESIS_NODES_MAX)
        return toml_refuse(list, err, "%s should be a list of 1 to %d nodes such as [0, 2]",
                           label, NEMESIS_NODES_MAX);
    for (const struct setting *node = list->first; node; node = node->next) {
        if (node->kind != SETTING_INTEGER || node->number < 0 ||
            node->number >= WORLD_ENDPOINT_COUNT_MAX)
            return toml_refuse(node, err, "%s should list numbers of nodes, from 0", label);
        nodes->at[nodes->count++] = (uint32_t)node->number;
    }
    return STATUS_OK;
}

enum status scenario_events_read(struct steering_events *events, const char *label,
                                 const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count == 0 || list->count > STEERING_MAX)
        return toml_refuse(list, err, "%s should be a list of 1 to %d numbers of events such as [212, 230]",
                           label, STEERING_MAX);
    for (const struct setting *event = list->first; event; event = event->next) {
        if (event->kind != SETTING_INTEGER || event->number < 1)
            return toml_refuse(event, err, "%s should list numbers of events, from 1", label);
        if (events->count > 0 && (uint64_t)event->number <= events->at[events->count - 1])
            return toml_refuse(event, err, "%s should rise from one event to the next", label);
        events->at[events->count++] = (uint64_t)event->number;
    }
    return STATUS_OK;
}

void scenario_events_print(const struct steering_events *events, struct buffer *out)
{
    for (uint32_t i = 0; i < events->count; i++)
        buffer_print(out, "%s%" PRIu64, i ? ", " : "[", events->at[i]);
    buffer_byte(out, ']');
}

static enum status read_kind(uint32_t *kinds, const char *label, const struct setting *name,
                             struct error *err)
{
    const char *names[NEMESIS_KIND_COUNT + 2] = { "all" };
    enum nemesis_kind kind = NEMESIS_PARTITION;

    if (name->kind != SETTING_STRING)
        return toml_refuse(name, err, "%s should list kinds of nemeses by name", label);
    if (text_equal(name->text, TEXT("all"))) {
        *kinds = (1u << NEMESIS_KIND_COUNT) - 1;
        return STATUS_OK;
    }
    if (nemesis_find_kind(name->text, &kind)) {
        *kinds |= 1u << kind;
        return STATUS_OK;
    }
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        names[i + 1] = nemesis_kind_name((enum nemesis_kind)i);
    return toml_refuse_name(name, "nemesis", names, err);
}

enum status scenario_kinds_read(uint32_t *kinds, const char *label, const struct setting *list,
                                struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"partition\", \"crash\"]",
                           label);
    for (const struct setting *name = list->first; name; name = name->next)
        TRY(read_kind(kinds, label, name, err));
    return STATUS_OK;
}

void scenario_times_print(const struct nemesis_times *times, struct buffer *out)
{
    for (uint32_t i = 0; i < times->count; i++) {
        buffer_text(out, i ? TEXT(", \"") : TEXT("[\""));
        quantity_print_duration(out, times->at_ns[i]);
        buffer_byte(out, '"');
    }
    buffer_byte(out, ']');
}

void scenario_nodes_print(const struct nemesis_nodes *nodes, struct buffer *out)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        buffer_print(out, "%s%" PRIu32, i ? ", " : "[", nodes->at[i]);
    buffer_byte(out, ']');
}

void scenario_kinds_print(uint32_t kinds, struct buffer *out)
{
    bool first = true;

    buffer_byte(out, '[');
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        if (kinds >> i & 1) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ",
                         nemesis_kind_name((enum nemesis_kind)i));
            first = false;
        }
    buffer_byte(out, ']');
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for so many strikes");
}

/* --- Reading ---------------------------------------------------------------------------------- */

static enum status read_time(int64_t *ns, const struct setting *given, struct error *err)
{
    if (given->kind != SETTING_STRING || !quantity_to_duration(given->text, ns) || *ns < 0 ||
        *ns > WORLD_TIME_NS_MAX / 4)
        return toml_refuse(given, err, "a strike's %.*s should be a duration such as \"3.5s\"",
                           TEXT_PRINT(given->key));
    return STATUS_OK;
}

static bool is_node(const struct setting *given)
{
    return given->kind == SETTING_INTEGER && given->number >= 0 &&
           given->number < WORLD_ENDPOINT_COUNT_MAX;
}

static enum status read_nodes(struct scenario *scenario, struct nemesis_strike *strike,
                              const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "a strike's nodes should be a list such as [0, 2]");
    strike->nodes = scenario_keep(scenario, list->count + 1, sizeof *strike->nodes);
    if (!strike->nodes)
        return no_memory(err);
    for (const struct setting *node = list->first; node; node = node->next) {
        if (!is_node(node))
            return toml_refuse(node, err, "a strike's nodes should be numbers from 0");
        strike->nodes[strike->node_count++] = (uint32_t)node->number;
    }
    return STATUS_OK;
}

static enum status read_links(struct scenario *scenario, struct nemesis_strike *strike,
                              const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "a strike's links should be a list such as [[0, 2]]");
    strike->links = scenario_keep(scenario, list->count + 1, sizeof *strike->links);
    if (!strike->links)
        return no_memory(err);
    for (const struct setting *link = list->first; link; link = link->next) {
        if (link->kind != SETTING_ARRAY || link->count != 2 || !is_node(link->first) ||
            !is_node(link->first->next))
            return toml_refuse(link, err,
                               "a strike's links should be pairs of nodes such as [0, 2]");
        strike->links[strike->link_count++] = (struct nemesis_link){
            (uint32_t)link->first->number, (uint32_t)link->first->next->number
        };
    }
    return STATUS_OK;
}

/* Durations, or millionths, for each of the nodes. */
static enum status read_by(struct scenario *scenario, struct nemesis_strike *strike, bool is_drift,
                           const struct setting *list, struct error *err)
{
    uint32_t count = 0;

    if (list->kind != SETTING_ARRAY || list->count != strike->node_count)
        return toml_refuse(list, err, "a strike's by should be a list, one for each of its "
                                         "nodes");
    strike->by = scenario_keep(scenario, list->count + 1, sizeof *strike->by);
    if (!strike->by)
        return no_memory(err);
    for (const struct setting *by = list->first; by; by = by->next, count++) {
        if (is_drift && by->kind == SETTING_INTEGER && by->number >= -2 * CLOCK_DRIFT_PPM_MAX &&
            by->number <= 2 * CLOCK_DRIFT_PPM_MAX)
            strike->by[count] = by->number;
        else if (is_drift || by->kind != SETTING_STRING ||
                 !quantity_to_duration(by->text, &strike->by[count]) ||
                 strike->by[count] > WORLD_TIME_NS_MAX / 4 ||
                 strike->by[count] < -WORLD_TIME_NS_MAX / 4)
            return toml_refuse(by, err, "a strike's by should list %s",
                               is_drift ? "millionths such as -500"
                                        : "durations such as \"-12ms\"");
    }
    return STATUS_OK;
}

static enum status refuse_key(const struct setting *key, struct error *err)
{
    static const char *const names[] = { "at", "lasts", "nodes", "by", "links", NULL };

    for (size_t i = 0; names[i]; i++)
        if (text_equal(key->key, text_of(names[i])))
            return STATUS_OK;
    return toml_refuse(key, err, "a strike has no '%.*s': it has at, lasts, nodes, by and links",
                       TEXT_PRINT(key->key));
}

static enum status read_strike(struct scenario *scenario, const struct nemesis_options *options,
                               struct nemesis_strike *strike, const struct setting *table,
                               struct error *err)
{
    const struct setting *at = toml_find(table, TEXT("at"));
    const struct setting *lasts = toml_find(table, TEXT("lasts"));
    const struct setting *nodes = toml_find(table, TEXT("nodes"));
    const struct setting *by = toml_find(table, TEXT("by"));
    const struct setting *links = toml_find(table, TEXT("links"));

    if (table->kind != SETTING_TABLE || !at)
        return toml_refuse(table, err, "a strike should be a table such as "
                                          "{ at = \"1s\", nodes = [0, 2] }");
    for (const struct setting *key = table->first; key; key = key->next)
        TRY(refuse_key(key, err));
    TRY(read_time(&strike->at_ns, at, err));
    if (lasts)
        TRY(read_time(&strike->lasts_ns, lasts, err));
    if (nodes)
        TRY(read_nodes(scenario, strike, nodes, err));
    if (links)
        TRY(read_links(scenario, strike, links, err));
    return by ? read_by(scenario, strike, options->shape == SHAPE_CLOCK_DRIFT, by, err) : STATUS_OK;
}

enum status scenario_strikes_read(struct scenario *scenario, struct nemesis_options *options,
                                  const struct setting *list, struct error *err)
{
    struct nemesis_strike *strikes;

    if (!list)
        return STATUS_OK;
    if (list->kind != SETTING_ARRAY || list->count == 0)
        return toml_refuse(list, err, "nemesis.strikes should be a list of tables such as "
                                         "{ at = \"1s\", nodes = [0, 2] }");
    strikes = scenario_keep(scenario, list->count, sizeof *strikes);
    if (!strikes)
        return no_memory(err);
    options->strikes = strikes;
    for (const struct setting *one = list->first; one; one = one->next)
        TRY(read_strike(scenario, options, &strikes[options->strike_count++], one, err));
    return STATUS_OK;
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_time(const char *name, int64_t ns, struct buffer *out)
{
    buffer_print(out, "%s = \"", name);
    quantity_print_duration(out, ns);
    buffer_byte(out, '"');
}

static void print_by(const struct nemesis_strike *strike, bool is_drift, struct buffer *out)
{
    buffer_text(out, TEXT(", by = ["));
    for (uint32_t i = 0; i < strike->node_count; i++) {
        buffer_text(out, i ? TEXT(", ") : TEXT(""));
        if (is_drift) {
            buffer_print(out, "%" PRId64, strike->by[i]);
            continue;
        }
        buffer_text(out, strike->by[i] < 0 ? TEXT("\"-") : TEXT("\""));
        quantity_print_duration(out, strike->by[i] < 0 ? -strike->by[i] : strike->by[i]);
        buffer_byte(out, '"');
    }
    buffer_byte(out, ']');
}

static void print_strike(const struct nemesis_options *options, const struct nemesis_strike *strike,
                         struct buffer *out)
{
    buffer_text(out, TEXT("{ "));
    print_time("at", strike->at_ns, out);
    if (strike->lasts_ns > 0) {
        buffer_text(out, TEXT(", "));
        print_time("lasts", strike->lasts_ns, out);
    }
    for (uint32_t i = 0; i < strike->node_count; i++)
        buffer_print(out, "%s%" PRIu32, i ? ", " : ", nodes = [", strike->nodes[i]);
    if (strike->node_count > 0)
        buffer_byte(out, ']');
    if (strike->by)
        print_by(strike, options->shape == SHAPE_CLOCK_DRIFT, out);
    for (uint32_t i = 0; i < strike->link_count; i++)
        buffer_print(out, "%s[%" PRIu32 ", %" PRIu32 "]", i ? ", " : ", links = [",
                     strike->links[i].from, strike->links[i].to);
    if (strike->link_count > 0)
        buffer_byte(out, ']');
    buffer_text(out, TEXT(" }"));
}

void scenario_strikes_print(const struct nemesis_options *options, struct buffer *out)
{
    buffer_text(out, options->strike_count > 1 ? TEXT("[\n    ") : TEXT("["));
    for (uint32_t i = 0; i < options->strike_count; i++) {
        if (i > 0)
            buffer_text(out, TEXT(",\n    "));
        print_strike(options, &options->strikes[i], out);
    }
    buffer_text(out, options->strike_count > 1 ? TEXT(",\n]") : TEXT("]"));
}
