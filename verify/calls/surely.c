#include "verify/calls/surely_private.h"

#include <string.h>

#define ROWS_MAX 64
#define CALLS_MAX 20
#define NESTING_MAX 300  /* for the stack's sake */
#define TURNS_MAX 1000   /* of a loop that is walked turn by turn */
#define STEPS_MAX 100000 /* of a transaction */
#define KEY_MAX 60       /* columns */

/* What is known at a place of a program, on the ways that lead there. */
struct knowledge {
    bool is_reachable;
    uint32_t row_count;
    struct sure_row rows[ROWS_MAX];
    struct item *items; /* of variables */
    bool *is_known;
};

/* All rows that may be written, on any way. */
struct bounds {
    uint64_t unknown; /* tables, by relation_bit(), of which some row may be written, nobody knows which */
    struct row_entry *rows[ROWS_MAX];
    bool may_repeat[ROWS_MAX]; /* it may be written more than once */
    uint32_t row_count;
};

/* Where EXIT and CONTINUE lead. */
struct way_out {
    const char *label;
    bool is_loop;
    struct knowledge *behind, *again;
    struct way_out *outer;
};

/* A routine that is walked, or the statements of a log: then there is none. */
struct walk {
    const struct sure_facts *facts;
    struct run *run;
    const struct routine *routine;
    const struct call_answer *answer; /* that it has to give; or NULL */
    struct way_out *ways_out;
    struct knowledge end; /* where it returns */
    enum { RETURNS_NOTHING, RETURNS_ONE_VALUE, RETURNS_ANYTHING } returns;
    struct item returned; /* if it is always the same */
    struct bounds *bounds;
    bool is_idle;         /* only ways on which nothing is written are walked */
    bool may_repeat;      /* what is walked once may be executed more than once */
    uint32_t depth, nesting; /* calls within calls; statements within statements, of all of these */
};

static void walk_list(struct walk *, struct knowledge *, const struct step_list *);

/* --- Knowledge ----------------------------------------------------------------------------- */

static void copy_knowledge(const struct walk *w, struct knowledge *to, const struct knowledge *from)
{
    uint32_t count = w->routine ? w->routine->variable_count : 0;

    *to = *from;
    to->items = arena_take(w->run->bench.arena, count + 1, sizeof *to->items);
    to->is_known = arena_take(w->run->bench.arena, count + 1, sizeof *to->is_known);
    if (count == 0 || !from->items)
        return;
    memcpy(to->items, from->items, count * sizeof *to->items);
    memcpy(to->is_known, from->is_known, count * sizeof *to->is_known);
}

static struct sure_row *find_row(struct knowledge *k, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < k->row_count; i++)
        if (k->rows[i].entry == entry)
            return &k->rows[i];
    return NULL;
}

static uint64_t relation_bit(const struct relation *relation)
{
    return UINT64_C(1) << relation->number % 64;
}

/* What holds on both ways. */
static void join(const struct walk *w, struct knowledge *into, struct knowledge *from)
{
    uint32_t kept = 0;

    run_step(w->run, 1);
    if (!from->is_reachable)
        return;
    if (!into->is_reachable) {
        copy_knowledge(w, into, from);
        return;
    }
    for (uint32_t i = 0; i < into->row_count; i++) {
        const struct sure_row *other = find_row(from, into->rows[i].entry);

        if (other)
            into->rows[kept++] = (struct sure_row){ other->entry, into->rows[i].changes && other->changes };
    }
    into->row_count = kept;
    for (uint32_t i = 0; w->routine && i < w->routine->variable_count; i++)
        into->is_known[i] &= from->is_known[i] && item_identical(&into->items[i], &from->items[i]);
}

/* This row of the table may be written; NULL: any row. */
static void note_bound(const struct walk *w, const struct relation *relation, struct row_entry *entry)
{
    struct bounds *b = w->bounds;
    uint32_t i = 0;

    while (i < b->row_count && b->rows[i] != entry)
        i++;
    if (!entry || i == ROWS_MAX) {
        b->unknown |= relation_bit(relation);
        return;
    }
    b->may_repeat[i] = w->may_repeat || i < b->row_count;
    b->rows[i] = entry;
    b->row_count += i == b->row_count;
}

