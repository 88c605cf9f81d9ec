#include "verify/calls/read_sequence_private.h"

#include <string.h>

const struct relation *catalog_find_relation(const struct catalog *catalog, struct text name)
{
    for (uint32_t i = 0; i < catalog->relation_count; i++)
        if (text_equal(catalog->relations[i].name, name))
            return &catalog->relations[i];
    return NULL;
}

const struct routine *catalog_find_routine(const struct catalog *catalog, struct text name)
{
    for (uint32_t i = 0; i < catalog->routine_count; i++)
        if (text_equal(catalog->routines[i].name, name))
            return &catalog->routines[i];
    return NULL;
}

/* --- Tables -------------------------------------------------------------------------------- */

struct table_draft {
    struct reader *r;
    struct relation *relation;
    const struct formula **checks;
    const struct from_source *source; /* what CHECK may name */
};

uint32_t read_place(struct reader *r, const struct relation *relation, const char *name)
{
    for (uint32_t i = 0; i < relation->column_count; i++)
        if (text_equal(relation->columns[i].name, text_of(name)))
            return i;
    trap_unknown(r->trap, "the column %s", name);
}

static struct column_set read_columns(struct reader *r, const struct relation *relation,
                                      PgQuery__Node **names, size_t count)
{
    uint32_t *at = reader_take(r, count, sizeof *at);

    for (size_t i = 0; i < count; i++)
        at[i] = read_place(r, relation, reader_string(names[i]));
    return (struct column_set){ at, (uint32_t)count };
}

static struct text constraint_name(struct reader *r, const struct relation *relation,
                                   struct column_set columns, const PgQuery__Constraint *constraint,
                                   const char *ending)
{
    struct buffer name = { 0 };

    if (constraint->conname && *constraint->conname)
        return reader_keep(r, text_of(constraint->conname));
    buffer_text(&name, relation->name);
    for (uint32_t i = 0; strcmp(ending, "pkey") != 0 && i < columns.count; i++) {
        buffer_byte(&name, '_');
        buffer_text(&name, relation->columns[columns.at[i]].name);
    }
    buffer_byte(&name, '_');
    buffer_text(&name, text_of(ending));
    return reader_keep_buffer(r, &name);
}

static void add_unique(struct table_draft *d, struct column_set columns,
                       const PgQuery__Constraint *constraint)
{
    struct relation_unique *unique = reader_take(d->r, 1, sizeof *unique);
    const struct relation_unique **last = &d->relation->uniques;

    unique->columns = columns;
    unique->name = constraint_name(d->r, d->relation, columns, constraint, "key");
    while (*last)
        last = (const struct relation_unique **)&(*last)->next;
    *last = unique;
}

/* An option that was not given, or given so. */
static bool is_default(const char *option, char standard)
{
    return !option || *option == '\0' || *option == standard;
}

static void add_reference(struct table_draft *d, struct column_set columns,
                          const PgQuery__Constraint *constraint)
{
    struct reader *r = d->r;
    struct relation_reference *reference = reader_take(r, 1, sizeof *reference);
    struct relation *to = NULL;

    for (uint32_t i = 0; i < r->catalog->relation_count; i++)
        if (text_equal(r->catalog->relations[i].name, text_of(constraint->pktable->relname)))
            to = &r->catalog->relations[i];
    if (!to || (to->is_numbered && constraint->n_pk_attrs == 0) || !is_default(constraint->fk_upd_action, 'a') ||
        !is_default(constraint->fk_del_action, 'a') || !is_default(constraint->fk_matchtype, 's'))
        reader_refuse(r, "such a foreign key");
    reference->from = d->relation;
    reference->to = to;
    reference->columns = columns;
    reference->targets = constraint->n_pk_attrs > 0
                             ? read_columns(r, to, constraint->pk_attrs, constraint->n_pk_attrs)
                             : to->key;
    if (reference->targets.count != columns.count)
        reader_refuse(r, "such a foreign key");
    for (uint32_t i = 0; i < columns.count; i++) {
        d->relation->columns[columns.at[i]].is_looked_at = true;
        to->columns[reference->targets.at[i]].is_looked_at = true;
    }
    reference->next_from = d->relation->references;
    d->relation->references = reference;
    reference->next_to = to->referrers;
    to->referrers = reference;
}

