#include "checkers/interval/profile.h"

#include <assert.h>
#include <stddef.h>

#include "base/array.h"
#include "history/level.h"

#define WORD_NAME(enumerator, name, words) name,
#define WORD_WORDS(enumerator, name, words) words,
#define RULE(field, words) { #field, words, offsetof(struct profile, field) },

const char *const profile_view_names[] = { PROFILE_VIEWS(WORD_NAME) NULL };
const char *const profile_view_words[] = { PROFILE_VIEWS(WORD_WORDS) NULL };
const char *const profile_timing_names[] = { PROFILE_TIMINGS(WORD_NAME) NULL };
const char *const profile_timing_words[] = { PROFILE_TIMINGS(WORD_WORDS) NULL };
const char *const profile_certifier_names[] = { PROFILE_CERTIFIERS(WORD_NAME) NULL };
const char *const profile_certifier_words[] = { PROFILE_CERTIFIERS(WORD_WORDS) NULL };
const struct profile_rule profile_rules[] = { PROFILE_RULES(RULE){ NULL, NULL, 0 } };

/* --- Databases ------------------------------------------------------------------------ */

#define SNAPSHOTS .view = VIEW_TRANSACTION, .timing = TIMING_FULL, .by_operations = true
#define STATEMENTS .view = VIEW_STATEMENT, .timing = TIMING_FULL, .by_operations = true
#define ROWS .view = VIEW_ROW, .timing = TIMING_FULL, .by_operations = true
#define AT_ONCE .view = VIEW_COMMIT, .timing = TIMING_FULL, .by_operations = true
#define ROW_LOCKS .locks_writes = true, .locks_for = true
#define ALL_LOCKS ROW_LOCKS, .locks_reads = true, .locks_absent = true

/* What several databases do alike. */
#define INNODB_LIKE(database)                                                                      \
    { database "/serializable", "locks of all that is read and written, ranges too",               \
      LEVEL_STRICT_SERIALIZABLE, AT_ONCE, ALL_LOCKS },                                             \
        { database "/repeatable-read", "snapshots and row locks; updates see what is there",       \
          LEVEL_READ_COMMITTED, SNAPSHOTS, ROW_LOCKS },                                            \
    {                                                                                              \
        database "/read-committed", "a snapshot for each statement, row locks",                    \
            LEVEL_READ_COMMITTED, STATEMENTS, ROW_LOCKS                                            \
    }
#define FIRST_UPDATER_SNAPSHOT(database)                                                           \
    {                                                                                              \
        database "/snapshot", "snapshots, row locks, first updater wins", LEVEL_STRICT_SNAPSHOT,   \
            SNAPSHOTS, ROW_LOCKS, .first_updater = true                                            \
    }
#define STATEMENT_SNAPSHOTS(database)                                                              \
    {                                                                                              \
        database "/read-committed", "a snapshot for each statement, row locks",                    \
            LEVEL_READ_COMMITTED, STATEMENTS, ROW_LOCKS                                            \
    }

