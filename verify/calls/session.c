#include "verify/calls/session_private.h"

#include <string.h>

#include "base/hash.h"

#define STEPS_MAX UINT64_C(1000000000)

enum status session_init(struct session *s, size_t memory_max, struct error *err)
{
    memset(s, 0, sizeof *s);
    TRY(arena_init(&s->lasting, memory_max, err));
    TRY(arena_init(&s->scratch, memory_max, err));
    s->lasting.guard = s->scratch.guard = &s->guard;
    return STATUS_OK;
}

void session_close(struct session *s)
{
    reader_close(&s->reader);
    arena_close(&s->lasting);
    arena_close(&s->scratch);
}

static enum ended ended_of(const struct session *s)
{
    return s->trap.is_error ? ENDED_IN_ERROR : ENDED_UNKNOWN;
}

enum ended session_open(struct session *s, struct text program)
{
    s->scratch.guard = s->lasting.guard;
    s->reader = (struct reader){ .trap = &s->trap,
                                 .arena = &s->lasting,
                                 .bench = { &s->trap, &s->lasting },
                                 .catalog = &s->catalog };
    if (!trap_set(&s->trap)) {
        reader_close(&s->reader);
        return ended_of(s);
    }
    read_catalog(&s->reader, program);
    reader_close(&s->reader);
    row_states_open(&s->store, &s->catalog, &s->lasting);
    numbering_open(&s->numbering, &s->catalog, &s->lasting);
    return ENDED_WELL;
}

void session_begin(struct session *s, void (*see)(struct run *, uint32_t), void *context,
                   uint32_t before, bool is_locking)
{
    arena_reset_to(&s->scratch, 0);
    row_states_begin(&s->store);
    s->run = (struct run){ .trap = &s->trap,
                           .bench = { &s->trap, &s->scratch },
                           .store = &s->store,
                           .numbering = &s->numbering,
                           .catalog = &s->catalog,
                           .see = see,
                           .context = context,
                           .before = before,
                           .is_locking = is_locking,
                           .view = { .state = before },
                           .newest = { .state = before },
                           .writes = s->store.writes,
                           .row_number = 1,
                           .steps_left = STEPS_MAX };
}

enum ended session_call(struct session *s, const struct routine *routine, const struct text *arguments,
                        uint32_t count, struct item *value)
{
    struct item *items;

    if (!trap_set(&s->trap))
        return ended_of(s);
    if (count != routine->parameter_count)
        trap_error(&s->trap, "42883");
    items = arena_take(&s->scratch, count + 1, sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        struct item text = arguments[i].at ? item_text(arguments[i]) : item_null();

        items[i] = item_cast(&s->run.bench, text, routine->variables[i].type, CAST_IS_ASSIGNMENT);
    }
    *value = run_routine(&s->run, routine, items);
    return ENDED_WELL;
}

enum ended session_prepare(struct session *s, struct text sql, const struct statement **statement)
{
    struct session_statement **bucket = &s->buckets[hash_bytes(sql.at, sql.length) % 1024], *kept;

    for (kept = *bucket; kept; kept = kept->next)
        if (text_equal(kept->sql, sql)) {
            *statement = kept->statement;
            return ENDED_WELL;
        }
    if (!trap_set(&s->trap)) {
        reader_close(&s->reader);
        return ended_of(s);
    }
    kept = arena_take(&s->lasting, 1, sizeof *kept);
    kept->sql = reader_keep(&s->reader, sql);
    kept->statement = read_statement(&s->reader, reader_parse(&s->reader, kept->sql));
    kept->next = *bucket;
    *bucket = kept;
    *statement = kept->statement;
    reader_close(&s->reader);
    return ENDED_WELL;
}

enum ended session_execute(struct session *s, const struct statement *statement,
                           const struct text *parameters, uint32_t count,
                           struct outcome_of_statement *outcome)
{
    struct place_of_work place = { .run = &s->run };

    if (!trap_set(&s->trap))
        return ended_of(s);
    s->run.parameters = parameters;
    s->run.parameter_count = count;
    run_statement(&place, statement, outcome);
    return ENDED_WELL;
}

struct text session_keep(struct session *s, struct buffer *buffer)
{
    char *at = buffer->out_of_memory ? NULL : arena_push(&s->scratch, buffer->count + 1, 1);
    struct text kept = { at, buffer->count };

    if (at && buffer->count > 0)
        memcpy(at, buffer->at, buffer->count);
    buffer_close(buffer);
    if (!at)
        arena_take(&s->scratch, SIZE_MAX / 8, 1);
    return kept;
}

struct text session_print(struct session *s, const struct item *item)
{
    struct buffer printed = { 0 };

    item_print(item, &printed);
    return session_keep(s, &printed);
}

static void see_newest(struct run *run, uint32_t statement)
{
    (void)statement;
    run->view = run->newest = (struct row_view){ .state = run->before };
}

/* "SELECT load(2)" */
static struct text select_of(struct session *s, struct text call)
{
    struct buffer sql = { 0 };

    buffer_text(&sql, TEXT("SELECT "));
    buffer_text(&sql, call);
    return reader_keep_buffer(&s->reader, &sql);
}

static void evaluate_call(struct session *s, struct text sql)
{
    struct place_of_work place = { .run = &s->run };
    const PgQuery__Node *node = reader_parse(&s->reader, sql);
    const PgQuery__SelectStmt *stmt = node->select_stmt;

    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT || stmt->n_target_list != 1 ||
        stmt->n_from_clause > 0)
        reader_refuse(&s->reader, "such a call");
    evaluate(&place, read_formula(&s->reader, NULL, stmt->target_list[0]->res_target->val));
}

enum ended session_call_text(struct session *s, struct text call)
{
    struct text sql = select_of(s, call);

    session_begin(s, see_newest, NULL, 0, false);
    if (!trap_set(&s->trap)) {
        reader_close(&s->reader);
        return ended_of(s);
    }
    evaluate_call(s, sql);
    reader_close(&s->reader);
    return ENDED_WELL;
}

enum ended session_put_row(struct session *s, struct text table, const struct text *names_and_values,
                           uint32_t column_count)
{
    const struct relation *relation = catalog_find_relation(&s->catalog, table);
    struct place_of_work place = { .run = &s->run };
    struct packed *row;

    if (!trap_set(&s->trap))
        return ended_of(s);
    if (!relation)
        trap_unknown(&s->trap, "rows of the table %.*s", TEXT_PRINT(table));
    row = row_states_take(&s->store, relation);
    for (uint32_t i = 0; i < column_count; i++) {
        struct text name = names_and_values[2 * i], value = names_and_values[2 * i + 1];
        struct item item;
        uint32_t c = 0;

        while (c < relation_named(relation) && !text_equal(relation->columns[c].name, name))
            c++;
        if (c == relation_named(relation))
            trap_unknown(&s->trap, "the column %.*s of an initial row", TEXT_PRINT(name));
        item = item_cast(&s->run.bench, value.at ? item_text(value) : item_null(),
                         relation->columns[c].type, CAST_IS_ASSIGNMENT);
        row[c] = row_states_pack(&s->lasting, &item);
    }
    if (relation->is_numbered)
        row[relation->key.at[0]] = run_number_row(&s->run);
    write_first(&place, relation, row);
    return ENDED_WELL;
}
