#include "trial/bisect/case_private.h"

#include <assert.h>
#include <string.h>

#include "trial/scenario/latency.h"


/* --- Life ------------------------------------------------------------------------------------- */

enum status case_of_origin(struct bisect_case *c, const struct bisect_origin *origin,
                           struct error *err)
{
    const struct scenario *scenario = origin->scenario;
    const struct strike_log *log = &origin->recording.strikes;

    *c = (struct bisect_case){
        .settings = { .seed = scenario->seed,
                      .draws_by_time = scenario->capsule.draws_by_time,
                      .nodes = scenario->cluster.nodes,
                      .shards = scenario->cluster.shards,
                      .replicas = scenario->cluster.replicas,
                      .sessions = scenario->workload.sessions,
                      .duration_ns = scenario->workload.duration_ns },
    };
    for (size_t i = 0; i < origin->recording.listing.txns.count; i++)
        listed_copy(&c->listing, &origin->recording.listing,
                    &origin->recording.listing.txns.at[i]);
    for (size_t i = 0; i < log->list.count; i++) {
        const struct nemesis_strike *strike = &log->list.at[i].strike;
        struct case_strike mine = { (uint32_t)i, 0, strike->at_ns, strike->lasts_ns };

        TRY(array_push(&c->strikes, mine, err));
    }
    return listed_status(&c->listing, err);
}

void case_close(struct bisect_case *c)
{
    listed_close(&c->listing);
    array_close(&c->strikes);
    *c = (struct bisect_case){ 0 };
}

enum status case_copy(struct bisect_case *c, const struct bisect_case *from, struct error *err)
{
    *c = (struct bisect_case){ .settings = from->settings };
    for (size_t i = 0; i < from->listing.txns.count; i++)
        listed_copy(&c->listing, &from->listing, &from->listing.txns.at[i]);
    for (size_t i = 0; i < from->strikes.count; i++)
        TRY(array_push(&c->strikes, from->strikes.at[i], err));
    return listed_status(&c->listing, err);
}

static bool are_equal(const void *a, size_t a_count, const void *b, size_t b_count, size_t size)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * size) == 0);
}

/* Made of the same parts in the same way, so that even their padding is the same, or it does no
   harm to take them for two. */
bool case_is_equal(const struct bisect_case *a, const struct bisect_case *b)
{
    return memcmp(&a->settings, &b->settings, sizeof a->settings) == 0 &&
           are_equal(a->listing.txns.at, a->listing.txns.count, b->listing.txns.at,
                     b->listing.txns.count, sizeof *a->listing.txns.at) &&
           are_equal(a->listing.ops.at, a->listing.ops.count, b->listing.ops.at,
                     b->listing.ops.count, sizeof *a->listing.ops.at) &&
           are_equal(a->listing.calls.at, a->listing.calls.count, b->listing.calls.at,
                     b->listing.calls.count, 1) &&
           are_equal(a->strikes.at, a->strikes.count, b->strikes.at, b->strikes.count,
                     sizeof *a->strikes.at);
}

/* --- As bytes --------------------------------------------------------------------------------- */

static void put(struct buffer *out, const void *bytes, size_t count, size_t size)
{
    uint64_t length = count;

    buffer_text(out, (struct text){ (const char *)&length, sizeof length });
    if (count > 0)
        buffer_text(out, (struct text){ bytes, count * size });
}

void case_write(const struct bisect_case *c, struct buffer *out)
{
    put(out, &c->settings, 1, sizeof c->settings);
    put(out, c->listing.txns.at, c->listing.txns.count, sizeof *c->listing.txns.at);
    put(out, c->listing.ops.at, c->listing.ops.count, sizeof *c->listing.ops.at);
    put(out, c->listing.calls.at, c->listing.calls.count, 1);
    put(out, c->strikes.at, c->strikes.count, sizeof *c->strikes.at);
}

/* Cuts off the next part: its elements, and how many. */
static const void *get(struct text *bytes, size_t size, size_t *count)
{
    const char *at = bytes->at + sizeof(uint64_t);
    uint64_t length;

    memcpy(&length, bytes->at, sizeof length);
    *count = (size_t)length;
    assert(bytes->length >= sizeof length + *count * size);
    bytes->at = at + *count * size;
    bytes->length -= sizeof length + *count * size;
    return at;
}

