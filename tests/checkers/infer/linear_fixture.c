#include "tests/checkers/infer/linear_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/fixture.h"
#include "unity.h"

#define ELEMENTS_MAX 20000
#define STEP 10

/* What a key holds: nothing, a number, or a list. */
struct held {
    bool is_list;
    int64_t number; /* 0: nothing */
    int64_t *elements;
    uint32_t count;
};

struct drawer {
    const struct linear_drawing *d;
    struct random random;
    struct builder b;
    struct held *held;
    uint32_t *keys;
    int64_t next_value;
    int64_t *busy_until; /* by client */
    uint32_t wrong_left;
    struct error err;
};

static uint32_t below(struct drawer *g, uint32_t limit)
{
    return (uint32_t)random_below(&g->random, limit);
}

static int64_t fresh(struct drawer *g)
{
    bool repeats = g->d->kind == LINEAR_REPEATED || g->d->kind == LINEAR_MIXED;

    return repeats ? 1 + below(g, g->d->values) : ++g->next_value;
}

static struct value value_held(struct drawer *g, const struct held *held)
{
    struct value value = value_null();

    if (held->is_list && held->count > 0)
        ASSERT_OK(builder_list(&g->b, held->elements, held->count, &value, &g->err), &g->err);
    else if (!held->is_list && held->number != 0)
        value = value_integer(held->number);
    return value;
}

static void add(struct drawer *g, enum op_kind kind, uint32_t key, struct value value)
{
    ASSERT_OK(builder_add_op(&g->b, kind, g->keys[key], value, &g->err), &g->err);
}

/* What was read, or sometimes something else. */
static void add_read(struct drawer *g, uint32_t key, bool is_answered)
{
    struct held wrong = g->held[key];

    if (is_answered && g->wrong_left > 0 && below(g, g->d->operations) < 2) {
        g->wrong_left--;
        if (wrong.is_list && wrong.count > 0)
            wrong.count -= 1 + below(g, wrong.count);
        else if (!wrong.is_list)
            wrong.number = g->d->kind == LINEAR_UNIQUE
                               ? (int64_t)below(g, (uint32_t)g->next_value + 1)
                               : (int64_t)below(g, g->d->values + 1);
    }
    add(g, OP_READ, key, is_answered ? value_held(g, &wrong) : value_none());
}

static void write(struct drawer *g, uint32_t key, bool takes_effect, bool is_list)
{
    struct held *held = &g->held[key], next = *held;

    next.is_list = is_list;
    if (is_list) {
        next.count = 2;
        next.elements[0] = fresh(g);
        next.elements[1] = fresh(g);
    } else {
        next.number = fresh(g);
        next.count = 0;
    }
    add(g, OP_WRITE, key, value_held(g, &next));
    if (takes_effect)
        *held = next;
}

static void append(struct drawer *g, uint32_t key, bool takes_effect)
{
    int64_t element = fresh(g);
    struct held *held = &g->held[key];

    add(g, OP_APPEND, key, value_integer(element));
    if (takes_effect && held->count < ELEMENTS_MAX && (held->is_list || held->number == 0)) {
        held->is_list = true;
        held->elements[held->count++] = element;
    }
}

/* One operation at its moment; what does not take effect did not happen. */
static void operate(struct drawer *g, uint32_t key, bool is_ok, bool takes_effect)
{
    bool appends = g->d->kind == LINEAR_LISTS || (g->d->kind == LINEAR_MIXED && below(g, 2) == 0);
    uint32_t what = below(g, 10);

    if (what < 4) {
        add_read(g, key, is_ok);
    } else if (appends) {
        if (what == 4)
            add_read(g, key, is_ok);
        append(g, key, takes_effect);
        if (what == 5)
            append(g, key, takes_effect);
        if (what == 6)
            add_read(g, key, is_ok);
    } else if (what == 4 && g->d->kind != LINEAR_MIXED) {
        add(g, OP_REMOVE, key, value_none());
        if (takes_effect)
            g->held[key].number = 0;
    } else {
        if (what < 7)
            add_read(g, key, is_ok);
        write(g, key, takes_effect, g->d->kind == LINEAR_MIXED && what == 9);
    }
}

static void draw_one(struct drawer *g, uint32_t number)
{
    uint32_t client = below(g, g->d->clients), key = below(g, g->d->keys);
    int64_t moment = (int64_t)(number + 1) * STEP, width = (int64_t)g->d->clients * STEP;
    int64_t begin, end = moment + below(g, (uint32_t)width);
    bool is_unknown = below(g, 100) < g->d->unknown_percent, shifts;
    enum txn_status status = is_unknown ? TXN_UNKNOWN : TXN_OK;

    for (uint32_t i = 0; i < g->d->clients && g->busy_until[client] >= moment; i++)
        client = (client + 1) % g->d->clients;
    begin = moment - 1 - below(g, (uint32_t)width);
    if (begin <= g->busy_until[client])
        begin = g->busy_until[client] + 1;
    if (begin > moment)
        begin = moment;
    if (end < begin)
        end = begin;
    shifts = g->wrong_left > 0 && below(g, g->d->operations) < 1;
    if (shifts) {
        int64_t by = (int64_t)below(g, (uint32_t)(4 * width)) - 2 * width;

        g->wrong_left--;
        begin += by;
        end += by;
    }
    if (is_unknown)
        client = g->d->clients + number; /* a process of its own behind it */
    else if (!shifts)
        g->busy_until[client] = end;
    ASSERT_OK(builder_begin_txn(&g->b, number + 1, client, status, &g->err), &g->err);
    ASSERT_OK(builder_set_txn_at(&g->b, begin, is_unknown ? TIME_NEVER : end, &g->err), &g->err);
    operate(g, key, !is_unknown, !is_unknown || below(g, 2) == 0);
}

void linear_draw(const struct linear_drawing *d, uint64_t seed, struct history *history)
{
    struct drawer g = { .d = d, .wrong_left = d->wrong };
    struct random_key key = random_key_of_seed(seed);

    random_init(&g.random, &key);
    builder_init(&g.b);
    g.held = calloc(d->keys, sizeof *g.held);
    g.keys = calloc(d->keys, sizeof *g.keys);
    g.busy_until = calloc(d->clients, sizeof *g.busy_until);
    TEST_ASSERT_TRUE(g.held && g.keys && g.busy_until);
    for (uint32_t k = 0; k < d->keys; k++) {
        char name[20];

        snprintf(name, sizeof name, "k%u", k);
        g.held[k].elements = calloc(ELEMENTS_MAX + 2, sizeof(int64_t));
        TEST_ASSERT_NOT_NULL(g.held[k].elements);
        ASSERT_OK(builder_key(&g.b, text_of(name), &g.keys[k], &g.err), &g.err);
    }
    for (uint32_t i = 0; i < d->clients; i++)
        g.busy_until[i] = INT64_MIN / 2;
    for (uint32_t i = 0; i < d->operations; i++)
        draw_one(&g, i);
    ASSERT_OK(builder_finish(&g.b, history, &g.err), &g.err);
    for (uint32_t k = 0; k < d->keys; k++)
        free(g.held[k].elements);
    free(g.held);
    free(g.keys);
    free(g.busy_until);
    builder_close(&g.b);
}
