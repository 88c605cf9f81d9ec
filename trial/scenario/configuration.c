#include "trial/scenario/configuration_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/quantity.h"
#include "programs/workloads/builtin.h"
#include "store/bugs.h"
#include "store/store.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/* The first error stays in `status`; after it nothing more is drawn. */
struct configuration {
    struct setting *root;
    struct arena *arena;
    struct random_key key; /* of the dimension */
    enum status status;
    struct error *err;
};

/* What is given may be absurd, and is refused later: nothing here must overflow. */
#define NUMBER_MAX 1000000
#define DURATION_MAX_NS (24 * 3600 * SECOND)

/* --- Settings --------------------------------------------------------------------------------- */

static struct random configuration_stream(const struct configuration *drawing, const char *path)
{
    struct random_key key = random_key_fork(&drawing->key, "%s", path);
    struct random random;

    random_init(&random, &key);
    return random;
}

static const struct setting *configuration_find(const struct configuration *drawing, const char *path)
{
    const struct setting *setting = drawing->root;

    for (struct text rest = text_of(path); setting && rest.length > 0;) {
        const char *dot = memchr(rest.at, '.', rest.length);
        size_t length = dot ? (size_t)(dot - rest.at) : rest.length;
        setting = toml_find(setting, (struct text){ rest.at, length });
        rest.at += length + (dot != NULL);
        rest.length -= length + (dot != NULL);
    }
    return setting;
}

static int64_t configuration_number(const struct configuration *drawing, const char *path,
                                    int64_t otherwise)
{
    const struct setting *setting = configuration_find(drawing, path);

    if (!setting || setting->kind != SETTING_INTEGER)
        return otherwise;
    return setting->number < 1 ? 1 : setting->number > NUMBER_MAX ? NUMBER_MAX : setting->number;
}

static int64_t configuration_duration(const struct configuration *drawing, const char *path,
                                      int64_t otherwise)
{
    const struct setting *setting = configuration_find(drawing, path);
    int64_t ns;

    if (!setting || setting->kind != SETTING_STRING || !quantity_to_duration(setting->text, &ns))
        return otherwise;
    return ns < 1 ? 1 : ns > DURATION_MAX_NS ? DURATION_MAX_NS : ns;
}

static bool configuration_says(const struct configuration *drawing, const char *path, const char *text)
{
    const struct setting *setting = configuration_find(drawing, path);

    return setting && setting->kind == SETTING_STRING && text_equal(setting->text, text_of(text));
}

/* The assignment lasts as long as the settings, which name it in messages. */
static void assign(struct configuration *drawing, struct buffer *assignment)
{
    char *text;

    buffer_byte(assignment, '\0');
    drawing->status = buffer_status(assignment, drawing->err);
    if (drawing->status != STATUS_OK)
        return;
    text = arena_push(drawing->arena, assignment->count, 1);
    if (!text) {
        drawing->status = error_set(drawing->err, STATUS_OVER_LIMIT, "no memory for settings");
        return;
    }
    memcpy(text, assignment->at, assignment->count);
    drawing->status = toml_set(drawing->root, text, drawing->arena, drawing->err);
}

PRINTF_LIKE(3, 4)
static void configuration_put(struct configuration *drawing, const char *path, const char *format, ...)
{
    struct buffer assignment = { 0 };
    char value[1000];
    va_list arguments;

    if (drawing->status != STATUS_OK || configuration_find(drawing, path))
        return;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    buffer_print(&assignment, "%s=%s", path, value);
    assign(drawing, &assignment);
    buffer_close(&assignment);
}

static void configuration_put_duration(struct configuration *drawing, const char *path, int64_t ns)
{
    struct buffer text = { 0 };

    quantity_print_duration(&text, ns);
    configuration_put(drawing, path, "\"%.*s\"", (int)text.count, text.at ? text.at : "");
    buffer_close(&text);
}

/* --- Draws ------------------------------------------------------------------------------------ */