static void add_check(struct table_draft *d, const PgQuery__Constraint *constraint)
{
    struct reader_scope scope = { .sources = d->source, .source_count = 1 };

    d->checks[d->relation->check_count++] = read_truth(d->r, &scope, constraint->raw_expr);
}

static void read_constraint(struct table_draft *d, const PgQuery__Constraint *constraint,
                            const uint32_t *own)
{
    struct reader *r = d->r;
    struct relation *relation = d->relation;
    struct column_set columns = { own, own ? 1 : 0 };

    if (constraint->deferrable)
        reader_refuse(r, "a constraint that is DEFERRABLE");
    switch (constraint->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        relation->columns[own[0]].not_null = true;
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        relation->columns[own[0]].initial = read_as(r, read_formula(r, NULL, constraint->raw_expr),
                                                    relation->columns[own[0]].type, CAST_IS_ASSIGNMENT);
        read_note_number(r, &relation->columns[own[0]], relation->columns[own[0]].initial);
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        read_numbered_column(r, relation, &relation->columns[own[0]], constraint->options,
                             constraint->n_options);
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        add_check(d, constraint);
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        if (!own)
            columns = read_columns(r, relation, constraint->keys, constraint->n_keys);
        relation->key = columns;
        relation->key_name = constraint_name(r, relation, columns, constraint, "pkey");
        for (uint32_t i = 0; i < columns.count; i++)
            relation->columns[columns.at[i]].not_null = true;
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        if (constraint->nulls_not_distinct)
            reader_refuse(r, "NULLS NOT DISTINCT");
        if (!own)
            columns = read_columns(r, relation, constraint->keys, constraint->n_keys);
        add_unique(d, columns, constraint);
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        if (!own)
            columns = read_columns(r, relation, constraint->fk_attrs, constraint->n_fk_attrs);
        add_reference(d, columns, constraint);
        return;
    default:
        reader_refuse(r, "such a constraint");
    }
}

static void read_column_type(struct reader *r, const PgQuery__ColumnDef *def,
                             const struct relation *relation, struct relation_column *column)
{
    enum kind serial;

    if (def->coll_clause)
        reader_refuse(r, "a column with a collation");
    column->name = reader_keep(r, text_of(def->colname));
    if (!read_is_serial(def->type_name, &serial)) {
        column->type = reader_type(r, def->type_name);
        return;
    }
    column->type = (struct item_type){ .kind = serial };
    read_numbered_column(r, relation, column, NULL, 0);
}

static void read_table_columns(struct reader *r, const PgQuery__CreateStmt *stmt,
                               struct relation *relation)
{
    if (stmt->n_inh_relations > 0 || stmt->partbound || stmt->partspec || stmt->of_typename ||
        stmt->if_not_exists)
        reader_refuse(r, "such a table");
    relation->name = reader_keep(r, text_of(stmt->relation->relname));
    relation->columns = reader_take(r, stmt->n_table_elts + 1, sizeof *relation->columns);
    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];

        if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
            continue;
        read_column_type(r, node->column_def, relation, &relation->columns[relation->column_count++]);
    }
}

/* Rows need names: without a primary key the number of each is one. */
static void number_rows(struct reader *r, struct relation *relation)
{
    uint32_t *own = reader_take(r, 1, sizeof *own);

    *own = relation->column_count++;
    relation->columns[*own] =
        (struct relation_column){ .name = TEXT(""), .type = { .kind = KIND_BIGINT } };
    relation->key = (struct column_set){ own, 1 };
    relation->is_numbered = true;
}

static void read_table_constraints(struct reader *r, const PgQuery__CreateStmt *stmt,
                                   struct relation *relation)
{
    struct text *names = reader_take(r, relation->column_count, sizeof *names);
    struct item_type *types = reader_take(r, relation->column_count, sizeof *types);
    struct shape shape = { relation->column_count, names, types };
    struct from_source source = { .relation = relation, .alias = relation->name, .shape = &shape };
    struct table_draft d = { .r = r, .relation = relation, .source = &source };
    uint32_t column = 0;
    size_t room = 0;

