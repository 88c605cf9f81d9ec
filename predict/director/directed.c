#include "predict/director/directed.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "history/call_log_write.h"
#include "predict/director/requests_private.h"
#include "programs/machine/engine.h"
#include "programs/workloads/calls.h"

#define HEAP_BYTES_MAX ((size_t)256 << 20)

uint64_t directed_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) |
           LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX) | LEVEL_BIT(LEVEL_SNAPSHOT) |
           LEVEL_BIT(LEVEL_SERIALIZABLE);
}

/* --- Life --------------------------------------------------------------------------------------- */

static enum status open_all(struct directed *d, struct error *err)
{
    TRY(arena_init(&d->arena, ARENA_UNLIMITED, err));
    TRY(arena_init(&d->names, ARENA_UNLIMITED, err));
    TRY(row_indexes_open(&d->tables, d->options.program, NULL, err));
    TRY(sequences_open(&d->sequences, d->schema, err));
    d->sessions = calloc(d->options.sessions + (size_t)1, sizeof *d->sessions);
    if (!d->sessions)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %u sessions",
                         (unsigned)d->options.sessions);
    for (uint32_t i = 0; i < d->options.sessions; i++)
        d->sessions[i].previous = LEGALITY_NOBODY;
    return STATUS_OK;
}

enum status directed_open(struct directed **out, const struct directed_options *options,
                          struct error *err)
{
    struct directed *d = calloc(1, sizeof *d);

    assert((directed_levels() | LEVEL_BIT(LEVEL_READ_UNCOMMITTED)) & LEVEL_BIT(options->level));
    assert(options->sessions <= DIRECTED_SESSIONS_MAX);
    *out = d;
    if (!d)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a directed store");
    d->options = *options;
    d->schema = &options->program->tree.schema;
    legality_init(&d->legality, options->level, &d->keys);
    heap_init(&d->heap, HEAP_BYTES_MAX);
    return open_all(d, err);
}

void directed_close(struct directed *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->sessions && i < d->options.sessions; i++) {
        machine_close(d->sessions[i].machine);
        array_close(&d->sessions[i].txns);
    }
    free(d->sessions);
    for (size_t i = 0; i < d->keys.keys.count; i++)
        array_close(&d->keys.keys.at[i].versions);
    array_close(&d->keys.keys);
    intern_close(&d->keys.texts);
    row_indexes_close(d->tables, d->options.program);
    sequences_close(&d->sequences);
    legality_close(&d->legality);
    machine_close(d->judge);
    array_close(&d->txns);
    array_close(&d->ops);
    array_close(&d->rows);
    array_close(&d->set);
    array_close(&d->reads);
    array_close(&d->writes);
    array_close(&d->write_keys);
    array_close(&d->kept_sequences);
    array_close(&d->places);
    array_close(&d->candidates);
    array_close(&d->answer);
    array_close(&d->order);
    array_close(&d->ranks);
    heap_close(&d->heap);
    buffer_close(&d->text);
    buffer_close(&d->room);
    arena_close(&d->arena);
    arena_close(&d->names);
    free(d);
}

enum status directed_put_row(struct directed *d, uint32_t table, const struct datum *cells,
                             struct error *err)
{
    uint32_t key;

    assert(d->txns.count == 0);
    TRY(requests_key_of_row(d, table, cells, &key, err));
    return requests_keep_row(d, cells, d->schema->tables[table].column_count,
                             &d->keys.keys.at[key].versions.at[0].row, err);
}

static enum status call_load(struct directed *d, struct text call, struct engine *engine,
                             struct error *err)
{
    struct datum arguments[CALL_ARGUMENTS_MAX];
    struct engine_outcome outcome;
    uint32_t function;

