#include "programs/plpgsql/plpgsql_private.h"

#include <string.h>

#define DEPTH_MAX 100
#define CASE_NOT_FOUND "20000"

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static enum status read_condition(struct reader *r, const cJSON *expr,
                                  const struct expression **out)
{
    struct type boolean = type_of(TYPE_BOOLEAN);

    return read_expression(r, expr, &boolean, out);
}

/* --- Assignments, queries, RETURN ------------------------------------------------ */

static enum status read_assign(struct reader *r, const cJSON *json, struct action *action)
{
    struct named *named;
    struct type type;

    TRY(find_claimed(r, json_number(json, "varno"), &named));
    if (named->record)
        return refuse(r->a, -1, "assignment to a whole record is not supported");
    if (named->is_constant)
        return refuse(r->a, -1, "variable \"%.*s\" is declared CONSTANT", TEXT_PRINT(named->name));
    action->kind = ACTION_ASSIGN;
    action->as.assign.slot = named->slot;
    type = r->routine.variables.at[named->slot].type;
    return read_assigned(r, member(json, "expr"), type, &action->as.assign.value);
}

static enum status read_perform(struct reader *r, const cJSON *json, struct action *action)
{
    action->kind = ACTION_QUERY;
    return read_query(r, member(json, "expr"), &action->as.query.query);
}

static enum status read_sql(struct reader *r, const cJSON *json, struct action *action)
{
    const struct output *outputs;
    const struct query *query;

    action->kind = ACTION_QUERY;
    TRY(read_query(r, member(json, "sqlstmt"), &action->as.query.query));
    query = action->as.query.query;
    if (json_is(json, "into"))
        return read_into(r, member(json, "target"), query, json_is(json, "strict"),
                         &action->as.query.into);
    if (query_outputs(query, &outputs) > 0)
        return refuse(r->a, -1, "query has no destination for result data");
    return STATUS_OK;
}

static enum status read_return(struct reader *r, const cJSON *json, struct action *action)
{
    const struct type *result = &r->routine.function->result;
    const cJSON *expr = member(json, "expr");

    action->kind = ACTION_RETURN;
    if (result->kind == TYPE_VOID && expr)
        return refuse(r->a, -1, "RETURN cannot have a parameter in function returning void");
    if (result->kind != TYPE_VOID && !expr)
        return refuse(r->a, -1, "RETURN needs a value in function returning %s",
                      type_name(result->kind));
    return expr ? read_expression(r, expr, result, &action->as.value) : STATUS_OK;
}

/* --- IF and CASE --------------------------------------------------------------------- */

/* The arms of a choice, while they are read one by one. */
struct choice {
    struct shapes before, after; /* records before all of them; where those read so far end */
    bool has_after;
    struct arm *arms;
    uint32_t count;
};

static enum status choice_begin(struct reader *r, size_t arm_count, struct choice *choice)
{
    void *memory;

    *choice = (struct choice){ .count = 0 };
    TRY(keep(r->a, arm_count, sizeof *choice->arms, &memory));
    choice->arms = memory;
    return shapes_save(r, &choice->before);
}

/* Takes what the records are now for one of the ways through. */
static enum status choice_join(struct reader *r, struct choice *choice)
{
    if (choice->has_after)
        shapes_merge(r, &choice->after);
    choice->has_after = true;
    TRY(shapes_save(r, &choice->after));
    shapes_restore(r, &choice->before);
    return STATUS_OK;
}

static enum status choice_add(struct reader *r, struct choice *choice,
                              const struct expression *condition, const cJSON *statements)
{
    struct arm *arm = &choice->arms[choice->count++];

    arm->condition = condition;
    TRY(read_statements(r, statements, &arm->body));
    return choice_join(r, choice);
}

static enum status choice_end(struct reader *r, struct choice *choice, bool has_else,
                              struct action *action)
{
    if (!has_else)
        TRY(choice_join(r, choice)); /* the way past all arms */
    shapes_restore(r, &choice->after);
    action->kind = ACTION_IF;
    action->as.choice.arms = choice->arms;
    action->as.choice.count = choice->count;
    return STATUS_OK;
}

static enum status read_if(struct reader *r, const cJSON *json, struct action *action)
{
    const cJSON *elsifs = member(json, "elsif_list"), *item;
    const cJSON *otherwise = member(json, "else_body");
    const struct expression *condition;
    struct choice choice;