/* Nobody knows what is written. */
static void note_anything(const struct walk *w)
{
    w->bounds->unknown = UINT64_MAX;
}

static void set_variable(struct knowledge *k, uint32_t slot, const struct item *value)
{
    k->is_known[slot] = value != NULL;
    if (value)
        k->items[slot] = *value;
}

static void forget_target(struct knowledge *k, const struct target *into)
{
    for (uint32_t i = 0; into && i < into->count; i++)
        k->is_known[into->slots[i]] = false;
}

/* --- Expressions ------------------------------------------------------------------------------- */

/* In all states, if nobody writes the columns in it. */
static bool is_steady(const struct knowledge *k, const struct formula *f)
{
    if (!f || f->kind == FORMULA_COLUMN)
        return true;
    if (f->kind == FORMULA_VARIABLE)
        return k->is_known[f->as.slot];
    if (f->kind == FORMULA_FIELD || f->kind == FORMULA_CALL || f->kind == FORMULA_SUBQUERY ||
        f->kind == FORMULA_NUMBER)
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        if (!is_steady(k, f->arguments[i]))
            return false;
    return true;
}

static bool has_column(const struct formula *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (has_column(f->arguments[i]))
            return true;
    return f->kind == FORMULA_COLUMN || f->kind == FORMULA_AGGREGATE;
}

static bool is_known(const struct knowledge *k, const struct formula *f)
{
    return is_steady(k, f) && !has_column(f);
}

/* Whether it may call a function that writes. */
static bool may_write(const struct formula *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        if (may_write(f->arguments[i]))
            return true;
    return f && ((f->kind == FORMULA_CALL && f->as.routine->may_write) ||
                 (f->kind == FORMULA_SUBQUERY && f->as.subquery.calls));
}

static struct item value_of(const struct walk *w, const struct knowledge *k, const struct formula *f)
{
    struct place_of_work place = { .run = w->run, .variables = k->items };

    return evaluate(&place, f);
}

static bool walk_routine(struct walk *around, struct knowledge *, const struct formula *call, struct item *value);

/* True: the value is known. Calls are walked where they surely happen. */
static bool walk_value(struct walk *w, struct knowledge *k, const struct formula *f, struct item *value)
{
    const struct formula *inner = f;

    run_step(w->run, 1);
    if (is_known(k, f)) {
        *value = value_of(w, k, f);
        return true;
    }
    while (inner->kind == FORMULA_CAST)
        inner = inner->arguments[0];
    if (inner->kind == FORMULA_CALL)
        return walk_routine(w, k, inner, value) && inner == f;
    if (may_write(inner))
        note_anything(w);
    return false;
}

/* --- Statements ------------------------------------------------------------------------------------ */

/* Notes the values that the condition gives columns of the key; false: the condition says more than that. */
static bool take_key(const struct walk *w, const struct knowledge *k, const struct relation *relation,
                     const struct formula *where, struct item *key, bool *has)
{
    if (where->kind == FORMULA_AND) {
        bool says_no_more = true;

        for (uint32_t i = 0; i < where->count; i++)
            says_no_more &= take_key(w, k, relation, where->arguments[i], key, has);
        return says_no_more;
    }
    if (where->kind != FORMULA_COMPARE || where->as.operation != '=')
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct formula *column = where->arguments[i], *value = where->arguments[1 - i];

        if (column->kind != FORMULA_COLUMN || column->as.column.depth != 0 || column->as.column.source != 0 ||
            !is_known(k, value))
            continue;
        for (uint32_t c = 0; c < relation->key.count; c++)
            if (relation->key.at[c] == column->as.column.column && !has[c]) {
                has[c] = true;
                key[c] = value_of(w, k, value);
                return !item_is_null(&key[c]);
            }
    }
    return false;
}

