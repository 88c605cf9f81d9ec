#include "programs/sql/analyze_table_private.h"

#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"
#include "programs/sql/analyze_select_private.h"
#include "programs/sql/analyze_sequence_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 1600 /* PostgreSQL's */

/* A table while it is read. Columns are filled first, then its constraints. */
struct table_draft {
    struct schema_table *table;
    struct schema_column *columns;
    struct schema_unique *uniques;
    struct schema_check *checks;
    bool has_key;
};

/* --- Names of constraints ------------------------------------------------------- */

static bool is_name_taken(const struct analysis *a, const struct table_draft *draft, struct text name)
{
    for (uint32_t i = 0; i < a->table_count; i++)
        if (text_equal(a->tables[i].name, name) || text_equal(a->tables[i].key_name, name))
            return true;
    for (uint32_t i = 0; i <= a->table_count; i++) /* the last is the draft's */
        for (uint16_t k = 0; k < a->tables[i].unique_count; k++)
            if (text_equal(a->tables[i].uniques[k].name, name))
                return true;
    for (uint16_t i = 0; i < draft->table->check_count; i++)
        if (text_equal(draft->checks[i].name, name))
            return true;
    if (analyze_find_sequence(a, name) != UINT32_MAX)
        return true;
    for (uint32_t i = 0; i < a->reference_count; i++)
        if (a->references[i].from == a->table_count && text_equal(a->references[i].name, name))
            return true;
    return text_equal(draft->table->key_name, name);
}

/* Cuts, but never within a character. */
static void cut(struct text *name, size_t length)
{
    if (length >= name->length)
        return;
    while (length > 0 && ((unsigned char)name->at[length] & 0xc0) == 0x80)
        length--;
    name->length = length;
}

/* Cuts both to fit, the longer one first. */
static void fit_names(struct text *first, struct text *second, size_t room)
{
    size_t x = first->length, y = second->length;

    while (x + y > room)
        --*(x > y ? &x : &y);
    cut(first, x);
    cut(second, y);
}

/* t_a_b_key, as PostgreSQL calls a constraint that has no name; then t_a_b_key1. */
static enum status name_constraint(struct analysis *a, const struct table_draft *draft,
                                   const struct schema_columns *columns, const char *label,
                                   struct text *name)
{
    char text[NAME_MAX_BYTES + 24];
    struct buffer joined = { 0 };

    for (uint16_t i = 0; columns && i < columns->count; i++)
        buffer_print(&joined, "%s%.*s", i ? "_" : "",
                     TEXT_PRINT(draft->columns[columns->at[i]].name));
    for (unsigned attempt = 0;; attempt++) {
        struct text first = draft->table->name;
        struct text second = { joined.at ? joined.at : "", joined.count };
        char ending[NAME_MAX_BYTES];
        enum status status;

        snprintf(ending, sizeof ending, attempt ? "_%s%u" : "_%s", label, attempt);
        fit_names(&first, &second, NAME_MAX_BYTES - strlen(ending) - (second.length > 0));
        snprintf(text, sizeof text, "%.*s%s%.*s%s", TEXT_PRINT(first), second.length ? "_" : "",
                 TEXT_PRINT(second), ending);
        if (is_name_taken(a, draft, text_of(text)))
            continue;
        status = analyze_keep_text(a, text_of(text), name);
        buffer_close(&joined);
        return status;
    }
}

/* The name given, or one made. */
static enum status take_name(struct analysis *a, const struct table_draft *draft,
                             const PgQuery__Constraint *constraint,
                             const struct schema_columns *columns, const char *label,
                             struct text *name)
{
    if (!constraint->conname || !*constraint->conname)
        return name_constraint(a, draft, columns, label, name);
    if (is_name_taken(a, draft, text_of(constraint->conname)))
        return analyze_refuse(a, constraint->location, "relation \"%s\" already exists",
                              constraint->conname);
    return analyze_keep_text(a, text_of(constraint->conname), name);
}

/* --- Sets of columns ---------------------------------------------------------------- */

static enum status read_keys(struct analysis *a, const struct schema_table *table,
                             PgQuery__Node *const *nodes, size_t count, int32_t location,
                             struct schema_columns *columns)
{
    uint16_t *at;
    void *memory;

