#include "cli/cmd_explain.h"

#include "base/array.h"
#include "cli/output.h"
#include "history/anomaly.h"
#include "history/level.h"
#include "store/bugs.h"

struct explain_values {
    const char *what;
};

/* The smallest history that has it: transactions in words. */
static const char *const examples[ANOMALY_COUNT] = {
    [ANOMALY_G0] = "T1: write x 1, write y 1     T2: write x 2, write y 2     x: T1 T2   y: T2 T1",
    [ANOMALY_G1A] = "T1: write x 1, rolled back     T2: read x 1",
    [ANOMALY_G1B] = "T1: write x 1, write x 2     T2: read x 1",
    [ANOMALY_G1C] = "T1: write x 1, read y 2     T2: write y 2, read x 1",
    [ANOMALY_G_SINGLE] = "T1: write x 1, write y 1     T2: read x null, read y 1",
    [ANOMALY_G_NONADJACENT] =
        "T1: write x 1   T2: write y 1   T3: read x 1, read y null   T4: read x null, read "
        "y 1",
    [ANOMALY_NO_PREFIX] =
        "T1: write x 1   T2: write y 1   T3: read x 1, read y null   T4: read x null, read "
        "y 1",
    [ANOMALY_G2_ITEM] = "T1: read x null, write y 1     T2: read y null, write x 1",
    [ANOMALY_G2] = "T1: look for rows, find none, insert one     T2: the same, at the same time",
    [ANOMALY_INTERNAL] = "T1: write x 1, read x null",
    [ANOMALY_GARBAGE_READ] = "T1: read x 7, which nobody wrote",
    [ANOMALY_FUTURE_READ] = "T1: read x 1, write x 1",
    [ANOMALY_DUPLICATE_WRITE] = "T1: write x 1     T2: write x 1     where values are unique",
    [ANOMALY_DUPLICATE_ELEMENTS] = "T1: append 1 to l     T2: read l [1,1]",
    [ANOMALY_LOST_UPDATE] = "T1: read x null, write x 1     T2: read x null, write x 2",
    [ANOMALY_DIRTY_UPDATE] =
        "T1: append 1 to l, rolled back     T2: append 2 to l     T3: read l [1,2]",
    [ANOMALY_INCOMPATIBLE_ORDER] = "T1: read l [1,2]     T2: read l [2,1]",
    [ANOMALY_CYCLIC_VERSIONS] = "T1: read x 2, write x 1     T2: read x 1, write x 2",
    [ANOMALY_RESULT_SET_MISMATCH] = "T1: insert a row     T2, later: look for it, find none",
    [ANOMALY_G1C_PROCESS] = "T1: read x 1     T2, later in its session: write x 1",
    [ANOMALY_G1C_REALTIME] = "T1: read x 1     T2, begun when T1 had completed: write x 1",
    [ANOMALY_G_SINGLE_PROCESS] = "T1: write x 1     T2, later in its session: read x null",
    [ANOMALY_UNREAD_WRITE] = "T1: write x 1     T2, later in its session: read x null",
    [ANOMALY_G_SINGLE_REALTIME] = "T1: write x 1     T2, begun when T1 had completed: read x null",
    [ANOMALY_CYCLIC_CO] = "T1: read x 1, write y 1     T2: read y 1, write x 1",
    [ANOMALY_NON_MONO_READ_CO] =
        "T1: write x 1   T2, later in its session: write x 2, write y 2   T3: read y 2, "
        "read x 1",
    [ANOMALY_NON_MONO_READ_AO] =
        "T1: write x 1, write y 1   T2: write x 2, write z 2   T3: read z 2, read x 1   "
        "T4: read y 1, read x 2",
    [ANOMALY_FRACTURED_READ_CO] =
        "T1: write x 1   T2, later in its session: write x 2, write y 2   T3: read x 1, "
        "read y 2",
    [ANOMALY_FRACTURED_READ_AO] =
        "T1: write x 1, write y 1   T2: write x 2, write z 2   T3: read x 1, read z 2   "
        "T4: read x 2, read y 1",
    [ANOMALY_CO_CONFLICT_AO] =
        "T1: write x 1   T2: read x 1, write x 2, write y 2   T3: read y 2, write z 3   "
        "T4: read z 3, read x 1",
    [ANOMALY_CONFLICT_AO] =
        "T1: write x 1, write y 1   T2: write x 2, write z 2   T3: read y 1, write u 3   "
        "T4: read z 2, write v 4   T5: read v 4, read x 1   T6: read u 3, read x 2",
    [ANOMALY_BACKWARD_READ] =
        "T1: write x 1     T2: read x 1     T3, later in T2's session: read x null",
    [ANOMALY_REORDERED_WRITES] =
        "T1: write x 1     T2, later in its session: write y 1     T3: read y 1, read x "
        "null",
    [ANOMALY_FORGOTTEN_READ] =
        "T1: write x 1   T2: read x 1   T3, later in T2's session: write y 1   T4: read "
        "y 1, read x null",
    [ANOMALY_MIXED_SESSION] =
        "T1: write x 1   T2: write x 2   T3, later in T2's session: read x 1   T4: read "
        "x 1   T5, later in T4's session: read x 2",
    [ANOMALY_NOT_LINEARIZABLE] =
        "T1, from 0 to 9: write x 1     T2, from 1 to 2: read x 1     T3, from 3 to 4: "
        "read x null",
    [ANOMALY_WRONG_TOTAL] = "T1: read a 10, read b 10     T2: read a 5, read b 10",
    [ANOMALY_NEGATIVE_BALANCE] = "T1: read a -5",
    [ANOMALY_LOST_ELEMENT] = "T1: add 1     T2, begun when T1 had completed: read none",
    [ANOMALY_COUNT_OUT_OF_BOUNDS] = "T1: add 1     T2: read 2",
    [ANOMALY_INCONSISTENT_READ] =
        "T1: write x 1     T2, begun when T1 had completed: write x 2     T3, begun when T2 had "
        "completed: read x 1",
    [ANOMALY_LOCK_VIOLATION] =
        "T1: write x 1, from 1 to 2, read y null, from 7 to 8     T2, from 3 to 6: write x 2",
    [ANOMALY_DANGEROUS_STRUCTURE] =
        "T1: read x null, write z 1   T2, with an older snapshot: read y null, write x 1   T3: "
        "write y 1, and commit before both",
    [ANOMALY_G0_REALTIME] =
        "T1: append 1 to l   T2, begun when T1 had completed: append 2 to l   T3: read l [2,1]",
    [ANOMALY_G2_ITEM_REALTIME] =
        "T1: write y 1     T2: read y null, write x 1     T3, begun when T1 had completed: read x "
        "null",
};