    TRY(choice_begin(r, (size_t)cJSON_GetArraySize(elsifs) + 2, &choice));
    TRY(read_condition(r, member(json, "cond"), &condition));
    TRY(choice_add(r, &choice, condition, member(json, "then_body")));
    cJSON_ArrayForEach(item, elsifs)
    {
        const cJSON *elsif = member(item, "PLpgSQL_if_elsif");

        read_line(r, elsif);
        TRY(read_condition(r, member(elsif, "cond"), &condition));
        TRY(choice_add(r, &choice, condition, member(elsif, "stmts")));
    }
    if (otherwise)
        TRY(choice_add(r, &choice, NULL, otherwise));
    return choice_end(r, &choice, otherwise != NULL, action);
}

static enum status read_whens(struct reader *r, const cJSON *json, struct action *action)
{
    const cJSON *whens = member(json, "case_when_list"), *item;
    const struct expression *condition;
    struct choice choice;
    struct action *raise;
    void *memory;

    TRY(choice_begin(r, (size_t)cJSON_GetArraySize(whens) + 1, &choice));
    cJSON_ArrayForEach(item, whens)
    {
        const cJSON *when = member(item, "PLpgSQL_case_when");

        read_line(r, when);
        TRY(read_condition(r, member(when, "expr"), &condition));
        TRY(choice_add(r, &choice, condition, member(when, "stmts")));
    }
    if (json_is(json, "have_else")) {
        TRY(choice_add(r, &choice, NULL, member(json, "else_stmts")));
        return choice_end(r, &choice, true, action);
    }
    TRY(keep(r->a, 1, sizeof *raise, &memory));
    raise = memory;
    raise->kind = ACTION_RAISE;
    raise->line = action->line;
    raise->as.raise.format = TEXT("case not found");
    memcpy(raise->as.raise.sqlstate, CASE_NOT_FOUND, sizeof CASE_NOT_FOUND);
    choice.arms[choice.count++].body = (struct block){ raise, 1 };
    return choice_end(r, &choice, true, action);
}

/* CASE x WHEN: libpg_query has a variable for x, and compares it in every WHEN. */
static enum status read_case(struct reader *r, const cJSON *json, struct action *action)
{
    const cJSON *operand = member(json, "t_expr");
    uint32_t number = json_number(json, "t_varno");
    struct names names = { .outer = r->routine.names };
    const struct expression *value;
    const char *name;
    struct action *actions;
    struct named *named;
    enum status status;
    void *memory;

    if (!operand)
        return read_whens(r, json, action);
    name = number < r->datum_count ? json_text(member(r->datums[number], "PLpgSQL_var"), "refname")
                                   : NULL;
    if (!name)
        return refuse(r->a, -1, "libpg_query does not say what CASE compares");
    TRY(read_expression(r, operand, NULL, &value));
    TRY(add_variable(r, &names, text_of(name), value->type, &named));
    r->claimed[number] = named;
    TRY(keep(r->a, 2, sizeof *actions, &memory));
    actions = memory;
    actions[0] = (struct action){ .kind = ACTION_ASSIGN, .line = action->line };
    actions[0].as.assign.slot = named->slot;
    actions[0].as.assign.value = value;
    actions[1].line = action->line;
    r->routine.names = &names;
    status = read_whens(r, json, &actions[1]);
    r->routine.names = names.outer;
    action->kind = ACTION_BLOCK;
    action->as.block = (struct block){ actions, 2 };
    return status;
}

/* --- Loops ------------------------------------------------------------------------------ */

/* A loop's body, with its label and its variable's name in sight. */
static enum status read_body(struct reader *r, const cJSON *json, struct names *names,
                             struct block *body)
{
    struct nest nest = { json_text(json, "label"), true, r->nest };
    enum status status;

    if (nest.label)
        names->label = text_of(nest.label);
    names->outer = r->routine.names;
    r->routine.names = names;
    r->nest = &nest;
    status = read_statements(r, member(json, "body"), body);
    r->nest = nest.outer;
    r->routine.names = names->outer;
    return status;
}

static enum status read_loop(struct reader *r, const cJSON *json, struct action *action)
{
    const cJSON *condition = member(json, "cond");
    struct names names = { 0 };