/* A key of which all is known has a row, perhaps one that is never there; else NULL. */
static struct row_entry *row_of_key(const struct walk *w, const struct relation *relation, const struct item *key,
                                    const bool *has)
{
    for (uint32_t i = 0; i < relation->key.count; i++)
        if (!has[i] || item_is_null(&key[i]))
            return NULL;
    return row_states_find(w->run->store, relation, key, true);
}

/* The only row that the query may find, or NULL. `only`: it finds it if it is there. */
static struct row_entry *row_by_key(const struct walk *w, const struct knowledge *k, const struct selection *s,
                                    bool *only)
{
    const struct relation *relation = s->source_count == 1 ? s->sources[0].relation : NULL;
    struct item key[KEY_MAX];
    bool has[KEY_MAX] = { false };

    *only = false;
    if (!relation || !s->where || relation->key.count > KEY_MAX)
        return NULL;
    *only = take_key(w, k, relation, s->where, key, has);
    return row_of_key(w, relation, key, has);
}

/* It has been there from the beginning, and is never removed. */
static bool is_lasting(const struct walk *w, const struct row_entry *entry)
{
    return entry && !w->facts->tables.loses_rows[entry->relation->number] && entry->count > 0 &&
           entry->versions[0].position == 0 && entry->versions[0].row;
}

/* At least one unit of the column's last digit. */
static bool is_a_step(const struct item *by, struct item_type type)
{
    struct item number;
    __int128 unit = 1;

    if (by->kind != ITEM_INTEGER && by->kind != ITEM_NUMERIC)
        return false;
    number = item_to_numeric(*by);
    for (uint32_t i = type.kind == KIND_NUMERIC ? type.scale : 0;
         i < number.scale && (kind_is_integer(type.kind) || type.precision > 0); i++)
        unit *= 10;
    return number.as.number >= unit || number.as.number <= -unit;
}

/* SET v = v + 5 */
static bool surely_changes(const struct walk *w, const struct knowledge *k, const struct statement *s)
{
    for (uint32_t i = 0; i < s->setting_count; i++) {
        const struct formula *sum = s->settings[i].value;
        const struct relation_column *column = &s->relation->columns[s->settings[i].column];

        if (sum && sum->kind == FORMULA_CAST && sum->as.cast == CAST_IS_ASSIGNMENT)
            sum = sum->arguments[0]; /* any other cast may round */
        if (!sum || sum->kind != FORMULA_COMPUTE || !column->not_null ||
            !(kind_is_integer(column->type.kind) || column->type.kind == KIND_NUMERIC) ||
            (sum->as.operation != '+' && sum->as.operation != '-'))
            continue;
        for (uint32_t a = 0; a < (sum->as.operation == '+' ? 2 : 1); a++) {
            const struct formula *old = sum->arguments[a], *by = sum->arguments[1 - a];
            struct item step;

            if (old->kind != FORMULA_COLUMN || old->as.column.depth != 0 || old->as.column.source != 0 ||
                old->as.column.column != s->settings[i].column || !is_known(k, by))
                continue;
            step = value_of(w, k, by);
            if (is_a_step(&step, column->type))
                return true;
        }
    }
    return false;
}

static bool sets_key(const struct statement *s)
{
    for (uint32_t i = 0; i < s->setting_count; i++)
        if (column_set_has(s->relation->key, s->settings[i].column))
            return true;
    return false;
}

static void note_sure(struct knowledge *k, struct row_entry *entry, bool changes)
{
    if (!find_row(k, entry) && k->row_count < ROWS_MAX)
        k->rows[k->row_count++] = (struct sure_row){ entry, changes };
}

/* The row that one of the VALUES inserts, or NULL. */
static struct row_entry *inserted_row(const struct walk *w, const struct knowledge *k, const struct statement *s,
                                      const struct formula *const *values)
{
    struct item key[KEY_MAX];
    bool has[KEY_MAX] = { false };

    if (s->relation->key.count > KEY_MAX || s->relation->is_numbered)
        return NULL;
    for (uint32_t c = 0; c < s->relation->key.count; c++)
        for (uint32_t i = 0; i < s->selection->shape->count; i++)
            if (s->columns[i] == s->relation->key.at[c] && values[i] && is_known(k, values[i])) {
                has[c] = true;
                key[c] = value_of(w, k, values[i]);
            }
    return row_of_key(w, s->relation, key, has);
}

