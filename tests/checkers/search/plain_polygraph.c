#include "tests/checkers/search/plain_polygraph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "checkers/search/solver/smt_search.h"

static struct error err;

struct plain_polygraph {
    const struct history *h;
    enum level level;
    bool is_snapshot;
    bool is_wrong;     /* a read says otherwise than the reader's own write */
    uint32_t *writers; /* of the key at hand: transactions */
    uint32_t writer_count;
    uint32_t *order;     /* by two writers of the key at hand: the variable that says "before" */
    uint32_t *took_part; /* by transaction: the variable, or SEARCH_NONE: certainly */
    uint32_t variable_count;
    ARRAY(struct search_edge) edges;
    ARRAY(uint32_t) literals, clause_start;
    ARRAY(uint32_t) sources; /* literals of the read at hand */
};

#define PUSH(array, value)                                                                         \
    do {                                                                                           \
        enum status push_status = array_push(array, value, &err);                                  \
        assert(push_status == STATUS_OK);                                                          \
    } while (0)

static uint32_t *make_numbers(size_t count)
{
    uint32_t *numbers = calloc(count + 1, sizeof *numbers);

    assert(numbers);
    return numbers;
}

/* --- Nodes, edges, clauses -------------------------------------------------------------- */

static uint32_t begin_of(const struct plain_polygraph *p, uint32_t txn)
{
    return p->is_snapshot ? 2 * txn : txn;
}

static uint32_t commit_of(const struct plain_polygraph *p, uint32_t txn)
{
    return p->is_snapshot ? 2 * txn + 1 : txn;
}

static void add_edge(struct plain_polygraph *p, uint32_t from, uint32_t to, uint32_t first,
                     uint32_t second)
{
    struct search_edge edge = { from, to, { first, second } };

    PUSH(&p->edges, edge);
}

static void end_clause(struct plain_polygraph *p)
{
    PUSH(&p->clause_start, (uint32_t)p->literals.count);
}

static uint32_t yes(uint32_t variable)
{
    return variable == SEARCH_NONE ? SEARCH_NONE : search_literal(variable, true);
}

/* --- What the history says of its transactions ------------------------------------------ */

static bool counts(const struct history *h, uint32_t txn)
{
    return h->txn_status[txn] != TXN_ABORT;
}

static bool takes_effect(const struct history *h, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR);
}

static bool writes(const struct history *h, uint32_t op, uint32_t key)
{
    return op_is_write(h->op_kind[op]) && h->op_key[op] == key && takes_effect(h, op);
}

/* A removed key is null. */
static struct value written(const struct history *h, uint32_t op)
{
    struct value value = history_value(h, op);

    return h->op_kind[op] == OP_REMOVE ? (struct value){ VALUE_NULL, 0 } : value;
}

/* The last write of the key by the transaction before an operation, or HISTORY_NONE. */
static uint32_t last_write(const struct history *h, uint32_t txn, uint32_t key, uint32_t before)
{
    for (uint32_t op = before; op-- > h->txn_op[txn];)
        if (writes(h, op, key))
            return op;
    return HISTORY_NONE;
}

static bool is_before(const struct plain_polygraph *p, uint32_t a, uint32_t b)
{
    const struct history *h = p->h;

    if (a == b || h->txn_status[a] != TXN_OK || !counts(h, b))
        return false;
    switch (p->level) {
    case LEVEL_SESSION_SERIALIZABLE:
    case LEVEL_SESSION_SNAPSHOT:
        return a < b && h->txn_session[a] == h->txn_session[b];
    case LEVEL_STRICT_SERIALIZABLE:
    case LEVEL_STRICT_SNAPSHOT:
        return h->txn_completed && h->txn_invoked && h->txn_completed[a] != TIME_ABSENT &&
               h->txn_invoked[b] != TIME_ABSENT && h->txn_completed[a] < h->txn_invoked[b];
    default:
        return false;
    }
}

static void add_txns(struct plain_polygraph *p)
{
    const struct history *h = p->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        p->took_part[t] = h->txn_status[t] == TXN_UNKNOWN ? p->variable_count++ : SEARCH_NONE;
        if (p->is_snapshot)
            add_edge(p, begin_of(p, t), commit_of(p, t), SEARCH_NONE, SEARCH_NONE);
        for (uint32_t other = 0; other < h->txn_count; other++)
            if (is_before(p, other, t))
                add_edge(p, commit_of(p, other), begin_of(p, t), SEARCH_NONE, SEARCH_NONE);
    }
}