    action->kind = condition ? ACTION_WHILE : ACTION_LOOP;
    shapes_blur(r, member(json, "body"));
    if (condition)
        TRY(read_condition(r, condition, &action->as.loop.condition));
    TRY(read_body(r, json, &names, &action->as.loop.body));
    shapes_blur(r, member(json, "body"));
    return STATUS_OK;
}

static enum status read_for_range(struct reader *r, const cJSON *json, struct action *action)
{
    const char *name = json_text(member(member(json, "var"), "PLpgSQL_var"), "refname");
    const cJSON *step = member(json, "step");
    struct type integer = type_of(TYPE_INTEGER);
    struct names names = { 0 };

    if (!name)
        return refuse(r->a, -1, "libpg_query does not say what the loop counts with");
    action->kind = ACTION_FOR_RANGE;
    action->as.range.reverse = json_is(json, "reverse");
    TRY(read_expression(r, member(json, "lower"), &integer, &action->as.range.low));
    TRY(read_expression(r, member(json, "upper"), &integer, &action->as.range.high));
    if (step)
        TRY(read_expression(r, step, &integer, &action->as.range.step));
    TRY(claim_loop_variable(r, name, &names, &action->as.range.slot));
    shapes_blur(r, member(json, "body"));
    TRY(read_body(r, json, &names, &action->as.range.body));
    shapes_blur(r, member(json, "body"));
    return STATUS_OK;
}

/* The record of the loop itself has in its body, and behind it, what the query gives. */
static enum status read_for_query(struct reader *r, const cJSON *json, struct action *action)
{
    const cJSON *body = member(json, "body");
    struct names names = { 0 };
    struct shapes own;

    action->kind = ACTION_FOR_QUERY;
    TRY(read_query(r, member(json, "query"), &action->as.rows.query));
    shapes_blur(r, body);
    TRY(read_into(r, member(json, "var"), action->as.rows.query, false, &action->as.rows.into));
    TRY(shapes_save(r, &own));
    TRY(read_body(r, json, &names, &action->as.rows.body));
    shapes_restore(r, &own);
    shapes_blur(r, body);
    return STATUS_OK;
}

/* How many loops out the label's is; without a label, the innermost. */
static enum status read_leave(struct reader *r, const cJSON *json, struct action *action)
{
    const char *label = json_text(json, "label");
    const cJSON *condition = member(json, "cond");
    bool is_exit = json_is(json, "is_exit");

    action->kind = is_exit ? ACTION_EXIT : ACTION_CONTINUE;
    if (condition)
        TRY(read_condition(r, condition, &action->as.leave.condition));
    for (const struct nest *nest = r->nest; nest; nest = nest->outer) {
        bool is_meant = label ? nest->label && strcmp(nest->label, label) == 0 : nest->is_loop;

        if (is_meant && nest->is_loop)
            return STATUS_OK;
        if (is_meant)
            return refuse(r->a, -1, "%s of a block that is no loop is not supported",
                          is_exit ? "EXIT" : "CONTINUE");
        action->as.leave.depth += nest->is_loop;
    }
    return refuse(r->a, -1, "%s needs a loop around it", is_exit ? "EXIT" : "CONTINUE");
}

/* --- All kinds ----------------------------------------------------------------------------- */

static enum status read_inner_block(struct reader *r, const cJSON *json, struct action *action)
{
    action->kind = ACTION_BLOCK;
    return read_block(r, json, false, &action->as.block);
}

static const struct {
    const char *name;
    enum status (*read)(struct reader *, const cJSON *, struct action *);
} readers[] = {
    { "PLpgSQL_stmt_assign", read_assign },     { "PLpgSQL_stmt_execsql", read_sql },
    { "PLpgSQL_stmt_perform", read_perform },   { "PLpgSQL_stmt_if", read_if },
    { "PLpgSQL_stmt_case", read_case },         { "PLpgSQL_stmt_loop", read_loop },
    { "PLpgSQL_stmt_while", read_loop },        { "PLpgSQL_stmt_fori", read_for_range },
    { "PLpgSQL_stmt_fors", read_for_query },    { "PLpgSQL_stmt_exit", read_leave },
    { "PLpgSQL_stmt_return", read_return },     { "PLpgSQL_stmt_raise", read_raise },
    { "PLpgSQL_stmt_block", read_inner_block },
};

