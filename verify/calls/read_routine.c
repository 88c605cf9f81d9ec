#include "verify/calls/read_cursor_private.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"

#define LEVEL_OF_EXCEPTION 21

/* A body under reading. Its datums are variables, in the order of the text. */
struct body_reader {
    struct reader *r;
    struct routine *routine;
    const cJSON **datums; /* slot = number of the datum */
    bool *is_claimed;
    struct reader_name **of_slot;
    uint32_t datum_count, next;
    uint32_t slot_count; /* with those of arguments of cursors, behind the datums */
    struct cursor_uses cursors;
    const char *label; /* of the block that is read */
    uint32_t first_line, line; /* of the body in the file, from 0; of the step that is read */
};

static void read_list(struct body_reader *, const cJSON *array, struct step_list *);

/* --- JSON ---------------------------------------------------------------------------------- */

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *get_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(get(object, name));
}

/* What outlives the JSON. */
static const char *keep_label(struct body_reader *b, const cJSON *json)
{
    const char *label = get_text(json, "label");

    return label ? reader_keep(b->r, text_of(label)).at : NULL;
}

static int get_number(const cJSON *object, const char *name)
{
    const cJSON *item = get(object, name);

    return cJSON_IsNumber(item) ? item->valueint : 0;
}

static const char *query_of(struct body_reader *b, const cJSON *object)
{
    const char *text = get_text(get(object, "PLpgSQL_expr"), "query");

    if (!text)
        reader_refuse(b->r, "an expression that the parser does not show");
    return text;
}

/* --- Expressions and queries ----------------------------------------------------------------- */

static struct formula *read_value(struct body_reader *b, const char *text, struct item_type type,
                                  bool *counts)
{
    struct reader *r = b->r;
    struct buffer sql = { 0 };
    const PgQuery__SelectStmt *stmt;
    const PgQuery__Node *node;
    struct formula *formula;

    buffer_text(&sql, TEXT("SELECT "));
    buffer_text(&sql, text_of(text));
    node = reader_parse(r, reader_keep_buffer(r, &sql));
    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        reader_refuse(r, "an expression that is none");
    stmt = node->select_stmt;
    if (stmt->n_from_clause > 0 || stmt->where_clause || stmt->n_target_list != 1 ||
        stmt->n_group_clause > 0 || stmt->having_clause || stmt->limit_count || stmt->limit_offset ||
        stmt->n_sort_clause > 0 || stmt->op > PG_QUERY__SET_OPERATION__SETOP_NONE)
        reader_refuse(r, "a query as an expression");
    r->saw_subquery_table = false;
    formula = read_formula(r, NULL, stmt->target_list[0]->res_target->val);
    if (counts)
        *counts = r->saw_subquery_table;
    if (type.kind == KIND_UNKNOWN)
        return read_settled(r, formula);
    return read_as(r, formula, type, CAST_IS_ASSIGNMENT);
}

static struct formula *read_condition(struct body_reader *b, const cJSON *object, bool *counts)
{
    return read_value(b, query_of(b, object), (struct item_type){ .kind = KIND_BOOLEAN }, counts);
}

static const struct statement *read_sql(struct body_reader *b, const cJSON *object)
{
    struct text sql = reader_keep(b->r, text_of(query_of(b, object)));

    return read_statement(b->r, reader_parse(b->r, sql));
}

/* --- Variables ---------------------------------------------------------------------------------- */

static struct reader_name *add_name(struct body_reader *b, uint32_t slot, struct text name,
                                    struct item_type type)
{
    struct reader_name *added = reader_take(b->r, 1, sizeof *added);

    *added = (struct reader_name){ .name = reader_keep(b->r, name),
                                   .label = b->label,
                                   .slot = slot,
                                   .is_record = type.kind == KIND_RECORD,
                                   .next = b->r->names };
    b->routine->variables[slot].type = type;
    b->r->names = added;
    b->of_slot[slot] = added;
    b->is_claimed[slot] = true;
    return added;
}

static const cJSON *variable_of(const struct body_reader *b, uint32_t slot)
{
    const cJSON *variable = get(b->datums[slot], "PLpgSQL_var");

    return variable ? variable : get(b->datums[slot], "PLpgSQL_rec");
}

