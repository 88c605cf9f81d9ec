#include "verify/calls/brancher_private.h"

#include <string.h>

#define SCOPE_NEWEST 0
#define SCOPE_ALL 1

/* --- States that make sense ----------------------------------------------------------------- */

/*
 * To the last state not after this one that is not ruled out. False: there is none. Who changes a row must have seen
 * it as it is before the transaction's place, by whichever rule of first committer.
 */
static bool find_state(struct brancher *b, uint32_t *state)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t i = 0; b->chooses == CHOOSES_ONE && b->sure && i < b->sure->row_count; i++) {
            uint32_t found = *state;

            if (!b->sure->rows[i].changes)
                continue;
            if (!possible_rows_unchanged(&b->rows, b->sure->rows[i].entry, b->own, &found) || found < b->low)
                return false;
            moved |= found != *state;
            *state = found;
        }
    }
    return true;
}

/* --- From run to run ---------------------------------------------------------------------------- */

enum chooses brancher_chooses_at(const struct audit_witness *w, enum audited_model model)
{
    static const enum chooses by_model[] = { [MODEL_LOCKING] = CHOOSES_FORWARD,
                                             [MODEL_STATEMENT] = CHOOSES_EACH,
                                             [MODEL_PAPER] = CHOOSES_EACH_ROW };

    return audited_at_snapshot_level(w) ? CHOOSES_ONE : by_model[model];
}

void brancher_end(struct brancher *b)
{
    for (; b->narrowed_count > 0; b->narrowed_count--) {
        struct possible_writer *writer = &b->rows.writers[b->narrowed[b->narrowed_count - 1]];

        writer->left = writer->possible;
    }
}

void brancher_begin(struct brancher *b)
{
    brancher_end(b);
    b->is_first = true;
    b->made = b->kept = 0;
    b->list_count = 0;
}

bool brancher_next(struct brancher *b)
{
    uint32_t made = b->made;

    brancher_end(b);
    b->made = 0;
    b->is_contradictory = b->met_open = false;
    if (b->is_first) {
        uint32_t state = b->limit;

        b->is_first = false;
        return b->low <= b->limit && find_state(b, &state);
    }
    for (; made > 0; made--) {
        struct branch *last = &b->branches[made - 1];
        uint32_t state;

        b->kept = made;
        if (last->kind != BRANCH_STATE) {
            if (++last->value < last->count)
                return true;
            continue;
        }
        if (last->began_in_all <= last->low)
            continue;
        state = last->began_in_all - 1;
        if (!find_state(b, &state) || state < last->low)
            continue;
        last->value = state;
        last->began_in_all = 0;
        return true;
    }
    return false;
}

static bool has_state(const struct brancher *b)
{
    return b->made > 0 && b->branches[0].kind == BRANCH_STATE;
}

uint32_t brancher_state(const struct brancher *b)
{
    return has_state(b) ? b->branches[0].value : b->limit;
}

uint32_t brancher_began(const struct brancher *b)
{
    return has_state(b) ? b->branches[0].began : 0;
}

/* --- Seeing --------------------------------------------------------------------------------------- */

static bool is_same_branch(const struct branch *a, const struct branch *b)
{
    return a->kind == b->kind && a->entry == b->entry && a->scope == b->scope && a->ignored == b->ignored &&
           a->position == b->position;
}

/*
 * The next branch of the run; it is taken over from the run before where that stood at the same one. A run may look
 * at a row that the run before did not meet, because an index has it under a value that a run has written since: its
 * branch then stands before those that are taken over. If that leaves fewer options at one of these, it begins anew.
 */
static struct branch *next_branch(struct brancher *b, struct run *run, const struct branch *wanted)
{
    struct branch *branch = &b->branches[b->made];

    if (b->made == BRANCHES_MAX || b->kept == BRANCHES_MAX)
        trap_unknown(run->trap, "transactions that may see so many things");
    b->made++;
    if (b->made <= b->kept && is_same_branch(branch, wanted)) {
        if (branch->kind != BRANCH_OUTCOME || branch->count == wanted->count)
            return branch;
        b->kept = b->made - 1;
    }
    if (b->made <= b->kept) {
        memmove(branch + 1, branch, (b->kept - b->made + 1) * sizeof *branch);
        b->kept++;
    }
    *branch = *wanted;
    branch->is_new = true;
    return branch;
}

