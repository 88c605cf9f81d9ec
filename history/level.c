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
