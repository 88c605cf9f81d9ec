#include "cli/scenario_keys.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cli/given_latency.h"
#include "cli/given_nemesis.h"
#include "cli/quantity.h"
#include "cli/scenario.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)

#define NONE "" /* as a default */
#define REQUIRED NULL
#define KEYS_MAX 32

#define TOP(field) offsetof(struct scenario, field)
#define CLUSTER(field) offsetof(struct scenario_cluster, field)
#define CLOCKS(field) offsetof(struct clock_options, field)
#define NETWORK(field) offsetof(struct scenario_network, field)
#define DISK(field) offsetof(struct scenario_disk, field)
#define WORKLOAD(field) offsetof(struct scenario_workload, field)
#define SWARM(field) offsetof(struct swarm_options, field)
#define FAULT(field) offsetof(struct nemesis_options, field)

static const struct key_row top_rows[] = {
    { "name", KEY_NAME, TOP(name), 0, 0, REQUIRED, "what a run calls it" },
    { "seed", KEY_SEED, TOP(seed), 0, SEED_MAX, "0", "of all that is drawn; --seed overrides it" },
};

static const struct key_row cluster_rows[] = {
    { "nodes", KEY_COUNT, CLUSTER(nodes), 2, 255, "5", "how many nodes there are" },
};

static const struct key_row clock_rows[] = {
    { "offset", KEY_DURATION, CLOCKS(offset_ns_max), 0, HOUR, "0s",
      "each node's wall clock starts within this of true time" },
    { "drift_ppm", KEY_PPM, CLOCKS(drift_ppm_max), 0, CLOCK_DRIFT_PPM_MAX, "0",
      "each clock runs too fast or slow by up to this many millionths" },
};

static const struct key_row network_rows[] = {
    { "latency", KEY_LATENCY, NETWORK(latency), 0, LATENCY_GIVEN_MAX_NS, "1ms",
      "how long a message takes" },
    { "loss", KEY_PROBABILITY, NETWORK(link.loss), 0, 0, "0", "a message is lost" },
    { "duplicate", KEY_PROBABILITY, NETWORK(link.duplicate), 0, 0, "0", "a message arrives twice" },
    { "reorder", KEY_PROBABILITY, NETWORK(link.reorder), 0, 0, "0", "a message is late" },
    { "reorder_delay", KEY_DURATION, NETWORK(link.reorder_delay_ns_max), 0, HOUR, "10ms",
      "by up to this much" },
    { "bandwidth", KEY_SIZE, NETWORK(link.bytes_per_second), 1, INT64_C(1000000000000), NONE,
      "bytes a second that a link carries" },
    { "capacity", KEY_COUNT, NETWORK(link.in_flight_max), 1, 1000000, NONE,
      "messages on a link at once: beyond it the oldest is lost" },
};

static const struct key_row disk_rows[] = {
    { "read", KEY_LATENCY, DISK(read), 0, LATENCY_GIVEN_MAX_NS, "100us", "how long a read takes" },
    { "write", KEY_LATENCY, DISK(write), 0, LATENCY_GIVEN_MAX_NS, "10us",
      "how long a write takes, into the system's memory" },
    { "sync", KEY_LATENCY, DISK(sync), 0, LATENCY_GIVEN_MAX_NS, "1ms",
      "how long it takes to make durable what was written" },
    { "page", KEY_DURATION, DISK(config.page_ns), 0, SECOND, "1us",
      "what each 4 KiB moved adds to that" },
    { "torn", KEY_PROBABILITY, DISK(faults.torn), 0, 0, "0",
      "a crash leaves parts of a page that was not synced" },
};

