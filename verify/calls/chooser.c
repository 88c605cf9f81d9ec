#include "verify/calls/chooser_private.h"

#include <string.h>

void chooser_begin(struct chooser *c, enum chooses chooses, uint32_t limit, struct choice *choices,
                   uint32_t room)
{
    *c = (struct chooser){
        .chooses = chooses, .limit = limit, .is_first = true, .choices = choices, .room = room
    };
}

bool chooser_next(struct chooser *c)
{
    uint32_t made = c->made;

    c->made = c->statement = 0;
    if (c->is_first) {
        c->is_first = false;
        return true;
    }
    while (made > 0) {
        struct choice *last = &c->choices[made - 1];
        /* Between where something began and the state itself all is the same. */
        uint32_t same = last->entry || last->began > last->value ? last->value : last->began;

        if (same > last->low) {
            last->value = same - 1;
            c->kept = made;
            return true;
        }
        made--;
    }
    return false;
}

/*
 * The next choice of the run; `fresh` says what it is if the run before did not come to it. That happens in the midst of
 * those that are taken over, too: an index may have a row under a value that a run has written since.
 */
static struct choice *choose(struct chooser *c, struct run *run, const struct choice *fresh)
{
    struct choice *choice = &c->choices[c->made];

    if (c->made == c->room || c->kept == c->room) {
        c->has_overflowed = true;
        trap_unknown(run->trap, "transactions of so many statements");
    }
    c->made++;
    if (c->made <= c->kept && choice->entry == fresh->entry)
        return choice;
    if (c->made <= c->kept) {
        memmove(choice + 1, choice, (c->kept - c->made + 1) * sizeof *choice);
        c->kept++;
    }
    *choice = *fresh;
    return choice;
}

/* Rows are told apart by their versions; the same one again is the same choice. */
static uint32_t choose_row(void *context, struct row_entry *entry, uint64_t ignored)
{
    struct run *run = context;
    struct chooser *c = run->context;
    uint32_t count = 0;
    struct choice *choice;

    (void)ignored;
    while (count < entry->count && entry->versions[count].position <= c->limit)
        count++;
    for (uint32_t i = c->statement; i < c->made; i++)
        if (c->choices[i].entry == entry)
            return c->choices[i].value;
    choice = choose(c, run, &(struct choice){
                                .entry = entry,
                                .value = count,
                                .low = count > 0 && entry->versions[0].position == 0, /* an initial row is in all states */
                            });
    return choice->value;
}

void chooser_see(struct run *run, uint32_t statement)
{
    struct chooser *c = run->context;
    struct choice *choice, *before;
    uint32_t low = 0;

    run->newest = (struct row_view){ .state = run->before };
    run->view = (struct row_view){ .state = c->limit };
    if (c->chooses == CHOOSES_NOTHING)
        return;
    if (c->chooses == CHOOSES_EACH_ROW) {
        c->statement = c->made;
        run->view.choose = choose_row;
        run->view.context = run;
        return;
    }
    before = c->made > 0 ? &c->choices[c->made - 1] : NULL;
    if (c->chooses == CHOOSES_ONE && before) {
        run->view = (struct row_view){ .state = before->value, .began = &before->began };
        return;
    }
    /* As early as it can be told: so the next one has most to choose from. */
    if (c->chooses == CHOOSES_FORWARD && before)
        low = before->began > before->low ? before->began : before->low;
    choice = choose(c, run, &(struct choice){ .value = c->limit, .low = low });
    choice->began = 0;
    run->view = (struct row_view){ .state = choice->value, .began = &choice->began };
    (void)statement;
}

uint32_t chooser_state(const struct chooser *c)
{
    return c->made > 0 ? c->choices[0].value : c->limit;
}