/* And computes nothing but its outputs. */
static bool gives_a_row(const struct selection *s)
{
    return !s || (s->values && s->value_rows > 0) ||
           (!s->left && !s->values && s->source_count == 0 && !s->where && !s->having && !s->limit && !s->offset &&
            s->group_count == 0 && s->order_count == 0);
}

/* Whether it writes in any case, or else ends in an error. */
static bool writes_in_any_case(const struct statement *s)
{
    return s->kind == STATEMENT_INSERT && gives_a_row(s->selection) &&
           (s->on_conflict == ON_CONFLICT_FAIL || (s->on_conflict == ON_CONFLICT_UPDATE && !s->where));
}

/* ON CONFLICT, the row in the way has to be the one with the same key. */
static void walk_insert(const struct walk *w, struct knowledge *k, const struct statement *s)
{
    const struct selection *from = s->selection;
    const struct formula *const *values = from ? (from->values ? from->values : from->outputs) : NULL;

    if (!values || !gives_a_row(from) ||
        (s->on_conflict == ON_CONFLICT_UPDATE && (sets_key(s) || !(s->arbiter_is_key || !s->relation->uniques)))) {
        note_bound(w, s->relation, NULL);
        return;
    }
    for (uint32_t i = 0; i < (from->values ? from->value_rows : 1); i++) {
        struct row_entry *entry = inserted_row(w, k, s, values + (size_t)i * from->shape->count);

        note_bound(w, s->relation, entry);
        if (entry && writes_in_any_case(s))
            note_sure(k, entry, false);
    }
}

/* FOUND afterwards. */
enum finds { FINDS_NOTHING, FINDS_ROWS, FINDS_UNKNOWN };

static enum finds walk_select(struct walk *w, struct knowledge *k, const struct selection *s)
{
    struct item value;
    bool only;

    if (!gives_a_row(s)) {
        const struct row_entry *entry = row_by_key(w, k, s, &only);

        return only && is_lasting(w, entry) && !s->limit && !s->offset && !s->is_aggregating ? FINDS_ROWS
                                                                                             : FINDS_UNKNOWN;
    }
    for (uint32_t i = 0; i < s->shape->count; i++)
        walk_value(w, k, s->outputs[i], &value);
    return FINDS_UNKNOWN;
}

static enum finds walk_statement(struct walk *w, struct knowledge *k, const struct statement *s)
{
    struct row_entry *entry = NULL;
    bool only;

    run_step(w->run, 1);
    if (s->calls && !(s->kind == STATEMENT_SELECT && gives_a_row(s->selection)))
        note_anything(w);
    switch (s->kind) {
    case STATEMENT_SELECT:
        return walk_select(w, k, s->selection);
    case STATEMENT_INSERT:
        walk_insert(w, k, s);
        break;
    case STATEMENT_UPDATE:
    case STATEMENT_DELETE:
        entry = row_by_key(w, k, s->selection, &only);
        note_bound(w, s->relation, sets_key(s) ? NULL : entry);
        if (!only || s->kind == STATEMENT_DELETE || !is_lasting(w, entry))
            entry = NULL;
        if (entry)
            note_sure(k, entry, surely_changes(w, k, s));
        break;
    }
    if (entry || writes_in_any_case(s)) {
        k->is_reachable &= !w->is_idle;
        return FINDS_ROWS;
    }
    return w->is_idle ? FINDS_NOTHING : FINDS_UNKNOWN;
}

/* --- Queries of what nobody writes ------------------------------------------------------------------------ */

static bool are_steady(const struct knowledge *k, const struct formula *const *formulas, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_steady(k, formulas[i]))
            return false;
    return true;
}