/* As it was written, or NULL where the parser has made the variable. */
static const char *type_of_variable(const cJSON *variable)
{
    const char *name = get_text(get(get(variable, "datatype"), "PLpgSQL_type"), "typname");

    if (variable && !get(variable, "datatype"))
        return "record";
    return name && (strcmp(name, "UNKNOWN") == 0 || strncmp(name, "pg_catalog.\"", 12) == 0) ? NULL
                                                                                              : name;
}

static struct item_type copied_type(struct body_reader *b, struct text of)
{
    const char *point = memchr(of.at, '.', of.length);
    const struct relation *relation;

    if (!point) {
        for (const struct reader_name *n = b->r->names; n; n = n->next)
            if (text_equal(n->name, of))
                return b->routine->variables[n->slot].type;
        reader_refuse(b->r, "%TYPE of such a variable");
    }
    relation = catalog_find_relation(b->r->catalog, (struct text){ of.at, (size_t)(point - of.at) });
    for (uint32_t i = 0; relation && i < relation->column_count; i++)
        if (text_equal(relation->columns[i].name,
                       (struct text){ point + 1, (size_t)(of.at + of.length - point - 1) }))
            return relation->columns[i].type;
    reader_refuse(b->r, "%TYPE of such a column");
}

static struct item_type read_type_text(struct body_reader *b, const char *written)
{
    struct text text = text_of(written);
    struct buffer sql = { 0 };
    const PgQuery__Node *node;
    struct text kept;

    while (text.length > 0 && strchr(" \t\r\n", text.at[text.length - 1]))
        text.length--;
    if (text.length > 5 && strncasecmp(text.at + text.length - 5, "%type", 5) == 0)
        return copied_type(b, (struct text){ text.at, text.length - 5 });
    buffer_text(&sql, TEXT("SELECT NULL::"));
    buffer_text(&sql, text);
    kept = reader_keep_buffer(b->r, &sql);
    if (memchr(text.at, '%', text.length))
        reader_refuse(b->r, "%ROWTYPE");
    node = reader_parse(b->r, kept)->select_stmt->target_list[0]->res_target->val;
    return reader_type(b->r, node->type_cast->type_name);
}

static struct step *add_step(struct body_reader *b, struct step **last, struct step_list *list,
                             enum step_kind kind)
{
    struct step *step = reader_take(b->r, 1, sizeof *step);

    step->kind = kind;
    step->line = b->line;
    if (*last)
        (*last)->next = step;
    else
        list->first = step;
    *last = step;
    return step;
}

/* The query of a cursor, with the variables that are its arguments. */
static struct reader_cursor *read_cursor_declared(struct body_reader *b, const struct cursor_use *use)
{
    struct reader_cursor *cursor = reader_take(b->r, 1, sizeof *cursor);
    struct reader_name *names = b->r->names;
    uint32_t *slots;

    if (!use)
        return cursor;
    slots = reader_take(b->r, use->argument_count, sizeof *slots);
    for (uint32_t i = 0; i < use->argument_count; i++) {
        struct text argument = use->arguments[i];
        size_t length = strcspn(argument.at, " \t\r\n");

        if (length == argument.length || *argument.at == '"')
            reader_refuse(b->r, "such an argument of a cursor");
        for (size_t k = 0; k < length; k++)
            if (argument.at[k] >= 'A' && argument.at[k] <= 'Z')
                ((char *)argument.at)[k] = (char)(argument.at[k] - 'A' + 'a');
        slots[i] = b->slot_count++;
        add_name(b, slots[i], (struct text){ argument.at, length }, read_type_text(b, argument.at + length));
    }
    *cursor = (struct reader_cursor){ .is_bound = true,
                                      .statement = read_statement(b->r, reader_parse(b->r, use->sql)),
                                      .slots = slots,
                                      .argument_count = use->argument_count };
    b->r->names = names;
    if (cursor->statement->kind != STATEMENT_SELECT)
        reader_refuse(b->r, "a cursor of such a query");
    return cursor;
}

static bool is_cursor_type(const char *written)
{
    return strncasecmp(written, "refcursor", 9) == 0 && written[9 + strspn(written + 9, " \t\r\n")] == '\0';
}

static void claim_cursor(struct body_reader *b, const cJSON *variable, uint32_t slot)
{
    static const struct item_type bigint = { .kind = KIND_BIGINT };
    const cJSON *initial = get(variable, "default_val");
    const struct cursor_use *use = initial ? read_cursor_use(&b->cursors, query_of(b, initial)) : NULL;
    struct reader_cursor *cursor;

    if ((initial && !use) || cJSON_IsTrue(get(variable, "notnull")) || cJSON_IsTrue(get(variable, "isconst")))
        reader_refuse(b->r, "such a refcursor");
    cursor = read_cursor_declared(b, use);
    add_name(b, slot, text_of(get_text(variable, "refname")), bigint)->cursor = cursor;
}

