/*
 * linear_states: gives each state of a key a number.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_STATES_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_STATES_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

MUST_USE enum status linear_states_init(struct states *, const struct history *, struct error *);
void linear_states_close(struct states *);
MUST_USE enum status linear_states_of_value(struct states *, uint32_t key, struct value, uint32_t *state,
                                            struct error *);

/* What an append leaves. */
MUST_USE enum status linear_states_append(struct states *, uint32_t before, int64_t element,
                                          uint32_t *after, struct error *);

/* The same, where nothing is to be numbered anew: else STATE_UNSEEN. */
uint32_t linear_states_find_append(const struct states *, uint32_t before, int64_t element);
void linear_states_tell(struct buffer *, const struct states *, uint32_t state);

#endif