#define GET(bytes, array, err)                                                                     \
    do {                                                                                           \
        size_t get_count;                                                                          \
        const void *get_at = get(bytes, sizeof *(array)->at, &get_count);                          \
        TRY(array_reserve(array, get_count, err));                                                 \
        if (get_count > 0)                                                                         \
            memcpy((array)->at, get_at, get_count * sizeof *(array)->at);                          \
        (array)->count = get_count;                                                                \
    } while (0)

enum status case_read(struct bisect_case *c, struct text bytes, struct error *err)
{
    const char *calls;
    size_t count;

    *c = (struct bisect_case){ 0 };
    memcpy(&c->settings, get(&bytes, sizeof c->settings, &count), sizeof c->settings);
    GET(&bytes, &c->listing.txns, err);
    GET(&bytes, &c->listing.ops, err);
    calls = get(&bytes, 1, &count);
    buffer_text(&c->listing.calls, (struct text){ calls, count });
    GET(&bytes, &c->strikes, err);
    return buffer_status(&c->listing.calls, err);
}

/* --- As a scenario ---------------------------------------------------------------------------- */

static bool is_given(struct ratio ratio)
{
    return ratio.numerator > 0;
}

bool case_can_be_simpler(const struct bisect_origin *origin, enum case_simplification simple)
{
    const struct scenario *scenario = origin->scenario;
    const struct link_options *link = &scenario->network.link;

    switch (simple) {
    case SIMPLE_OFFSET:
        return scenario->clocks.options.offset_ns_max > 0;
    case SIMPLE_DRIFT:
        return scenario->clocks.options.drift_ppm_max > 0;
    case SIMPLE_LOSS:
        return is_given(link->loss);
    case SIMPLE_DUPLICATE:
        return is_given(link->duplicate);
    case SIMPLE_REORDER:
        return is_given(link->reorder);
    case SIMPLE_LIMITS:
        return link->bytes_per_second > 0 || link->in_flight_max > 0;
    case SIMPLE_TORN:
        return is_given(scenario->disk.faults.torn);
    default:
        return true;
    }
}

static void simplify(struct scenario *scenario, unsigned simple)
{
    struct link_options *link = &scenario->network.link;

    if (simple >> SIMPLE_OFFSET & 1)
        scenario->clocks.options.offset_ns_max = 0;
    if (simple >> SIMPLE_DRIFT & 1)
        scenario->clocks.options.drift_ppm_max = 0;
    if (simple >> SIMPLE_LOSS & 1)
        link->loss = (struct ratio){ 0, 1 };
    if (simple >> SIMPLE_DUPLICATE & 1)
        link->duplicate = (struct ratio){ 0, 1 };
    if (simple >> SIMPLE_REORDER & 1)
        link->reorder = (struct ratio){ 0, 1 };
    if (simple >> SIMPLE_LIMITS & 1)
        link->bytes_per_second = link->in_flight_max = 0;
    if (simple >> SIMPLE_TORN & 1)
        scenario->disk.faults.torn = (struct ratio){ 0, 1 };
}

static const struct scenario_latency one_millisecond = { .kind = GIVEN_CONSTANT,
                                                      .first_ns = 1000000 };
static const struct scenario_latency no_time = { .kind = GIVEN_CONSTANT, .first_ns = 1000 };

static enum status simplify_latencies(struct scenario *scenario, unsigned simple,
                                      struct error *err)
{
    if (simple >> SIMPLE_LATENCY & 1) {
        scenario->network.latency = one_millisecond;
        TRY(scenario_latency_make(&one_millisecond, &scenario->network.link.latency, err));
    }
    if (!(simple >> SIMPLE_DISK & 1))
        return STATUS_OK;
    scenario->disk.read = scenario->disk.write = no_time;
    scenario->disk.sync = one_millisecond;
    TRY(scenario_latency_make(&no_time, &scenario->disk.config.read, err));
    TRY(scenario_latency_make(&no_time, &scenario->disk.config.write, err));
    return scenario_latency_make(&one_millisecond, &scenario->disk.config.sync, err);
}

