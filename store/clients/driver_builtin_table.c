#include "programs/tree.h"
#include "store/clients/driver_builtin_private.h"

static const uint16_t key_columns[] = { KEY_COLUMN };

static void add_column(struct driver_builtin *d, const char *name, enum type_kind type)
{
    d->columns[d->table.column_count++] = (struct schema_column){
        .name = text_of(name),
        .type = type_of(type),
        .not_null = true,
    };
}

static void make_schema(struct driver_builtin *d)
{
    static const enum table_shape shapes[] = {
        [BUILTIN_ITEMS] = TABLE_ITEMS, [BUILTIN_LISTS] = TABLE_LISTS, [BUILTIN_ROWS] = TABLE_ROWS
    };
    const struct builtin_workload *workload = d->builtin->workload;
    const struct builtin_table *table = workload->table;
    bool is_list = workload->shape == BUILTIN_LISTS;

    d->shape = shapes[workload->shape];
    d->table.name = text_of(table ? table->name : is_list ? "lists" : "items");
    d->table.columns = d->columns;
    d->table.key = (struct schema_columns){ key_columns, ROW_COUNT(key_columns) };
    d->table.key_name = TEXT("pkey");
    add_column(d, table ? table->key_column : "key", TYPE_BIGINT);
    add_column(d, table ? table->value_column : "value", is_list ? TYPE_BIGINT_ARRAY : TYPE_BIGINT);
    if (table && table->tag_column)
        add_column(d, table->tag_column, TYPE_BIGINT);
    d->schema = (struct schema){ .tables = &d->table, .table_count = 1 };
}

static struct expression *push_expression(struct driver_builtin *d, enum expression_kind kind,
                                          enum type_kind type)
{
    struct expression *e = arena_push(d->arena, 1, sizeof *e);

    if (e) {
        e->kind = kind;
        e->type = type_of(type);
        e->weight = 1;
    }
    return e;
}

/* `column >= $slot`. */
static enum status make_comparison(struct driver_builtin *d, uint16_t column, const char *name,
                                   uint32_t slot, const struct expression **out, struct error *err)
{
    struct type types[] = { type_of(TYPE_BIGINT), type_of(TYPE_BIGINT) };
    struct expression *e = push_expression(d, EXPRESSION_APPLY, TYPE_BOOLEAN);
    struct expression *left = push_expression(d, EXPRESSION_COLUMN, TYPE_BIGINT);
    struct expression *right = push_expression(d, EXPRESSION_VARIABLE, TYPE_BIGINT);
    const struct expression **arguments = arena_push(d->arena, 2, sizeof *arguments);
    struct sql_error sql_error;

    if (!e || !left || !right || !arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a workload's conditions");
    left->as.column.column = column;
    right->as.slot = slot;
    arguments[0] = left;
    arguments[1] = right;
    e->arguments = arguments;
    e->argument_count = 2;
    if (operator_resolve(name, types, 2, &e->as.apply, &sql_error) != STATUS_OK)
        return error_set(err, STATUS_BAD_INPUT, "%s", sql_error.text);
    *out = e;
    return STATUS_OK;
}

static enum status make_condition(struct driver_builtin *d, uint16_t column,
                                  enum condition_kind kind, struct error *err)
{
    static const char *const names[CONDITION_KIND_COUNT][2] = { { "=" }, { ">=", "<=" } };
    uint32_t count = kind == CONDITION_EQUAL ? 1 : 2;
    const struct expression *conjuncts[2] = { NULL, NULL };

    for (uint32_t i = 0; i < count; i++)
        TRY(make_comparison(d, column, names[kind][i], i, &conjuncts[i], err));
    return condition_compile(conjuncts, count, 0, BUILTIN_TABLE, d->arena,
                             &d->conditions[column][kind], err);
}

enum status driver_builtin_make_table(struct driver_builtin *d, struct error *err)
{
    make_schema(d);
    if (d->shape != TABLE_ROWS)
        return STATUS_OK;
    for (uint16_t column = KEY_COLUMN; column <= VALUE_COLUMN; column++)
        for (enum condition_kind kind = 0; kind < CONDITION_KIND_COUNT; kind++)
            TRY(make_condition(d, column, kind, err));
    return STATUS_OK;
}
