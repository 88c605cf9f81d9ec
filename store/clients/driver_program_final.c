#include "store/clients/driver_program_final.h"

#include <inttypes.h>

#include "programs/machine/final_state.h"
#include "store/clients/driver_program_private.h"

void driver_program_begin_final(struct driver_program *d, uint32_t table)
{
    d->final_table = table;
}

static void place_final(struct driver_program *d, uint32_t key)
{
    while (d->final_of_key.count <= key)
        pool_push(&d->pool, &d->final_of_key, 0);
    d->final_of_key.at[key] = d->final.count;
}

enum status driver_program_final_row(void *driver, const struct datum *cells, struct error *err)
{
    struct driver_program *d = driver;
    uint16_t width = catalog_width(d->catalog, d->final_table);
    struct final_row row = { .table = d->final_table };
    struct sql_error error;
    void *at;

    if (heap_push(&d->final_heap, width * sizeof *cells, &at, &error) != STATUS_OK)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the final rows");
    row.cells = at;
    for (uint16_t i = 0; i < width; i++)
        if (datum_copy(&cells[i], &d->final_heap, &row.cells[i], &error) != STATUS_OK)
            return error_set(err, STATUS_OVER_LIMIT, "no memory for the final rows");
    pool_push(&d->pool, &d->final, row);
    place_final(d, catalog_key_of_row(d->catalog, row.table, row.cells));
    return STATUS_OK;
}

/* --- Reads ------------------------------------------------------------------------------------ */

static void read_keys(struct driver_program *d, const uint32_t *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = keys[i] < d->final_of_key.count ? d->final_of_key.at[keys[i]] : 0;

        if (place)
            pool_push(&d->pool, &d->rows, d->final.at[place - 1].cells);
    }
}

static void answer_read(struct driver_program *d, const struct request *r)
{
    const uint32_t *keys;
    uint32_t count;

    d->rows.count = 0;
    if (catalog_scope(d->catalog, &r->filter, &keys, &count) == SCOPE_NONE) {
        read_keys(d, keys, count);
    } else {
        for (uint32_t i = 0; i < d->final.count; i++)
            if (d->final.at[i].table == r->table &&
                condition_matches(&r->filter, d->final.at[i].cells, &d->heap))
                pool_push(&d->pool, &d->rows, d->final.at[i].cells);
    }
    machine_answer_rows(d->judge, d->rows.at, d->rows.count);
}

/* --- Functions -------------------------------------------------------------------------------- */

static enum status refuse(const struct driver_program *d, uint32_t function, const char *why,
                          struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%.*s: %s",
                     TEXT_PRINT(d->program->tree.functions[function].name), why);
}

enum status driver_program_evaluate(struct driver_program *d, uint32_t function,
                                    struct datum *value, struct error *err)
{
    const struct request *r;

    if (d->program->tree.functions[function].parameter_count > 0)
        return refuse(d, function, "what is asked of the final rows has no parameters", err);
    if (!d->judge)
        TRY(machine_open(&d->judge, d->program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    machine_start(d->judge, function, NULL);
    while ((r = machine_run(d->judge))->kind == REQUEST_READ)
        answer_read(d, r);
    if (r->kind == REQUEST_WRITE || r->kind == REQUEST_NUMBER)
        return refuse(d, function, "what is asked of the final rows must not write", err);
    if (r->kind == REQUEST_FAILED)
        return refuse(d, function, r->message, err);
    *value = r->value;
    return STATUS_OK;
}

enum status driver_program_check(struct driver_program *d, bool *holds, struct buffer *sentence,
                                 struct error *err)
{
    const struct program_tree *tree = &d->program->tree;

    *holds = true;
    for (uint32_t i = 0; i < tree->function_count && *holds; i++) {
        struct datum value;

        if (!program_is_invariant(d->program, i))
            continue;
        TRY(driver_program_evaluate(d, i, &value, err));
        *holds = datum_is_true(&value);
        if (!*holds)
            buffer_print(sentence, "%.*s() is not true of the final state",
                         TEXT_PRINT(tree->functions[i].name));
    }
    return STATUS_OK;
}