    TRY(analyze_keep(a, count, sizeof *at, &memory));
    at = memory;
    for (size_t i = 0; i < count; i++) {
        struct text name = sql_string(nodes[i]);
        uint32_t column = analyze_find_column(table, name);

        if (column == UINT32_MAX)
            return analyze_refuse(a, location, "column \"%.*s\" named in key does not exist",
                                  TEXT_PRINT(name));
        at[i] = (uint16_t)column;
        for (size_t k = 0; k < i; k++)
            if (at[k] == column)
                return analyze_refuse(a, location, "column \"%.*s\" appears twice in a constraint",
                                      TEXT_PRINT(name));
    }
    *columns = (struct schema_columns){ at, (uint16_t)count };
    return STATUS_OK;
}

/* Of a constraint of the table, or of the one column it stands behind. */
static enum status read_own_columns(struct analysis *a, const struct table_draft *draft,
                                    const PgQuery__Constraint *constraint, int32_t column,
                                    struct schema_columns *columns)
{
    bool is_reference = constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN;
    PgQuery__Node *const *nodes = is_reference ? constraint->fk_attrs : constraint->keys;
    size_t count = is_reference ? constraint->n_fk_attrs : constraint->n_keys;
    uint16_t *at;
    void *memory;

    if (column < 0)
        return read_keys(a, draft->table, nodes, count, constraint->location, columns);
    TRY(analyze_keep(a, 1, sizeof *at, &memory));
    at = memory;
    at[0] = (uint16_t)column;
    *columns = (struct schema_columns){ at, 1 };
    return STATUS_OK;
}

/* --- Constraints -------------------------------------------------------------------- */

static enum status add_key(struct analysis *a, struct table_draft *draft,
                           const PgQuery__Constraint *constraint, int32_t column)
{
    struct schema_table *table = draft->table;

    ONLY(a, constraint->location, constraint, "contype conname keys initially_valid");
    if (draft->has_key)
        return analyze_refuse(a, constraint->location,
                              "multiple primary keys for table \"%.*s\" are not allowed",
                              TEXT_PRINT(table->name));
    TRY(read_own_columns(a, draft, constraint, column, &table->key));
    for (uint16_t i = 0; i < table->key.count; i++)
        draft->columns[table->key.at[i]].not_null = true;
    draft->has_key = true;
    return take_name(a, draft, constraint, NULL, "pkey", &table->key_name);
}

static enum status add_unique(struct analysis *a, struct table_draft *draft,
                              const PgQuery__Constraint *constraint, int32_t column)
{
    struct schema_unique *unique = &draft->uniques[draft->table->unique_count];

    ONLY(a, constraint->location, constraint, "contype conname keys initially_valid");
    TRY(read_own_columns(a, draft, constraint, column, &unique->columns));
    if (constraint->conname && *constraint->conname)
        TRY(take_name(a, draft, constraint, NULL, "", &unique->name));
    draft->table->unique_count++;
    return STATUS_OK;
}

static bool same_list(struct schema_columns x, struct schema_columns y)
{
    return x.count == y.count && memcmp(x.at, y.at, x.count * sizeof *x.at) == 0;
}

/* Whether an earlier one says the same; it takes the name if it has none. */
static bool is_redundant(struct table_draft *draft, uint16_t kept, const struct schema_unique *unique)
{
    if (same_list(unique->columns, draft->table->key))
        return true;
    for (uint16_t i = 0; i < kept; i++)
        if (same_list(unique->columns, draft->uniques[i].columns)) {
            if (!draft->uniques[i].name.at)
                draft->uniques[i].name = unique->name;
            return true;
        }
    return false;
}

/* As PostgreSQL does it: what is said twice counts once, and then names are made. */
static enum status settle_uniques(struct analysis *a, struct table_draft *draft)
{
    uint16_t count = draft->table->unique_count, kept = 0;

    for (uint16_t i = 0; i < count; i++)
        if (!is_redundant(draft, kept, &draft->uniques[i]))
            draft->uniques[kept++] = draft->uniques[i];
    draft->table->unique_count = kept;
    for (uint16_t i = 0; i < kept; i++)
        if (!draft->uniques[i].name.at)
            TRY(name_constraint(a, draft, &draft->uniques[i].columns, "key",
                                &draft->uniques[i].name));
    return STATUS_OK;
}

static const char *refused_action(const char *action)
{
    switch (action ? *action : 'a') {
    case 'a':
    case '\0':
        return NULL;
    case 'r':
        return "RESTRICT";
    case 'c':
        return "CASCADE";
    case 'n':
        return "SET NULL";
    default:
        return "SET DEFAULT";
    }
}