/* Whether the query gives the same in all states. */
static bool is_steady_query(const struct walk *w, const struct knowledge *k, const struct selection *s)
{
    if (s->left || s->locks || !is_steady(k, s->where) || !is_steady(k, s->having) ||
        !is_steady(k, s->limit) || !is_steady(k, s->offset) ||
        !are_steady(k, s->outputs, s->shape->count) || !are_steady(k, s->groups, s->group_count))
        return false;
    for (uint32_t i = 0; i < s->source_count; i++)
        if (w->facts->tables.is_written[s->sources[i].relation->number] ||
            !is_steady(k, s->sources[i].on))
            return false;
    for (uint32_t i = 0; i < s->order_count; i++)
        if (!is_steady(k, s->order[i].by))
            return false;
    return true;
}

/* SELECT ... INTO variables. False: it is another statement. */
static bool walk_steady(struct walk *w, struct knowledge *k, const struct step *step)
{
    const struct target *into = step->into;
    struct place_of_work place = { .run = w->run, .variables = k->items };
    const struct selection *s = step->statement->selection;
    struct result result;
    struct item found;

    if (step->statement->kind != STATEMENT_SELECT || !into || into->is_record || step->strict ||
        !is_steady_query(w, k, s))
        return false;
    select_rows(&place, s, &result);
    result_rely_on_order(w->run, &result, 1);
    if (w->run->relied_on_order) {
        w->run->relied_on_order = false;
        return false;
    }
    found = item_boolean(result.last > result.first);
    for (uint32_t i = 0; i < into->count; i++) {
        struct item value = item_null();

        if (result.last > result.first)
            value = item_cast(&w->run->bench, result.rows[result.first]->cells[i],
                              w->routine->variables[into->slots[i]].type, CAST_IS_ASSIGNMENT);
        set_variable(k, into->slots[i], &value);
    }
    set_variable(k, w->routine->found, &found);
    return true;
}

/* --- Steps --------------------------------------------------------------------------------------------- */

/* Variables that the steps may give other values to are known no longer. */
static void forget_assigned(const struct walk *w, struct knowledge *k, const struct step_list *list)
{
    for (const struct step *step = list->first; step; step = step->next) {
        run_step(w->run, 1);
        k->is_known[w->routine->found] = false;
        if (step->kind == STEP_ASSIGN || step->kind == STEP_FOR_RANGE)
            k->is_known[step->slot] = false;
        forget_target(k, step->into);
        for (const struct arm_of_if *arm = step->arms; arm; arm = arm->next)
            forget_assigned(w, k, &arm->body);
        forget_assigned(w, k, &step->body);
    }
}

/* A loop of which nobody knows how often it turns. */
static void walk_any_turns(struct walk *w, struct knowledge *k, const struct step *step, bool ends_by_itself)
{
    struct knowledge behind = { .is_reachable = false }, again = { .is_reachable = false }, body;
    struct way_out out = { step->label, true, &behind, &again, w->ways_out };
    bool may_repeat = w->may_repeat;

    forget_assigned(w, k, &step->body);
    forget_target(k, step->into);
    copy_knowledge(w, &body, k);
    w->ways_out = &out;
    w->may_repeat = true;
    walk_list(w, &body, &step->body);
    w->may_repeat = may_repeat;
    w->ways_out = out.outer;
    if (!ends_by_itself)
        k->is_reachable = false;
    join(w, k, &behind);
}

static void leave_loop(struct walk *w, struct knowledge *k, const struct step *step)
{
    struct way_out *out = w->ways_out;

    while (out && !(step->label ? out->label && strcmp(out->label, step->label) == 0 : out->is_loop))
        out = out->outer;
    if (!out)
        trap_unknown(w->run->trap, "where EXIT leads");
    join(w, step->kind == STEP_EXIT ? out->behind : out->again, k);
    k->is_reachable = false;
}

