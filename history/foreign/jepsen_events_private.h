/*
 * jepsen_events: what processes invoke and complete, as transactions.
 *
 * An event's value is where it stands in the text: it is read when the outcome is known, an
 * ok's from the completion, all others' from the invocation. Whoever reads events, as maps or from
 * the lines of a log, hands them over one after another; see jepsen.c for what becomes of them.
 */
#ifndef HISTORY_FOREIGN_JEPSEN_EVENTS_PRIVATE_H
#define HISTORY_FOREIGN_JEPSEN_EVENTS_PRIVATE_H

#include "base/intern.h"
#include "base/map.h"
#include "history/foreign/draft_private.h"

enum event_type { EVENT_INVOKE, EVENT_OK, EVENT_FAIL, EVENT_INFO, EVENT_TYPE_COUNT };

enum function {
    F_TXN,
    F_READ,
    F_WRITE,
    F_CAS,
    F_ADD,
    F_TRANSFER,
    F_ACQUIRE,
    F_RELEASE,
    FUNCTION_COUNT,
    F_UNSAID = FUNCTION_COUNT /* no :f: that of the invocation, or a transaction */
};

#define JEPSEN_TIME_MAX (INT64_C(1) << 62)

struct event {
    bool has_process, is_numbered, has_type, has_function;
    bool is_odd; /* it has a function, and nobody knows which */
    int64_t process, time; /* TIME_ABSENT */
    int64_t index;         /* or -1 */
    unsigned type, function;
    const char *value; /* where it begins; NULL: there is none */
    const char *place; /* where it stands, for what is wrong with it */
};

/* What a process invoked. */
struct invocation {
    const char *value; /* or NULL */
    uint32_t txn;
    unsigned function;
};

/* A process, and what it is doing. */
struct process {
    int64_t session;
    struct invocation now; /* valid if it is busy */
    bool is_busy;
    bool overlaps; /* completed what it invoked before something else: it is none */
    /* Invoked before `now`, and not completed yet: the first and the last, counted in `left`. */
    uint32_t left_first, left_last, left_count;
};

/* An invocation that the same process left behind for another. */
struct left_invocation {
    struct invocation invocation;
    uint32_t next; /* HISTORY_NONE: it is the last */
};

/* What a test is about whose operations are no transactions; see jepsen_values.c. */
enum family {
    FAMILY_UNSAID,
    FAMILY_REGISTER,
    FAMILY_ADDS,
    FAMILY_BANK,
    FAMILY_MUTEX,
    FAMILY_COMMENTS
};

enum keyed { KEYED_UNSAID, KEYED_NOT, KEYED };

/* Something written that was seen, or not, by reads of all that is written. */
struct comment {
    uint32_t group; /* those of the same are read together */
    uint32_t key;
    uint32_t seen_by; /* the last transaction that saw it, plus one */
};

struct jepsen_reader {
    struct draft_file whole;
    struct map numbers; /* process to its place */
    ARRAY(struct process) processes;
    ARRAY(struct left_invocation) left;
    ARRAY(uint32_t) process_of; /* by transaction */
    int64_t next_session;
    uint64_t bytes_compared;
    bool has_invocations;
    bool has_numbered, has_nameless; /* operations with a process, and without one */
    /* The moment of the last event, which may be beyond its time; see settle_moment(). */
    int64_t now;
    bool has_begun, has_completed_now;
    bool is_surveyed; /* the family was told by all of the file */
    enum family family;
    bool are_txns;               /* reads and writes are lists of operations */
    bool has_sums, has_sets;     /* among what was read of what is added */
    bool has_repeats;            /* among what is added */
    struct map added;
    struct intern odd_elements;  /* of sets: those that are no integers */
    enum keyed keyed;            /* whether registers have keys: [k v] */
    ARRAY(struct comment) comments;
    struct intern groups;
    struct map comment_keys;     /* key to its place */
    struct edn_integers elements; /* of the list at hand */
    struct buffer group, name;   /* of the key at hand */
};

/* The whole is the caller's to begin and end. */
void jepsen_begin(struct jepsen_reader *);
void jepsen_close(struct jepsen_reader *);
/* Forgets what was read, to read the same file once more. */
void jepsen_restart(struct jepsen_reader *);

/* Takes what the event's type and function are from names: `invoke`, `txn`. */
void jepsen_name_type(const struct edn *, const struct edn_scalar *, struct event *);
void jepsen_name_function(const struct edn *, const struct edn_scalar *, struct event *);
/* Afterwards the lexer is wherever the value was. */
MUST_USE enum status jepsen_add_event(struct jepsen_reader *, const struct event *, struct error *);
/* After the last: whoever is still busy never completes. */
MUST_USE enum status jepsen_end(struct jepsen_reader *, struct error *);

/* jepsen_events.c: settles what kind of test it is by all events together. */
struct events {
    ARRAY(struct event) all;
};

/*
 * Which test a history of Jepsen's is of, where its operations are no transactions. A single
 * operation does not say: [3 4] may be what was read of a register whose key is 3, a set, a bank's
 * balances. All of the file does:
 *
 *     acquire, release                            a mutex
 *     transfer, or a read of a map                a bank
 *     add                                         a set or a counter
 *     write, and a read of several values         comments: which writes could be seen
 *     read or write of [[:r k v] ...]             transactions after all
 *     read, write, cas                            registers
 */

MUST_USE enum status jepsen_survey(struct jepsen_reader *, struct events *, struct error *);
/* The same of a format that has registers alone. */
void jepsen_survey_registers(struct jepsen_reader *);

#endif