/* Whatever is declared before the BEGIN on this line and belongs to nobody yet. */
static void claim_declared(struct body_reader *b, int begin_line, struct step **last,
                           struct step_list *list)
{
    for (; b->next < b->datum_count; b->next++) {
        const cJSON *variable = variable_of(b, b->next), *initial;
        const char *written = type_of_variable(variable);
        struct item_type type;
        struct formula *value = NULL;
        struct step *step;
        bool counts = false;

        if (!variable || b->is_claimed[b->next])
            continue;
        if (!written || get_number(variable, "lineno") > begin_line)
            return;
        b->line = b->first_line + (uint32_t)get_number(variable, "lineno");
        if (is_cursor_type(written)) {
            claim_cursor(b, variable, b->next);
            add_step(b, last, list, STEP_ASSIGN)->slot = b->next;
            continue;
        }
        type = read_type_text(b, written);
        initial = get(variable, "default_val");
        if (initial)
            value = read_value(b, query_of(b, initial), type, &counts);
        add_name(b, b->next, text_of(get_text(variable, "refname")), type);
        b->routine->variables[b->next].not_null = cJSON_IsTrue(get(variable, "notnull"));
        if (type.kind == KIND_RECORD)
            continue;
        step = add_step(b, last, list, STEP_ASSIGN);
        step->slot = b->next;
        step->value = value; /* NULL: null */
        step->counts = counts;
    }
}

/* The variable that a loop or a CASE has made for itself. */
static uint32_t claim_made(struct body_reader *b, const char *name, struct item_type type)
{
    for (uint32_t i = b->next; i < b->datum_count; i++) {
        const cJSON *variable = variable_of(b, i);

        if (!variable || b->is_claimed[i] || type_of_variable(variable))
            continue;
        if (!get_text(variable, "refname") || strcmp(get_text(variable, "refname"), name) != 0)
            continue;
        add_name(b, i, text_of(name), type);
        return i;
    }
    trap_unknown(b->r->trap, "where the variable %s comes from", name);
}

/* Where rows go; from here on the text, a record has the fields of what it is given. */
static const struct target *read_target(struct body_reader *b, const cJSON *json,
                                        const struct shape *shape)
{
    const cJSON *record = get(json, "PLpgSQL_rec"), *fields = get(get(json, "PLpgSQL_row"), "fields");
    uint32_t count = record ? 1 : (uint32_t)cJSON_GetArraySize(fields), i = 0;
    struct target *target = reader_take(b->r, 1, sizeof *target);
    uint32_t *slots = reader_take(b->r, count, sizeof *slots);
    const cJSON *field;

    if (record)
        slots[0] = (uint32_t)get_number(record, "dno");
    else if (fields)
        cJSON_ArrayForEach(field, fields)
        {
            slots[i++] = (uint32_t)get_number(field, "varno");
        }
    for (i = 0; i < count; i++)
        if (slots[i] >= b->datum_count || !b->of_slot[slots[i]])
            reader_refuse(b->r, "rows into such a variable");
    if (count == 0 || !shape)
        reader_refuse(b->r, "rows into nothing");
    *target = (struct target){ .count = count, .slots = slots, .shape = shape };
    target->is_record = count == 1 && b->of_slot[slots[0]]->is_record;
    if (target->is_record)
        b->of_slot[slots[0]]->shape = shape;
    else if (count != shape->count)
        reader_refuse(b->r, "rows into another number of variables");
    return target;
}

/* --- Statements -------------------------------------------------------------------------------------- */

static void read_assign(struct body_reader *b, const cJSON *json, struct step *step)
{
    uint32_t slot = (uint32_t)get_number(json, "varno");
    const char *text = query_of(b, get(json, "expr")), *mark = strpbrk(text, "=[");

    if (slot >= b->datum_count || !b->of_slot[slot] || b->of_slot[slot]->is_record || !mark ||
        *mark == '[')
        reader_refuse(b->r, "such an assignment");
    step->kind = STEP_ASSIGN;
    step->slot = slot;
    step->value = read_value(b, mark + 1, b->routine->variables[slot].type, &step->counts);
}

