#include "history/jsonl/jsonl_fast_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "history/history.h"
#include "history/jsonl/jsonl_fields_private.h"
#include "history/jsonl/jsonl_pieces_private.h"
#include "history/tables.h"

/* --- What is read of a line --- */

#define FAST_CACHE_COUNT ((size_t)1 << 15)
#define FAST_TABLE_COUNT_MAX 256 /* more are not looked through: no line is fast then */

/* Keys of up to sixteen bytes are found by their two words before anybody hashes their bytes. */
struct cached_key {
    uint64_t low, high; /* the bytes, then zeros */
    uint32_t tag;       /* their count, and whose key they are: see tag_of(); 0: free */
    uint32_t number;
};

/* What is known of a key in a history with tables. */
struct known_key {
    int64_t integer;    /* of a row whose key is one integer: that */
    uint32_t statement; /* counted here: the last that has a row with this key */
    uint32_t row;       /* the builder's last with this key, which most reads return; or none */
};

struct fast_column {
    struct literal name; /* `{"id":` of the first, `,"v":` of the others */
    enum column_kind kind;
    bool is_key, is_numeric;
};

struct fast_table {
    struct literal name; /* `"t"` */
    uint32_t column, column_count;
    uint32_t integer_key; /* the only column of its key, if that is an integer; or none */
};

/* An operation, a statement's head, or, behind it, one of its rows: as a history has them. */
struct fast_op {
    uint8_t kind, lock;
    bool has_at, has_set;
    uint32_t key;       /* of a head: its place in `statements` */
    struct value value; /* of a row object: its place in `rows` */
    int64_t invoked, completed;
    struct place snapshot;
    size_t set, set_count; /* in `set` */
};

struct fast_statement {
    struct statement head;
    size_t row_count;
    size_t aggregate, aggregate_count;
};

struct fast_row {
    uint32_t number;     /* the builder's, if it is known already; or none, and then: */
    uint32_t table, key;
    uint64_t hash;
    size_t cell;         /* in `cells` */
};

struct jsonl_fast {
    /* Of the header, from the first line behind it on. */
    bool is_ready, is_off, has_tables;
    ARRAY(struct fast_table) tables;
    ARRAY(struct fast_column) columns;
    struct buffer literals;

    /* Of the line at hand. */
    const char *end;
    ARRAY(struct fast_op) ops;
    ARRAY(struct fast_statement) statements;
    ARRAY(struct fast_row) rows;
    ARRAY(struct value) cells;
    ARRAY(struct jsonl_aggregate) aggregates;
    ARRAY(struct jsonl_set_entry) set;

    uint32_t table_last; /* of the last statement */
    uint32_t statement_count;
    ARRAY(struct known_key) known; /* by key */
    ARRAY(int64_t) elements;
    struct buffer scratch;
    struct error ignored; /* the general parser will come upon it again */
    struct cached_key cache[FAST_CACHE_COUNT];
};

#define SCOPE_WHOLE_KEY 0u /* otherwise the key within a table: its number plus one */

static inline uint32_t tag_of(uint32_t scope, size_t length)
{
    return scope << 8 | (uint32_t)(length + 1);
}

/* --- Keys --- */

static bool fast_pass_new_key(struct jsonl *reader, const char **at, uint32_t scope, uint32_t *key)
{
    struct error *ignored = &reader->fast->ignored;
    struct text text;

    if (!pass_string(at, &text))
        return false;
    if (scope == SCOPE_WHOLE_KEY)
        return builder_key(reader->builder, text, key, ignored) == STATUS_OK;
    return builder_row_key(reader->builder, scope - 1, text, key, ignored) == STATUS_OK;
}

/* The number that a key `t/7` ends with. */
static int64_t integer_of(struct text key)
{
    const char *slash = memchr(key.at, '/', key.length);
    struct text number = { slash + 1, key.length - (size_t)(slash + 1 - key.at) };
    int64_t integer;
    bool is_integer = text_to_int64(number, &integer);

    assert(is_integer); /* the builder has looked */
    return integer;
}

