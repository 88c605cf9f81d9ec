#include "store/clients/driver_program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "programs/engine.h"
#include "store/clients/driver_program_private.h"

#define MEMORY_BYTES_MAX ((size_t)1 << 30)
#define HEAP_BYTES_MAX ((size_t)256 << 20)
#define FRESH_MAX 1000 /* in one call */
#define SECOND_NS INT64_C(1000000000)

/* --- Calls ------------------------------------------------------------------------------------ */

static uint32_t choose_call(const struct driver_program *d, const struct program_client *client,
                            uint64_t ordinal)
{
    uint64_t total = d->weight_ends[d->options.call_count - 1];
    uint64_t at = random_scale(random_draw_at(&client->call_key, ordinal), total);
    uint32_t call = 0;

    while (d->weight_ends[call] <= at)
        call++;
    return call;
}

static int64_t now_ns(const struct driver_program *d, uint32_t client, uint64_t ordinal)
{
    if (d->options.now_ns)
        return d->options.now_ns(d->options.now_context, client);
    return (int64_t)ordinal * SECOND_NS;
}

/* False: they cannot be computed, and so the call fails. */
static bool draw_arguments(struct driver_program *d, uint32_t number, uint64_t ordinal,
                           uint32_t attempt, const struct prepared_call *call,
                           struct datum *arguments)
{
    uint64_t attempts = ordinal * d->options.attempts + attempt;
    uint64_t turn = attempts * d->options.clients + number;
    struct argument_source source = {
        .key = &d->clients[number].key,
        .run = d->options.key,
        .ordinal = ordinal,
        .fresh = ARGUMENTS_FRESH_ABOVE + 1 + (int64_t)(turn * d->fresh_max),
        .now_ns = now_ns(d, number, ordinal),
    };
    struct sql_error err;

    for (uint32_t i = 0; i < call->argument_count; i++)
        if (argument_draw(call->arguments[i], &source, &d->heap, &arguments[i], &err) != STATUS_OK)
            return false;
    return true;
}

/* False: memory ran out. */
static bool make_ready(struct driver_program *d, struct program_client *client)
{
    struct error err;

    client->is_half_done = false;
    client->request = NULL;
    if (!client->machine && machine_open(&client->machine, d->program, MACHINE_STEPS_MAX,
                                         MACHINE_BYTES_MAX, &err) != STATUS_OK)
        d->is_short = true;
    return !d->is_short;
}

static void start(struct driver_program *d, uint32_t number, uint32_t function,
                  const struct datum *arguments)
{
    struct program_client *client = &d->clients[number];

    if (d->options.recorded)
        program_list(d, number, function, arguments);
    machine_start(client->machine, function, arguments);
    client->request = machine_run(client->machine);
}

static bool begin_listed(struct driver_program *d, uint32_t number, uint64_t ordinal)
{
    const struct listed_call *call = program_listed_call(d, number, ordinal);

    if (!call || !make_ready(d, &d->clients[number]))
        return false;
    if (call->function != UINT32_MAX)
        start(d, number, call->function, call->arguments);
    return true;
}

/* A call whose arguments cannot be computed is listed as none. */
static bool begin(void *context, uint32_t number, uint64_t ordinal, uint32_t attempt)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];
    const struct prepared_call *call;
    struct datum arguments[CALL_ARGUMENTS_MAX];

    assert(number < d->options.clients && attempt < d->options.attempts);
    if (d->options.listing)
        return begin_listed(d, number, ordinal);
    call = &d->calls[choose_call(d, client, ordinal)];
    if (!make_ready(d, client))
        return false;
    heap_reset(&d->heap);
    if (draw_arguments(d, number, ordinal, attempt, call, arguments))
        start(d, number, call->function, arguments);
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
    client->request = machine_run(client->machine);
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
    vector_reserve(&d->pool, &client->keys, count);
    memcpy(client->keys.at, keys, count * sizeof *keys);
    client->keys.count = count;
}

