/*
 * predicate_read: compares what statements returned with all versions of the rows of their table.
 *
 * Consistent read of what was looked for. A statement that returns the rows that match says of
 * every other row of the table that its view saw a version that does not match, or none:
 *
 *     w1  v=30  |--|                        matches
 *     w2  v=5        |--|                   does not
 *     select v >= 10   |--|   {}            sees w2, or it comes before w1
 *     select v >= 10            |--|  {}    sees w2
 *
 * None that its view may see is such a version: the row is missing, whatever the instants were.
 * Just one: it is that one. Rows that were updated or deleted because they match are seen
 * likewise, in a version that does.
 *
 * Less is said of dependencies than of items: who looks for rows depends on who made the
 * row match, or not match, and not on others who wrote it (Adya's predicate dependencies). So
 * a version that fits what was seen stands in no order to the view but by its instant.
 *
 * Where the view is the commit's instant, the answer came before it:
 *
 *     w1  v=30  |--|
 *     select v >= 40        |--|  {}                            commits |--|
 *     w2  v=20                        |--|
 *
 * As of the commit it is w2 that does not match, though nobody had begun to write it when the
 * answer came: to change a row that does not match into another is in nobody's way. So what fits
 * is looked for as of the view, and then whether something had been there by the answer that fits.
 *
 * Where it is only promised that no read of a key misses its past, a statement may miss what
 * changed a row that does not match into another: of who did that and had committed before it
 * does not follow that he comes before in the order of timestamps.
 *
 * A statement that locks, or that reads row by row, may see each row as of an instant of its
 * own, and a row that was deleted and inserted meanwhile not at all. There a row is missing only if
 * one version alone can have been there all the time.
 */
#ifndef CHECKERS_INTERVAL_MECHANISMS_PREDICATE_READ_H
#define CHECKERS_INTERVAL_MECHANISMS_PREDICATE_READ_H

#include "checkers/interval/interval_model_private.h"

/* A statement of the transaction that is being added: an access more. */
MUST_USE enum status predicate_read_add(struct interval_model *, struct live_txn *,
                                        const struct interval_trace *, const struct trace_query *,
                                        struct time_window at, struct error *);
/* The rows of an operation that is left out, or all of those of a transaction. */
void predicate_read_drop_op(struct interval_model *, const struct trace_op *);
void predicate_read_drop_trace(struct interval_model *, const struct interval_trace *);
/* What a transaction holds of statements and rows. */
void predicate_read_close(struct interval_model *, struct live_txn *);
void predicate_read_close_all(struct interval_model *);
/* The write comes to be what the transaction that is being judged sees of the key. */
void predicate_read_pass_write(struct interval_model *, const struct live_txn *, uint32_t access);
/* Whether this is a row that the query looks for. */
enum predicate_answer predicate_read_matches(struct interval_model *, const struct live_query *,
                                             uint64_t value, uint32_t row);

MUST_USE enum status predicate_read_judge(struct interval_model *, struct live_txn *,
                                          uint32_t access, struct error *);
/* A version is there: who looked for it before comes before it. */
MUST_USE enum status predicate_read_installed(struct interval_model *, uint32_t key,
                                              uint32_t version, struct error *);
/* Likewise of one that had looked at the key. */
MUST_USE enum status predicate_read_overtaken(struct interval_model *, const struct key_reader *,
                                              uint32_t key, uint32_t version, struct error *);

#endif
