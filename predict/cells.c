#include "predict/cells.h"

#include <string.h>

#include "base/buffer.h"
#include "history/builder.h"
#include "predict/predict_private.h"

/* Of which version a row was updated: the event that wrote it, or one of these. */
#define BASE_INITIAL DATAFLOW_INITIAL
#define BASE_UNKNOWN DATAFLOW_NONE

/* What stands for a key: whether the row is there, and behind it its cells; of an item itself. */
#define IS_THERE 0

struct cell_encoder {
    const struct history *h;
    struct dataflow rows;
    struct arena *arena;
    struct builder builder;
    struct buffer name;
    uint32_t *number;     /* by key of the history: that of `rows`, or DATAFLOW_NONE */
    uint32_t *table;      /* by key: its table, or HISTORY_NONE: it is an item */
    uint32_t *cell_start; /* by key, and one more */
    uint32_t *cell_key;   /* the builder's numbers */
    uint32_t *txn_of;     /* by event */
    /* By event that is a write, and its cells: */
    uint32_t *base;
    uint32_t *version_start;
    uint32_t *first,
        *last;        /* the operations that wrote the cell first and last, from 1; 0: it stays */
    uint32_t *source; /* who wrote it; DATAFLOW_NONE: not yet found */
    /* By key, of the transaction at hand, if `date` is its number from 1: */
    uint32_t *date, *read_from, *write_event, *own_op;
};

static uint32_t width(const struct cell_encoder *c, uint32_t key)
{
    return c->cell_start[key + 1] - c->cell_start[key];
}

static struct value value_left(const struct history *h, uint32_t op)
{
    bool is_removal = h->op_kind[op] == OP_REMOVE || h->op_kind[op] == OP_ROW_REMOVE;

    return is_removal ? value_null() : history_value(h, op);
}

/* --- Names -------------------------------------------------------------------------------- */

static uint32_t table_of_key(const struct history *h, struct text name)
{
    const char *slash = name.length > 0 ? memchr(name.at, '/', name.length) : NULL;

    for (uint32_t table = 0; slash && table < h->table_count; table++)
        if (text_equal((struct text){ name.at, (size_t)(slash - name.at) },
                       history_text(h, h->table_name[table])))
            return table;
    return HISTORY_NONE;
}

static enum status add_name(struct cell_encoder *c, uint32_t *number, struct error *err)
{
    TRY(buffer_status(&c->name, err));
    return builder_key(&c->builder, (struct text){ c->name.at, c->name.count }, number, err);
}

static enum status name_row(struct cell_encoder *c, uint32_t key, struct text name,
                            struct error *err)
{
    const struct history *h = c->h;
    uint32_t table = c->table[key], *numbers = c->cell_key + c->cell_start[key];
    struct text of_table = history_text(h, h->table_name[table]);

    buffer_clear(&c->name);
    buffer_print(&c->name, "Set(%.*s:%.*s)", TEXT_PRINT(of_table),
                 (int)(name.length - of_table.length - 1), name.at + of_table.length + 1);
    TRY(add_name(c, &numbers[IS_THERE], err));
    for (uint32_t column = 1; column < width(c, key); column++) {
        struct text of_column =
            history_text(h, h->table_column_name[h->table_column_start[table] + column - 1]);

        buffer_clear(&c->name);
        buffer_print(&c->name, "%.*s.%.*s", TEXT_PRINT(name), TEXT_PRINT(of_column));
        TRY(add_name(c, &numbers[column], err));
    }
    return STATUS_OK;
}

static enum status name_cells(struct cell_encoder *c, struct error *err)
{
    const struct history *h = c->h;
    uint32_t count = c->rows.key_count;

    PREDICT_TAKE(c->arena, c->number, h->key_count, err);
    PREDICT_TAKE(c->arena, c->table, count, err);
    PREDICT_TAKE(c->arena, c->cell_start, count + 1, err);
    memset(c->number, 0xff, h->key_count * sizeof *c->number);
    for (uint32_t key = 0; key < count; key++) {
        uint32_t table = table_of_key(h, history_key(h, c->rows.key[key])), columns = 0;

        c->number[c->rows.key[key]] = key;
        c->table[key] = table;
        if (table != HISTORY_NONE)
            columns = h->table_column_start[table + 1] - h->table_column_start[table];
        c->cell_start[key + 1] = c->cell_start[key] + 1 + columns;
    }
    PREDICT_TAKE(c->arena, c->cell_key, c->cell_start[count], err);
    for (uint32_t key = 0; key < count; key++) {
        struct text name = history_key(h, c->rows.key[key]);

        if (c->table[key] == HISTORY_NONE)
            TRY(builder_key(&c->builder, name, &c->cell_key[c->cell_start[key]], err));
        else
            TRY(name_row(c, key, name, err));
    }
    return STATUS_OK;
}

