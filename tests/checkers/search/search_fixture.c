#include "tests/checkers/search/search_fixture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

static struct error err;

#define PUSH(array, value) TEST_ASSERT_EQUAL(STATUS_OK, array_push(array, value, &err))

void puzzle_close(struct puzzle *p)
{
    array_close(&p->edges);
    array_close(&p->literals);
    array_close(&p->starts);
    array_close(&p->chains);
    array_close(&p->readers);
    array_close(&p->choices);
    free(p->phases);
    free(p->order);
    *p = (struct puzzle){ 0 };
}

void puzzle_edge(struct puzzle *p, uint32_t from, uint32_t to, uint32_t guard, uint32_t other)
{
    struct search_edge edge = { from, to, { guard, other } };

    PUSH(&p->edges, edge);
}

void puzzle_clause(struct puzzle *p, const uint32_t *literals, uint32_t count)
{
    if (p->starts.count == 0)
        PUSH(&p->starts, 0);
    for (uint32_t i = 0; i < count; i++)
        PUSH(&p->literals, literals[i]);
    PUSH(&p->starts, (uint32_t)p->literals.count);
}

struct search_problem puzzle_problem(const struct puzzle *p)
{
    return (struct search_problem){
        .node_count = p->node_count,
        .variable_count = p->variable_count,
        .edges = p->edges.at,
        .edge_count = (uint32_t)p->edges.count,
        .literals = p->literals.at,
        .clause_start = p->starts.at,
        .clause_count = p->starts.count > 0 ? (uint32_t)p->starts.count - 1 : 0,
        .order = p->order,
        .phases = p->phases,
        .chains = p->chains.at,
        .chain_count = (uint32_t)p->chains.count,
        .readers = p->readers.at,
        .choices = p->choices.at,
        .choice_count = (uint32_t)p->choices.count,
    };
}

/* --- Without a meaning ------------------------------------------------------------ */