/* The smallest history that a level refuses, and those that it implies do not. */
static const char *const refused[LEVEL_END] = {
    [LEVEL_READ_UNCOMMITTED] =
        "T1: write x 1, write y 1     T2: write x 2, write y 2     x: T1 T2   y: T2 T1",
    [LEVEL_READ_COMMITTED] = "T1: write x 1, rolled back     T2: read x 1",
    [LEVEL_READ_ATOMIC] = "T1: write x 1, write y 1     T2: read x 1, read y null",
    [LEVEL_CAUSAL] = "T1: write x 1     T2: read x 1, write y 1     T3: read y 1, read x null",
    [LEVEL_PREFIX] =
        "T1: write x 1   T2: write y 1   T3: read x 1, read y null   T4: read x null, read "
        "y 1",
    [LEVEL_SNAPSHOT] = "T1: read x null, write x 1     T2: read x null, write x 2",
    [LEVEL_CURSOR_STABILITY] = "T1: read x null, write x 1     T2: read x null, write x 2",
    [LEVEL_UPDATE_ATOMIC] = "T1: read x null, write x 1     T2: read x null, write x 2",
    [LEVEL_REPEATABLE_READ] = "T1: read x null, write y 1     T2: read y null, write x 1",
    [LEVEL_UPDATE_SERIALIZABLE] = "T1: read x null, write y 1     T2: read y null, write x 1",
    [LEVEL_SERIALIZABLE] =
        "T1: look for rows, find none, insert one     T2: the same, at the same time",
    [LEVEL_SESSION_SNAPSHOT] = "T1: write x 1     T2, later in its session: read x null",
    [LEVEL_SESSION_SERIALIZABLE] = "T1: write x 1     T2, later in its session: read x null",
    [LEVEL_STRICT_SNAPSHOT] = "T1: write x 1     T2, begun when T1 had completed: read x null",
    [LEVEL_STRICT_SERIALIZABLE] = "T1: write x 1     T2, begun when T1 had completed: read x null",
    [LEVEL_MONOTONIC_ATOMIC_VIEW] = "T1: write x 1, write y 1     T2: read x 1, read y null",
    [LEVEL_MONOTONIC_VIEW] = "T1: write x 1, write y 1     T2: read x 1, read y null",
    [LEVEL_MONOTONIC_SNAPSHOT_READ] = "T1: write x 1, write y 1     T2: read x 1, read y null",
    [LEVEL_CONSISTENT_VIEW] = "T1: write x 1, write y 1     T2: read x null, read y 1",
    [LEVEL_FORWARD_CONSISTENT_VIEW] = "T1: write x 1, write y 1     T2: read x null, read y 1",
    [LEVEL_PARALLEL_SNAPSHOT] =
        "T1: read z null, write x 1, write y 1   T2: write x 2, write z 2   T3: read z "
        "2, read y null",
    [LEVEL_SESSION_READ_UNCOMMITTED] =
        "T1: append 1 to l   T2, later in its session: append 2 to l   T3: read l [2,1]",
    [LEVEL_SESSION_READ_COMMITTED] = "T1: read x 1     T2, later in its session: write x 1",
    [LEVEL_STRICT_READ_UNCOMMITTED] =
        "T1: append 1 to l   T2, begun when T1 had completed: append 2 to l   T3: read l "
        "[2,1]",
    [LEVEL_STRICT_READ_COMMITTED] = "T1: read x 1     T2, begun when T1 had completed: write x 1",
    [LEVEL_READ_YOUR_WRITES] = "T1: write x 1     T2, later in its session: read x null",
    [LEVEL_MONOTONIC_READS] =
        "T1: write x 1     T2: read x 1     T3, later in T2's session: read x null",
    [LEVEL_MONOTONIC_WRITES] =
        "T1: write x 1     T2, later in its session: write y 1     T3: read y 1, read x "
        "null",
    [LEVEL_WRITES_FOLLOW_READS] =
        "T1: write x 1   T2: read x 1   T3, later in T2's session: write y 1   T4: read "
        "y 1, read x null",
    [LEVEL_PRAM] =
        "T1: write x 1   T2: write x 2   T3, later in T2's session: read x 1   T4: read "
        "x 1   T5, later in T4's session: read x 2",
    [LEVEL_LINEARIZABLE] =
        "T1, from 0 to 9: write x 1     T2, from 1 to 2: read x 1     T3, from 3 to 4: "
        "read x null",
};

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

