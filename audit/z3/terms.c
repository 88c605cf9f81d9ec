#include "audit/z3/terms_private.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define LEAVES_MAX 16 /* of constants that are computed with one by one */

/* --- Nodes ---------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct term_node *n)
{
    return hash_mix(hash_mix(n->kind, n->of[0]), (uint64_t)n->of[1] << 32 | n->of[2]);
}

static bool is_same(const struct term_node *a, const struct term_node *b)
{
    return a->kind == b->kind && memcmp(a->of, b->of, sizeof a->of) == 0;
}

static void put_slot(struct terms *t, uint32_t place)
{
    uint64_t at = hash_of(&t->nodes[place]) & (t->slot_count - 1);

    while (t->slots[at] > 0)
        at = (at + 1) & (t->slot_count - 1);
    t->slots[at] = place + 1;
}

static void grow(struct terms *t)
{
    uint32_t room = t->room > 0 ? 2 * t->room : 1024;
    struct term_node *nodes = arena_take(t->arena, room, sizeof *nodes);

    if (t->count > 0)
        memcpy(nodes, t->nodes, t->count * sizeof *nodes);
    t->nodes = nodes;
    t->room = room;
    t->slot_count = 4 * room;
    t->slots = arena_take(t->arena, t->slot_count, sizeof *t->slots);
    for (uint32_t i = 0; i < t->count; i++)
        put_slot(t, i);
}

static term add_node(struct terms *t, struct term_node n)
{
    uint64_t at;

    if (t->count == t->room)
        grow(t);
    for (at = hash_of(&n) & (t->slot_count - 1); t->slots[at] > 0;
         at = (at + 1) & (t->slot_count - 1))
        if (is_same(&t->nodes[t->slots[at] - 1], &n))
            return t->slots[at] - 1;
    n.known = t->count;
    t->nodes[t->count] = n;
    t->slots[at] = ++t->count;
    return t->count - 1;
}

void terms_init(struct terms *t, struct arena *arena, struct smt *smt)
{
    struct term_node n = { .kind = TERM_TRUTH, .is_boolean = true, .leaves = 1 };

    *t = (struct terms){ .smt = smt, .arena = arena };
    add_node(t, n);
    n.of[0] = n.low = n.high = 1;
    add_node(t, n);
}

term terms_number(struct terms *t, int64_t number)
{
    uint64_t bits = (uint64_t)number;

    return add_node(t, (struct term_node){ .kind = TERM_NUMBER,
                                           .leaves = 1,
                                           .of = { (uint32_t)bits, (uint32_t)(bits >> 32) },
                                           .low = number,
                                           .high = number });
}

term terms_constant(struct terms *t, term a, int64_t value)
{
    return t->nodes[a].is_boolean ? terms_truth(value != 0) : terms_number(t, value);
}

term terms_as_number(struct terms *t, term truth)
{
    return terms_if(t, truth, terms_number(t, 1), terms_number(t, 0));
}

term terms_choice(struct terms *t, int64_t low, int64_t high)
{
    if (low == high)
        return terms_number(t, low);
    return add_node(
        t, (struct term_node){ .kind = TERM_FREE, .of = { t->count }, .low = low, .high = high });
}

term terms_free_truth(struct terms *t)
{
    return add_node(t, (struct term_node){
                           .kind = TERM_FREE, .is_boolean = true, .of = { t->count }, .high = 1 });
}

/* Of a result that is between these. */
static term add_integer(struct terms *t, enum term_kind kind, term a, term b, __int128 low,
                        __int128 high)
{
    struct term_node n = { .kind = (uint8_t)kind, .of = { a, b } };

    if (low < INT64_MIN || high > INT64_MAX) {
        t->overflows = true;
        return terms_number(t, 0);
    }
    n.low = (int64_t)low;
    n.high = (int64_t)high;
    return low == high ? terms_number(t, n.low) : add_node(t, n);
}

static term add_truth(struct terms *t, enum term_kind kind, term a, term b)
{
    return add_node(t, (struct term_node){
                           .kind = (uint8_t)kind, .is_boolean = true, .of = { a, b }, .high = 1 });
}

/* --- What constants under conditions become ------------------------------------------------------------- */

typedef term with_constant(struct terms *, term, term constant);

static bool is_small_tree(const struct terms *t, term a)
{
    return t->nodes[a].kind == TERM_IF && t->nodes[a].leaves > 0 &&
           t->nodes[a].leaves <= LEAVES_MAX;
}