static const struct {
    const char *name, *construct;
} refused[] = {
    { "PLpgSQL_stmt_foreach_a", "FOREACH" },
    { "PLpgSQL_stmt_forc", "FOR over a cursor" },
    { "PLpgSQL_stmt_dynfors", "FOR ... IN EXECUTE" },
    { "PLpgSQL_stmt_dynexecute", "EXECUTE" },
    { "PLpgSQL_stmt_return_next", "RETURN NEXT" },
    { "PLpgSQL_stmt_return_query", "RETURN QUERY" },
    { "PLpgSQL_stmt_getdiag", "GET DIAGNOSTICS" },
    { "PLpgSQL_stmt_assert", "ASSERT" },
    { "PLpgSQL_stmt_call", "CALL" },
    { "PLpgSQL_stmt_commit", "COMMIT" },
    { "PLpgSQL_stmt_rollback", "ROLLBACK" },
    { "PLpgSQL_stmt_open", "OPEN" },
    { "PLpgSQL_stmt_fetch", "FETCH" },
    { "PLpgSQL_stmt_close", "CLOSE" },
};

static enum status read_statement(struct reader *r, const cJSON *item, struct action *action)
{
    const cJSON *json = item->child;
    const char *name = json ? json->string : "an empty statement";

    read_line(r, json);
    action->line = line_here(r);
    for (size_t i = 0; i < ROW_COUNT(readers); i++)
        if (strcmp(readers[i].name, name) == 0)
            return readers[i].read(r, json, action);
    for (size_t i = 0; i < ROW_COUNT(refused); i++)
        if (strcmp(refused[i].name, name) == 0)
            return refuse(r->a, -1, "%s is not supported", refused[i].construct);
    return refuse(r->a, -1, "%s is not supported", name);
}

/* The RETURN that libpg_query puts at every end has no line. */
static bool is_implied(const cJSON *item)
{
    const cJSON *json = member(item, "PLpgSQL_stmt_return");

    return json && json_number(json, "lineno") == 0;
}

enum status read_statements(struct reader *r, const cJSON *array, struct block *block)
{
    size_t room = (size_t)cJSON_GetArraySize(array);
    struct action *actions;
    const cJSON *item;
    void *memory;

    if (r->depth == DEPTH_MAX)
        return refuse(r->a, -1, "statements within more than %d statements are not supported",
                      DEPTH_MAX);
    r->depth++;
    TRY(keep(r->a, room, sizeof *actions, &memory));
    actions = memory;
    block->actions = actions;
    cJSON_ArrayForEach(item, array)
    {
        if (!is_implied(item))
            TRY(read_statement(r, item, &actions[block->count++]));
    }
    r->depth--;
    return STATUS_OK;
}

/* The block of a function, or one within: its variables, then its statements. */
enum status read_block(struct reader *r, const cJSON *json, bool is_outermost, struct block *block)
{
    struct names names = { .outer = r->routine.names };
    struct nest nest = { json_text(json, "label"), false, r->nest };
    uint32_t line = json_number(json, "lineno"), around = r->begin_line;
    uint32_t count, declared = count_declared(r, line);
    struct action *actions;
    struct block body = { 0 };
    void *memory;

    if (member(json, "exceptions"))
        return refuse(r->a, -1, "EXCEPTION is not supported");
    if (!is_outermost && line == r->begin_line && has_declared_on(r, line))
        return refuse(r->a, -1, "two blocks and DECLARE in one line are not supported");
    if (nest.label)
        names.label = text_of(nest.label);
    r->routine.names = &names;
    r->begin_line = line;
    TRY(keep(r->a, declared + 1, sizeof *actions, &memory));
    actions = memory;
    TRY(claim_declared(r, line, &names, is_outermost, actions, &count));
    read_line(r, json);
    r->nest = &nest;
    TRY(read_statements(r, member(json, "body"), &body));
    if (nest.label)
        shapes_blur(r, member(json, "body")); /* EXIT may have gone past an assignment */
    r->nest = nest.outer;
    r->routine.names = names.outer;
    r->begin_line = around;
    if (count == 0) {
        *block = body;
        return STATUS_OK;
    }
    actions[count] = (struct action){ .kind = ACTION_BLOCK, .line = line_here(r) };
    actions[count].as.block = body;
    *block = (struct block){ actions, count + 1 };
    return STATUS_OK;
}
