#include "store/catalog_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "programs/machine/row_keys.h"

#define FILTER_BYTES_MAX ((size_t)1 << 30)
#define ROW_HEAP_BYTES_MAX ((size_t)256 << 20)

/* --- Life ------------------------------------------------------------------------------------- */

static uint16_t widest(const struct schema *schema)
{
    uint16_t width = 1;

    for (uint32_t i = 0; i < schema->table_count; i++)
        if (schema->tables[i].column_count > width)
            width = schema->tables[i].column_count;
    return width;
}

enum status catalog_init(struct catalog *c, const struct schema *schema,
                         const enum table_shape *shapes, uint32_t shard_count, struct arena *arena,
                         struct error *err)
{
    assert(shard_count >= 1 && shard_count <= CATALOG_SHARDS_MAX);
    *c = (struct catalog){
        .arena = arena,
        .schema = schema,
        .shapes = shapes,
        .shard_count = shard_count,
    };
    heap_init(&c->heap, FILTER_BYTES_MAX);
    heap_init(&c->arrays, ROW_HEAP_BYTES_MAX);
    heap_init(&c->scratch, ROW_HEAP_BYTES_MAX);
    c->cells = arena_push(arena, widest(schema), sizeof *c->cells);
    if (!c->cells)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a catalog");
    /* So that the key and the scope that stand for "short" can be looked at. */
    TRY(array_reserve(&c->keys, 1, err));
    TRY(array_reserve(&c->scopes, 1, err));
    c->keys.at[0] = (struct catalog_key){ 0 };
    c->scopes.at[0] = (struct named_scope){ 0 };
    return STATUS_OK;
}

void catalog_close(struct catalog *c)
{
    intern_close(&c->key_texts);
    intern_close(&c->scope_texts);
    array_close(&c->keys);
    array_close(&c->scopes);
    array_close(&c->known);
    array_close(&c->scope_keys);
    free(c->known_slots);
    heap_close(&c->heap);
    heap_close(&c->arrays);
    heap_close(&c->scratch);
    buffer_close(&c->buffer);
    *c = (struct catalog){ 0 };
}

/* What a number is that nobody will use any more. */
static uint32_t run_short(struct catalog *c)
{
    c->is_short = true;
    return 0;
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* `parts` are the key's columns, in its order. */
static uint32_t key_of_parts(struct catalog *c, uint32_t table, const struct datum *const *parts)
{
    const struct schema_table *t = &c->schema->tables[table];

    buffer_clear(&c->buffer);
    if (c->shapes[table] == TABLE_ROWS) {
        tables_spell_text(&c->buffer, t->name);
        buffer_byte(&c->buffer, '/');
    }
    row_key_spell(t, parts, &c->buffer);
    if (c->buffer.out_of_memory)
        return run_short(c);
    return catalog_key_of_text(c, table, (struct text){ c->buffer.at, c->buffer.count });
}

uint32_t catalog_key_of_row(struct catalog *c, uint32_t table, const struct datum *row)
{
    const struct datum *parts[TABLE_KEY_COLUMN_COUNT_MAX];

    row_key_of(&c->schema->tables[table], row, parts);
    return key_of_parts(c, table, parts);
}

uint32_t catalog_key_of_text(struct catalog *c, uint32_t table, struct text text)
{
    struct error err;
    uint32_t key;
    struct catalog_key entry = { .table = table };

    if (intern_add(&c->key_texts, text, &key, &err) != STATUS_OK)
        return run_short(c);
    if (key < c->keys.count) {
        assert(c->keys.at[key].table == table);
        return key;
    }
    entry.shard =
        (uint32_t)(((unsigned __int128)hash_bytes(text.at, text.length) * c->shard_count) >> 64);
    return array_push(&c->keys, entry, &err) == STATUS_OK ? key : run_short(c);
}

struct text catalog_key_text(const struct catalog *c, uint32_t key)
{
    return intern_text(&c->key_texts, key);
}

uint16_t catalog_width(const struct catalog *c, uint32_t table)
{
    return c->schema->tables[table].column_count;
}

/* --- Filters that pin the key ----------------------------------------------------------------- */

static void add_keys(struct catalog *c, uint32_t table, const struct key_parts *parts)
{
    const struct schema_table *t = &c->schema->tables[table];
    const struct datum *chosen[TABLE_KEY_COLUMN_COUNT_MAX];
    uint32_t count = row_keys_count(t, parts);
    struct error err;

    for (uint32_t n = 0; n < count; n++) {
        row_keys_choose(t, parts, n, chosen);
        if (array_push(&c->scope_keys, key_of_parts(c, table, chosen), &err) != STATUS_OK)
            c->is_short = true;
    }
}

/* --- Filters that have been seen -------------------------------------------------------------- */

static uint64_t hash_datums(uint64_t hash, const struct datum *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hash = hash_fold(hash ^ datum_hash(&values[i]), HASH_ODD_2) + HASH_ODD_1;
    return hash;
}

/* Not of its condition's address: that differs from run to run. */
static uint64_t hash_filter(const struct filter *f)
{
    uint64_t hash = hash_number(f->condition->table);

    hash = hash_datums(hash, f->parameters, f->condition->parameter_count);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        hash = hash_datums(hash + f->restrictions[i].column, f->restrictions[i].values,
                           f->restrictions[i].value_count);
    return hash;
}

/* Of the same looks, too: 1.5 is not 1.50. */
static bool same_datums(const struct datum *a, const struct datum *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].kind != b[i].kind || a[i].scale != b[i].scale || !datum_equal(&a[i], &b[i]))
            return false;
    return true;
}

