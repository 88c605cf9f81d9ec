#include "trial/bisect/case_private.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
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

/* --- Units ------------------------------------------------------------------------------------ */

#define NO_UNIT UINT64_MAX
#define AFTER_NS INT64_C(3000000000) /* strikes so long behind the last transaction may matter */

static const struct logged_strike *source_of(const struct bisect_origin *origin,
                                             const struct case_strike *strike)
{
    return &origin->recording.strikes.list.at[strike->source];
}

static const struct nemesis_options *nemesis_of(const struct bisect_origin *origin,
                                                const struct case_strike *strike)
{
    return &origin->scenario->nemeses[source_of(origin, strike)->place];
}

/* --- Names of units, before they are numbered ------------------------------------------------- */

static uint64_t name_of_strike(const struct bisect_case *c, const struct bisect_origin *origin,
                               enum case_unit unit, size_t i)
{
    const struct case_strike *strike = &c->strikes.at[i];

    switch (unit) {
    case UNIT_FAMILY:
        return nemesis_of(origin, strike)->kind;
    case UNIT_NEMESIS:
        return source_of(origin, strike)->place;
    case UNIT_STRIKE:
        return i;
    default:
        return NO_UNIT;
    }
}

static uint64_t name_of_txn(const struct bisect_case *c, enum case_unit unit, size_t i)
{
    return unit == UNIT_SESSION ? c->listing.txns.at[i].client : unit == UNIT_TXN ? i : NO_UNIT;
}

/* Only of operations that are about one key. */
static uint64_t name_of_op(enum case_unit unit, const struct listed_op *op, uint64_t step)
{
    bool has_key = op->kind <= LISTED_PUT && op->kind != LISTED_INSERT;

    if (unit == UNIT_STEP)
        return step;
    return unit == UNIT_KEY && has_key ? op->key : NO_UNIT;
}

/* --- Numbering -------------------------------------------------------------------------------- */

struct unit_names {
    ARRAY(uint64_t) list; /* rising, each once */
};

static enum status add_name(struct unit_names *names, uint64_t name, struct error *err)
{
    return name == NO_UNIT ? STATUS_OK : array_push(&names->list, name, err);
}

static void sort_names(struct unit_names *names)
{
    size_t kept = 0;

    sort_wide(names->list.at, names->list.count);
    for (size_t i = 0; i < names->list.count; i++)
        if (kept == 0 || names->list.at[kept - 1] != names->list.at[i])
            names->list.at[kept++] = names->list.at[i];
    names->list.count = kept;
}

static enum status collect(struct unit_names *names, const struct bisect_case *c,
                           const struct bisect_origin *origin, enum case_unit unit,
                           struct error *err)
{
    uint64_t step = 0;

    for (size_t i = 0; i < c->strikes.count; i++)
        TRY(add_name(names, name_of_strike(c, origin, unit, i), err));
    for (size_t i = 0; i < c->listing.txns.count; i++)
        TRY(add_name(names, name_of_txn(c, unit, i), err));
    for (size_t i = 0; i < c->listing.ops.count; i++) {
        TRY(add_name(names, name_of_op(unit, &c->listing.ops.at[i], step), err));
        step += !c->listing.ops.at[i].goes_on;
    }
    sort_names(names);
    return STATUS_OK;
}

/* What is left out: a part, by the names of its units. */
struct removal {
    const struct case_part *part;
    struct unit_names names;
};

/* Whether the unit of this name is in the part; there may be fewer than its `to` by now. */
static bool is_out(const struct removal *removal, uint64_t name)
{
    const struct unit_names *names = &removal->names;
    size_t from = removal->part->from, to = removal->part->to;

    if (to > names->list.count)
        to = names->list.count;
    if (name == NO_UNIT || from >= to)
        return false;
    return name >= names->list.at[from] && name <= names->list.at[to - 1];
}

/* --- Victims ---------------------------------------------------------------------------------- */

/* How many a strike can do without; a partition and a lone victim cannot be divided. */
static uint32_t victims_of(const struct bisect_origin *origin, const struct case_strike *strike)
{
    const struct nemesis_strike *from = &source_of(origin, strike)->strike;
    uint32_t count = from->link_count > 0 ? from->link_count : from->node_count;
    enum nemesis_shape shape = nemesis_of(origin, strike)->shape;

    if (shape == SHAPE_PARTITION_BRIDGE || shape == SHAPE_PARTITION_MAJORITIES_RING)
        return 0;
    return count > 1 && count <= 64 ? count : 0;
}