static struct reader_name *find_cursor(struct body_reader *b, struct text name)
{
    struct reader_name *n = b->r->names;

    while (n && !text_equal(n->name, name))
        n = n->next;
    if (!n || !n->cursor || n->cursor->is_looping)
        reader_refuse(b->r, "such a cursor");
    return n;
}

static struct step *add_cursor_step(struct body_reader *b, struct step **last, struct step *block,
                                    enum step_kind kind, const struct reader_name *name)
{
    struct step *step = add_step(b, last, &block->body, kind);

    step->slot = name->slot;
    step->cursor = name->cursor->is_bound ? name->name : (struct text){ NULL, 0 };
    return step;
}

/* What comes before the query of OPEN, or of a loop over a cursor; then a step of that kind. */
static struct step *begin_opening(struct body_reader *b, const struct cursor_use *use, const struct reader_name *name,
                                  struct step *block, enum step_kind kind)
{
    struct step *last = NULL, *opened;

    if (use->argument_count != name->cursor->argument_count)
        reader_refuse(b->r, "a cursor with another number of arguments");
    block->kind = STEP_BLOCK;
    add_cursor_step(b, &last, block, STEP_REQUIRE_CLOSED, name);
    for (uint32_t i = 0; i < use->argument_count; i++) {
        struct step *assign = add_step(b, &last, &block->body, STEP_ASSIGN);

        assign->slot = name->cursor->slots[i];
        assign->value =
            read_value(b, use->arguments[i].at, b->routine->variables[assign->slot].type, &assign->counts);
    }
    /* They are a SELECT, to PostgreSQL. */
    if (use->argument_count > 0) {
        struct step *found = add_step(b, &last, &block->body, STEP_ASSIGN);

        found->slot = b->routine->found;
        found->value = read_value(b, "true", (struct item_type){ .kind = KIND_BOOLEAN }, &found->counts);
    }
    opened = add_cursor_step(b, &last, block, kind, name);
    opened->statement = name->cursor->statement;
    return opened;
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++)
        if (!text_equal(a->names[i], b->names[i]) || memcmp(&a->types[i], &b->types[i], sizeof *a->types) != 0)
            return false;
    return a->count == b->count;
}

static void read_open(struct body_reader *b, const struct cursor_use *use, struct step *step)
{
    const struct reader_name *name = find_cursor(b, use->name);
    struct reader_cursor *cursor = name->cursor;
    struct step *open = begin_opening(b, use, name, step, STEP_OPEN);

    if ((use->sql.at != NULL) == cursor->is_bound)
        reader_refuse(b->r, "such an OPEN");
    if (cursor->is_bound)
        return;
    open->statement = read_statement(b->r, reader_parse(b->r, use->sql));
    if (open->statement->kind != STATEMENT_SELECT ||
        (cursor->statement && !same_shape(cursor->statement->shape, open->statement->shape)))
        reader_refuse(b->r, "a refcursor for such a query");
    cursor->statement = open->statement;
}

static void read_fetch(struct body_reader *b, const struct cursor_use *use, const cJSON *json, struct step *step)
{
    const struct reader_name *name = find_cursor(b, use->name);
    struct step *last = NULL, *fetch;

    if (use->kind != CURSOR_USE_FETCH || !name->cursor->statement || !cJSON_IsTrue(get(json, "into")))
        reader_refuse(b->r, "such a FETCH");
    step->kind = STEP_BLOCK;
    fetch = add_cursor_step(b, &last, step, STEP_FETCH, name);
    fetch->into = read_target(b, get(json, "target"), name->cursor->statement->shape);
}

/* FOR over a cursor: it has a record of its own. */
static void read_for_cursor(struct body_reader *b, const cJSON *json, const struct cursor_use *use, struct step *step)
{
    static const struct item_type record = { .kind = KIND_RECORD };
    const char *variable = get_text(get(get(json, "var"), "PLpgSQL_var"), "refname"), *around = b->label;
    struct reader_name *names = b->r->names;
    const struct reader_name *name = find_cursor(b, use->name);
    struct target *target = reader_take(b->r, 1, sizeof *target);
    uint32_t *slot = reader_take(b->r, 1, sizeof *slot);
    struct step *loop;

    if (use->kind != CURSOR_USE_LOOP || !name->cursor->is_bound || !variable)
        reader_refuse(b->r, "such a loop over a cursor");
    loop = begin_opening(b, use, name, step, STEP_FOR_ROWS);
    loop->label = b->label = keep_label(b, json);
    *slot = claim_made(b, variable, record);
    b->of_slot[*slot]->shape = loop->statement->shape;
    *target = (struct target){ .is_record = true, .count = 1, .slots = slot, .shape = loop->statement->shape };
    loop->into = target;
    name->cursor->is_looping = true;
    read_list(b, get(json, "body"), &loop->body);
    name->cursor->is_looping = false;
    b->label = around;
    b->r->names = names;
}

