/*
 * Decides one key by zones, where each state that is needed has one producer.
 *
 *     chain    w x 1   r x 1   r x 1     cas 1 2   r x 2      (w x 1 -> cas 1 2: the one needs
 *              \______ cluster ______/   \___ cluster __/      what the other left)
 *     block    what has to come in one piece: a chain from what nobody had to find to its end
 *
 * Within a chain the order is known, but for readers of one state, which go as they were invoked: an
 * operation that was over before one was invoked that has to come first is a contradiction.
 * Between blocks, A comes before B if one of A was over before one of B was invoked: f(A) < s(B),
 * where f is A's first completion, and s B's last invocation. The only cycles that this makes are of
 * two: if there is one, then A with the least f on it comes before all others on it, also before the
 * one that comes before A. So there is an order unless two blocks come before each other:
 *
 *     f(A) < s(A)   forward zones  must not overlap
 *     s(B) <= f(B)  backward zones must not lie within a forward one
 *
 * and then they go by the smaller of f and s. After Gibbons and Korach, "Testing shared memories"
 * (1997), where each cluster is a block of its own.
 *
 * Of a list all is one chain: the append whose element stands behind [1 2] in what was read needs
 * [1 2]. Elements that nobody read were appended behind all others.
 */
#include "checkers/infer/linear/linear_zones_private.h"

#include <stdlib.h>

#include "base/bisect.h"

#define NO_KNOT UINT32_MAX
#define CLASH_MAX 400 /* calls that are handed on, if a contradiction needs more */

/* A call, and where it stands; one more is the initial value. */
struct knot {
    uint32_t need, set;     /* with appends resolved */
    uint32_t producer;      /* who left what it needs; the initial one likewise; or none */
    uint32_t next;          /* who writes and needs what it left */
    uint32_t readers, last_reader, next_reader;
    uint32_t block, place;
    bool counts, is_tail;
};

struct zone_block {
    uint32_t head, first, last; /* first over, last invoked: knots */
    int64_t f, s;
};

struct known_element {
    int64_t element;
    uint32_t state;
};

struct zones {
    struct task *task;
    struct linear_result *result;
    struct knot *knots;
    uint32_t initial; /* its knot */
    struct zone_block *blocks;
    uint32_t block_count, writer_count, head_count, tail_count, initial_state;
    ARRAY(struct known_element) elements;
    bool is_beyond; /* no case for zones */
    bool fails;
};

static struct mark *mark_of(struct zones *z, uint32_t state)
{
    struct mark *mark = &z->task->marks[state];

    if (mark->stamp != z->task->stamp)
        *mark = (struct mark){ .stamp = z->task->stamp, .producer = NO_KNOT };
    return mark;
}

static bool is_marked(const struct zones *z, uint32_t state)
{
    return z->task->marks[state].stamp == z->task->stamp;
}

static enum status clash(struct zones *z, uint32_t knot, struct error *err)
{
    z->fails = true;
    if (knot == z->initial || knot == NO_KNOT || z->result->clash.count >= CLASH_MAX)
        return STATUS_OK;
    return array_push(&z->result->clash, knot, err);
}

/* --- Appends ------------------------------------------------------------------------ */

/* A state that somebody found, and the lists that it goes on from. */
static enum status mark_found(struct zones *z, uint32_t state, struct error *err)
{
    const struct states *states = &z->task->calls->states;

    while (!is_marked(z, state)) {
        const struct state *s = &states->all.at[state];

        (void)mark_of(z, state);
        if (s->kind != VALUE_LIST)
            break;
        TRY(array_push(&z->elements, ((struct known_element){ s->bits, state }), err));
        state = s->parent;
    }
    return STATUS_OK;
}

