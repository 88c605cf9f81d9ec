/*
 * history_check_private: what the two halves of history_check() share. history_check.c looks at the names, types
 * and values of a history, history_check_ops.c at what transactions did with them.
 */
#ifndef HISTORY_HISTORY_CHECK_PRIVATE_H
#define HISTORY_HISTORY_CHECK_PRIVATE_H

#include "base/intern.h"
#include "history/history.h"
#include "history/history_private.h"
#include "history/tables.h"

struct history_check {
    const struct history *h;
    struct intern table_names;
    struct tables tables;
    struct buffer scratch;
    /* NULL without tables. */
    uint32_t *key_table;   /* by key, its table or none */
    uint32_t *shape_table; /* by shape, the table whose rows have it, or none */
    uint32_t *row_key;     /* by row, the key that it was found to spell, or none */
    uint32_t *key_stamp;   /* by key, what touched it last; see history_check_clear_stamps() */
};

/* Refuses an element: "column op_key, element 17: ...". */
enum status history_check_refuse(enum history_column column, size_t element, struct error *err,
                                 const char *format, ...) PRINTF_LIKE(4, 5);
/* Whether the value points where it may; kinds that never hold a value are refused. */
bool history_check_value_is_sound(const struct history *, uint8_t kind, int64_t bits);
/* Of a key that is a row of some table: the value is a whole row with that key. */
MUST_USE enum status history_check_row_value(struct history_check *, enum history_column column,
                                             size_t element, uint32_t key, struct value value,
                                             struct error *);
MUST_USE enum status history_check_clear_stamps(struct history_check *, struct error *);

/* --- history_check_ops.c, each behind the one before --- */

MUST_USE enum status history_check_txns(struct history_check *, struct error *);
MUST_USE enum status history_check_ops(struct history_check *, struct error *);
MUST_USE enum status history_check_statements(struct history_check *, struct error *);
MUST_USE enum status history_check_sets(struct history_check *, struct error *);
MUST_USE enum status history_check_orders(struct history_check *, struct error *);

#endif
