#include "verify/calls/run_private.h"

#include <string.h>

typedef const struct place_of_work place;

#define CALLS_MAX 100
#define NESTING_MAX 2000 /* of statements, in all calls: for the stack's sake */

enum flow { FLOW_ON, FLOW_EXIT, FLOW_CONTINUE, FLOW_RETURN };

/* A routine that is executed. */
struct performance {
    struct place_of_work place;
    struct item *variables;
    const struct shape **shapes;
    const struct routine *routine;
    const char *leaves; /* the label that EXIT or CONTINUE named, or NULL */
    struct item returned;
    bool has_returned;
};

static enum flow perform_list(struct performance *, const struct step_list *);

/* --- Statements ---------------------------------------------------------------------------- */

/* A statement that names a table, or an expression with such a subquery. */
static void count_statement(struct run *run, bool is_plain_select)
{
    run->place_counts |= !is_plain_select;
    run->writes = run->store->writes;
    run->see(run, run->statements++);
    if (!run->is_locking)
        run->newest = run->view;
}

void run_statement(place *p, const struct statement *s, struct outcome_of_statement *outcome)
{
    struct run *run = p->run;
    struct row_view view = run->view, newest = run->newest;
    uint64_t writes = run->writes;

    run_step(run, 10);
    if (s->names_table)
        count_statement(run, s->kind == STATEMENT_SELECT && !s->selection->locks);
    switch (s->kind) {
    case STATEMENT_SELECT:
        *outcome = (struct outcome_of_statement){ .touched = 0 };
        select_rows(p, s->selection, &outcome->result);
        outcome->touched = outcome->result.last - outcome->result.first;
        break;
    case STATEMENT_INSERT:
        write_insert(p, s, outcome);
        break;
    case STATEMENT_UPDATE:
        write_update(p, s, outcome);
        break;
    case STATEMENT_DELETE:
        write_delete(p, s, outcome);
        break;
    }
    run->view = view;
    run->newest = newest;
    run->writes = writes;
}

/* --- Variables --------------------------------------------------------------------------------- */

static void assign(struct performance *f, uint32_t slot, struct item value)
{
    if (f->routine->variables[slot].not_null && item_is_null(&value))
        trap_error(f->place.run->trap, "22004");
    f->variables[slot] = value;
}

static struct item value_of(struct performance *f, const struct step *step, const struct formula *formula)
{
    run_step(f->place.run, 1);
    f->place.run->line = step->line;
    if (step->counts)
        count_statement(f->place.run, true);
    return evaluate(&f->place, formula);
}

/* A row, or nulls where there is none. */
static void put_into(struct performance *f, const struct target *target, const struct item *cells)
{
    struct run *run = f->place.run;

    if (target->is_record) {
        struct item *elements = arena_take(run->bench.arena, target->shape->count + 1, sizeof *elements);

        if (cells)
            memcpy(elements, cells, target->shape->count * sizeof *elements);
        f->variables[target->slots[0]] = (struct item){ .kind = ITEM_RECORD,
                                                        .length = target->shape->count,
                                                        .as.elements = elements };
        f->shapes[target->slots[0]] = target->shape;
        return;
    }
    for (uint32_t i = 0; i < target->count; i++) {
        struct item value = item_null();

        if (cells)
            value = item_cast(&run->bench, cells[i],
                              f->routine->variables[target->slots[i]].type, CAST_IS_ASSIGNMENT);
        assign(f, target->slots[i], value);
    }
}

static void perform_statement(struct performance *f, const struct step *step)
{
    struct run *run = f->place.run;
    struct outcome_of_statement outcome;
    const struct result *result = &outcome.result;
    uint32_t count;

    run_statement(&f->place, step->statement, &outcome);
    count = result->last - result->first;
    f->variables[f->routine->found] = item_boolean(outcome.touched > 0);
    if (!step->into)
        return;
    if (step->strict && count == 0)
        trap_error(run->trap, "P0002");
    /* What writes may give one row at most. */
    if ((step->strict || step->statement->kind != STATEMENT_SELECT) && count > 1)
        trap_error(run->trap, "P0003");
    result_rely_on_order(run, result, 1);
    put_into(f, step->into, count > 0 ? result->rows[result->first]->cells : NULL);
}

/* --- Cursors -------------------------------------------------------------------------------------- */

/* Of a cursor that was opened: whose name is its own, or whose number is in a variable. */
struct portal {
    struct text name;
    int64_t number;
    const struct performance *owner; /* NULL: that call is over */
    bool is_open;
    struct result result;
    struct portal *next;
};

static struct portal *find_portal(struct performance *f, const struct step *step)
{
    const struct item *number = &f->variables[step->slot];
    struct portal *portal = f->place.run->portals;