static size_t count_victims(const struct bisect_case *c, const struct bisect_origin *origin)
{
    size_t count = 0;

    for (size_t i = 0; i < c->strikes.count; i++)
        count += victims_of(origin, &c->strikes.at[i]);
    return count;
}

/* A strike keeps one victim at least. */
static void spare_victims(struct bisect_case *c, const struct bisect_origin *origin, size_t from,
                          size_t to)
{
    size_t number = 0;

    for (size_t i = 0; i < c->strikes.count; i++) {
        struct case_strike *strike = &c->strikes.at[i];
        uint32_t count = victims_of(origin, strike);
        uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
        uint64_t without = strike->without;

        for (uint32_t k = 0; k < count; k++, number++)
            if (number >= from && number < to)
                without |= UINT64_C(1) << k;
        if (without != all)
            strike->without = without;
    }
}

/* --- Without some ----------------------------------------------------------------------------- */

enum status case_count(const struct bisect_case *c, const struct bisect_origin *origin,
                       enum case_unit unit, size_t *count, struct error *err)
{
    struct unit_names names = { 0 };
    enum status status;

    if (unit == UNIT_VICTIM) {
        *count = count_victims(c, origin);
        return STATUS_OK;
    }
    status = collect(&names, c, origin, unit, err);
    *count = names.list.count;
    array_close(&names.list);
    return status;
}

/* Whether any operation of the step is to go. */
static bool is_step_out(const struct removal *removal, const struct listed_op *ops, uint32_t count,
                        uint64_t step)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_out(removal, name_of_op(removal->part->unit, &ops[i], step)))
            return true;
        if (!ops[i].goes_on)
            return false;
    }
    return false;
}

/* The transaction with the operations that stay; none, if none do. */
static void copy_txn(struct bisect_case *out, const struct bisect_case *c,
                     const struct listed_txn *txn, const struct removal *removal, uint64_t *step)
{
    const struct listed_op *ops = listed_ops(&c->listing, txn);
    bool has_begun = false;

    for (uint32_t i = 0, end; i < txn->count; i = end, ++*step) {
        bool goes = is_step_out(removal, ops + i, txn->count - i, *step);

        for (end = i; end < txn->count && ops[end].goes_on; end++)
            ;
        end = end < txn->count ? end + 1 : end;
        if (goes)
            continue;
        if (!has_begun)
            listed_begin(&out->listing, txn->client);
        has_begun = true;
        for (uint32_t k = i; k < end; k++)
            listed_add(&out->listing, ops[k]);
    }
    if (has_begun)
        listed_place(&out->listing, txn->at_ns, txn->node);
}

static enum status leave_out(struct bisect_case *out, const struct bisect_case *c,
                             const struct bisect_origin *origin, const struct removal *removal,
                             struct error *err)
{
    enum case_unit unit = removal->part->unit;
    bool by_op = unit == UNIT_KEY || unit == UNIT_STEP;
    uint64_t step = 0;

    for (size_t i = 0; i < c->strikes.count; i++)
        if (!is_out(removal, name_of_strike(c, origin, unit, i)))
            TRY(array_push(&out->strikes, c->strikes.at[i], err));
    for (size_t i = 0; i < c->listing.txns.count; i++) {
        const struct listed_txn *txn = &c->listing.txns.at[i];

        if (is_out(removal, name_of_txn(c, unit, i)))
            continue;
        if (by_op && c->listing.calls.count == 0)
            copy_txn(out, c, txn, removal, &step);
        else
            listed_copy(&out->listing, &c->listing, txn);
    }
    return listed_status(&out->listing, err);
}

enum status case_without(struct bisect_case *out, const struct bisect_case *c,
                         const struct bisect_origin *origin, const struct case_part *part,
                         struct error *err)
{
    struct removal removal = { .part = part };
    enum status status;

    assert(part->unit < UNIT_COUNT && part->from <= part->to);
    if (part->unit == UNIT_VICTIM) {
        TRY(case_copy(out, c, err));
        spare_victims(out, origin, part->from, part->to);
        return STATUS_OK;
    }
    *out = (struct bisect_case){ .settings = c->settings };
    status = collect(&removal.names, c, origin, part->unit, err);
    if (status == STATUS_OK)
        status = leave_out(out, c, origin, &removal, err);
    array_close(&removal.names.list);
    return status;
}

