#include "store/clients/driver_builtin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "programs/machine/condition.h"
#include "programs/sql/tree.h"
#include "programs/workloads/builtin.h"
#include "store/clients/changes_private.h"

#define BUILTIN_TABLE 0 /* there is but one */
#define BUILTIN_COLUMNS_MAX 3

enum { KEY_COLUMN, VALUE_COLUMN, TAG_COLUMN };

/* A condition of one column: `= $0`, or `>= $0 AND <= $1`. */
enum condition_kind { CONDITION_EQUAL, CONDITION_BETWEEN, CONDITION_KIND_COUNT };

enum builtin_stage {
    STAGE_ASK,   /* what the workload asks for next */
    STAGE_WRITE, /* the second half of what it asked for: the changes are to be written */
    STAGE_ABORT, /* an insert met a row */
};

struct builtin_client {
    struct builtin_txn txn;
    struct builtin_request request; /* at hand */
    enum builtin_stage stage;
    bool is_running;
    uint32_t key, scope;            /* of the request; a range that means one key has no scope */
    struct changes changes;
    struct kept_op kept;            /* of the first half */
};

struct driver_builtin {
    const struct builtin *builtin;
    struct listed *recorded; /* or NULL */
    struct catalog *catalog;
    struct arena *arena;
    struct driver driver;
    struct schema schema;
    struct schema_table table;
    struct schema_column columns[BUILTIN_COLUMNS_MAX];
    enum table_shape shape;
    /* By column, key or value, and kind. */
    const struct condition *conditions[2][CONDITION_KIND_COUNT];
    struct pool_memory memory;
    struct pool pool;
    struct heap heap;
    struct buffer text;
    struct builtin_client *clients;
    struct key_marks marks;
    ARRAY(struct builtin_row) rows;  /* of the answer at hand */
    ARRAY(struct builtin_row) final; /* of the final state */
    struct builtin_tally tally;
    struct buffer broken_sight;
    bool is_short;
};

static const uint16_t key_columns[] = { KEY_COLUMN };

static void add_column(struct driver_builtin *d, const char *name, enum type_kind type)
{
    d->columns[d->table.column_count++] = (struct schema_column){
        .name = text_of(name),
        .type = type_of(type),
        .not_null = true,
    };
}

static void make_schema(struct driver_builtin *d)
{
    static const enum table_shape shapes[] = {
        [SHAPE_ITEMS] = TABLE_ITEMS, [SHAPE_LISTS] = TABLE_LISTS, [SHAPE_ROWS] = TABLE_ROWS
    };
    const struct workload *workload = d->builtin->workload;
    const struct builtin_table *table = workload->table;
    bool is_list = workload->shape == SHAPE_LISTS;

    d->shape = shapes[workload->shape];
    d->table.name = text_of(table ? table->name : is_list ? "lists" : "items");
    d->table.columns = d->columns;
    d->table.key = (struct schema_columns){ key_columns, ROW_COUNT(key_columns) };
    d->table.key_name = TEXT("pkey");
    add_column(d, table ? table->key_column : "key", TYPE_BIGINT);
    add_column(d, table ? table->value_column : "value", is_list ? TYPE_BIGINT_ARRAY : TYPE_BIGINT);
    if (table && table->tag_column)
        add_column(d, table->tag_column, TYPE_BIGINT);
    d->schema = (struct schema){ .tables = &d->table, .table_count = 1 };
}

static struct expression *push_expression(struct driver_builtin *d, enum expression_kind kind,
                                          enum type_kind type)
{
    struct expression *e = arena_push(d->arena, 1, sizeof *e);

    if (e) {
        e->kind = kind;
        e->type = type_of(type);
        e->weight = 1;
    }
    return e;
}