static const struct key_row workload_rows[] = {
    { "kind", KEY_WORKLOAD, WORKLOAD(kind), 0, 0, REQUIRED, "what the nodes do" },
    { "duration", KEY_DURATION, WORKLOAD(duration_ns), 1, DAY, "60s",
      "virtual time until faults end" },
    { "settle", KEY_DURATION, WORKLOAD(settle_ns), 1, DAY, "10s",
      "virtual time that the healed world has to recover, longer than `interval`; "
      "else it is stuck" },
    { "interval", KEY_DURATION, WORKLOAD(ping.interval_ns), 1, HOUR, "100ms",
      "between two pings of a node, on its own clock" },
    { "suspect", KEY_DURATION, WORKLOAD(ping.suspect_ns), 1, HOUR, "1s",
      "a peer silent for so long is suspected" },
};

static const struct key_row nemesis_rows[] = {
    { "kind", KEY_NEMESIS, FAULT(kind), 0, 0, REQUIRED,
      "partition, clock, crash, pause, message, clog or disk" },
    { "shape", KEY_SHAPE, FAULT(shape), 0, 0, NONE, "how the fault looks" },
    { "start", KEY_DURATION, FAULT(start_ns), 0, DAY, "0s",
      "when it strikes first; 0s: after about `every`" },
    { "every", KEY_DURATION, FAULT(every_ns), 0, DAY, "0s",
      "from one strike to the next, about; 0s: it strikes once" },
    { "lasts", KEY_DURATION, FAULT(lasts_ns), 0, DAY, "0s",
      "from a strike to its release, about; 0s: to the end" },
    { "at", KEY_TIMES, FAULT(at), 0, 0, NONE,
      "a list of exact times to strike at, instead of `start` and `every`" },
    { "victims", KEY_VICTIMS, FAULT(victims), 0, 0, NONE, "whom it strikes" },
    { "shard", KEY_INDEX, FAULT(shard_plus_1), 0, 1000000, NONE,
      "whose leader it strikes (a drawn one)" },
    { "nodes", KEY_NODES, FAULT(nodes), 0, 0, NONE, "a list of the nodes it strikes" },
    { "amount", KEY_DURATION, FAULT(amount_ns), 1, HOUR, NONE,
      "how far clocks jump or are set off (250ms)" },
    { "drift_ppm", KEY_PPM, FAULT(drift_ppm), 1, CLOCK_DRIFT_PPM_MAX, NONE,
      "how wrong a drifting clock runs (1000)" },
    { "chance", KEY_PROBABILITY, FAULT(chance), 0, 0, NONE,
      "of each message, operation or page to be hit (0.5)" },
    { "delay", KEY_DURATION, FAULT(delay_ns), 1, HOUR, NONE, "how late messages are (100ms)" },
    { "factor", KEY_COUNT, FAULT(factor), 2, NEMESIS_FACTOR_MAX, NONE,
      "how many times slower a disk is (10)" },
    { "while_writing", KEY_BOOLEAN, FAULT(while_writing), 0, 0, NONE,
      "a crash waits for writes that are not durable yet, and strikes the writers (false)" },
    { "outside", KEY_BOOLEAN, FAULT(outside), 0, 0, NONE,
      "it may leave the fault model (false)" },
};

static const struct key_row swarm_rows[] = {
    { "kinds", KEY_KINDS, SWARM(kinds), 0, 0, NONE, "the kinds of nemesis that it may draw" },
};

#define SECTION(name, place, rows, size) { name, place, rows, ROW_COUNT(rows), size }

const struct section scenario_sections[] = {
    SECTION("", 0, top_rows, 0),
    SECTION("cluster", TOP(cluster), cluster_rows, 0),
    SECTION("clocks", TOP(clocks), clock_rows, 0),
    SECTION("network", TOP(network), network_rows, 0),
    SECTION("disk", TOP(disk), disk_rows, 0),
    SECTION("workload", TOP(workload), workload_rows, 0),
    SECTION("swarm", TOP(swarm), swarm_rows, 0),
    SECTION("nemesis", TOP(nemeses), nemesis_rows, sizeof(struct nemesis_options)),
};
const size_t scenario_section_count = ROW_COUNT(scenario_sections);

/* "network.loss", or "seed" above all sections. */
struct label {
    char text[64];
};