/* --- Which cells each version wrote ------------------------------------------------------- */

static enum status make_versions(struct cell_encoder *c, struct error *err)
{
    const struct dataflow *rows = &c->rows;
    uint32_t cells;

    PREDICT_TAKE(c->arena, c->txn_of, rows->event_count, err);
    PREDICT_TAKE(c->arena, c->base, rows->event_count, err);
    PREDICT_TAKE(c->arena, c->version_start, rows->event_count + 1, err);
    for (uint32_t e = 0; e < rows->event_count; e++)
        c->version_start[e + 1] =
            c->version_start[e] +
            (dataflow_is_read(rows->events[e]) ? 0 : width(c, rows->events[e].key));
    cells = c->version_start[rows->event_count];
    PREDICT_TAKE(c->arena, c->first, cells, err);
    PREDICT_TAKE(c->arena, c->last, cells, err);
    PREDICT_TAKE(c->arena, c->source, cells, err);
    PREDICT_TAKE(c->arena, c->date, rows->key_count, err);
    PREDICT_TAKE(c->arena, c->read_from, rows->key_count, err);
    PREDICT_TAKE(c->arena, c->write_event, rows->key_count, err);
    PREDICT_TAKE(c->arena, c->own_op, rows->key_count, err);
    memset(c->source, 0xff, cells * sizeof *c->source);
    for (uint32_t txn = 0; txn < rows->txn_count; txn++)
        for (uint32_t e = rows->event_start[txn]; e < rows->event_start[txn + 1]; e++)
            c->txn_of[e] = txn;
    return STATUS_OK;
}

/* `pass` tells one walk through all transactions from another. */
static void begin_txn(struct cell_encoder *c, uint32_t txn, uint32_t pass)
{
    const struct dataflow *rows = &c->rows;

    for (uint32_t e = rows->event_start[txn]; e < rows->event_start[txn + 1]; e++) {
        uint32_t key = rows->events[e].key;

        if (c->date[key] != pass * rows->txn_count + txn + 1) {
            c->date[key] = pass * rows->txn_count + txn + 1;
            c->read_from[key] = c->write_event[key] = c->own_op[key] = DATAFLOW_NONE;
        }
        if (dataflow_is_read(rows->events[e]))
            c->read_from[key] = rows->events[e].writer;
        else
            c->write_event[key] = e;
    }
}

/* The row's cell of a column, counted within its table; null where it has none. */
static struct value cell_of(const struct history *h, uint32_t table, struct value row,
                            uint32_t column)
{
    uint32_t name = h->table_column_name[h->table_column_start[table] + column];
    uint32_t shape = row.kind == VALUE_ROW ? h->row_shape[row.bits] : HISTORY_NONE;

    for (uint32_t i = shape == HISTORY_NONE ? 0 : h->shape_start[shape];
         shape != HISTORY_NONE && i < h->shape_start[shape + 1]; i++)
        if (h->shape_column_name[i] == name) {
            uint64_t cell = h->row_start[row.bits] + i - h->shape_start[shape];

            return (struct value){ (enum value_kind)h->cell_kind[cell], h->cell_value[cell] };
        }
    return value_null();
}

static void note_cell(struct cell_encoder *c, uint32_t cell, uint32_t op)
{
    if (!c->first[cell])
        c->first[cell] = op + 1;
    c->last[cell] = op + 1;
}

