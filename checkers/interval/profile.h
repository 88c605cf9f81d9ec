/*
 * profile: which of the four mechanisms a database has at an isolation level, and what its
 * instants have to do with time.
 *
 *     postgresql/serializable   a snapshot for a transaction, locks of rows until the end, the
 *                               first updater wins, no cycle of dependencies
 *     innodb/read-committed     a snapshot for a statement, locks of rows
 *     ordeal/2pl                all at one instant, behind the last operation
 *
 * The combinations follow Leopard's table I, and ask for less where the database may do more
 * than the table has room for; those of the simulated store stand beside them. `any` is what
 * every implementation of a level must satisfy: nothing is known of it but that its transactions
 * have instants in an order that explains what they read, within their times where the level is
 * strict; of read-committed, that no transaction reads of one that comes after it (Adya's PL-2,
 * which promises nothing of snapshots).
 */
#ifndef CHECKERS_INTERVAL_PROFILE_H
#define CHECKERS_INTERVAL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "history/level.h"

/* From where a transaction reads. */
enum view {
    VIEW_COMMIT,      /* as of the instant at which it commits */
    VIEW_TRANSACTION, /* as of one instant before */
    VIEW_STATEMENT,   /* as of an instant of each statement */
};

/* What the order of instants has to do with time. */
enum timing {
    TIMING_NONE, /* nothing */
    TIMING_KEY,  /* who begins later sees, of each key, what had completed there */
    TIMING_FULL, /* each instant lies within the times of what it is the instant of */
};

struct profile {
    const char *name, *summary;
    enum level level; /* that it implements */
    enum view view;
    enum timing timing;
    bool reads_any;     /* a read returns what some transaction committed, the last or not */
    bool ignores_times; /* not even a read before the write was invoked says anything */
    bool by_operations; /* commits lie behind the last operation, views before the first read ends */
    bool locks_writes;  /* from the operation to the commit, no other may write */
    bool locks_reads;   /* nor write what was read */
    bool locks_for;     /* nor what was read FOR UPDATE or FOR SHARE */
    bool first_updater; /* of two concurrent writers of a key, one aborts */
    bool certifies;     /* dependencies make no cycle */
    bool hides_own;     /* a transaction need not see its own writes: they are sent with the commit */
};

/* All there are, `any` left out; count is set. */
const struct profile *profile_all(unsigned *count);
/* Their names, ending in NULL. */
const char *const *profile_names(void);
/* NULL: there is none of that name. */
const struct profile *profile_find(struct text name);
/* Of `any` implementation of a level that interval decides. */
struct profile profile_of_level(enum level);

#endif
