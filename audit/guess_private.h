/*
 * guess: rows that a database may have had at first, read off the answers.
 *
 *     balance(1) -> 15, deposit(1, 5), balance(1) -> 20      so account 1 was there, with 15 in it
 *
 * Transactions are run one after another. Where an answer is wrong, rows that were looked for by their primary key
 * are put there, and their cells are set, or moved by as much as the answer is off, until it is right; later answers
 * may correct what earlier ones left open. Nothing is changed for an answer that is right in an older state. Only what
 * an audit finds that begins with these rows counts.
 *
 * A row that is never looked for by its key is not guessed; nor is one of a table without a primary key.
 */
#ifndef AUDIT_GUESS_PRIVATE_H
#define AUDIT_GUESS_PRIVATE_H

#include "audit/first_rows_private.h"
#include "audit/plan_private.h"
#include "base/timeout.h"

/* The transactions of the order, as many as there are. `runs` are added to. */
MUST_USE enum status guess_rows(struct first_rows *, const struct plan *, const uint32_t *order, uint32_t count,
                                struct pace *, uint64_t *runs, struct error *);

#endif