/* What the operation, a write, does to the version that the transaction leaves in the end. */
static void note_write(struct cell_encoder *c, uint32_t op)
{
    const struct history *h = c->h;
    uint32_t key = c->number[h->op_key[op]], event = c->write_event[key], base = c->base[event];
    uint32_t start = c->version_start[event];
    struct value now = value_left(h, op), before = value_null();
    bool is_known = true;

    if (c->own_op[key] != DATAFLOW_NONE)
        before = value_left(h, c->own_op[key]);
    else if (base == BASE_INITIAL)
        before = history_initial(h, c->rows.key[key]);
    else if (base != BASE_UNKNOWN)
        before = value_left(h, c->rows.events[base].op);
    else
        is_known = false;
    c->own_op[key] = op;
    if (!is_known || c->table[key] == HISTORY_NONE || now.kind != VALUE_ROW ||
        before.kind != VALUE_ROW)
        note_cell(c, start + IS_THERE, op);
    for (uint32_t column = 1; column < width(c, key) && now.kind == VALUE_ROW; column++)
        if (!is_known || before.kind != VALUE_ROW ||
            !history_values_equal(h, cell_of(h, c->table[key], before, column - 1),
                                  cell_of(h, c->table[key], now, column - 1)))
            note_cell(c, start + column, op);
}

static void note_writes(struct cell_encoder *c)
{
    const struct dataflow *rows = &c->rows;

    for (uint32_t txn = 0; txn < rows->txn_count; txn++) {
        uint32_t in_history = rows->txn[txn];

        begin_txn(c, txn, 0);
        for (uint32_t e = rows->event_start[txn]; e < rows->event_start[txn + 1]; e++) {
            uint32_t from = c->read_from[rows->events[e].key];

            if (!dataflow_is_read(rows->events[e]))
                c->base[e] = from < DATAFLOW_INITIAL
                                 ? dataflow_write_of(rows, from, rows->events[e].key)
                                 : from;
        }
        for (uint32_t op = c->h->txn_op[in_history]; op < c->h->txn_op[in_history + 1]; op++)
            if (history_makes_version(c->h, op))
                note_write(c, op);
    }
}

/* Who wrote the cell of the version that this event wrote, or of the initial one. */
static uint32_t source_of(struct cell_encoder *c, uint32_t event, uint32_t cell)
{
    uint32_t at = event, found = DATAFLOW_INITIAL;

    /* Versions that were made of each other, in a circle, have it from the beginning. */
    for (uint32_t steps = 0; at != BASE_INITIAL && steps <= c->rows.event_count; steps++) {
        uint32_t place = c->version_start[at] + cell;

        if (c->source[place] != DATAFLOW_NONE) {
            found = c->source[place];
            break;
        }
        if (c->last[place] || c->base[at] == BASE_UNKNOWN) {
            found = c->txn_of[at];
            break;
        }
        at = c->base[at];
    }
    /* It is kept for all that were passed. */
    for (at = event;
         at != BASE_INITIAL && c->source[c->version_start[at] + cell] == DATAFLOW_NONE;) {
        uint32_t place = c->version_start[at] + cell;

        c->source[place] = found;
        if (c->last[place] || c->base[at] == BASE_UNKNOWN)
            break;
        at = c->base[at];
    }
    return found;
}

/* --- Reads and writes of cells ------------------------------------------------------------ */

static enum status put_read(struct cell_encoder *c, uint32_t key, uint32_t cell, uint32_t writer,
                            struct error *err)
{
    struct value value =
        writer == DATAFLOW_INITIAL ? value_null() : value_integer(writer + INT64_C(1));

    return builder_add_op(&c->builder, OP_READ, c->cell_key[c->cell_start[key] + cell], value, err);
}

/* Of the version that the transaction wrote, or of the initial one. */
static enum status put_version(struct cell_encoder *c, uint32_t key, uint32_t writer,
                               struct error *err)
{
    uint32_t event =
        writer == DATAFLOW_INITIAL ? BASE_INITIAL : dataflow_write_of(&c->rows, writer, key);
    struct value value = event == BASE_INITIAL ? history_initial(c->h, c->rows.key[key])
                                               : value_left(c->h, c->rows.events[event].op);

    TRY(put_read(c, key, IS_THERE, source_of(c, event, IS_THERE), err));
    for (uint32_t cell = 1; cell < width(c, key) && value.kind == VALUE_ROW; cell++)
        TRY(put_read(c, key, cell, source_of(c, event, cell), err));
    return STATUS_OK;
}

/* Of a row that the transaction has written: those cells that it has not. */
static enum status put_rest(struct cell_encoder *c, uint32_t key, uint32_t op, struct error *err)
{
    uint32_t event = c->write_event[key], base = c->base[event];