static void walk_range(struct walk *w, struct knowledge *k, const struct step *step)
{
    struct item low, high;
    bool is_plain = walk_value(w, k, step->value, &low);
    struct knowledge behind = { .is_reachable = false };
    struct way_out out = { step->label, true, &behind, NULL, w->ways_out };

    is_plain &= walk_value(w, k, step->high, &high);
    if (step->by && may_write(step->by))
        note_anything(w);
    is_plain = is_plain && !step->by && !step->reverse && !item_is_null(&low) && !item_is_null(&high) &&
               low.as.integer > INT32_MIN && low.as.integer < INT32_MAX &&
               high.as.integer > INT32_MIN && high.as.integer < INT32_MAX &&
               high.as.integer - low.as.integer < TURNS_MAX;
    if (!is_plain) {
        k->is_known[step->slot] = false;
        walk_any_turns(w, k, step, true);
        k->is_known[w->routine->found] = false;
        return;
    }
    w->ways_out = &out;
    for (int64_t i = low.as.integer; i <= high.as.integer && k->is_reachable; i++) {
        struct knowledge again = { .is_reachable = false };
        struct item turn = item_integer(i);

        out.again = &again;
        set_variable(k, step->slot, &turn);
        walk_list(w, k, &step->body);
        join(w, k, &again);
    }
    w->ways_out = out.outer;
    join(w, k, &behind);
    k->is_known[w->routine->found] = false;
}

static void walk_if(struct walk *w, struct knowledge *k, const struct step *step)
{
    struct knowledge after = { .is_reachable = false };

    for (const struct arm_of_if *arm = step->arms; arm && k->is_reachable; arm = arm->next) {
        struct item truth = item_boolean(true);
        struct knowledge taken;

        if (arm->condition && !walk_value(w, k, arm->condition, &truth)) {
            copy_knowledge(w, &taken, k);
            walk_list(w, &taken, &arm->body);
            join(w, &after, &taken);
            continue;
        }
        if (!item_is_true(&truth))
            continue;
        walk_list(w, k, &arm->body);
        join(w, &after, k);
        k->is_reachable = false;
    }
    join(w, &after, k);
    *k = after;
}

static bool is_answer(const struct walk *w, const struct item *value)
{
    const struct call_answer *answer = w->answer;
    const struct text *cell = answer ? &w->facts->a->log->cells.at[answer->cell] : NULL;

    if (!answer || answer->kind != CALL_ANSWER_ROWS || answer->row_count != 1 || answer->width != 1)
        return true;
    if (item_is_null(value) || !cell->at)
        return item_is_null(value) && !cell->at;
    return text_equal(*cell, session_print(&w->facts->a->session, value));
}

static void walk_return(struct walk *w, struct knowledge *k, const struct step *step)
{
    bool has_value = step->value && w->routine->result.kind != KIND_VOID;
    struct item value;

    if (has_value && walk_value(w, k, step->value, &value)) {
        if (!is_answer(w, &value))
            k->is_reachable = false;
        else if (k->is_reachable && w->returns != RETURNS_NOTHING && !item_identical(&w->returned, &value))
            w->returns = RETURNS_ANYTHING;
        else if (k->is_reachable && w->returns == RETURNS_NOTHING) {
            w->returns = RETURNS_ONE_VALUE;
            w->returned = value;
        }
    } else {
        w->returns = RETURNS_ANYTHING;
    }
    join(w, &w->end, k);
    k->is_reachable = false;
}

