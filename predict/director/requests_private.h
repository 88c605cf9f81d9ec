/*
 * requests: what a machine asks of a directed store, answered; and kept for the history.
 *
 * A read that pins the primary key is of these rows, also of rows that are not there. Any other is of every row that
 * its table ever had, but for those whose keys the filter rules out: of each some version, of which the row may be
 * missing. A row that the transaction has read or written before is as it was, or as it wrote it.
 */
#ifndef PREDICT_DIRECTOR_REQUESTS_PRIVATE_H
#define PREDICT_DIRECTOR_REQUESTS_PRIVATE_H

#include "predict/director/directed_private.h"

/* Copies that last as long as the transaction at hand. */
MUST_USE enum status requests_keep_row(struct directed *, const struct datum *, uint32_t count,
                                       const struct datum **row, struct error *);
MUST_USE enum status requests_keep_text(struct directed *, const struct buffer *, struct text *,
                                        struct error *);

/* The number of a row's key, which whoever looks through the table finds from now on. */
MUST_USE enum status requests_key_of_row(struct directed *, uint32_t table, const struct datum *row,
                                         uint32_t *key, struct error *);

/* Answers a READ. */
MUST_USE enum status requests_read(struct directed *, struct machine *, const struct request *,
                                   struct error *);
/* A WRITE, which is not answered. *is_refused: some key has a newer version than the transaction may have seen. */
MUST_USE enum status requests_write(struct directed *, const struct request *, bool *is_refused,
                                    struct error *);

/* By the ranks at hand; NULL: there is no row. */
const struct datum *requests_final_row(const struct directed *, uint32_t key);

#endif
