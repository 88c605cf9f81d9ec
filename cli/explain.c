#include "cli/command.h"

#include "base/array.h"
#include "cli/output.h"
#include "history/anomaly.h"
#include "history/level.h"
#include "store/bugs.h"

struct explain_values {
    const char *what;
};

/* The smallest history that has it: transactions in words. */
static const char *example_of(enum anomaly anomaly)
{
    switch (anomaly) {
    case ANOMALY_G0:
        return "T1: write x 1, write y 1     T2: write x 2, write y 2     x: T1 T2   y: T2 T1";
    case ANOMALY_G1A:
        return "T1: write x 1, rolled back     T2: read x 1";
    case ANOMALY_G1B:
        return "T1: write x 1, write x 2     T2: read x 1";
    case ANOMALY_G1C:
        return "T1: write x 1, read y 2     T2: write y 2, read x 1";
    case ANOMALY_G_SINGLE:
        return "T1: write x 1, write y 1     T2: read x null, read y 1";
    case ANOMALY_G_NONADJACENT:
        return "T1: write x 1   T2: write y 1   T3: read x 1, read y null   T4: read x null, read "
               "y 1";
    case ANOMALY_G2_ITEM:
        return "T1: read x null, write y 1     T2: read y null, write x 1";
    case ANOMALY_G2:
        return "T1: look for rows, find none, insert one     T2: the same, at the same time";
    case ANOMALY_INTERNAL:
        return "T1: write x 1, read x null";
    case ANOMALY_GARBAGE_READ:
        return "T1: read x 7, which nobody wrote";
    case ANOMALY_FUTURE_READ:
        return "T1: read x 1, write x 1";
    case ANOMALY_DUPLICATE_WRITE:
        return "T1: write x 1     T2: write x 1     where values are unique";
    case ANOMALY_DUPLICATE_ELEMENTS:
        return "T1: append 1 to l     T2: read l [1,1]";
    case ANOMALY_LOST_UPDATE:
        return "T1: read x null, write x 1     T2: read x null, write x 2";
    case ANOMALY_DIRTY_UPDATE:
        return "T1: append 1 to l, rolled back     T2: append 2 to l     T3: read l [1,2]";
    case ANOMALY_INCOMPATIBLE_ORDER:
        return "T1: read l [1,2]     T2: read l [2,1]";
    case ANOMALY_CYCLIC_VERSIONS:
        return "T1: read x 2, write x 1     T2: read x 1, write x 2";
    case ANOMALY_RESULT_SET_MISMATCH:
        return "T1: insert a row     T2, later: look for it, find none";
    default:
        return NULL;
    }
}

/* The smallest history that a level refuses, and those that it implies do not. */
static const char *refused_by(enum level level)
{
    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
        return example_of(ANOMALY_G0);
    case LEVEL_READ_COMMITTED:
        return example_of(ANOMALY_G1A);
    case LEVEL_READ_ATOMIC:
        return "T1: write x 1, write y 1     T2: read x 1, read y null";
    case LEVEL_CAUSAL:
        return "T1: write x 1     T2: read x 1, write y 1     T3: read y 1, read x null";
    case LEVEL_PREFIX:
        return example_of(ANOMALY_G_NONADJACENT);
    case LEVEL_SNAPSHOT:
        return example_of(ANOMALY_LOST_UPDATE);
    case LEVEL_REPEATABLE_READ:
        return example_of(ANOMALY_G2_ITEM);
    case LEVEL_SERIALIZABLE:
        return example_of(ANOMALY_G2);
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return "T1: write x 1     T2, later in its session: read x null";
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
        return "T1: write x 1     T2, begun when T1 had completed: read x null";
    default:
        return NULL;
    }
}

/* Where the like was seen in the world. */
static const char *seen_of(enum anomaly anomaly)
{
    switch (anomaly) {
    case ANOMALY_G1A:
        return "Jepsen's report on Dgraph 1.1.1";
    case ANOMALY_G1C:
    case ANOMALY_DUPLICATE_WRITE:
        return "Jepsen's report on MongoDB 4.2.6";
    case ANOMALY_G_SINGLE:
        return "Jepsen's reports on TiDB 2.1.7 and YugaByte DB 1.3.1";
    case ANOMALY_G2_ITEM:
        return "Jepsen's report on PostgreSQL 12.3";
    case ANOMALY_LOST_UPDATE:
        return "Jepsen's reports on TiDB 2.1.7 and MongoDB 4.2.6";
    case ANOMALY_INTERNAL:
        return "Jepsen's report on MongoDB 4.2.6";
    case ANOMALY_G_NONADJACENT:
        return "long forks, in stores of parallel snapshot isolation";
    default:
        return NULL;
    }
}