/* `column >= $slot`. */
static enum status make_comparison(struct driver_builtin *d, uint16_t column, const char *name,
                                   uint32_t slot, const struct expression **out, struct error *err)
{
    struct type types[] = { type_of(TYPE_BIGINT), type_of(TYPE_BIGINT) };
    struct expression *e = push_expression(d, EXPRESSION_APPLY, TYPE_BOOLEAN);
    struct expression *left = push_expression(d, EXPRESSION_COLUMN, TYPE_BIGINT);
    struct expression *right = push_expression(d, EXPRESSION_VARIABLE, TYPE_BIGINT);
    const struct expression **arguments = arena_push(d->arena, 2, sizeof *arguments);
    struct sql_error sql_error;

    if (!e || !left || !right || !arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a workload's conditions");
    left->as.column.column = column;
    right->as.slot = slot;
    arguments[0] = left;
    arguments[1] = right;
    e->arguments = arguments;
    e->argument_count = 2;
    if (operator_resolve(name, types, 2, &e->as.apply, &sql_error) != STATUS_OK)
        return error_set(err, STATUS_BAD_INPUT, "%s", sql_error.text);
    *out = e;
    return STATUS_OK;
}

static enum status make_condition(struct driver_builtin *d, uint16_t column,
                                  enum condition_kind kind, struct error *err)
{
    static const char *const names[CONDITION_KIND_COUNT][2] = { { "=" }, { ">=", "<=" } };
    uint32_t count = kind == CONDITION_EQUAL ? 1 : 2;
    const struct expression *conjuncts[2] = { NULL, NULL };

    for (uint32_t i = 0; i < count; i++)
        TRY(make_comparison(d, column, names[kind][i], i, &conjuncts[i], err));
    return compile_condition(&(struct condition_conjuncts){ conjuncts, count, 0, BUILTIN_TABLE, false }, d->arena,
                             &d->conditions[column][kind], err);
}

static enum status driver_builtin_make_table(struct driver_builtin *d, struct error *err)
{
    make_schema(d);
    if (d->shape != TABLE_ROWS)
        return STATUS_OK;
    for (uint16_t column = KEY_COLUMN; column <= VALUE_COLUMN; column++)
        for (enum condition_kind kind = 0; kind < CONDITION_KIND_COUNT; kind++)
            TRY(make_condition(d, column, kind, err));
    return STATUS_OK;
}

#define MEMORY_BYTES_MAX ((size_t)1 << 30)
#define HEAP_BYTES_MAX ((size_t)64 << 20)

/* --- Rows ------------------------------------------------------------------------------------- */

static uint16_t width_of(const struct driver_builtin *d)
{
    return d->table.column_count;
}

static void make_cells(const struct builtin_row *row, struct datum *cells)
{
    cells[KEY_COLUMN] = datum_of_int64((int64_t)row->key);
    cells[VALUE_COLUMN] = datum_of_int64(row->value);
    cells[TAG_COLUMN] = datum_of_int64(row->tag);
}

static void add_change(struct driver_builtin *d, struct changes *changes, uint32_t key,
                       const struct builtin_row *row)
{
    struct datum cells[BUILTIN_COLUMNS_MAX];

    make_cells(row, cells);
    changes_add_row(changes, key, cells, width_of(d));
}

static struct builtin_row row_of_cells(const struct driver_builtin *d, const struct datum *cells)
{
    return (struct builtin_row){
        .key = (uint64_t)cells[KEY_COLUMN].as.integer,
        .value = d->shape == TABLE_LISTS ? 0 : cells[VALUE_COLUMN].as.integer,
        .tag = width_of(d) > TAG_COLUMN ? cells[TAG_COLUMN].as.integer : 0,
    };
}

static void get_cells(struct driver_builtin *d, struct text bytes, struct datum *cells)
{
    bool is_row;

    heap_reset(&d->heap);
    is_row = row_get(bytes, cells, width_of(d), &d->heap);
    if (is_row)
        return;
    assert(memory_failures() > 0);
    d->is_short = true;
    memset(cells, 0, width_of(d) * sizeof *cells);
}

static void take_rows(struct driver_builtin *d, const struct driver_answer *answer)
{
    struct datum cells[BUILTIN_COLUMNS_MAX];

    d->rows.count = 0;
    for (uint32_t i = 0; i < answer->row_count; i++) {
        if (!answer->rows[i].is_row)
            continue;
        get_cells(d, answer->rows[i].row, cells);
        pool_push(&d->pool, &d->rows, row_of_cells(d, cells));
    }
}

/* --- Requests --------------------------------------------------------------------------------- */

static uint32_t key_of(struct driver_builtin *d, uint64_t key)
{
    buffer_clear(&d->text);
    builtin_print_key(d->builtin, key, &d->text);
    return catalog_key_of_text(d->catalog, BUILTIN_TABLE,
                               (struct text){ d->text.at, d->text.count });
}

/* The range as keys or a scope. */
static void aim_range(struct driver_builtin *d, struct builtin_client *client,
                      struct intent *intent)
{
    const struct builtin_request *r = &client->request;
    uint16_t column = r->column == BUILTIN_KEY_COLUMN ? KEY_COLUMN : VALUE_COLUMN;
    struct datum bounds[] = { datum_of_int64(r->low), datum_of_int64(r->high) };
    struct filter filter = { .parameters = bounds };
    const uint32_t *keys;

    if (r->column == BUILTIN_NO_COLUMN) {
        intent->scope = catalog_whole_table(d->catalog, BUILTIN_TABLE);
        return;
    }
    filter.condition =
        d->conditions[column][r->low == r->high ? CONDITION_EQUAL : CONDITION_BETWEEN];
    intent->scope = catalog_scope(d->catalog, &filter, &keys, &intent->key_count);
    if (intent->scope != SCOPE_NONE)
        return;
    assert(intent->key_count == 1 || d->catalog->is_short);
    client->key = intent->key_count == 1 ? keys[0] : 0;
    intent->key_count = 1;
    intent->keys = &client->key;
}

static void aim_key(struct driver_builtin *d, struct builtin_client *client, struct intent *intent)
{
    client->key = key_of(d, client->request.key);
    intent->keys = &client->key;
    intent->key_count = 1;
}

static bool is_for_write(enum builtin_request_kind kind)
{
    return kind == BUILTIN_APPEND || kind == BUILTIN_INSERT || kind == BUILTIN_UPDATE ||
           kind == BUILTIN_DELETE;
}

static struct intent intent_to_read(struct driver_builtin *d, struct builtin_client *client)
{
    enum builtin_request_kind kind = client->request.kind;
    struct intent intent = {
        .kind = INTENT_READ,
        .scope = SCOPE_NONE,
        .table = BUILTIN_TABLE,
        .for_write = is_for_write(kind),
        .first_table = true,
    };

    if (kind == BUILTIN_SELECT || kind == BUILTIN_UPDATE || kind == BUILTIN_DELETE)
        aim_range(d, client, &intent);
    else
        aim_key(d, client, &intent);
    client->scope = intent.scope;
    return intent;
}

static struct intent intent_to_write(struct builtin_client *client)
{
    changes_seal(&client->changes);
    return (struct intent){
        .kind = INTENT_WRITE,
        .scope = SCOPE_NONE,
        .table = BUILTIN_TABLE,
        .first_table = true,
        .changes = client->changes.list.at,
        .change_count = client->changes.list.count,
    };
}

/* A write of a row that is there, or of an item: nobody looks first. */
static struct intent intent_to_overwrite(struct driver_builtin *d, struct builtin_client *client)
{
    const struct builtin_request *r = &client->request;
    struct builtin_row row = { r->key, r->value, r->tag };

    client->key = key_of(d, r->key);
    changes_clear(&client->changes);
    add_change(d, &client->changes, client->key, &row);
    return intent_to_write(client);
}

static struct intent driver_next(void *context, uint32_t number)
{
    struct driver_builtin *d = context;
    struct builtin_client *client = &d->clients[number];

    if (client->stage == STAGE_WRITE)
        return intent_to_write(client);
    if (client->stage == STAGE_ABORT)
        return (struct intent){ .kind = INTENT_ABORT, .scope = SCOPE_NONE };
    client->request = builtin_next(&client->txn);
    switch (client->request.kind) {
    case BUILTIN_COMMIT:
        return (struct intent){ .kind = INTENT_COMMIT, .scope = SCOPE_NONE };
    case BUILTIN_ABORT:
        return (struct intent){ .kind = INTENT_ABORT, .scope = SCOPE_NONE };
    case BUILTIN_WRITE:
        return intent_to_overwrite(d, client);
    default:
        return intent_to_read(d, client);
    }
}

/* --- What goes into the history --------------------------------------------------------------- */

static enum op_kind statement_of(enum builtin_request_kind kind)
{
    return kind == BUILTIN_SELECT   ? OP_SELECT
           : kind == BUILTIN_INSERT ? OP_INSERT
           : kind == BUILTIN_UPDATE ? OP_UPDATE
                                    : OP_DELETE;
}

static void record_rows(const struct driver_answer *answer, const struct record_op *op,
                        enum op_kind kind, uint32_t scope, const struct changes *rows)
{
    record_statement(answer->record, answer->txn, op,
                     &(struct record_statement){ kind, BUILTIN_TABLE, scope,
                                                 rows ? rows->list.at : NULL,
                                                 rows ? (uint32_t)rows->list.count : 0 });
}

static void record_seen(const struct driver_answer *answer, const struct record_op *op,
                        uint32_t key)
{
    bool is_row = answer->row_count > 0 && answer->rows[0].is_row;
    struct text row = is_row ? answer->rows[0].row : TEXT("");

    record_read(answer->record, answer->txn, op, key, is_row, row);
}

/* Of a range that means one key. */
static void record_removed_or_written(const struct builtin_client *client,
                                      const struct driver_answer *answer,
                                      const struct record_op *op)
{
    const struct row_change *change = &client->changes.list.at[0];

    if (change->is_removed)
        record_remove(answer->record, answer->txn, op, change->key);
    else
        record_write(answer->record, answer->txn, op, change->key, change->row);
}

/* A write was answered, or was not, and the operation that it is the end of goes down. */
static void record_written(const struct builtin_client *client, const struct driver_answer *answer,
                           int64_t completed_ns)
{
    struct record_op write = { .invoked_ns = answer->op.invoked_ns, .completed_ns = completed_ns };
    struct record_op whole = changes_end_op(&client->kept, completed_ns);
    const struct changes *changes = &client->changes;

    switch (client->request.kind) {
    case BUILTIN_WRITE:
        record_write(answer->record, answer->txn, &write, client->key, changes->list.at[0].row);
        return;
    case BUILTIN_APPEND:
        write.invoked_ns = whole.invoked_ns;
        record_append(answer->record, answer->txn, &write, client->key, client->request.value);
        return;
    case BUILTIN_INSERT:
        record_rows(answer, &write, OP_INSERT, SCOPE_NONE, changes);
        return;
    default:
        if (client->scope == SCOPE_NONE)
            record_removed_or_written(client, answer, &write);
        else
            record_rows(answer, &whole, statement_of(client->request.kind), client->scope, changes);
    }
}

/* --- Answers ---------------------------------------------------------------------------------- */

static void end_request(struct driver_builtin *d, struct builtin_client *client)
{
    client->stage = STAGE_ASK;
    builtin_answer(&client->txn, d->rows.at, d->rows.count);
}

static void take_read(struct driver_builtin *d, struct builtin_client *client,
                      const struct driver_answer *answer)
{
    record_seen(answer, &answer->op, client->key);
    take_rows(d, answer);
    end_request(d, client);
}

static void take_select(struct driver_builtin *d, struct builtin_client *client,
                        const struct driver_answer *answer)
{
    take_rows(d, answer);
    if (client->scope == SCOPE_NONE) {
        record_seen(answer, &answer->op, client->key);
    } else {
        changes_clear(&client->changes);
        for (uint32_t i = 0; i < answer->row_count; i++)
            changes_add_bytes(&client->changes, answer->rows[i].key, answer->rows[i].row);
        changes_seal(&client->changes);
        record_rows(answer, &answer->op, OP_SELECT, client->scope, &client->changes);
    }
    end_request(d, client);
}

/* The list that was read, and one element more. */
static void take_list(struct driver_builtin *d, struct builtin_client *client,
                      const struct driver_answer *answer)
{
    struct datum cells[BUILTIN_COLUMNS_MAX] = { { 0 } };
    struct datum *list = &cells[VALUE_COLUMN];
    struct sql_error err;
    void *at;

    heap_reset(&d->heap);
    if (answer->row_count > 0 && answer->rows[0].is_row)
        get_cells(d, answer->rows[0].row, cells);
    cells[KEY_COLUMN] = datum_of_int64((int64_t)client->request.key);
    if (heap_push(&d->heap, (list->length + (size_t)1) * sizeof(int64_t), &at, &err) != STATUS_OK) {
        d->is_short = true;
        client->stage = STAGE_ABORT;
        return;
    }
    if (list->length > 0)
        memcpy(at, list->as.array.at, list->length * sizeof(int64_t));
    ((int64_t *)at)[list->length] = client->request.value;
    *list = (struct datum){ .kind = DATUM_ARRAY, .length = list->length + 1, .as.array.at = at };
    changes_clear(&client->changes);
    changes_add_row(&client->changes, client->key, cells, width_of(d));
    changes_keep_op(&client->kept, &d->pool, &answer->op);
    client->stage = STAGE_WRITE;
}

static void take_place_to_insert(struct driver_builtin *d, struct builtin_client *client,
                                 const struct driver_answer *answer)
{
    const struct builtin_request *r = &client->request;
    struct builtin_row row = { r->key, r->value, r->tag };

    record_seen(answer, &answer->op, client->key);
    if (answer->row_count > 0 && answer->rows[0].is_row) {
        client->stage = STAGE_ABORT;
        return;
    }
    changes_clear(&client->changes);
    add_change(d, &client->changes, client->key, &row);
    client->stage = STAGE_WRITE;
}

static void take_range_to_write(struct driver_builtin *d, struct builtin_client *client,
                                const struct driver_answer *answer)
{
    struct datum cells[BUILTIN_COLUMNS_MAX];

    changes_begin_marks(&d->marks);
    changes_clear(&client->changes);
    for (uint32_t i = 0; i < answer->row_count; i++) {
        const struct read_row *seen = &answer->rows[i];
        struct builtin_row row;

        if (!seen->is_row || !changes_add_mark(&d->marks, &d->pool, seen->key))
            continue;
        get_cells(d, seen->row, cells);
        row = row_of_cells(d, cells);
        row.value = client->request.value;
        row.tag = client->request.tag;
        if (client->request.kind == BUILTIN_DELETE)
            changes_add_removal(&client->changes, seen->key);
        else
            add_change(d, &client->changes, seen->key, &row);
    }
    changes_keep_op(&client->kept, &d->pool, &answer->op);
    if (client->scope == SCOPE_NONE)
        record_seen(answer, &answer->op, client->key);
    client->stage = STAGE_WRITE;
    if (client->changes.list.count > 0)
        return;
    if (client->scope != SCOPE_NONE)
        record_rows(answer, &answer->op, statement_of(client->request.kind), client->scope, NULL);
    end_request(d, client);
}

static void driver_answered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct driver_builtin *d = context;
    struct builtin_client *client = &d->clients[number];

    d->rows.count = 0;
    if (client->stage == STAGE_WRITE || client->request.kind == BUILTIN_WRITE) {
        record_written(client, answer, answer->op.completed_ns);
        end_request(d, client);
        return;
    }
    switch (client->request.kind) {
    case BUILTIN_READ:
        take_read(d, client, answer);
        break;
    case BUILTIN_SELECT:
        take_select(d, client, answer);
        break;
    case BUILTIN_APPEND:
        take_list(d, client, answer);
        break;
    case BUILTIN_INSERT:
        take_place_to_insert(d, client, answer);
        break;
    default:
        take_range_to_write(d, client, answer);
    }
}