static bool fast_know_keys(struct jsonl *reader, uint32_t key)
{
    const struct builder *builder = reader->builder;
    struct jsonl_fast *fast = reader->fast;

    if (builder_know_key(reader->builder, key, &fast->ignored) != STATUS_OK)
        return false;
    for (size_t k = fast->known.count; k <= key; k++) {
        struct known_key known = { .row = HISTORY_NONE };
        uint32_t table = builder->key_table.at[k];
        if (table != HISTORY_NONE && fast->tables.at[table].integer_key != HISTORY_NONE)
            known.integer = integer_of(intern_text(&builder->keys, (uint32_t)k));
        if (array_push(&fast->known, known, &fast->ignored) != STATUS_OK)
            return false;
    }
    return true;
}

/* The words of a key of up to sixteen bytes and its length, without its quote. */
static inline bool short_key(const char *at, uint64_t *low, uint64_t *high, size_t *length)
{
    uint64_t quotes;

    *low = hash_word(at);
    *high = 0;
    *length = 0;
    quotes = zero_bytes(*low ^ EACH_BYTE('"'));
    if (!quotes) {
        *high = hash_word(at + 8);
        *length = 8;
        quotes = zero_bytes(*high ^ EACH_BYTE('"'));
        if (!quotes)
            return false;
        *high &= bytes_below(quotes);
    } else {
        *low &= bytes_below(quotes);
    }
    *length += (size_t)__builtin_ctzll(quotes) / 8;
    return true;
}

/* Behind the opening quote. A key in the cache is known to be plain. */
static inline bool pass_key(struct jsonl *reader, const char **at, uint32_t scope, uint32_t *key)
{
    struct cached_key *cached;
    uint64_t low, high;
    size_t length;

    if (!short_key(*at, &low, &high, &length))
        return fast_pass_new_key(reader, at, scope, key);
    cached = &reader->fast->cache[hash_fold(low ^ HASH_ODD_1, high ^ scope ^ HASH_ODD_2) %
                                  FAST_CACHE_COUNT];
    if (cached->low == low && cached->high == high && cached->tag == tag_of(scope, length)) {
        *at += length + 1;
        *key = cached->number;
        return true;
    }
    if (!fast_pass_new_key(reader, at, scope, key))
        return false;
    *cached = (struct cached_key){ low, high, tag_of(scope, length), *key };
    return true;
}

/* Whether the builder takes the key; if so, its table or HISTORY_NONE. */
static inline bool know_key(struct jsonl *reader, uint32_t key, uint32_t *table)
{
    *table = HISTORY_NONE;
    if (!reader->fast->has_tables)
        return true;
    if (key >= reader->fast->known.count && !fast_know_keys(reader, key))
        return false;
    *table = reader->builder->key_table.at[key];
    return true;
}

/* --- Values and rows --- */

/*
 * Every row of a table names the same columns in the same order, so each name
 * with its quotes, and what is before and behind it, is compared as a word or
 * two that were made ready when the header had been read.
 */

static inline bool pass_literal(const struct jsonl_fast *fast, const char **at,
                                const struct literal *literal)
{
    uint64_t low = hash_word(*at) ^ literal->low, high = hash_word(*at + 8) ^ literal->high;
    size_t length = literal->length;

    if ((low & literal->low_mask) | (high & literal->high_mask))
        return false;
    if (length > 16 && ((size_t)(fast->end - *at) < length ||
                        memcmp(*at + 16, fast->literals.at + literal->from + 16, length - 16) != 0))
        return false;
    *at += length;
    return true;
}

static enum status learn_column(struct jsonl *reader, uint32_t c, bool is_first, struct error *err)
{
    const struct builder *builder = reader->builder;
    struct text name = intern_text(&builder->texts, builder->table_column_name[c]);
    struct text type = intern_text(&builder->texts, builder->table_column_type[c]);
    struct fast_column column = {
        .name = make_literal(&reader->fast->literals, is_first ? "{" : ",", name, ":"),
        .kind = builder->table_column_kind[c],
        .is_numeric = tables_type_is_numeric(type),
    };

    return array_push(&reader->fast->columns, column, err);
}