/* Those that come by then, behind the transactions. */
static enum status copy_strikes(struct bisect_case *out, const struct bisect_case *c,
                                int64_t end_ns, struct error *err)
{
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns <= end_ns)
            TRY(array_push(&out->strikes, c->strikes.at[i], err));
    return listed_status(&out->listing, err);
}

enum status case_prefix(struct bisect_case *out, const struct bisect_case *c, size_t txns,
                        struct error *err)
{
    int64_t end_ns = INT64_MAX;

    *out = (struct bisect_case){ .settings = c->settings };
    if (txns < c->listing.txns.count)
        end_ns = c->listing.txns.at[txns].at_ns + AFTER_NS;
    for (size_t i = 0; i < txns && i < c->listing.txns.count; i++)
        listed_copy(&out->listing, &c->listing, &c->listing.txns.at[i]);
    return copy_strikes(out, c, end_ns, err);
}

enum status case_renumber(struct bisect_case *out, const struct bisect_case *c, struct error *err)
{
    struct unit_names names = { 0 };
    enum status status = STATUS_OK;

    TRY(case_copy(out, c, err));
    for (size_t i = 0; status == STATUS_OK && i < c->listing.txns.count; i++)
        status = add_name(&names, c->listing.txns.at[i].client, err);
    sort_names(&names);
    for (size_t i = 0; status == STATUS_OK && i < out->listing.txns.count; i++) {
        uint64_t name = out->listing.txns.at[i].client;
        size_t place;

        BISECT(place, 0, names.list.count, names.list.at[place] < name);
        out->listing.txns.at[i].client = (uint32_t)place;
    }
    if (names.list.count > 0)
        out->settings.sessions = (uint32_t)names.list.count;
    array_close(&names.list);
    return status;
}

void case_set_nodes(struct bisect_case *c, uint32_t nodes)
{
    c->settings.nodes = nodes;
    for (size_t i = 0; i < c->listing.txns.count; i++)
        c->listing.txns.at[i].node %= nodes;
}

enum status case_merge(struct bisect_case *out, const struct bisect_case *c,
                       const struct bisect_origin *origin, size_t number, struct error *err)
{
    struct case_strike *strike;
    size_t next = number + 1;

    TRY(case_copy(out, c, err));
    while (next < c->strikes.count && source_of(origin, &c->strikes.at[next])->place !=
                                          source_of(origin, &c->strikes.at[number])->place)
        next++;
    if (next >= c->strikes.count)
        return STATUS_OK; /* it is the last */
    strike = &out->strikes.at[number];
    if (strike->lasts_ns > 0 && out->strikes.at[next].lasts_ns > 0)
        strike->lasts_ns =
            out->strikes.at[next].at_ns + out->strikes.at[next].lasts_ns - strike->at_ns;
    out->strikes.count--;
    memmove(&out->strikes.at[next], &out->strikes.at[next + 1],
            (out->strikes.count - next) * sizeof *out->strikes.at);
    return STATUS_OK;
}

/* Times at which something begins or ends, rising, and where they are moved to. */
struct case_times {
    ARRAY(int64_t) from;
    ARRAY(int64_t) to;
};

static enum status collect_times(struct case_times *times, const struct bisect_case *c, struct error *err)
{
    TRY(array_push(&times->from, 0, err));
    for (size_t i = 0; i < c->listing.txns.count; i++)
        TRY(array_push(&times->from, c->listing.txns.at[i].at_ns, err));
    for (size_t i = 0; i < c->strikes.count; i++) {
        TRY(array_push(&times->from, c->strikes.at[i].at_ns, err));
        TRY(array_push(&times->from, c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns, err));
    }
    sort_signed(times->from.at, times->from.count);
    return STATUS_OK;
}

static enum status tighten(struct case_times *times, int64_t pause_ns, struct error *err)
{
    int64_t saved_ns = 0;

    for (size_t i = 0; i < times->from.count; i++) {
        int64_t gap_ns = i > 0 ? times->from.at[i] - times->from.at[i - 1] : 0;

        if (gap_ns > pause_ns)
            saved_ns += gap_ns - pause_ns;
        TRY(array_push(&times->to, times->from.at[i] - saved_ns, err));
    }
    return STATUS_OK;
}

static int64_t moved(const struct case_times *times, int64_t at_ns)
{
    size_t place;

    BISECT(place, 0, times->from.count, times->from.at[place] < at_ns);
    assert(times->from.at[place] == at_ns);
    return times->to.at[place];
}