static int64_t configuration_rounded(struct random *random, int64_t low, int64_t high)
{
    int64_t number = random_magnitude(random, low, high), unit = 1;

    while (number / unit >= 100)
        unit *= 10;
    number = number / unit * unit;
    return number < low ? low : number;
}

static void configuration_draw_count(struct configuration *drawing, const char *path, int64_t low,
                                     int64_t high)
{
    struct random random = configuration_stream(drawing, path);

    configuration_put(drawing, path, "%" PRId64, configuration_rounded(&random, low, high));
}

static void configuration_draw_duration(struct configuration *drawing, const char *path, int64_t low_ns,
                                        int64_t high_ns)
{
    struct random random = configuration_stream(drawing, path);

    configuration_put_duration(drawing, path, configuration_rounded(&random, low_ns, high_ns));
}

static void configuration_draw_chance(struct configuration *drawing, const char *path,
                                      int64_t low_millionths, int64_t high_millionths)
{
    struct random random = configuration_stream(drawing, path);
    int64_t chance = configuration_rounded(&random, low_millionths, high_millionths);

    configuration_put(drawing, path, "%" PRId64 ".%06" PRId64, chance / 1000000, chance % 1000000);
}

static bool configuration_tosses(const struct configuration *drawing, const char *what, uint64_t one_in)
{
    struct random random = configuration_stream(drawing, what);

    return random_below(&random, one_in) == 0;
}

/* One of the numbers, each as likely as it stands there. */
static int64_t draw_of(const struct configuration *drawing, const char *path,
                       const int64_t *numbers, size_t count)
{
    struct random random = configuration_stream(drawing, path);

    return numbers[random_below(&random, count)];
}

/*
 * What the tail may add to the average of a disk. It does one thing after another, and all shards of
 * a node share it: with more it serves hardly anybody, also after all faults have healed.
 */
#define DISK_TAIL_MEAN_NS (20 * MS)

/* "{ median, p99 }", in a quarter of the draws with a tail, which adds so much on average at most. */
static void draw_latency(struct configuration *drawing, const char *path, int64_t low_ns,
                         int64_t high_ns, int64_t tail_ns, int64_t tail_mean_ns)
{
    struct random random = configuration_stream(drawing, path);
    int64_t median = configuration_rounded(&random, low_ns / 1000, high_ns / 1000);
    int64_t p99 = median * random_magnitude(&random, 2, 30);
    int64_t tail = configuration_rounded(&random, tail_ns / 100 / 1000, tail_ns / 1000);
    int64_t chance = configuration_rounded(&random, 1000, 50000);

    if (chance > tail_mean_ns * 1000 / tail) /* in millionths; the tail is in microseconds */
        chance = tail_mean_ns * 1000 / tail;
    if (random_below(&random, 4) > 0)
        configuration_put(drawing, path,
                          "{ median = \"%" PRId64 "us\", p99 = \"%" PRId64 "us\" }", median, p99);
    else
        configuration_put(drawing, path,
                          "{ median = \"%" PRId64 "us\", p99 = \"%" PRId64 "us\", tail = \"%" PRId64
                          "us\", tail_chance = 0.%06" PRId64 " }",
                          median, p99, tail, chance);
}

/* --- Dimensions ------------------------------------------------------------------------------- */

/* Whether the protocol has all bugs that are switched on, and can run what is to be run. */
static bool fits(const struct configuration *drawing, const char *name)
{
    const struct store_protocol_facts facts = store_protocol_facts(store_protocol(text_of(name)));
    const struct setting *bugs = configuration_find(drawing, "cluster.bugs");

    for (const struct setting *one = bugs ? bugs->first : NULL; one; one = one->next) {
        enum bug bug = one->kind == SETTING_STRING ? bug_find(one->text) : BUG_COUNT;
        if (bug != BUG_COUNT && !bug_is_of(bug, facts.name, facts.on_raft))
            return false;
    }
    return facts.on_raft || !configuration_says(drawing, "workload.kind", "list-append");
}

