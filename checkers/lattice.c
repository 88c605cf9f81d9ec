#include "checkers/lattice.h"

#include <assert.h>

#define BIT(level) LEVEL_BIT(LEVEL_##level)

/* The next weaker ones. */
static const uint64_t next_weaker[LEVEL_END] = {
    [LEVEL_READ_COMMITTED] = BIT(READ_UNCOMMITTED),
    [LEVEL_MONOTONIC_ATOMIC_VIEW] = BIT(READ_COMMITTED),
    [LEVEL_READ_ATOMIC] = BIT(MONOTONIC_ATOMIC_VIEW) | BIT(READ_YOUR_WRITES),
    [LEVEL_UPDATE_ATOMIC] = BIT(MONOTONIC_ATOMIC_VIEW),
    [LEVEL_PRAM] = BIT(READ_YOUR_WRITES) | BIT(MONOTONIC_READS) | BIT(MONOTONIC_WRITES),
    [LEVEL_CAUSAL] = BIT(READ_ATOMIC) | BIT(PRAM) | BIT(WRITES_FOLLOW_READS),
    [LEVEL_PREFIX] = BIT(CAUSAL),
    [LEVEL_PARALLEL_SNAPSHOT] = BIT(CAUSAL) | BIT(UPDATE_ATOMIC),
    [LEVEL_CURSOR_STABILITY] = BIT(READ_COMMITTED),
    [LEVEL_MONOTONIC_VIEW] = BIT(READ_COMMITTED),
    [LEVEL_MONOTONIC_SNAPSHOT_READ] = BIT(READ_COMMITTED),
    [LEVEL_CONSISTENT_VIEW] = BIT(CURSOR_STABILITY) | BIT(MONOTONIC_VIEW),
    [LEVEL_FORWARD_CONSISTENT_VIEW] = BIT(CONSISTENT_VIEW),
    [LEVEL_UPDATE_SERIALIZABLE] = BIT(FORWARD_CONSISTENT_VIEW),
    [LEVEL_REPEATABLE_READ] = BIT(CURSOR_STABILITY) | BIT(MONOTONIC_ATOMIC_VIEW),
    [LEVEL_SNAPSHOT] = BIT(FORWARD_CONSISTENT_VIEW) | BIT(MONOTONIC_SNAPSHOT_READ) |
                       BIT(UPDATE_ATOMIC),
    [LEVEL_SERIALIZABLE] = BIT(SNAPSHOT) | BIT(REPEATABLE_READ) | BIT(UPDATE_SERIALIZABLE),
    [LEVEL_SESSION_READ_UNCOMMITTED] = BIT(READ_UNCOMMITTED),
    [LEVEL_SESSION_READ_COMMITTED] = BIT(SESSION_READ_UNCOMMITTED) | BIT(READ_COMMITTED),
    [LEVEL_SESSION_SNAPSHOT] = BIT(SNAPSHOT) | BIT(SESSION_READ_COMMITTED) | BIT(PREFIX) |
                               BIT(PARALLEL_SNAPSHOT),
    [LEVEL_SESSION_SERIALIZABLE] = BIT(SESSION_SNAPSHOT) | BIT(SERIALIZABLE),
    [LEVEL_STRICT_READ_UNCOMMITTED] = BIT(READ_UNCOMMITTED),
    [LEVEL_STRICT_READ_COMMITTED] = BIT(STRICT_READ_UNCOMMITTED) | BIT(READ_COMMITTED),
    [LEVEL_STRICT_SNAPSHOT] = BIT(SNAPSHOT) | BIT(STRICT_READ_COMMITTED),
    [LEVEL_STRICT_SERIALIZABLE] = BIT(STRICT_SNAPSHOT) | BIT(SERIALIZABLE) | BIT(LINEARIZABLE),
};

bool lattice_implies(enum level stronger, enum level weaker)
{
    assert(stronger < LEVEL_END && weaker < LEVEL_END);
    if (stronger == weaker)
        return true;
    for (int next = 0; next < LEVEL_END; next++)
        if ((next_weaker[stronger] >> next & 1) && lattice_implies((enum level)next, weaker))
            return true;
    return false;
}

