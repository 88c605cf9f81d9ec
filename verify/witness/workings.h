/*
 * workings: how a database works, as a witness of `interval` says it.
 *
 * The words are those of docs/profiles.md. A witness proves what it says of a database
 * that works like that, and so its level must be one that such a database has.
 */
#ifndef VERIFY_WITNESS_WORKINGS_H
#define VERIFY_WITNESS_WORKINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "history/level.h"

enum workings_view { READS_AT_COMMIT, READS_AT_ONE, READS_BY_STATEMENT, READS_BY_ROW };

enum workings_timing { TIMED_NOT, TIMED_BY_KEY, TIMED_FULL };

enum workings_certifier {
    CERTIFIES_NOTHING,
    CERTIFIES_CYCLES,
    CERTIFIES_WRITE_SKEW,
    CERTIFIES_TIMESTAMPS,
    CERTIFIES_READS,   /* validation */
    CERTIFIES_VERSIONS /* concurrent-versions */
};

struct workings {
    enum workings_view view;
    enum workings_timing timing;
    enum workings_certifier certifier;
    bool reads_any, ignores_times, by_operations, locks_writes, locks_reads, locks_for,
        locks_absent, hides_own, first_updater;
};

/* The object behind "profile". */
MUST_USE enum status workings_read(struct json *, struct workings *, struct error *);

/* Why no database works like that at the level, or NULL. */
const char *workings_doubt(const struct workings *, enum level);

/* Of two who wrote a key the second commits only if the first had before it looked. */
static inline bool workings_first_wins(const struct workings *w)
{
    return w->first_updater || w->certifier == CERTIFIES_VERSIONS;
}

/*
 * Whether what was sent when a read was over cannot have been read: of a level alone nothing is known of
 * when operations happened within their transaction.
 */
static inline bool workings_time_operations(const struct workings *w)
{
    return !w->ignores_times && (w->timing != TIMED_FULL || w->by_operations);
}

/* Whether dependencies make no circle. */
static inline bool workings_certify(const struct workings *w)
{
    return w->certifier != CERTIFIES_NOTHING && w->certifier != CERTIFIES_VERSIONS;
}

#endif
