/*
 * called_log: logs of calls of the programs in scenarios/programs, from a database that does one call after another, while
 * the calls of 16 clients overlap in time. On request with one planted error.
 */
#ifndef TESTS_AUDIT_CALLED_LOG_H
#define TESTS_AUDIT_CALLED_LOG_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "programs/workloads/calls.h"

#define CALLED_LOG_CLIENTS 16

/* What clients call. */
struct called_program {
    const char *name, *path;
    const struct program_call *calls;
    uint32_t call_count;
};

enum { CALLED_BANK, CALLED_SMALLBANK, CALLED_TWITTER, CALLED_RUBIS, CALLED_TPCC, CALLED_MIXES,
       CALLED_BALANCES = CALLED_MIXES, CALLED_COUNT };

extern const struct called_program called_programs[CALLED_COUNT];

/* What was told wrongly of one call. */
enum called_change {
    CALLED_RIGHT,
    CALLED_DIGIT,    /* a digit of its answer is another */
    CALLED_NOTHING,  /* its answer is null */
    CALLED_STALE,    /* it got the answer that the same call had got before */
    CALLED_LOST,     /* it was acknowledged, and never done */
    CALLED_UNDONE,   /* it failed, and was told that it was done */
    CALLED_REFUSED,  /* it was done, and was told that it failed */
    CALLED_CHANGES
};

extern const char *const called_change_names[CALLED_CHANGES];

struct called_log_spec {
    const struct called_program *called;
    uint64_t transactions, seed;
    enum called_change change;
    uint64_t after; /* the first call behind so many others to which the change can be made */
};

typedef enum status called_log_sink(void *context, struct text line, struct error *);

/* Line by line. *is_changed, if it is not NULL: a call was found for the change. */
MUST_USE enum status called_log_make(const struct called_log_spec *, bool *is_changed, called_log_sink *, void *context,
                                     struct error *);

#endif
