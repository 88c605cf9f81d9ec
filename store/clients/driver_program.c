#include "store/clients/driver_program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "programs/machine/engine.h"
#include "programs/machine/final_state.h"
#include "store/clients/driver_program_private.h"

/*
 * Calls of a program that are listed with all their arguments, and the listing of
 * those that are made (programs/workloads/listed.h).
 */

/* --- How they are followed -------------------------------------------------------------------- */

static enum status prepare(struct driver_program *d, const struct listed_txn *txn,
                           struct listed_call *call, struct error *err)
{
    struct text text = listed_call(d->options.listing, txn);
    struct datum arguments[CALL_ARGUMENTS_MAX];
    const struct program_function *function;

    call->function = UINT32_MAX;
    if (text.length == 0)
        return STATUS_OK;
    TRY(program_parse_call(d->program, text, &d->listed_heap, &call->function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
    function = &d->program->tree.functions[call->function];
    call->arguments =
        arena_push(d->arena, function->parameter_count + (size_t)1, sizeof *call->arguments);
    if (!call->arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    memcpy(call->arguments, arguments, function->parameter_count * sizeof *arguments);
    return STATUS_OK;
}

static enum status driver_program_listed_prepare(struct driver_program *d, struct error *err)
{
    const struct listed *listing = d->options.listing;

    TRY(listed_turns_init(&d->turns, listing, d->options.clients, d->arena, err));
    d->listed = arena_push(d->arena, listing->txns.count + 1, sizeof *d->listed);
    if (!d->listed)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (size_t i = 0; i < listing->txns.count; i++)
        TRY(prepare(d, &listing->txns.at[i], &d->listed[i], err));
    return STATUS_OK;
}

static bool driver_program_listed_turn(void *context, uint32_t client, uint64_t ordinal, struct driver_turn *turn)
{
    const struct driver_program *d = context;
    const struct listed_txn *listed = listed_turn(&d->turns, client, ordinal);

    if (listed)
        *turn = (struct driver_turn){ listed->at_ns, listed->node };
    return listed != NULL;
}

/* NULL: the client has no more. */
static const struct listed_call *driver_program_listed_call(const struct driver_program *d, uint32_t client,
                                              uint64_t ordinal)
{
    const struct listed_txn *listed = listed_turn(&d->turns, client, ordinal);

    return listed ? &d->listed[listed - d->options.listing->txns.at] : NULL;
}

/* --- How they are listed ---------------------------------------------------------------------- */

/* Lists a call that is made. */
static void driver_program_listed_add(struct driver_program *d, uint32_t client, uint32_t function,
                  const struct datum *arguments)
{
    struct buffer out = { 0 }, room = { 0 };

    calls_print(d->program, function, arguments, &out, &room);
    listed_begin(d->options.recorded, client);
    if (out.out_of_memory || room.out_of_memory)
        d->is_short = true;
    else
        listed_add_call(d->options.recorded, (struct text){ out.at, out.count });
    buffer_close(&out);
    buffer_close(&room);
}

#define MEMORY_BYTES_MAX ((size_t)1 << 30)
#define HEAP_BYTES_MAX ((size_t)256 << 20)
#define SECOND_NS INT64_C(1000000000)

/* --- What goes into the history ---------------------------------------------------------------- */

static bool is_to_be_written(enum read_purpose purpose)
{
    return purpose == READ_UPDATE || purpose == READ_DELETE;
}

static enum op_kind statement_of(enum read_purpose purpose)
{
    return purpose == READ_UPDATE ? OP_UPDATE : purpose == READ_DELETE ? OP_DELETE : OP_SELECT;
}

static void record_keys(const struct program_client *client, const struct driver_answer *answer,
                        const struct record_op *op)
{
    record_read_keys(answer->record, answer->txn, op,
                     &(struct record_keys){ client->keys.at, (uint32_t)client->keys.count,
                                            answer->rows, answer->row_count });
}

/* Its own copy of the rows, each once: the answer will be gone when they are written. */
static void keep_half(struct driver_program *d, struct program_client *client,
                      const struct driver_answer *answer, const struct record_op *op)
{
    changes_begin_marks(&d->marks);
    changes_clear(&client->matched);
    for (uint32_t i = 0; i < answer->row_count; i++)
        if (changes_add_mark(&d->marks, &d->pool, answer->rows[i].key))
            changes_add_bytes(&client->matched, answer->rows[i].key, answer->rows[i].row);
    changes_seal(&client->matched);
    changes_keep_op(&client->half, &d->pool, op);
    client->half_scope = client->scope;
    client->half_table = client->request->table;
    client->is_half_done = true;
}

static void record_rows(struct driver_program *d, const struct program_client *client,
                        const struct driver_answer *answer, const struct record_op *op,
                        enum op_kind kind)
{
    static const struct row_change none;
    struct row_change *rows;
    struct sql_error err;
    void *at;

    if (heap_push(&d->heap, answer->row_count * sizeof *rows, &at, &err) != STATUS_OK) {
        d->is_short = true;
        return;
    }
    rows = at;
    for (uint32_t i = 0; i < answer->row_count; i++) {
        rows[i] = none;
        rows[i].key = answer->rows[i].key;
        rows[i].row = answer->rows[i].row;
    }
    record_statement(answer->record, answer->txn, op,
                     &(struct record_statement){ kind, client->request->table, client->scope, rows,
                                                 answer->row_count });
}

static void program_record_half(struct program_client *client, const struct driver_answer *answer)
{
    struct record_op op = changes_end_op(&client->half, client->half.op.completed_ns);

    if (!client->is_half_done)
        return;
    record_statement(answer->record, answer->txn, &op,
                     &(struct record_statement){ OP_SELECT, client->half_table, client->half_scope,
                                                 client->matched.list.at,
                                                 (uint32_t)client->matched.list.count });
    client->is_half_done = false;
}

static void program_record_read(struct driver_program *d, struct program_client *client,
                                const struct driver_answer *answer)
{
    enum read_purpose purpose = client->request->purpose;
    struct record_op op = answer->op;

    op.lock = client->request->lock;
    /* What was matched stands before what was read after it, as it was invoked before. */
    program_record_half(client, answer);
    if (client->scope == SCOPE_NONE)
        record_keys(client, answer, &op);
    else if (is_to_be_written(purpose) && answer->row_count > 0)
        keep_half(d, client, answer, &op);
    else
        record_rows(d, client, answer, &op, statement_of(purpose));
}

static void program_record_unread(struct driver_program *d, struct program_client *client,
                                  const struct driver_answer *answer)
{
    struct record_op op = { .invoked_ns = answer->op.invoked_ns, .completed_ns = TIME_NEVER };
    struct driver_answer nothing = { .record = answer->record, .txn = answer->txn };

    op.lock = client->request->lock;
    if (client->scope == SCOPE_NONE)
        record_keys(client, &nothing, &op);
    else
        record_rows(d, client, &nothing, &op, statement_of(client->request->purpose));
}

/* Whether exactly the rows that were matched are written, each where it was. */
static bool writes_what_matched(const struct program_client *client)
{
    const struct request *r = client->request;

    if (r->write_count != client->matched.list.count)
        return false;
    for (uint32_t i = 0; i < r->write_count; i++)
        if (r->writes[i].is_insert || r->writes[i].is_removed != (r->statement == QUERY_DELETE) ||
            client->changes.list.at[i].key != client->matched.list.at[i].key)
            return false;
    return true;
}

/* Rows that are inserted one after another are one statement; all others are items. */
static void record_writes(const struct program_client *client, const struct driver_answer *answer,
                          const struct record_op *op)
{
    const struct request *r = client->request;
    const struct row_change *changes = client->changes.list.at;

    for (uint32_t i = 0, end; i < r->write_count; i = end) {
        for (end = i; end < r->write_count && r->writes[end].is_insert; end++)
            ;
        if (end > i) {
            record_statement(answer->record, answer->txn, op,
                             &(struct record_statement){ OP_INSERT, r->table, SCOPE_NONE,
                                                         changes + i, end - i });
            continue;
        }
        end = i + 1;
        if (changes[i].is_removed)
            record_remove(answer->record, answer->txn, op, changes[i].key);
        else
            record_write(answer->record, answer->txn, op, changes[i].key, changes[i].row);
    }
}

static void program_record_written(struct driver_program *d, struct program_client *client,
                                   const struct driver_answer *answer, int64_t completed_ns)
{
    struct record_op write = { .invoked_ns = answer->op.invoked_ns, .completed_ns = completed_ns };
    struct record_op whole = changes_end_op(&client->half, completed_ns);

    (void)d;
    if (client->is_half_done && writes_what_matched(client)) {
        record_statement(answer->record, answer->txn, &whole,
                         &(struct record_statement){
                             client->request->statement == QUERY_DELETE ? OP_DELETE : OP_UPDATE,
                             client->half_table, client->half_scope, client->changes.list.at,
                             (uint32_t)client->changes.list.count });
        client->is_half_done = false;
        return;
    }
    program_record_half(client, answer);
    record_writes(client, answer, &write);
}

/* To the next request that is a matter of the store. */
static void run_on(struct driver_program *d, struct program_client *client)
{
    client->request = machine_run(client->machine);
    while (client->request->kind == REQUEST_NUMBER) {
        sequences_answer(&d->sequences, client->machine);
        client->request = machine_run(client->machine);
    }
}

/* --- Calls ------------------------------------------------------------------------------------ */

static int64_t now_ns(const struct driver_program *d, uint32_t client, uint64_t ordinal)
{
    if (d->options.now_ns)
        return d->options.now_ns(d->options.now_context, client);
    return (int64_t)ordinal * SECOND_NS;
}

/* False: memory ran out. */
static bool make_ready(struct driver_program *d, struct program_client *client)
{
    struct error err;

    client->is_half_done = false;
    client->request = NULL;
    if (client->machine)
        return !d->is_short;
    if (machine_open(&client->machine, d->program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, &err) !=
        STATUS_OK) {
        d->is_short = true;
        return false;
    }
    machine_number_rows(client->machine, schema_first_row((uint64_t)(client - d->clients) + 1));
    return true;
}

static void program_start(struct driver_program *d, uint32_t number, uint32_t function,
                          const struct datum *arguments)
{
    struct program_client *client = &d->clients[number];

    if (d->options.recorded)
        driver_program_listed_add(d, number, function, arguments);
    client->function = function;
    if (d->options.notes)
        call_notes_begin(d->options.notes, d->program, function, arguments, &client->beginning);
    machine_start(client->machine, function, arguments);
    run_on(d, client);
}

static bool begin_listed(struct driver_program *d, uint32_t number, uint64_t ordinal)
{
    const struct listed_call *call = driver_program_listed_call(d, number, ordinal);

    if (!call || !make_ready(d, &d->clients[number]))
        return false;
    if (call->function != UINT32_MAX)
        program_start(d, number, call->function, call->arguments);
    return true;
}

/* A call whose arguments cannot be computed is listed as none. */
static bool program_begin(void *context, uint32_t number, uint64_t ordinal, uint32_t attempt)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];
    struct drawn_call call;
    struct calls_turn turn;

    assert(number < d->options.clients && attempt < d->options.attempts);
    if (d->options.listing)
        return begin_listed(d, number, ordinal);
    if (!make_ready(d, client))
        return false;
    heap_reset(&d->heap);
    turn = (struct calls_turn){ number, ordinal, attempt, now_ns(d, number, ordinal) };
    if (calls_draw(&d->calls, &turn, &d->heap, &call))
        program_start(d, number, call.function, call.arguments);
    else if (d->options.recorded)
        listed_begin(d->options.recorded, number);
    return true;
}

void driver_program_call(struct driver_program *d, uint32_t number, uint32_t function)
{
    struct program_client *client = &d->clients[number];

    assert(d->program->tree.functions[function].parameter_count == 0);
    if (!make_ready(d, client))
        return;
    machine_start(client->machine, function, NULL);
    run_on(d, client);
}

const struct request *driver_program_request(const struct driver_program *d, uint32_t number)
{
    return d->clients[number].request;
}

/* --- Requests --------------------------------------------------------------------------------- */

/* Keys or a scope. The catalog's keys are only lent. */
static void aim(struct driver_program *d, struct program_client *client)
{
    const uint32_t *keys;
    uint32_t count;

    client->scope = catalog_scope(d->catalog, &client->request->filter, &keys, &count);
    client->keys.count = 0;
    if (count == 0)
        return;
    pool_reserve(&d->pool, &client->keys, count);
    memcpy(client->keys.at, keys, count * sizeof *keys);
    client->keys.count = count;
}

/* A filter that pins the key to nothing at all (a null) is answered here. */
static void answer_nothing(struct driver_program *d, struct program_client *client)
{
    machine_answer_rows(client->machine, NULL, 0);
    run_on(d, client);
}

static struct intent intent_to_read(const struct program_client *client)
{
    const struct request *r = client->request;