static void draw_protocol(struct configuration *drawing)
{
    const char *const *names = store_protocol_names();
    struct random random = configuration_stream(drawing, "cluster.protocol");
    uint64_t count = 0, chosen;

    for (size_t i = 0; names[i]; i++)
        count += fits(drawing, names[i]);
    if (count == 0)
        return; /* the bugs will be refused */
    chosen = random_below(&random, count);
    for (size_t i = 0; names[i]; i++)
        if (fits(drawing, names[i]) && chosen-- == 0)
            configuration_put(drawing, "cluster.protocol", "\"%s\"", names[i]);
}

static void draw_cluster(struct configuration *drawing)
{
    static const int64_t nodes[] = { 3, 3, 3, 4, 5, 5, 5, 6 };
    static const int64_t replicas[] = { 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5 };
    int64_t some = draw_of(drawing, "cluster.replicas", replicas, ROW_COUNT(replicas));
    int64_t given = configuration_number(drawing, "cluster.replicas", 1), drawn;

    drawn = draw_of(drawing, "cluster.nodes", nodes, ROW_COUNT(nodes));
    drawn = drawn < given ? given : drawn;
    configuration_put(drawing, "cluster.nodes", "%" PRId64, drawn);
    drawn = configuration_number(drawing, "cluster.nodes", drawn);
    configuration_put(drawing, "cluster.replicas", "%" PRId64, some < drawn ? some : drawn);
    configuration_draw_count(drawing, "cluster.shards", 1, 8);
}

static void draw_raft(struct configuration *drawing)
{
    struct random random = configuration_stream(drawing, "cluster.election");
    int64_t heartbeat;

    if (configuration_tosses(drawing, "usual heartbeat", 2))
        configuration_draw_duration(drawing, "cluster.heartbeat", 10 * MS, 200 * MS);
    heartbeat = configuration_duration(drawing, "cluster.heartbeat", 50 * MS);
    if (configuration_tosses(drawing, "usual election", 2))
        configuration_put_duration(drawing, "cluster.election",
                                   heartbeat * random_magnitude(&random, 3, 15));
    if (!configuration_tosses(drawing, "usual snapshots", 4))
        configuration_draw_count(drawing, "cluster.snapshot_entries", 10, 2000);
}

static void draw_retention(struct configuration *drawing)
{
    if (configuration_tosses(drawing, "usual", 2))
        configuration_draw_duration(drawing, "cluster.retention", 200 * MS, 10 * SECOND);
    if (configuration_tosses(drawing, "usual asks", 4))
        configuration_draw_duration(drawing, "cluster.ask_timeout", 10 * MS, SECOND);
    if (configuration_tosses(drawing, "usual doubts", 2))
        configuration_draw_duration(drawing, "cluster.in_doubt", 50 * MS, 3 * SECOND);
    if (configuration_tosses(drawing, "usual wait", 2))
        configuration_draw_duration(drawing, "cluster.wait", 50 * MS, 5 * SECOND);
    if (configuration_tosses(drawing, "usual gossip", 2))
        configuration_draw_duration(drawing, "cluster.gossip", 2 * MS, 500 * MS);
}

/* Most runs are short, and some are long. */
static void draw_length(struct configuration *drawing)
{
    struct random random = configuration_stream(drawing, "workload.think");
    int64_t sessions, transactions, duration;

    configuration_draw_duration(drawing, "workload.duration", 2 * SECOND, 20 * SECOND);
    configuration_draw_count(drawing, "workload.transactions", 60, 1500);
    configuration_draw_count(drawing, "workload.sessions", 2, 40);
    sessions = configuration_number(drawing, "workload.sessions", 20);
    transactions = configuration_number(drawing, "workload.transactions", 1);
    duration = configuration_duration(drawing, "workload.duration", SECOND);
    /* They fill the time, more or less. */
    duration = duration / 1000 * sessions / transactions * 1000;
    if (duration < 100000 || random_below(&random, 8) == 0)
        duration = 0;
    else
        duration = configuration_rounded(&random, duration / 4 + 1, duration + 1);
    configuration_put_duration(drawing, "workload.think", duration / 1000 * 1000);
}