static void read_execute(struct body_reader *b, const cJSON *json, struct step *step)
{
    const struct cursor_use *use = read_cursor_use(&b->cursors, query_of(b, get(json, "sqlstmt")));

    if (use) {
        read_fetch(b, use, json, step);
        return;
    }
    step->kind = STEP_STATEMENT;
    step->statement = read_sql(b, get(json, "sqlstmt"));
    step->strict = cJSON_IsTrue(get(json, "strict"));
    if (cJSON_IsTrue(get(json, "into")))
        step->into = read_target(b, get(json, "target"), step->statement->shape);
    else if (step->statement->shape)
        reader_refuse(b->r, "a query whose rows go nowhere");
}

static void read_perform(struct body_reader *b, const cJSON *json, struct step *step)
{
    const struct cursor_use *use = read_cursor_use(&b->cursors, query_of(b, get(json, "expr")));
    struct step *last = NULL;

    if (use && use->kind == CURSOR_USE_OPEN) {
        read_open(b, use, step);
        return;
    }
    if (use) {
        step->kind = STEP_BLOCK;
        add_cursor_step(b, &last, step, STEP_CLOSE, find_cursor(b, use->name));
        return;
    }
    step->kind = STEP_STATEMENT;
    step->statement = read_sql(b, get(json, "expr"));
}

static struct arm_of_if *add_arm(struct body_reader *b, struct step *step, struct arm_of_if *last)
{
    struct arm_of_if *arm = reader_take(b->r, 1, sizeof *arm);

    if (last)
        last->next = arm;
    else
        step->arms = arm;
    return arm;
}

static void read_if(struct body_reader *b, const cJSON *json, struct step *step)
{
    struct arm_of_if *arm = add_arm(b, step, NULL);
    const cJSON *item;
    bool counts, any = false;

    step->kind = STEP_IF;
    arm->condition = read_condition(b, get(json, "cond"), &counts);
    any |= counts;
    read_list(b, get(json, "then_body"), &arm->body);
    cJSON_ArrayForEach(item, get(json, "elsif_list"))
    {
        const cJSON *elsif = get(item, "PLpgSQL_if_elsif");

        arm = add_arm(b, step, arm);
        arm->condition = read_condition(b, get(elsif, "cond"), &counts);
        any |= counts;
        read_list(b, get(elsif, "stmts"), &arm->body);
    }
    if (get(json, "else_body"))
        read_list(b, get(json, "else_body"), &add_arm(b, step, arm)->body);
    step->counts = any;
}

static void read_case(struct body_reader *b, const cJSON *json, struct step *step)
{
    const cJSON *operand = get(json, "t_expr"), *item;
    struct step *assign = NULL, *choice = step, *raise, *none = NULL;
    struct reader_name *names = b->r->names;
    struct arm_of_if *arm = NULL;
    struct step_list body = { 0 };
    bool counts;

    if (operand) {
        uint32_t slot = (uint32_t)get_number(json, "t_varno");
        struct formula *value;

        value = read_value(b, query_of(b, operand), (struct item_type){ .kind = KIND_UNKNOWN },
                           &counts);
        if (slot >= b->datum_count || counts)
            reader_refuse(b->r, "such a CASE");
        add_name(b, slot, text_of(get_text(variable_of(b, slot), "refname")), value->type);
        step->kind = STEP_BLOCK;
        add_step(b, &assign, &step->body, STEP_ASSIGN);
        assign->slot = slot;
        assign->value = value;
        choice = add_step(b, &assign, &step->body, STEP_IF);
    }
    choice->kind = STEP_IF;
    cJSON_ArrayForEach(item, get(json, "case_when_list"))
    {
        const cJSON *when = get(item, "PLpgSQL_case_when");

        arm = add_arm(b, choice, arm);
        arm->condition = read_condition(b, get(when, "expr"), &counts);
        choice->counts |= counts;
        read_list(b, get(when, "stmts"), &arm->body);
    }
    arm = add_arm(b, choice, arm);
    if (cJSON_IsTrue(get(json, "have_else"))) {
        read_list(b, get(json, "else_stmts"), &arm->body);
    } else {
        raise = add_step(b, &none, &body, STEP_RAISE);
        memcpy(raise->sqlstate, "20000", 6);
        arm->body = body;
    }
    b->r->names = names;
}

