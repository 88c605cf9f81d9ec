#include "programs/machine/machine_cursor_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine_statement_private.h"

#define FIRST_UNNAMED (INT64_C(1) << 32) /* beyond the numbers of names */

static struct cursor *find_open(struct machine *m, const struct datum *number)
{
    for (uint32_t i = 0; i < m->cursor_count; i++)
        if (!datum_is_null(number) && m->cursors[i].number == number->as.integer)
            return &m->cursors[i];
    return NULL;
}

/* As PostgreSQL names it, which counts those without a name by session. */
static enum status refuse(struct machine *m, const struct step *step, const char *sqlstate, const char *what)
{
    int64_t number = machine_slots(m)[step->a.index].as.integer;

    if (number < FIRST_UNNAMED)
        return sql_error_set(&m->error, sqlstate, "cursor \"%.*s\" %s", TEXT_PRINT(step->as.variable->name), what);
    return sql_error_set(&m->error, sqlstate, "cursor \"<unnamed portal %lld>\" %s",
                         (long long)(number - FIRST_UNNAMED), what);
}

enum status machine_cursor_require_closed(struct machine *m, const struct step *step)
{
    if (find_open(m, &machine_slots(m)[step->a.index]))
        return refuse(m, step, SQLSTATE_DUPLICATE_CURSOR, "already in use");
    return STATUS_OK;
}

static enum status make_room(struct machine *m)
{
    uint32_t room = m->cursor_room ? 2 * m->cursor_room : 4;
    void *at;

    if (m->cursor_count < m->cursor_room)
        return STATUS_OK;
    at = realloc(m->cursors, room * sizeof *m->cursors);
    if (!at)
        return sql_error_no_memory(&m->error);
    m->cursors = at;
    m->cursor_room = room;
    return STATUS_OK;
}

enum status machine_cursor_open(struct machine *m, const struct step *step)
{
    struct datum *number = &machine_slots(m)[step->a.index];

    assert(m->result_count > m->frames[m->frame_count - 1].result_count && !find_open(m, number));
    TRY(make_room(m));
    if (datum_is_null(number))
        *number = datum_of_int64(FIRST_UNNAMED + ++m->unnamed_cursors);
    m->cursors[m->cursor_count++] =
        (struct cursor){ number->as.integer, m->frame_count, m->results[--m->result_count] };
    return STATUS_OK;
}

static enum status find_own(struct machine *m, const struct step *step, struct cursor **cursor)
{
    const struct datum *number = &machine_slots(m)[step->a.index];

    if (datum_is_null(number))
        return sql_error_set(&m->error, SQLSTATE_NULL_NOT_ALLOWED, "cursor variable \"%.*s\" is null",
                             TEXT_PRINT(step->as.variable->name));
    *cursor = find_open(m, number);
    if (!*cursor)
        return refuse(m, step, SQLSTATE_NO_CURSOR, "does not exist");
    if ((*cursor)->frame != m->frame_count)
        return refuse(m, step, SQLSTATE_NOT_SUPPORTED, "is of another call, which is not supported");
    return STATUS_OK;
}

enum status machine_cursor_fetch(struct machine *m, struct frame *frame, const struct step *step)
{
    struct cursor *cursor = NULL;

    TRY(find_own(m, step, &cursor));
    if (cursor->result.next == cursor->result.rows.count) {
        frame->at = step->target;
        return STATUS_OK;
    }
    memcpy(&machine_slots(m)[step->to], rows_at(&cursor->result.rows, cursor->result.next),
           step->count * sizeof *cursor->result.rows.cells);
    cursor->result.next++;
    return STATUS_OK;
}

static void drop(struct machine *m, struct cursor *cursor)
{
    m->row_bytes -= cursor->result.rows.room * sizeof *cursor->result.rows.cells;
    free(cursor->result.rows.cells);
    *cursor = m->cursors[--m->cursor_count];
}

enum status machine_cursor_close(struct machine *m, const struct step *step)
{
    struct cursor *cursor = NULL;

    TRY(find_own(m, step, &cursor));
    drop(m, cursor);
    return STATUS_OK;
}

void machine_cursor_forget_calls(struct machine *m)
{
    for (uint32_t i = 0; i < m->cursor_count; i++)
        if (m->cursors[i].frame > m->frame_count)
            m->cursors[i].frame = 0;
}

void machine_cursor_drop_all(struct machine *m)
{
    while (m->cursor_count > 0)
        drop(m, &m->cursors[0]);
    m->unnamed_cursors = 0;
}
