/*
 * builder: makes a history from its beginning to its end.
 *
 *     builder_init(&b);
 *     builder_add_table(...), builder_add_initial(...)
 *     for each transaction, in the order of its session:
 *         builder_begin_txn(&b, id, session, TXN_OK, &err);
 *         builder_add_op(&b, OP_WRITE, key, value, &err); builder_set_op_at(&b, ...);
 *     for each key: builder_begin_order(&b, key, &err); builder_add_version(...);
 *     builder_finish(&b, &history, &err);
 *
 * Used by the store, the readers of files and the tests. Whoever reads a file
 * reports the builder's refusals with the line at hand: whatever can be known
 * to be wrong when it is added is refused then, and the rest at the end. After
 * a refusal the builder may only be closed. A column exists from the first
 * value that needs it. Nothing here is slower than it must be: adding an item
 * operation is five stores.
 */
#ifndef HISTORY_BUILDER_H
#define HISTORY_BUILDER_H

#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "history/history.h"

struct builder; /* at the end of this file: visible so that it can stand on the stack */

void builder_init(struct builder *);
void builder_close(struct builder *);

/* The header. Each at most once, before the first transaction. */
MUST_USE enum status builder_set_workload(struct builder *, struct text, struct error *);
MUST_USE enum status builder_set_producer(struct builder *, struct text, struct error *);
void builder_set_unique(struct builder *, bool);
/* A table, then its columns, then its key's columns, then the next; before initial values. */
MUST_USE enum status builder_add_table(struct builder *, struct text name, uint32_t *table,
                                       struct error *);
MUST_USE enum status builder_add_column(struct builder *, struct text name, struct text type,
                                        struct error *);
MUST_USE enum status builder_add_key_column(struct builder *, struct text name, struct error *);
/* After the last key column: a table without columns or key is refused. */
MUST_USE enum status builder_end_table(struct builder *, struct error *);
MUST_USE enum status builder_add_initial(struct builder *, uint32_t key, struct value,
                                         struct error *);

/* Numbers for names; the same name gives the same number. */
MUST_USE enum status builder_key(struct builder *, struct text, uint32_t *key, struct error *);
MUST_USE enum status builder_row_key(struct builder *, uint32_t table, struct text primary_key,
                                     uint32_t *key, struct error *);
MUST_USE enum status builder_text(struct builder *, struct text, uint32_t *text, struct error *);
/* The table's number, or HISTORY_NONE. */
uint32_t builder_find_table(const struct builder *, struct text name);

static inline struct value value_null(void)
{
    return (struct value){ VALUE_NULL, 0 };
}

static inline struct value value_none(void)
{
    return (struct value){ VALUE_NONE, 0 };
}

static inline struct value value_integer(int64_t number)
{
    return (struct value){ VALUE_INTEGER, number };
}

static inline struct value value_boolean(bool truth)
{
    return (struct value){ VALUE_BOOLEAN, truth };
}

MUST_USE enum status builder_text_value(struct builder *, struct text, struct value *,
                                        struct error *);
MUST_USE enum status builder_list(struct builder *, const int64_t *elements, size_t count,
                                  struct value *, struct error *);

/* A cell of a row that is being put together. */
struct named_value {
    struct text name;
    struct value value;
};

/*
 * A row object. `table` is the table its key belongs to, or HISTORY_NONE: of a
 * table the row must be whole, each column of its type, and is kept in the
 * order of the table's columns; otherwise it is kept in the order given.
 */
MUST_USE enum status builder_row(struct builder *, uint32_t table, const struct named_value *,
                                 size_t count, struct value *, struct error *);
/* Refuses what could be no key: a row's that does not spell columns of its table's key. */
MUST_USE enum status builder_know_key(struct builder *, uint32_t key, struct error *);
/* The table that a key `t/7` is a row of, or HISTORY_NONE. */
uint32_t builder_table_of_key(const struct builder *, uint32_t key);