static void draw_clients(struct configuration *drawing)
{
    if (configuration_tosses(drawing, "usual timeout", 2))
        configuration_draw_duration(drawing, "workload.timeout", 30 * MS, 2 * SECOND);
    if (!configuration_tosses(drawing, "usual patience", 4))
        configuration_draw_duration(drawing, "workload.patience", 200 * MS, 5 * SECOND);
    configuration_draw_count(drawing, "workload.attempts", 1, 12);
    if (configuration_tosses(drawing, "usual backoff", 2))
        configuration_draw_duration(drawing, "workload.backoff", MS, 100 * MS);
}

static void draw_clocks(struct configuration *drawing)
{
    if (configuration_tosses(drawing, "right", 2))
        return;
    configuration_draw_duration(drawing, "clocks.offset", MS, 500 * MS);
    if (configuration_tosses(drawing, "no drift", 2))
        configuration_draw_count(drawing, "clocks.drift_ppm", 10, 5000);
    if (configuration_tosses(drawing, "usual belief", 2))
        configuration_draw_duration(drawing, "clocks.max_offset", 2 * MS, 500 * MS);
}

static void draw_network(struct configuration *drawing)
{
    if (configuration_tosses(drawing, "usual latency", 2))
        draw_latency(drawing, "network.latency", 100000, 10 * MS, SECOND, SECOND);
    else
        configuration_put(drawing, "network.latency", "{ median = \"1ms\", p99 = \"20ms\" }");
    if (configuration_tosses(drawing, "no loss", 2))
        configuration_draw_chance(drawing, "network.loss", 500, 50000);
    if (configuration_tosses(drawing, "no duplicates", 2))
        configuration_draw_chance(drawing, "network.duplicate", 1000, 200000);
    if (configuration_tosses(drawing, "no reordering", 2)) {
        configuration_draw_chance(drawing, "network.reorder", 1000, 300000);
        configuration_draw_duration(drawing, "network.reorder_delay", MS, 300 * MS);
    }
    if (configuration_tosses(drawing, "any capacity", 16))
        configuration_draw_count(drawing, "network.capacity", 3, 100);
}

static void draw_disk(struct configuration *drawing)
{
    if (configuration_tosses(drawing, "usual syncs", 2))
        draw_latency(drawing, "disk.sync", 100000, 20 * MS, 2 * SECOND, DISK_TAIL_MEAN_NS);
    if (configuration_tosses(drawing, "usual reads", 4))
        draw_latency(drawing, "disk.read", 10000, 2 * MS, SECOND, DISK_TAIL_MEAN_NS);
    if (configuration_tosses(drawing, "whole pages", 2))
        configuration_draw_chance(drawing, "disk.torn", 10000, 1000000);
}

#define SITE(name) (UINT64_C(1) << BUGGIFY_##name)