    return (struct intent){
        .kind = INTENT_READ,
        .keys = client->keys.at,
        .key_count = client->keys.count,
        .scope = client->scope,
        .table = r->table,
        .lock = r->lock,
        .for_write =
            r->purpose == READ_UPDATE || r->purpose == READ_DELETE || r->purpose == READ_INSERT,
        /* A source that is joined to another is read by what was found there. */
        .first_table = r->filter.restriction_count == 0,
    };
}

static struct intent intent_to_write(struct driver_program *d, struct program_client *client)
{
    const struct request *r = client->request;
    uint16_t width = catalog_width(d->catalog, r->table);

    changes_clear(&client->changes);
    for (uint32_t i = 0; i < r->write_count; i++) {
        uint32_t key = catalog_key_of_row(d->catalog, r->table, r->writes[i].row);

        if (r->writes[i].is_removed)
            changes_add_removal(&client->changes, key);
        else
            changes_add_row(&client->changes, key, r->writes[i].row, width);
    }
    changes_seal(&client->changes);
    return (struct intent){
        .kind = INTENT_WRITE,
        .scope = SCOPE_NONE,
        .table = r->table,
        .first_table = true,
        .changes = client->changes.list.at,
        .change_count = client->changes.list.count,
    };
}

static struct intent program_next(void *context, uint32_t number)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    for (; client->request && client->request->kind == REQUEST_READ; answer_nothing(d, client)) {
        aim(d, client);
        if (client->scope != SCOPE_NONE || client->keys.count > 0)
            return intent_to_read(client);
    }
    if (client->request && client->request->kind == REQUEST_WRITE)
        return intent_to_write(d, client);
    return (struct intent){
        .kind = client->request && client->request->kind == REQUEST_RETURNED ? INTENT_COMMIT
                                                                             : INTENT_ABORT,
        .scope = SCOPE_NONE,
    };
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* Cells of a row in the heap; false: memory ran out. */
static bool take_row(struct driver_program *d, uint16_t width, struct text row)
{
    struct sql_error err;
    void *at;
    bool is_row;

    if (heap_push(&d->heap, width * sizeof(struct datum), &at, &err) != STATUS_OK)
        return false;
    is_row = row_get(row, at, width, &d->heap);
    assert(is_row || memory_failures() > 0);
    if (is_row)
        pool_push(&d->pool, &d->rows, at);
    return is_row;
}

/* A row that comes twice, as with a bug, is given twice to who reads, and once to who writes. */
static void take_rows(struct driver_program *d, struct program_client *client,
                      const struct driver_answer *answer)
{
    uint16_t width = catalog_width(d->catalog, client->request->table);
    enum read_purpose purpose = client->request->purpose;
    bool is_written = purpose == READ_UPDATE || purpose == READ_DELETE;

    d->rows.count = 0;
    changes_begin_marks(&d->marks);
    for (uint32_t i = 0; i < answer->row_count; i++) {
        const struct read_row *row = &answer->rows[i];
        struct text values;

        if (!row->is_row || (is_written && !changes_add_mark(&d->marks, &d->pool, row->key)))
            continue;
        values = misread_values(&client->misread, d->options.bugs, &d->pool, client->request, answer, i);
        if (values.at && !take_row(d, width, values))
            d->is_short = true;
    }
}

static void program_answered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    heap_reset(&d->heap);
    client->txn = answer->txn;
    if (client->request->kind == REQUEST_WRITE) {
        program_record_written(d, client, answer, answer->op.completed_ns);
        machine_answer_written(client->machine);
    } else {
        program_record_read(d, client, answer);
        take_rows(d, client, answer);
        machine_answer_rows(client->machine, d->rows.at, d->rows.count);
    }
    run_on(d, client);
    if (client->request->kind == REQUEST_FAILED || client->request->kind == REQUEST_RETURNED)
        program_record_half(client, answer);
}