/* Of these levels, those that imply no other of them. */
static uint64_t weakest_of(uint64_t levels)
{
    uint64_t weakest = levels;

    for (int i = 0; i < LEVEL_END; i++)
        for (int j = 0; j < LEVEL_END; j++)
            if (i != j && (levels >> i & 1) && (levels >> j & 1) &&
                level_implies((enum level)i, (enum level)j))
                weakest &= ~LEVEL_BIT(i);
    return weakest;
}

/* What only a profile forbids, which says how one level is kept. */
static bool is_of_profile(enum anomaly anomaly)
{
    return anomaly == ANOMALY_INCONSISTENT_READ || anomaly == ANOMALY_LOCK_VIOLATION ||
           anomaly == ANOMALY_DANGEROUS_STRUCTURE;
}

static void tell_ruled_out(enum anomaly anomaly, struct buffer *out)
{
    uint64_t levels = anomaly_ruled_out(anomaly), weakest = weakest_of(levels);
    const char *between = "rules out  ";

    if (levels == 0)
        buffer_print(out, "rules out  no level: it is of %s\n",
                     is_of_profile(anomaly) ? "the profile by which `interval` judges"
                                            : "a run or of its workload");
    for (int i = 0; i < LEVEL_END; i++)
        if (weakest >> i & 1) {
            buffer_print(out, "%s%s", between, level_name((enum level)i));
            between = ", ";
        }
    if (levels != 0)
        buffer_print(out, ", and every level that implies %s\n",
                     (weakest & (weakest - 1)) ? "one of them" : "it");
}

static bool explain_anomaly(struct text name, struct buffer *out)
{
    enum anomaly anomaly;

    if (!anomaly_of_text(name, &anomaly))
        return false;
    buffer_print(out, "%s is an anomaly: %s.\n", anomaly_name(anomaly),
                 anomaly_definition(anomaly));
    tell_ruled_out(anomaly, out);
    if (examples[anomaly])
        buffer_print(out, "example    %s\n", examples[anomaly]);
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
        if (!(weakest_of(anomaly_ruled_out((enum anomaly)i)) & LEVEL_BIT(level)))
            continue;
        buffer_print(out, "%s%s", between, anomaly_name((enum anomaly)i));
        between = ", ";
    }
    buffer_print(out, "%s\n",
                 between[0] == ',' ? "; and what weaker levels rule out"
                                   : "rules out  what weaker levels rule out");
    if (refused[level])
        buffer_print(out, "refuses    %s\n", refused[level]);
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

static enum status cmd_explain_run(const void *given, struct limits *limits,
                                   enum exit_code *code, struct error *err)
{
    const struct explain_values *values = given;
    struct text name = text_of(values->what);
    struct buffer out = { 0 };
    enum status status;

    (void)limits; /* it is done at once */
    *code = EXIT_VALID;
    if (!explain_anomaly(name, &out) && !explain_level(name, &out) && !explain_bug(name, &out))
        return refuse(values->what, err);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

#define AT(field) offsetof(struct explain_values, field)

static const struct option explain_rows[] = {
    OPERAND_ROW("ANOMALY|LEVEL|BUG", AT(what), "a name from ordeal list anomalies, levels or bugs"),
};

const struct command command_explain = {
    .summary = "explains an anomaly, an isolation level or a bug",
    .description =
        "Prints its definition, the smallest example, and where it was observed. For an anomaly\n"
        "the example has it; for a level the example is refused by it and allowed by the levels\n"
        "that it implies.\n",
    .example = "  ordeal explain G-single\n",
    .options = { "explain", explain_rows, ROW_COUNT(explain_rows), sizeof(struct explain_values) },
    .run = cmd_explain_run,
};