static void walk_step(struct walk *w, struct knowledge *k, const struct step *step)
{
    struct knowledge behind = { .is_reachable = false };
    struct way_out out = { step->label, false, &behind, &behind, w->ways_out };
    struct item value = item_null();
    enum finds finds;
    bool known;

    switch (step->kind) {
    case STEP_ASSIGN:
        known = !step->value || walk_value(w, k, step->value, &value);
        set_variable(k, step->slot, known ? &value : NULL);
        return;
    case STEP_STATEMENT:
        if (walk_steady(w, k, step))
            return;
        finds = walk_statement(w, k, step->statement);
        forget_target(k, step->into);
        value = item_boolean(finds == FINDS_ROWS);
        set_variable(k, w->routine->found, finds != FINDS_UNKNOWN ? &value : NULL);
        return;
    case STEP_IF:
        walk_if(w, k, step);
        return;
    case STEP_LOOP:
        if (step->value && may_write(step->value))
            note_anything(w);
        walk_any_turns(w, k, step, step->value != NULL);
        return;
    case STEP_FOR_RANGE:
        walk_range(w, k, step);
        return;
    case STEP_FOR_ROWS:
        walk_statement(w, k, step->statement);
        walk_any_turns(w, k, step, true);
        k->is_known[w->routine->found] = false;
        return;
    case STEP_EXIT:
    case STEP_CONTINUE:
        known = !step->value || walk_value(w, k, step->value, &value);
        if (!known) {
            copy_knowledge(w, &behind, k);
            leave_loop(w, &behind, step);
        } else if (!step->value || item_is_true(&value)) {
            leave_loop(w, k, step);
        }
        return;
    case STEP_RETURN:
        walk_return(w, k, step);
        return;
    case STEP_RAISE:
        k->is_reachable = false;
        return;
    case STEP_REQUIRE_CLOSED:
    case STEP_CLOSE:
        return;
    case STEP_OPEN:
        walk_statement(w, k, step->statement);
        return;
    case STEP_FETCH:
        forget_target(k, step->into);
        k->is_known[w->routine->found] = false;
        return;
    case STEP_BLOCK:
        w->ways_out = &out;
        walk_list(w, k, &step->body);
        w->ways_out = out.outer;
        join(w, k, &behind);
    }
}

static void walk_list(struct walk *w, struct knowledge *k, const struct step_list *list)
{
    if (w->nesting++ == NESTING_MAX)
        trap_unknown(w->run->trap, "statements within so many statements");
    for (const struct step *step = list->first; step && k->is_reachable; step = step->next) {
        run_step(w->run, 1);
        walk_step(w, k, step);
    }
    w->nesting--;
}

/* --- Routines -------------------------------------------------------------------------------------------- */

static void walk_body(struct walk *w, struct knowledge *k)
{
    struct item is_false = item_boolean(false);

    set_variable(k, w->routine->found, &is_false);
    walk_list(w, k, &w->routine->body);
    if (w->routine->result.kind == KIND_VOID)
        join(w, &w->end, k);
}

/* True: what it returns is known. */
static bool walk_routine(struct walk *around, struct knowledge *k, const struct formula *call, struct item *value)
{
    const struct routine *routine = call->as.routine;
    struct walk w = { .facts = around->facts, .run = around->run, .routine = routine, .depth = around->depth + 1,
                      .is_idle = around->is_idle, .may_repeat = around->may_repeat, .bounds = around->bounds,
                      .nesting = around->nesting };
    struct knowledge inner, start = *k;

    if (w.depth > CALLS_MAX) {
        note_anything(&w);
        return false;
    }
    start.items = NULL;
    copy_knowledge(&w, &inner, &start);
    for (uint32_t i = 0; i < routine->parameter_count; i++) {
        struct item argument;
        bool known = walk_value(around, k, call->arguments[i], &argument);

        set_variable(&inner, i, known ? &argument : NULL);
    }
    walk_body(&w, &inner);
    k->is_reachable &= w.end.is_reachable;
    k->row_count = w.end.row_count;
    memcpy(k->rows, w.end.rows, sizeof k->rows);
    *value = w.returned;
    return w.returns == RETURNS_ONE_VALUE;
}

static void walk_call(struct walk *w, const struct logged_txn *txn)
{
    const struct text *cells = &w->facts->a->log->cells.at[txn->argument];
    struct knowledge start = { .is_reachable = true }, k;

    if (txn->argument_count != w->routine->parameter_count)
        return;
    copy_knowledge(w, &k, &start);
    for (uint32_t i = 0; i < txn->argument_count; i++) {
        struct item text = cells[i].at ? item_text(cells[i]) : item_null(), value;

        value = item_cast(&w->run->bench, text, w->routine->variables[i].type, CAST_IS_ASSIGNMENT);
        set_variable(&k, i, &value);
    }
    if (txn->answer_count > 0)
        w->answer = &w->facts->a->log->answers.at[txn->answer];
    walk_body(w, &k);
}