/* What is left of a list of `count` things with these bits taken out. */
static size_t spare(void *to, const void *from, size_t size, size_t count, uint64_t without)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        if (i < 64 && without >> i & 1)
            continue;
        memcpy((char *)to + left * size, (const char *)from + i * size, size);
        left++;
    }
    return left;
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for a smaller scenario");
}

static enum status fill_strike(struct scenario *scenario, const struct case_strike *mine,
                               const struct nemesis_strike *from, struct nemesis_strike *strike,
                               struct error *err)
{
    *strike = *from;
    strike->at_ns = mine->at_ns;
    strike->lasts_ns = mine->lasts_ns;
    if (mine->without == 0)
        return STATUS_OK;
    strike->nodes = scenario_keep(scenario, from->node_count + 1, sizeof *strike->nodes);
    strike->links = scenario_keep(scenario, from->link_count + 1, sizeof *strike->links);
    if (from->by)
        strike->by = scenario_keep(scenario, from->node_count + 1, sizeof *strike->by);
    if (!strike->nodes || !strike->links || (from->by && !strike->by))
        return no_memory(err);
    if (from->by)
        (void)spare(strike->by, from->by, sizeof *from->by, from->node_count, mine->without);
    if (from->link_count > 0)
        strike->link_count = (uint32_t)spare(strike->links, from->links, sizeof *from->links,
                                             from->link_count, mine->without);
    else
        strike->node_count = (uint32_t)spare(strike->nodes, from->nodes, sizeof *from->nodes,
                                             from->node_count, mine->without);
    return STATUS_OK;
}

/* Of the nemesis at this place, as one whose strikes are listed. */
static struct nemesis_options without_times(const struct nemesis_options *from)
{
    struct nemesis_options options = { .kind = from->kind,
                                       .shape = strikes_shape(from->shape),
                                       .chance = from->chance,
                                       .delay_ns = from->delay_ns,
                                       .factor = from->factor,
                                       .outside = from->outside };

    return options;
}

/* A nemesis for each that has strikes left. */
static enum status fill_nemeses(const struct bisect_case *c, const struct bisect_origin *origin,
                                struct scenario *scenario, struct error *err)
{
    const struct logged_strike *log = origin->recording.strikes.list.at;

    scenario->nemesis_count = 0;
    for (uint32_t place = 0; place < origin->scenario->nemesis_count; place++) {
        struct nemesis_options options = without_times(&origin->scenario->nemeses[place]);
        struct nemesis_strike *strikes =
            scenario_keep(scenario, c->strikes.count + 1, sizeof *strikes);

        if (!strikes)
            return no_memory(err);
        for (size_t i = 0; i < c->strikes.count; i++) {
            const struct case_strike *mine = &c->strikes.at[i];
            if (log[mine->source].place == place)
                TRY(fill_strike(scenario, mine, &log[mine->source].strike,
                                &strikes[options.strike_count++], err));
        }
        options.strikes = strikes;
        if (options.strike_count > 0)
            scenario->nemeses[scenario->nemesis_count++] = options;
    }
    return STATUS_OK;
}

enum status case_scenario(const struct bisect_case *c, const struct bisect_origin *origin,
                          struct scenario *scenario, struct error *err)
{
    const struct case_settings *settings = &c->settings;

    memcpy(scenario, origin->scenario, sizeof *scenario);
    scenario->blocks = NULL;
    scenario->seed = settings->seed;
    scenario->capsule.draws_by_time = settings->draws_by_time;
    scenario->cluster.nodes = settings->nodes;
    scenario->cluster.shards = settings->shards;
    scenario->cluster.replicas = settings->replicas;
    scenario->workload.duration_ns = settings->duration_ns;
    if (scenario->workload.kind == WORKLOAD_BUILTIN ||
        scenario->workload.kind == WORKLOAD_PROGRAM) {
        scenario->workload.sessions = settings->sessions;
        scenario->workload.is_listed = true;
        scenario->listing = c->listing; /* borrowed */
    }
    memset(&scenario->lines, 0, sizeof scenario->lines);
    simplify(scenario, settings->simple);
    TRY(simplify_latencies(scenario, settings->simple, err));
    return fill_nemeses(c, origin, scenario, err);
}

void case_drop_scenario(struct scenario *scenario)
{
    scenario->listing = (struct listed){ 0 };
    scenario_close(scenario);
}