static void unanswered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    heap_reset(&d->heap);
    if (client->request->kind == REQUEST_WRITE) {
        program_record_written(d, client, answer, TIME_NEVER);
    } else {
        program_record_half(client, answer);
        program_record_unread(d, client, answer);
    }
}

static void note_end(struct driver_program *d, struct program_client *client,
                     enum txn_status status, uint64_t txn)
{
    const struct program_function *function = &d->program->tree.functions[client->function];
    struct noted_end end = { status, function->result.kind == TYPE_VOID, client->request };

    if (!call_notes_end(d->options.notes, txn, &client->beginning, &end))
        d->is_short = true;
}

static void program_ended(void *context, uint32_t number, enum txn_status status, uint64_t txn)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    if (d->options.notes && client->request)
        note_end(d, client, status, txn);
    client->request = NULL;
    client->txn = 0;
}

/* What was not answered once has no effect. */
void driver_program_note_open(struct driver_program *d)
{
    for (uint32_t i = 0; i < d->options.clients; i++) {
        struct program_client *client = &d->clients[i];

        if (client->request && client->txn)
            note_end(d, client, TXN_UNKNOWN, client->txn);
        client->txn = 0;
    }
}

/* --- Life ------------------------------------------------------------------------------------- */

static enum status prepare_calls(struct driver_program *d, struct error *err)
{
    if (d->options.is_directed)
        return STATUS_OK;
    if (d->options.listing)
        return driver_program_listed_prepare(d, err);
    return calls_init(&d->calls,
                      &(struct calls_options){ d->program, d->options.calls,
                                               d->options.call_count, d->options.clients,
                                               d->options.attempts, d->options.key },
                      d->arena, err);
}

