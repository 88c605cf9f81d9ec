#include "checkers/lattice.h"

#include <assert.h>

#define BIT(level) (UINT32_C(1) << LEVEL_##level)

/* The next weaker ones. */
static const uint32_t next_weaker[LEVEL_COUNT] = {
    [LEVEL_READ_COMMITTED] = BIT(READ_UNCOMMITTED),
    [LEVEL_READ_ATOMIC] = BIT(READ_COMMITTED),
    [LEVEL_CAUSAL] = BIT(READ_ATOMIC),
    [LEVEL_PREFIX] = BIT(CAUSAL),
    [LEVEL_SNAPSHOT] = BIT(PREFIX),
    [LEVEL_REPEATABLE_READ] = BIT(READ_COMMITTED),
    [LEVEL_SERIALIZABLE] = BIT(SNAPSHOT) | BIT(REPEATABLE_READ),
    [LEVEL_SESSION_SNAPSHOT] = BIT(SNAPSHOT),
    [LEVEL_SESSION_SERIALIZABLE] = BIT(SESSION_SNAPSHOT) | BIT(SERIALIZABLE),
    [LEVEL_STRICT_SNAPSHOT] = BIT(SNAPSHOT),
    [LEVEL_STRICT_SERIALIZABLE] = BIT(STRICT_SNAPSHOT) | BIT(SERIALIZABLE),
};

bool lattice_implies(enum level stronger, enum level weaker)
{
    assert(stronger < LEVEL_COUNT && weaker < LEVEL_COUNT);
    if (stronger == weaker)
        return true;
    for (int next = 0; next < LEVEL_COUNT; next++)
        if ((next_weaker[stronger] >> next & 1) && lattice_implies((enum level)next, weaker))
            return true;
    return false;
}

enum level lattice_strongest(uint32_t levels)
{
    static const enum level order[] = {
        LEVEL_STRICT_SERIALIZABLE,
        LEVEL_SESSION_SERIALIZABLE,
        LEVEL_SERIALIZABLE,
        LEVEL_STRICT_SNAPSHOT,
        LEVEL_SESSION_SNAPSHOT,
        LEVEL_SNAPSHOT,
        LEVEL_PREFIX,
        LEVEL_REPEATABLE_READ,
        LEVEL_CAUSAL,
        LEVEL_READ_ATOMIC,
        LEVEL_READ_COMMITTED,
        LEVEL_READ_UNCOMMITTED,
    };

    static_assert(sizeof order / sizeof *order == LEVEL_COUNT, "each level has its place");
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (levels >> order[i] & 1)
            return order[i];
    return LEVEL_COUNT;
}

bool lattice_forbids(enum level level, enum anomaly anomaly)
{
    enum level weakest;

    return anomaly_weakest_level(anomaly, &weakest) && lattice_implies(level, weakest);
}

enum closing lattice_closing(enum level level)
{
    switch (level) {
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return CLOSED_BY_SESSION;
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
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