static enum status check_reference(struct analysis *a, const PgQuery__Constraint *constraint)
{
    const char *on_update = refused_action(constraint->fk_upd_action);
    const char *on_delete = refused_action(constraint->fk_del_action);

    ONLY(a, constraint->location, constraint,
         "contype conname pktable fk_attrs pk_attrs fk_matchtype fk_upd_action fk_del_action "
         "initially_valid skip_validation");
    if (on_update || on_delete)
        return analyze_refuse(a, constraint->location, "ON %s %s is not supported",
                              on_delete ? "DELETE" : "UPDATE", on_delete ? on_delete : on_update);
    if (constraint->fk_matchtype && *constraint->fk_matchtype && *constraint->fk_matchtype != 's')
        return analyze_refuse(a, constraint->location, "MATCH FULL is not supported");
    return STATUS_OK;
}

bool analyze_same_columns(struct schema_columns x, struct schema_columns y)
{
    uint16_t shared = 0;

    for (uint16_t i = 0; i < x.count; i++)
        for (uint16_t k = 0; k < y.count; k++)
            shared += x.at[i] == y.at[k];
    return shared == x.count && shared == y.count;
}

/* The columns referred to: the other table's key, or something else that is unique there. */
static enum status read_targets(struct analysis *a, const PgQuery__Constraint *constraint,
                                const struct schema_table *to, struct schema_columns *targets)
{
    if (constraint->n_pk_attrs == 0 && to->is_numbered)
        return analyze_refuse(a, constraint->location,
                              "there is no primary key for referenced table \"%.*s\"",
                              TEXT_PRINT(to->name));
    if (constraint->n_pk_attrs == 0) {
        *targets = to->key;
        return STATUS_OK;
    }
    TRY(read_keys(a, to, constraint->pk_attrs, constraint->n_pk_attrs, constraint->location,
                  targets));
    if (analyze_same_columns(*targets, to->key))
        return STATUS_OK;
    for (uint16_t i = 0; i < to->unique_count; i++)
        if (analyze_same_columns(*targets, to->uniques[i].columns))
            return STATUS_OK;
    return analyze_refuse(a, constraint->location,
                          "there is no unique constraint matching given keys for referenced table "
                          "\"%.*s\"",
                          TEXT_PRINT(to->name));
}

/* What PostgreSQL compares as it is: integers with integers, texts with texts, or one type. */
static bool is_comparable(struct type x, struct type y)
{
    return x.kind == y.kind || (type_is_number(x.kind) && type_is_number(y.kind)) ||
           (type_is_text(x.kind) && type_is_text(y.kind));
}

static enum status check_targets(struct analysis *a, const struct table_draft *draft,
                                 const PgQuery__Constraint *constraint,
                                 const struct schema_reference *reference,
                                 const struct schema_table *to)
{
    if (reference->columns.count != reference->targets.count)
        return analyze_refuse(a, constraint->location,
                              "number of referencing and referenced columns for foreign key disagree");
    for (uint16_t i = 0; i < reference->columns.count; i++)
        if (!is_comparable(draft->columns[reference->columns.at[i]].type,
                           to->columns[reference->targets.at[i]].type))
            return analyze_refuse(a, constraint->location,
                                  "foreign key constraint \"%.*s\" cannot be implemented",
                                  TEXT_PRINT(reference->name));
    return STATUS_OK;
}

static enum status add_reference(struct analysis *a, struct table_draft *draft,
                                 const PgQuery__Constraint *constraint, int32_t column)
{
    struct schema_reference *reference = &a->references[a->reference_count];
    struct query_source target;
    const struct schema_table *to;

    assert(a->reference_count < a->reference_room);
    TRY(check_reference(a, constraint));
    *reference = (struct schema_reference){ .from = a->table_count };
    if (text_equal(text_of(constraint->pktable->relname), draft->table->name)) {
        target.table = a->table_count;
    } else {
        TRY(analyze_source(a, constraint->pktable, &target));
    }
    to = &a->tables[target.table];
    reference->to = target.table;
    TRY(read_own_columns(a, draft, constraint, column, &reference->columns));
    TRY(read_targets(a, constraint, to, &reference->targets));
    TRY(take_name(a, draft, constraint, &reference->columns, "fkey", &reference->name));
    TRY(check_targets(a, draft, constraint, reference, to));
    a->reference_count++;
    return STATUS_OK;
}

/* What stands in a column where nobody says what: of the column's type. */
static enum status take_default(struct analysis *a, struct schema_column *column, int32_t location)
{
    struct operator_choice cast;
    struct sql_error error;

