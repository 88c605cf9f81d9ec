#include "predict/calls.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/sort.h"
#include "predict/predict_private.h"
#include "programs/sql/schema.h"

#define HEAP_BYTES_MAX ((size_t)256 << 20)

/* --- Reading a log ---------------------------------------------------------------------- */

static enum status add_call(struct predict_calls *c, const struct logged_txn *logged,
                            uint32_t session, uint32_t position, struct error *err)
{
    const struct program_tree *tree = &c->program->tree;
    struct predict_call call = { .id = logged->id,
                                 .session = session,
                                 .logged_session = logged->session,
                                 .position = position,
                                 .function = program_find_function(c->program, logged->function) };
    struct datum *arguments;

    if (logged->statement_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "statements cannot be executed again, only calls of functions");
    if (call.function == UINT32_MAX)
        return error_set(err, STATUS_BAD_INPUT, "there is no function %.*s",
                         TEXT_PRINT(logged->function));
    if (tree->functions[call.function].parameter_count != logged->argument_count)
        return error_set(err, STATUS_BAD_INPUT, "%.*s has %u parameters, not %u",
                         TEXT_PRINT(logged->function),
                         tree->functions[call.function].parameter_count, logged->argument_count);
    PREDICT_TAKE(&c->arena, arguments, logged->argument_count, err);
    for (uint32_t i = 0; i < logged->argument_count; i++) {
        struct text cell = c->log->cells.at[logged->argument + i];
        struct sql_error sql_error;

        arguments[i] = datum_null();
        if (cell.at && datum_parse(cell, tree->functions[call.function].variables[i].type.kind,
                                   &c->heap, &arguments[i], &sql_error) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "argument %u of %.*s: %s", i + 1,
                             TEXT_PRINT(logged->function), sql_error.text);
    }
    call.arguments = arguments;
    return array_push(&c->calls, call, err);
}

static int compare_places(const void *context, size_t a, size_t b)
{
    const struct call_log *log = context;
    const int64_t *first = log->txns.at[a].ts, *second = log->txns.at[b].ts;
    int order = 0;

    for (unsigned i = 0; i < CALL_PLACES_MAX && order == 0; i++)
        order = (first[i] > second[i]) - (first[i] < second[i]);
    return order;
}

/* Of those that committed: as the log has them, or by ts if each has one and the log is sure of it. */
static enum status find_order(const struct call_log *log, size_t *order, size_t *count,
                              struct error *err)
{
    bool has_places = !log->ts_is_hint;
    size_t *spare;

    *count = 0;
    for (size_t i = 0; i < log->txns.count; i++)
        if (log->txns.at[i].status == TXN_OK && log->txns.at[i].sqlstate.length == 0) {
            has_places &= log->txns.at[i].has_ts;
            order[(*count)++] = i;
        }
    if (!has_places)
        return STATUS_OK;
    spare = calloc(*count + 1, sizeof *spare);
    if (!spare)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the order of calls");
    sort_stable(order, spare, *count, compare_places, log);
    free(spare);
    return STATUS_OK;
}

/* How many of its session stand before each transaction of the log. */
static enum status find_positions(const struct call_log *log, uint32_t *positions, struct error *err)
{
    struct map counts = { 0 };
    enum status status = STATUS_OK;

    for (size_t i = 0; i < log->txns.count && status == STATUS_OK; i++) {
        size_t place;

        status = map_add(&counts, (uint64_t)log->txns.at[i].session, 0, &place, err);
        if (status == STATUS_OK)
            positions[i] = (uint32_t)counts.values.at[place]++;
    }
    map_close(&counts);
    return status;
}

static enum status read_calls(struct predict_calls *c, const size_t *order, size_t count,
                              struct error *err)
{
    struct map sessions = { 0 };
    enum status status;
    uint32_t *positions;