static void unanswered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct driver_builtin *d = context;
    struct builtin_client *client = &d->clients[number];
    struct record_op op = { .invoked_ns = answer->op.invoked_ns, .completed_ns = TIME_NEVER };

    if (client->stage == STAGE_WRITE || client->request.kind == BUILTIN_WRITE) {
        changes_seal(&client->changes);
        record_written(client, answer, TIME_NEVER);
    } else if (client->request.kind == BUILTIN_APPEND) {
        record_append(answer->record, answer->txn, &op, client->key, client->request.value);
    } else if (client->scope != SCOPE_NONE) {
        record_rows(answer, &op, statement_of(client->request.kind), client->scope, NULL);
    } else {
        record_read(answer->record, answer->txn, &op, client->key, false, TEXT(""));
    }
}

/* --- Transactions ----------------------------------------------------------------------------- */

static bool turn(void *context, uint32_t number, uint64_t ordinal, struct driver_turn *turn)
{
    const struct driver_builtin *d = context;
    const struct listed_txn *listed = listed_turn(d->builtin->turns, number, ordinal);

    if (listed)
        *turn = (struct driver_turn){ listed->at_ns, listed->node };
    return listed != NULL;
}

static bool driver_begin(void *context, uint32_t number, uint64_t ordinal, uint32_t attempt)
{
    struct driver_builtin *d = context;
    struct builtin_client *client = &d->clients[number];

    if (d->builtin->turns && !listed_turn(d->builtin->turns, number, ordinal))
        return false;
    builtin_begin(&client->txn, d->builtin, number, ordinal, attempt);
    if (d->recorded)
        builtin_list(&client->txn, d->recorded);
    client->stage = STAGE_ASK;
    client->is_running = true;
    return true;
}