static void read_loop(struct body_reader *b, const cJSON *json, struct step *step)
{
    step->kind = STEP_LOOP;
    step->label = keep_label(b, json);
    if (get(json, "cond"))
        step->value = read_condition(b, get(json, "cond"), &step->counts);
    read_list(b, get(json, "body"), &step->body);
}

static void read_for_range(struct body_reader *b, const cJSON *json, struct step *step)
{
    static const struct item_type integer = { .kind = KIND_INTEGER };
    const char *name = get_text(get(get(json, "var"), "PLpgSQL_var"), "refname");
    struct reader_name *names = b->r->names;
    const char *around = b->label;
    const struct cursor_use *use = read_cursor_use(&b->cursors, query_of(b, get(json, "lower")));
    bool counts[3] = { false, false, false };

    if (use) {
        read_for_cursor(b, json, use, step);
        return;
    }
    step->kind = STEP_FOR_RANGE;
    step->label = keep_label(b, json);
    step->reverse = cJSON_IsTrue(get(json, "reverse"));
    step->value = read_value(b, query_of(b, get(json, "lower")), integer, &counts[0]);
    step->high = read_value(b, query_of(b, get(json, "upper")), integer, &counts[1]);
    if (get(json, "step"))
        step->by = read_value(b, query_of(b, get(json, "step")), integer, &counts[2]);
    if (!name || counts[0] || counts[1] || counts[2])
        reader_refuse(b->r, "such a FOR loop");
    b->label = step->label;
    step->slot = claim_made(b, name, integer);
    read_list(b, get(json, "body"), &step->body);
    b->label = around;
    b->r->names = names;
}

static void read_for_rows(struct body_reader *b, const cJSON *json, struct step *step)
{
    step->kind = STEP_FOR_ROWS;
    step->label = keep_label(b, json);
    step->statement = read_sql(b, get(json, "query"));
    step->into = read_target(b, get(json, "var"), step->statement->shape);
    read_list(b, get(json, "body"), &step->body);
}

static void read_leave(struct body_reader *b, const cJSON *json, struct step *step)
{
    step->kind = cJSON_IsTrue(get(json, "is_exit")) ? STEP_EXIT : STEP_CONTINUE;
    step->label = keep_label(b, json);
    if (get(json, "cond"))
        step->value = read_condition(b, get(json, "cond"), &step->counts);
}

static void read_return(struct body_reader *b, const cJSON *json, struct step *step)
{
    step->kind = STEP_RETURN;
    if (get(json, "expr"))
        step->value = read_value(b, query_of(b, get(json, "expr")), b->routine->result, &step->counts);
}

static const char *sqlstate_of(struct body_reader *b, const char *condition)
{
    static const char *const names[][2] = {
        { "assert_failure", "P0004" },          { "case_not_found", "20000" },
        { "check_violation", "23514" },         { "data_exception", "22000" },
        { "deadlock_detected", "40P01" },       { "division_by_zero", "22012" },
        { "exclusion_violation", "23P01" },     { "feature_not_supported", "0A000" },
        { "foreign_key_violation", "23503" },   { "insufficient_privilege", "42501" },
        { "integrity_constraint_violation", "23000" }, { "invalid_parameter_value", "22023" },
        { "invalid_text_representation", "22P02" }, { "no_data_found", "P0002" },
        { "not_null_violation", "23502" },      { "null_value_not_allowed", "22004" },
        { "numeric_value_out_of_range", "22003" }, { "object_not_in_prerequisite_state", "55000" },
        { "query_canceled", "57014" },          { "raise_exception", "P0001" },
        { "serialization_failure", "40001" },   { "string_data_right_truncation", "22001" },
        { "too_many_rows", "P0003" },           { "transaction_rollback", "40000" },
        { "unique_violation", "23505" },
    };

    if (strlen(condition) == 5 &&
        strspn(condition, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5)
        return condition;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], condition) == 0)
            return names[i][1];
    trap_unknown(b->r->trap, "the condition %s", condition);
}