    PREDICT_TAKE(&c->arena, positions, c->log->txns.count, err);
    status = find_positions(c->log, positions, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct logged_txn *logged = &c->log->txns.at[order[i]];
        size_t place = sessions.keys.count;

        /* Whoever has no session is one of its own. */
        status =
            map_add(&sessions, logged->session < 0 ? UINT64_MAX - i : (uint64_t)logged->session,
                    place, &place, err);
        if (status == STATUS_OK)
            status = add_call(c, logged, (uint32_t)place, positions[order[i]], err);
        if (status == STATUS_BAD_INPUT && err->line == 0)
            err->line = logged->line;
    }
    c->session_count = (uint32_t)sessions.keys.count;
    map_close(&sessions);
    return status;
}

enum status predict_calls_init(struct predict_calls *c, const struct program *program,
                               const struct call_log *log, struct error *err)
{
    size_t *order, count;
    enum status status;

    *c = (struct predict_calls){ .program = program, .log = log };
    heap_init(&c->heap, HEAP_BYTES_MAX);
    TRY(arena_init(&c->arena, ARENA_UNLIMITED, err));
    if (log->initial == INITIAL_UNKNOWN)
        return error_set(err, STATUS_BAD_INPUT,
                         "calls cannot be executed again if nobody knows the initial rows");
    order = calloc(log->txns.count + 1, sizeof *order);
    if (!order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the order of calls");
    status = find_order(log, order, &count, err);
    if (status == STATUS_OK)
        status = read_calls(c, order, count, err);
    free(order);
    if (status == STATUS_OK && c->session_count > DIRECTED_SESSIONS_MAX)
        status = error_set(err, STATUS_OVER_LIMIT, "more than %d sessions", DIRECTED_SESSIONS_MAX);
    return status;
}

void predict_calls_close(struct predict_calls *c)
{
    array_close(&c->calls);
    heap_close(&c->heap);
    arena_close(&c->arena);
}

uint32_t predict_calls_find(const struct predict_calls *c, int64_t id)
{
    for (uint32_t i = 0; i < c->calls.count; i++)
        if (c->calls.at[i].id == id)
            return i;
    return UINT32_MAX;
}

/* --- The initial rows ------------------------------------------------------------------- */

static enum status find_column(const struct schema_table *table, struct text name, uint16_t *column,
                               struct error *err)
{
    for (*column = 0; *column < table->column_count; (*column)++)
        if (text_equal(table->columns[*column].name, name))
            return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "table %.*s has no column %.*s",
                     TEXT_PRINT(table->name), TEXT_PRINT(name));
}

static enum status put_row(const struct predict_calls *c, const struct logged_row *row,
                           struct heap *heap, struct datum *cells, struct directed *d,
                           struct error *err)
{
    const struct schema *schema = &c->program->tree.schema;
    const struct schema_table *table;
    struct sql_error sql_error;
    uint32_t t = 0;

    while (t < schema->table_count && !text_equal(schema->tables[t].name, row->table))
        t++;
    if (t == schema->table_count)
        return error_set(err, STATUS_BAD_INPUT, "there is no table %.*s", TEXT_PRINT(row->table));
    table = &schema->tables[t];
    for (uint16_t i = 0; i < table->column_count; i++)
        cells[i] = datum_null();
    for (uint32_t i = 0; i < row->column_count; i++) {
        const struct text *pair = &c->log->cells.at[row->cell + 2 * i];
        uint16_t column = 0;

        TRY(find_column(table, pair[0], &column, err));
        if (pair[1].at && datum_parse(pair[1], table->columns[column].type.kind, heap,
                                      &cells[column], &sql_error) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "%s", sql_error.text);
    }
    if (table->is_numbered)
        cells[table->key.at[0]] = datum_of_int64(schema_first_row(0) + (row - c->log->rows.at));
    return directed_put_row(d, t, cells, err);
}

static enum status put_rows(const struct predict_calls *c, struct directed *d, struct error *err)
{
    struct datum *cells = calloc(1600, sizeof *cells);
    enum status status = STATUS_OK;
    struct heap heap;

    if (!cells)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a row");
    heap_init(&heap, HEAP_BYTES_MAX);
    for (size_t i = 0; i < c->log->rows.count && status == STATUS_OK; i++) {
        heap_reset(&heap);
        status = put_row(c, &c->log->rows.at[i], &heap, cells, d, err);
    }
    heap_close(&heap);
    free(cells);
    return status;
}