/* Each behind all that imply it. */
static const enum level by_strength[] = {
    LEVEL_STRICT_SERIALIZABLE,
    LEVEL_SESSION_SERIALIZABLE,
    LEVEL_SERIALIZABLE,
    LEVEL_STRICT_SNAPSHOT,
    LEVEL_SESSION_SNAPSHOT,
    LEVEL_SNAPSHOT,
    LEVEL_UPDATE_SERIALIZABLE,
    LEVEL_PREFIX,
    LEVEL_PARALLEL_SNAPSHOT,
    LEVEL_REPEATABLE_READ,
    LEVEL_FORWARD_CONSISTENT_VIEW,
    LEVEL_CONSISTENT_VIEW,
    LEVEL_CAUSAL,
    LEVEL_UPDATE_ATOMIC,
    LEVEL_READ_ATOMIC,
    LEVEL_MONOTONIC_SNAPSHOT_READ,
    LEVEL_MONOTONIC_VIEW,
    LEVEL_CURSOR_STABILITY,
    LEVEL_MONOTONIC_ATOMIC_VIEW,
    LEVEL_STRICT_READ_COMMITTED,
    LEVEL_SESSION_READ_COMMITTED,
    LEVEL_READ_COMMITTED,
    LEVEL_STRICT_READ_UNCOMMITTED,
    LEVEL_SESSION_READ_UNCOMMITTED,
    LEVEL_READ_UNCOMMITTED,
    LEVEL_LINEARIZABLE,
    LEVEL_PRAM,
    LEVEL_WRITES_FOLLOW_READS,
    LEVEL_MONOTONIC_WRITES,
    LEVEL_MONOTONIC_READS,
    LEVEL_READ_YOUR_WRITES,
};

#define LEVELS_BY_STRENGTH (sizeof by_strength / sizeof *by_strength)

static_assert(LEVELS_BY_STRENGTH == LEVEL_END - 1, "each level has its place");

enum level lattice_strongest(uint64_t levels)
{
    for (size_t i = 0; i < LEVELS_BY_STRENGTH; i++)
        if (levels & LEVEL_BIT(by_strength[i]))
            return by_strength[i];
    return LEVEL_COUNT;
}

enum level lattice_weakest(uint64_t levels)
{
    for (size_t i = LEVELS_BY_STRENGTH; i-- > 0;)
        if (levels & LEVEL_BIT(by_strength[i]))
            return by_strength[i];
    return LEVEL_COUNT;
}

/*
 * Snapshot, which does not ask for sessions, does not imply read-atomic, which does; and at
 * repeatable-read a transaction finds what it wrote.
 */
bool lattice_forbids(enum level level, enum anomaly anomaly)
{
    enum level weakest;

    if (anomaly == ANOMALY_INTERNAL && (lattice_implies(level, LEVEL_UPDATE_ATOMIC) ||
                                        lattice_implies(level, LEVEL_REPEATABLE_READ)))
        return true;
    return anomaly_weakest_level(anomaly, &weakest) && lattice_implies(level, weakest);
}

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

uint64_t lattice_ruled_out(enum anomaly anomaly)
{
    uint64_t weakest = weakest_ruled_out(anomaly), ruled_out = 0;

    for (size_t i = 0; i < LEVELS_BY_STRENGTH; i++)
        for (int weak = 0; weak < LEVEL_END; weak++)
            if ((weakest >> weak & 1) && lattice_implies(by_strength[i], (enum level)weak))
                ruled_out |= LEVEL_BIT(by_strength[i]);
    return ruled_out;
}

enum closing lattice_closing(enum level level)
{
    switch (level) {
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return CLOSED_BY_SESSION;
    case LEVEL_STRICT_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
    case LEVEL_LINEARIZABLE:
        return CLOSED_BY_TIME;
    default:
        return CLOSED_BY_DATA;
    }
}

bool lattice_is_snapshot(enum level level)
{
    return level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
           level == LEVEL_STRICT_SNAPSHOT;
}

bool lattice_is_serializable(enum level level)
{
    return level == LEVEL_SERIALIZABLE || level == LEVEL_SESSION_SERIALIZABLE ||
           level == LEVEL_STRICT_SERIALIZABLE;
}

enum anomaly lattice_cycle(enum anomaly of_data, enum closing closing)
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
unsigned lattice_severity(enum anomaly anomaly)
{
    enum level weakest = LEVEL_COUNT;

    if (!anomaly_weakest_level(anomaly, &weakest))
        weakest = LEVEL_COUNT;
    return (unsigned)weakest * ANOMALY_COUNT + (unsigned)anomaly;
}