/* f(if c then a else b, k) as: if c then f(a, k) else f(b, k). */
static term push_in(struct terms *t, with_constant *f, term tree, term constant)
{
    struct term_node n = t->nodes[tree];

    if (n.kind != TERM_IF)
        return f(t, tree, constant);
    return terms_if(t, n.of[0], push_in(t, f, n.of[1], constant), push_in(t, f, n.of[2], constant));
}

/* --- Integers ------------------------------------------------------------------------------------------- */

static void put_constant_last(const struct terms *t, term *a, term *b)
{
    term first = *a;

    if (!terms_is_constant(t, first))
        return;
    *a = *b;
    *b = first;
}

term terms_add(struct terms *t, term a, term b)
{
    const struct term_node *x, *y;

    put_constant_last(t, &a, &b);
    x = &t->nodes[a];
    y = &t->nodes[b];
    if (terms_is_constant(t, b)) {
        if (y->low == 0)
            return a;
        if (x->kind == TERM_ADD && terms_is_constant(t, x->of[1]))
            return terms_add(t, x->of[0], terms_add(t, x->of[1], b));
        if (is_small_tree(t, a))
            return push_in(t, terms_add, a, b);
    } else if (a > b) {
        return terms_add(t, b, a);
    }
    return add_integer(t, TERM_ADD, a, b, (__int128)x->low + y->low, (__int128)x->high + y->high);
}

term terms_subtract(struct terms *t, term a, term b)
{
    return terms_add(t, a, terms_multiply(t, b, terms_number(t, -1)));
}

term terms_multiply(struct terms *t, term a, term b)
{
    const struct term_node *x, *y;
    __int128 ends[4], low, high;

    put_constant_last(t, &a, &b);
    x = &t->nodes[a];
    y = &t->nodes[b];
    if (terms_is_constant(t, b) && y->low == 1)
        return a;
    if (terms_is_constant(t, b) && is_small_tree(t, a))
        return push_in(t, terms_multiply, a, b);
    ends[0] = (__int128)x->low * y->low;
    ends[1] = (__int128)x->low * y->high;
    ends[2] = (__int128)x->high * y->low;
    ends[3] = (__int128)x->high * y->high;
    low = high = ends[0];
    for (int i = 1; i < 4; i++) {
        low = ends[i] < low ? ends[i] : low;
        high = ends[i] > high ? ends[i] : high;
    }
    return add_integer(t, TERM_MULTIPLY, a, b, low, high);
}

/* Of what is not below zero. */
static term divide_down(struct terms *t, term a, term divisor)
{
    const struct term_node *x = &t->nodes[a];
    int64_t by = t->nodes[divisor].low;

    return add_integer(t, TERM_DIVIDE, a, divisor, x->low > 0 ? x->low / by : 0,
                       x->high > 0 ? x->high / by : 0);
}

term terms_divide(struct terms *t, term a, int64_t number)
{
    term divisor = terms_number(t, number), minus = terms_number(t, -1);

    assert(number > 0);
    if (terms_is_constant(t, a))
        return terms_number(t, t->nodes[a].low / number);
    return terms_if(t, terms_at_least(t, a, 0), divide_down(t, a, divisor),
                    terms_multiply(t, divide_down(t, terms_multiply(t, a, minus), divisor), minus));
}

/* --- Comparisons ---------------------------------------------------------------------------------------- */

static term at_least_constant(struct terms *t, term a, term constant)
{
    return terms_at_most(t, constant, a);
}

term terms_at_most(struct terms *t, term a, term b)
{
    const struct term_node *x = &t->nodes[a], *y = &t->nodes[b];

    if (a == b || x->high <= y->low)
        return TERM_TRUE;
    if (x->low > y->high)
        return TERM_FALSE;
    if (terms_is_constant(t, b) && is_small_tree(t, a))
        return push_in(t, terms_at_most, a, b);
    if (terms_is_constant(t, a) && is_small_tree(t, b))
        return push_in(t, at_least_constant, b, a);
    return add_truth(t, TERM_AT_MOST, a, b);
}

static term equal_truths(struct terms *t, term a, term b)
{
    return terms_if(t, a, b, terms_not(t, b));
}