static void read_raise(struct body_reader *b, const cJSON *json, struct step *step)
{
    static const struct item_type any = { .kind = KIND_UNKNOWN };
    const cJSON *params = get(json, "params"), *options = get(json, "options"), *item;
    uint32_t room = (uint32_t)(cJSON_GetArraySize(params) + cJSON_GetArraySize(options));
    const struct formula **details = reader_take(b->r, room, sizeof *details);
    const char *condition = get_text(json, "condname");
    bool counts = false;

    if (get_number(json, "elog_level") != LEVEL_OF_EXCEPTION)
        reader_refuse(b->r, "RAISE of anything but EXCEPTION");
    step->kind = STEP_RAISE;
    step->details = details;
    memcpy(step->sqlstate, condition ? sqlstate_of(b, condition) : "P0001", 6);
    cJSON_ArrayForEach(item, params)
    {
        details[step->detail_count++] = read_value(b, query_of(b, item), any, &counts);
    }
    cJSON_ArrayForEach(item, options)
    {
        const cJSON *option = get(item, "PLpgSQL_raise_option");
        struct formula *value = read_value(b, query_of(b, get(option, "expr")), any, &counts);
        struct text text;

        if (get_number(option, "opt_type") != 0) {
            details[step->detail_count++] = value;
            continue;
        }
        if (value->kind != FORMULA_CONSTANT || value->as.constant.kind != ITEM_TEXT)
            reader_refuse(b->r, "an ERRCODE that is computed");
        text = reader_keep(b->r, item_text_of(&value->as.constant));
        memcpy(step->sqlstate, sqlstate_of(b, text.at), 6);
    }
    if (counts)
        reader_refuse(b->r, "RAISE with a subquery");
}

static void read_block(struct body_reader *b, const cJSON *json, struct step *step)
{
    struct reader_name *names = b->r->names;
    struct step *last = NULL, *body;
    const char *around = b->label;

    if (get(json, "exceptions"))
        reader_refuse(b->r, "EXCEPTION");
    step->kind = STEP_BLOCK;
    step->label = keep_label(b, json);
    b->label = step->label;
    claim_declared(b, get_number(json, "lineno"), &last, &step->body);
    body = add_step(b, &last, &step->body, STEP_BLOCK);
    read_list(b, get(json, "body"), &body->body);
    b->label = around;
    b->r->names = names;
}

static const struct {
    const char *name;
    void (*read)(struct body_reader *, const cJSON *, struct step *);
} step_readers[] = {
    { "PLpgSQL_stmt_assign", read_assign },   { "PLpgSQL_stmt_execsql", read_execute },
    { "PLpgSQL_stmt_perform", read_perform }, { "PLpgSQL_stmt_if", read_if },
    { "PLpgSQL_stmt_case", read_case },       { "PLpgSQL_stmt_loop", read_loop },
    { "PLpgSQL_stmt_while", read_loop },      { "PLpgSQL_stmt_fori", read_for_range },
    { "PLpgSQL_stmt_fors", read_for_rows },   { "PLpgSQL_stmt_exit", read_leave },
    { "PLpgSQL_stmt_return", read_return },   { "PLpgSQL_stmt_raise", read_raise },
    { "PLpgSQL_stmt_block", read_block },
};

static void read_list(struct body_reader *b, const cJSON *array, struct step_list *list)
{
    struct step *last = NULL;
    const cJSON *item;

    cJSON_ArrayForEach(item, array)
    {
        const cJSON *json = item->child;
        const char *name = json ? json->string : "nothing";
        size_t i = 0;

        /* The RETURN that the parser puts at the end of each function has no line. */
        if (strcmp(name, "PLpgSQL_stmt_return") == 0 && get_number(json, "lineno") == 0)
            continue;
        while (i < sizeof step_readers / sizeof *step_readers &&
               strcmp(step_readers[i].name, name) != 0)
            i++;
        if (i == sizeof step_readers / sizeof *step_readers)
            trap_unknown(b->r->trap, "the statement %s", name);
        b->line = b->first_line + (uint32_t)get_number(json, "lineno");
        step_readers[i].read(b, json, add_step(b, &last, list, STEP_BLOCK));
    }
}