static const struct profile profiles[] = {
    { "postgresql/serializable", "snapshots, row locks, first updater wins, no write skew",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, ROW_LOCKS, .first_updater = true,
      .certifier = CERTIFIER_WRITE_SKEW },
    FIRST_UPDATER_SNAPSHOT("postgresql"), /* which it calls repeatable read */
    STATEMENT_SNAPSHOTS("postgresql"),
    /* It takes SERIALIZABLE for REPEATABLE READ, says its manual. */
    FIRST_UPDATER_SNAPSHOT("opengauss"),
    STATEMENT_SNAPSHOTS("opengauss"),
    /* Hybrid clocks: what is uncertain is read again, and so no read of a key misses its past. */
    { "yugabytedb/serializable", "read and write locks by key; no read of a key misses its past",
      LEVEL_SERIALIZABLE, .view = VIEW_COMMIT, .timing = TIMING_KEY,
      .certifier = CERTIFIER_CYCLES },
    { "yugabytedb/snapshot", "snapshots by hybrid clocks, and no concurrent writers",
      LEVEL_SNAPSHOT, .view = VIEW_TRANSACTION, .timing = TIMING_KEY, .first_updater = true },
    { "yugabytedb/read-committed", "a snapshot by hybrid clocks for each statement",
      LEVEL_READ_COMMITTED, .view = VIEW_STATEMENT, .timing = TIMING_KEY },
    INNODB_LIKE("innodb"),
    { "sqlserver/serializable", "locks of all that is read and written, ranges too",
      LEVEL_STRICT_SERIALIZABLE, AT_ONCE, ALL_LOCKS },
    { "sqlserver/snapshot", "snapshots, row locks, first updater wins", LEVEL_STRICT_SNAPSHOT,
      SNAPSHOTS, ROW_LOCKS, .first_updater = true },
    { "sqlserver/repeatable-read", "rows one by one, each locked as it is read",
      LEVEL_READ_COMMITTED, ROWS, ROW_LOCKS, .locks_reads = true },
    { "sqlserver/read-committed", "rows one by one, as they are there; row locks for writes",
      LEVEL_READ_COMMITTED, ROWS, ROW_LOCKS },
    /* The writer's endpoint: replicas lag behind it. */
    INNODB_LIKE("aurora"),
    INNODB_LIKE("polardb"),
    { "tidb/snapshot", "optimistic: snapshots, and no concurrent versions", LEVEL_STRICT_SNAPSHOT,
      SNAPSHOTS, .certifier = CERTIFIER_CONCURRENT_VERSIONS },
    { "tidb/repeatable-read", "pessimistic: snapshots and row locks; updates see what is there",
      LEVEL_READ_COMMITTED, SNAPSHOTS, ROW_LOCKS },
    STATEMENT_SNAPSHOTS("tidb"),
    { "rocksdb/snapshot", "TransactionDB: snapshots, key locks, first updater wins",
      LEVEL_STRICT_SNAPSHOT, SNAPSHOTS, ROW_LOCKS, .first_updater = true },
    { "rocksdb/optimistic-snapshot", "OptimisticTransactionDB: snapshots, no concurrent versions",
      LEVEL_STRICT_SNAPSHOT, SNAPSHOTS, .certifier = CERTIFIER_CONCURRENT_VERSIONS },
    { "sqlite/serializable", "snapshots, one writer at a time, and none on an old snapshot",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, .locks_writes = true, .first_updater = true,
      .certifier = CERTIFIER_CYCLES },
    { "foundationdb/serializable", "snapshots, and reads that are validated by who writes",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, .certifier = CERTIFIER_VALIDATION },
    /* Of partitions of a query nobody says that they are read at one instant. */
    { "singlestore/read-committed", "each row as it is there, row locks", LEVEL_READ_COMMITTED,
      ROWS, ROW_LOCKS },
    { "cockroachdb/serializable", "timestamp ordering; no read of a key misses its past",
      LEVEL_SERIALIZABLE, .view = VIEW_COMMIT, .timing = TIMING_KEY,
      .certifier = CERTIFIER_TIMESTAMP_ORDER },
    { "spanner/serializable", "all at one instant: writes are sent with the commit",
      LEVEL_STRICT_SERIALIZABLE, .view = VIEW_COMMIT, .timing = TIMING_FULL, .hides_own = true },
    FIRST_UPDATER_SNAPSHOT("oracle"), /* which it calls serializable */
    STATEMENT_SNAPSHOTS("oracle"),
    FIRST_UPDATER_SNAPSHOT("saphana"),
    STATEMENT_SNAPSHOTS("saphana"),
    FIRST_UPDATER_SNAPSHOT("oceanbase"),
    STATEMENT_SNAPSHOTS("oceanbase"),
    /* Its engines hear of each other's commits later: nothing is said of times. */
    { "nuodb/snapshot", "consistent read: snapshots, first updater wins", LEVEL_SNAPSHOT,
      .view = VIEW_TRANSACTION, .timing = TIMING_NONE, .first_updater = true },
    { "nuodb/read-committed", "each row as some transaction committed it", LEVEL_READ_COMMITTED,
      .view = VIEW_ROW, .timing = TIMING_NONE, .reads_any = true },
    { "ordeal/mvto", "the simulated store: timestamp ordering", LEVEL_SERIALIZABLE,
      .view = VIEW_COMMIT, .timing = TIMING_KEY, .certifier = CERTIFIER_TIMESTAMP_ORDER },
    { "ordeal/2pl", "the simulated store: locks, all held at one instant",
      LEVEL_STRICT_SERIALIZABLE, AT_ONCE, ALL_LOCKS },
    { "ordeal/occ", "the simulated store: reads are validated at the commit", LEVEL_SERIALIZABLE,
      .view = VIEW_COMMIT, .timing = TIMING_NONE, .certifier = CERTIFIER_VALIDATION },
    { "ordeal/ssi", "the simulated store: snapshots by clocks, no cycles", LEVEL_SERIALIZABLE,
      .view = VIEW_TRANSACTION, .timing = TIMING_NONE, .first_updater = true,
      .certifier = CERTIFIER_CYCLES },
    { "ordeal/si", "the simulated store: snapshots by clocks, first committer wins", LEVEL_SNAPSHOT,
      .view = VIEW_TRANSACTION, .timing = TIMING_NONE, .first_updater = true },
    { "ordeal/rc", "the simulated store: a snapshot by clocks for each statement",
      LEVEL_READ_COMMITTED, .view = VIEW_STATEMENT, .timing = TIMING_NONE },
};