    for (uint32_t cell = 0; cell < width(c, key) && base != BASE_UNKNOWN; cell++) {
        uint32_t first = c->first[c->version_start[event] + cell];

        if (first == 0 || first > op)
            TRY(put_read(c, key, cell, source_of(c, base, cell), err));
    }
    return STATUS_OK;
}

/* Cells that no later operation of the transaction writes. */
static enum status put_writes(struct cell_encoder *c, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = c->number[c->h->op_key[op]], event = c->write_event[key];

    c->own_op[key] = op;
    for (uint32_t cell = 0; cell < width(c, key); cell++)
        if (c->last[c->version_start[event] + cell] == op + 1)
            TRY(builder_add_op(&c->builder, OP_WRITE, c->cell_key[c->cell_start[key] + cell],
                               value_integer(txn + INT64_C(1)), err));
    return STATUS_OK;
}

/* An item's operation, or a statement with its rows: up to `end`. */
static enum status put_operation(struct cell_encoder *c, uint32_t txn, uint32_t op, uint32_t end,
                                 uint32_t *event, struct error *err)
{
    const struct history *h = c->h;
    const struct dataflow *rows = &c->rows;
    bool reads = h->txn_status[rows->txn[txn]] == TXN_OK && !(h->op_flags[op] & OP_ERROR);

    for (; *event < rows->event_start[txn + 1] && rows->events[*event].op < end; (*event)++)
        if (dataflow_is_read(rows->events[*event]))
            TRY(put_version(c, rows->events[*event].key, rows->events[*event].writer, err));
    for (uint32_t i = op; i < end; i++) {
        uint32_t key = op_is_head(h->op_kind[i]) ? DATAFLOW_NONE : c->number[h->op_key[i]];

        if (key == DATAFLOW_NONE || c->date[key] != rows->txn_count + txn + 1)
            continue;
        if (op_is_read(h->op_kind[i]) && reads && c->own_op[key] != DATAFLOW_NONE &&
            history_value(h, i).kind == VALUE_ROW)
            TRY(put_rest(c, key, i, err));
        if (history_makes_version(h, i))
            TRY(put_writes(c, txn, i, err));
    }
    return STATUS_OK;
}

static enum status put_txn(struct cell_encoder *c, uint32_t txn, struct error *err)
{
    const struct history *h = c->h;
    uint32_t in_history = c->rows.txn[txn], event = c->rows.event_start[txn], end;

    begin_txn(c, txn, 1);
    TRY(builder_begin_txn(&c->builder, h->txn_id[in_history],
                          h->session_id[h->txn_session[in_history]], TXN_OK, err));
    for (uint32_t op = h->txn_op[in_history]; op < h->txn_op[in_history + 1]; op = end) {
        end = op + 1;
        if (op_is_head(h->op_kind[op]))
            end += h->statement_row_count[h->op_key[op]];
        TRY(put_operation(c, txn, op, end, &event, err));
    }
    return builder_end_txn(&c->builder, err);
}

/* --- All of it ---------------------------------------------------------------------------- */

static enum status encode(struct cell_encoder *c, struct history *cells, struct error *err)
{
    TRY(dataflow_of_history(&c->rows, c->h, c->arena, err));
    TRY(builder_set_workload(&c->builder, TEXT("cells"), err));
    builder_set_unique(&c->builder, true);
    TRY(name_cells(c, err));
    TRY(make_versions(c, err));
    note_writes(c);
    for (uint32_t txn = 0; txn < c->rows.txn_count; txn++)
        TRY(put_txn(c, txn, err));
    return builder_finish(&c->builder, cells, err);
}

enum status dataflow_of_cells(struct dataflow *dataflow, const struct history *rows,
                              struct history *cells, struct arena *arena, struct error *err)
{
    struct cell_encoder c = { .h = rows, .arena = arena };
    enum status status;

    *cells = (struct history){ 0 };
    builder_init(&c.builder);
    status = encode(&c, cells, err);
    builder_close(&c.builder);
    buffer_close(&c.name);
    TRY(status);
    TRY(dataflow_of_history(dataflow, cells, arena, err));
    dataflow->unjudged = c.rows.unjudged;
    dataflow->guessed = c.rows.guessed;
    return STATUS_OK;
}
