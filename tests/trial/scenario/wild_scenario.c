#include "tests/trial/scenario/wild_scenario.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nemesis/shapes.h"
#include "programs/workloads/workload.h"
#include "store/bugs.h"
#include "trial/scenario/keys_private.h"
#include "trial/scenario/scenario.h"

static unsigned count_of(const char *const *names)
{
    unsigned count = 0;

    while (names[count])
        count++;
    return count;
}

static void one_of(struct dice *dice, const char *const *names, struct buffer *out)
{
    buffer_print(out, "\"%s\"", names[dice_throw(dice, count_of(names))]);
}

/* An end of the range, or a number of some magnitude in it. */
static int64_t number(struct dice *dice, int64_t low, int64_t high)
{
    int64_t magnitude = 1;

    switch (dice_throw(dice, 6)) {
    case 0:
        return low;
    case 1:
        return high;
    case 2:
        return dice_rarely(dice, 40) ? high + 1 : low + (low < high);
    default:
        for (unsigned i = dice_throw(dice, 12); i > 0 && magnitude < high / 10; i--)
            magnitude *= 10;
        magnitude *= 1 + dice_throw(dice, 9);
        return magnitude < low ? low : magnitude > high && high > 0 ? high : magnitude;
    }
}

static void duration(struct dice *dice, int64_t low, int64_t high, struct buffer *out)
{
    buffer_print(out, "\"%" PRId64 "ns\"", number(dice, low, high));
}

static void probability(struct dice *dice, struct buffer *out)
{
    static const char *const list[] = { "0", "1", "0.5", "0.01", "0.000000000000000001", "0.999", "0.1", "0.3" };

    buffer_print(out, "%s", list[dice_throw(dice, 8)]);
}

static void latency(struct dice *dice, int64_t high, struct buffer *out)
{
    static const char *const forms[][2] = {
        { "constant", "constant" }, { "min", "max" }, { "min", "mean" }, { "median", "p99" },
    };
    unsigned form = dice_throw(dice, 4);

    int64_t first;

    high = dice_rarely(dice, 4) ? high : 100000000;
    first = number(dice, form == 3, high);
    buffer_print(out, "{ %s = \"%" PRId64 "ns\"", forms[form][0], first);
    if (form > 0) {
        buffer_print(out, ", %s = ", forms[form][1]);
        duration(dice, first, high, out);
    }
    if (dice_rarely(dice, 4)) {
        buffer_print(out, ", tail = ");
        duration(dice, 0, high, out);
        buffer_print(out, ", tail_chance = ");
        probability(dice, out);
    }
    buffer_print(out, " }");
}

static void protocol(struct dice *dice, struct buffer *out)
{
    static const char *const list[] = { "mvto", "2pl", "occ", "ssi", "si", "rc", "causal", "eventual", NULL };

    one_of(dice, list, out);
}

/* The kind of a nemesis decides what shapes there are: the shape is written with it. */
static void nemesis(struct dice *dice, struct buffer *out)
{
    static const struct {
        const char *kind, *shape;
    } shapes[] = {
#define KIND_PARTITION "partition"
#define KIND_CLOCK "clock"
#define KIND_CRASH "crash"
#define KIND_PAUSE "pause"
#define KIND_MESSAGE "message"
#define KIND_CLOG "clog"
#define KIND_DISK "disk"
#define SHAPE_ROW(shape, kind, name, ...) { KIND_##kind, name },
        NEMESIS_SHAPES(SHAPE_ROW)
    };
    unsigned shape = dice_throw(dice, sizeof shapes / sizeof *shapes);

    buffer_print(out, "kind = \"%s\"\nshape = \"%s\"\n", shapes[shape].kind, shapes[shape].shape);
}

