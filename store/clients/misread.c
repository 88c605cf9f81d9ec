#include "store/clients/misread.h"

#include <string.h>

#include "store/row_private.h"

#define NO_ROW ((struct text){ NULL, 0 })

static bool aggregates(const struct request *request)
{
    return request->purpose == READ_SELECT && request->query &&
           request->query->kind == QUERY_SELECT && request->query->as.select.aggregates;
}

static bool has_null(struct text row)
{
    struct wire_reader cells = wire_reader_of(row);

    while (cells.at < cells.end) {
        if (*cells.at == DATUM_NULL)
            return true;
        row_skip_cell(&cells);
    }
    return false;
}

/* A select leaves its row here, and an update takes it. */
static struct text remember(struct misread *misread, struct pool *pool,
                            const struct request *request, const struct read_row *row)
{
    struct misread_row *known = NULL;

    for (size_t i = 0; i < misread->rows.count; i++)
        if (misread->rows.at[i].key == row->key)
            known = &misread->rows.at[i];
    if (request->purpose == READ_UPDATE)
        return known ? known->row : row->row;
    if (request->purpose != READ_SELECT)
        return row->row;
    if (!known) {
        pool_push(pool, &misread->rows, ((struct misread_row){ .key = row->key }));
        known = &misread->rows.at[misread->rows.count - 1];
    }
    pool_give(pool, (void *)known->row.at, known->row.length);
    known->row = (struct text){ pool_take(pool, row->row.length), row->row.length };
    memcpy((void *)known->row.at, row->row.at, row->row.length);
    return row->row;
}

struct text misread_values(struct misread *misread, const struct bugs *bugs, struct pool *pool,
                           const struct request *request, const struct driver_answer *answer,
                           uint32_t place)
{
    const struct read_row *row = &answer->rows[place];
    bool is_scan = request->purpose == READ_SELECT && answer->row_count > 1;

    if (!bugs)
        return row->row;
    if (bugs->on[BUG_SCAN_MISSES_ITS_LAST_ROW] && is_scan && place + 1 == answer->row_count)
        return NO_ROW;
    if (bugs->on[BUG_AGGREGATE_SKIPS_NULLS] && aggregates(request) && has_null(row->row))
        return NO_ROW;
    return bugs->on[BUG_UPDATE_OF_OLDER_VERSION] ? remember(misread, pool, request, row) : row->row;
}
