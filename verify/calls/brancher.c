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

/* What the row is in a state: what the last group leaves of it, or the one before that. */
static uint32_t choose_outcomes(struct brancher *b, struct run *run, struct row_entry *entry, uint64_t ignored,
                                uint32_t state)
{
    struct possible_option options[OUTCOMES_MAX + 1];

    for (uint32_t last = row_states_count(entry, state), first; last > 0; last = first - 1) {
        struct branch wanted = { .kind = BRANCH_OUTCOME, .entry = entry, .ignored = ignored };
        const struct possible_option *option = options;

        if (entry->versions[last - 1].is_open)
            meet_open(b, run);
        wanted.position = entry->versions[last - 1].position;
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

/* What it may be when other columns of the row have been looked at in this run. */
static bool fits(const struct brancher *b, const struct branch *branch, uint32_t content)
{
    for (uint32_t i = 0; i + 1 < b->made; i++) {
        const struct branch *other = &b->branches[i];

        if (other->kind == BRANCH_CONTENT && other->entry == branch->entry && other->scope == branch->scope &&
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

static void add_content(struct brancher *b, struct branch *branch, struct listed *listed, uint32_t content)
{
    uint32_t *head = &listed->heads[possible_rows_hash(branch->entry, branch->ignored, content) % listed->room];

    for (uint32_t place = *head; place > 0; place = listed->nexts[place - 1])
        if (possible_rows_alike(branch->entry, branch->ignored, branch->contents[place - 1], content))
            return;
    if (!fits(b, branch, content))
        return;
    branch->contents[branch->count] = content;
    listed->nexts[branch->count] = *head;
    *head = ++branch->count;
}

/*
 * What the row may ever hold, up to the limit. In real time: not what was invoked after its completion; and nothing
 * before one who writes the row in any case and was completed before its invocation, since writers of a row stand in
 * the order of their positions. Of one who comes before it the outcomes are known.
 */
static void list_contents(struct brancher *b, struct run *run, struct branch *branch)
{
    const struct row_entry *entry = branch->entry;
    struct possible_option options[OUTCOMES_MAX + 1];
    struct listed listed = { .room = entry->count + 1 };
    bool is_hidden = false;

    branch->contents = arena_take(b->rows.store->arena, listed.room, sizeof *branch->contents);
    listed.heads = arena_take(run->bench.arena, listed.room, sizeof *listed.heads);
    listed.nexts = arena_take(run->bench.arena, listed.room, sizeof *listed.nexts);
    for (uint32_t last = row_states_count(entry, b->limit), first; last > 0 && !is_hidden; last = first - 1) {
        uint32_t position = entry->versions[last - 1].position;
        uint32_t count = possible_rows_options(&b->rows, entry, branch->ignored, last, options, &first);

        is_hidden = position == 0;
        if (b->spans && b->spans[position].invoked > b->span.completed && position > 0)
            continue;
        if (entry->versions[last - 1].is_open)
            meet_open(b, run);
        for (uint32_t i = 0; i < count; i++)
            if (!options[i].is_before)
                add_content(b, branch, &listed, options[i].content);
        if (b->spans && b->spans[position].completed < b->span.invoked)
            is_hidden |= entry->versions[last - 1].is_sure || possible_rows_all_write(&b->rows, entry, last);
    }
    if (!is_hidden)
        add_content(b, branch, &listed, 0);
}

static uint32_t choose_content(struct brancher *b, struct run *run, struct row_entry *entry, uint64_t ignored,
                               uint32_t scope)
{
    struct branch *branch;

    for (uint32_t i = 0; i < b->made; i++) {
        branch = &b->branches[i];
        if (branch->kind == BRANCH_CONTENT && branch->entry == entry && branch->scope == scope &&
            branch->ignored == ignored)
            return branch->contents[branch->value];
    }
    branch = next_branch(b, run, &(struct branch){ .kind = BRANCH_CONTENT, .entry = entry, .ignored = ignored,
                                                   .scope = scope });
    if (branch->is_new) {
        branch->is_new = false;
        list_contents(b, run, branch);
    }
    if (branch->count == 0) { /* by other columns of it, or by time */
        b->is_contradictory = true;
        trap_unknown(run->trap, "a row that is not what it is");
    }
    return branch->contents[branch->value];
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
    if (b->chooses == CHOOSES_EVER || b->chooses == CHOOSES_EACH_ROW)
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
    if (b->chooses == CHOOSES_NOTHING || b->chooses == CHOOSES_EVER) {
        b->seen = look_from(b, run, SCOPE_ALL, &b->fixed);
    } else if (b->chooses == CHOOSES_EACH_ROW) {
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

bool brancher_saw(const struct brancher *b, struct row_entry *entry, uint32_t state)
{
    for (uint32_t i = 0; i < b->made; i++) {
        const struct branch *branch = &b->branches[i];

        if (branch->kind == BRANCH_CONTENT && branch->entry == entry &&
            !possible_rows_may_hold(&b->rows, entry, branch->ignored, state, branch->contents[branch->value]))
            return false;
    }
    return true;
}
