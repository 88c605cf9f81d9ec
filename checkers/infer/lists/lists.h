/*
 * lists: infers version orders from lists, and judges every read of a list.
 */
#ifndef CHECKERS_INFER_LISTS_LISTS_H
#define CHECKERS_INFER_LISTS_LISTS_H

#include "checkers/infer/infer_private.h"

MUST_USE enum status infer_read_lists(struct infer *, struct error *);
void infer_close_lists(struct infer *);
/* Whether the list that was read has elements of transactions that did not commit. */
bool infer_read_is_dirty(const struct infer *, uint32_t op);

#endif
