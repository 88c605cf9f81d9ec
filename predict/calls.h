/*
 * calls: what the transactions of a history called, from a log of calls (history/call_log.h).
 *
 * Only calls of functions can be executed again as the clients would: of statements nobody knows what the client
 * would have done with other answers.
 */
#ifndef PREDICT_CALLS_H
#define PREDICT_CALLS_H

#include "history/call_log.h"
#include "predict/director/directed.h"
#include "predict/dataflow.h"
#include "programs/machine/program.h"

/* Executed again in this order: by ts where all have one, otherwise as the log has them. */
struct predict_call {
    int64_t id;       /* the transaction's, in log and history */
    uint32_t session; /* from 0, as they first come */
    int64_t logged_session; /* as the log has it */
    uint32_t position;      /* among the session's in the log, those that did not commit included */
    uint32_t function;
    const struct datum *arguments;
};

struct predict_calls {
    const struct program *program;
    const struct call_log *log;
    uint32_t session_count;
    ARRAY(struct predict_call) calls; /* of those that committed */
    struct heap heap;                 /* arguments that are texts */
    struct arena arena;
};

/* Program and log must outlive it. Closed by predict_calls_close(), also after a failure. */
MUST_USE enum status predict_calls_init(struct predict_calls *, const struct program *,
                                        const struct call_log *, struct error *);
void predict_calls_close(struct predict_calls *);
/* The place of the call of the transaction with this id, or UINT32_MAX. */
uint32_t predict_calls_find(const struct predict_calls *, int64_t id);

/* A directed store with the log's initial rows. */
MUST_USE enum status predict_calls_open(const struct predict_calls *, enum level,
                                        struct directed **, struct error *);

/*
 * What the clients saw if the calls were executed one after another, each reading what was there: a history that is
 * serializable, with version sets. It has ids, sessions and order of the log.
 */
MUST_USE enum status predict_calls_observe(const struct predict_calls *, struct history *,
                                           struct error *);

/* Whether that is what the trace says: who read which key from whom. */
MUST_USE enum status predict_calls_match(const struct predict_calls *, const struct dataflow *, bool *matches,
                                         struct error *);

#endif
