#include "programs/machine/machine_private.h"

#include <stdlib.h>
#include <string.h>

#define CELLS_MIN 8
#define CELLS_LITTLE 64 /* what rows keep while they are empty */

static enum status refuse_memory(struct machine *m)
{
    return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
}

static enum status grow(struct machine *m, struct rows *rows, size_t cells)
{
    size_t room = rows->room + rows->room / 2, bytes;
    void *at;

    if (room < cells)
        room = cells;
    if (room < CELLS_MIN)
        room = CELLS_MIN;
    bytes = (room - rows->room) * sizeof *rows->cells;
    if (room > m->bytes_max / sizeof *rows->cells || bytes > m->bytes_max - m->row_bytes)
        return refuse_memory(m);
    at = realloc(rows->cells, room * sizeof *rows->cells);
    if (!at)
        return refuse_memory(m);
    rows->cells = at;
    rows->room = room;
    m->row_bytes += bytes;
    return STATUS_OK;
}

enum status machine_add_rows(struct machine *m, struct rows *rows, size_t count)
{
    size_t used = rows->count * rows->width, more = count * rows->width;

    if (more > rows->room - used)
        TRY(grow(m, rows, used + more));
    if (more > 0)
        memset(rows->cells + used, 0, more * sizeof *rows->cells);
    rows->count += count;
    return STATUS_OK;
}

enum status machine_add_row(struct machine *m, struct rows *rows, struct datum **row)
{
    TRY(machine_add_rows(m, rows, 1));
    *row = rows_at(rows, rows->count - 1);
    return STATUS_OK;
}

enum status machine_keep_row(struct machine *m, struct rows *rows, const struct datum *from)
{
    struct datum *to;

    TRY(machine_add_row(m, rows, &to));
    for (uint32_t i = 0; i < rows->width; i++)
        TRY(datum_copy(&from[i], &m->heap, &to[i], &m->error));
    return STATUS_OK;
}

void machine_drop_rows(struct machine *m, struct rows *rows)
{
    rows->count = 0;
    if (rows->room <= CELLS_LITTLE)
        return;
    m->row_bytes -= rows->room * sizeof *rows->cells;
    free(rows->cells);
    *rows = (struct rows){ .width = rows->width };
}

enum status rows_move(struct rows *rows, struct heap *heap, struct sql_error *err)
{
    size_t cells = rows->count * rows->width;

    for (size_t i = 0; i < cells; i++)
        TRY(datum_copy(&rows->cells[i], heap, &rows->cells[i], err));
    return STATUS_OK;
}

enum status machine_push_result(struct machine *m, struct rows *rows)
{
    if (m->result_count == m->result_room) {
        uint32_t room = m->result_room ? 2 * m->result_room : 4;
        void *at = realloc(m->results, room * sizeof *m->results);

        if (!at)
            return refuse_memory(m);
        m->results = at;
        m->result_room = room;
    }
    m->results[m->result_count++] = (struct result){ *rows, 0 };
    *rows = (struct rows){ .width = rows->width };
    return STATUS_OK;
}

void machine_drop_results(struct machine *m, uint32_t count)
{
    while (m->result_count > count) {
        struct rows *rows = &m->results[--m->result_count].rows;

        m->row_bytes -= rows->room * sizeof *rows->cells;
        free(rows->cells);
    }
}
