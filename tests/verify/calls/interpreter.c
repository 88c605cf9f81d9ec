#include "tests/verify/calls/interpreter.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"
#include "verify/calls/session_private.h"

static struct session session;
static int64_t row_number; /* goes on from call to call, as the engine's does */
static struct error err;
static struct buffer out;

/* What is done within the guard. */
struct work {
    struct text text;
    const struct text *arguments;
    uint32_t count, position;
    enum ended ended;
};

static void see_before(struct run *run, uint32_t statement)
{
    (void)statement;
    run->view = run->newest = (struct row_view){ .state = run->before };
}

static struct text answer_of(enum ended ended)
{
    return text_of(ended == ENDED_IN_ERROR ? session.trap.sqlstate : session.trap.reason);
}

static void guarded(enum status (*work)(void *, struct error *), struct work *w)
{
    ASSERT_OK(arena_guarded(&session.lasting, &session.guard, work, w, &err), &err);
}

static enum status open_program(void *context, struct error *error)
{
    struct work *w = context;

    (void)error;
    w->ended = session_open(&session, w->text);
    return STATUS_OK;
}

void interpreter_open(struct text program)
{
    struct work w = { .text = program };

    row_number = 1;
    ASSERT_OK(session_init(&session, (size_t)1 << 32, &err), &err);
    guarded(open_program, &w);
    TEST_ASSERT_EQUAL_MESSAGE(ENDED_WELL, w.ended, answer_of(w.ended).at);
}

static enum status load(void *context, struct error *error)
{
    struct work *w = context;

    (void)error;
    w->ended = session_call_text(&session, w->text);
    row_number = session.run.row_number;
    if (w->ended == ENDED_WELL)
        row_states_commit(&session.store, 0);
    return STATUS_OK;
}

void interpreter_load(const char *call)
{
    struct work w = { .text = text_of(call) };

    guarded(load, &w);
    TEST_ASSERT_EQUAL_MESSAGE(ENDED_WELL, w.ended, answer_of(w.ended).at);
}

void interpreter_close(void)
{
    session_close(&session);
    buffer_close(&out);
}

static struct text print(const struct item *item)
{
    buffer_clear(&out);
    if (item_is_null(item))
        return TEXT("<NULL>");
    item_print(item, &out);
    return (struct text){ out.at ? out.at : "", out.count };
}

static enum status call(void *context, struct error *error)
{
    struct work *w = context;
    const struct routine *routine = catalog_find_routine(&session.catalog, w->text);
    struct item value = item_null();

    (void)error;
    TEST_ASSERT_NOT_NULL(routine);
    session_begin(&session, see_before, NULL, w->position - 1, false);
    session.run.row_number = row_number;
    w->ended = session_call(&session, routine, w->arguments, w->count, &value);
    row_number = session.run.row_number;
    if (w->ended == ENDED_WELL) {
        w->text = print(&value);
        row_states_commit(&session.store, w->position);
    } else {
        w->text = answer_of(w->ended);
    }
    return STATUS_OK;
}

enum interpreted interpreter_call(struct text routine, const struct text *arguments, uint32_t count,
                                  uint32_t position, struct text *answer)
{
    struct work w = { routine, arguments, count, position, ENDED_WELL };

    guarded(call, &w);
    *answer = w.text;
    return w.ended == ENDED_WELL       ? INTERPRETED_WELL
           : w.ended == ENDED_IN_ERROR ? INTERPRETED_ERROR
                                       : INTERPRETED_UNKNOWN;
}

uint32_t interpreter_count(struct text table, uint32_t position)
{
    const struct relation *relation = catalog_find_relation(&session.catalog, table);
    uint32_t count = 0;

    for (size_t i = 0; i < session.store.bucket_count; i++)
        for (struct row_entry *entry = session.store.buckets[i]; entry; entry = entry->next)
            count += entry->relation == relation && row_states_at(entry, position);
    return count;
}

struct cell_work {
    const struct relation *relation;
    const struct text *key;
    uint32_t column, position;
    bool is_there;
    struct text cell;
};

static enum status find_cell(void *context, struct error *error)
{
    struct cell_work *w = context;
    struct workbench bench = { &session.trap, &session.scratch };
    const struct row_entry *entry;
    const struct packed *row;
    struct item key[16], cell;

    (void)error;
    session_begin(&session, see_before, NULL, 0, false);
    for (uint32_t i = 0; i < w->relation->key.count; i++)
        key[i] = item_cast(&bench, item_text(w->key[i]), w->relation->columns[w->relation->key.at[i]].type, CAST_IS_ASSIGNMENT);
    entry = row_states_find(&session.store, w->relation, key, false);
    row = entry ? row_states_at(entry, w->position) : NULL;
    w->is_there = row != NULL;
    if (row) {
        cell = row_states_unpack(&row[w->column]);
        w->cell = print(&cell);
    }
    return STATUS_OK;
}

bool interpreter_cell(struct text table, const struct text *key, uint32_t column, uint32_t position,
                      struct text *cell)
{
    struct cell_work w = { .relation = catalog_find_relation(&session.catalog, table),
                           .key = key,
                           .column = column,
                           .position = position };

    ASSERT_OK(arena_guarded(&session.lasting, &session.guard, find_cell, &w, &err), &err);
    *cell = w.cell;
    return w.is_there;
}