static bool is_sure_row(const struct brancher *b, const struct row_entry *entry)
{
    for (uint32_t i = 0; b->sure && i < b->sure->row_count; i++)
        if (b->sure->rows[i].entry == entry)
            return true;
    return false;
}

static void note_began(struct branch *branch, uint32_t position)
{
    if (branch->began < position)
        branch->began = position;
    if (branch->began_in_all < position)
        branch->began_in_all = position;
}

static _Noreturn void meet_open(struct brancher *b, struct run *run)
{
    b->met_open = true;
    trap_unknown(run->trap, "what is in a row that it may have read");
}

/* Whether they are about the same content of a row. */
static bool is_of_same(const struct branch *a, const struct branch *b)
{
    return a->kind == BRANCH_CONTENT && a->entry == b->entry && a->scope == b->scope && a->position == b->position;
}

/* What it may be when other columns of the row have been looked at in this run. */
static bool fits(const struct brancher *b, const struct branch *branch, uint32_t content)
{
    for (uint32_t i = 0; i + 1 < b->made; i++) {
        const struct branch *other = &b->branches[i];

        if (is_of_same(other, branch) &&
            !possible_rows_alike(branch->entry, branch->ignored | other->ignored, content,
                                 other->contents[other->value]))
            return false;
    }
    return true;
}

/* Contents by their hashes, as lists of places from 1. */
struct listed {
    uint32_t *heads, *nexts, room;
};

static void add_content(struct content_list *list, struct listed *listed, uint32_t content)
{
    uint32_t *head = &listed->heads[possible_rows_hash(list->entry, list->ignored, content) % listed->room];

    for (uint32_t place = *head; place > 0; place = listed->nexts[place - 1])
        if (possible_rows_alike(list->entry, list->ignored, list->contents[place - 1], content))
            return;
    list->contents[list->count] = content;
    listed->nexts[list->count] = *head;
    *head = ++list->count;
}

/* What a group may leave of the row. Returns the version behind the group before. */
static uint32_t add_group(struct brancher *b, struct content_list *list, struct listed *listed, uint32_t last)
{
    struct possible_option options[OUTCOMES_MAX + 1];
    uint32_t first = possible_rows_first(list->entry, last), count;
    bool may_be_before;

    if (possible_rows_is_split(&b->rows, list->entry, last, &may_be_before)) {
        for (uint32_t v = first; v <= last; v++)
            add_content(list, listed, v);
        return first;
    }
    count = possible_rows_options(&b->rows, list->entry, list->ignored, last, options, &first);
    for (uint32_t i = 0; i < count; i++)
        if (!options[i].is_before)
            add_content(list, listed, options[i].content);
    return first;
}

static void begin_list(struct brancher *b, struct run *run, struct content_list *list, struct listed *listed,
                       uint32_t room)
{
    list->contents = arena_take(b->rows.store->arena, room, sizeof *list->contents);
    listed->room = room;
    listed->heads = arena_take(run->bench.arena, room, sizeof *listed->heads);
    listed->nexts = arena_take(run->bench.arena, room, sizeof *listed->nexts);
}

/*
 * What the row may ever hold, up to the limit. In real time: not what was invoked after its completion; and nothing
 * before one who writes the row in any case and was completed before its invocation, since writers of a row stand in
 * the order of their positions. Of one who comes before it the outcomes are known. Nor is anything seen that is
 * overwritten in all states that may be.
 */
static void list_ever(struct brancher *b, struct run *run, struct content_list *list)
{
    const struct row_entry *entry = list->entry;
    struct listed listed;
    bool is_hidden = false;

    begin_list(b, run, list, &listed, entry->count + 1);
    for (uint32_t last = row_states_count(entry, b->limit), first; last > 0 && !is_hidden; last = first - 1) {
        uint32_t position = entry->versions[last - 1].position;
        bool is_before;

        is_hidden = position == 0;
        first = possible_rows_first(entry, last);
        if (b->spans && b->spans[position].invoked > b->span.completed && position > 0)
            continue;
        if (entry->versions[last - 1].is_open)
            meet_open(b, run);
        add_group(b, list, &listed, last);
        is_before = position <= b->low || (b->spans && b->spans[position].completed < b->span.invoked);
        if (is_before)
            is_hidden |= entry->versions[last - 1].is_sure || possible_rows_all_write(&b->rows, entry, last);
    }
    if (!is_hidden)
        add_content(list, &listed, 0);
}