/* How many lines of the file stand before that of the body's first quote. */
static uint32_t line_of_body(const struct reader *r, const PgQuery__CreateFunctionStmt *stmt)
{
    uint32_t line = 0;
    size_t end = 0;

    for (size_t i = 0; i < stmt->n_options; i++)
        if (strcmp(stmt->options[i]->def_elem->defname, "as") == 0)
            end = (size_t)stmt->options[i]->def_elem->location;
    while (end < r->file.length && r->file.at[end] != '$' && r->file.at[end] != '\'')
        end++;
    for (size_t i = 0; i < end && i < r->file.length; i++)
        line += r->file.at[i] == '\n';
    return line;
}

/* --- A whole function --------------------------------------------------------------------------------- */

static const cJSON *parse_body(struct reader *r, struct text statement)
{
    PgQueryPlpgsqlParseResult parsed;
    struct text copy = reader_keep(r, statement);
    const cJSON *function;
    bool failed;

    foreign_begin("the parser of SQL");
    parsed = pg_query_parse_plpgsql(copy.at);
    foreign_end();
    failed = parsed.error || !parsed.plpgsql_funcs;
    if (!failed) {
        cJSON_InitHooks(&(cJSON_Hooks){ malloc, free });
        r->json = cJSON_Parse(parsed.plpgsql_funcs);
    }
    pg_query_free_plpgsql_parse_result(parsed);
    function = r->json ? get(r->json->child, "PLpgSQL_function") : NULL;
    if (!function)
        reader_refuse(r, "a body that does not parse");
    return function;
}

static void claim_parameters(struct body_reader *b, const PgQuery__CreateFunctionStmt *stmt)
{
    static const struct item_type boolean = { .kind = KIND_BOOLEAN };

    b->label = b->routine->name.at;
    for (uint32_t i = 0; i < stmt->n_parameters; i++) {
        const PgQuery__FunctionParameter *parameter = stmt->parameters[i]->function_parameter;

        add_name(b, i, text_of(parameter->name ? parameter->name : ""),
                 b->routine->variables[i].type);
    }
    add_name(b, b->routine->found, TEXT("found"), boolean);
    b->next = b->routine->found + 1;
}

static struct text body_of(struct reader *r, const PgQuery__CreateFunctionStmt *stmt)
{
    for (size_t i = 0; i < stmt->n_options; i++) {
        const PgQuery__DefElem *option = stmt->options[i]->def_elem;

        if (strcmp(option->defname, "as") == 0 && option->arg->node_case == PG_QUERY__NODE__NODE_LIST)
            return text_of(reader_string(option->arg->list->items[0]));
    }
    reader_refuse(r, "a function without a body");
}

void read_routine(struct reader *r, struct routine *routine, const PgQuery__CreateFunctionStmt *stmt,
                  struct text statement)
{
    struct routine_variable *parameters = routine->variables;
    struct body_reader b = { .r = r, .routine = routine };
    struct step *step = reader_take(r, 1, sizeof *step);
    const cJSON *function, *datums, *block, *item;

    statement = read_cursor_uses(r, statement, body_of(r, stmt), &b.cursors);
    function = parse_body(r, statement);
    datums = get(function, "datums");
    block = get(get(function, "action"), "PLpgSQL_stmt_block");
    b.datum_count = b.slot_count = (uint32_t)cJSON_GetArraySize(datums);
    if (!block || b.datum_count <= routine->parameter_count)
        reader_refuse(r, "a body that the parser does not show");
    b.datums = reader_take(r, b.datum_count, sizeof *b.datums);
    routine->variable_count = b.datum_count + b.cursors.argument_count;
    b.is_claimed = reader_take(r, routine->variable_count, sizeof *b.is_claimed);
    b.of_slot = reader_take(r, routine->variable_count, sizeof *b.of_slot);
    cJSON_ArrayForEach(item, datums)
    {
        b.datums[b.next++] = item;
    }
    routine->variables = reader_take(r, routine->variable_count, sizeof *routine->variables);
    if (routine->parameter_count > 0)
        memcpy(routine->variables, parameters, routine->parameter_count * sizeof *parameters);
    routine->found = routine->parameter_count;
    b.first_line = line_of_body(r, stmt);
    r->routine = routine;
    r->names = NULL;
    claim_parameters(&b, stmt);
    read_block(&b, block, step);
    routine->body.first = step;
    r->routine = NULL;
    r->names = NULL;
    cJSON_Delete(r->json);
    r->json = NULL;
}