static void move_all(struct bisect_case *c, const struct case_times *times)
{
    for (size_t i = 0; i < c->listing.txns.count; i++)
        c->listing.txns.at[i].at_ns = moved(times, c->listing.txns.at[i].at_ns);
    for (size_t i = 0; i < c->strikes.count; i++) {
        struct case_strike *strike = &c->strikes.at[i];
        int64_t end_ns = moved(times, strike->at_ns + strike->lasts_ns);

        strike->at_ns = moved(times, strike->at_ns);
        if (strike->lasts_ns > 0)
            strike->lasts_ns = end_ns - strike->at_ns;
    }
}

enum status case_tighten(struct bisect_case *out, const struct bisect_case *c, int64_t pause_ns,
                         struct error *err)
{
    struct case_times times = { 0 };
    enum status status;

    TRY(case_copy(out, c, err));
    status = collect_times(&times, c, err);
    if (status == STATUS_OK)
        status = tighten(&times, pause_ns, err);
    if (status == STATUS_OK)
        move_all(out, &times);
    array_close(&times.from);
    array_close(&times.to);
    return status;
}

static int64_t first_ns(const struct bisect_case *c)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns < first)
            first = c->listing.txns.at[i].at_ns;
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns < first)
            first = c->strikes.at[i].at_ns;
    return first;
}

static int64_t last_ns(const struct bisect_case *c)
{
    int64_t last = 0;

    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns > last)
            last = c->listing.txns.at[i].at_ns;
    for (size_t i = 0; i < c->strikes.count; i++)
        if (c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns > last)
            last = c->strikes.at[i].at_ns + c->strikes.at[i].lasts_ns;
    return last;
}

int64_t case_end_ns(const struct bisect_case *c)
{
    int64_t end_ns = c->listing.txns.count > 0 ? last_ns(c) : INT64_MAX;

    return end_ns < c->settings.duration_ns ? end_ns : c->settings.duration_ns;
}

enum status case_until(struct bisect_case *out, const struct bisect_case *c, int64_t end_ns,
                       struct error *err)
{
    *out = (struct bisect_case){ .settings = c->settings };
    if (end_ns < out->settings.duration_ns)
        out->settings.duration_ns = end_ns;
    for (size_t i = 0; i < c->listing.txns.count; i++)
        if (c->listing.txns.at[i].at_ns <= end_ns)
            listed_copy(&out->listing, &c->listing, &c->listing.txns.at[i]);
    return copy_strikes(out, c, end_ns, err);
}

void case_shorten(struct bisect_case *c, int64_t after_ns)
{
    int64_t second_ns = 1000000000;
    int64_t end_ns = (last_ns(c) + after_ns + second_ns - 1) / second_ns * second_ns;

    if (end_ns < c->settings.duration_ns)
        c->settings.duration_ns = end_ns;
}

enum status case_start(struct bisect_case *out, const struct bisect_case *c, int64_t start_ns,
                       struct error *err)
{
    int64_t later_ns = first_ns(c) < start_ns ? start_ns - first_ns(c) : 0;

    TRY(case_copy(out, c, err));
    for (size_t i = 0; i < out->listing.txns.count; i++)
        out->listing.txns.at[i].at_ns += later_ns;
    for (size_t i = 0; i < out->strikes.count; i++)
        out->strikes.at[i].at_ns += later_ns;
    out->settings.duration_ns += later_ns;
    return STATUS_OK;
}

static int64_t rounded(int64_t ns, int64_t unit_ns)
{
    return (ns + unit_ns / 2) / unit_ns * unit_ns;
}

enum status case_round(struct bisect_case *out, const struct bisect_case *c, int64_t unit_ns,
                       struct error *err)
{
    TRY(case_copy(out, c, err));
    for (size_t i = 0; i < out->listing.txns.count; i++)
        out->listing.txns.at[i].at_ns = rounded(out->listing.txns.at[i].at_ns, unit_ns);
    for (size_t i = 0; i < out->strikes.count; i++) {
        struct case_strike *strike = &out->strikes.at[i];

        strike->at_ns = rounded(strike->at_ns, unit_ns);
        if (strike->lasts_ns > 0)
            strike->lasts_ns = strike->lasts_ns < unit_ns ? unit_ns
                                                          : rounded(strike->lasts_ns, unit_ns);
    }
    return STATUS_OK;
}