    for (uint32_t i = 0; i < relation->column_count; i++)
        names[i] = relation->columns[i].name, types[i] = relation->columns[i].type;
    for (size_t i = 0; i < stmt->n_table_elts; i++)
        room += stmt->table_elts[i]->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF
                    ? stmt->table_elts[i]->column_def->n_constraints
                    : 1;
    d.checks = reader_take(r, room, sizeof *d.checks);
    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];
        uint32_t *own;

        if (node->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
            read_constraint(&d, node->constraint, NULL);
            continue;
        }
        if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
            reader_refuse(r, "such a part of a table");
        own = reader_take(r, 1, sizeof *own);
        *own = column++;
        for (size_t c = 0; c < node->column_def->n_constraints; c++)
            read_constraint(&d, node->column_def->constraints[c]->constraint, own);
    }
    relation->checks = d.checks;
    if (relation->key.count == 0)
        number_rows(r, relation);
}

/* --- Functions --------------------------------------------------------------------------------- */

static void read_header(struct reader *r, const PgQuery__CreateFunctionStmt *stmt,
                        struct routine *routine)
{
    if (stmt->is_procedure || stmt->sql_body || !stmt->return_type)
        reader_refuse(r, "such a function");
    routine->name = reader_keep(r, text_of(reader_string(stmt->funcname[stmt->n_funcname - 1])));
    if (catalog_find_routine(r->catalog, routine->name))
        reader_refuse(r, "two functions of one name");
    routine->parameter_count = (uint32_t)stmt->n_parameters;
    routine->variables = reader_take(r, stmt->n_parameters, sizeof *routine->variables);
    for (size_t i = 0; i < stmt->n_parameters; i++) {
        const PgQuery__FunctionParameter *parameter = stmt->parameters[i]->function_parameter;

        if (parameter->defexpr ||
            (parameter->mode != PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_IN &&
             parameter->mode != PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_DEFAULT))
            reader_refuse(r, "such a parameter");
        /* PostgreSQL forgets the length of a parameter. */
        routine->variables[i].type.kind = reader_type(r, parameter->arg_type).kind;
    }
    routine->result.kind = reader_type(r, stmt->return_type).kind;
    for (size_t i = 0; i < stmt->n_options; i++) {
        const PgQuery__DefElem *option = stmt->options[i]->def_elem;

        if (strcmp(option->defname, "language") == 0 &&
            strcmp(reader_string(option->arg), "plpgsql") != 0)
            reader_refuse(r, "a function in another language than PL/pgSQL");
        if (strcmp(option->defname, "volatility") == 0 && strcmp(reader_string(option->arg), "volatile") != 0)
            reader_refuse(r, "a STABLE or IMMUTABLE function"); /* it sees what its caller does */
        if (strcmp(option->defname, "strict") == 0)
            reader_refuse(r, "a STRICT function");
    }
}

static struct text statement_text(struct text file, const PgQuery__RawStmt *raw)
{
    size_t from = (size_t)raw->stmt_location;
    size_t length = raw->stmt_len > 0 ? (size_t)raw->stmt_len : file.length - from;

    return (struct text){ file.at + from, length };
}

/* No more than statements and columns. */
static size_t count_sequences(const PgQuery__ParseResult *tree)
{
    size_t count = tree->n_stmts;

    for (size_t i = 0; i < tree->n_stmts; i++)
        if (tree->stmts[i]->stmt->node_case == PG_QUERY__NODE__NODE_CREATE_STMT)
            count += 2 * tree->stmts[i]->stmt->create_stmt->n_table_elts;
    return count;
}

bool catalog_has_quiet_numbers(const struct catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->relation_count; i++)
        for (uint32_t c = 0; c < catalog->relations[i].column_count; c++)
            if (catalog->relations[i].columns[c].is_looked_at && catalog->relations[i].columns[c].given_by)
                return false;
    return catalog->numbers == catalog->kept_numbers && !catalog->may_repeat;
}

