/*
 * audit_outcomes: refutes a long log by what each of its transactions can have written.
 *
 * Transactions that may write are taken in the order of ts. Of each one all is tried that it may have seen
 * (brancher.c), by what those before it may have written. What it writes in a run that answers as the log has it is a
 * possible outcome of it. So the outcomes that a transaction has in an execution are among its possible outcomes; a
 * committed one that has none refutes the log. Where all runs of a transaction are known, outcomes of others that are
 * in none of them are dropped.
 *
 * One that has too many outcomes has those of each row by itself. One that has too many runs is run on what each row
 * may hold by itself. Both are more than there are, never less.
 *
 * Nobody knows what was done by a transaction outside the core, by one without a place, by one that has too many runs
 * or contents of a row all the same, or meets a row of which nobody knows what it holds: such rows are in doubt, if it
 * can be told which they are (surely.c), and else the log is not refuted.
 *
 * A transaction that writes nothing has no place, so it may see what was written later. Whoever is not sure to write
 * (surely.c) may have written nothing; later states are tried only if that is all that it may have done.
 *
 * At the serial levels only those that write the same row stand in the order of ts: any other row is seen as it was
 * at any time. There outcomes are added until no run gives a new one.
 */
#ifndef VERIFY_CALLS_AUDIT_OUTCOMES_PRIVATE_H
#define VERIFY_CALLS_AUDIT_OUTCOMES_PRIVATE_H

#include "verify/calls/audit_replay_private.h"

struct outcomes_job {
    struct audit_replay *a;
    enum audited_model model;
    const struct logged_txn **txns; /* the core, without the aborted ones */
    uint32_t count;
    const struct logged_txn **outside; /* what is not in it, and could make a difference */
    uint32_t outside_count;
    uint64_t runs;       /* that were made */
    int64_t refuted;     /* the transaction that has no outcome */
    char why[300];       /* it is not refuted */
};

/* The initial rows are there, and nothing else; nothing else is left behind. */
bool audit_outcomes_refute(struct outcomes_job *);

#endif
