/*
 * jepsen_events: what processes invoke and complete, as transactions.
 *
 * An event's value is where it stands in the text: it is read when the outcome is known, an
 * ok's from the completion, all others' from the invocation. Whoever reads events, as maps or from
 * the lines of a log, hands them over one after another; see jepsen.c for what becomes of them.
 */
#ifndef HISTORY_FOREIGN_JEPSEN_EVENTS_H
#define HISTORY_FOREIGN_JEPSEN_EVENTS_H

#include "history/foreign/draft.h"
#include "history/foreign/edn.h"

enum event_type { EVENT_INVOKE, EVENT_OK, EVENT_FAIL, EVENT_INFO, EVENT_TYPE_COUNT };

enum function { F_TXN, F_READ, F_WRITE, F_CAS, FUNCTION_COUNT };

struct event {
    bool has_process, has_type, has_function;
    int64_t process, time; /* TIME_ABSENT */
    int64_t index;         /* or -1 */
    unsigned type, function;
    const char *value; /* where it begins; NULL: there is none */
};

/* A process, and what it is doing. */
struct process {
    int64_t session;
    uint32_t txn;      /* valid if it is busy */
    const char *value; /* of the invocation */
    unsigned function;
    bool is_busy;
};

struct jepsen_reader {
    struct edn edn;
    struct draft draft;
    struct map numbers; /* process to its place */
    ARRAY(struct process) processes;
    int64_t next_session;
    bool has_invocations, lacks_times;
    ARRAY(int64_t) elements; /* of the list at hand */
    struct buffer name;      /* of the key at hand */
};

/* The lexer is the caller's, who begins and closes it. */
void jepsen_begin(struct jepsen_reader *, struct edn);
void jepsen_close(struct jepsen_reader *);

/* Takes what the event's type and function are from names: `invoke`, `txn`. */
void jepsen_name_type(const struct edn *, const struct edn_scalar *, struct event *);
void jepsen_name_function(const struct edn *, const struct edn_scalar *, struct event *);
/* Afterwards the lexer is wherever the value was. */
MUST_USE enum status jepsen_add_event(struct jepsen_reader *, const struct event *, struct error *);
/* After the last: whoever is still busy never completes. */
MUST_USE enum status jepsen_end(struct jepsen_reader *, struct error *);

#endif