static enum status learn_table(struct jsonl *reader, uint32_t t, struct error *err)
{
    const struct builder *builder = reader->builder;
    struct jsonl_fast *fast = reader->fast;
    uint32_t from = builder->table_column_start[t], to = builder->table_column_start[t + 1];
    uint32_t key = builder->table_key_start[t], key_end = builder->table_key_start[t + 1];
    struct fast_table table = {
        .name = make_literal(&fast->literals, "", intern_text(&builder->table_names, t), ""),
        .column = (uint32_t)fast->columns.count,
        .column_count = to - from,
        .integer_key = HISTORY_NONE,
    };

    for (uint32_t c = from; c < to; c++)
        TRY(learn_column(reader, c, c == from, err));
    for (uint32_t k = key; k < key_end; k++)
        fast->columns.at[table.column + builder->table_key_column[k]].is_key = true;
    if (key_end - key == 1 &&
        fast->columns.at[table.column + builder->table_key_column[key]].kind == COLUMN_INTEGER)
        table.integer_key = builder->table_key_column[key];
    return array_push(&fast->tables, table, err);
}

static enum status fast_learn_tables(struct jsonl *reader, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    size_t count = reader->builder->table_count;

    fast->is_ready = true;
    fast->has_tables = count > 0;
    fast->is_off = count > FAST_TABLE_COUNT_MAX;
    for (uint32_t t = 0; t < count && !fast->is_off; t++)
        TRY(learn_table(reader, t, err));
    return buffer_status(&fast->literals, err);
}

static bool fast_pass_table(struct jsonl_fast *fast, const char **at, uint32_t *table)
{
    for (size_t i = 0; i < fast->tables.count; i++) {
        *table = (uint32_t)((fast->table_last + i) % fast->tables.count);
        if (pass_literal(fast, at, &fast->tables.at[*table].name)) {
            fast->table_last = *table;
            return true;
        }
    }
    return false;
}

/* Behind the bracket. */
static bool pass_list(struct jsonl *reader, const char **at, struct value *value)
{
    struct jsonl_fast *fast = reader->fast;

    fast->elements.count = 0;
    if (!PASS(at, "]")) {
        do {
            int64_t element;
            if (!pass_integer(at, &element) ||
                array_push(&fast->elements, element, &fast->ignored) != STATUS_OK)
                return false;
        } while (PASS(at, ","));
        if (!PASS(at, "]"))
            return false;
    }
    return builder_list(reader->builder, fast->elements.at, fast->elements.count, value,
                        &fast->ignored) == STATUS_OK;
}

static bool fast_pass_plain(struct jsonl *reader, const char **at, struct value *value)
{
    struct text text;

    if (PASS(at, "null"))
        *value = value_null();
    else if (PASS(at, "true"))
        *value = value_boolean(true);
    else if (PASS(at, "false"))
        *value = value_boolean(false);
    else if (PASS(at, "["))
        return pass_list(reader, at, value);
    else if (PASS(at, "\""))
        return pass_string(at, &text) && builder_text_value(reader->builder, text, value,
                                                            &reader->fast->ignored) == STATUS_OK;
    else {
        value->kind = VALUE_INTEGER;
        return pass_integer(at, &value->bits);
    }
    return true;
}

/* What a column holds that is no integer, or null. */
static bool pass_other_cell(struct jsonl *reader, const char **at,
                            const struct fast_column *column, struct value *cell)
{
    static const enum value_kind kinds[] = {
        [COLUMN_INTEGER] = VALUE_INTEGER,
        [COLUMN_BOOLEAN] = VALUE_BOOLEAN,
        [COLUMN_TEXT] = VALUE_TEXT,
        [COLUMN_LIST] = VALUE_LIST,
    };

    if (!fast_pass_plain(reader, at, cell))
        return false;
    if (cell->kind == VALUE_NULL)
        return !column->is_key;
    if (cell->kind != kinds[column->kind])
        return false;
    return !column->is_numeric ||
           tables_is_decimal(intern_text(&reader->builder->texts, (uint32_t)cell->bits));
}

static inline bool pass_cell(struct jsonl *reader, const char **at,
                             const struct fast_column *column, struct value *cell)
{
    if (column->kind == COLUMN_INTEGER && **at != 'n') {
        cell->kind = VALUE_INTEGER;
        return pass_integer(at, &cell->bits);
    }
    return pass_other_cell(reader, at, column, cell);
}