    while (portal && !(portal->is_open && (step->cursor.at ? text_equal(portal->name, step->cursor)
                                                           : !item_is_null(number) && !portal->name.at &&
                                                                 portal->number == number->as.integer)))
        portal = portal->next;
    return portal;
}

/* A cursor that this call has opened. */
static struct portal *own_portal(struct performance *f, const struct step *step)
{
    struct portal *portal = find_portal(f, step);
    bool is_null = !step->cursor.at && item_is_null(&f->variables[step->slot]);

    if (!portal)
        trap_error(f->place.run->trap, is_null ? "22004" : "34000");
    if (portal->owner != f)
        trap_error(f->place.run->trap, "0A000");
    return portal;
}

static void perform_open(struct performance *f, const struct step *step)
{
    struct run *run = f->place.run;
    struct portal *portal = arena_take(run->bench.arena, 1, sizeof *portal);
    struct item *number = &f->variables[step->slot];
    struct outcome_of_statement outcome;

    run_statement(&f->place, step->statement, &outcome);
    result_rely_on_order(run, &outcome.result, outcome.result.last - outcome.result.first);
    if (!step->cursor.at && item_is_null(number))
        *number = item_integer(++run->unnamed_portals);
    *portal = (struct portal){ .name = step->cursor,
                               .number = step->cursor.at ? 0 : number->as.integer,
                               .owner = f,
                               .is_open = true,
                               .result = outcome.result,
                               .next = run->portals };
    run->portals = portal;
}

static void perform_fetch(struct performance *f, const struct step *step)
{
    struct result *result = &own_portal(f, step)->result;
    bool any = result->first < result->last;

    put_into(f, step->into, any ? result->rows[result->first]->cells : NULL);
    result->first += any;
    f->variables[f->routine->found] = item_boolean(any);
}

/* --- Loops ---------------------------------------------------------------------------------------- */

/* After a body: whether the loop goes on, and else how what is around it does. */
static bool goes_on(struct performance *f, const struct step *loop, enum flow *flow)
{
    bool is_meant = !f->leaves || (loop->label && strcmp(loop->label, f->leaves) == 0);

    if (*flow == FLOW_ON)
        return true;
    if (*flow == FLOW_RETURN || !is_meant)
        return false;
    f->leaves = NULL;
    if (*flow == FLOW_CONTINUE)
        return true;
    *flow = FLOW_ON;
    return false;
}

static enum flow perform_loop(struct performance *f, const struct step *step)
{
    enum flow flow = FLOW_ON;

    while (true) {
        if (step->value) {
            struct item truth = value_of(f, step, step->value);

            if (!item_is_true(&truth))
                return FLOW_ON;
        }
        run_step(f->place.run, 1);
        flow = perform_list(f, &step->body);
        if (!goes_on(f, step, &flow))
            return flow;
    }
}

static enum flow perform_for_range(struct performance *f, const struct step *step)
{
    struct item low = value_of(f, step, step->value), high = value_of(f, step, step->high);
    struct item by = step->by ? value_of(f, step, step->by) : item_integer(1);
    enum flow flow = FLOW_ON;
    bool any = false;

    if (item_is_null(&low) || item_is_null(&high) || item_is_null(&by))
        trap_error(f->place.run->trap, "22004");
    if (by.as.integer <= 0)
        trap_error(f->place.run->trap, "22023");
    for (int64_t i = low.as.integer; step->reverse ? i >= high.as.integer : i <= high.as.integer;
         i += step->reverse ? -by.as.integer : by.as.integer) {
        any = true;
        run_step(f->place.run, 1);
        f->variables[step->slot] = item_integer(i);
        flow = perform_list(f, &step->body);
        if (!goes_on(f, step, &flow))
            break;
        flow = FLOW_ON;
        if (i > INT32_MAX || i < INT32_MIN)
            break;
    }
    if (flow != FLOW_RETURN)
        f->variables[f->routine->found] = item_boolean(any);
    return flow;
}

static enum flow perform_for_rows(struct performance *f, const struct step *step)
{
    struct outcome_of_statement outcome;
    const struct result *result = &outcome.result;
    enum flow flow = FLOW_ON;
    uint32_t count;

    run_statement(&f->place, step->statement, &outcome);
    count = result->last - result->first;
    result_rely_on_order(f->place.run, result, count);
    if (count == 0)
        put_into(f, step->into, NULL);
    for (uint32_t i = result->first; i < result->last; i++) {
        run_step(f->place.run, 1);
        put_into(f, step->into, result->rows[i]->cells);
        flow = perform_list(f, &step->body);
        if (!goes_on(f, step, &flow))
            break;
        flow = FLOW_ON;
    }
    if (flow != FLOW_RETURN)
        f->variables[f->routine->found] = item_boolean(count > 0);
    return flow;
}