static void note_sight(struct driver_builtin *d, const struct builtin_txn *txn)
{
    struct buffer sentence = { 0 };

    if (builtin_saw_broken(txn, &sentence) && d->broken_sight.count == 0)
        buffer_text(&d->broken_sight, (struct text){ sentence.at, sentence.count });
    buffer_close(&sentence);
}

static void driver_ended(void *context, uint32_t number, enum txn_status status, uint64_t txn)
{
    struct driver_builtin *d = context;
    struct builtin_client *client = &d->clients[number];
    struct error err;

    (void)txn;
    client->is_running = false;
    if (builtin_tally_add(&d->tally, &client->txn, status, &err) != STATUS_OK)
        d->is_short = true;
    if (status == TXN_OK)
        note_sight(d, &client->txn);
}

/* --- Life ------------------------------------------------------------------------------------- */

enum status driver_builtin_open(struct driver_builtin **out, const struct builtin *builtin,
                                struct arena *arena, struct error *err)
{
    struct driver_builtin *d = arena_push(arena, 1, sizeof *d);
    struct builtin_client *clients = arena_push(arena, builtin->clients, sizeof *clients);

    if (!d || !clients)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the clients of a workload");
    d->builtin = builtin;
    d->arena = arena;
    d->clients = clients;
    d->driver = (struct driver){ .context = d,
                                 .turn = builtin->turns ? turn : NULL,
                                 .begin = driver_begin,
                                 .next = driver_next,
                                 .answered = driver_answered,
                                 .unanswered = unanswered,
                                 .ended = driver_ended };
    pool_memory_init(&d->memory, arena, MEMORY_BYTES_MAX);
    pool_init(&d->pool, &d->memory);
    heap_init(&d->heap, HEAP_BYTES_MAX);
    builtin_tally_init(&d->tally, builtin);
    for (uint32_t i = 0; i < builtin->clients; i++)
        changes_init(&clients[i].changes, &d->pool);
    *out = d;
    return driver_builtin_make_table(d, err);
}