/* Whether the cells of the key's columns spell the key. */
static bool cells_spell_key(struct jsonl *reader, uint32_t table, const struct value *cells,
                            uint32_t key)
{
    const struct builder *builder = reader->builder;
    struct buffer *scratch = &reader->fast->scratch;
    struct text text = intern_text(&builder->keys, key);
    const char *slash = memchr(text.at, '/', text.length);
    struct text spelled = { slash, text.length - (size_t)(slash - text.at) };

    buffer_clear(scratch);
    for (uint32_t k = builder->table_key_start[table]; k < builder->table_key_start[table + 1];
         k++) {
        struct value value = cells[builder->table_key_column[k]];
        buffer_byte(scratch, '/');
        tables_spell_part(scratch, value,
                          value.kind == VALUE_TEXT
                              ? intern_text(&builder->texts, (uint32_t)value.bits)
                              : TEXT(""));
    }
    return !scratch->out_of_memory &&
           text_equal(spelled, (struct text){ scratch->at, scratch->count });
}

static inline bool has_key(struct jsonl *reader, uint32_t table, const struct value *cells,
                           uint32_t key)
{
    struct jsonl_fast *fast = reader->fast;
    uint32_t column = fast->tables.at[table].integer_key;

    if (column == HISTORY_NONE)
        return cells_spell_key(reader, table, cells, key);
    return cells[column].bits == fast->known.at[key].integer;
}

static bool fast_pass_row(struct jsonl *reader, const char **at, uint32_t table, uint32_t key,
                          struct value *value)
{
    struct jsonl_fast *fast = reader->fast;
    const struct fast_table *shape = &fast->tables.at[table];
    const struct fast_column *column = fast->columns.at + shape->column;
    struct value *cells, *cell, *end;
    struct fast_row *row;

    if (array_reserve(&fast->cells, shape->column_count, &fast->ignored) != STATUS_OK ||
        array_reserve(&fast->rows, 1, &fast->ignored) != STATUS_OK)
        return false;
    cells = fast->cells.at + fast->cells.count;
    end = cells + shape->column_count;
    for (cell = cells; cell < end; cell++, column++)
        if (!pass_literal(fast, at, &column->name) || !pass_cell(reader, at, column, cell))
            return false;
    if (!PASS(at, "}") || !has_key(reader, table, cells, key))
        return false;
    *value = (struct value){ VALUE_ROW, (int64_t)fast->rows.count };
    row = &fast->rows.at[fast->rows.count++];
    row->number = fast->known.at[key].row;
    if (row->number != HISTORY_NONE && builder_row_is(reader->builder, row->number, cells))
        return true;
    row->number = HISTORY_NONE;
    row->table = table;
    row->key = key;
    row->cell = fast->cells.count;
    row->hash = builder_expect_row(reader->builder, table, cells);
    fast->cells.count += shape->column_count;
    return true;
}

/* --- Operations --- */

#define AGGREGATE_COUNT_MAX 16 /* of a statement: names are compared with one another */

static inline struct fast_op *push_op(struct jsonl_fast *fast, uint8_t kind)
{
    struct fast_op *op;

    if (array_reserve(&fast->ops, 1, &fast->ignored) != STATUS_OK)
        return NULL;
    op = &fast->ops.at[fast->ops.count++];
    op->kind = kind;
    op->lock = 0;
    op->value = value_none();
    return op;
}

static bool pass_text(struct jsonl *reader, const char **at, uint32_t *text)
{
    struct text string;

    return pass_string(at, &string) &&
           builder_text(reader->builder, string, text, &reader->fast->ignored) == STATUS_OK;
}

/* Behind the brace. */
static bool pass_set(struct jsonl *reader, const char **at, struct fast_op *op)
{
    struct jsonl_fast *fast = reader->fast;

    op->set = fast->set.count;
    op->set_count = 0;
    if (PASS(at, "}"))
        return true;
    do {
        struct jsonl_set_entry entry;
        uint32_t table;
        if (!PASS(at, "\"") || !pass_key(reader, at, SCOPE_WHOLE_KEY, &entry.key) ||
            !know_key(reader, entry.key, &table) || !PASS(at, ":") ||
            !pass_version(at, &entry.version) ||
            array_push(&fast->set, entry, &fast->ignored) != STATUS_OK)
            return false;
    } while (PASS(at, ","));
    op->set_count = fast->set.count - op->set;
    return PASS(at, "}");
}