    if (operator_cast(column->default_value->type, column->type, CAST_ASSIGNMENT, &cast, &error) !=
        STATUS_OK)
        return analyze_refuse(a, location,
                              "column \"%.*s\" is of type %s but default expression is of type %s",
                              TEXT_PRINT(column->name), type_name(column->type.kind),
                              type_name(column->default_value->type.kind));
    return analyze_build_choice(a, &cast, location, &column->default_value);
}

/* A sequence of its own: t_b_seq. */
static enum status number_column(struct analysis *a, struct table_draft *draft, uint16_t number,
                                 struct sequence_options options, int32_t location)
{
    struct schema_column *column = &draft->columns[number];
    struct schema_columns only = { &number, 1 };
    struct text name;
    uint32_t sequence;

    if (column->default_value)
        return analyze_refuse(a, location, "multiple default values specified for column \"%.*s\"",
                              TEXT_PRINT(column->name));
    TRY(name_constraint(a, draft, &only, "seq", &name));
    TRY(analyze_add_sequence(a, name, column->type.kind, options, location, &sequence));
    TRY(analyze_next_number(a, sequence, location, &column->default_value));
    column->not_null = true;
    return take_default(a, column, location);
}

static enum status set_identity(struct analysis *a, struct table_draft *draft,
                                const PgQuery__Constraint *constraint, int32_t number)
{
    struct schema_column *column = &draft->columns[number];

    ONLY(a, constraint->location, constraint, "contype generated_when options");
    if (!type_is_integer(column->type.kind))
        return analyze_refuse(a, constraint->location,
                              "identity column type must be smallint, integer, or bigint");
    column->is_always_generated = *constraint->generated_when == 'a';
    return number_column(a, draft, (uint16_t)number,
                         (struct sequence_options){ constraint->options, constraint->n_options },
                         constraint->location);
}

static enum status set_default(struct analysis *a, struct table_draft *draft,
                               const PgQuery__Constraint *constraint, int32_t number)
{
    struct name_scope scope = { .place = "DEFAULT expressions", .allows_numbers = true };
    struct schema_column *column = &draft->columns[number];

    ONLY(a, constraint->location, constraint, "contype raw_expr");
    if (column->default_value)
        return analyze_refuse(a, constraint->location,
                              "multiple default values specified for column \"%.*s\"",
                              TEXT_PRINT(column->name));
    TRY(analyze_expression(a, &scope, constraint->raw_expr, &column->default_value));
    return take_default(a, column, constraint->location);
}

/* The one column that an expression has, however often; -1: none, -2: several. */
static int32_t only_column(const struct expression *e)
{
    int32_t only = e->kind == EXPRESSION_COLUMN ? e->as.column.column : -1;

    for (uint32_t i = 0; i < e->argument_count; i++) {
        int32_t of_argument = only_column(e->arguments[i]);

        if (only >= 0 && of_argument >= 0 && of_argument != only)
            return -2;
        only = only == -1 || of_argument == -2 ? of_argument : only;
    }
    return only;
}

/* PostgreSQL looks at them in the order of their names. */
static void insert_check(struct table_draft *draft, struct schema_check check)
{
    uint16_t place = draft->table->check_count++;

    for (; place > 0 && text_compare(check.name, draft->checks[place - 1].name) < 0; place--)
        draft->checks[place] = draft->checks[place - 1];
    draft->checks[place] = check;
}

static enum status add_check(struct analysis *a, struct table_draft *draft,
                             const PgQuery__Constraint *constraint)
{
    const struct query_source source = { .table = a->table_count,
                                         .alias = draft->table->name };
    struct name_scope scope = { .sources = &source,
                                .end_visible = 1,
                                .place = "check constraints" };
    struct schema_columns columns = { 0 };
    struct schema_check check;
    int32_t column;
    uint16_t only;

    ONLY(a, constraint->location, constraint, "contype conname raw_expr initially_valid");
    TRY(analyze_expression(a, &scope, constraint->raw_expr, &check.condition));
    TRY(analyze_build_condition(a, "CHECK", constraint->location, &check.condition));
    column = only_column(check.condition);
    only = (uint16_t)column;
    if (column >= 0)
        columns = (struct schema_columns){ &only, 1 };
    TRY(take_name(a, draft, constraint, &columns, "check", &check.name));
    insert_check(draft, check);
    return STATUS_OK;
}