/* A filter that pins the key to nothing at all (a null) is answered here. */
static void answer_nothing(struct program_client *client)
{
    machine_answer_rows(client->machine, NULL, 0);
    client->request = machine_run(client->machine);
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

static struct intent next(void *context, uint32_t number)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    for (; client->request && client->request->kind == REQUEST_READ; answer_nothing(client)) {
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
    assert(is_row);
    vector_push(&d->pool, &d->rows, at);
    return is_row;
}

/* A row that comes twice, as with a bug, is given twice to who reads, and once to who writes. */
static void take_rows(struct driver_program *d, const struct program_client *client,
                      const struct driver_answer *answer)
{
    uint16_t width = catalog_width(d->catalog, client->request->table);
    enum read_purpose purpose = client->request->purpose;
    bool is_written = purpose == READ_UPDATE || purpose == READ_DELETE;

    d->rows.count = 0;
    key_marks_begin(&d->marks);
    for (uint32_t i = 0; i < answer->row_count; i++) {
        const struct read_row *row = &answer->rows[i];

        if (!row->is_row || (is_written && !key_marks_add(&d->marks, &d->pool, row->key)))
            continue;
        if (!take_row(d, width, row->row))
            d->is_short = true;
    }
}

static void answered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct driver_program *d = context;
    struct program_client *client = &d->clients[number];

    heap_reset(&d->heap);
    if (client->request->kind == REQUEST_WRITE) {
        program_record_written(d, client, answer, answer->op.completed_ns);
        machine_answer_written(client->machine);
    } else {
        program_record_read(d, client, answer);
        take_rows(d, client, answer);
        machine_answer_rows(client->machine, d->rows.at, d->rows.count);
    }
    client->request = machine_run(client->machine);
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

static void ended(void *context, uint32_t number, enum txn_status status, uint64_t txn)
{
    struct driver_program *d = context;

    (void)status;
    (void)txn;
    d->clients[number].request = NULL;
}

/* --- Life ------------------------------------------------------------------------------------- */

static enum status prepare_arguments(struct driver_program *d, const struct program_call *given,
                                     struct prepared_call *call, struct error *err)
{
    const struct function *function = &d->program->tree.functions[call->function];
    uint32_t fresh = 0;

    if (given->argument_count != function->parameter_count ||
        given->argument_count > CALL_ARGUMENTS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%.*s takes %" PRIu32 " argument%s, not %" PRIu32,
                         TEXT_PRINT(given->procedure), function->parameter_count,
                         function->parameter_count == 1 ? "" : "s", given->argument_count);
    call->argument_count = given->argument_count;
    call->arguments =
        arena_push(d->arena, given->argument_count + (size_t)1, sizeof *call->arguments);
    if (!call->arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (uint32_t i = 0; i < given->argument_count; i++) {
        enum status status = argument_parse(&call->arguments[i], given->arguments[i],
                                            function->variables[i].type, d->arena, err);

        if (status != STATUS_OK)
            return error_wrap(err, "%.*s", TEXT_PRINT(given->procedure));
        fresh += argument_fresh_max(call->arguments[i]);
    }
    if (fresh > FRESH_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%.*s takes more than %d fresh integers",
                         TEXT_PRINT(given->procedure), FRESH_MAX);
    d->fresh_max = fresh > d->fresh_max ? fresh : d->fresh_max;
    return STATUS_OK;
}

static enum status prepare_calls(struct driver_program *d, struct error *err)
{
    uint32_t count = d->options.call_count;
    uint64_t sum = 0;

    if (d->options.is_directed)
        return STATUS_OK;
    if (d->options.listing)
        return program_prepare_listed(d, err);
    if (count == 0)
        return error_set(err, STATUS_BAD_INPUT, "a program needs a call to be made");
    d->calls = arena_push(d->arena, count, sizeof *d->calls);
    d->weight_ends = arena_push(d->arena, count, sizeof *d->weight_ends);
    if (!d->calls || !d->weight_ends)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (uint32_t i = 0; i < count; i++) {
        const struct program_call *given = &d->options.calls[i];

        err->line = given->line;
        if (given->weight == 0)
            return error_set(err, STATUS_BAD_INPUT, "the weight of %.*s must be at least 1",
                             TEXT_PRINT(given->procedure));
        d->calls[i].function = program_find_function(d->program, given->procedure);
        if (d->calls[i].function == UINT32_MAX)
            return error_set(err, STATUS_BAD_INPUT, "the program has no procedure '%.*s'",
                             TEXT_PRINT(given->procedure));
        TRY(prepare_arguments(d, given, &d->calls[i], err));
        sum += given->weight;
        d->weight_ends[i] = sum;
    }
    err->line = 0;
    return STATUS_OK;
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

        client->key = random_key_fork(d->options.key, "client/%" PRIu32, i);
        client->call_key = random_key_fork(&client->key, "call");
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
                                 .turn = options->listing ? program_turn : NULL,
                                 .begin = begin,
                                 .next = next,
                                 .answered = answered,
                                 .unanswered = unanswered,
                                 .ended = ended };
    memory_init(&d->memory, arena, MEMORY_BYTES_MAX);
    pool_init(&d->pool, &d->memory);
    heap_init(&d->heap, HEAP_BYTES_MAX);
    heap_init(&d->final_heap, HEAP_BYTES_MAX);
    heap_init(&d->listed_heap, HEAP_BYTES_MAX);
    TRY(program_examine_invariants(d, err));
    TRY(open_clients(d, err));
    return prepare_calls(d, err);
}

void driver_program_close(struct driver_program *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->clients && i < d->options.clients; i++)
        machine_close(d->clients[i].machine);
    machine_close(d->judge);
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
    TRY(program_parse_call(d->program, d->options.load, &d->heap, &function, arguments,
                           CALL_ARGUMENTS_MAX, err));
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
    engine_close(engine);
    return status;
}