/* What comes behind value and rows, and closes the operation. */
static inline bool pass_rest(struct jsonl *reader, const char **at, struct fast_op *op)
{
    if ((op->kind == OP_READ || op->kind == OP_SELECT) && PASS(at, FIELD(NAME_LOCK) "\"")) {
        op->lock = PASS(at, NAME_SHARE "\"") ? OP_LOCK_SHARE : OP_LOCK_UPDATE;
        if (op->lock == OP_LOCK_UPDATE && !PASS(at, NAME_UPDATE_LOCK "\""))
            return false;
    }
    op->has_at = PASS(at, FIELD(NAME_AT) "[");
    if (op->has_at && !pass_times(at, &op->invoked, &op->completed))
        return false;
    op->snapshot.parts = 0;
    if (PASS(at, FIELD(NAME_SNAPSHOT)) && !pass_place(at, &op->snapshot))
        return false;
    op->has_set = PASS(at, FIELD(NAME_SET) "{");
    if (op->has_set && !pass_set(reader, at, op))
        return false;
    return PASS(at, "}");
}

/* An integer, most of all. The rows of a table are its keys' only values. */
static inline bool pass_value(struct jsonl *reader, const char **at, struct fast_op *op,
                              uint32_t table)
{
    if (table != HISTORY_NONE && **at == '{')
        return fast_pass_row(reader, at, table, op->key, &op->value);
    if (table != HISTORY_NONE || **at == '"' || **at > '9')
        return fast_pass_plain(reader, at, &op->value) &&
               (table == HISTORY_NONE || op->value.kind == VALUE_NULL);
    op->value.kind = VALUE_INTEGER;
    return pass_integer(at, &op->value.bits);
}

/* Behind the quote that opens the key. */
static inline bool pass_item(struct jsonl *reader, const char **at, uint8_t kind)
{
    struct fast_op *op = push_op(reader->fast, kind);
    uint32_t table;

    if (!op || !pass_key(reader, at, SCOPE_WHOLE_KEY, &op->key) ||
        !know_key(reader, op->key, &table))
        return false;
    if (PASS(at, FIELD(NAME_V)) && !pass_value(reader, at, op, table))
        return false;
    return op_may_have_value(kind, op->value.kind) && pass_rest(reader, at, op);
}

/* A primary key and its row, or null where it was deleted. */
static inline bool pass_row(struct jsonl *reader, const char **at,
                            const struct fast_statement *statement, bool is_ordered, uint8_t kind)
{
    struct jsonl_fast *fast = reader->fast;
    struct fast_op *op = push_op(fast, kind);
    uint32_t table;

    if (!op || !PASS(at, "\"") ||
        !pass_key(reader, at, statement->head.table + 1, &op->key) ||
        !know_key(reader, op->key, &table) || table != statement->head.table)
        return false;
    if (is_ordered ? !PASS(at, ",") : !PASS(at, ":"))
        return false;
    /* Without an order a key comes once. */
    if (!is_ordered && fast->known.at[op->key].statement == fast->statement_count)
        return false;
    fast->known.at[op->key].statement = fast->statement_count;
    if (kind == OP_ROW_REMOVE)
        return PASS(at, "null");
    return **at == '{' && fast_pass_row(reader, at, table, op->key, &op->value);
}

/* {PK:row,...}, or in an order that matters [[PK,row],...]. */
static bool pass_rows(struct jsonl *reader, const char **at, struct fast_statement *statement)
{
    bool is_ordered = statement->head.order != HISTORY_NONE || statement->head.limit >= 0;
    uint8_t kind = op_kind_of_rows((uint8_t)statement->head.kind);
    size_t from = reader->fast->ops.count;

    statement->head.flags = STATEMENT_ANSWERED;
    if (is_ordered ? PASS(at, "[]") : PASS(at, "{}"))
        return true;
    if (is_ordered ? !PASS(at, "[") : !PASS(at, "{"))
        return false;
    do {
        if ((is_ordered && !PASS(at, "[")) || !pass_row(reader, at, statement, is_ordered, kind) ||
            (is_ordered && !PASS(at, "]")))
            return false;
    } while (PASS(at, ","));
    statement->row_count = reader->fast->ops.count - from;
    return is_ordered ? PASS(at, "]") : PASS(at, "}");
}