/* --- Writers of a key ------------------------------------------------------------------- */

static uint32_t order_of(const struct plain_polygraph *p, uint32_t a, uint32_t b)
{
    return p->order[a * p->writer_count + b];
}

static void add_unless_it_took_part(struct plain_polygraph *p, uint32_t txn)
{
    if (p->took_part[txn] != SEARCH_NONE)
        PUSH(&p->literals, search_literal(p->took_part[txn], false));
}

static void add_writers(struct plain_polygraph *p, uint32_t key)
{
    const struct history *h = p->h;

    p->writer_count = 0;
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (counts(h, t) && last_write(h, t, key, h->txn_op[t + 1]) != HISTORY_NONE)
            p->writers[p->writer_count++] = t;
    free(p->order);
    p->order = make_numbers((size_t)p->writer_count * p->writer_count);
    for (uint32_t a = 0; a < p->writer_count; a++)
        for (uint32_t b = 0; b < p->writer_count; b++) {
            if (a == b)
                continue;
            p->order[a * p->writer_count + b] = p->variable_count;
            add_edge(p, commit_of(p, p->writers[a]), begin_of(p, p->writers[b]),
                     yes(p->variable_count++), SEARCH_NONE);
        }
    for (uint32_t a = 0; a < p->writer_count; a++)
        for (uint32_t b = a + 1; b < p->writer_count; b++) {
            PUSH(&p->literals, yes(order_of(p, a, b)));
            PUSH(&p->literals, yes(order_of(p, b, a)));
            add_unless_it_took_part(p, p->writers[a]);
            add_unless_it_took_part(p, p->writers[b]);
            end_clause(p);
        }
}

/* --- Reads of it ------------------------------------------------------------------------ */

/* If the reader has read from this writer, everybody who wrote later wrote after the read. */
static void follow(struct plain_polygraph *p, uint32_t reader, uint32_t writer, uint32_t source)
{
    add_edge(p, commit_of(p, p->writers[writer]), begin_of(p, reader), yes(source), SEARCH_NONE);
    for (uint32_t x = 0; x < p->writer_count; x++)
        if (x != writer && p->writers[x] != reader)
            add_edge(p, begin_of(p, reader), commit_of(p, p->writers[x]), yes(source),
                     yes(order_of(p, writer, x)));
}

static void follow_initial(struct plain_polygraph *p, uint32_t reader, uint32_t source)
{
    for (uint32_t x = 0; x < p->writer_count; x++)
        if (p->writers[x] != reader)
            add_edge(p, begin_of(p, reader), commit_of(p, p->writers[x]), yes(source),
                     yes(p->took_part[p->writers[x]]));
}

static uint32_t add_source(struct plain_polygraph *p)
{
    PUSH(&p->sources, yes(p->variable_count));
    return p->variable_count++;
}

/* Whoever was read from took part. */
static void add_source_took_part(struct plain_polygraph *p, uint32_t source, uint32_t writer)
{
    if (p->took_part[writer] == SEARCH_NONE)
        return;
    PUSH(&p->literals, search_literal(source, false));
    PUSH(&p->literals, yes(p->took_part[writer]));
    end_clause(p);
}

static void add_read(struct plain_polygraph *p, uint32_t reader, uint32_t op)
{
    const struct history *h = p->h;
    uint32_t key = h->op_key[op], own = last_write(h, reader, key, op);
    struct value value = history_value(h, op);

    if (own != HISTORY_NONE) {
        p->is_wrong |= !history_values_equal(h, value, written(h, own));
        return;
    }
    p->sources.count = 0;
    if (history_values_equal(h, value, history_initial(h, key)))
        follow_initial(p, reader, add_source(p));
    for (uint32_t w = 0; w < p->writer_count; w++) {
        uint32_t txn = p->writers[w], source;
        uint32_t last = last_write(h, txn, key, h->txn_op[txn + 1]);
        if (txn == reader || !history_values_equal(h, value, written(h, last)))
            continue;
        source = add_source(p);
        add_source_took_part(p, source, txn);
        follow(p, reader, w, source);
    }
    for (size_t i = 0; i < p->sources.count; i++)
        PUSH(&p->literals, p->sources.at[i]);
    end_clause(p);
}