static struct label label_of(const struct section *section, const struct key_row *row)
{
    struct label label;

    snprintf(label.text, sizeof label.text, "%s%s%s", section->name, section->name[0] ? "." : "",
             row->name);
    return label;
}

/* What a row's value is read from, and how its refusals begin. */
struct reader {
    const struct section *section;
    const struct key_row *row;
    const struct setting *setting;
    void *values;
};

static enum status refuse(const struct reader *reader, const char *wanted, struct error *err)
{
    struct text given = reader->setting->text;
    struct label label = label_of(reader->section, reader->row);
    bool shown = reader->setting->kind != SETTING_TABLE && reader->setting->kind != SETTING_ARRAY;
    const char *quote = reader->setting->kind == SETTING_STRING ? "\"" : "";

    if (shown)
        return setting_refuse(reader->setting, err, "%s should be %s, not %s%.*s%s", label.text,
                              wanted, quote, TEXT_PRINT(given), quote);
    else
        return setting_refuse(reader->setting, err, "%s should be %s, not %s", label.text, wanted,
                        setting_kind_name(reader->setting->kind));
}

static enum status refuse_name(const struct reader *reader, const char *what,
                               const char *const *names, struct error *err)
{
    struct text given = reader->setting->text;
    const char *nearest = text_nearest(given, names);
    struct buffer list = { 0 };

    for (size_t i = 0; names[i]; i++)
        buffer_print(&list, "%s%s", i ? ", " : "", names[i]);
    if (nearest)
        (void)setting_refuse(reader->setting, err, "there is no %s \"%.*s\"; did you mean \"%s\"?",
                             what, TEXT_PRINT(given), nearest);
    else
        (void)setting_refuse(reader->setting, err, "there is no %s \"%.*s\"; there is %.*s", what,
                             TEXT_PRINT(given), (int)list.count, list.at ? list.at : "");
    buffer_close(&list);
    return err->status;
}

static enum status read_name(const struct reader *reader, char *name, struct error *err)
{
    struct text text = reader->setting->text;

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.at[i] < ' ' || text.at[i] == 0x7f)
            return refuse(reader, "one line", err);
    if (text.length == 0 || text.length >= SCENARIO_NAME_SIZE)
        return refuse(reader, "a string of 1 to 199 bytes", err);
    memcpy(name, text.at, text.length);
    name[text.length] = '\0';
    return STATUS_OK;
}

static enum status read_integer(const struct reader *reader, int64_t *number, struct error *err)
{
    char wanted[100];

    snprintf(wanted, sizeof wanted, "an integer from %" PRId64 " to %" PRId64, reader->row->low,
             reader->row->high);
    if (reader->setting->kind != SETTING_INTEGER || reader->setting->number < reader->row->low ||
        reader->setting->number > reader->row->high)
        return refuse(reader, wanted, err);
    *number = reader->setting->number;
    return STATUS_OK;
}

static enum status read_duration(const struct reader *reader, int64_t *ns, struct error *err)
{
    struct buffer wanted = { 0 };

    if (reader->setting->kind != SETTING_STRING ||
        !quantity_to_duration(reader->setting->text, ns))
        return refuse(reader, "a duration such as \"1.5s\" (ns, us, ms, s, m, h)", err);
    if (*ns >= reader->row->low && *ns <= reader->row->high)
        return STATUS_OK;
    buffer_text(&wanted, TEXT("from "));
    quantity_print_duration(&wanted, reader->row->low);
    buffer_text(&wanted, TEXT(" to "));
    quantity_print_duration(&wanted, reader->row->high);
    buffer_byte(&wanted, '\0');
    (void)refuse(reader, wanted.at ? wanted.at : "less", err);
    buffer_close(&wanted);
    return err->status;
}

static enum status read_probability(const struct reader *reader, struct ratio *ratio,
                                    struct error *err)
{
    enum setting_kind kind = reader->setting->kind;