static bool same_filter(const struct filter *a, const struct filter *b)
{
    if (a->condition != b->condition || a->restriction_count != b->restriction_count ||
        !same_datums(a->parameters, b->parameters, a->condition->parameter_count))
        return false;
    for (uint32_t i = 0; i < a->restriction_count; i++) {
        const struct restriction *x = &a->restrictions[i], *y = &b->restrictions[i];

        if (x->column != y->column || x->value_count != y->value_count ||
            !same_datums(x->values, y->values, x->value_count))
            return false;
    }
    return true;
}

static uint32_t find_known(const struct catalog *c, const struct filter *f, uint64_t hash)
{
    size_t mask = c->known_slot_count - 1;

    if (c->known_slot_count == 0)
        return SCOPE_NONE;
    for (size_t i = (size_t)hash & mask; c->known_slots[i]; i = (i + 1) & mask) {
        const struct known_filter *k = &c->known.at[c->known_slots[i] - 1];

        if (k->hash == hash && same_filter(k->filter, f))
            return k->scope;
    }
    return SCOPE_NONE;
}

static void put_slot(struct catalog *c, uint64_t hash, uint32_t place)
{
    size_t mask = c->known_slot_count - 1, i = (size_t)hash & mask;

    while (c->known_slots[i])
        i = (i + 1) & mask;
    c->known_slots[i] = place + 1;
}

static bool widen_known(struct catalog *c)
{
    size_t count = c->known_slot_count ? c->known_slot_count * 2 : 256;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (!slots)
        return false;
    free(c->known_slots);
    c->known_slots = slots;
    c->known_slot_count = count;
    for (uint32_t i = 0; i < c->known.count; i++)
        put_slot(c, c->known.at[i].hash, i);
    return true;
}

static void remember(struct catalog *c, const struct filter *copy, uint64_t hash, uint32_t scope)
{
    struct known_filter known = { hash, copy, scope };
    struct error err;

    if ((c->known.count * 2 >= c->known_slot_count && !widen_known(c)) ||
        array_push(&c->known, known, &err) != STATUS_OK)
        c->is_short = true;
    else
        put_slot(c, hash, (uint32_t)c->known.count - 1);
}

