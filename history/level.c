#include "history/level.h"

#include <assert.h>
#include <stddef.h>

/* X(enumerator, another name of it) */
#define ALIASES(X)                                                                                 \
    X(READ_UNCOMMITTED, "PL-1")                                                                    \
    X(READ_COMMITTED, "PL-2")                                                                      \
    X(CURSOR_STABILITY, "PL-CS")                                                                   \
    X(MONOTONIC_VIEW, "PL-2L")                                                                     \
    X(MONOTONIC_SNAPSHOT_READ, "PL-MSR")                                                           \
    X(CONSISTENT_VIEW, "PL-2+")                                                                    \
    X(FORWARD_CONSISTENT_VIEW, "PL-FCV")                                                           \
    X(UPDATE_SERIALIZABLE, "PL-3U")                                                                \
    X(REPEATABLE_READ, "PL-2.99")                                                                  \
    X(SNAPSHOT, "PL-SI")                                                                           \
    X(SNAPSHOT, "snapshot-isolation")                                                              \
    X(SERIALIZABLE, "PL-3")                                                                        \
    X(SERIALIZABLE, "view-serializable")                                                           \
    X(STRICT_SERIALIZABLE, "PL-SS")                                                                \
    X(STRICT_SERIALIZABLE, "strong-serializable")                                                  \
    X(STRICT_SNAPSHOT, "strong-snapshot-isolation")                                                \
    X(SESSION_SNAPSHOT, "strong-session-snapshot-isolation")                                       \
    X(SESSION_SERIALIZABLE, "strong-session-serializable")                                         \
    X(CAUSAL, "causal-cerone")

static const struct {
    const char *name, *promise;
} rows[LEVEL_END] = {
#define LEVEL_ROW(enumerator, name, promise) [LEVEL_##enumerator] = { name, promise },
    LEVELS(LEVEL_ROW) MODELS(LEVEL_ROW)
#undef LEVEL_ROW
};

#define LEVEL_NAME(enumerator, name, promise) name,
#define ALIAS_NAME(enumerator, name) name,

static const char *const names[] = { LEVELS(LEVEL_NAME) NULL };
static const char *const all_names[] = { LEVELS(LEVEL_NAME) MODELS(LEVEL_NAME) ALIASES(ALIAS_NAME)
                                             NULL };

/* Beside all_names. */
static const enum level all_levels[] = {
#define LEVEL_NUMBER(enumerator, name, promise) LEVEL_##enumerator,
#define ALIAS_NUMBER(enumerator, name) LEVEL_##enumerator,
    LEVELS(LEVEL_NUMBER) MODELS(LEVEL_NUMBER) ALIASES(ALIAS_NUMBER)
};

const char *level_name(enum level level)
{
    assert(level < LEVEL_END && level != LEVEL_COUNT);
    return rows[level].name;
}

const char *level_promise(enum level level)
{
    assert(level < LEVEL_END && level != LEVEL_COUNT);
    return rows[level].promise;
}

bool level_of_text(struct text text, enum level *level)
{
    for (size_t i = 0; all_names[i]; i++)
        if (text_equal(text, text_of(all_names[i]))) {
            *level = all_levels[i];
            return true;
        }
    return false;
}

const char *const *level_names(void)
{
    return names;
}

const char *const *level_all_names(void)
{
    return all_names;
}

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

uint64_t level_implied(enum level level)
{
    uint64_t implied = LEVEL_BIT(level);

    for (uint64_t ahead = implied; ahead != 0;) {
        uint64_t next = next_weaker[__builtin_ctzll(ahead)] & ~implied;

        ahead = (ahead & (ahead - 1)) | next;
        implied |= next;
    }
    return implied;
}

bool level_implies(enum level stronger, enum level weaker)
{
    assert(stronger < LEVEL_END && weaker < LEVEL_END);
    return level_implied(stronger) & LEVEL_BIT(weaker);
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

enum level level_strongest(uint64_t levels)
{
    for (size_t i = 0; i < LEVELS_BY_STRENGTH; i++)
        if (levels & LEVEL_BIT(by_strength[i]))
            return by_strength[i];
    return LEVEL_COUNT;
}

enum level level_weakest(uint64_t levels)
{
    for (size_t i = LEVELS_BY_STRENGTH; i-- > 0;)
        if (levels & LEVEL_BIT(by_strength[i]))
            return by_strength[i];
    return LEVEL_COUNT;
}

enum cycle_closing level_closing(enum level level)
{
    switch (level) {
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return CLOSING_SESSION;
    case LEVEL_STRICT_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
    case LEVEL_LINEARIZABLE:
        return CLOSING_TIME;
    default:
        return CLOSING_DATA;
    }
}

bool level_is_snapshot(enum level level)
{
    return level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
           level == LEVEL_STRICT_SNAPSHOT;
}

bool level_is_serializable(enum level level)
{
    return level == LEVEL_SERIALIZABLE || level == LEVEL_SESSION_SERIALIZABLE ||
           level == LEVEL_STRICT_SERIALIZABLE;
}
