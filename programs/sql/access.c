#include "programs/sql/access.h"

/* One function's accesses to all tables, and the functions it calls. */
struct access_survey {
    const struct program_tree *tree;
    struct access *tables;
    bool *calls;
    uint32_t *table_of; /* by the number of a source in the statement; those of subqueries, too */
};

/* --- Columns -------------------------------------------------------------------- */

static void read_columns(struct access_survey *s, uint32_t table, const struct schema_columns *columns)
{
    s->tables[table].reads = true;
    for (uint16_t i = 0; i < columns->count; i++)
        s->tables[table].columns_read[columns->at[i]] = true;
}

static void survey_query(struct access_survey *s, const struct query *query);

static void survey_expression(struct access_survey *s, const struct expression *e)
{
    if (!e)
        return;
    if (e->kind == EXPRESSION_COLUMN) {
        struct access *access = &s->tables[s->table_of[e->as.column.source]];

        access->reads = true;
        access->columns_read[e->as.column.column] = true;
    }
    if (e->kind == EXPRESSION_CALL)
        s->calls[e->as.function] = true;
    if (e->kind == EXPRESSION_SUBQUERY)
        survey_query(s, e->as.subquery.query);
    for (uint32_t i = 0; i < e->argument_count; i++)
        survey_expression(s, e->arguments[i]);
}

/* --- Constraints ------------------------------------------------------------------ */

static bool writes_some(const struct access *access, const struct schema_columns *columns)
{
    for (uint16_t i = 0; i < columns->count; i++)
        if (access->columns_written[columns->at[i]])
            return true;
    return false;
}

/* Whether one of these rows has the same key. */
static void survey_uniques(struct access_survey *s, uint32_t table)
{
    const struct schema_table *schema = &s->tree->schema.tables[table];
    struct access *access = &s->tables[table];

    if (!access->inserts && !access->updates)
        return;
    if (access->inserts || writes_some(access, &schema->key))
        read_columns(s, table, &schema->key);
    for (uint16_t i = 0; i < schema->unique_count; i++)
        if (writes_some(access, &schema->uniques[i].columns))
            read_columns(s, table, &schema->uniques[i].columns);
}

/* Whether there is the row that is referred to, and whether a row that goes is referred to. */
static void survey_references(struct access_survey *s)
{
    for (uint32_t i = 0; i < s->tree->schema.reference_count; i++) {
        const struct schema_reference *reference = &s->tree->schema.references[i];
        const struct access *from = &s->tables[reference->from], *to = &s->tables[reference->to];

        if ((from->inserts || from->updates) && writes_some(from, &reference->columns))
            read_columns(s, reference->to, &reference->targets);
        if (to->deletes || (to->updates && writes_some(to, &reference->targets)))
            read_columns(s, reference->from, &reference->columns);
    }
}

/* --- Queries ---------------------------------------------------------------------- */

static void survey_plain(void *survey, const struct expression *e)
{
    survey_expression(survey, e);
}

static void survey_select(struct access_survey *s, const struct select *select)
{
    for (uint32_t i = 0; i < select->arm_count; i++)
        survey_select(s, select->arms[i].select);
    for (uint32_t i = 0; i < select->source_count; i++) {
        struct access *access = &s->tables[select->sources[i].table];

        s->table_of[select->first_source + i] = select->sources[i].table;
        access->reads = true;
        access->locks |= select->lock != ROW_LOCK_NONE;
    }
    if (select->arm_count == 0)
        tree_visit_select(select, survey_plain, s);
}

static void write_columns(struct access_survey *s, uint32_t table, const struct assignment *assignments,
                          uint32_t count)
{
    s->tables[table].updates = true;
    for (uint32_t i = 0; i < count; i++)
        s->tables[table].columns_written[assignments[i].column] = true;
}

static void write_all_columns(struct access_survey *s, uint32_t table)
{
    for (uint16_t i = 0; i < s->tree->schema.tables[table].column_count; i++)
        s->tables[table].columns_written[i] = true;
}

static void survey_write(struct access_survey *s, const struct query *query)
{
    const struct insert *insert = &query->as.insert;
    uint32_t table = query->kind == QUERY_INSERT   ? insert->target.table
                     : query->kind == QUERY_UPDATE ? query->as.update.target.table
                                                   : query->as.delete.target.table;
    struct access *access = &s->tables[table];

    /* Of an insert, the row that is there and the one proposed. */
    s->table_of[0] = s->table_of[1] = table;
    access->inserts |= query->kind == QUERY_INSERT;
    access->deletes |= query->kind == QUERY_DELETE;
    access->reads |= query->kind != QUERY_INSERT;
    if (query->kind == QUERY_UPDATE)
        write_columns(s, table, query->as.update.assignments, query->as.update.assignment_count);
    else
        write_all_columns(s, table);
    if (query->kind == QUERY_INSERT && insert->action == CONFLICT_UPDATE)
        write_columns(s, table, insert->assignments, insert->assignment_count);
    tree_visit_query(query, survey_plain, s);
}

