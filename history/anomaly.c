#include "history/anomaly.h"

#include <assert.h>
#include <stddef.h>

#define LEVEL_NONE LEVEL_COUNT

static const struct {
    enum level weakest;
    const char *definition;
} anomalies[] = {
#define ANOMALY_ROW(enumerator, name, weakest, definition) { LEVEL_##weakest, definition },
    ANOMALIES(ANOMALY_ROW)
#undef ANOMALY_ROW
};

static const char *const names[] = {
#define ANOMALY_NAME(enumerator, name, weakest, definition) name,
    ANOMALIES(ANOMALY_NAME)
#undef ANOMALY_NAME
        NULL
};

const char *anomaly_name(enum anomaly anomaly)
{
    assert(anomaly < ANOMALY_COUNT);
    return names[anomaly];
}

const char *anomaly_definition(enum anomaly anomaly)
{
    assert(anomaly < ANOMALY_COUNT);
    return anomalies[anomaly].definition;
}

bool anomaly_weakest_level(enum anomaly anomaly, enum level *level)
{
    assert(anomaly < ANOMALY_COUNT);
    if (anomalies[anomaly].weakest == LEVEL_COUNT)
        return false;
    *level = anomalies[anomaly].weakest;
    return true;
}

bool anomaly_of_text(struct text text, enum anomaly *anomaly)
{
    for (int i = 0; i < ANOMALY_COUNT; i++)
        if (text_equal(text, text_of(names[i]))) {
            *anomaly = (enum anomaly)i;
            return true;
        }
    return false;
}

const char *const *anomaly_names(void)
{
    return names;
}

/*
 * Snapshot, which does not ask for sessions, does not imply read-atomic, which does; and at
 * repeatable-read a transaction finds what it wrote.
 */
bool anomaly_is_forbidden(enum level level, enum anomaly anomaly)
{
    enum level weakest;

    if (anomaly == ANOMALY_INTERNAL && (level_implies(level, LEVEL_UPDATE_ATOMIC) ||
                                        level_implies(level, LEVEL_REPEATABLE_READ)))
        return true;
    return anomaly_weakest_level(anomaly, &weakest) && level_implies(level, weakest);
}

#define BIT(level) LEVEL_BIT(LEVEL_##level)

/* The weakest levels and models that an anomaly rules out, where LEVELS do not say it all. */
static uint64_t weakest_ruled_out(enum anomaly anomaly)
{
    enum level weakest;

    switch (anomaly) {
    case ANOMALY_INTERNAL:
        return BIT(READ_ATOMIC) | BIT(UPDATE_ATOMIC) | BIT(REPEATABLE_READ);
    case ANOMALY_LOST_UPDATE:
        return BIT(CURSOR_STABILITY) | BIT(UPDATE_ATOMIC);
    case ANOMALY_G_SINGLE:
        return BIT(CONSISTENT_VIEW);
    case ANOMALY_G0_PROCESS:
        return BIT(SESSION_READ_UNCOMMITTED);
    case ANOMALY_G1C_PROCESS:
        return BIT(SESSION_READ_COMMITTED);
    case ANOMALY_G0_REALTIME:
        return BIT(STRICT_READ_UNCOMMITTED);
    case ANOMALY_G1C_REALTIME:
        return BIT(STRICT_READ_COMMITTED);
    case ANOMALY_NOT_LINEARIZABLE:
        return BIT(LINEARIZABLE);
    case ANOMALY_UNREAD_WRITE:
        return BIT(READ_YOUR_WRITES);
    case ANOMALY_BACKWARD_READ:
        return BIT(MONOTONIC_READS);
    case ANOMALY_REORDERED_WRITES:
        return BIT(MONOTONIC_WRITES);
    case ANOMALY_MIXED_SESSION:
        return BIT(PRAM);
    case ANOMALY_FORGOTTEN_READ:
        return BIT(WRITES_FOLLOW_READS);
    default:
        return anomaly_weakest_level(anomaly, &weakest) ? LEVEL_BIT(weakest) : 0;
    }
}

uint64_t anomaly_ruled_out(enum anomaly anomaly)
{
    uint64_t weakest = weakest_ruled_out(anomaly), ruled_out = 0;

    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && (level_implied((enum level)level) & weakest))
            ruled_out |= LEVEL_BIT(level);
    return ruled_out;
}

enum anomaly anomaly_of_cycle(enum anomaly of_data, enum cycle_closing closing)
{
    static const enum anomaly first[] = { ANOMALY_G0, ANOMALY_G0_PROCESS, ANOMALY_G0_REALTIME };

    static_assert(ANOMALY_G1C_PROCESS - ANOMALY_G0_PROCESS == 1 &&
                      ANOMALY_G2_PROCESS - ANOMALY_G0_PROCESS == 5 &&
                      ANOMALY_G2_REALTIME - ANOMALY_G0_REALTIME == 5,
                  "the three families stand in one order");
    switch (of_data) {
    case ANOMALY_G0:
        return first[closing];
    case ANOMALY_G1C:
        return closing ? first[closing] + 1 : ANOMALY_G1C;
    default:
        assert(of_data >= ANOMALY_G_SINGLE && of_data <= ANOMALY_G2);
        return closing ? first[closing] + 2 + (of_data - ANOMALY_G_SINGLE) : of_data;
    }
}

/* By the weakest level that an anomaly rules out, and then as anomaly.h lists them. */
unsigned anomaly_severity(enum anomaly anomaly)
{
    enum level weakest = LEVEL_COUNT;

    if (!anomaly_weakest_level(anomaly, &weakest))
        weakest = LEVEL_COUNT;
    return (unsigned)weakest * ANOMALY_COUNT + (unsigned)anomaly;
}