    if ((kind != SETTING_DECIMAL && kind != SETTING_INTEGER) ||
        !quantity_to_probability(reader->setting->text, ratio))
        return refuse(reader, "a decimal from 0 to 1 such as 0.001", err);
    return STATUS_OK;
}

static enum status read_workload(const struct reader *reader, enum workload_kind *kind,
                                 struct error *err)
{
    const char *names[WORKLOAD_KIND_COUNT + 1] = { 0 };

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    for (int i = 0; i < WORKLOAD_KIND_COUNT; i++) {
        names[i] = workload_kind_name((enum workload_kind)i);
        if (text_equal(text_of(names[i]), reader->setting->text)) {
            *kind = (enum workload_kind)i;
            return STATUS_OK;
        }
    }
    return refuse_name(reader, "workload", names, err);
}

static enum status read_nemesis(const struct reader *reader, enum nemesis_kind *kind,
                                struct error *err)
{
    const char *names[NEMESIS_KIND_COUNT + 1] = { 0 };

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_kind(reader->setting->text, kind))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        names[i] = nemesis_kind_name((enum nemesis_kind)i);
    return refuse_name(reader, "nemesis", names, err);
}

static enum status read_shape(const struct reader *reader, enum nemesis_shape *shape,
                              struct error *err)
{
    const struct nemesis_options *options = reader->values;
    const char *names[NEMESIS_SHAPE_COUNT + 1] = { 0 };
    char what[64];
    size_t count = 0;

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_shape(options->kind, reader->setting->text, shape))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        if (nemesis_shape_kind((enum nemesis_shape)i) == options->kind)
            names[count++] = nemesis_shape_name((enum nemesis_shape)i);
    snprintf(what, sizeof what, "%s of shape", nemesis_kind_name(options->kind));
    return refuse_name(reader, what, names, err);
}

static enum status read_victims(const struct reader *reader, enum nemesis_victims *victims,
                                struct error *err)
{
    const char *names[NEMESIS_VICTIMS_COUNT + 1] = { 0 };

    if (reader->setting->kind != SETTING_STRING)
        return refuse(reader, "a string", err);
    if (nemesis_find_victims(reader->setting->text, victims))
        return STATUS_OK;
    for (int i = 0; i < NEMESIS_VICTIMS_COUNT; i++)
        names[i] = nemesis_victims_name((enum nemesis_victims)i);
    return refuse_name(reader, "group of victims", names, err);
}

static enum status read_boolean(const struct reader *reader, bool *flag, struct error *err)
{
    if (reader->setting->kind != SETTING_BOOLEAN)
        return refuse(reader, "true or false", err);
    *flag = reader->setting->number != 0;
    return STATUS_OK;
}

static enum status read_latency(const struct reader *reader, struct given_latency *latency,
                                struct error *err)
{
    struct label label = label_of(reader->section, reader->row);

    return given_latency_read(latency, label.text, reader->setting, err);
}

static enum status read_row(const struct reader *reader, struct error *err)
{
    void *at = (char *)reader->values + reader->row->offset;
    struct label label = label_of(reader->section, reader->row);
    int64_t number = 0;

    switch (reader->row->kind) {
    case KEY_NAME:
        return read_name(reader, at, err);
    case KEY_SEED:
    case KEY_SIZE:
        TRY(read_integer(reader, &number, err));
        *(uint64_t *)at = (uint64_t)number;
        return STATUS_OK;
    case KEY_COUNT:
        TRY(read_integer(reader, &number, err));
        *(uint32_t *)at = (uint32_t)number;
        return STATUS_OK;
    case KEY_PPM:
        TRY(read_integer(reader, &number, err));
        *(int32_t *)at = (int32_t)number;
        return STATUS_OK;
    case KEY_DURATION:
        return read_duration(reader, at, err);
    case KEY_PROBABILITY:
        return read_probability(reader, at, err);
    case KEY_LATENCY:
        return read_latency(reader, at, err);
    case KEY_WORKLOAD:
        return read_workload(reader, at, err);
    case KEY_NEMESIS:
        return read_nemesis(reader, at, err);
    case KEY_SHAPE:
        return read_shape(reader, at, err);
    case KEY_VICTIMS:
        return read_victims(reader, at, err);
    case KEY_BOOLEAN:
        return read_boolean(reader, at, err);
    case KEY_INDEX:
        TRY(read_integer(reader, &number, err));
        *(uint32_t *)at = (uint32_t)number + 1;
        return STATUS_OK;
    case KEY_TIMES:
        return given_times_read(at, label.text, reader->setting, err);
    case KEY_NODES:
        return given_nodes_read(at, label.text, reader->setting, err);
    case KEY_KINDS:
        return given_kinds_read(at, label.text, reader->setting, err);
    }
    return STATUS_OK;
}