static void steps(struct dice *dice, struct buffer *out)
{
    static const char *const list[] = {
        "r 0", "r 1", "w 1 17", "w 0 5 #9", "append 1 7", "append 0 3", "insert 5 3 #4", "put 1 2 #3", "select",
        "select value 0..20", "select key 1", "update value 0..9 17 #9", "delete key 1", "delete value 0..3", "abort",
        "a = r 0; b = r 1; abort if a < 5; w 0 a-5 #81; w 1 b+5 #82", "select; expect rows = 8",
        "a = r 0; commit if a < 9223372036854775807; w 0 a+9223372036854775807", "w 9223372036854775807 1", "r 4294967296",
        NULL,
    };
    unsigned count = dice_throw(dice, 4);

    buffer_print(out, "[");
    for (unsigned i = 0; i <= count; i++) {
        buffer_print(out, i ? ", " : "");
        one_of(dice, list, out);
    }
    buffer_print(out, "]");
}

static void list_of(struct dice *dice, const char *const *names, struct buffer *out)
{
    unsigned count = dice_throw(dice, 4);

    buffer_print(out, "[");
    for (unsigned i = 0; i < count; i++) {
        buffer_print(out, i ? ", " : "");
        one_of(dice, names, out);
    }
    buffer_print(out, "]");
}

static const char *const victims[] = { "usual", "one", "some", "minority", "all", "leader", "leaders", "pairs", NULL };
static const char *const kinds[] = { "all", "partition", "clock", "crash", "pause", "message", "clog", "disk", NULL };
static const char *const dimensions[] = { "all",     "protocol", "cluster", "raft",    "retention", "length",
                                          "clients", "workload", "clocks",  "network", "disk",      "nemesis",
                                          "buggify", NULL };
static const char *const checkers[] = { "order", "certificate", "blackbox", "weak", "infer", "interval", NULL };
static const char *const levels[] = { "read-committed", "snapshot", "serializable", "strict-serializable", "causal",
                                      NULL };
static const char *const choices[] = { "uniform", "zipf", "hot", NULL };

/* A value of the row's kind; false: this kind is not for a single line. */
static bool value(struct dice *dice, const struct section_key *row, struct buffer *out)
{
    switch (row->kind) {
    case KEY_COUNT:
        /* A cluster is small, but for now and then: many nodes make a run slow. */
        buffer_print(out, "%" PRId64,
                     number(dice, row->low, strcmp(row->name, "nodes") == 0 && !dice_rarely(dice, 30) ? 9 : row->high));
        return true;
    case KEY_SIZE:
    case KEY_PPM:
    case KEY_SEED:
        buffer_print(out, "%" PRId64, number(dice, row->low, row->high));
        return true;
    case KEY_INDEX:
        buffer_print(out, "%u", dice_throw(dice, 6));
        return true;
    case KEY_DURATION:
        duration(dice, row->low, row->high, out);
        return true;
    case KEY_PROBABILITY:
        probability(dice, out);
        return true;
    case KEY_LATENCY:
        latency(dice, row->high, out);
        return true;
    case KEY_BOOLEAN:
        buffer_print(out, "%s", dice_throw(dice, 2) ? "true" : "false");
        return true;
    case KEY_PROTOCOL:
        protocol(dice, out);
        return true;
    case KEY_PARAMETER:
        if (strcmp(row->name, "choice") == 0)
            one_of(dice, choices, out);
        else if (strcmp(row->name, "theta") == 0 || strcmp(row->name, "hot_share") == 0)
            probability(dice, out);
        else
            buffer_print(out, "%" PRId64, number(dice, 0, 100));
        return true;
    case KEY_BUGS:
        list_of(dice, bug_names(), out);
        return true;
    case KEY_VICTIMS:
        one_of(dice, victims, out);
        return true;
    case KEY_NODES:
        buffer_print(out, "[%u, %u]", dice_throw(dice, 4), 4 + dice_throw(dice, 4));
        return true;
    case KEY_TIMES:
        buffer_print(out, "[\"%ums\", \"%ums\"]", dice_throw(dice, 100), 100 + dice_throw(dice, 500));
        return true;
    case KEY_EVENTS:
        buffer_print(out, "[%u, %u]", 1 + dice_throw(dice, 300), 301 + dice_throw(dice, 500));
        return true;
    case KEY_KINDS:
        list_of(dice, kinds, out);
        return true;
    case KEY_DIMENSIONS:
        list_of(dice, dimensions, out);
        return true;
    case KEY_DRAWS:
        buffer_print(out, "{ %s = %" PRId64 " }", dimensions[1 + dice_throw(dice, 12)], number(dice, 0, 1000));
        return true;
    case KEY_SITES:
        buffer_print(out, "[\"all\"]");
        return true;
    case KEY_LEVEL:
        one_of(dice, levels, out);
        return true;
    case KEY_CHECKERS:
        list_of(dice, checkers, out);
        return true;
    case KEY_STEPS:
        steps(dice, out);
        return true;
    default:
        return false;
    }
}