/* Transactions. Ids are unique; a session is any number. */
MUST_USE enum status builder_begin_txn(struct builder *, int64_t id, int64_t session,
                                       enum txn_status, struct error *);
/* Of the transaction begun last, also after its operations. */
MUST_USE enum status builder_set_txn_at(struct builder *, int64_t invoked, int64_t completed,
                                        struct error *);
MUST_USE enum status builder_set_ts(struct builder *, struct place, struct error *);
MUST_USE enum status builder_set_snapshot(struct builder *, struct place, struct error *);
/* One part or two. */
MUST_USE enum status builder_set_origin(struct builder *, struct place, struct error *);

/*
 * All of the transaction has been told: refuses times of operations outside its own. To be called
 * where the refusal should come at once; builder_finish() asks for all transactions.
 */
MUST_USE enum status builder_end_txn(const struct builder *, struct error *);

/* An item operation: OP_READ, OP_WRITE, OP_APPEND, OP_REMOVE. */
static inline MUST_USE enum status builder_add_op(struct builder *, enum op_kind, uint32_t key,
                                                  struct value, struct error *);
/* A statement: its head; then its rows, in order; then builder_end_statement(). */
struct statement {
    enum op_kind kind; /* OP_SELECT to OP_DELETE */
    uint32_t table, where, order; /* texts or HISTORY_NONE */
    int64_t limit;                /* or -1 */
    unsigned flags;               /* enum statement_flag */
};

MUST_USE enum status builder_begin_statement(struct builder *, const struct statement *,
                                             struct error *);
/*
 * `key` is a whole key; what the row is, read, written or removed, follows from
 * the head. A removed row has no value, or null.
 */
MUST_USE enum status builder_add_row(struct builder *, uint32_t key, struct value, struct error *);
MUST_USE enum status builder_add_aggregate(struct builder *, struct text name, struct value,
                                           struct error *);
/* The same by the number of its name's text. */
MUST_USE enum status builder_add_aggregate_of(struct builder *, uint32_t name, struct value,
                                              struct error *);
MUST_USE enum status builder_end_statement(struct builder *, struct error *);

/* Of the item operation added last, or of the head of the statement ended last. */
MUST_USE enum status builder_set_op_at(struct builder *, int64_t invoked, int64_t completed,
                                       struct error *);
MUST_USE enum status builder_set_op_snapshot(struct builder *, struct place, struct error *);
/* Only a read or a select can lock. */
void builder_set_op_lock(struct builder *, enum op_flag);
MUST_USE enum status builder_set_op_error(struct builder *, struct text, struct error *);

/*
 * A version by name: the write number `nth` (from 1) of a key in a transaction,
 * or with nth 0 its last; with is_initial the version before all writes.
 */
struct version_name {
    int64_t txn_id;
    uint32_t nth;
    bool is_initial;
};

/* An entry of that operation's own version set. Its transaction may come later. */
MUST_USE enum status builder_add_set_entry(struct builder *, uint32_t key, struct version_name,
                                           struct error *);
/* That operation has a version set, if only an empty one. */
MUST_USE enum status builder_begin_set(struct builder *, struct error *);

/*
 * Version orders, after all transactions. Each key once; of each writer its last version, and perhaps
 * others. The end of an order looks at that, or the next order, or builder_finish().
 */
MUST_USE enum status builder_begin_order(struct builder *, uint32_t key, struct error *);
MUST_USE enum status builder_add_version(struct builder *, struct version_name, struct error *);
MUST_USE enum status builder_end_order(const struct builder *, struct error *);

/* The line that what is added from now on stands on, for errors found at the end. */
void builder_set_line(struct builder *, uint64_t line);

/*
 * Checks what could not be checked before, and hands the columns over. The
 * builder is empty afterwards, whatever the outcome.
 */
MUST_USE enum status builder_finish(struct builder *, struct history *, struct error *);

/* A write by its transaction and its operation. */
struct builder_write {
    uint32_t txn, op;
};

/* Finds a list or row that equals one being added; see builder_tables.c. */
struct value_slots {
    struct intern_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
};

