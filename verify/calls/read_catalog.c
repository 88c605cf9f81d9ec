#include "verify/calls/reader_private.h"

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

static uint32_t find_place(struct reader *r, const struct relation *relation, const char *name)
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
        at[i] = find_place(r, relation, reader_string(names[i]));
    return (struct column_set){ at, (uint32_t)count };
}

static struct text constraint_name(struct reader *r, const struct relation *relation,
                                   struct column_set columns, const PgQuery__Constraint *constraint,
                                   const char *ending)
{
    struct buffer name = { 0 };
    struct text kept;

    if (constraint->conname && *constraint->conname)
        return reader_keep(r, text_of(constraint->conname));
    buffer_text(&name, relation->name);
    for (uint32_t i = 0; strcmp(ending, "pkey") != 0 && i < columns.count; i++) {
        buffer_byte(&name, '_');
        buffer_text(&name, relation->columns[columns.at[i]].name);
    }
    buffer_byte(&name, '_');
    buffer_text(&name, text_of(ending));
    kept = name.out_of_memory ? TEXT("") : reader_keep(r, (struct text){ name.at, name.count });
    buffer_close(&name);
    return kept;
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

static void add_reference(struct table_draft *d, struct column_set columns,
                          const PgQuery__Constraint *constraint)
{
    struct reader *r = d->r;
    struct relation_reference *reference = reader_take(r, 1, sizeof *reference);
    struct relation *to = NULL;

    for (uint32_t i = 0; i < r->catalog->relation_count; i++)
        if (text_equal(r->catalog->relations[i].name, text_of(constraint->pktable->relname)))
            to = &r->catalog->relations[i];
    if (!to || constraint->deferrable || (constraint->fk_upd_action && *constraint->fk_upd_action != 'a' && *constraint->fk_upd_action) ||
        (constraint->fk_del_action && *constraint->fk_del_action != 'a' && *constraint->fk_del_action))
        reader_refuse(r, "such a foreign key");
    reference->from = d->relation;
    reference->to = to;
    reference->columns = columns;
    reference->targets = constraint->n_pk_attrs > 0
                             ? read_columns(r, to, constraint->pk_attrs, constraint->n_pk_attrs)
                             : to->key;
    if (reference->targets.count != columns.count)
        reader_refuse(r, "such a foreign key");
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

    switch (constraint->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        relation->columns[own[0]].not_null = true;
        return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        relation->columns[own[0]].initial = read_as(r, read_formula(r, NULL, constraint->raw_expr),
                                                    relation->columns[own[0]].type, CAST_IS_ASSIGNMENT);
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

static void read_table_columns(struct reader *r, const PgQuery__CreateStmt *stmt,
                               struct relation *relation)
{
    if (stmt->n_inh_relations > 0 || stmt->partbound || stmt->partspec || stmt->of_typename ||
        stmt->if_not_exists)
        reader_refuse(r, "such a table");
    relation->name = reader_keep(r, text_of(stmt->relation->relname));
    relation->columns = reader_take(r, stmt->n_table_elts, sizeof *relation->columns);
    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];

        if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
            continue;
        relation->columns[relation->column_count++] = (struct relation_column){
            .name = reader_keep(r, text_of(node->column_def->colname)),
            .type = reader_type(r, node->column_def->type_name),
        };
    }
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
        trap_unknown(r->trap, "the table %.*s, which has no primary key", TEXT_PRINT(relation->name));
}

/* --- Functions --------------------------------------------------------------------------------- */

static void read_header(struct reader *r, const PgQuery__CreateFunctionStmt *stmt,
                        struct routine *routine)
{
    if (stmt->is_procedure || stmt->sql_body || !stmt->return_type)
        reader_refuse(r, "such a function");
    routine->name = reader_keep(r, text_of(reader_string(stmt->funcname[stmt->n_funcname - 1])));
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

void read_catalog(struct reader *r, struct text file)
{
    PgQuery__ParseResult *tree = reader_parse_all(r, file);
    struct catalog *catalog = r->catalog;
    uint32_t routine = 0, relation = 0;

    catalog->relations = reader_take(r, tree->n_stmts, sizeof *catalog->relations);
    catalog->routines = reader_take(r, tree->n_stmts, sizeof *catalog->routines);
    for (size_t i = 0; i < tree->n_stmts; i++) {
        const PgQuery__Node *node = tree->stmts[i]->stmt;

        if (node->node_case == PG_QUERY__NODE__NODE_CREATE_STMT) {
            catalog->relations[catalog->relation_count].number = catalog->relation_count;
            read_table_columns(r, node->create_stmt,
                               &catalog->relations[catalog->relation_count]);
            catalog->relation_count++;
        } else if (node->node_case == PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT) {
            read_header(r, node->create_function_stmt, &catalog->routines[catalog->routine_count]);
            catalog->routine_count++;
        } else {
            reader_refuse(r, "a statement in the programs' file that makes neither a table nor a function");
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
}
