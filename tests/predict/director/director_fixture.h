/*
 * director_fixture: a small program on a directed store.
 *
 *     step(r1, r2, w1, w2, tag)   reads rows r1 and r2, adds the tag to w1 and w2, one statement each; 0: none
 *     scan(low, high, w, tag)     counts the rows whose v lies between, and writes the tag to w
 *     make(k, tag), drop_row(k)   inserts a row, removes one
 *     note(tag)                   inserts a row with a number of a sequence, and one without a key; counts the latter
 *     fail(w)                     writes, and then raises
 */
#ifndef TESTS_PREDICT_DIRECTOR_DIRECTOR_FIXTURE_H
#define TESTS_PREDICT_DIRECTOR_DIRECTOR_FIXTURE_H

#include "predict/director/directed.h"

extern const char director_program[];

/* Opens a store of it with three rows, 1 to 3, and so many sessions. The program lives until the next. */
struct directed *directed_fixture_open(enum level, uint32_t sessions, bool keeps);
void directed_fixture_close(struct directed *);

/* Calls "step(1, 2, 0, 0, 7)". */
struct directed_outcome directed_fixture_call(struct directed *, uint32_t session, const char *call,
                                              struct director);
/* A transaction drawn from the numbers: mostly step(). */
struct directed_outcome directed_fixture_call_drawn(struct directed *, uint32_t sessions,
                                                    struct random *, struct director);

/* What "total" says of the final state. */
int64_t directed_fixture_evaluate(struct directed *, const char *function);

struct director directed_fixture_director(struct director_state *, enum director_mode,
                                          uint64_t seed);

/* What committed transactions read and wrote, as a history of items: values are writers' numbers plus one. */
void directed_fixture_items(const struct directed *, struct history *);
/* The same with the transaction that goes on, as if it committed, and with its next read. */
void directed_fixture_items_with(const struct directed_read *, uint32_t candidate_writer,
                                 struct history *);

/* Whether the history satisfies the level, by the checkers that need no order. */
bool directed_fixture_holds(const struct history *, enum level);

#endif