void driver_builtin_record(struct driver_builtin *d, struct listed *recorded)
{
    d->recorded = recorded;
}

void driver_builtin_close(struct driver_builtin *d)
{
    if (!d)
        return;
    builtin_tally_close(&d->tally);
    heap_close(&d->heap);
    buffer_close(&d->text);
    buffer_close(&d->broken_sight);
}

const struct schema *driver_builtin_schema(const struct driver_builtin *d)
{
    return &d->schema;
}

const enum table_shape *driver_builtin_shapes(const struct driver_builtin *d)
{
    return &d->shape;
}

const struct driver *driver_builtin_driver(const struct driver_builtin *d)
{
    return &d->driver;
}

enum status driver_builtin_load(struct driver_builtin *d, struct catalog *catalog,
                                driver_add_row *add_row, void *context, struct error *err)
{
    d->catalog = catalog;
    for (uint64_t i = 0; i < builtin_initial_count(d->builtin); i++) {
        struct builtin_row row = builtin_initial(d->builtin, i);
        struct datum cells[BUILTIN_COLUMNS_MAX];

        make_cells(&row, cells);
        TRY(add_row(context, BUILTIN_TABLE, cells, err));
    }
    return STATUS_OK;
}

/* --- The end ---------------------------------------------------------------------------------- */

