/*
 * history_check_private: what the parts of history_check() share.
 *
 * Each part may rely on those before it: counts and presence, where parts
 * begin, texts, tables and rows (history_check.c); transactions, operations,
 * statements (history_check_ops.c); version sets and orders
 * (history_check_certificate.c).
 */
#ifndef HISTORY_HISTORY_CHECK_PRIVATE_H
#define HISTORY_HISTORY_CHECK_PRIVATE_H

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
    uint32_t *key_stamp; /* by key, what touched it last; see history_check_clear_stamps() */
};

/* Refuses an element: "column op_key, element 17: ...". */
MUST_USE enum status history_check_refuse(enum history_column, size_t element, struct error *,
                                          const char *format, ...) PRINTF_LIKE(4, 5);

MUST_USE enum status history_check_clear_stamps(struct history_check *, struct error *);

/* Whether the value points where it may; kinds that never hold a value are refused. */
bool history_check_value_is_sound(const struct history *, uint8_t kind, int64_t bits);
/* Of a key that is a row of some table: the value is a whole row with that key. */
MUST_USE enum status history_check_row_value(struct history_check *, enum history_column,
                                             size_t element, uint32_t key, struct value,
                                             struct error *);
/* Refuses a number that comes twice. */
MUST_USE enum status history_check_distinct(enum history_column, const int64_t *numbers,
                                            size_t count, struct error *);

MUST_USE enum status history_check_txns(struct history_check *, struct error *);
MUST_USE enum status history_check_ops(struct history_check *, struct error *);
MUST_USE enum status history_check_statements(struct history_check *, struct error *);
MUST_USE enum status history_check_sets(struct history_check *, struct error *);
MUST_USE enum status history_check_orders(struct history_check *, struct error *);

#endif
