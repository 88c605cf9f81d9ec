#include "programs/generator/level_rules_private.h"

#include <assert.h>

static const struct level_rules rules[LEVEL_COUNT] = {
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

struct level_rules level_rules_of(enum level level)
{
    assert(level < LEVEL_COUNT);
    return rules[level];
}

/*
 * A session begins a transaction when the one before has ended, so that an order which keeps real time keeps sessions,
 * too: real time at strict-snapshot forbids what sessions do at session-snapshot.
 */
bool level_rules_forbid(enum level level, enum anomaly anomaly)
{
    return anomaly_is_forbidden(level, anomaly) ||
           (level == LEVEL_STRICT_SERIALIZABLE && anomaly_is_forbidden(LEVEL_SESSION_SERIALIZABLE, anomaly)) ||
           (level == LEVEL_STRICT_SNAPSHOT && anomaly_is_forbidden(LEVEL_SESSION_SNAPSHOT, anomaly));
}
