/*
 * dependency_counts: counts the dependencies that times of clients leave open, and those that are deduced.
 *
 * How many dependencies the times of clients leave open, and how many of these the model
 * comes to know (Leopard, sections IV-B and VI-D); interval_model.h says what is counted.
 *
 *     ww   w1 commits |----|                      wr   w1 commits |----|
 *             w2 commits |----|                        reader's view |----|
 *
 *     rw   reader's view |----|
 *              w2 commits |----|
 *
 * What overlaps waits until one of the two is about to be let go: nothing is deduced of them any
 * more then. A read that is judged before the next version is there cannot overlap with it.
 */
#ifndef CHECKERS_INTERVAL_DEPENDENCY_COUNTS_PRIVATE_H
#define CHECKERS_INTERVAL_DEPENDENCY_COUNTS_PRIVATE_H

#include "checkers/interval/read_view_private.h"

/* A read that just one version explains. */
MUST_USE enum status dependency_of_read(struct interval_model *, const struct read_view *,
                                        uint32_t access, uint32_t version, struct error *);
void dependency_of_unclear_read(struct interval_model *, const struct read_view *);
/* The newest version of its key. */
MUST_USE enum status dependency_of_write(struct interval_model *, uint32_t version, struct error *);
/* Counts what was deduced of those of whom one is about to be let go, or of all. */
MUST_USE enum status dependency_counts_decide(struct interval_model *, bool decides_all,
                                              struct error *);

#endif