struct builder {
#define BUILDER_GROUP(group) size_t group##_count, group##_room;
    HISTORY_GROUPS(BUILDER_GROUP)
#undef BUILDER_GROUP
#define BUILDER_COLUMN(group, type, name, extra, optional) type *name;
    HISTORY_COLUMNS(BUILDER_COLUMN)
#undef BUILDER_COLUMN

    uint32_t workload, producer;
    int8_t unique;
    bool in_table, in_statement;
    bool op_is_careful; /* adding an item operation takes more than stores */

    struct intern keys, texts;
    struct map sessions;
    int64_t session_last;
    uint32_t session_last_number;
    bool ids_rise;   /* then a transaction is found by bisection, and */
    struct map txns; /* otherwise by this: id to number */

    struct intern table_names;
    struct intern shapes;          /* table or none, then the columns' names, as bytes */
    struct map shape_columns;      /* shape and name to column */
    ARRAY(uint32_t) key_table;     /* of the keys seen so far by the tables */
    ARRAY(uint32_t) key_statement; /* the last that had a row with this key, plus one */
    ARRAY(uint32_t) text_statement; /* likewise the last that had a value of this name */
    struct value_slots list_slots, row_slots;
    ARRAY(struct value) cells;     /* of the row at hand */
    ARRAY(uint32_t) names;         /* of the row at hand */
    struct buffer scratch;

    ARRAY(struct version_name) set_names; /* beside set_version until the end */
    ARRAY(uint64_t) set_lines;            /* beside set_op */
    uint64_t line;

    ARRAY(uint8_t) key_marks; /* by key: has an initial value, has a version order */
    ARRAY(uint64_t) key_writes; /* see builder_versions.c */
    ARRAY(struct builder_write) writes;
    ARRAY(uint8_t) listed; /* beside writes: it stands in a version order */
    size_t order_hint;     /* behind the version listed last */
};

/*
 * For who reads much and has looked at it already: what follows refuses nothing
 * but want of memory. A row of a table has its cells in the table's order, each
 * of its column's kind, and the key of the operation it goes with.
 */

/* Whether these are the cells of that row of the same table. */
bool builder_row_is(const struct builder *, size_t row, const struct value *cells);
/* The hash of such a row; the memory that builder_whole_row() will look at is asked for. */
uint64_t builder_expect_row(const struct builder *, uint32_t table, const struct value *cells);
MUST_USE enum status builder_whole_row(struct builder *, uint32_t table, const struct value *cells,
                                       uint64_t hash, struct value *, struct error *);
/* An item operation, or a row of the statement at hand: rows are counted by the next. */
static inline MUST_USE enum status builder_add_sound_op(struct builder *, enum op_kind,
                                                        uint32_t key, struct value,
                                                        struct error *);
void builder_count_rows(struct builder *, size_t count);

/* Makes room for one more operation. */
MUST_USE enum status builder_grow_ops(struct builder *, struct error *);

/* What builder_add_op() does but for the stores. */
MUST_USE enum status builder_prepare_op(struct builder *, enum op_kind, uint32_t key, struct value,
                                        struct error *);

static inline enum status builder_add_op(struct builder *b, enum op_kind kind, uint32_t key,
                                         struct value value, struct error *err)
{
    if (b->op_is_careful || key >= b->keys.end.count || !op_may_have_value(kind, value.kind))
        TRY(builder_prepare_op(b, kind, key, value, err));
    return builder_add_sound_op(b, kind, key, value, err);
}

static inline enum status builder_add_sound_op(struct builder *b, enum op_kind kind, uint32_t key,
                                               struct value value, struct error *err)
{
    size_t op = b->op_count;

    if (op == b->op_room)
        TRY(builder_grow_ops(b, err));
    b->op_kind[op] = (uint8_t)kind;
    b->op_flags[op] = 0;
    b->op_value_kind[op] = value.kind;
    b->op_key[op] = key;
    b->op_value[op] = value.bits;
    b->op_count = op + 1;
    return STATUS_OK;
}

#endif