/* --- The rest -------------------------------------------------------------------------------------------- */

static enum flow perform_if(struct performance *f, const struct step *step)
{
    for (const struct arm_of_if *arm = step->arms; arm; arm = arm->next) {
        struct item truth = arm->condition ? value_of(f, step, arm->condition) : item_boolean(true);

        if (item_is_true(&truth))
            return perform_list(f, &arm->body);
    }
    return FLOW_ON;
}

static enum flow perform_block(struct performance *f, const struct step *step)
{
    enum flow flow = perform_list(f, &step->body);

    if (flow == FLOW_EXIT && f->leaves && step->label && strcmp(step->label, f->leaves) == 0) {
        f->leaves = NULL;
        return FLOW_ON;
    }
    return flow;
}

static enum flow perform_leave(struct performance *f, const struct step *step)
{
    struct item truth = step->value ? value_of(f, step, step->value) : item_boolean(true);

    if (!item_is_true(&truth))
        return FLOW_ON;
    f->leaves = step->label;
    return step->kind == STEP_EXIT ? FLOW_EXIT : FLOW_CONTINUE;
}

static enum flow perform_step(struct performance *f, const struct step *step)
{
    switch (step->kind) {
    case STEP_ASSIGN:
        assign(f, step->slot, step->value ? value_of(f, step, step->value) : item_null());
        return FLOW_ON;
    case STEP_STATEMENT:
        perform_statement(f, step);
        return FLOW_ON;
    case STEP_IF:
        return perform_if(f, step);
    case STEP_LOOP:
        return perform_loop(f, step);
    case STEP_FOR_RANGE:
        return perform_for_range(f, step);
    case STEP_FOR_ROWS:
        return perform_for_rows(f, step);
    case STEP_EXIT:
    case STEP_CONTINUE:
        return perform_leave(f, step);
    case STEP_RETURN:
        if (step->value)
            f->returned = value_of(f, step, step->value);
        f->has_returned = true;
        return FLOW_RETURN;
    case STEP_RAISE:
        for (uint32_t i = 0; i < step->detail_count; i++)
            evaluate(&f->place, step->details[i]);
        trap_error(f->place.run->trap, step->sqlstate);
    case STEP_BLOCK:
        return perform_block(f, step);
    case STEP_REQUIRE_CLOSED:
        if (find_portal(f, step))
            trap_error(f->place.run->trap, "42P03");
        return FLOW_ON;
    case STEP_OPEN:
        perform_open(f, step);
        return FLOW_ON;
    case STEP_FETCH:
        run_step(f->place.run, 1);
        perform_fetch(f, step);
        return FLOW_ON;
    case STEP_CLOSE:
        own_portal(f, step)->is_open = false;
        return FLOW_ON;
    }
    return FLOW_ON;
}

static enum flow perform_list(struct performance *f, const struct step_list *list)
{
    struct run *run = f->place.run;
    enum flow flow = FLOW_ON;

    if (run->nesting++ == NESTING_MAX)
        trap_unknown(run->trap, "statements within so many statements");
    for (const struct step *step = list->first; step && flow == FLOW_ON; step = step->next) {
        run->line = step->line;
        flow = perform_step(f, step);
    }
    run->nesting--;
    return flow;
}

struct item run_routine(struct run *run, const struct routine *routine, const struct item *arguments)
{
    struct performance f = { .place = { .run = run }, .routine = routine };
    struct row_view view = run->view, newest = run->newest; /* of the expression around the call */
    uint64_t writes = run->writes;
    uint32_t line = run->line;

    if (++run->depth > CALLS_MAX)
        trap_error(run->trap, "54001");
    f.variables = arena_take(run->bench.arena, routine->variable_count + 1, sizeof *f.variables);
    f.shapes = arena_take(run->bench.arena, routine->variable_count + 1, sizeof *f.shapes);
    f.place.variables = f.variables;
    f.place.shapes = f.shapes;
    if (routine->parameter_count > 0)
        memcpy(f.variables, arguments, routine->parameter_count * sizeof *arguments);
    f.variables[routine->found] = item_boolean(false);
    perform_list(&f, &routine->body);
    for (struct portal *portal = run->portals; portal; portal = portal->next)
        if (portal->owner == &f)
            portal->owner = NULL;
    run->view = view;
    run->newest = newest;
    run->writes = writes;
    run->line = line;
    run->depth--;
    if (!f.has_returned && routine->result.kind != KIND_VOID)
        trap_error(run->trap, "2F005");
    return f.returned;
}