static uint32_t *draw_order(uint32_t count, struct random *r)
{
    uint32_t *order = malloc((count + 1) * sizeof *order);

    assert(order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    random_shuffle(r, order, count);
    return order;
}

static void draw_edges(struct puzzle *p, const uint32_t *order, struct random *r)
{
    uint32_t known = (uint32_t)random_below(r, 2 * p->node_count);
    uint32_t others = (uint32_t)random_below(r, 5 * p->node_count);

    for (uint32_t i = 0; i < known; i++) {
        uint32_t to = (uint32_t)random_between(r, 1, p->node_count - 1);
        uint32_t from = (uint32_t)random_below(r, to);

        puzzle_edge(p, order[from], order[to], SEARCH_NONE, SEARCH_NONE);
    }
    for (uint32_t i = 0; i < others; i++) {
        uint32_t from = (uint32_t)random_below(r, p->node_count);
        uint32_t to = (uint32_t)random_below(r, p->node_count);
        uint32_t guard = (uint32_t)random_below(r, 2 * p->variable_count);
        uint32_t other = (uint32_t)random_below(r, 2 * p->variable_count);

        /* Loops are rare: one that nothing but its guard allows decides it. */
        if (from == to && random_below(r, 4) > 0)
            continue;
        if (random_below(r, 3) > 0)
            other = SEARCH_NONE;
        if (random_below(r, 2) > 0)
            puzzle_edge(p, from, to, guard, other);
        else
            puzzle_edge(p, from, to, other, guard);
    }
}

void puzzle_draw(struct puzzle *p, struct random *r)
{
    uint32_t literals[4], clauses, *order;

    *p = (struct puzzle){ .node_count = (uint32_t)random_between(r, 2, 8),
                          .variable_count = (uint32_t)random_between(r, 1, 10) };
    order = draw_order(p->node_count, r);
    draw_edges(p, order, r);
    clauses = (uint32_t)random_below(r, 3 * p->variable_count);
    for (uint32_t c = 0; c < clauses; c++) {
        uint32_t count = (uint32_t)random_between(r, random_below(r, 20) > 0, 4);

        for (uint32_t i = 0; i < count; i++)
            literals[i] = (uint32_t)random_below(r, 2 * p->variable_count);
        puzzle_clause(p, literals, count);
    }
    if (random_below(r, 2) > 0) {
        p->order = order;
        return;
    }
    free(order);
}

/* --- Histories -------------------------------------------------------------------- */

/* Every write is a chain of its own: the search must not need more than that. */
struct draft {
    struct puzzle *p;
    struct random *random;
    uint32_t *writer, *key, *value; /* by write */
    uint32_t write_count;
    uint32_t *reader, *source; /* by read; source: a write, or SEARCH_NONE: the initial version */
    uint32_t *read_key;
    uint32_t read_count;
};

static uint32_t new_variable(struct puzzle *p)
{
    return p->variable_count++;
}

static bool has_op(const uint32_t *txns, const uint32_t *keys, uint32_t count, uint32_t txn,
                   uint32_t key)
{
    for (uint32_t i = count; i-- > 0 && txns[i] == txn;)
        if (keys[i] == key)
            return true;
    return false;
}

/* The last write of the key before now, or at a slip of many an earlier one. */
static uint32_t draw_source(struct draft *d, uint32_t key, uint32_t slip_percent)
{
    bool slips = random_below(d->random, 100) < slip_percent;

    for (uint32_t i = d->write_count; i-- > 0;)
        if (d->key[i] == key && (!slips || random_below(d->random, 3) == 0))
            return i;
    return SEARCH_NONE;
}

static void draw_ops(struct draft *d, const struct puzzle_shape *shape)
{
    for (uint32_t t = 0; t < shape->txn_count; t++)
        for (uint32_t i = 0; i < shape->op_count; i++) {
            uint32_t key = (uint32_t)random_below(d->random, shape->key_count);

            if (has_op(d->writer, d->key, d->write_count, t, key))
                continue;
            if (random_below(d->random, 100) < shape->write_percent) {
                d->writer[d->write_count] = t;
                d->value[d->write_count] =
                    shape->value_count ? (uint32_t)random_below(d->random, shape->value_count)
                                       : d->write_count;
                d->key[d->write_count++] = key;
            } else if (!has_op(d->reader, d->read_key, d->read_count, t, key)) {
                d->source[d->read_count] = draw_source(d, key, shape->slip_percent);
                d->reader[d->read_count] = t;
                d->read_key[d->read_count++] = key;
            }
        }
}

/* A read's sources: all writes of the value but the reader's own. */
static bool is_candidate(const struct draft *d, uint32_t read, uint32_t write)
{
    return d->key[write] == d->read_key[read] && d->writer[write] != d->reader[read] &&
           (d->source[read] == write ||
            (d->source[read] != SEARCH_NONE && d->value[write] == d->value[d->source[read]]));
}

/* The literals that hold if the read has this source; chosen[read][write], SEARCH_NONE: none. */
static void add_sources(struct draft *d, uint32_t *guard_of)
{
    struct puzzle *p = d->p;
    uint32_t n = d->write_count;

    for (uint32_t r = 0; r < d->read_count; r++) {
        uint32_t literals[64], count = 0, last = SEARCH_NONE;

        for (uint32_t w = 0; w < n && count < 64; w++)
            if (is_candidate(d, r, w)) {
                literals[count++] = search_literal(new_variable(p), true);
                guard_of[r * n + w] = literals[count - 1];
                last = w;
            }
        if (count == 1) {
            p->variable_count--;
            guard_of[r * n + last] = SEARCH_NONE;
            puzzle_edge(p, d->writer[last], d->reader[r], SEARCH_NONE, SEARCH_NONE);
            continue;
        }
        for (uint32_t w = 0, i = 0; i < count; w++) {
            struct search_choice choice = { r, 0, d->reader[r], d->writer[w] };

            if (!is_candidate(d, r, w))
                continue;
            choice.variable = literals[i++] / 2;
            PUSH(&p->choices, choice);
            puzzle_edge(p, d->writer[w], d->reader[r], literals[i - 1], SEARCH_NONE);
        }
        if (count > 0)
            puzzle_clause(p, literals, count);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < i; j++)
                puzzle_clause(p, (uint32_t[]){ literals[i] ^ 1, literals[j] ^ 1 }, 2);
    }
}

static bool may_read(const struct draft *d, uint32_t read, uint32_t write)
{
    return d->source[read] != SEARCH_NONE && is_candidate(d, read, write);
}