/* By one who is split. */
static void list_group(struct brancher *b, struct run *run, struct content_list *list, uint32_t last,
                       bool may_be_before)
{
    struct listed listed;

    begin_list(b, run, list, &listed, list->entry->count + 1);
    add_group(b, list, &listed, last);
    if (may_be_before)
        add_content(list, &listed, CONTENT_BEFORE);
}

/* Of a list what may be when other columns of the row have been looked at in this run. */
static void take_contents(struct brancher *b, struct branch *branch, const struct content_list *list)
{
    bool is_free = true;

    for (uint32_t i = 0; i + 1 < b->made; i++)
        is_free &= !is_of_same(&b->branches[i], branch);
    branch->contents = list->contents;
    branch->count = list->count;
    if (is_free)
        return;
    branch->contents = arena_take(b->rows.store->arena, list->count + 1, sizeof *branch->contents);
    branch->count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (fits(b, branch, list->contents[i]))
            branch->contents[branch->count++] = list->contents[i];
}

/* The list is that of all runs unless some outcomes are left out in this one. */
static void list_contents(struct brancher *b, struct run *run, struct branch *branch)
{
    struct content_list list = { .entry = branch->entry, .ignored = branch->ignored };
    bool is_lasting = b->narrowed_count == 0;

    for (uint32_t i = 0; i < b->list_count && is_lasting; i++)
        if (b->lists[i].entry == list.entry && b->lists[i].ignored == list.ignored) {
            take_contents(b, branch, &b->lists[i]);
            return;
        }
    list_ever(b, run, &list);
    if (is_lasting && b->list_count < CONTENT_LISTS_MAX)
        b->lists[b->list_count++] = list;
    take_contents(b, branch, &list);
}

/* The branch for these columns, if the run has one. */
static struct branch *find_content(struct brancher *b, const struct branch *wanted)
{
    for (uint32_t i = 0; i < b->made; i++)
        if (b->branches[i].ignored == wanted->ignored && is_of_same(&b->branches[i], wanted))
            return &b->branches[i];
    return NULL;
}

static uint32_t content_of(struct brancher *b, struct run *run, const struct branch *branch)
{
    if (branch->count == 0) { /* by other columns of it, or by time */
        b->is_contradictory = true;
        trap_unknown(run->trap, "a row that is not what it is");
    }
    return branch->contents[branch->value];
}

/* What one who is split has left of the row. */
static uint32_t choose_of_split(struct brancher *b, struct run *run, const struct branch *wanted, uint32_t last,
                                bool may_be_before)
{
    struct content_list list = { .entry = wanted->entry, .ignored = wanted->ignored };
    struct branch *branch = find_content(b, wanted);

    if (branch)
        return content_of(b, run, branch);
    branch = next_branch(b, run, wanted);
    if (branch->is_new) {
        branch->is_new = false;
        list_group(b, run, &list, last, may_be_before);
        take_contents(b, branch, &list);
    }
    return content_of(b, run, branch);
}

/* What the row is in a state: what the last group leaves of it, or the one before that. */
static uint32_t choose_outcomes(struct brancher *b, struct run *run, struct row_entry *entry, uint64_t ignored,
                                uint32_t state)
{
    struct possible_option options[OUTCOMES_MAX + 1];

    for (uint32_t last = row_states_count(entry, state), first; last > 0; last = first - 1) {
        struct branch wanted = { .kind = BRANCH_OUTCOME, .entry = entry, .ignored = ignored };
        const struct possible_option *option = options;
        bool may_be_before;

        if (entry->versions[last - 1].is_open)
            meet_open(b, run);
        wanted.position = entry->versions[last - 1].position;
        if (possible_rows_is_split(&b->rows, entry, last, &may_be_before)) {
            uint32_t content;

            wanted.kind = BRANCH_CONTENT;
            first = possible_rows_first(entry, last);
            content = choose_of_split(b, run, &wanted, last, may_be_before);
            if (content != CONTENT_BEFORE)
                return content;
            continue;
        }
        wanted.count = possible_rows_options(&b->rows, entry, ignored, last, options, &first);
        if (wanted.count > 1) {
            option += next_branch(b, run, &wanted)->value;
            b->rows.writers[wanted.position].left = option->outcomes;
            b->narrowed[b->narrowed_count++] = wanted.position;
        }
        if (!option->is_before)
            return option->content;
    }
    return 0;
}

