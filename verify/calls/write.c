#include "verify/calls/run_private.h"

#include <string.h>

#include "verify/calls/grow_private.h"

typedef const struct place_of_work place;

/* A statement that writes. */
struct writing {
    struct place_of_work place;
    struct row_env env;
    const struct packed *rows[2]; /* at hand */
    const struct statement *statement;
    const struct relation *relation;
    struct outcome_of_statement *outcome;

    /* What it wrote, for what is checked at its end. */
    struct written_row {
        const struct packed *before, *after; /* NULL: absent */
    } *written;
    uint32_t written_count, written_room;
    struct row_entry **entries; /* that INSERT has made or changed */
    uint32_t entry_count, entry_room;
};

static struct arena *memory_of(const struct writing *w)
{
    return w->place.run->bench.arena;
}

static void begin(struct writing *w, place *p, const struct statement *statement,
                  struct outcome_of_statement *outcome)
{
    *w = (struct writing){ .place = *p, .statement = statement, .outcome = outcome };
    w->relation = statement->relation;
    w->env.outer = p->env;
    w->env.rows = w->rows;
    w->place.env = &w->env;
    *outcome = (struct outcome_of_statement){ .touched = 0 };
}

/* --- Constraints ----------------------------------------------------------------------------- */

static void check_row(struct writing *w, const struct packed *row)
{
    const struct packed *around = w->rows[0];

    for (uint32_t i = 0; i < w->relation->column_count; i++)
        if (w->relation->columns[i].not_null && row[i].kind == ITEM_NULL)
            trap_error(w->place.run->trap, "23502");
    w->rows[0] = row;
    for (uint32_t i = 0; i < w->relation->check_count; i++) {
        struct item truth = evaluate(&w->place, w->relation->checks[i]);

        if (!item_is_null(&truth) && !truth.as.integer)
            trap_error(w->place.run->trap, "23514");
    }
    w->rows[0] = around;
}

/* Whether the row is there before the transaction's place, or after its own writes. */
static bool is_there(const struct run *run, struct row_entry *entry)
{
    struct row_view newest = run->newest;

    newest.ignored = UINT64_MAX;
    return row_states_see(run->store, entry, &newest) != NULL;
}

/* A row with the same values in these columns, found in the newest state. */
struct twin_search {
    const struct row_entry *besides;
    struct row_entry *found;
};

static bool visit_twin(void *context, struct row_entry *entry, const struct packed *row)
{
    struct twin_search *search = context;

    (void)row;
    if (entry == search->besides)
        return true;
    search->found = entry;
    return false;
}

/*
 * Values stand at `columns` of `row`; they are looked for in `targets`. NULL: one of them is null, or there is none.
 */
static struct row_entry *find_twin(struct run *run, const struct relation *relation,
                                   struct column_set targets, struct column_set columns,
                                   const struct packed *row, const struct row_entry *besides)
{
    struct twin_search search = { .besides = besides };
    struct row_view newest = run->newest;
    uint32_t sorted[64];
    struct item values[64];
    struct row_range range = { .columns = sorted,
                               .column_count = targets.count,
                               .equal_count = targets.count,
                               .equal = values };

    newest.ignored = UINT64_MAX;
    if (targets.count > 60)
        trap_unknown(run->trap, "constraints of so many columns");
    for (uint32_t i = 0; i < targets.count; i++) {
        struct item value = row_states_unpack(&row[columns.at[i]]);
        uint32_t at = i;

        if (item_is_null(&value))
            return NULL;
        for (; at > 0 && sorted[at - 1] > targets.at[i]; at--) {
            sorted[at] = sorted[at - 1];
            values[at] = values[at - 1];
        }
        sorted[at] = targets.at[i];
        values[at] = value;
        newest.ignored &= ~column_bit(targets.at[i]);
    }
    row_states_search(run->store, relation, &range, &newest, visit_twin, &search);
    return search.found;
}

static struct row_entry *entry_of(struct run *run, const struct relation *relation,
                                  const struct packed *row)
{
    struct item key[64];

    if (relation->key.count > 60)
        trap_unknown(run->trap, "keys of so many columns");
    for (uint32_t i = 0; i < relation->key.count; i++)
        key[i] = row_states_unpack(&row[relation->key.at[i]]);
    return row_states_find(run->store, relation, key, true);
}

