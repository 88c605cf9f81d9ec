/*
 * builtin_listed: runs the listed transactions of a workload, and lists those that
 * were drawn.
 *
 * A step is an operation. Conditions ask nothing of anybody: they are settled as
 * soon as the operation before them is over.
 */
#ifndef PROGRAMS_WORKLOADS_BUILTIN_LISTED_PRIVATE_H
#define PROGRAMS_WORKLOADS_BUILTIN_LISTED_PRIVATE_H

#include "programs/workloads/builtin_private.h"

/* As builtin_begin() and so on have them. */
void builtin_listed_begin(struct builtin_txn *);
struct builtin_request builtin_listed_next(const struct builtin_txn *);
void builtin_listed_answer(struct builtin_txn *, const struct builtin_row *, uint64_t count);
bool builtin_listed_saw_broken(const struct builtin_txn *, struct buffer *sentence);
/* Every row it wrote or inserted counts as its key. */
MUST_USE enum status builtin_listed_tally(struct builtin_tally *, const struct builtin_txn *,
                                          bool acknowledged, struct error *);
/* What a listing has for a request; a read, a write and a condition of what was read. */
struct listed_op builtin_listed_op(const struct builtin_request *);
struct listed_op builtin_listed_read(enum listed_term name, uint64_t key);
/* Of what a term has, and so much more. */
struct listed_op builtin_listed_write(const struct builtin_txn *, uint64_t key, enum listed_term,
                                      int64_t more);
struct listed_op builtin_listed_if(enum listed_kind, unsigned terms, enum listed_comparison,
                                   int64_t bound);
/* All but the last go with the next. */
void builtin_list_together(struct listed *, const struct listed_op *, uint32_t count);

#endif