static bool pass_aggregate(struct jsonl *reader, const char **at,
                           const struct fast_statement *statement)
{
    struct jsonl_fast *fast = reader->fast;
    struct jsonl_aggregate aggregate;

    if (fast->aggregates.count - statement->aggregate == AGGREGATE_COUNT_MAX || !PASS(at, "\"") ||
        !pass_text(reader, at, &aggregate.name) || !PASS(at, ":") ||
        !fast_pass_plain(reader, at, &aggregate.value))
        return false;
    for (size_t i = statement->aggregate; i < fast->aggregates.count; i++)
        if (fast->aggregates.at[i].name == aggregate.name)
            return false;
    return array_push(&fast->aggregates, aggregate, &fast->ignored) == STATUS_OK;
}

/* {"min(v)":3,...}, behind the brace. */
static bool pass_aggregates(struct jsonl *reader, const char **at,
                            struct fast_statement *statement)
{
    statement->head.flags = STATEMENT_ANSWERED | STATEMENT_AGGREGATES;
    if (PASS(at, "}"))
        return true;
    do {
        if (!pass_aggregate(reader, at, statement))
            return false;
    } while (PASS(at, ","));
    statement->aggregate_count = reader->fast->aggregates.count - statement->aggregate;
    return PASS(at, "}");
}

/* Predicate, order and limit. */
static bool pass_terms(struct jsonl *reader, const char **at, struct statement *head)
{
    head->where = head->order = HISTORY_NONE;
    head->limit = -1;
    head->flags = 0;
    if (head->kind != OP_INSERT && PASS(at, FIELD(NAME_WHERE) "\"") &&
        !pass_text(reader, at, &head->where))
        return false;
    if (head->kind != OP_SELECT)
        return true;
    if (PASS(at, FIELD(NAME_ORDER) "\"") && !pass_text(reader, at, &head->order))
        return false;
    return !PASS(at, FIELD(NAME_LIMIT)) || (pass_integer(at, &head->limit) && head->limit >= 0);
}

/* Behind the colon before the table's name. */
static bool pass_statement(struct jsonl *reader, const char **at, uint8_t kind)
{
    struct jsonl_fast *fast = reader->fast;
    struct fast_statement statement = { .head.kind = kind, .aggregate = fast->aggregates.count };
    struct fast_op *op = push_op(fast, kind);
    size_t head = fast->ops.count - 1;

    if (!op || !fast_pass_table(fast, at, &statement.head.table) ||
        !pass_terms(reader, at, &statement.head))
        return false;
    op->key = (uint32_t)fast->statements.count;
    fast->statement_count++;
    if (PASS(at, FIELD(NAME_ROWS))) {
        if (!pass_rows(reader, at, &statement))
            return false;
    } else if (kind == OP_SELECT && PASS(at, FIELD(NAME_VALUES) "{")) {
        if (!pass_aggregates(reader, at, &statement))
            return false;
    }
    return array_push(&fast->statements, statement, &fast->ignored) == STATUS_OK &&
           pass_rest(reader, at, &fast->ops.at[head]);
}

static inline bool pass_op(struct jsonl *reader, const char **at)
{
    if (PASS(at, FIRST_FIELD(NAME_READ) "\""))
        return pass_item(reader, at, OP_READ);
    if (PASS(at, FIRST_FIELD(NAME_WRITE) "\""))
        return pass_item(reader, at, OP_WRITE);
    if (PASS(at, FIRST_FIELD(NAME_APPEND) "\""))
        return pass_item(reader, at, OP_APPEND);
    if (PASS(at, FIRST_FIELD(NAME_REMOVE) "\""))
        return pass_item(reader, at, OP_REMOVE);
    if (PASS(at, FIRST_FIELD(NAME_SELECT)))
        return pass_statement(reader, at, OP_SELECT);
    if (PASS(at, FIRST_FIELD(NAME_INSERT)))
        return pass_statement(reader, at, OP_INSERT);
    if (PASS(at, FIRST_FIELD(NAME_UPDATE)))
        return pass_statement(reader, at, OP_UPDATE);
    return PASS(at, FIRST_FIELD(NAME_DELETE)) && pass_statement(reader, at, OP_DELETE);
}