static void check_uniques(struct writing *w, const struct packed *row, const struct row_entry *entry)
{
    for (const struct relation_unique *unique = w->relation->uniques; unique; unique = unique->next)
        if (find_twin(w->place.run, w->relation, unique->columns, unique->columns, row, entry))
            trap_error(w->place.run->trap, "23505");
}

static bool is_referred_to(struct run *run, const struct relation_reference *reference,
                           const struct packed *row)
{
    return find_twin(run, reference->to, reference->targets, reference->columns, row, NULL) != NULL;
}

static bool has_null(const struct packed *row, struct column_set columns)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (row[columns.at[i]].kind == ITEM_NULL)
            return true;
    return false;
}

static bool same_values(const struct packed *a, const struct packed *b, struct column_set columns)
{
    for (uint32_t i = 0; i < columns.count; i++) {
        struct item x = row_states_unpack(&a[columns.at[i]]), y = row_states_unpack(&b[columns.at[i]]);

        if (!item_same(&x, &y))
            return false;
    }
    return true;
}

/* When all is written: what is referred to is there, and nothing refers to what is gone. */
static void check_references(struct writing *w)
{
    struct run *run = w->place.run;

    for (uint32_t i = 0; i < w->written_count; i++) {
        const struct packed *before = w->written[i].before, *after = w->written[i].after;

        for (const struct relation_reference *r = w->relation->references; after && r; r = r->next_from) {
            if (has_null(after, r->columns) || (before && same_values(before, after, r->columns)))
                continue;
            if (!is_referred_to(run, r, after))
                trap_error(run->trap, "23503");
        }
        for (const struct relation_reference *r = w->relation->referrers; before && r; r = r->next_to) {
            if (has_null(before, r->targets) || (after && same_values(before, after, r->targets)))
                continue;
            if (find_twin(run, r->to, r->targets, r->targets, before, NULL))
                continue; /* another row has the values now */
            if (find_twin(run, r->from, r->columns, r->targets, before, NULL))
                trap_error(run->trap, "23503");
        }
    }
}

static void note_written(struct writing *w, const struct packed *before, const struct packed *after)
{
    GROW(memory_of(w), w->written, w->written_count, &w->written_room);
    w->written[w->written_count++] = (struct written_row){ before, after };
}

/* --- RETURNING ----------------------------------------------------------------------------------- */

static void return_row(struct writing *w, const struct packed *row, uint32_t *room)
{
    struct result *result = &w->outcome->result;
    struct result_row *returned;

    w->outcome->touched++;
    if (!w->statement->shape)
        return;
    result->width = w->statement->shape->count;
    GROW(memory_of(w), result->rows, result->count, room);
    returned = arena_take(memory_of(w), 1, sizeof *returned);
    returned->cells = arena_take(memory_of(w), result->width + 1, sizeof *returned->cells);
    w->rows[0] = row;
    for (uint32_t i = 0; i < result->width; i++)
        returned->cells[i] = evaluate(&w->place, w->statement->returning[i]);
    result->rows[result->count++] = returned;
    result->last = result->count;
}

/* --- UPDATE ---------------------------------------------------------------------------------------- */

/* The row with its settings, by the rows at hand, as its own constraints want it. */
static struct packed *changed_row(struct writing *w, const struct packed *row)
{
    struct run *run = w->place.run;
    struct packed *after = row_states_take(run->store, w->relation);

    memcpy(after, row, w->relation->column_count * sizeof *after);
    for (uint32_t i = 0; i < w->statement->setting_count; i++) {
        const struct setting *setting = &w->statement->settings[i];
        struct item value = setting->value ? evaluate(&w->place, setting->value) : item_null();

        after[setting->column] = row_states_pack(run->store->arena, &value);
    }
    check_row(w, after);
    return after;
}

static bool sets_unique(const struct writing *w, struct column_set columns)
{
    for (uint32_t i = 0; i < w->statement->setting_count; i++)
        for (uint32_t c = 0; c < columns.count; c++)
            if (w->statement->settings[i].column == columns.at[c])
                return true;
    return false;
}