    heap_reset(&d->heap);
    TRY(program_parse_call(d->options.program, call, &d->heap, &function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
    TRY(engine_call(engine, function, arguments, &outcome, err));
    if (!outcome.is_done)
        return error_set(err, STATUS_BAD_INPUT, "%.*s failed in line %" PRIu32 ": %s",
                         TEXT_PRINT(call), outcome.line, outcome.message);
    for (uint32_t table = 0; table < d->schema->table_count; table++) {
        const struct datum *const *rows;
        uint32_t count;

        TRY(engine_read_table(engine, table, &rows, &count, err));
        for (uint32_t i = 0; i < count; i++)
            TRY(directed_put_row(d, table, rows[i], err));
    }
    sequences_go_on(&d->sequences, engine_sequences(engine));
    return STATUS_OK;
}

enum status directed_load(struct directed *d, struct text call, struct error *err)
{
    struct engine *engine;
    enum status status;

    TRY(engine_open(&engine, d->options.program, err));
    status = call_load(d, call, engine, err);
    engine_close(engine);
    return status;
}

/* --- A transaction ------------------------------------------------------------------------------ */

static struct directed_marks marks_of(const struct directed *d)
{
    return (
        struct directed_marks){ d->arena.used,           d->ops.count,
                                d->rows.count,           d->set.count,
                                d->reads.count,          d->writes.count,
                                d->kept_sequences.count, commit_order_mark(&d->legality.order) };
}

static enum status begin(struct directed *d, const struct directed_call *call, struct error *err)
{
    struct directed_session *session = &d->sessions[call->session];
    uint32_t number = (uint32_t)d->txns.count;
    struct executed txn = { .session = call->session,
                            .position = session->count,
                            .previous = session->previous,
                            .from = marks_of(d),
                            .counts = d->counts };

    assert(call->session < d->options.sessions);
    if (!session->machine)
        TRY(machine_open(&session->machine, d->options.program, MACHINE_STEPS_MAX,
                         MACHINE_BYTES_MAX, err));
    machine_number_rows(
        session->machine,
        schema_first_row((uint64_t)txn.position * d->options.sessions + txn.session + 1));
    for (uint32_t i = 0; i < d->schema->sequence_count; i++)
        TRY(array_push(&d->kept_sequences, d->sequences.at[i], err));
    TRY(legality_begin(&d->legality, number, session->previous, err));
    TRY(array_push(&session->txns, number, err));
    TRY(array_push(&d->txns, txn, err));
    session->count++;
    d->round++;
    d->has_half = false;
    d->read = (struct directed_read){
        .store = d, .txn = number, .session = txn.session, .position = txn.position
    };
    return STATUS_OK;
}

static enum status keep_call(struct directed *d, const struct directed_call *call,
                             struct error *err)
{
    struct json_writer json = { .out = &d->text };

    if (!d->options.keeps)
        return STATUS_OK;
    buffer_clear(&d->text);
    call_log_begin_call(&json, d->options.program->tree.functions[call->function].name);
    calls_write_arguments(&json, d->options.program, call->function, call->arguments, &d->room);
    TRY(buffer_status(&d->room, err));
    return requests_keep_text(d, &d->text, &d->txns.at[d->txns.count - 1].call, err);
}

/* What the client was answered, behind the call: [["12.50"]], or nothing where it was told of a failure. */
static enum status keep_answer(struct directed *d, const struct directed_call *call,
                               const struct directed_outcome *outcome, struct error *err)
{
    bool is_void = d->options.program->tree.functions[call->function].result.kind == TYPE_VOID;
    struct executed *txn = &d->txns.at[d->txns.count - 1];
    struct buffer rows = { 0 };
    struct json_writer json = { .out = &rows };
    enum status status;

    if (!d->options.keeps)
        return STATUS_OK;
    if (outcome->end == DIRECTED_COMMITTED) {
        json_writer_open(&json, NULL, '[');
        if (!is_void) {
            json_writer_open(&json, NULL, '[');
            calls_write_value(&json, &outcome->value, &d->room);
            json_writer_close(&json, ']');
        }
        json_writer_close(&json, ']');
    }
    buffer_clear(&d->text);
    buffer_text(&d->text, txn->call);
    json = (struct json_writer){ .out = &d->text, .needs_comma = true };
    call_log_end_call(&json, outcome->sqlstate ? outcome->sqlstate : "",
                      (struct text){ rows.at, rows.count });
    status = buffer_status(&rows, err);
    if (status == STATUS_OK)
        status = buffer_status(&d->room, err);
    if (status == STATUS_OK)
        status = requests_keep_text(d, &d->text, &txn->call, err);
    buffer_close(&rows);
    return status;
}

/* To its end, or to the request that is refused. */
static enum status execute(struct directed *d, struct machine *machine, bool *is_refused,
                           struct error *err)
{
    for (;;) {
        const struct request *r = machine_run(machine);

        switch (r->kind) {
        case REQUEST_RETURNED:
        case REQUEST_FAILED:
            return STATUS_OK;
        case REQUEST_NUMBER:
            sequences_answer(&d->sequences, machine);
            break;
        case REQUEST_READ:
            d->read.statement = r->ordinal;
            legality_enter(&d->legality, r->ordinal);
            TRY(requests_read(d, machine, r, err));
            break;
        case REQUEST_WRITE:
            TRY(requests_write(d, r, is_refused, err));
            if (*is_refused)
                return STATUS_OK;
            machine_answer_written(machine);
            break;
        }
    }
}

static enum status commit(struct directed *d, struct error *err)
{
    uint32_t number = (uint32_t)d->txns.count - 1;
    struct executed *txn = &d->txns.at[number];

    for (size_t i = txn->from.writes; i < d->writes.count; i++) {
        struct key_version version = { number, d->writes.at[i].row };

        TRY(array_push(&d->keys.keys.at[d->writes.at[i].key].versions, version, err));
    }
    legality_commit(&d->legality, number);
    d->sessions[txn->session].previous = number;
    return STATUS_OK;
}

static void settle(const struct request *r, bool is_refused, struct directed_outcome *outcome)
{
    *outcome = (struct directed_outcome){ .end = DIRECTED_REFUSED,
                                          .line = r->line,
                                          .sqlstate = "40001",
                                          .message = "another transaction has written the row" };
    if (is_refused)
        return;
    outcome->end = r->kind == REQUEST_RETURNED ? DIRECTED_COMMITTED : DIRECTED_FAILED;
    outcome->value = r->value;
    outcome->sqlstate = r->kind == REQUEST_FAILED ? r->sqlstate : NULL;
    outcome->message = r->kind == REQUEST_FAILED ? r->message : NULL;
}

static enum status directed_execute(struct directed *d, const struct directed_call *call,
                                    struct directed_outcome *outcome, struct error *err)
{
    bool is_refused = false;
    struct machine *machine;

    TRY(begin(d, call, err));
    TRY(keep_call(d, call, err));
    machine = d->sessions[call->session].machine;
    machine_start(machine, call->function, call->arguments);
    TRY(execute(d, machine, &is_refused, err));
    settle(machine_request(machine), is_refused, outcome);
    outcome->txn = (uint32_t)d->txns.count - 1;
    d->txns.at[outcome->txn].end = (uint8_t)outcome->end;
    TRY(keep_answer(d, call, outcome, err));
    if (outcome->end == DIRECTED_COMMITTED)
        return commit(d, err);
    legality_abort(&d->legality);
    return STATUS_OK;
}

/* A program that lacks memory fails as by an error of its own. */
enum status directed_run(struct directed *d, const struct directed_call *call,
                         const struct director *director, struct directed_outcome *outcome,
                         struct error *err)
{
    uint64_t before = memory_failures();

    d->director = director;
    return memory_confirm(before, directed_execute(d, call, outcome, err), err);
}

void directed_undo(struct directed *d)
{
    const struct executed *txn;
    const struct directed_marks *from;
    struct directed_session *session;
    uint32_t number;

    assert(d->txns.count > 0);
    number = (uint32_t)d->txns.count - 1;
    txn = &d->txns.at[number];
    from = &txn->from;
    session = &d->sessions[txn->session];
    if (txn->end == DIRECTED_COMMITTED) {
        legality_undo(&d->legality, number, from->order);
        for (size_t i = from->writes; i < d->writes.count; i++)
            d->keys.keys.at[d->writes.at[i].key].versions.count--;
    }
    if (d->schema->sequence_count > 0)
        memcpy(d->sequences.at, d->kept_sequences.at + from->sequences,
               d->schema->sequence_count * sizeof *d->sequences.at);
    session->count--;
    session->txns.count--;
    session->previous = txn->previous;
    d->counts = txn->counts;
    d->ops.count = from->ops;
    d->rows.count = from->rows;
    d->set.count = from->set;
    d->reads.count = from->reads;
    d->writes.count = d->write_keys.count = from->writes;
    d->kept_sequences.count = from->sequences;
    arena_reset_to(&d->arena, from->arena);
    d->txns.count = number;
}

/* --- What there is ------------------------------------------------------------------------------ */

uint32_t directed_txn_count(const struct directed *d)
{
    return (uint32_t)d->txns.count;
}

struct directed_txn_facts directed_txn(const struct directed *d, uint32_t number)
{
    const struct executed *txn = &d->txns.at[number];

    assert(number < d->txns.count);
    return (struct directed_txn_facts){ txn->session, txn->position, (enum directed_end)txn->end };
}

uint32_t directed_find_txn(const struct directed *d, uint32_t session, uint32_t position)
{
    if (session >= d->options.sessions || position >= d->sessions[session].count)
        return UINT32_MAX;
    return d->sessions[session].txns.at[position];
}

struct directed_counts directed_counts(const struct directed *d)
{
    return d->counts;
}

struct text directed_key_text(const struct directed *d, uint32_t key)
{
    return intern_text(&d->keys.texts, key);
}

uint64_t directed_scanned(const struct directed *d, uint32_t txn)
{
    assert(txn < d->txns.count);
    return d->txns.at[txn].scanned;
}

uint32_t directed_key_table(const struct directed *d, uint32_t key)
{
    return d->keys.keys.at[key].table;
}

bool directed_has_version(const struct directed *d, uint32_t key, uint32_t writer)
{
    const struct directed_key *k = &d->keys.keys.at[key];

    for (size_t i = 0; i < k->versions.count; i++)
        if (k->versions.at[i].writer == writer)
            return true;
    return false;
}

static size_t end_of(const struct directed *d, uint32_t txn, size_t last, bool of_reads)
{
    const struct executed *next = &d->txns.at[txn + 1];

    assert(txn < d->txns.count);
    if (txn + 1 == d->txns.count)
        return last;
    return of_reads ? next->from.reads : next->from.writes;
}

const struct directed_seen *directed_reads(const struct directed *d, uint32_t txn, uint32_t *count)
{
    size_t from = d->txns.at[txn].from.reads;

    *count = (uint32_t)(end_of(d, txn, d->reads.count, true) - from);
    return d->reads.at + from;
}

const uint32_t *directed_writes(const struct directed *d, uint32_t txn, uint32_t *count)
{
    size_t from = d->txns.at[txn].from.writes;

    *count = (uint32_t)(end_of(d, txn, d->writes.count, false) - from);
    return d->write_keys.at + from;
}

/* --- The final state ---------------------------------------------------------------------------- */

static enum status rank(struct directed *d, struct error *err)
{
    uint32_t count = (uint32_t)d->txns.count;

    d->order.count = d->ranks.count = 0;
    TRY(array_reserve(&d->order, count + 1, err));
    TRY(array_reserve(&d->ranks, count + 1, err));
    TRY(legality_final_order(&d->legality, count, d->order.at, err));
    for (uint32_t i = 0; i < count; i++)
        d->ranks.at[d->order.at[i]] = i;
    return STATUS_OK;
}

enum status directed_each_final_row(struct directed *d, uint32_t table, final_row_taker *take,
                                    void *taker, struct error *err)
{
    const struct row_index *index = &d->tables[table].at[0];
    const struct row_entry *entry;

    TRY(rank(d, err));
    for (struct row_place place = { 0, 0 }; (entry = row_index_at(index, place));
         place = row_index_next(index, place)) {
        const struct datum *row = requests_final_row(d, (uint32_t)((uintptr_t)entry->row - 1));

        if (row)
            TRY(take(taker, row, err));
    }
    return STATUS_OK;
}

static enum status refuse_function(const struct directed *d, uint32_t function, const char *why,
                                   struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%.*s: %s",
                     TEXT_PRINT(d->options.program->tree.functions[function].name), why);
}

static enum status evaluate(struct directed *d, uint32_t function, struct error *err)
{
    const struct request *r;

    machine_start(d->judge, function, NULL);
    while ((r = machine_run(d->judge))->kind == REQUEST_READ)
        TRY(requests_read(d, d->judge, r, err));
    if (r->kind == REQUEST_WRITE || r->kind == REQUEST_NUMBER)
        return refuse_function(d, function, "what is asked of the final rows must not write", err);
    if (r->kind == REQUEST_FAILED)
        return refuse_function(d, function, r->message, err);
    return STATUS_OK;
}

enum status directed_evaluate(struct directed *d, uint32_t function, struct datum *value,
                              struct error *err)
{
    uint64_t before = memory_failures();
    enum status status;

    if (d->options.program->tree.functions[function].parameter_count > 0)
        return refuse_function(d, function, "what is asked of the final rows has no parameters",
                               err);
    if (!d->judge)
        TRY(machine_open(&d->judge, d->options.program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    TRY(rank(d, err));
    d->is_final = true;
    status = memory_confirm(before, evaluate(d, function, err), err);
    d->is_final = false;
    if (status == STATUS_OK)
        *value = machine_request(d->judge)->value;
    return status;
}