/* What the table says of a key that is absent, read as if it stood in the file. */
static enum status read_fallback(struct reader *reader, const struct setting *table,
                                 struct error *err)
{
    struct setting setting = { .kind = SETTING_STRING };
    bool is_number = reader->row->kind == KEY_SEED || reader->row->kind == KEY_SIZE ||
                     reader->row->kind == KEY_COUNT || reader->row->kind == KEY_PPM;

    if (!reader->row->fallback) {
        struct label label = label_of(reader->section, reader->row);
        return setting_refuse(table, err, "%s is missing: %s", label.text, reader->row->help);
    }
    setting.text = text_of(reader->row->fallback);
    if (reader->row->kind == KEY_SHAPE) {
        struct nemesis_options *options = reader->values;
        options->shape = nemesis_default_shape(options->kind);
        return STATUS_OK;
    }
    if (setting.text.length == 0)
        return STATUS_OK; /* zero already */
    if (is_number) {
        bool good = text_to_int64(setting.text, &setting.number);
        assert(good);
        setting.kind = SETTING_INTEGER;
    } else if (reader->row->kind == KEY_PROBABILITY) {
        setting.kind = SETTING_DECIMAL;
    }
    reader->setting = &setting;
    return read_row(reader, err);
}

static const struct key_row *find_row(const struct section *section, struct text name)
{
    for (size_t i = 0; i < section->count; i++)
        if (text_equal(text_of(section->rows[i].name), name))
            return &section->rows[i];
    return NULL;
}

static bool is_section(struct text name)
{
    for (size_t i = 1; i < scenario_section_count; i++)
        if (text_equal(text_of(scenario_sections[i].name), name))
            return true;
    return false;
}

static enum status refuse_unknown(const struct section *section, const struct setting *setting,
                                  struct error *err)
{
    const char *names[KEYS_MAX + 1] = { 0 };
    bool is_top = section->name[0] == '\0';
    const char *what = is_top ? "a scenario" : section->name;
    const char *nearest;
    size_t count = 0;

    for (size_t i = 0; i < section->count && count < KEYS_MAX; i++)
        names[count++] = section->rows[i].name;
    for (size_t i = 1; is_top && i < scenario_section_count && count < KEYS_MAX; i++)
        names[count++] = scenario_sections[i].name;
    nearest = text_nearest(setting->key, names);
    if (nearest)
        return setting_refuse(setting, err, "%s has no '%.*s'; did you mean '%s'?", what,
                              TEXT_PRINT(setting->key), nearest);
    return setting_refuse(setting, err, "%s has no '%.*s'", what,
                        TEXT_PRINT(setting->key));
}

static enum status check_keys(const struct section *section, const struct setting *table,
                              struct error *err)
{
    for (const struct setting *child = table ? table->first : NULL; child; child = child->next) {
        bool known = find_row(section, child->key) ||
                     (section->name[0] == '\0' && is_section(child->key));
        if (!known)
            return refuse_unknown(section, child, err);
    }
    return STATUS_OK;
}