static enum status open_clients(struct driver_program *d, struct error *err)
{
    uint32_t tables = d->program->tree.schema.table_count;

    d->clients = arena_push(d->arena, d->options.clients, sizeof *d->clients);
    d->shapes = arena_push(d->arena, tables + (size_t)1, sizeof *d->shapes);
    if (!d->clients || !d->shapes)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the clients of a workload");
    for (uint32_t i = 0; i < d->options.clients; i++) {
        struct program_client *client = &d->clients[i];

        changes_init(&client->changes, &d->pool);
        changes_init(&client->matched, &d->pool);
    }
    for (uint32_t i = 0; i < tables; i++)
        d->shapes[i] = TABLE_ROWS;
    return STATUS_OK;
}

enum status driver_program_open(struct driver_program **out,
                                const struct driver_program_options *options, struct arena *arena,
                                struct error *err)
{
    struct driver_program *d = arena_push(arena, 1, sizeof *d);

    assert(options->clients >= 1 && options->clients <= PROGRAM_CLIENTS_MAX);
    assert(options->attempts >= 1 && options->attempts <= PROGRAM_ATTEMPTS_MAX);
    *out = d;
    if (!d)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a workload");
    d->program = options->program;
    d->options = *options;
    d->key = *options->key;
    d->options.key = &d->key; /* theirs may be gone before the first draw */
    d->arena = arena;
    d->driver = (struct driver){ .context = d,
                                 .turn = options->listing ? driver_program_listed_turn : NULL,
                                 .begin = program_begin,
                                 .next = program_next,
                                 .answered = program_answered,
                                 .unanswered = unanswered,
                                 .ended = program_ended };
    pool_memory_init(&d->memory, arena, MEMORY_BYTES_MAX);
    pool_init(&d->pool, &d->memory);
    heap_init(&d->heap, HEAP_BYTES_MAX);
    heap_init(&d->final_heap, HEAP_BYTES_MAX);
    heap_init(&d->listed_heap, HEAP_BYTES_MAX);
    TRY(sequences_open(&d->sequences, &d->program->tree.schema, err));
    TRY(program_examine_invariants(d->program, err));
    TRY(open_clients(d, err));
    return prepare_calls(d, err);
}