/* --- Copies of filters ------------------------------------------------------------------------ */

static enum status copy_datums(struct catalog *c, const struct datum *from, uint32_t count,
                               const struct datum **out, struct sql_error *err)
{
    void *to;

    TRY(heap_push(&c->heap, count * sizeof *from, &to, err));
    for (uint32_t i = 0; i < count; i++)
        TRY(datum_copy(&from[i], &c->heap, (struct datum *)to + i, err));
    *out = to;
    return STATUS_OK;
}

static enum status copy_filter(struct catalog *c, const struct filter *from,
                               const struct filter **out, struct sql_error *err)
{
    struct restriction *restrictions;
    struct filter *f;
    void *at;

    TRY(heap_push(&c->heap, sizeof *f, &at, err));
    f = at;
    *f = *from;
    TRY(copy_datums(c, from->parameters, from->condition->parameter_count, &f->parameters, err));
    TRY(heap_push(&c->heap, from->restriction_count * sizeof *restrictions, &at, err));
    restrictions = at;
    for (uint32_t i = 0; i < from->restriction_count; i++) {
        restrictions[i] = from->restrictions[i];
        TRY(copy_datums(c, restrictions[i].values, restrictions[i].value_count,
                        &restrictions[i].values, err));
    }
    f->restrictions = restrictions;
    *out = f;
    return STATUS_OK;
}

/* --- Scopes ----------------------------------------------------------------------------------- */

/* Both ends as they are included; false: not a range of integers. */
static bool bound_of_range(const struct range *range, uint16_t column, struct scope_bound *bound)
{
    *bound = (struct scope_bound){ column, INT64_MIN, INT64_MAX };
    if (range->has_low) {
        if (range->low.kind != DATUM_INTEGER)
            return false;
        bound->low = range->low.as.integer;
        if (range->low_is_open && bound->low == INT64_MAX)
            return false;
        bound->low += range->low_is_open;
    }
    if (range->has_high) {
        if (range->high.kind != DATUM_INTEGER)
            return false;
        bound->high = range->high.as.integer;
        if (range->high_is_open && bound->high == INT64_MIN)
            return false;
        bound->high -= range->high_is_open;
    }
    return true;
}

/* Whether every conjunct compares a column with a value that is no null. */
static bool is_plain(const struct filter *f)
{
    const struct condition *condition = f->condition;

    if (f->restriction_count > 0 || condition->bound_count != condition->conjunct_count)
        return false;
    for (uint32_t i = 0; i < condition->bound_count; i++) {
        const struct condition_bound *bound = &condition->bounds[i];
        const struct datum *value = bound->is_parameter ? &f->parameters[bound->index]
                                                        : &condition->constants[bound->index];

        if (value->kind != DATUM_INTEGER)
            return false;
    }
    return true;
}

/* The condition's columns rise, and so do the bounds. */
static enum status make_bounds(struct catalog *c, struct named_scope *scope, struct sql_error *err)
{
    const struct schema_columns *columns = &scope->filter->condition->columns;
    struct scope_bound *bounds;
    void *at;

    if (!is_plain(scope->filter))
        return STATUS_OK;
    TRY(heap_push(&c->heap, columns->count * sizeof *bounds, &at, err));
    bounds = at;
    for (uint16_t i = 0; i < columns->count; i++) {
        struct range range = condition_range(scope->filter, columns->at[i]);

        if (!bound_of_range(&range, columns->at[i], &bounds[i]))
            return STATUS_OK;
    }
    scope->bounds = bounds;
    scope->bound_count = columns->count;
    return STATUS_OK;
}