/* Whether another row has the key, or unique values, of the row as it will be. */
static bool meets_another(struct writing *w, struct row_entry *entry, const struct packed *after)
{
    struct run *run = w->place.run;
    struct row_entry *to = entry;

    if (sets_unique(w, w->relation->key))
        to = entry_of(run, w->relation, after);
    if (to != entry && is_there(run, to))
        return true;
    for (const struct relation_unique *unique = w->relation->uniques; unique; unique = unique->next)
        if (sets_unique(w, unique->columns) &&
            find_twin(run, w->relation, unique->columns, unique->columns, after, entry))
            return true;
    return false;
}

static void replace_row(struct writing *w, struct row_entry *entry, const struct packed *before,
                        const struct packed *after)
{
    struct run *run = w->place.run;

    if (meets_another(w, entry, after))
        trap_error(run->trap, "23505");
    row_states_write(run->store, entry, NULL);
    row_states_write(run->store, entry_of(run, w->relation, after), after);
    note_written(w, before, after);
}

void write_update(place *p, const struct statement *statement, struct outcome_of_statement *outcome)
{
    struct result targets;
    struct packed **after;
    struct writing w;
    uint32_t room = 0;

    begin(&w, p, statement, outcome);
    select_targets(p, statement->selection, &targets);
    after = arena_take(memory_of(&w), targets.count + 1, sizeof *after);
    for (uint32_t i = 0; i < targets.count; i++) {
        w.rows[0] = targets.rows[i]->rows[0];
        after[i] = changed_row(&w, w.rows[0]);
    }
    /* A row in the way may be one that is about to move, or not. */
    for (uint32_t i = 0; i < targets.count && targets.count > 1; i++)
        if (meets_another(&w, targets.rows[i]->entries[0], after[i]))
            run_rely_on_order(p->run);
    for (uint32_t i = 0; i < targets.count; i++)
        replace_row(&w, targets.rows[i]->entries[0], targets.rows[i]->rows[0], after[i]);
    check_references(&w);
    for (uint32_t i = 0; i < targets.count; i++)
        return_row(&w, after[i], &room);
}

/* --- DELETE ------------------------------------------------------------------------------------------ */

void write_delete(place *p, const struct statement *statement, struct outcome_of_statement *outcome)
{
    struct result targets;
    struct writing w;
    uint32_t room = 0;

    begin(&w, p, statement, outcome);
    select_targets(p, statement->selection, &targets);
    for (uint32_t i = 0; i < targets.count; i++) {
        row_states_write(p->run->store, targets.rows[i]->entries[0], NULL);
        note_written(&w, targets.rows[i]->rows[0], NULL);
    }
    check_references(&w);
    for (uint32_t i = 0; i < targets.count; i++)
        return_row(&w, targets.rows[i]->rows[0], &room);
}

/* --- INSERT ------------------------------------------------------------------------------------------- */

/* Column by column, of cells that a query gave or of formulas; NULL: of neither. */
static struct packed *proposed_row(struct writing *w, const struct item *cells,
                                   const struct formula *const *values)
{
    struct run *run = w->place.run;
    struct packed *row = row_states_take(run->store, w->relation);
    uint32_t count = cells || values ? w->statement->selection->shape->count : 0;

    for (uint32_t c = 0; c < w->relation->column_count; c++) {
        const struct formula *formula = w->relation->columns[c].initial;
        struct item value = item_null();
        uint32_t i = 0;

        while (i < count && w->statement->columns[i] != c)
            i++;
        if (i < count && values)
            formula = values[i];
        if (i < count && cells)
            value = cells[i];
        else if (formula)
            value = evaluate(&w->place, formula);
        row[c] = row_states_pack(run->store->arena, &value);
    }
    return row;
}

/* The row in the way, of the constraint that ON CONFLICT names, or of any. */
static struct row_entry *find_conflict(struct writing *w, struct row_entry *entry,
                                       const struct packed *row)
{
    struct run *run = w->place.run;
    const struct statement *s = w->statement;
    struct row_entry *found;

    if ((!s->has_arbiter || s->arbiter_is_key) && is_there(run, entry))
        return entry;
    for (const struct relation_unique *unique = w->relation->uniques; unique; unique = unique->next) {
        if (s->has_arbiter && unique != s->arbiter)
            continue;
        found = find_twin(run, w->relation, unique->columns, unique->columns, row, NULL);
        if (found)
            return found;
    }
    return NULL;
}