/* If the literal is true, a is before b; and so is whoever reads a, if he does. */
static void add_order(struct draft *d, const uint32_t *guard_of, uint32_t literal, uint32_t a,
                      uint32_t b)
{
    puzzle_edge(d->p, d->writer[a], d->writer[b], literal, SEARCH_NONE);
    for (uint32_t r = 0; r < d->read_count; r++)
        if (may_read(d, r, a) && d->reader[r] != d->writer[b])
            puzzle_edge(d->p, d->reader[r], d->writer[b], literal,
                        guard_of[r * d->write_count + a]);
}

static void add_orders(struct draft *d, const uint32_t *guard_of)
{
    for (uint32_t a = 0; a < d->write_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (d->key[a] == d->key[b]) {
                uint32_t variable = new_variable(d->p);

                if (random_below(d->random, 2) > 0) {
                    add_order(d, guard_of, search_literal(variable, true), a, b);
                    add_order(d, guard_of, search_literal(variable, false), b, a);
                } else {
                    add_order(d, guard_of, search_literal(variable, true), b, a);
                    add_order(d, guard_of, search_literal(variable, false), a, b);
                }
            }
    /* Whoever read nothing came before every writer. */
    for (uint32_t r = 0; r < d->read_count; r++)
        for (uint32_t w = 0; w < d->write_count; w++)
            if (d->source[r] == SEARCH_NONE && d->key[w] == d->read_key[r] &&
                d->writer[w] != d->reader[r])
                puzzle_edge(d->p, d->reader[r], d->writer[w], SEARCH_NONE, SEARCH_NONE);
}

static void add_chains(struct draft *d, const uint32_t *guard_of, uint32_t key_count)
{
    for (uint32_t k = 0; k < key_count; k++)
        for (uint32_t w = 0; w < d->write_count; w++) {
            struct search_chain chain = {
                .key = k, .first = d->writer[w], .head = d->writer[w], .last = d->writer[w]
            };

            if (d->key[w] != k)
                continue;
            chain.reader_start = (uint32_t)d->p->readers.count;
            for (uint32_t r = 0; r < d->read_count; r++)
                if (may_read(d, r, w)) {
                    struct search_reader reader = { d->reader[r],
                                                    guard_of[r * d->write_count + w] };

                    PUSH(&d->p->readers, reader);
                }
            chain.reader_end = (uint32_t)d->p->readers.count;
            PUSH(&d->p->chains, chain);
        }
}

/* Known edges may be cyclic when reads slip: then the draft is another's business. */
static bool is_acyclic(const struct search_problem *p, const uint8_t *values)
{
    uint32_t *open = calloc(p->node_count + 1, sizeof *open), left = p->node_count;
    bool *gone = calloc(p->node_count + 1, sizeof *gone), moved = true;

    assert(open && gone);
    while (moved) {
        moved = false;
        memset(open, 0, p->node_count * sizeof *open);
        for (uint32_t e = 0; e < p->edge_count; e++) {
            bool is_there = !gone[p->edges[e].from];

            for (int g = 0; g < 2; g++)
                if (p->edges[e].guards[g] != SEARCH_NONE)
                    is_there &=
                        values && values[p->edges[e].guards[g] / 2] == !(p->edges[e].guards[g] & 1);
            open[p->edges[e].to] += is_there;
        }
        for (uint32_t n = 0; n < p->node_count; n++)
            if (!gone[n] && open[n] == 0) {
                gone[n] = moved = true;
                left--;
            }
    }
    free(open);
    free(gone);
    return left == 0;
}

void puzzle_draw_history(struct puzzle *p, const struct puzzle_shape *shape, struct random *random)
{
    size_t room = (size_t)shape->txn_count * shape->op_count + 1;
    uint32_t *columns = malloc(6 * room * sizeof *columns), *guard_of, *names;
    struct draft d = { .p = p,
                       .random = random,
                       .writer = columns,
                       .key = columns + room,
                       .value = columns + 2 * room,
                       .reader = columns + 3 * room,
                       .source = columns + 4 * room,
                       .read_key = columns + 5 * room };
    struct search_problem problem;

    assert(columns);
    *p = (struct puzzle){ .node_count = shape->txn_count };
    names = draw_order(shape->txn_count, random);
    draw_ops(&d, shape);
    for (uint32_t i = 0; i < d.write_count; i++)
        d.writer[i] = names[d.writer[i]];
    for (uint32_t i = 0; i < d.read_count; i++)
        d.reader[i] = names[d.reader[i]];
    guard_of = malloc(((size_t)d.read_count * d.write_count + 1) * sizeof *guard_of);
    assert(guard_of);
    add_sources(&d, guard_of);
    add_orders(&d, guard_of);
    add_chains(&d, guard_of, shape->key_count);
    free(names);
    free(columns);
    free(guard_of);
    problem = puzzle_problem(p);
    if (!is_acyclic(&problem, NULL)) {
        puzzle_close(p);
        puzzle_draw_history(p, shape, random);
    }
}

/* --- The oracle ------------------------------------------------------------------- */

static bool is_satisfied(const struct search_problem *p, const uint8_t *values)
{
    for (uint32_t c = 0; c < p->clause_count; c++) {
        bool holds = false;

        for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
            holds |= values[p->literals[i] / 2] == !(p->literals[i] & 1);
        if (!holds)
            return false;
    }
    return true;
}

bool oracle_can_solve(const struct search_problem *p)
{
    uint8_t values[32];

    assert(p->variable_count < 24);
    for (uint32_t bits = 0; bits >> p->variable_count == 0; bits++) {
        for (uint32_t v = 0; v < p->variable_count; v++)
            values[v] = bits >> v & 1;
        if (is_satisfied(p, values) && is_acyclic(p, values))
            return true;
    }
    return false;
}

/* --- Proofs ----------------------------------------------------------------------- */

/* The literals of a clause by its number. */
static const uint32_t *clause_of(const struct search_problem *p, const struct search_proof *proof,
                                 uint32_t number, uint32_t *count)
{
    if (number < p->clause_count) {
        *count = p->clause_start[number + 1] - p->clause_start[number];
        return p->literals + p->clause_start[number];
    }
    *count = proof->steps[number - p->clause_count].literal_count;
    return proof->words + proof->steps[number - p->clause_count].literals;
}

static const char *cycle_flaw(const struct search_problem *p, const uint32_t *cycle, uint32_t count,
                              const bool *is_true)
{
    if (count == 0)
        return "the step leads to no contradiction";
    for (uint32_t i = 0; i < count; i++) {
        const struct search_edge *edge = &p->edges[cycle[i]];

        if (edge->to != p->edges[cycle[i + 1 < count ? i + 1 : 0]].from)
            return "the cycle is torn";
        for (int g = 0; g < 2; g++)
            if (edge->guards[g] != SEARCH_NONE && !is_true[edge->guards[g]])
                return "an edge of the cycle need not be there";
    }
    return NULL;
}

static const char *step_flaw(const struct search_problem *p, const struct search_proof *proof,
                             uint32_t at, bool *is_true)
{
    const struct search_step *step = &proof->steps[at];

    for (uint32_t i = 0; i < step->literal_count; i++)
        is_true[proof->words[step->literals + i] ^ 1] = true;
    for (uint32_t b = 0; b < step->by_count; b++) {
        uint32_t number = proof->words[step->by + b], count, open = 0, last = 0;
        const uint32_t *literals;

        if (number >= p->clause_count + at)
            return "the step rests on a later one";
        literals = clause_of(p, proof, number, &count);
        for (uint32_t i = 0; i < count; i++)
            if (!is_true[literals[i] ^ 1] && (open == 0 || literals[i] != last)) {
                open++;
                last = literals[i];
            }
        if (open == 0)
            return b + 1 == step->by_count ? NULL : "there is more behind the contradiction";
        if (open > 1)
            return "a clause leaves more than one literal open";
        if (is_true[last])
            return "a clause says nothing new";
        is_true[last] = true;
    }
    return cycle_flaw(p, proof->words + step->cycle, step->cycle_count, is_true);
}

const char *proof_flaw(const struct search_problem *p, const struct search_proof *proof)
{
    bool *is_true = calloc(2 * (size_t)p->variable_count + 2, sizeof *is_true);
    const char *flaw = NULL;

    assert(is_true);
    for (uint32_t i = 0; i < proof->step_count && !flaw; i++) {
        memset(is_true, 0, 2 * (size_t)p->variable_count + 2);
        flaw = step_flaw(p, proof, i, is_true);
    }
    free(is_true);
    if (!flaw && (proof->step_count == 0 || proof->steps[proof->step_count - 1].literal_count > 0))
        return "the last step is not the contradiction";
    return flaw;
}