static bool explain_anomaly(struct text name, struct buffer *out)
{
    enum anomaly anomaly;
    enum level weakest;

    if (!anomaly_of_text(name, &anomaly))
        return false;
    buffer_print(out, "%s is an anomaly: %s.\n", anomaly_name(anomaly),
                 anomaly_definition(anomaly));
    if (anomaly_weakest_level(anomaly, &weakest))
        buffer_print(out, "rules out  %s, and every level that implies it\n", level_name(weakest));
    else
        buffer_print(out, "rules out  no level: it is of a run, and not of its history\n");
    if (example_of(anomaly))
        buffer_print(out, "example    %s\n", example_of(anomaly));
    if (seen_of(anomaly))
        buffer_print(out, "seen       %s\n", seen_of(anomaly));
    return true;
}

static bool explain_level(struct text name, struct buffer *out)
{
    const char *between = "rules out  ";
    enum level level;

    if (!level_of_text(name, &level))
        return false;
    buffer_print(out, "%s is an isolation level: %s.\n", level_name(level), level_promise(level));
    for (int i = 0; i < ANOMALY_COUNT; i++) {
        enum level weakest;

        if (!anomaly_weakest_level((enum anomaly)i, &weakest) || weakest != level)
            continue;
        buffer_print(out, "%s%s", between, anomaly_name((enum anomaly)i));
        between = ", ";
    }
    buffer_print(out, "%s\n",
                 between[0] == ',' ? "; and what weaker levels rule out"
                                   : "rules out  what weaker levels rule out");
    if (refused_by(level))
        buffer_print(out, "refuses    %s\n", refused_by(level));
    return true;
}

static bool explain_bug(struct text name, struct buffer *out)
{
    enum bug bug = bug_find(name);
    const struct bug_entry *entry;

    if (bug == BUG_COUNT)
        return false;
    entry = bug_entry(bug);
    buffer_print(out, "%s is a bug of the store under test: %s.\n", entry->name, entry->what);
    buffer_print(out, "protocols  %s\nholds      %s\ncaught by  %s\nseen       %s\n",
                 entry->protocols, level_name(entry->holds), entry->checkers, entry->seen);
    return true;
}

/* The nearest of all three kinds of names. */
static enum status refuse(const char *what, struct error *err)
{
    const char *const *const lists[] = { anomaly_names(), level_all_names(), bug_names() };
    const char *nearest = NULL;

    for (size_t i = 0; i < ROW_COUNT(lists) && !nearest; i++)
        nearest = text_nearest(text_of(what), lists[i]);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT,
                         "no anomaly, level or bug '%.80s'; did you mean '%s'?", what, nearest);
    return error_set(err, STATUS_BAD_INPUT,
                     "no anomaly, level or bug '%.80s'; see: ordeal list anomalies", what);
}

static enum status run(const void *given, enum exit_code *code, struct error *err)
{
    const struct explain_values *values = given;
    struct text name = text_of(values->what);
    struct buffer out = { 0 };
    enum status status;

    *code = EXIT_VALID;
    if (!explain_anomaly(name, &out) && !explain_level(name, &out) && !explain_bug(name, &out))
        return refuse(values->what, err);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

#define AT(field) offsetof(struct explain_values, field)

static const struct option explain_rows[] = {
    { .argument = "ANOMALY|LEVEL|BUG",
      .kind = OPTION_OPERAND,
      .offset = AT(what),
      .help = "a name from ordeal list anomalies, levels or bugs" },
};

const struct command command_explain = {
    .summary = "explains an anomaly, an isolation level or a bug",
    .description = "Its definition, the smallest example, and where the like was seen: of an anomaly what has\n"
                   "it, of a level what it refuses and the levels that it implies do not.\n",
    .example = "  ordeal explain G-single\n",
    .options = { "explain", explain_rows, ROW_COUNT(explain_rows), sizeof(struct explain_values) },
    .run = run,
};