enum status driver_builtin_final_row(void *driver, const struct datum *cells, struct error *err)
{
    struct driver_builtin *d = driver;

    (void)err;
    pool_push(&d->pool, &d->final, row_of_cells(d, cells));
    return STATUS_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const struct builtin_row *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

/* What is going on still has no outcome that anybody knows. */
static enum status tally_the_rest(struct driver_builtin *d, struct error *err)
{
    for (uint32_t i = 0; i < d->builtin->clients; i++) {
        if (d->clients[i].is_running)
            TRY(builtin_tally_add(&d->tally, &d->clients[i].txn, TXN_UNKNOWN, err));
        d->clients[i].is_running = false;
    }
    return STATUS_OK;
}

enum status driver_builtin_check(struct driver_builtin *d, bool *holds, struct buffer *sentence,
                                 struct error *err)
{
    if (d->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the outcomes of a workload");
    TRY(tally_the_rest(d, err));
    if (d->final.count > 1)
        qsort(d->final.at, d->final.count, sizeof *d->final.at, compare_rows);
    *holds = builtin_tally_holds(&d->tally, d->final.at, d->final.count, sentence);
    return STATUS_OK;
}

struct text driver_builtin_broken_sight(const struct driver_builtin *d)
{
    return (struct text){ d->broken_sight.at, d->broken_sight.count };
}