static bool creates_table(const PgQuery__Node *node, const char *name)
{
    return node->node_case == PG_QUERY__NODE__NODE_CREATE_STMT &&
           strcmp(node->create_stmt->relation->relname, name) == 0;
}

static size_t drop_table(struct reader *r, PgQuery__RawStmt **live, size_t count, const char *name, bool must_exist)
{
    size_t at = count;

    while (at > 0 && !creates_table(live[at - 1]->stmt, name))
        at--;
    if (at == 0 && must_exist)
        reader_refuse(r, "a DROP of a table that does not exist");
    if (at == 0)
        return count;
    memmove(&live[at - 1], &live[at], (count - at) * sizeof(PgQuery__RawStmt *));
    return count - 1;
}

/* The statements without DROP TABLE and the tables that are dropped: nobody has met them. */
static void forget_dropped(struct reader *r, PgQuery__ParseResult *tree)
{
    PgQuery__RawStmt **live = reader_take(r, tree->n_stmts, sizeof *live);
    size_t count = 0;

    for (size_t i = 0; i < tree->n_stmts; i++) {
        const PgQuery__DropStmt *drop = tree->stmts[i]->stmt->drop_stmt;

        if (tree->stmts[i]->stmt->node_case != PG_QUERY__NODE__NODE_DROP_STMT) {
            live[count++] = tree->stmts[i];
            continue;
        }
        if (drop->remove_type != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE)
            reader_refuse(r, "a DROP of what is no table");
        for (size_t k = 0; k < drop->n_objects; k++)
            count = drop_table(r, live, count, reader_string(drop->objects[k]->list->items[0]), !drop->missing_ok);
    }
    tree->stmts = live;
    tree->n_stmts = count;
}

void read_catalog(struct reader *r, struct text file)
{
    PgQuery__ParseResult borrowed = *reader_parse_all(r, file), *tree = &borrowed;
    struct catalog *catalog = r->catalog;
    uint32_t routine = 0, relation = 0;

    forget_dropped(r, tree);
    r->file = file;
    catalog->relations = reader_take(r, tree->n_stmts, sizeof *catalog->relations);
    catalog->sequences = reader_take(r, count_sequences(tree), sizeof *catalog->sequences);
    catalog->routines = reader_take(r, tree->n_stmts, sizeof *catalog->routines);
    for (size_t i = 0; i < tree->n_stmts; i++) {
        const PgQuery__Node *node = tree->stmts[i]->stmt;

        if (node->node_case == PG_QUERY__NODE__NODE_CREATE_STMT) {
            catalog->relations[catalog->relation_count].number = catalog->relation_count;
            read_table_columns(r, node->create_stmt,
                               &catalog->relations[catalog->relation_count]);
            catalog->relation_count++;
        } else if (node->node_case == PG_QUERY__NODE__NODE_CREATE_SEQ_STMT) {
            read_sequence(r, node->create_seq_stmt);
        } else if (node->node_case == PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT) {
            read_header(r, node->create_function_stmt, &catalog->routines[catalog->routine_count]);
            catalog->routine_count++;
        } else {
            reader_refuse(r,
                          "a statement in the programs' file that makes neither a table, a sequence nor a function");
        }
    }
    for (size_t i = 0; i < tree->n_stmts; i++)
        if (tree->stmts[i]->stmt->node_case == PG_QUERY__NODE__NODE_CREATE_STMT)
            read_table_constraints(r, tree->stmts[i]->stmt->create_stmt,
                                   &catalog->relations[relation++]);
    for (size_t i = 0; i < tree->n_stmts; i++)
        if (tree->stmts[i]->stmt->node_case == PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT)
            read_routine(r, &catalog->routines[routine++],
                         tree->stmts[i]->stmt->create_function_stmt,
                         statement_text(file, tree->stmts[i]));
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < catalog->routine_count; i++)
            for (uint32_t c = 0; c < catalog->routines[i].call_count && !catalog->routines[i].may_write; c++)
                more |= catalog->routines[i].may_write = catalog->routines[i].calls[c]->may_write;
    }
}
