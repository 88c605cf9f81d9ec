/*
 * profile: which of the four mechanisms a database has at an isolation level, and what its
 * instants have to do with time.
 *
 *     postgresql/serializable   a snapshot for a transaction, locks of rows until the end, the
 *                               first updater wins, no write skew
 *     innodb/read-committed     a snapshot for a statement, locks of rows
 *     ordeal/2pl                all at one instant, behind the last operation
 *
 * The combinations are those of Leopard's tables I and II, and ask for less where the
 * database does more than the tables have room for; those of the simulated store stand
 * beside them, and anybody can make one of their own (docs/profiles.md). `any` is what
 * every implementation of a level must satisfy: nothing is known of it but that its transactions
 * have instants in an order that explains what they read, within their times where the level is
 * strict; of read-committed, that no transaction reads of one that comes after it (Adya's PL-2,
 * which promises nothing of snapshots).
 */
#ifndef CHECKERS_INTERVAL_PROFILE_H
#define CHECKERS_INTERVAL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "history/level.h"

/* From where a transaction reads: X(enumerator, name, in words). */
#define PROFILE_VIEWS(X)                                                                           \
    X(COMMIT, "commit", "all reads are as of the instant at which the transaction commits")        \
    X(TRANSACTION, "transaction", "all reads are as of one instant before the commit")             \
    X(STATEMENT, "statement", "each statement reads as of an instant of its own")                  \
    X(ROW, "row", "each row is read as of an instant of its own")

/* What the order of instants has to do with time. */
#define PROFILE_TIMINGS(X)                                                                         \
    X(NONE, "none", "instants may lie anywhere: only what was read tells of their order")          \
    X(KEY, "key", "who begins later sees, of each key, what had completed there")                  \
    X(FULL, "full", "each instant lies within the times of what it is the instant of")

/* How it sees to it that transactions are serializable, or no updates lost (table II). */
#define PROFILE_CERTIFIERS(X)                                                                      \
    X(NONE, "none", "nothing does")                                                                \
    X(CYCLES, "cycles", "dependencies make no cycle")                                              \
    X(WRITE_SKEW, "write-skew",                                                                    \
      "no cycle, nor the two anti-dependencies in a row by which one begins")                      \
    X(TIMESTAMP_ORDER, "timestamp-order", "dependencies lead to later timestamps, one each")       \
    X(VALIDATION, "validation", "what was read by who also writes is still there when it commits") \
    X(CONCURRENT_VERSIONS, "concurrent-versions",                                                  \
      "a key that is written has no new version since the snapshot")

/* What else holds: X(field, in words). */
#define PROFILE_RULES(X)                                                                           \
    X(reads_any, "a read returns what some transaction committed, the last or not")                \
    X(ignores_times, "not even a read before the write was invoked says anything")                 \
    X(by_operations, "commits lie behind the last operation, views before the first read ends")    \
    X(locks_writes, "from a write to the commit no other transaction writes the row")              \
    X(locks_reads, "nor from a read, and nobody reads what another is writing")                    \
    X(locks_for, "likewise from a read FOR UPDATE or FOR SHARE")                                   \
    X(locks_absent, "rows that a locking read did not find are locked too, as ranges are")         \
    X(hides_own, "a transaction need not see its own writes: they are sent with the commit")       \
    X(first_updater, "of two concurrent writers of a row the first wins, the other aborts")

enum profile_view {
#define PROFILE_ENUM(enumerator, name, words) VIEW_##enumerator,
    PROFILE_VIEWS(PROFILE_ENUM) VIEW_COUNT
#undef PROFILE_ENUM
};

enum profile_timing {
#define PROFILE_ENUM(enumerator, name, words) TIMING_##enumerator,
    PROFILE_TIMINGS(PROFILE_ENUM) TIMING_COUNT
#undef PROFILE_ENUM
};

enum profile_certifier {
#define PROFILE_ENUM(enumerator, name, words) CERTIFIER_##enumerator,
    PROFILE_CERTIFIERS(PROFILE_ENUM) CERTIFIER_COUNT
#undef PROFILE_ENUM
};

struct profile {
    const char *name, *summary;
    enum level level; /* that it implements */
    enum profile_view view;
    enum profile_timing timing;
    enum profile_certifier certifier;
#define PROFILE_FIELD(field, words) bool field;
    PROFILE_RULES(PROFILE_FIELD)
#undef PROFILE_FIELD
};

/* A rule by name; the list ends with a name of NULL. */
struct profile_rule {
    const char *name, *words;
    size_t offset; /* of a bool in struct profile */
};

extern const struct profile_rule profile_rules[];

static inline bool profile_has(const struct profile *profile, const struct profile_rule *rule)
{
    return *(const bool *)((const char *)profile + rule->offset);
}

/* All ending in NULL, by number. */
extern const char *const profile_view_names[], *const profile_timing_names[],
                                                   *const profile_certifier_names[];
extern const char *const profile_view_words[], *const profile_timing_words[],
                                                   *const profile_certifier_words[];

/* Whether dependencies between transactions are put together to look for more than one pair. */
static inline bool profile_certifies(const struct profile *profile)
{
    return profile->certifier == CERTIFIER_CYCLES || profile->certifier == CERTIFIER_WRITE_SKEW ||
           ((profile->certifier == CERTIFIER_TIMESTAMP_ORDER ||
             profile->certifier == CERTIFIER_VALIDATION) &&
            profile->view != VIEW_COMMIT);
}

/* Whether of two concurrent writers of a row one aborts, whoever sees to that. */
static inline bool profile_first_wins(const struct profile *profile)
{
    return profile->first_updater || profile->certifier == CERTIFIER_CONCURRENT_VERSIONS;
}

/*
 * Whether a read has an instant that is not its transaction's. Who asks for a lock reads what is
 * there, and not as of a snapshot. Where the first updater wins it fails instead if that is another
 * version.
 */
static inline bool profile_reads_apart(const struct profile *profile, bool asks_for_lock)
{
    return profile->view == VIEW_STATEMENT || profile->view == VIEW_ROW ||
           (profile->view == VIEW_TRANSACTION && asks_for_lock && profile->locks_for &&
            !profile_first_wins(profile));
}

/* Whether a read locks what it found, or the place of what it did not find. */
static inline bool profile_locks_to_read(const struct profile *profile, bool asks_for_lock,
                                         bool is_there)
{
    return (profile->locks_reads || (asks_for_lock && profile->locks_for)) &&
           (is_there || profile->locks_absent);
}

/* All there are, `any` left out; count is set. */
const struct profile *profile_all(unsigned *count);
/* NULL: there is none of that name. */
const struct profile *profile_find(struct text name);
/* Of `any` implementation of a level that interval decides. */
struct profile profile_of_level(enum level);
/* Refuses fields that contradict each other, or a level that they cannot mean. */
MUST_USE enum status profile_check(const struct profile *, struct error *);

#endif