static int compare_elements(const void *a, const void *b)
{
    const struct known_element *x = a, *y = b;

    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

static uint32_t find_element(const struct zones *z, int64_t element)
{
    size_t place;

    BISECT(place, 0, z->elements.count, z->elements.at[place].element < element);
    return place < z->elements.count && z->elements.at[place].element == element
               ? z->elements.at[place].state
               : STATE_ANY;
}

/* From behind, each where the one before it is known to have gone. */
static void resolve(struct zones *z, uint32_t knot)
{
    const struct calls *calls = z->task->calls;
    struct knot *k = &z->knots[knot];
    uint32_t at = z->task->at[knot].appended, state;

    state = k->set = find_element(z, calls->appended.at[at - 1].element);
    for (; at != 0; at = calls->appended.at[at - 1].before) {
        if (find_element(z, calls->appended.at[at - 1].element) != state) {
            z->is_beyond = true; /* seen in part, or not one after the other */
            return;
        }
        if (state != STATE_ANY)
            state = calls->states.all.at[state].parent;
    }
    k->need = state;
    k->is_tail = k->set == STATE_ANY && !z->task->at[knot].is_open;
    z->tail_count += k->is_tail;
}

/* Where two may have appended what was read, nobody knows who did. */
static void claim(struct zones *z, const struct knot *k)
{
    if (k->set == STATE_ANY)
        return;
    for (uint32_t s = k->set; s != k->need && s != STATE_ANY;
         s = z->task->calls->states.all.at[s].parent)
        z->is_beyond |= is_marked(z, s) && z->task->marks[s].claims++ > 0;
}

static enum status resolve_appends(struct zones *z, struct error *err)
{
    const struct task *task = z->task;
    bool has_appends = false, is_overwritten = false;

    for (uint32_t i = 0; i < task->count; i++) {
        has_appends |= task->at[i].appended != 0;
        is_overwritten |= task->at[i].overwrites;
    }
    if (!has_appends)
        return STATUS_OK;
    z->is_beyond = is_overwritten || z->initial_state != STATE_NOTHING;
    for (uint32_t i = 0; i < task->count; i++)
        if (z->knots[i].need != STATE_ANY)
            TRY(mark_found(z, z->knots[i].need, err));
    if (z->elements.count > 1)
        qsort(z->elements.at, z->elements.count, sizeof *z->elements.at, compare_elements);
    for (size_t i = 1; i < z->elements.count; i++)
        z->is_beyond |= z->elements.at[i].element == z->elements.at[i - 1].element;
    for (uint32_t i = 0; i < task->count && !z->is_beyond; i++)
        if (task->at[i].appended != 0)
            resolve(z, i);
    for (uint32_t i = 0; i < task->count && !z->is_beyond; i++)
        claim(z, &z->knots[i]);
    return STATUS_OK;
}

/* --- Producers ---------------------------------------------------------------------- */

static void note_producer(struct zones *z, uint32_t state, uint32_t knot)
{
    struct mark *mark = &z->task->marks[state];

    if (!is_marked(z, state))
        return;
    mark->count++;
    mark->producer = knot;
}

/* Open calls take part where somebody needs what they left. */
static void find_producers(struct zones *z)
{
    const struct task *task = z->task;

    for (uint32_t i = 0; i < task->count; i++)
        if (z->knots[i].need != STATE_ANY)
            (void)mark_of(z, z->knots[i].need);
    note_producer(z, z->initial_state, z->initial);
    for (uint32_t i = 0; i < task->count; i++) {
        struct knot *k = &z->knots[i];

        k->counts = !task->at[i].is_open ||
                    (k->set != STATE_ANY && is_marked(z, k->set));
        if (k->counts && k->set != STATE_ANY)
            note_producer(z, k->set, i);
    }
}

static enum status link_knot(struct zones *z, uint32_t i, struct error *err)
{
    struct knot *k = &z->knots[i], *p;
    const struct mark *mark;

    if (k->need == STATE_ANY) {
        k->producer = NO_KNOT;
        return STATUS_OK;
    }
    mark = &z->task->marks[k->need];
    z->is_beyond |= mark->count > 1;
    if (mark->count == 0)
        return clash(z, i, err);
    k->producer = mark->producer;
    p = &z->knots[k->producer];
    if (k->set == STATE_ANY) {
        if (p->last_reader == NO_KNOT)
            p->readers = i;
        else
            z->knots[p->last_reader].next_reader = i;
        p->last_reader = i;
        return STATUS_OK;
    }
    if (p->next != NO_KNOT) { /* both needed what only one can have found */
        TRY(clash(z, p->next, err));
        TRY(clash(z, k->producer, err));
        return clash(z, i, err);
    }
    p->next = i;
    return STATUS_OK;
}

static enum status link_all(struct zones *z, struct error *err)
{
    for (uint32_t i = 0; i < z->task->count; i++) {
        struct knot *k = &z->knots[i];

        if (!k->counts || k->is_tail)
            continue;
        z->writer_count += k->set != STATE_ANY;
        z->head_count += k->set != STATE_ANY && k->need == STATE_ANY;
        if (k->set != STATE_ANY || k->need != STATE_ANY)
            TRY(link_knot(z, i, err));
    }
    z->is_beyond |= z->tail_count > 0 && z->head_count > 0;
    return STATUS_OK;
}

/* --- Chains ------------------------------------------------------------------------- */

/* What comes between two of one chain, and both. */
static enum status clash_between(struct zones *z, uint32_t a, uint32_t b, struct error *err)
{
    uint32_t from = z->knots[a].place <= z->knots[b].place ? a : b, to = from == a ? b : a;
    uint32_t at = from == z->initial || z->knots[from].set != STATE_ANY || z->knots[from].is_tail
                      ? from
                      : z->knots[from].producer;

    TRY(clash(z, a, err));
    TRY(clash(z, b, err));
    while (at != NO_KNOT && z->knots[at].place <= z->knots[to].place) {
        TRY(clash(z, at, err));
        at = z->knots[at].next;
    }
    return STATUS_OK;
}

/* One more of the block, behind all up to `latest`, which was invoked last of them. */
static enum status add_to_block(struct zones *z, struct zone_block *b, uint32_t knot, uint32_t latest,
                                struct error *err)
{
    const struct call *c = &z->task->at[knot];

    if (latest != NO_KNOT && latest != z->initial && c->completed < z->task->at[latest].invoked &&
        !z->fails)
        TRY(clash_between(z, latest, knot, err));
    if (c->completed < b->f || b->first == NO_KNOT) {
        b->f = c->completed;
        b->first = knot;
    }
    if (c->invoked > b->s || b->last == NO_KNOT) {
        b->s = c->invoked;
        b->last = knot;
    }
    return STATUS_OK;
}

static uint32_t later(const struct zones *z, uint32_t a, uint32_t b)
{
    if (a == NO_KNOT || a == z->initial)
        return b;
    return z->task->at[b].invoked > z->task->at[a].invoked ? b : a;
}

static enum status walk_block(struct zones *z, uint32_t head, uint32_t *seen_count,
                              struct error *err)
{
    struct zone_block *b = &z->blocks[z->block_count];
    uint32_t latest = NO_KNOT, place = 0;

    *b = (struct zone_block){ head, NO_KNOT, NO_KNOT, INT64_MAX, INT64_MIN };
    if (head == z->initial) {
        b->f = INT64_MIN;
        b->first = b->last = head;
    }
    for (uint32_t at = head; at != NO_KNOT; at = z->knots[at].next, place++) {
        uint32_t behind;

        z->knots[at].place = place;
        z->knots[at].block = z->block_count;
        if (at != z->initial) {
            TRY(add_to_block(z, b, at, latest, err));
            latest = later(z, latest, at);
            *seen_count += 1;
        }
        behind = latest;
        for (uint32_t r = z->knots[at].readers; r != NO_KNOT; r = z->knots[r].next_reader) {
            z->knots[r].place = place;
            z->knots[r].block = z->block_count;
            TRY(add_to_block(z, b, r, latest, err));
            behind = later(z, behind, r);
        }
        latest = behind;
    }
    z->block_count++;
    return STATUS_OK;
}

/* Elements that nobody read, behind the end of the initial chain. */
static void link_tails(struct zones *z)
{
    uint32_t end = z->initial;

    if (z->tail_count == 0)
        return;
    while (z->knots[end].next != NO_KNOT)
        end = z->knots[end].next;
    for (uint32_t i = 0; i < z->task->count; i++)
        if (z->knots[i].is_tail) {
            z->knots[end].next = i;
            end = i;
        }
}

/* A circle of calls each of which needs what the one before it left. */
static enum status clash_circle(struct zones *z, struct error *err)
{
    for (uint32_t i = 0; i < z->task->count; i++) {
        struct knot *k = &z->knots[i];
        uint32_t at = i;

        if (!k->counts || k->set == STATE_ANY || k->block != NO_KNOT)
            continue;
        do {
            TRY(clash(z, at, err));
            z->knots[at].block = 0;
            at = z->knots[at].next;
        } while (at != NO_KNOT && z->knots[at].block == NO_KNOT);
        return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status walk_all(struct zones *z, struct error *err)
{
    uint32_t seen = 0;

    if (z->is_beyond || z->fails)
        return STATUS_OK;
    /* Who needs nothing of the circle's own is in no block: so circles are found by counting. */
    TRY(walk_block(z, z->initial, &seen, err));
    for (uint32_t i = 0; i < z->task->count && !z->fails; i++)
        if (z->knots[i].counts && z->knots[i].set != STATE_ANY && z->knots[i].need == STATE_ANY)
            TRY(walk_block(z, i, &seen, err));
    if (!z->fails && seen < z->writer_count + z->tail_count)
        return clash_circle(z, err);
    return STATUS_OK;
}

/* --- Blocks ------------------------------------------------------------------------- */

static bool is_forward(const struct zone_block *b)
{
    return b->f < b->s;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct zone_block *x = a, *y = b;
    int64_t first = is_forward(x) ? x->f : x->s, second = is_forward(y) ? y->f : y->s;

    if (first != second)
        return first < second ? -1 : 1;
    if (is_forward(x) != is_forward(y))
        return is_forward(x) ? 1 : -1;
    return (x->head > y->head) - (x->head < y->head);
}

static enum status clash_blocks(struct zones *z, const struct zone_block *a, const struct zone_block *b,
                                struct error *err)
{
    TRY(clash_between(z, a->first, a->last, err));
    return clash_between(z, b->first, b->last, err);
}

/* Two blocks of which each comes before the other, if there are any. Sorted, the initial first. */
static enum status compare_zones(struct zones *z, struct error *err)
{
    const struct zone_block *widest = NULL; /* forward, and reaches furthest */

    for (uint32_t i = 0; i < z->block_count; i++) {
        const struct zone_block *b = &z->blocks[i];

        /* Of backward zones `s` is the smaller: those behind a forward one's f, and within it. */
        if (widest && widest->f < b->s && b->f < widest->s)
            return clash_blocks(z, widest, b, err);
        if (is_forward(b) && (!widest || b->s > widest->s))
            widest = b;
    }
    return STATUS_OK;
}

static enum status put_order(struct zones *z, struct error *err)
{
    for (uint32_t i = 0; i < z->block_count; i++)
        for (uint32_t at = z->blocks[i].head; at != NO_KNOT; at = z->knots[at].next) {
            if (at != z->initial)
                TRY(array_push(&z->result->order, at, err));
            for (uint32_t r = z->knots[at].readers; r != NO_KNOT; r = z->knots[r].next_reader)
                TRY(array_push(&z->result->order, r, err));
        }
    return STATUS_OK;
}

static enum status judge(struct zones *z, struct error *err)
{
    TRY(resolve_appends(z, err));
    if (z->is_beyond)
        return STATUS_OK;
    find_producers(z);
    TRY(link_all(z, err));
    if (z->is_beyond)
        return STATUS_OK;
    link_tails(z);
    TRY(walk_all(z, err));
    if (z->fails)
        return STATUS_OK;
    if (z->block_count > 2)
        qsort(z->blocks + 1, z->block_count - 1, sizeof *z->blocks, compare_blocks);
    TRY(compare_zones(z, err));
    return z->fails ? STATUS_OK : put_order(z, err);
}

static enum status begin(struct zones *z, struct error *err)
{
    const struct task *task = z->task;

    TRY(memory_resize((void **)&z->knots, (size_t)task->count + 1, sizeof *z->knots, err));
    TRY(memory_resize((void **)&z->blocks, (size_t)task->count + 1, sizeof *z->blocks, err));
    for (uint32_t i = 0; i <= task->count; i++)
        z->knots[i] = (struct knot){ .need = i < task->count ? task->at[i].need : STATE_ANY,
                                     .set = i < task->count ? task->at[i].set : z->initial_state,
                                     .producer = NO_KNOT,
                                     .next = NO_KNOT,
                                     .readers = NO_KNOT,
                                     .last_reader = NO_KNOT,
                                     .next_reader = NO_KNOT,
                                     .block = NO_KNOT };
    return STATUS_OK;
}

enum status linear_zones_decide(struct task *task, bool *is_decided, struct linear_result *result,
                                struct error *err)
{
    struct zones z = { .task = task,
                       .result = result,
                       .initial = task->count,
                       .initial_state = task->initial };
    enum status status = begin(&z, err);

    task->stamp++;
    if (status == STATUS_OK)
        status = judge(&z, err);
    *is_decided = !z.is_beyond;
    result->answer = z.fails ? LINEAR_FAILS : LINEAR_HOLDS;
    free(z.knots);
    free(z.blocks);
    array_close(&z.elements);
    return status;
}