void driver_program_close(struct driver_program *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->clients && i < d->options.clients; i++) {
        machine_close(d->clients[i].machine);
        buffer_close(&d->clients[i].beginning);
    }
    machine_close(d->judge);
    sequences_close(&d->sequences);
    heap_close(&d->heap);
    heap_close(&d->final_heap);
    heap_close(&d->listed_heap);
}

const struct schema *driver_program_schema(const struct driver_program *d)
{
    return &d->program->tree.schema;
}

const enum table_shape *driver_program_shapes(const struct driver_program *d)
{
    return d->shapes;
}

const struct driver *driver_program_driver(const struct driver_program *d)
{
    return &d->driver;
}

bool driver_program_is_short(const struct driver_program *d)
{
    return d->is_short;
}

/* --- Loading ---------------------------------------------------------------------------------- */

static enum status call_load(struct driver_program *d, struct engine *engine, struct error *err)
{
    struct datum arguments[CALL_ARGUMENTS_MAX];
    struct engine_outcome outcome;
    uint32_t function;

    heap_reset(&d->heap);
    TRY(program_parse_call(d->program, d->options.load, &d->heap, &function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
    TRY(engine_call(engine, function, arguments, &outcome, err));
    if (!outcome.is_done)
        return error_set(err, STATUS_BAD_INPUT, "%.*s failed in line %" PRIu32 ": %s",
                         TEXT_PRINT(d->options.load), outcome.line, outcome.message);
    return STATUS_OK;
}

static enum status add_rows(struct driver_program *d, struct engine *engine,
                            driver_add_row *add_row, void *context, struct error *err)
{
    for (uint32_t table = 0; table < d->program->tree.schema.table_count; table++) {
        const struct datum *const *rows;
        uint32_t count;

        TRY(engine_read_table(engine, table, &rows, &count, err));
        for (uint32_t i = 0; i < count; i++)
            TRY(add_row(context, table, rows[i], err));
    }
    return STATUS_OK;
}

enum status driver_program_load(struct driver_program *d, struct catalog *catalog,
                                driver_add_row *add_row, void *context, struct error *err)
{
    struct engine *engine;
    enum status status;

    d->catalog = catalog;
    if (d->options.load.length == 0)
        return STATUS_OK;
    TRY(engine_open(&engine, d->program, err));
    status = call_load(d, engine, err);
    if (status == STATUS_OK)
        status = add_rows(d, engine, add_row, context, err);
    if (status == STATUS_OK)
        sequences_go_on(&d->sequences, engine_sequences(engine));
    engine_close(engine);
    return status;
}