enum status section_read(const struct section *section, const struct setting *table, void *values,
                         struct error *err)
{
    TRY(check_keys(section, table, err));
    for (size_t i = 0; i < section->count; i++) {
        struct reader reader = { section, &section->rows[i], NULL, values };

        if (table)
            reader.setting = setting_find(table, text_of(section->rows[i].name));
        if (reader.setting)
            TRY(read_row(&reader, err));
        else
            TRY(read_fallback(&reader, table, err));
    }
    return STATUS_OK;
}

static void print_duration(struct buffer *out, int64_t ns)
{
    buffer_byte(out, '"');
    quantity_print_duration(out, ns);
    buffer_byte(out, '"');
}

static void print_value(const struct key_row *row, const void *at, struct buffer *out)
{
    switch (row->kind) {
    case KEY_NAME:
        buffer_json(out, text_of(at)); /* no control characters: JSON's escapes are TOML's */
        break;
    case KEY_SEED:
    case KEY_SIZE:
        buffer_print(out, "%" PRIu64, *(const uint64_t *)at);
        break;
    case KEY_COUNT:
        buffer_print(out, "%" PRIu32, *(const uint32_t *)at);
        break;
    case KEY_PPM:
        buffer_print(out, "%" PRId32, *(const int32_t *)at);
        break;
    case KEY_DURATION:
        print_duration(out, *(const int64_t *)at);
        break;
    case KEY_PROBABILITY:
        quantity_print_probability(out, *(const struct ratio *)at);
        break;
    case KEY_LATENCY:
        given_latency_print(at, out);
        break;
    case KEY_WORKLOAD:
        buffer_print(out, "\"%s\"", workload_kind_name(*(const enum workload_kind *)at));
        break;
    case KEY_NEMESIS:
        buffer_print(out, "\"%s\"", nemesis_kind_name(*(const enum nemesis_kind *)at));
        break;
    case KEY_SHAPE:
        buffer_print(out, "\"%s\"", nemesis_shape_name(*(const enum nemesis_shape *)at));
        break;
    case KEY_VICTIMS:
        buffer_print(out, "\"%s\"", nemesis_victims_name(*(const enum nemesis_victims *)at));
        break;
    case KEY_BOOLEAN:
        buffer_print(out, *(const bool *)at ? "true" : "false");
        break;
    case KEY_INDEX:
        buffer_print(out, "%" PRIu32, *(const uint32_t *)at - 1);
        break;
    case KEY_TIMES:
        given_times_print(at, out);
        break;
    case KEY_NODES:
        given_nodes_print(at, out);
        break;
    case KEY_KINDS:
        given_kinds_print(*(const uint32_t *)at, out);
        break;
    }
}

/* Whether a key without default was left alone: it then has no written form. */
static bool is_unset(const struct key_row *row, const void *at)
{
    if (!row->fallback || row->fallback[0] != '\0')
        return false;
    switch (row->kind) {
    case KEY_COUNT:
    case KEY_INDEX:
    case KEY_KINDS:
        return *(const uint32_t *)at == 0;
    case KEY_PROBABILITY:
        return ((const struct ratio *)at)->denominator == 0;
    case KEY_VICTIMS:
        return *(const enum nemesis_victims *)at == VICTIMS_USUAL;
    case KEY_BOOLEAN:
        return !*(const bool *)at;
    case KEY_TIMES:
        return ((const struct nemesis_times *)at)->count == 0;
    case KEY_NODES:
        return ((const struct nemesis_nodes *)at)->count == 0;
    case KEY_SIZE:
        return *(const uint64_t *)at == 0;
    case KEY_PPM:
        return *(const int32_t *)at == 0;
    case KEY_DURATION:
        return *(const int64_t *)at == 0;
    default:
        return false;
    }
}

void section_print(const struct section *section, const void *values, struct buffer *out)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct key_row *row = &section->rows[i];
        const void *at = (const char *)values + row->offset;

        if (is_unset(row, at))
            continue;
        buffer_print(out, "%s = ", row->name);
        print_value(row, at, out);
        buffer_byte(out, '\n');
    }
}