static uint32_t choose_content(struct brancher *b, struct run *run, struct row_entry *entry, uint64_t ignored,
                               uint32_t scope)
{
    const struct branch wanted = { .kind = BRANCH_CONTENT, .entry = entry, .ignored = ignored, .scope = scope };
    struct branch *branch = find_content(b, &wanted);

    if (branch)
        return content_of(b, run, branch);
    branch = next_branch(b, run, &wanted);
    if (branch->is_new) {
        branch->is_new = false;
        list_contents(b, run, branch);
    }
    return content_of(b, run, branch);
}

static uint32_t choose(void *context, struct row_entry *entry, uint64_t ignored)
{
    struct brancher_sight *sight = context;
    struct brancher *b = sight->b;

    if (entry->is_wild)
        meet_open(b, sight->run);
    if (entry->count == 0)
        return 0;
    if (b->rows.are_known)
        ignored = 0; /* a row is that of one state, whatever is looked at of it */
    if (b->chooses == CHOOSES_EVER && is_sure_row(b, entry))
        return choose_outcomes(b, sight->run, entry, ignored, b->own);
    if (b->chooses == CHOOSES_EVER || b->chooses == CHOOSES_EACH_ROW || (b->is_coarse && sight != b->newest))
        return choose_content(b, sight->run, entry, ignored, sight->scope);
    note_began(sight->branch, possible_rows_since(&b->rows, entry, ignored, sight->state));
    return choose_outcomes(b, sight->run, entry, ignored, sight->state);
}

/* A state, from the limit down. */
static struct branch *choose_state(struct brancher *b, struct run *run, uint32_t limit, uint32_t low)
{
    struct branch *branch = next_branch(b, run, &(struct branch){ .kind = BRANCH_STATE });

    if (branch->is_new) {
        branch->is_new = false;
        branch->value = limit;
        branch->low = low;
        branch->began_in_all = 0;
        find_state(b, &branch->value);
    }
    branch->began = 0;
    return branch;
}

/* A statement goes on in its own state when others have been executed within it. */
static struct brancher_sight *look_from(struct brancher *b, struct run *run, uint32_t scope, struct branch *branch)
{
    struct brancher_sight *sight = arena_take(run->bench.arena, 1, sizeof *sight);

    *sight = (struct brancher_sight){ .b = b, .run = run, .scope = scope, .state = branch->value, .branch = branch };
    return sight;
}

static struct row_view view_from(struct brancher_sight *sight)
{
    return (struct row_view){ .state = sight->state, .choose = choose, .context = sight };
}

void brancher_see(struct run *run, uint32_t statement)
{
    struct brancher *b = run->context;
    struct branch *before = statement > 0 ? b->seen->branch : NULL, *branch = &b->fixed;
    uint32_t low = b->low;

    if (!before) {
        b->fixed.value = b->limit;
        if (b->chooses_place)
            branch = choose_state(b, run, b->limit, low);
        b->newest = look_from(b, run, SCOPE_NEWEST, branch);
    }
    run->newest = view_from(b->newest);
    if (b->chooses == CHOOSES_NOTHING || b->chooses == CHOOSES_EVER || (b->is_coarse && b->chooses == CHOOSES_ONE)) {
        b->seen = look_from(b, run, SCOPE_ALL, &b->fixed);
    } else if (b->chooses == CHOOSES_EACH_ROW || b->is_coarse) {
        b->seen = look_from(b, run, SCOPE_ALL + statement, &b->fixed);
    } else if (b->chooses != CHOOSES_ONE || !before) {
        if (b->chooses == CHOOSES_FORWARD && before) { /* as early as it can be told */
            low = before->low > low ? before->low : low;
            low = before->began > low ? before->began : low;
        }
        b->seen = look_from(b, run, SCOPE_ALL + statement, choose_state(b, run, b->newest->state, low));
    }
    run->view = view_from(b->seen);
}

bool brancher_saw(const struct brancher *b, struct row_entry *entry, uint32_t state, const struct packed *const *like)
{
    for (uint32_t i = 0; i < b->made; i++) {
        const struct branch *branch = &b->branches[i];
        uint32_t content;

        if (branch->kind != BRANCH_CONTENT || branch->entry != entry || branch->position > 0)
            continue;
        content = branch->contents[branch->value];
        if (!possible_rows_may_hold(&b->rows, entry, branch->ignored, state, content) &&
            !(like && possible_rows_like(entry->relation, branch->ignored, *like, possible_row(entry, content))))
            return false;
    }
    return true;
}