/* Sites that come near the same bugs: what takes three of them at once is hardly ever drawn otherwise. */
static const uint64_t themes[] = {
    /* elections */
    SITE(ELECTION_EARLY) | SITE(PRE_VOTE_SKIPPED) | SITE(VOTE_REFUSED) | SITE(LEADER_RESIGNS) |
        SITE(CRASH_IN_VOTE) | SITE(CRASH_AT_VOTE) | SITE(VOTES_ASKED_AGAIN) |
        SITE(WINNER_SILENT) | SITE(SYNC_LAGS),
    /* logs */
    SITE(LEADER_RESIGNS) | SITE(PROPOSER_RESIGNS) | SITE(PROPOSAL_STAYS) | SITE(LEADER_CUT_OFF) |
        SITE(APPEND_SMALL) | SITE(APPEND_AGAIN) | SITE(APPEND_DROPPED) | SITE(ACK_LATE) |
        SITE(COMMIT_LATE),
    /* snapshots */
    SITE(SNAPSHOT_EARLY) | SITE(PREFIX_DROPPED) | SITE(PIECE_SMALL) | SITE(SNAPSHOT_UNNEEDED) |
        SITE(CHECKPOINT_LAGS) | SITE(LEADER_CUT_OFF) | SITE(LEADER_RESIGNS) |
        SITE(PROPOSER_RESIGNS) | SITE(PROPOSAL_STAYS) | SITE(ACK_LATE),
    /* decisions */
    SITE(CRASH_AT_DECISION) | SITE(DOUBT_EARLY) | SITE(OUTCOME_UNTOLD) | SITE(OUTCOME_AGAIN) |
        SITE(FORGET_EARLY) | SITE(HORIZON_EARLY) | SITE(DECISION_LATE) | SITE(ASK_LOST) |
        SITE(ASK_TWICE) | SITE(PREPARE_REFUSED) | SITE(LEADER_RESIGNS),
    /* clients and coordinators */
    SITE(CRASH_AT_REPLY) | SITE(SESSION_MOVES) | SITE(REQUEST_AGAIN) | SITE(CLIENT_GIVES_UP) |
        SITE(ASK_ASTRAY) | SITE(ASK_IMPATIENT) | SITE(ASK_TWICE) | SITE(ASK_LOST) |
        SITE(PREPARE_REFUSED) | SITE(LEADER_RESIGNS),
    /* logs of several leaders */
    SITE(DELTA_UNTOLD) | SITE(DELTAS_SMALL) | SITE(DELTA_DROPPED) | SITE(LOG_SHORT) |
        SITE(CRASH_IN_SYNC) | SITE(SESSION_MOVES),
};

/* Whether the protocol has all sites of the theme. */
static bool has_theme(const struct store_protocol_facts *facts, uint64_t theme)
{
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++)
        if (theme >> i & 1 && !buggify_is_of((enum buggify_site)i, facts->name, facts->on_raft))
            return false;
    return true;
}

/* One of those that the protocol has, in two thirds of the draws; 0: none. */
static uint64_t draw_theme(const struct configuration *drawing,
                           const struct store_protocol_facts *facts)
{
    struct random random = configuration_stream(drawing, "theme");
    uint64_t fitting[ROW_COUNT(themes)];
    uint64_t count = 0;

    for (size_t i = 0; i < ROW_COUNT(themes); i++)
        if (has_theme(facts, themes[i]))
            fitting[count++] = themes[i];
    return count > 0 && random_below(&random, 3) > 0 ? fitting[random_below(&random, count)] : 0;
}

/* Of eight; without a theme a site is on in a quarter of the runs. */
static uint64_t share_of(enum buggify_site site, uint64_t theme)
{
    if (theme == 0)
        return 2;
    return theme >> site & 1 ? 6 : 1;
}

/* Off in half of the runs. */
static void draw_buggify(struct configuration *drawing)
{
    const struct setting *given = configuration_find(drawing, "cluster.protocol");
    struct random random = configuration_stream(drawing, "buggify.sites");
    const struct protocol *protocol =
        given && given->kind == SETTING_STRING ? store_protocol(given->text) : NULL;
    struct store_protocol_facts facts;
    struct buffer list = { 0 };
    uint64_t theme;

    if (!protocol || configuration_tosses(drawing, "off", 2))
        return;
    facts = store_protocol_facts(protocol);
    theme = draw_theme(drawing, &facts);
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++) {
        bool is_on = random_below(&random, 8) < share_of((enum buggify_site)i, theme);
        if (is_on && buggify_is_of((enum buggify_site)i, facts.name, facts.on_raft))
            buffer_print(&list, "%s\"%s\"", list.count ? ", " : "",
                         buggify_name((enum buggify_site)i));
    }
    configuration_put(drawing, "buggify.sites", "[%.*s]", (int)list.count, list.at ? list.at : "");
    if (configuration_tosses(drawing, "usual chance", 2))
        configuration_draw_chance(drawing, "buggify.chance", 20000, 600000);
    buffer_close(&list);
}