term terms_equal(struct terms *t, term a, term b)
{
    const struct term_node *x, *y;

    if (a == b)
        return TERM_TRUE;
    if (t->nodes[a].is_boolean)
        return equal_truths(t, a, b);
    put_constant_last(t, &a, &b);
    x = &t->nodes[a];
    y = &t->nodes[b];
    if (x->high < y->low || x->low > y->high)
        return TERM_FALSE;
    if (terms_is_constant(t, a) && terms_is_constant(t, b))
        return terms_truth(x->low == y->low);
    if (terms_is_constant(t, b) && x->kind == TERM_ADD && terms_is_constant(t, x->of[1]))
        return terms_equal(t, x->of[0], terms_subtract(t, b, x->of[1]));
    if (terms_is_constant(t, b) && is_small_tree(t, a))
        return push_in(t, terms_equal, a, b);
    return add_truth(t, TERM_EQUAL, a, b);
}

/* --- Booleans ------------------------------------------------------------------------------------------- */

term terms_not(struct terms *t, term a)
{
    if (terms_is_constant(t, a))
        return terms_truth(a == TERM_FALSE);
    if (t->nodes[a].kind == TERM_NOT)
        return t->nodes[a].of[0];
    return add_truth(t, TERM_NOT, a, 0);
}

term terms_and(struct terms *t, term a, term b)
{
    term not_a;

    if (a == TERM_FALSE || b == TERM_FALSE)
        return TERM_FALSE;
    if (a == TERM_TRUE || a == b)
        return b;
    if (b == TERM_TRUE)
        return a;
    not_a = terms_not(t, a);
    if (not_a == b)
        return TERM_FALSE;
    return a < b ? add_truth(t, TERM_AND, a, b) : add_truth(t, TERM_AND, b, a);
}

/* What (a AND b) OR (a AND NOT b) is: a; or none. */
static bool find_common(struct terms *t, term a, term b, term *common)
{
    struct term_node x = t->nodes[a], y = t->nodes[b];

    if (x.kind != TERM_AND || y.kind != TERM_AND)
        return false;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (x.of[i] == y.of[k] && terms_not(t, x.of[1 - i]) == y.of[1 - k]) {
                *common = x.of[i];
                return true;
            }
    return false;
}

term terms_or(struct terms *t, term a, term b)
{
    term common = TERM_FALSE;

    if (a == TERM_TRUE || b == TERM_TRUE)
        return TERM_TRUE;
    if (a == TERM_FALSE || a == b)
        return b;
    if (b == TERM_FALSE)
        return a;
    if (terms_not(t, a) == b)
        return TERM_TRUE;
    if (find_common(t, a, b, &common))
        return common;
    return a < b ? add_truth(t, TERM_OR, a, b) : add_truth(t, TERM_OR, b, a);
}

/* Between two truths, of which one may be known. */
static term if_truth(struct terms *t, term c, term a, term b)
{
    struct term_node n = { .kind = TERM_IF, .is_boolean = true, .of = { c, a, b }, .high = 1 };

    if (a == TERM_TRUE)
        return terms_or(t, c, b);
    if (a == TERM_FALSE)
        return terms_and(t, terms_not(t, c), b);
    if (b == TERM_TRUE)
        return terms_or(t, terms_not(t, c), a);
    if (b == TERM_FALSE)
        return terms_and(t, c, a);
    return add_node(t, n);
}

term terms_if(struct terms *t, term c, term a, term b)
{
    struct term_node n = { .kind = TERM_IF, .of = { c, a, b } };
    const struct term_node *x, *y;

    if (terms_is_constant(t, c))
        return c == TERM_TRUE ? a : b;
    if (a == b)
        return a;
    if (t->nodes[c].kind == TERM_NOT)
        return terms_if(t, t->nodes[c].of[0], b, a);
    if (t->nodes[a].kind == TERM_IF && t->nodes[a].of[0] == c)
        return terms_if(t, c, t->nodes[a].of[1], b);
    if (t->nodes[b].kind == TERM_IF && t->nodes[b].of[0] == c)
        return terms_if(t, c, a, t->nodes[b].of[2]);
    x = &t->nodes[a];
    y = &t->nodes[b];
    if (x->is_boolean)
        return if_truth(t, c, a, b);
    n.low = x->low < y->low ? x->low : y->low;
    n.high = x->high > y->high ? x->high : y->high;
    if (x->leaves > 0 && y->leaves > 0)
        n.leaves = x->leaves + y->leaves < LEAVES_MAX ? x->leaves + y->leaves : LEAVES_MAX + 1;
    return add_node(t, n);
}