static void note_entry(struct writing *w, struct row_entry *entry)
{
    GROW(memory_of(w), w->entries, w->entry_count, &w->entry_room);
    w->entries[w->entry_count++] = entry;
}

static void update_in_the_way(struct writing *w, struct row_entry *entry, const struct packed *proposed,
                              uint32_t *room)
{
    struct run *run = w->place.run;
    const struct packed *before = row_states_see(run->store, entry, &run->newest), *after;

    for (uint32_t i = 0; i < w->entry_count; i++)
        if (w->entries[i] == entry)
            trap_error(run->trap, "21000"); /* the same row twice in one command */
    if (!before)
        trap_unknown(run->trap, "a row that was in the way and is not there");
    w->rows[0] = before;
    w->rows[1] = proposed;
    if (w->statement->where && !evaluate_truth(&w->place, w->statement->where))
        return;
    after = changed_row(w, before);
    replace_row(w, entry, before, after);
    note_entry(w, entry_of(run, w->relation, after));
    return_row(w, after, room);
}

static void insert_row(struct writing *w, struct packed *row, uint32_t *room)
{
    struct run *run = w->place.run;
    struct row_entry *entry, *conflict;

    if (w->relation->is_numbered)
        row[w->relation->key.at[0]] = run_number_row(run);
    check_row(w, row);
    entry = entry_of(run, w->relation, row);
    conflict = w->statement->on_conflict != ON_CONFLICT_FAIL ? find_conflict(w, entry, row) : NULL;
    if (conflict) {
        run_step(run, w->entry_count / 16);
        /* Which of the rows that are inserted comes first may say which of them stays. */
        for (uint32_t i = 0; i < w->entry_count; i++)
            if (w->entries[i] == conflict)
                run_rely_on_order(run);
        if (w->statement->on_conflict == ON_CONFLICT_UPDATE)
            update_in_the_way(w, conflict, row, room);
        return;
    }
    if (is_there(run, entry))
        trap_error(run->trap, "23505");
    check_uniques(w, row, entry);
    row_states_write(run->store, entry, row);
    note_entry(w, entry);
    note_written(w, NULL, row);
    return_row(w, row, room);
}

void write_first(place *p, const struct relation *relation, const struct packed *row)
{
    const struct statement statement = { .relation = relation };
    struct outcome_of_statement outcome;
    struct row_entry *entry;
    struct writing w;

    begin(&w, p, &statement, &outcome);
    check_row(&w, row);
    entry = entry_of(p->run, relation, row);
    if (is_there(p->run, entry))
        trap_error(p->run->trap, "23505");
    check_uniques(&w, row, entry);
    row_states_write(p->run->store, entry, row);
}

void write_insert(place *p, const struct statement *statement, struct outcome_of_statement *outcome)
{
    const struct selection *s = statement->selection;
    struct result given = { .last = 1 };
    struct packed **rows;
    struct writing w;
    uint32_t room = 0;

    begin(&w, p, statement, outcome);
    if (s && s->values) {
        given.last = s->value_rows;
    } else if (s) {
        select_rows(p, s, &given);
        result_rely_on_order(p->run, &given, UINT32_MAX);
    }
    /* An earlier row may move the one with which a later row conflicts. */
    for (const struct relation_unique *u = w.relation->uniques; u && given.last - given.first > 1; u = u->next)
        if (sets_unique(&w, u->columns))
            run_rely_on_order(p->run);
    if (given.last - given.first > 1 && sets_unique(&w, w.relation->key))
        run_rely_on_order(p->run);
    rows = arena_take(memory_of(&w), given.last + 1, sizeof *rows);
    for (uint32_t i = given.first; i < given.last; i++)
        rows[i] = proposed_row(&w, s && !s->values ? given.rows[i]->cells : NULL,
                               s && s->values ? &s->values[i * s->shape->count] : NULL);
    for (uint32_t i = given.first; i < given.last; i++)
        insert_row(&w, rows[i], &room);
    check_references(&w);
}