static void walk_logged_statement(struct walk *w, struct knowledge *k, const struct logged_txn *txn, uint32_t i,
                                  const struct statement *s)
{
    const struct call_log *log = w->facts->a->log;
    const struct call_statement *logged = &log->statements.at[txn->statement + i];
    const struct call_answer *answer = &log->answers.at[txn->answer + i];

    w->run->parameters = &log->cells.at[logged->parameter];
    w->run->parameter_count = logged->parameter_count;
    walk_statement(w, k, s);
    if (w->is_idle && s->kind != STATEMENT_SELECT && i < txn->answer_count &&
        ((answer->kind == CALL_ANSWER_COUNT && answer->count > 0) ||
         (answer->kind == CALL_ANSWER_ROWS && answer->row_count > 0)))
        k->is_reachable = false;
}

/* All that may spring the trap stands between this and the caller. */
static bool walk_txn(struct walk *w, const struct logged_txn *txn)
{
    struct session *s = &w->facts->a->session;
    const struct statement **statements = arena_take(&s->scratch, txn->statement_count + 1, sizeof *statements);

    w->routine = txn->function.length > 0 ? catalog_find_routine(&s->catalog, txn->function) : NULL;
    for (uint32_t i = 0; i < txn->statement_count; i++)
        if (session_prepare(s, w->facts->a->log->statements.at[txn->statement + i].sql, &statements[i]) != ENDED_WELL)
            return false;
    if (!trap_set(&s->trap))
        return false;
    if (txn->function.length > 0) {
        if (w->routine)
            walk_call(w, txn);
        return w->routine != NULL;
    }
    w->end.is_reachable = true;
    for (uint32_t i = 0; i < txn->statement_count; i++)
        walk_logged_statement(w, &w->end, txn, i, statements[i]);
    return true;
}

/* False: nothing is known. */
static bool walk_through(struct walk *w, const struct sure_facts *facts, const struct logged_txn *txn, bool is_idle)
{
    struct session *s = &facts->a->session;

    s->run.steps_left = STEPS_MAX;
    *w = (struct walk){ .facts = facts, .run = &s->run, .is_idle = is_idle };
    w->bounds = arena_take(&s->scratch, 1, sizeof *w->bounds);
    return walk_txn(w, txn);
}

/* No other statement may write it again. */
static bool is_written_once(const struct bounds *b, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < b->row_count; i++)
        if (b->rows[i] == entry)
            return !b->may_repeat[i] && !(b->unknown & relation_bit(entry->relation));
    return false;
}

void surely_find(const struct sure_facts *facts, const struct logged_txn *txn, struct surely *surely)
{
    struct session *s = &facts->a->session;
    struct walk *w;
    struct sure_row *rows;

    *surely = (struct surely){ .writes = false };
    if (txn->status == TXN_OK && txn->sqlstate.length > 0)
        return;
    session_begin(s, NULL, NULL, 0, false);
    w = arena_take(&s->scratch, 1, sizeof *w);
    surely->writes = walk_through(w, facts, txn, true) && !w->end.is_reachable;
    if (!walk_through(w, facts, txn, false))
        return;
    surely->is_bounded = w->bounds->unknown == 0;
    surely->bounds = arena_take(&s->lasting, w->bounds->row_count + 1, sizeof *surely->bounds);
    memcpy(surely->bounds, w->bounds->rows, w->bounds->row_count * sizeof *surely->bounds);
    surely->bound_count = w->bounds->row_count;
    if (!w->end.is_reachable)
        return;
    rows = arena_take(&s->lasting, w->end.row_count + 1, sizeof *rows);
    memcpy(rows, w->end.rows, w->end.row_count * sizeof *rows);
    for (uint32_t i = 0; i < w->end.row_count; i++)
        rows[i].changes &= is_written_once(w->bounds, rows[i].entry);
    surely->rows = rows;
    surely->row_count = w->end.row_count;
}

void surely_begin(struct sure_facts *facts, struct audit_replay *a)
{
    facts->a = a;
    table_facts_find(&facts->tables, a);
}
