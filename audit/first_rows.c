#include "audit/first_rows_private.h"

#include <string.h>

#include "base/hash.h"
#include "programs/values/datum.h"

#define HEAP_BYTES ((size_t)1 << 30)

void first_rows_open(struct first_rows *f, const struct schema *schema)
{
    *f = (struct first_rows){ .schema = schema };
    heap_init(&f->heap, HEAP_BYTES);
}

void first_rows_close(struct first_rows *f)
{
    array_close(&f->list);
    map_close(&f->by_key);
    heap_close(&f->heap);
}

uint64_t first_rows_count(const struct first_rows *f)
{
    uint64_t count = 0;

    for (size_t i = 0; i < f->list.count; i++)
        count += f->list.at[i].is_there;
    return count;
}

enum status first_rows_put(const struct first_rows *f, struct rows *rows, struct error *err)
{
    bool is_new;

    for (size_t i = 0; i < f->list.count; i++)
        if (f->list.at[i].is_there)
            TRY(audit_rows_put_initial(rows, f->list.at[i].table, f->list.at[i].cells, &is_new, err));
    return STATUS_OK;
}

static uint64_t hash_of_key(const struct first_rows *f, uint32_t table, const struct datum *cells)
{
    const struct schema_table *t = &f->schema->tables[table];
    uint64_t hash = table;

    for (uint16_t i = 0; i < t->key.count; i++)
        hash = hash_mix(hash, datum_hash(&cells[t->key.at[i]]));
    return hash;
}

uint32_t first_rows_find(const struct first_rows *f, uint32_t table, const struct datum *cells)
{
    const struct schema_table *t = &f->schema->tables[table];
    uint64_t place;

    if (!map_find(&f->by_key, hash_of_key(f, table, cells), &place))
        return FIRST_ROWS_NONE;
    for (uint32_t i = (uint32_t)place; i != FIRST_ROWS_NONE; i = f->list.at[i].next) {
        bool is_same = f->list.at[i].table == table;

        for (uint16_t k = 0; k < t->key.count && is_same; k++)
            is_same = datum_equal(&f->list.at[i].cells[t->key.at[k]], &cells[t->key.at[k]]);
        if (is_same)
            return i;
    }
    return FIRST_ROWS_NONE;
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for first rows");
}

enum status first_rows_copy(struct first_rows *f, uint32_t table, const struct datum *from,
                            struct datum **out, struct error *err)
{
    const struct schema_table *t = &f->schema->tables[table];
    struct sql_error error;
    void *memory;

    if (heap_push(&f->heap, t->column_count * sizeof **out, &memory, &error) != STATUS_OK)
        return no_memory(err);
    *out = memory;
    for (uint16_t i = 0; i < t->column_count; i++)
        if (datum_copy(&from[i], &f->heap, &(*out)[i], &error) != STATUS_OK)
            return no_memory(err);
    return STATUS_OK;
}

static bool is_unique(const struct schema_table *t, uint16_t column)
{
    for (uint16_t i = 0; i < t->unique_count; i++)
        if (schema_has_column(t->uniques[i].columns, column))
            return true;
    return false;
}

/* What a column of a row has of which nothing is known. */
static struct datum blank(const struct schema_table *t, uint16_t column)
{
    const struct schema_column *c = &t->columns[column];

    if (!c->not_null && is_unique(t, column))
        return datum_null();
    switch (c->type.kind) {
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT:
        return datum_of_int64(0);
    case TYPE_NUMERIC:
        return datum_of_numeric((struct numeric){ 0, c->type.precision && c->type.scale > 0 ? c->type.scale : 0 });
    case TYPE_TEXT:
    case TYPE_VARCHAR:
        return datum_of_text(TEXT(""));
    case TYPE_BOOLEAN:
        return datum_of_bool(false);
    case TYPE_TIMESTAMP:
        return datum_of_timestamp(0);
    case TYPE_BIGINT_ARRAY:
        return (struct datum){ .kind = DATUM_ARRAY };
    default:
        return datum_null();
    }
}

enum status first_rows_add(struct first_rows *f, uint32_t table, const struct datum *key, uint32_t *out,
                           struct error *err)
{
    const struct schema_table *t = &f->schema->tables[table];
    struct first_row row = { .table = table, .next = FIRST_ROWS_NONE };
    struct sql_error error;
    struct datum *cells;
    void *memory, *fixed;
    size_t place;

    if (heap_push(&f->heap, t->column_count * sizeof *cells, &memory, &error) != STATUS_OK ||
        heap_push(&f->heap, t->column_count, &fixed, &error) != STATUS_OK)
        return no_memory(err);
    cells = memory;
    for (uint16_t i = 0; i < t->column_count; i++)
        cells[i] = blank(t, i);
    for (uint16_t i = 0; i < t->key.count; i++)
        if (datum_copy(&key[t->key.at[i]], &f->heap, &cells[t->key.at[i]], &error) != STATUS_OK)
            return no_memory(err);
    memset(fixed, FIXED_NOT, t->column_count);
    row.cells = cells;
    row.fixed = fixed;
    *out = (uint32_t)f->list.count;
    TRY(map_add(&f->by_key, hash_of_key(f, table, cells), *out, &place, err));
    if (f->by_key.values.at[place] != *out) {
        row.next = (uint32_t)f->by_key.values.at[place];
        f->by_key.values.at[place] = *out;
    }
    return array_push(&f->list, row, err);
}

enum status first_rows_drop_twins(struct first_rows *f, struct error *err)
{
    struct map seen = { 0 };
    enum status status = STATUS_OK;

    for (size_t i = 0; i < f->list.count; i++) {
        struct first_row *r = &f->list.at[i];
        const struct schema_table *t = &f->schema->tables[r->table];

        for (uint16_t u = 0; u < t->unique_count && r->is_there && status == STATUS_OK; u++) {
            uint64_t hash = hash_mix(r->table, u);
            bool has_null = false;
            size_t place;

            for (uint16_t k = 0; k < t->uniques[u].columns.count; k++) {
                const struct datum *d = &r->cells[t->uniques[u].columns.at[k]];

                has_null |= datum_is_null(d);
                hash = hash_mix(hash, datum_hash(d));
            }
            if (has_null)
                continue;
            status = map_add(&seen, hash, i, &place, err);
            r->is_there = status != STATUS_OK || seen.values.at[place] == i;
        }
    }
    map_close(&seen);
    return status;
}