static void survey_query(struct access_survey *s, const struct query *query)
{
    if (query->kind == QUERY_SELECT)
        survey_select(s, &query->as.select);
    else
        survey_write(s, query);
}

/* --- Statements --------------------------------------------------------------------- */

static void survey_action(void *survey, const struct action *action)
{
    const struct query *query = tree_query_of(action);

    tree_visit_action(action, survey_plain, survey);
    if (query)
        survey_query(survey, query);
}

static void survey_function(struct access_survey *s, const struct program_function *function)
{
    for (uint32_t i = 0; i < function->variable_count; i++)
        survey_plain(s, function->variables[i].initial);
    tree_visit_actions(&function->body, survey_action, s);
    for (uint32_t i = 0; i < s->tree->schema.table_count; i++)
        survey_uniques(s, i);
    survey_references(s);
}

/* --- All functions -------------------------------------------------------------------- */

static enum status make_room(struct access_survey *s, struct arena *arena, struct error *err)
{
    const struct schema *schema = &s->tree->schema;

    s->tables = arena_push(arena, schema->table_count, sizeof *s->tables);
    s->calls = arena_push(arena, s->tree->function_count, sizeof *s->calls);
    for (uint32_t i = 0; s->tables && i < schema->table_count; i++) {
        uint16_t count = schema->tables[i].column_count;

        s->tables[i].columns_read = arena_push(arena, count, sizeof(bool));
        s->tables[i].columns_written = arena_push(arena, count, sizeof(bool));
        if (!s->tables[i].columns_read || !s->tables[i].columns_written)
            return error_set(err, STATUS_OVER_LIMIT, "no memory");
    }
    if (!s->tables || !s->calls)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    return STATUS_OK;
}

/* Whether anything is new. */
static bool add_flag(bool *to, bool from)
{
    bool is_new = from && !*to;

    *to |= from;
    return is_new;
}

static bool add_access(struct access *to, const struct access *from, uint16_t column_count)
{
    bool is_new = add_flag(&to->reads, from->reads);

    is_new |= add_flag(&to->inserts, from->inserts);
    is_new |= add_flag(&to->updates, from->updates);
    is_new |= add_flag(&to->deletes, from->deletes);
    is_new |= add_flag(&to->locks, from->locks);
    for (uint16_t i = 0; i < column_count; i++) {
        is_new |= add_flag(&to->columns_read[i], from->columns_read[i]);
        is_new |= add_flag(&to->columns_written[i], from->columns_written[i]);
    }
    return is_new;
}

/* Functions may call each other in circles, so this goes round until nothing is new. */
static void add_calls(struct access_survey *surveys, const struct program_tree *tree)
{
    bool is_new = true;

    while (is_new) {
        is_new = false;
        for (uint32_t f = 0; f < tree->function_count; f++)
            for (uint32_t g = 0; g < tree->function_count; g++)
                for (uint32_t t = 0; surveys[f].calls[g] && t < tree->schema.table_count; t++)
                    is_new |= add_access(&surveys[f].tables[t], &surveys[g].tables[t],
                                         tree->schema.tables[t].column_count);
    }
}

enum status access_find(const struct program_tree *tree, struct arena *arena,
                        const struct access **accesses, struct error *err)
{
    struct access_survey *surveys = arena_push(arena, tree->function_count, sizeof *surveys);
    uint32_t *table_of = arena_push(arena, UINT16_MAX + 1, sizeof *table_of);
    struct access *all =
        arena_push(arena, (size_t)tree->function_count * tree->schema.table_count, sizeof *all);

    if (!surveys || !all || !table_of)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    for (uint32_t f = 0; f < tree->function_count; f++) {
        surveys[f].tree = tree;
        surveys[f].table_of = table_of;
        TRY(make_room(&surveys[f], arena, err));
        survey_function(&surveys[f], &tree->functions[f]);
    }
    add_calls(surveys, tree);
    for (uint32_t f = 0; f < tree->function_count; f++)
        for (uint32_t t = 0; t < tree->schema.table_count; t++)
            all[(size_t)f * tree->schema.table_count + t] = surveys[f].tables[t];
    *accesses = all;
    return STATUS_OK;
}