enum status predict_calls_open(const struct predict_calls *c, enum level level, struct directed **d,
                               struct error *err)
{
    struct directed_options options = {
        .program = c->program, .level = level, .sessions = c->session_count, .keeps = true
    };
    enum status status = directed_open(d, &options, err);

    if (status == STATUS_OK && c->log->initial == INITIAL_LOAD)
        status = directed_load(*d, c->log->load, err);
    if (status == STATUS_OK && c->log->initial == INITIAL_ROWS)
        status = put_rows(c, *d, err);
    return status;
}

/* --- As one after another ----------------------------------------------------------------- */

static enum status run_all(const struct predict_calls *c, struct directed *d, int64_t *ids,
                           struct error *err)
{
    struct random_key unused = random_key_of_seed(0);
    struct director_state state;
    struct director latest = director_of_mode(&state, DIRECTOR_LATEST, &unused);

    for (size_t i = 0; i < c->calls.count; i++) {
        const struct predict_call *call = &c->calls.at[i];
        struct directed_outcome outcome;

        ids[i] = call->id;
        TRY(directed_run(d,
                         &(struct directed_call){ call->session, call->function, call->arguments },
                         &latest, &outcome, err));
        if (outcome.end != DIRECTED_COMMITTED)
            return error_set(
                err, STATUS_BAD_INPUT,
                "T%" PRId64
                " committed, but fails when the calls are executed one after another: %s",
                call->id, outcome.message);
    }
    return STATUS_OK;
}

enum status predict_calls_observe(const struct predict_calls *c, struct history *h,
                                  struct error *err)
{
    int64_t *ids = calloc(c->calls.count + 1, sizeof *ids);
    struct directed *d = NULL;
    enum status status;

    *h = (struct history){ 0 };
    if (!ids)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the ids of calls");
    status = predict_calls_open(c, LEVEL_SERIALIZABLE, &d, err);
    if (status == STATUS_OK)
        status = run_all(c, d, ids, err);
    if (status == STATUS_OK)
        status = directed_history(d, &(struct directed_telling){ .ids = ids, .has_places = true }, h, err);
    directed_close(d);
    free(ids);
    return status;
}

/* --- Whether a history is of them ----------------------------------------------------------- */

static bool same_writer(const struct dataflow *a, uint32_t first, const struct dataflow *b, uint32_t second)
{
    if (first >= DATAFLOW_INITIAL || second >= DATAFLOW_INITIAL)
        return first == second;
    return a->history->txn_id[a->txn[first]] == b->history->txn_id[b->txn[second]];
}

static bool traces_match(const struct dataflow *a, const struct dataflow *b)
{
    if (a->txn_count != b->txn_count || a->event_count != b->event_count)
        return false;
    for (uint32_t txn = 0; txn <= a->txn_count; txn++)
        if (a->event_start[txn] != b->event_start[txn] ||
            (txn < a->txn_count && a->history->txn_id[a->txn[txn]] != b->history->txn_id[b->txn[txn]]))
            return false;
    for (uint32_t e = 0; e < a->event_count; e++)
        if (!same_writer(a, a->events[e].writer, b, b->events[e].writer) ||
            !text_equal(history_key(a->history, a->key[a->events[e].key]),
                        history_key(b->history, b->key[b->events[e].key])))
            return false;
    return true;
}

enum status predict_calls_match(const struct predict_calls *c, const struct dataflow *trace, bool *matches,
                                struct error *err)
{
    struct arena arena = { 0 };
    struct history observed;
    struct dataflow again;
    enum status status = predict_calls_observe(c, &observed, err);

    if (status == STATUS_OK)
        status = arena_init(&arena, ARENA_UNLIMITED, err);
    if (status == STATUS_OK)
        status = dataflow_of_history(&again, &observed, &arena, err);
    *matches = status == STATUS_OK && traces_match(trace, &again);
    history_close(&observed);
    arena_close(&arena);
    return status;
}
