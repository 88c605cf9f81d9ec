/*
 * jepsen_events: what processes invoke and complete, as transactions.
 *
 * An event's value is where it stands in the text: it is read when the outcome is known, an
 * ok's from the completion, all others' from the invocation. Whoever reads events, as maps or from
 * the lines of a log, hands them over one after another; see jepsen.c for what becomes of them.
 */
#ifndef HISTORY_FOREIGN_JEPSEN_EVENTS_H
#define HISTORY_FOREIGN_JEPSEN_EVENTS_H

#include "history/foreign/whole.h"

enum event_type { EVENT_INVOKE, EVENT_OK, EVENT_FAIL, EVENT_INFO, EVENT_TYPE_COUNT };

enum function { F_TXN, F_READ, F_WRITE, F_CAS, F_ADD, F_TRANSFER, FUNCTION_COUNT };

struct event {
    bool has_process, is_numbered, has_type, has_function;
    int64_t process, time; /* TIME_ABSENT */
    int64_t index;         /* or -1 */
    unsigned type, function;
    const char *value; /* where it begins; NULL: there is none */
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

/* What a test is about whose operations are no transactions; see jepsen_workloads.c. */
enum family { FAMILY_UNSAID, FAMILY_REGISTER, FAMILY_ADDS, FAMILY_BANK };

enum keyed { KEYED_UNSAID, KEYED_NOT, KEYED };

struct jepsen_reader {
    struct whole whole;
    struct map numbers; /* process to its place */
    ARRAY(struct process) processes;
    ARRAY(struct left_invocation) left;
    ARRAY(uint32_t) process_of; /* by transaction */
    int64_t next_session;
    uint64_t bytes_compared;
    bool has_invocations, lacks_times;
    enum family family;
    bool has_sums, has_sets;     /* among what was read of what is added */
    enum keyed keyed;            /* whether registers have keys: [k v] */
    struct edn_integers elements; /* of the list at hand */
    struct buffer name;          /* of the key at hand */
};

/* The whole is the caller's to begin and end. */
void jepsen_begin(struct jepsen_reader *);
void jepsen_close(struct jepsen_reader *);

/* Takes what the event's type and function are from names: `invoke`, `txn`. */
void jepsen_name_type(const struct edn *, const struct edn_scalar *, struct event *);
void jepsen_name_function(const struct edn *, const struct edn_scalar *, struct event *);
/* Afterwards the lexer is wherever the value was. */
MUST_USE enum status jepsen_add_event(struct jepsen_reader *, const struct event *, struct error *);
/* After the last: whoever is still busy never completes. */
MUST_USE enum status jepsen_end(struct jepsen_reader *, struct error *);

/* jepsen_values.c: the operations that the value at that place stands for. */
MUST_USE enum status jepsen_take_ops(struct jepsen_reader *, uint32_t txn, unsigned function,
                                     const char *value, struct error *);
/* jepsen_workloads.c: which family a function belongs to, all of a history to one. */
MUST_USE enum status jepsen_settle_family(struct jepsen_reader *, unsigned function,
                                          struct error *);
/* The operations of a family that is not registers, from where the lexer is. */
MUST_USE enum status jepsen_take_workload(struct jepsen_reader *, uint32_t txn, unsigned function,
                                          struct error *);
MUST_USE enum status jepsen_name_workload(struct jepsen_reader *, struct error *);

/*
 * Whether a completion's value may belong to that invocation: they differ in what was read
 * alone. Adds what it looked at to `bytes_compared`.
 */
bool jepsen_values_match(struct jepsen_reader *, unsigned function, const char *invoked,
                         const char *completed);

#endif