/* The first pass takes what the others may speak of: columns, keys and uniques. */
enum pass { PASS_COLUMNS, PASS_CHECKS, PASS_REFERENCES };

static enum status refuse_constraint(struct analysis *a, const PgQuery__Constraint *constraint)
{
    static const char *const names[] = {
        [PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED] = "a generated column",
        [PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION] = "EXCLUDE",
        [PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE] = "DEFERRABLE",
        [PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED] = "INITIALLY DEFERRED",
    };
    size_t type = (size_t)constraint->contype;

    return analyze_refuse(a, constraint->location, "%s is not supported",
                          type < ROW_COUNT(names) && names[type] ? names[type] : "this constraint");
}

/* `column` is the one that the constraint stands behind, or -1. */
static enum status add_constraint(struct analysis *a, struct table_draft *draft,
                                  const PgQuery__Constraint *constraint, int32_t column,
                                  enum pass pass)
{
    bool now = pass == PASS_COLUMNS;

    switch ((int)constraint->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        return now ? add_key(a, draft, constraint, column) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        return now ? add_unique(a, draft, constraint, column) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        return pass == PASS_REFERENCES ? add_reference(a, draft, constraint, column) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        return pass == PASS_CHECKS ? add_check(a, draft, constraint) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        ONLY(a, constraint->location, constraint, "contype conname");
        draft->columns[column].not_null = true;
        return STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        ONLY(a, constraint->location, constraint, "contype");
        return STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        return now ? set_default(a, draft, constraint, column) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        return now ? set_identity(a, draft, constraint, column) : STATUS_OK;
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
        return STATUS_OK; /* as everything here */
    default:
        return refuse_constraint(a, constraint);
    }
}

static enum status add_constraints(struct analysis *a, struct table_draft *draft,
                                   const PgQuery__CreateStmt *stmt, enum pass pass)
{
    int32_t column = 0;

    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];

        if (node->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
            TRY(add_constraint(a, draft, node->constraint, -1, pass));
            continue;
        }
        for (size_t k = 0; k < node->column_def->n_constraints; k++)
            TRY(add_constraint(a, draft, node->column_def->constraints[k]->constraint, column,
                               pass));
        column++;
    }
    return STATUS_OK;
}

/* --- Columns -------------------------------------------------------------------------- */

static bool has_constraint(const PgQuery__ColumnDef *def, PgQuery__ConstrType type)
{
    for (size_t i = 0; i < def->n_constraints; i++)
        if (def->constraints[i]->constraint->contype == type)
            return true;
    return false;
}

static bool is_serial(const PgQuery__TypeName *name, enum type_kind *kind)
{
    static const struct {
        const char *name;
        enum type_kind kind;
    } serials[] = {
        { "smallserial", TYPE_SMALLINT }, { "serial2", TYPE_SMALLINT }, { "serial", TYPE_INTEGER },
        { "serial4", TYPE_INTEGER },      { "bigserial", TYPE_BIGINT }, { "serial8", TYPE_BIGINT },
    };

    for (size_t i = 0; i < ROW_COUNT(serials); i++)
        if (name->n_names == 1 && name->n_array_bounds == 0 &&
            strcmp(sql_string(name->names[0]).at, serials[i].name) == 0) {
            *kind = serials[i].kind;
            return true;
        }
    return false;
}

/* NOT NULL, as serial columns and identities are, too. */
static bool is_not_null(const PgQuery__ColumnDef *def)
{
    enum type_kind kind;

    return has_constraint(def, PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL) ||
           has_constraint(def, PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY) || is_serial(def->type_name, &kind);
}

/* What PostgreSQL refuses of a column beside its type. */
static enum status check_column(struct analysis *a, const struct schema_table *table,
                                const PgQuery__ColumnDef *def)
{
    static const char *const taken[] = { "ctid", "xmin", "cmin", "xmax", "cmax", "tableoid" };

    if (analyze_find_column(table, text_of(def->colname)) != UINT32_MAX)
        return analyze_refuse(a, def->location, "column \"%s\" specified more than once", def->colname);
    for (size_t i = 0; i < ROW_COUNT(taken); i++)
        if (strcmp(def->colname, taken[i]) == 0)
            return analyze_refuse(a, def->location,
                                  "column name \"%s\" conflicts with a system column name", def->colname);
    if (has_constraint(def, PG_QUERY__CONSTR_TYPE__CONSTR_NULL) && is_not_null(def))
        return analyze_refuse(a, def->location,
                              "conflicting NULL/NOT NULL declarations for column \"%s\"", def->colname);
    return STATUS_OK;
}