/* --- The workload ----------------------------------------------------------------------------- */

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
                          const struct workload *workload)
{
    if (workload->shape == SHAPE_LISTS && !is_on_raft(drawing))
        return 0;
    for (size_t i = 0; i < ROW_COUNT(weights); i++)
        if (text_equal(text_of(weights[i].name), text_of(workload->name)))
            return weights[i].weight;
    return 1;
}

static void draw_kind(struct configuration *drawing)
{
    struct random random = configuration_stream(drawing, "workload.kind");
    const struct workload *const *all;
    uint64_t total = 0, drawn;
    unsigned count;

    all = workload_run(&count);
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

struct parameters {
    struct configuration *drawing;
    const struct workload *workload;
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

static void draw_workload(struct configuration *drawing)
{
    struct parameters of = { .drawing = drawing };
    const struct setting *kind;

    draw_kind(drawing);
    kind = configuration_find(drawing, "workload.kind");
    if (drawing->status != STATUS_OK || !kind || kind->kind != SETTING_STRING)
        return;
    of.workload = workload_find(kind->text);
    if (!of.workload || !of.workload->behaviour)
        return; /* it will be refused */
    uniform(&of, PARAMETER_GROUP, 2, 5);
    draw_keys(&of);
    draw_operations(&of);
    draw_values(&of);
    draw_mixture(&of);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* A world in which nodes ping each other has no store, and a script says what its sessions do. */
static bool applies(const struct configuration *drawing, enum swarm_dimension dimension)
{
    bool has_store = !configuration_says(drawing, "workload.kind", "ping");
    bool draws_txns = has_store && !configuration_find(drawing, "schedule") &&
                      !configuration_find(drawing, "transaction");

    switch (dimension) {
    case SWARM_PROTOCOL:
    case SWARM_RAFT:
    case SWARM_RETENTION:
    case SWARM_DISK:
    case SWARM_BUGGIFY:
        return has_store;
    case SWARM_CLIENTS:
    case SWARM_LENGTH:
        return draws_txns;
    case SWARM_WORKLOAD:
        return draws_txns && !configuration_find(drawing, "workload.program");
    default:
        return true;
    }
}

/* In an order in which what another depends on comes first. */
static void (*const draws[SWARM_DIMENSION_COUNT])(struct configuration *) = {
    [SWARM_PROTOCOL] = draw_protocol,
    [SWARM_CLUSTER] = draw_cluster,
    [SWARM_RAFT] = draw_raft,
    [SWARM_RETENTION] = draw_retention,
    [SWARM_LENGTH] = draw_length,
    [SWARM_CLIENTS] = draw_clients,
    [SWARM_WORKLOAD] = draw_workload,
    [SWARM_CLOCKS] = draw_clocks,
    [SWARM_NETWORK] = draw_network,
    [SWARM_DISK] = draw_disk,
    [SWARM_BUGGIFY] = draw_buggify,
};

enum status configuration_draw(struct setting *root, const struct swarm_options *swarm,
                               uint64_t seed, struct arena *arena, struct error *err)
{
    struct configuration drawing = { .root = root, .arena = arena, .err = err };

    for (int i = 0; i < SWARM_DIMENSION_COUNT && drawing.status == STATUS_OK; i++) {
        enum swarm_dimension dimension = (enum swarm_dimension)i;
        if (!draws[i] || !(swarm->dimensions >> i & 1) || !applies(&drawing, dimension))
            continue;
        drawing.key = swarm_key(swarm, dimension, seed);
        draws[i](&drawing);
    }
    return drawing.status;
}