static bool fast_pass_ops(struct jsonl *reader, const char **at)
{
    struct jsonl_fast *fast = reader->fast;

    fast->ops.count = fast->statements.count = fast->rows.count = fast->cells.count = 0;
    fast->aggregates.count = fast->set.count = 0;
    if (PASS(at, "[]"))
        return true;
    if (!PASS(at, "["))
        return false;
    do {
        if (!pass_op(reader, at))
            return false;
    } while (PASS(at, ","));
    return PASS(at, "]");
}

/* --- Lines --- */

/* A transaction until the line has turned out to be canonical. */
struct fast_txn {
    int64_t id, session;
    enum txn_status status;
    bool has_at;
    int64_t invoked, completed;
    struct place ts, snapshot, origin;
};

enum status jsonl_fast_open(struct jsonl *reader, struct error *err)
{
    reader->fast = calloc(1, sizeof *reader->fast);
    if (!reader->fast)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a reader");
    return STATUS_OK;
}

void jsonl_fast_close(struct jsonl *reader)
{
    struct jsonl_fast *fast = reader->fast;

    if (!fast)
        return;
    array_close(&fast->tables);
    array_close(&fast->columns);
    buffer_close(&fast->literals);
    array_close(&fast->ops);
    array_close(&fast->statements);
    array_close(&fast->rows);
    array_close(&fast->cells);
    array_close(&fast->aggregates);
    array_close(&fast->set);
    array_close(&fast->known);
    array_close(&fast->elements);
    buffer_close(&fast->scratch);
    free(fast);
    reader->fast = NULL;
}

static inline bool pass_head(const char **at, struct fast_txn *txn)
{
    if (!PASS(at, FIRST_FIELD(NAME_TXN)) || !pass_integer(at, &txn->id) || !PASS(at, FIELD(NAME_SESSION)) ||
        !pass_integer(at, &txn->session) || !PASS(at, FIELD(NAME_STATUS) "\""))
        return false;
    if (PASS(at, NAME_OK "\""))
        txn->status = TXN_OK;
    else if (PASS(at, NAME_ABORT "\""))
        txn->status = TXN_ABORT;
    else if (PASS(at, NAME_UNKNOWN "\""))
        txn->status = TXN_UNKNOWN;
    else
        return false;
    txn->has_at = PASS(at, FIELD(NAME_AT) "[");
    if (txn->has_at && !pass_times(at, &txn->invoked, &txn->completed))
        return false;
    return PASS(at, FIELD(NAME_OPS));
}

static inline bool pass_tail(const char **at, struct fast_txn *txn)
{
    txn->ts.parts = txn->snapshot.parts = txn->origin.parts = 0;
    if (PASS(at, FIELD(NAME_TS)) && !pass_place(at, &txn->ts))
        return false;
    if (PASS(at, FIELD(NAME_SNAPSHOT)) && !pass_place(at, &txn->snapshot))
        return false;
    if (PASS(at, FIELD(NAME_ORIGIN)) &&
        (!pass_place(at, &txn->origin) || txn->origin.parts > ORIGIN_PARTS_MAX))
        return false;
    return PASS(at, "}");
}

/* The builder's value: of a row, the number that it gives to the cells. */
static inline enum status settle_value(struct jsonl *reader, struct value *value,
                                       struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    const struct fast_row *row;

    if (value->kind != VALUE_ROW)
        return STATUS_OK;
    row = &fast->rows.at[value->bits];
    value->bits = row->number;
    if (row->number == HISTORY_NONE) {
        TRY(builder_whole_row(reader->builder, row->table, fast->cells.at + row->cell, row->hash,
                              value, err));
        fast->known.at[row->key].row = (uint32_t)value->bits;
    }
    return STATUS_OK;
}

static enum status add_set(struct jsonl *reader, const struct fast_op *op, struct error *err)
{
    if (reader->is_excerpt)
        return STATUS_OK;
    TRY(builder_begin_set(reader->builder, err));
    for (size_t i = op->set; i < op->set + op->set_count; i++) {
        const struct jsonl_set_entry *entry = &reader->fast->set.at[i];
        TRY(builder_add_set_entry(reader->builder, entry->key, entry->version, err));
    }
    return STATUS_OK;
}

