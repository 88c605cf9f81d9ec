#include "checkers/interval/profile.h"

#include <assert.h>

#include "base/array.h"
#include "checkers/lattice.h"

#define SNAPSHOTS .view = VIEW_TRANSACTION, .timing = TIMING_FULL, .by_operations = true
#define STATEMENTS .view = VIEW_STATEMENT, .timing = TIMING_FULL, .by_operations = true
#define ROW_LOCKS .locks_writes = true, .locks_for = true
#define ALL_LOCKS ROW_LOCKS, .locks_reads = true
#define AT_ONCE .view = VIEW_COMMIT, .timing = TIMING_FULL, .by_operations = true

static const struct profile profiles[] = {
    { "postgresql/serializable", "snapshots, row locks, first updater wins, no cycles",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, ROW_LOCKS, .first_updater = true, .certifies = true },
    { "postgresql/snapshot", "snapshots, row locks, first updater wins", LEVEL_STRICT_SNAPSHOT,
      SNAPSHOTS, ROW_LOCKS, .first_updater = true },
    { "postgresql/read-committed", "a snapshot for each statement, row locks",
      LEVEL_READ_COMMITTED, STATEMENTS, ROW_LOCKS },
    { "innodb/serializable", "locks of all that is read and written", LEVEL_STRICT_SERIALIZABLE,
      AT_ONCE, ALL_LOCKS },
    { "innodb/repeatable-read", "snapshots and row locks", LEVEL_READ_COMMITTED, SNAPSHOTS,
      ROW_LOCKS },
    { "innodb/read-committed", "a snapshot for each statement, row locks", LEVEL_READ_COMMITTED,
      STATEMENTS, ROW_LOCKS },
    { "tidb/snapshot", "optimistic: snapshots, and no concurrent versions", LEVEL_STRICT_SNAPSHOT,
      SNAPSHOTS, ROW_LOCKS, .first_updater = true },
    { "tidb/read-committed", "a snapshot for each statement, row locks", LEVEL_READ_COMMITTED,
      STATEMENTS, ROW_LOCKS },
    { "rocksdb/snapshot", "snapshots, first updater wins", LEVEL_STRICT_SNAPSHOT, SNAPSHOTS,
      .first_updater = true },
    { "sqlite/serializable", "snapshots, one writer at a time, and none on an old snapshot",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, .locks_writes = true, .first_updater = true,
      .certifies = true },
    { "foundationdb/serializable", "snapshots, and reads that are validated",
      LEVEL_STRICT_SERIALIZABLE, SNAPSHOTS, .certifies = true },
    { "singlestore/read-committed", "a snapshot for each statement, row locks",
      LEVEL_READ_COMMITTED, STATEMENTS, ROW_LOCKS },
    { "cockroachdb/serializable", "timestamp ordering; no read of a key misses its past",
      LEVEL_SERIALIZABLE, .view = VIEW_COMMIT, .timing = TIMING_KEY },
    { "spanner/serializable", "all at one instant: writes are sent with the commit",
      LEVEL_STRICT_SERIALIZABLE, .view = VIEW_COMMIT, .timing = TIMING_FULL, .hides_own = true },
    { "oracle/snapshot", "snapshots, row locks, first updater wins", LEVEL_STRICT_SNAPSHOT,
      SNAPSHOTS, ROW_LOCKS, .first_updater = true },
    { "oracle/read-committed", "a snapshot for each statement, row locks", LEVEL_READ_COMMITTED,
      STATEMENTS, ROW_LOCKS },
    { "ordeal/mvto", "the simulated store: timestamp ordering", LEVEL_SERIALIZABLE,
      .view = VIEW_COMMIT, .timing = TIMING_KEY },
    { "ordeal/2pl", "the simulated store: locks, all held at one instant",
      LEVEL_STRICT_SERIALIZABLE, AT_ONCE, ALL_LOCKS },
    { "ordeal/occ", "the simulated store: reads are validated at the commit", LEVEL_SERIALIZABLE,
      .view = VIEW_COMMIT, .timing = TIMING_NONE },
    { "ordeal/ssi", "the simulated store: snapshots by clocks, no cycles", LEVEL_SERIALIZABLE,
      .view = VIEW_TRANSACTION, .timing = TIMING_NONE, .first_updater = true, .certifies = true },
    { "ordeal/si", "the simulated store: snapshots by clocks, first committer wins",
      LEVEL_SNAPSHOT, .view = VIEW_TRANSACTION, .timing = TIMING_NONE, .first_updater = true },
    { "ordeal/rc", "the simulated store: a snapshot by clocks for each statement",
      LEVEL_READ_COMMITTED, .view = VIEW_STATEMENT, .timing = TIMING_NONE },
};

const struct profile *profile_all(unsigned *count)
{
    *count = ROW_COUNT(profiles);
    return profiles;
}

const char *const *profile_names(void)
{
    static const char *const names[] = {
        "postgresql/serializable", "postgresql/snapshot", "postgresql/read-committed",
        "innodb/serializable", "innodb/repeatable-read", "innodb/read-committed", "tidb/snapshot",
        "tidb/read-committed", "rocksdb/snapshot", "sqlite/serializable",
        "foundationdb/serializable", "singlestore/read-committed", "cockroachdb/serializable",
        "spanner/serializable", "oracle/snapshot", "oracle/read-committed", "ordeal/mvto",
        "ordeal/2pl", "ordeal/occ", "ordeal/ssi", "ordeal/si", "ordeal/rc",
        NULL,
    };

    static_assert(ROW_COUNT(names) == ROW_COUNT(profiles) + 1, "each profile has its name");
    return names;
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
    bool is_strict = lattice_closing(level) == CLOSED_BY_TIME;
    bool is_snapshot = lattice_is_snapshot(level);

    assert(is_snapshot || lattice_is_serializable(level) || level == LEVEL_READ_COMMITTED);
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