/* --- What has to be a constant -------------------------------------------------------------------------- */

enum status terms_find(struct terms *t, term a, int64_t value, struct error *err)
{
    term constant = terms_constant(t, a, value);

    t->nodes[a].known = constant;
    return array_push(&t->found, a, err);
}

void terms_forget_found(struct terms *t, size_t count)
{
    while (t->found.count > count) {
        term a = t->found.at[--t->found.count];

        t->nodes[a].known = a;
    }
}

/* --- Z3 ------------------------------------------------------------------------------------------------- */

static const struct {
    unsigned operands;
    enum smt_operation operation; /* if it has operands */
} kinds[] = {
    [TERM_TRUTH] = { 0 },
    [TERM_NUMBER] = { 0 },
    [TERM_FREE] = { 0 },
    [TERM_ADD] = { 2, SMT_ADD },
    [TERM_MULTIPLY] = { 2, SMT_MULTIPLY },
    [TERM_DIVIDE] = { 2, SMT_DIVIDE },
    [TERM_AT_MOST] = { 2, SMT_AT_MOST },
    [TERM_EQUAL] = { 2, SMT_EQUAL },
    [TERM_NOT] = { 1, SMT_NOT },
    [TERM_AND] = { 2, SMT_AND },
    [TERM_OR] = { 2, SMT_OR },
    [TERM_IF] = { 3, SMT_IF },
};

/* Its operands are made already. */
static enum status make_node(struct terms *t, term a, struct error *err)
{
    struct term_node *n = &t->nodes[a];
    uint32_t operands[3] = { 0 }, made = 0;

    for (unsigned i = 0; i < kinds[n->kind].operands; i++)
        operands[i] = t->nodes[n->of[i]].made - 1;
    if (n->kind == TERM_TRUTH)
        TRY(smt_make_truth(t->smt, n->low != 0, &made, err));
    else if (n->kind == TERM_NUMBER)
        TRY(smt_make_constant(t->smt, n->low, &made, err));
    else if (n->kind == TERM_FREE)
        TRY(smt_make_free(t->smt, n->is_boolean, &made, err));
    else
        TRY(smt_make_term(t->smt, kinds[n->kind].operation, operands, &made, err));
    n->made = made + 1;
    return STATUS_OK;
}

/* Its number in smt. */
static enum status make(struct terms *t, term a, uint32_t *made, struct error *err)
{
    t->todo.count = 0;
    TRY(array_push(&t->todo, a, err));
    while (t->todo.count > 0) {
        term next = t->todo.at[t->todo.count - 1];
        const struct term_node *n = &t->nodes[next];
        size_t before = t->todo.count;

        for (unsigned i = 0; i < kinds[n->kind].operands && n->made == 0; i++)
            if (t->nodes[n->of[i]].made == 0)
                TRY(array_push(&t->todo, n->of[i], err));
        if (t->todo.count > before)
            continue;
        if (n->made == 0)
            TRY(make_node(t, next, err));
        t->todo.count--;
    }
    *made = t->nodes[a].made - 1;
    return STATUS_OK;
}

static enum status hand_over(struct terms *t, term a, struct error *err)
{
    uint32_t made = 0;

    TRY(make(t, a, &made, err));
    return smt_assert(t->smt, made, err);
}

enum status terms_assert(struct terms *t, term a, struct error *err)
{
    if (a == TERM_TRUE)
        return STATUS_OK;
    t->asserted++;
    return hand_over(t, a, err);
}

enum status terms_assert_bounds(struct terms *t, term a, struct error *err)
{
    struct term_node n = t->nodes[a];

    if (n.kind != TERM_FREE)
        return STATUS_OK;
    TRY(hand_over(t, add_truth(t, TERM_AT_MOST, terms_number(t, n.low), a), err));
    return hand_over(t, add_truth(t, TERM_AT_MOST, a, terms_number(t, n.high)), err);
}

enum status terms_evaluate(struct terms *t, term a, int64_t *value, struct error *err)
{
    uint32_t made = 0;

    *value = t->nodes[a].low;
    if (terms_is_constant(t, a))
        return STATUS_OK;
    TRY(make(t, a, &made, err));
    return smt_evaluate(t->smt, made, value, err);
}