/* Head and rows, which stand behind it. */
static enum status add_statement(struct jsonl *reader, struct fast_op *head, struct error *err)
{
    const struct fast_statement *statement = &reader->fast->statements.at[head->key];
    struct builder *builder = reader->builder;

    TRY(builder_begin_statement(builder, &statement->head, err));
    for (size_t i = 0; i < statement->aggregate_count; i++) {
        const struct jsonl_aggregate *aggregate =
            &reader->fast->aggregates.at[statement->aggregate + i];
        TRY(builder_add_aggregate_of(builder, aggregate->name, aggregate->value, err));
    }
    for (size_t i = 1; i <= statement->row_count; i++) {
        TRY(settle_value(reader, &head[i].value, err));
        TRY(builder_add_sound_op(builder, (enum op_kind)head[i].kind, head[i].key, head[i].value,
                                 err));
    }
    builder_count_rows(builder, statement->row_count);
    return builder_end_statement(builder, err);
}

static inline enum status add_op(struct jsonl *reader, struct fast_op *op, struct error *err)
{
    struct builder *builder = reader->builder;

    if (op_is_head(op->kind)) {
        TRY(add_statement(reader, op, err));
    } else {
        TRY(settle_value(reader, &op->value, err));
        TRY(builder_add_sound_op(builder, (enum op_kind)op->kind, op->key, op->value, err));
    }
    if (op->lock)
        builder_set_op_lock(builder, (enum op_flag)op->lock);
    if (op->has_at)
        TRY(builder_set_op_at(builder, op->invoked, op->completed, err));
    if (op->snapshot.parts)
        TRY(builder_set_op_snapshot(builder, op->snapshot, err));
    return op->has_set ? add_set(reader, op, err) : STATUS_OK;
}

static enum status add_ops(struct jsonl *reader, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;

    for (size_t i = 0, n = 1; i < fast->ops.count; i++, n++) {
        struct fast_op *op = &fast->ops.at[i];
        if (add_op(reader, op, err) != STATUS_OK)
            return error_wrap(err, "operation %zu", n);
        if (op_is_head(op->kind))
            i += fast->statements.at[op->key].row_count;
    }
    return STATUS_OK;
}

static enum status add_txn(struct jsonl *reader, const struct fast_txn *txn, struct error *err)
{
    struct builder *builder = reader->builder;

    TRY(builder_begin_txn(builder, txn->id, txn->session, txn->status, err));
    TRY(add_ops(reader, err));
    if (txn->has_at)
        TRY(builder_set_txn_at(builder, txn->invoked, txn->completed, err));
    if (txn->ts.parts)
        TRY(builder_set_ts(builder, txn->ts, err));
    if (txn->snapshot.parts)
        TRY(builder_set_snapshot(builder, txn->snapshot, err));
    if (txn->origin.parts)
        TRY(builder_set_origin(builder, txn->origin, err));
    return builder_end_txn(builder, err);
}

enum status jsonl_fast_txn(struct jsonl *reader, struct text line, bool *done, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    const char *at = line.at;
    struct fast_txn txn;

    *done = false;
    if (!fast->is_ready)
        TRY(fast_learn_tables(reader, err));
    fast->end = line.at + line.length;
    if (fast->is_off || !pass_head(&at, &txn) || !fast_pass_ops(reader, &at) ||
        !pass_tail(&at, &txn) || at != fast->end)
        return STATUS_OK;
    *done = true;
    if (add_txn(reader, &txn, err) != STATUS_OK)
        return error_wrap(err, "transaction %" PRId64, txn.id);
    return STATUS_OK;
}

enum status jsonl_fast_versions(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct version_name version = { 0 };

    for (;;) {
        const char *at = json->at;
        if (!PASS(&at, ",") || !pass_integer(&at, &version.txn_id) || (*at != ',' && *at != ']'))
            return STATUS_OK;
        json->token = json->at + 1;
        json->at = at;
        TRY(builder_add_version(reader->builder, version, err));
    }
}