/* Four bytes for the table, then the where, which is in the buffer behind them. */
static uint32_t number_scope(struct catalog *c, uint32_t table, const struct filter *copy)
{
    struct named_scope scope = { .table = table, .filter = copy };
    struct sql_error sql_error;
    struct error err;
    uint32_t number;

    if (c->buffer.out_of_memory ||
        intern_add(&c->scope_texts, (struct text){ c->buffer.at, c->buffer.count }, &number,
                   &err) != STATUS_OK)
        return run_short(c);
    if (number < c->scopes.count)
        return number;
    if ((copy && make_bounds(c, &scope, &sql_error) != STATUS_OK) ||
        array_push(&c->scopes, scope, &err) != STATUS_OK)
        return run_short(c);
    return number;
}

static void begin_scope_text(struct catalog *c, uint32_t table)
{
    buffer_clear(&c->buffer);
    for (unsigned i = 0; i < 4; i++)
        buffer_byte(&c->buffer, (char)(table >> (8 * i)));
}

uint32_t catalog_whole_table(struct catalog *c, uint32_t table)
{
    begin_scope_text(c, table);
    return number_scope(c, table, NULL);
}

static uint32_t learn_filter(struct catalog *c, const struct filter *f, uint64_t hash)
{
    uint32_t table = f->condition->table, scope;
    const struct filter *copy;
    struct sql_error err;

    if (copy_filter(c, f, &copy, &err) != STATUS_OK)
        return run_short(c);
    begin_scope_text(c, table);
    condition_print_filter(f, c->schema, &c->buffer);
    scope = number_scope(c, table, copy);
    if (!c->is_short)
        remember(c, copy, hash, scope);
    return scope;
}

uint32_t catalog_scope(struct catalog *c, const struct filter *f, const uint32_t **keys,
                       uint32_t *key_count)
{
    struct key_parts parts;
    uint64_t hash;
    uint32_t scope;

    c->scope_keys.count = 0;
    *keys = NULL;
    *key_count = 0;
    if (f->condition->conjunct_count == 0 && f->restriction_count == 0)
        return catalog_whole_table(c, f->condition->table);
    if (row_keys_pin(c->schema, f, &parts)) {
        add_keys(c, f->condition->table, &parts);
        *keys = c->scope_keys.at;
        *key_count = (uint32_t)c->scope_keys.count;
        return SCOPE_NONE;
    }
    hash = hash_filter(f);
    scope = find_known(c, f, hash);
    return scope == SCOPE_NONE ? learn_filter(c, f, hash) : scope;
}

struct text catalog_where(const struct catalog *c, uint32_t scope)
{
    struct text text = intern_text(&c->scope_texts, scope);

    assert(text.length >= 4);
    return (struct text){ text.at + 4, text.length - 4 };
}

/* --- Rows ------------------------------------------------------------------------------------- */

static bool lies_within(const struct named_scope *scope, struct text row)
{
    struct wire_reader r = wire_reader_of(row);
    uint16_t column = 0;

    for (uint32_t i = 0; i < scope->bound_count; i++) {
        const struct scope_bound *bound = &scope->bounds[i];
        int64_t number;

        for (; column < bound->column; column++)
            row_skip_cell(&r);
        column++;
        if (!row_get_integer(&r, &number) || number < bound->low || number > bound->high)
            return false;
    }
    return true;
}

/* Columns that only a restriction reads are not among the condition's. */
static bool get_cells(struct catalog *c, const struct named_scope *scope, struct text row)
{
    const struct schema_columns *columns = &scope->filter->condition->columns;

    heap_reset(&c->arrays);
    if (scope->filter->restriction_count > 0)
        return row_get(row, c->cells, catalog_width(c, scope->table), &c->arrays);
    return row_get_some(row, columns->at, columns->count, c->cells, &c->arrays);
}

bool catalog_matches(struct catalog *c, uint32_t number, struct text row)
{
    const struct named_scope *scope = &c->scopes.at[number];
    bool is_row;

    if (!scope->filter)
        return true;
    if (scope->bounds)
        return lies_within(scope, row);
    is_row = get_cells(c, scope, row);
    assert(is_row);
    (void)is_row;
    return condition_matches(scope->filter, c->cells, &c->scratch);
}
