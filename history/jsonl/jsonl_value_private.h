/*
 * jsonl_value: what stands behind the names of fields in native text: values and rows, times, places in an order,
 * and versions.
 */
#ifndef HISTORY_JSONL_JSONL_VALUE_PRIVATE_H
#define HISTORY_JSONL_JSONL_VALUE_PRIVATE_H

#include "history/jsonl/jsonl_fast_private.h"

/* Takes the value of each field of an object. `what` the object is. */
MUST_USE enum status jsonl_each_field(struct jsonl *reader, const char *what,
                                      enum status (*take)(struct jsonl *, struct text name,
                                                          struct error *),
                                      struct error *err);
MUST_USE enum status jsonl_row_object(struct jsonl *reader, uint32_t table, struct value *value,
                                      struct error *err);
/* A value; a row object is a row of `table`, or of none with HISTORY_NONE. */
MUST_USE enum status jsonl_value(struct jsonl *reader, uint32_t table, struct value *value,
                                 struct error *err);
/* [invoked, completed or null] */
MUST_USE enum status jsonl_times(struct jsonl *reader, int64_t *invoked, int64_t *completed,
                                 struct error *err);
MUST_USE enum status jsonl_place(struct jsonl *reader, struct place *place, struct error *err);
MUST_USE enum status jsonl_version(struct jsonl *reader, bool may_be_initial,
                                   struct version_name *version, struct error *err);

#endif