static void add_reads(struct plain_polygraph *p, uint32_t key)
{
    const struct history *h = p->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (h->txn_status[t] == TXN_OK && h->op_kind[op] == OP_READ && h->op_key[op] == key &&
                takes_effect(h, op) && h->op_value_kind[op] != VALUE_NONE)
                add_read(p, t, op);
}

/* --- The whole -------------------------------------------------------------------------- */

static bool is_of_snapshots(enum level level)
{
    return level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
           level == LEVEL_STRICT_SNAPSHOT;
}

static void plain_polygraph_init(struct plain_polygraph *p, const struct history *h,
                                 enum level level)
{
    *p = (struct plain_polygraph){ .h = h, .level = level, .is_snapshot = is_of_snapshots(level) };
    p->writers = make_numbers(h->txn_count);
    p->took_part = make_numbers(h->txn_count);
    end_clause(p); /* where the first begins */
    add_txns(p);
    for (uint32_t key = 0; key < h->key_count; key++) {
        add_writers(p, key);
        add_reads(p, key);
    }
}

static void plain_polygraph_close(struct plain_polygraph *p)
{
    free(p->writers);
    free(p->order);
    free(p->took_part);
    array_close(&p->edges);
    array_close(&p->literals);
    array_close(&p->clause_start);
    array_close(&p->sources);
}

/* Whether the edges that are there in any case go round: then no variable helps. */
static bool has_known_cycle(const struct plain_polygraph *p, uint32_t nodes)
{
    uint32_t *before = make_numbers(nodes), *ready = make_numbers(nodes), count = 0;

    for (size_t e = 0; e < p->edges.count; e++)
        before[p->edges.at[e].to] += p->edges.at[e].guards[0] == SEARCH_NONE;
    for (uint32_t n = 0; n < nodes; n++)
        if (before[n] == 0)
            ready[count++] = n;
    for (uint32_t i = 0; i < count; i++)
        for (size_t e = 0; e < p->edges.count; e++)
            if (p->edges.at[e].guards[0] == SEARCH_NONE && p->edges.at[e].from == ready[i] &&
                --before[p->edges.at[e].to] == 0)
                ready[count++] = p->edges.at[e].to;
    free(before);
    free(ready);
    return count < nodes;
}

static enum status solve_by(const struct search_problem *problem, enum plain_solver solver,
                            unsigned steps_max, struct search_result *result)
{
    struct search_options native = { .steps_max = steps_max };
    struct smt_search_options z3 = { .encoding = SMT_PROPAGATOR, .rlimit = steps_max };

    if (solver == PLAIN_SEARCH)
        return search_solve(problem, &native, result, &err);
    if (solver == PLAIN_POSITIONS)
        z3.encoding = SMT_POSITIONS;
    return smt_search_solve(problem, &z3, result, &err);
}

static enum plain_answer solve(const struct plain_polygraph *p, uint32_t nodes,
                               enum plain_solver solver, unsigned steps_max)
{
    static const enum plain_answer answers[] = { [SEARCH_FOUND] = PLAIN_HOLDS,
                                                 [SEARCH_IMPOSSIBLE] = PLAIN_VIOLATED,
                                                 [SEARCH_UNDECIDED] = PLAIN_UNDECIDED };
    struct search_problem problem = {
        .node_count = nodes,
        .variable_count = p->variable_count,
        .edges = p->edges.at,
        .edge_count = (uint32_t)p->edges.count,
        .literals = p->literals.at,
        .clause_start = p->clause_start.at,
        .clause_count = (uint32_t)p->clause_start.count - 1,
    };
    struct search_result result;
    enum plain_answer answer;
    enum status status = solve_by(&problem, solver, steps_max, &result);

    assert(status == STATUS_OK);
    answer = answers[result.answer];
    search_result_close(&result);
    return answer;
}

enum plain_answer plain_polygraph_ask(const struct history *h, enum level level,
                                      enum plain_solver solver, unsigned steps_max)
{
    struct plain_polygraph p;
    enum plain_answer answer = PLAIN_VIOLATED;
    uint32_t nodes;

    plain_polygraph_init(&p, h, level);
    nodes = (uint32_t)h->txn_count * (p.is_snapshot ? 2 : 1);
    if (!p.is_wrong && !has_known_cycle(&p, nodes))
        answer = solve(&p, nodes, solver, steps_max);
    plain_polygraph_close(&p);
    return answer;
}
