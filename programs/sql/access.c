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

static void survey_outputs(struct access_survey *s, const struct output *outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        survey_expression(s, outputs[i].value);
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

static void survey_assignments(struct access_survey *s, uint32_t table,
                               const struct assignment *assignments, uint32_t count)
{
    struct access *access = &s->tables[table];

    access->updates = true;
    for (uint32_t i = 0; i < count; i++) {
        access->columns_written[assignments[i].column] = true;
        survey_expression(s, assignments[i].value);
    }
}

static void write_all_columns(struct access_survey *s, uint32_t table)
{
    for (uint16_t i = 0; i < s->tree->schema.tables[table].column_count; i++)
        s->tables[table].columns_written[i] = true;
}

static void survey_insert(struct access_survey *s, const struct insert *insert)
{
    /* The row that is there, and the one proposed. */
    s->table_of[0] = s->table_of[1] = insert->target.table;
    s->tables[insert->target.table].inserts = true;
    write_all_columns(s, insert->target.table);
    for (uint32_t i = 0; i < insert->value_count; i++)
        survey_expression(s, insert->values[i]);
    if (insert->action == CONFLICT_UPDATE)
        survey_assignments(s, insert->target.table, insert->assignments, insert->assignment_count);
    survey_expression(s, insert->conflict_where);
    survey_outputs(s, insert->returning, insert->returning_count);
}

static void survey_update(struct access_survey *s, const struct update *update)
{
    s->table_of[0] = update->target.table;
    s->tables[update->target.table].reads = true;
    survey_assignments(s, update->target.table, update->assignments, update->assignment_count);
    survey_expression(s, update->where);
    survey_outputs(s, update->returning, update->returning_count);
}

static void survey_delete(struct access_survey *s, const struct delete *delete)
{
    struct access *access = &s->tables[delete->target.table];

    s->table_of[0] = delete->target.table;
    access->deletes = access->reads = true;
    write_all_columns(s, delete->target.table);
    survey_expression(s, delete->where);
    survey_outputs(s, delete->returning, delete->returning_count);
}

static void survey_query(struct access_survey *s, const struct query *query)
{
    switch (query->kind) {
    case QUERY_SELECT:
        survey_select(s, &query->as.select);
        break;
    case QUERY_INSERT:
        survey_insert(s, &query->as.insert);
        break;
    case QUERY_UPDATE:
        survey_update(s, &query->as.update);
        break;
    case QUERY_DELETE:
        survey_delete(s, &query->as.delete);
        break;
    }
}

/* --- Statements --------------------------------------------------------------------- */

static void survey_block(struct access_survey *s, const struct block *block);

static void survey_choice(struct access_survey *s, const struct action *action)
{
    for (uint32_t i = 0; i < action->as.choice.count; i++) {
        survey_plain(s, action->as.choice.arms[i].condition);
        survey_block(s, &action->as.choice.arms[i].body);
    }
}

static void survey_loop(struct access_survey *s, const struct action *action)
{
    switch (action->kind) {
    case ACTION_FOR_RANGE:
        survey_plain(s, action->as.range.low);
        survey_plain(s, action->as.range.high);
        survey_plain(s, action->as.range.step);
        survey_block(s, &action->as.range.body);
        break;
    case ACTION_FOR_QUERY:
        survey_query(s, action->as.rows.query);
        survey_block(s, &action->as.rows.body);
        break;
    default:
        survey_plain(s, action->as.loop.condition);
        survey_block(s, &action->as.loop.body);
        break;
    }
}

static void survey_action(struct access_survey *s, const struct action *action)
{
    switch (action->kind) {
    case ACTION_ASSIGN:
        survey_plain(s, action->as.assign.value);
        break;
    case ACTION_QUERY:
        survey_query(s, action->as.query.query);
        break;
    case ACTION_IF:
        survey_choice(s, action);
        break;
    case ACTION_LOOP:
    case ACTION_WHILE:
    case ACTION_FOR_RANGE:
    case ACTION_FOR_QUERY:
        survey_loop(s, action);
        break;
    case ACTION_EXIT:
    case ACTION_CONTINUE:
        survey_plain(s, action->as.leave.condition);
        break;
    case ACTION_RETURN:
        survey_plain(s, action->as.value);
        break;
    case ACTION_RETURN_ROWS:
        survey_query(s, action->as.returned);
        break;
    case ACTION_RAISE:
        for (uint32_t i = 0; i < action->as.raise.argument_count; i++)
            survey_plain(s, action->as.raise.arguments[i]);
        break;
    case ACTION_BLOCK:
        survey_block(s, &action->as.block);
        break;
    case ACTION_OPEN:
        survey_query(s, action->as.cursor.query);
        break;
    case ACTION_REQUIRE_CLOSED:
    case ACTION_FETCH:
    case ACTION_CLOSE:
        break;
    }
}

static void survey_block(struct access_survey *s, const struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        survey_action(s, &block->actions[i]);
}

static void survey_function(struct access_survey *s, const struct program_function *function)
{
    for (uint32_t i = 0; i < function->variable_count; i++)
        survey_plain(s, function->variables[i].initial);
    survey_block(s, &function->body);
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