const struct profile *profile_all(unsigned *count)
{
    *count = ROW_COUNT(profiles);
    return profiles;
}

const struct profile *profile_find(struct text name)
{
    for (size_t i = 0; i < ROW_COUNT(profiles); i++)
        if (text_equal(name, text_of(profiles[i].name)))
            return &profiles[i];
    return NULL;
}

struct profile profile_of_level(enum level level)
{
    bool is_strict = level_closing(level) == CLOSING_TIME;
    bool is_snapshot = level_is_snapshot(level);

    assert(is_snapshot || level_is_serializable(level) || level == LEVEL_READ_COMMITTED);
    return (struct profile){
        .name = "any",
        .summary = "what every implementation of the level must satisfy",
        .level = level,
        .view = level == LEVEL_READ_COMMITTED ? VIEW_STATEMENT
                : is_snapshot                 ? VIEW_TRANSACTION
                                              : VIEW_COMMIT,
        .timing = is_strict ? TIMING_FULL : TIMING_NONE,
        .reads_any = level == LEVEL_READ_COMMITTED,
        .ignores_times = !is_strict,
        .first_updater = is_snapshot,
    };
}

/* --- What cannot be ----------------------------------------------------------------------- */

static bool has_instants_of_its_own(const struct profile *p)
{
    return p->view == VIEW_STATEMENT || p->view == VIEW_ROW;
}

static bool is_serializable(const struct profile *p)
{
    bool is_certified =
        p->certifier != CERTIFIER_NONE && p->certifier != CERTIFIER_CONCURRENT_VERSIONS;
    bool is_locked = p->locks_writes && p->locks_reads && p->locks_absent;

    return !p->reads_any && (p->view == VIEW_COMMIT || is_certified || is_locked);
}

static bool is_snapshot(const struct profile *p)
{
    return p->view == VIEW_TRANSACTION && !p->reads_any &&
           (p->first_updater || p->certifier == CERTIFIER_CONCURRENT_VERSIONS);
}

/* A level that the mechanisms do not add up to would be called valid without having been judged. */
static enum status check_level(const struct profile *p, struct error *err)
{
    bool is_strict = level_closing(p->level) == CLOSING_TIME;
    const char *missing = NULL;

    if (p->level == LEVEL_READ_COMMITTED)
        return STATUS_OK;
    if (level_is_serializable(p->level) && !is_serializable(p))
        missing = "a view of commit, a certifier, or locks of reads, writes and what is absent";
    else if (level_is_snapshot(p->level) && !is_snapshot(p) && !is_serializable(p))
        missing = "a view of transaction, and first_updater or a certifier";
    else if (is_strict && p->timing != TIMING_FULL)
        missing = "a timing of full";
    if (!missing)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "level %s needs %s", level_name(p->level), missing);
}

enum status profile_check(const struct profile *p, struct error *err)
{
    bool locks = p->locks_writes || p->locks_reads || p->locks_for;
    const char *what = NULL;

    if (p->ignores_times && p->timing != TIMING_NONE)
        what = "ignores_times contradicts a timing other than none";
    else if (locks && p->timing == TIMING_NONE)
        what = "locks are judged by times: they need a timing other than none";
    else if (p->by_operations && p->timing == TIMING_NONE)
        what = "by_operations is about times: it needs a timing other than none";
    else if (p->locks_absent && !p->locks_reads && !p->locks_for)
        what = "locks_absent is about reads that lock: it needs locks_reads or locks_for";
    else if (p->reads_any && !has_instants_of_its_own(p))
        what = "reads_any needs a view of statement or row";
    else if (p->certifier == CERTIFIER_WRITE_SKEW && p->view != VIEW_TRANSACTION)
        what = "write-skew is about snapshots: it needs a view of transaction";
    else if (p->certifier == CERTIFIER_WRITE_SKEW &&
             (p->timing != TIMING_FULL || !p->first_updater))
        what = "write-skew stands upon first_updater and a timing of full";
    else if (p->certifier == CERTIFIER_CONCURRENT_VERSIONS && p->view != VIEW_TRANSACTION)
        what = "concurrent-versions is about snapshots: it needs a view of transaction";
    if (what)
        return error_set(err, STATUS_BAD_INPUT, "%s", what);
    return check_level(p, err);
}
