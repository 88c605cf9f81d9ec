/*
 * audit: whether the witness of an audit is true.
 *
 * docs/format-witness-audit.md says what has to be so. What is valid is replayed in its order, each
 * transaction on the states that it is said to have seen, in time linear in log and witness up to logarithms.
 * What is invalid is tried again, all executions of it, up to a number of runs.
 *
 *     audit_witness.c   what stands in the file
 *     audit.c           which transactions there are, and in which order; the valid ones
 *     audit_replay.c    one transaction: its states and its answers
 *     audit_refute.c    the invalid ones: all executions, or
 *     audit_outcomes.c  what each transaction may have written, by
 *     brancher.c, possible_rows.c, split_rows.c, surely.c, table_facts.c
 *     session.c         a program, its tables, a transaction on them, by
 *     reader.c, read_*.c  the program as formulas,
 *     evaluate.c, select.c, write.c, perform.c  walking these, and
 *     row_states.c        rows in all states
 */
#ifndef VERIFY_CALLS_AUDIT_H
#define VERIFY_CALLS_AUDIT_H

#include "history/call_log.h"
#include "verify/verify.h"

/* The bytes are changed. An error is what is no witness, or memory. */
MUST_USE enum status audit_verify(const struct call_log *, struct text program_source, char *witness,
                                  size_t size, struct verify_exactness, struct verification *,
                                  struct error *);

#endif