static bool is_required(const struct section_key *row)
{
    return row->fallback == NULL;
}

/* Some keys of a section; those that must be given, always. */
static void lines(struct dice *dice, const struct section *section, struct buffer *out)
{
    unsigned share = 2 + dice_throw(dice, 8);

    for (size_t i = 0; i < section->count; i++) {
        size_t before = out->count;

        if (!is_required(&section->rows[i]) && !dice_rarely(dice, share))
            continue;
        /* Most shapes have no such key. */
        if (section->type == SECTION_NEMESES && strcmp(section->rows[i].name, "every") != 0 &&
            strcmp(section->rows[i].name, "lasts") != 0 && !dice_rarely(dice, 6))
            continue;
        buffer_print(out, "%s = ", section->rows[i].name);
        if (value(dice, &section->rows[i], out))
            buffer_print(out, "\n");
        else
            out->count = before;
    }
}

/* A workload's parameters are only those that it has. */
static void workload_lines(struct dice *dice, const struct section *section, bool is_listed, struct buffer *out)
{
    const char *const *names = workload_run_names();
    bool is_ping = !is_listed && dice_rarely(dice, 12);
    unsigned subject = is_ping ? 1u << WORKLOAD_PING
                               : 1u << (is_listed ? WORKLOAD_KIND_COUNT : (unsigned)WORKLOAD_BUILTIN);

    buffer_print(out, "kind = ");
    if (is_ping)
        buffer_print(out, "\"ping\"");
    else
        one_of(dice, names, out);
    buffer_print(out, "\n");
    for (size_t i = 0; i < section->count; i++) {
        const struct section_key *row = &section->rows[i];
        size_t before = out->count;
        bool is_parameter = row->kind == KEY_PARAMETER;

        if (row->kind == KEY_WORKLOAD || (row->only && !(row->only & subject)) || !dice_rarely(dice, 4))
            continue;
        if (is_parameter && !dice_rarely(dice, 20))
            continue;
        buffer_print(out, "%s = ", row->name);
        if (value(dice, row, out))
            buffer_print(out, "\n");
        else
            out->count = before;
    }
}

void wild_scenario(struct dice *dice, struct buffer *out)
{
    bool is_listed = dice_throw(dice, 2) == 1;

    buffer_print(out, "name = \"wild\"\nseed = %" PRId64 "\n", number(dice, 0, 1000));
    for (size_t i = 0; i < scenario_section_count; i++) {
        const struct section *section = &scenario_sections[i];
        unsigned count = 1;

        if (section->name[0] == '\0' || strcmp(section->name, "capsule") == 0 ||
            strcmp(section->name, "database") == 0)
            continue;
        if (section->type != SECTION_TABLE)
            count = dice_throw(dice, 5);
        if (strcmp(section->name, "transaction") == 0)
            count = is_listed ? 1 + dice_throw(dice, 20) : 0;
        if (strcmp(section->name, "invariant") == 0 || strcmp(section->name, "schedule") == 0)
            count = 0;
        if (strcmp(section->name, "swarm") == 0)
            count = dice_rarely(dice, 4);
        if (strcmp(section->name, "workload") != 0 && section->type == SECTION_TABLE && dice_throw(dice, 3) == 0)
            count = 0;
        for (unsigned n = 0; n < count; n++) {
            buffer_print(out, section->type == SECTION_TABLE ? "[%s]\n" : "[[%s]]\n", section->name);
            if (strcmp(section->name, "workload") == 0) {
                workload_lines(dice, section, is_listed, out);
                continue;
            }
            if (section->type == SECTION_NEMESES)
                nemesis(dice, out);
            lines(dice, section, out);
        }
    }
}