static enum status add_column(struct analysis *a, struct table_draft *draft,
                              const PgQuery__ColumnDef *def)
{
    struct schema_table *table = draft->table;
    struct schema_column *column = &draft->columns[table->column_count];
    struct text name = text_of(def->colname);
    enum type_kind serial;

    ONLY(a, def->location, def, "colname type_name is_local constraints");
    if (table->column_count == COLUMNS_MAX)
        return analyze_refuse(a, def->location, "tables can have at most %d columns", COLUMNS_MAX);
    TRY(check_column(a, table, def));
    TRY(analyze_keep_text(a, name, &column->name));
    if (is_serial(def->type_name, &serial)) {
        column->type = type_of(serial);
        return number_column(a, draft, table->column_count++, (struct sequence_options){ NULL, 0 },
                             def->location);
    }
    TRY(analyze_type(a, def->type_name, &column->type));
    if (column->type.kind == TYPE_UNKNOWN || column->type.kind == TYPE_VOID ||
        column->type.kind == TYPE_RECORD)
        return analyze_refuse(a, def->location, "column \"%.*s\" has pseudo-type %s", TEXT_PRINT(name),
                              type_name(column->type.kind));
    table->column_count++;
    return STATUS_OK;
}

static enum status add_columns(struct analysis *a, struct table_draft *draft,
                               const PgQuery__CreateStmt *stmt)
{
    size_t uniques = 0;
    void *memory;

    TRY(analyze_keep(a, stmt->n_table_elts + 1, sizeof *draft->columns, &memory));
    draft->table->columns = draft->columns = memory;
    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];

        uniques++;
        if (node->node_case == PG_QUERY__NODE__NODE_CONSTRAINT)
            continue;
        if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
            return analyze_refuse_node(a, node);
        uniques += node->column_def->n_constraints;
        TRY(add_column(a, draft, node->column_def));
    }
    TRY(analyze_keep(a, uniques, sizeof *draft->uniques, &memory));
    draft->table->uniques = draft->uniques = memory;
    TRY(analyze_keep(a, uniques, sizeof *draft->checks, &memory));
    draft->table->checks = draft->checks = memory;
    return STATUS_OK;
}

/* The column of a table without a primary key that stands for it. */
static enum status add_row_number(struct analysis *a, struct table_draft *draft, int32_t location)
{
    static const struct text name = { "row_number", sizeof "row_number" - 1 };
    struct schema_table *table = draft->table;
    uint16_t *at;
    void *memory;

    if (analyze_find_column(table, name) != UINT32_MAX)
        return analyze_refuse(a, location,
                              "a table without a primary key that has a column \"%s\" is not supported",
                              name.at);
    TRY(analyze_keep(a, 1, sizeof *at, &memory));
    at = memory;
    *at = table->column_count;
    draft->columns[table->column_count++] =
        (struct schema_column){ .name = name, .type = type_of(TYPE_BIGINT), .not_null = true };
    table->key = (struct schema_columns){ at, 1 };
    table->is_numbered = true;
    return STATUS_OK;
}

enum status analyze_table(struct analysis *a, const PgQuery__CreateStmt *stmt)
{
    const PgQuery__RangeVar *range = stmt->relation;
    struct table_draft draft = { .table = &a->tables[a->table_count] };

    ONLY(a, range->location, stmt, "relation table_elts");
    ONLY(a, range->location, range, "relname inh relpersistence");
    if (strcmp(range->relpersistence, "p") != 0)
        return analyze_refuse(a, range->location, "%s is not supported",
                              *range->relpersistence == 't' ? "TEMPORARY" : "UNLOGGED");
    if (is_name_taken(a, &draft, text_of(range->relname)))
        return analyze_refuse(a, range->location, "relation \"%s\" already exists", range->relname);
    TRY(analyze_keep_text(a, text_of(range->relname), &draft.table->name));
    TRY(add_columns(a, &draft, stmt));
    TRY(add_constraints(a, &draft, stmt, PASS_COLUMNS));
    if (!draft.has_key)
        TRY(add_row_number(a, &draft, range->location));
    TRY(settle_uniques(a, &draft));
    TRY(add_constraints(a, &draft, stmt, PASS_CHECKS));
    TRY(add_constraints(a, &draft, stmt, PASS_REFERENCES));
    a->table_count++;
    return STATUS_OK;
}
