/* builder_tables: lists, rows and statements of a history that is being built, for the other files of the builder. */
#ifndef HISTORY_BUILDER_TABLES_PRIVATE_H
#define HISTORY_BUILDER_TABLES_PRIVATE_H

#include "history/builder_private.h"

/* Whether each key that is a row of some table can be one. */
MUST_USE enum status builder_check_keys(struct builder *, struct error *);
/* Refuses a value that is wrong for the row that the key names. */
MUST_USE enum status builder_check_row_value(struct builder *, uint32_t key, struct value,
                                             struct error *);

#endif
