#include "programs/generator/level_rules.h"

#include <assert.h>

static const struct freedom freedoms[LEVEL_COUNT] = {
    [LEVEL_READ_UNCOMMITTED] = { .source = SOURCE_STATEMENT, .dirty_reads = true },
    [LEVEL_READ_COMMITTED] = { .source = SOURCE_STATEMENT },
    [LEVEL_READ_ATOMIC] = { .source = SOURCE_PART },
    [LEVEL_CAUSAL] = { .source = SOURCE_REPLICA },
    [LEVEL_PREFIX] = { .source = SOURCE_SNAPSHOT, .since = SINCE_SESSION },
    [LEVEL_SNAPSHOT] = { .source = SOURCE_SNAPSHOT, .first_committer_wins = true },
    [LEVEL_REPEATABLE_READ] = { .standing = STAND_ANYWHERE, .phantoms = true },
    [LEVEL_SERIALIZABLE] = { .standing = STAND_ANYWHERE },
    [LEVEL_SESSION_SNAPSHOT] = { .source = SOURCE_SNAPSHOT,
                                 .since = SINCE_SESSION,
                                 .first_committer_wins = true },
    [LEVEL_SESSION_SERIALIZABLE] = { .standing = STAND_AFTER_SESSION },
    [LEVEL_STRICT_SNAPSHOT] = { .source = SOURCE_SNAPSHOT,
                                .since = SINCE_INVOCATION,
                                .first_committer_wins = true },
    [LEVEL_STRICT_SERIALIZABLE] = { .standing = STAND_NOW },
};

#define BIT(level) (1u << LEVEL_##level)

/* The next weaker levels, as a set of bits. */
static const unsigned next_weaker[LEVEL_COUNT] = {
    [LEVEL_READ_COMMITTED] = BIT(READ_UNCOMMITTED),
    [LEVEL_READ_ATOMIC] = BIT(READ_COMMITTED),
    [LEVEL_CAUSAL] = BIT(READ_ATOMIC),
    [LEVEL_PREFIX] = BIT(CAUSAL),
    [LEVEL_SNAPSHOT] = BIT(PREFIX),
    [LEVEL_REPEATABLE_READ] = BIT(READ_ATOMIC),
    [LEVEL_SERIALIZABLE] = BIT(SNAPSHOT) | BIT(REPEATABLE_READ),
    [LEVEL_SESSION_SNAPSHOT] = BIT(SNAPSHOT),
    [LEVEL_SESSION_SERIALIZABLE] = BIT(SESSION_SNAPSHOT) | BIT(SERIALIZABLE),
    [LEVEL_STRICT_SNAPSHOT] = BIT(SESSION_SNAPSHOT),
    [LEVEL_STRICT_SERIALIZABLE] = BIT(STRICT_SNAPSHOT) | BIT(SESSION_SERIALIZABLE),
};

struct freedom freedom_of(enum level level)
{
    assert(level < LEVEL_COUNT);
    return freedoms[level];
}

bool freedom_level_implies(enum level stronger, enum level weaker)
{
    assert(stronger < LEVEL_COUNT && weaker < LEVEL_COUNT);
    if (stronger == weaker)
        return true;
    for (int next = 0; next < LEVEL_COUNT; next++)
        if ((next_weaker[stronger] >> next & 1) && freedom_level_implies((enum level)next, weaker))
            return true;
    return false;
}
