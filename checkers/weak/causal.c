/*
 * Causal: t3 read x from t1; whoever also wrote x, and is before t3 by session order and reads,
 * over any number of steps, comes before t1.
 *
 *     A: T1: w(x,1), T2: w(x,2) w(y,2)    B: T3: r(y,2), T4: r(x,1)       does not hold
 *
 * A clock of a transaction has for each chain (a session; an unknown transaction is one by
 * itself) how many of it come before. They are made in an order of session and reads, each
 * the maximum of those right before it, and given back when all that need them are made.
 *
 *     clock of t3          A 5   B 3   C 2      which writers of x are within it, and not within
 *     clock of t1          A 4   B 1   C 7      that of t1? Only in chains where the clock of t3 and
 *     last writer of x     A 4   B 2   C 9      the last writer so far are both beyond it: B2
 *
 * Of a chain's writers the last within the clock is enough. Keys that few wrote are gone through
 * writer by writer; the others have a row like a clock, of their last writer in each chain so far,
 * so that most reads take no more than a comparison of rows; from the last writer the one within
 * the clock is near. The time is that of operations times chains.
 */
#include <stdlib.h>
#include <string.h>

#include "checkers/weak/axioms_private.h"
#include "checkers/weak/gather_private.h"
#include "checkers/weak/order_private.h"
/* --- Chains ----------------------------------------------------------------------- */

/*
 * Transactions one behind the other by session order and reads, and the writers of
 * each key chain after chain.
 *
 *     sessions   A: T1 T3    B: T2    C: T4, who read from T2        chains   T1 T3    T2 T4
 *
 * A session is never in two chains.
 */

/* A writer of a key: beside `writer`. */
struct weak_seat {
    uint32_t chain, place;
};

struct weak_chains {
    struct weak *w;
    uint32_t count;
    uint32_t *chain, *place; /* by transaction; places from 1 */
    uint32_t *last;          /* by chain, while they are made */
    uint32_t *key_start;     /* by key, and one more: its writers, by chain and place */
    uint32_t *writer;
    struct weak_seat *seats;
};

/* The transaction becomes the last of that chain. */
static void join(struct weak_chains *c, uint32_t txn, uint32_t chain)
{
    c->chain[txn] = chain;
    c->place[txn] = c->last[chain] == HISTORY_NONE ? 1 : c->place[c->last[chain]] + 1;
    c->last[chain] = txn;
}

/*
 * A session's next goes behind the one before it. The first of a session, or an unknown
 * one, goes behind somebody whom it read from and who is the last of all there: so short sessions
 * that follow each other by reads are one chain.
 */
static uint32_t choose_chain(const struct weak_chains *c, uint32_t txn)
{
    const struct weak *w = c->w;
    uint32_t previous = weak_previous(w, txn);

    if (previous != WEAK_INITIAL && !weak_is_unknown(w, txn))
        return c->chain[previous];
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t writer = w->read_writer[i];

        if (writer < WEAK_OPEN && c->last[c->chain[writer]] == writer &&
            weak_next(w, writer) == WEAK_INITIAL)
            return c->chain[writer];
    }
    return HISTORY_NONE;
}

static enum status make_chains(struct weak_chains *c, struct error *err)
{
    struct weak *w = c->w;
    size_t count = w->txn_count;

    TRY(memory_resize((void **)&c->chain, count, sizeof *c->chain, err));
    TRY(memory_resize((void **)&c->place, count, sizeof *c->place, err));
    TRY(memory_resize((void **)&c->last, count, sizeof *c->last, err));
    for (uint32_t n = 0; n < w->base->count; n++) {
        uint32_t txn = w->base->txns[n], chain = choose_chain(c, txn);

        if (chain == HISTORY_NONE) {
            chain = c->count++;
            c->last[chain] = HISTORY_NONE;
        }
        join(c, txn, chain);
    }
    return STATUS_OK;
}

/* --- Writers ---------------------------------------------------------------------- */

/* All that take part, chain after chain. */
static enum status sort_by_chain(const struct weak_chains *c, uint32_t **txns, struct error *err)
{
    const struct weak *w = c->w;
    uint32_t *next = NULL;
    enum status status;

    TRY(check_memory((void **)&next, (size_t)c->count + 1, sizeof *next, 0, err));
    status = memory_resize((void **)txns, w->base->count, sizeof **txns, err);
    for (uint32_t n = 0; n < w->base->count; n++)
        next[c->chain[w->base->txns[n]] + 1]++;
    array_sum_prefixes(next, c->count + 1);
    for (uint32_t n = 0; n < w->base->count && status == STATUS_OK; n++)
        (*txns)[next[c->chain[w->base->txns[n]]]++] = w->base->txns[n];
    free(next);
    return status;
}

/* Counts, and then puts each into its key's part: key_start[k + 1] runs through that of k. */
static enum status put_writers(struct weak_chains *c, const uint32_t *txns, struct error *err)
{
    const struct weak *w = c->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&c->key_start, keys + 2, sizeof *c->key_start, 0, err));
    for (uint32_t n = 0; n < w->base->count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++)
            c->key_start[w->write_key[i] + 2]++;
    array_sum_prefixes(c->key_start + 1, keys + 1);
    TRY(memory_resize((void **)&c->writer, c->key_start[keys + 1], sizeof *c->writer, err));
    TRY(memory_resize((void **)&c->seats, c->key_start[keys + 1], sizeof *c->seats, err));
    for (uint32_t n = 0; n < w->base->count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++) {
            uint32_t at = c->key_start[w->write_key[i] + 1]++;

            c->writer[at] = txns[n];
            c->seats[at] = (struct weak_seat){ c->chain[txns[n]], c->place[txns[n]] };
        }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

/* w->base has been found, and is an order. Closed by weak_chains_close(), also after a failure. */
static enum status weak_chains_init(struct weak_chains *c, struct weak *w, struct error *err)
{
    uint32_t *txns = NULL;
    enum status status;

    *c = (struct weak_chains){ .w = w };
    TRY(make_chains(c, err));
    status = sort_by_chain(c, &txns, err);
    if (status == STATUS_OK)
        status = put_writers(c, txns, err);
    free(txns);
    return status;
}

static void weak_chains_close(struct weak_chains *c)
{
    free(c->chain);
    free(c->place);
    free(c->last);
    free(c->key_start);
    free(c->writer);
    free(c->seats);
}

/* --- Without clocks ------------------------------------------------------------ */

/*
 * Causal at a glance: where transactions are numbered as they committed, an order is at hand, and
 * in most reads nobody wrote the key between the writer who was read from and the reader.
 *
 *     T1: w x   T2: r x   T3: w x   T4: r x from T1        only T3 matters, and only if it is
 *                                                          before T4 by session order and reads
 *
 * If no such transaction is, all that causal consistency puts before another comes before it in
 * that order. Whether one is, is found by walking backwards from the reader, not beyond the
 * first of them. After so many steps a glance is no longer one, and clocks are made instead.
 */

#define NONE UINT32_MAX

struct weak_shortcut {
    struct weak *w;
    uint32_t *last;   /* by key: who wrote it last so far */
    uint32_t *before; /* by write: who wrote its key last before it */
    uint32_t *seen;   /* by transaction: the reader, plus one, who was found to be behind it */
    ARRAY(uint32_t) between; /* who wrote what the reader at hand read, between */
    ARRAY(uint32_t) path;
    uint64_t patience;
    bool holds;
};

static void take_step(struct weak_shortcut *g)
{
    if (g->patience == 0)
        g->holds = false;
    else
        g->patience--;
}

/* Those who wrote the key since, as far as they came before the reader. */
static enum status find_between(struct weak_shortcut *g, uint32_t read, uint32_t *lowest,
                                struct error *err)
{
    const struct weak *w = g->w;
    uint32_t t1 = w->read_writer[read], key = w->read_key[read];
    uint32_t t2 = t1 == WEAK_OPEN ? NONE : g->last[key];

    for (; t2 != NONE && t2 != t1 && (t1 == WEAK_INITIAL || t2 > t1) && g->holds;
         t2 = g->before[weak_find_write(w, t2, key)]) {
        take_step(g);
        TRY(array_push(&g->between, t2, err));
        *lowest = t2 < *lowest ? t2 : *lowest;
    }
    return STATUS_OK;
}

static enum status look_at(struct weak_shortcut *g, uint32_t txn, uint32_t reader, uint32_t lowest,
                           struct error *err)
{
    if (txn >= WEAK_OPEN || txn < lowest || g->seen[txn] == reader + 1)
        return STATUS_OK;
    g->seen[txn] = reader + 1;
    return array_push(&g->path, txn, err);
}

/* Marks all that are before the reader, from `lowest` on. */
static enum status walk_back(struct weak_shortcut *g, uint32_t reader, uint32_t lowest, struct error *err)
{
    const struct weak *w = g->w;

    g->path.count = 0;
    TRY(array_push(&g->path, reader, err));
    while (g->path.count > 0 && g->holds) {
        uint32_t txn = g->path.at[--g->path.count];

        take_step(g);
        TRY(look_at(g, weak_previous(w, txn), reader, lowest, err));
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
            TRY(look_at(g, w->read_writer[i], reader, lowest, err));
    }
    return STATUS_OK;
}

static enum status glance_txn(struct weak_shortcut *g, uint32_t txn, struct error *err)
{
    const struct weak *w = g->w;
    uint32_t lowest = NONE;

    g->between.count = 0;
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
        TRY(find_between(g, i, &lowest, err));
    if (g->between.count > 0)
        TRY(walk_back(g, txn, lowest, err));
    for (size_t i = 0; i < g->between.count; i++)
        if (g->seen[g->between.at[i]] == txn + 1)
            g->holds = false;
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
        g->before[i] = g->last[w->write_key[i]];
        g->last[w->write_key[i]] = txn;
    }
    return STATUS_OK;
}

static enum status pass_all(struct weak_shortcut *g, struct error *err)
{
    struct weak *w = g->w;

    TRY(check_memory((void **)&g->last, w->history->key_count, sizeof *g->last, 0xff, err));
    TRY(memory_resize((void **)&g->before, w->write_count, sizeof *g->before, err));
    TRY(check_memory((void **)&g->seen, w->txn_count, sizeof *g->seen, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count && g->holds; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        if (w->takes_part[txn])
            TRY(glance_txn(g, txn, err));
    }
    return STATUS_OK;
}

/*
 * glance.c: whether causal holds by the order in which transactions are numbered; reads, and
 * what lists show, go forward in it. False says nothing.
 */
static enum status weak_glance(struct weak *w, bool *holds, struct error *err)
{
    struct weak_shortcut g = { .w = w, .holds = true, .patience = 4 * (uint64_t)w->txn_count + 10000 };
    enum status status = pass_all(&g, err);

    *holds = g.holds;
    free(g.last);
    free(g.before);
    free(g.seen);
    array_close(&g.between);
    array_close(&g.path);
    return status;
}

/* --- With clocks --------------------------------------------------------------- */

/* clang 14 knows the attribute, but gives the functions names that nothing links with. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#    define VECTORS __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#    define VECTORS
#endif

#define ROWS_BYTES_MAX ((size_t)3 << 30)
#define PATIENCE UINT64_C(400000000) /* writers looked at within a scope */

#define SPARSE UINT32_MAX /* as a row: the key has none */

struct causal_clocks {
    struct weak *w;
    const struct weak_scope *scope;
    struct weak_edges *edges;
    struct weak_chains chains;
    uint32_t *key_row; /* by key, or SPARSE */
    uint32_t *latest;  /* by row and chain: the last writer so far: its position, or 0; ... */
    uint32_t *at;      /* ... and its seat; before the first one the seat before that */
    uint32_t *rows;    /* clocks */
    size_t row_count, row_room;
    ARRAY(uint32_t) idle; /* rows */
    uint32_t *row;        /* by transaction */
    uint32_t *needs;      /* by transaction: how many still need its clock */
    uint32_t *zero;       /* a clock */
    uint64_t patience;
};

/* --- Rows of writers -------------------------------------------------------------- */

static bool is_dense(const struct causal_clocks *c, uint32_t key)
{
    return c->chains.key_start[key + 1] - c->chains.key_start[key] > c->chains.count / 2 + 4;
}

/* Rows of those that have about as many writers as there are chains, or more. */
static enum status make_rows(struct causal_clocks *c, struct error *err)
{
    size_t keys = c->w->history->key_count, cells;
    uint32_t count = 0;

    TRY(memory_resize((void **)&c->key_row, keys, sizeof *c->key_row, err));
    for (uint32_t key = 0; key < keys; key++)
        c->key_row[key] = is_dense(c, key) ? count++ : SPARSE;
    cells = (size_t)count * c->chains.count;
    TRY(check_memory((void **)&c->latest, cells, sizeof *c->latest, 0, err));
    TRY(memory_resize((void **)&c->at, cells, sizeof *c->at, err));
    for (uint32_t key = 0; key < keys; key++)
        for (uint32_t i = c->chains.key_start[key];
             c->key_row[key] != SPARSE && i < c->chains.key_start[key + 1]; i++)
            if (i == c->chains.key_start[key] ||
                c->chains.seats[i].chain != c->chains.seats[i - 1].chain)
                c->at[(size_t)c->key_row[key] * c->chains.count + c->chains.seats[i].chain] = i - 1;
    return STATUS_OK;
}

/* --- Clocks ----------------------------------------------------------------------- */

static inline uint32_t *clock_of(const struct causal_clocks *c, uint32_t txn)
{
    return txn == WEAK_INITIAL ? c->zero : c->rows + (size_t)c->row[txn] * c->chains.count;
}

static enum status count_needs(struct causal_clocks *c, struct error *err)
{
    struct weak *w = c->w;

    TRY(check_memory((void **)&c->needs, w->txn_count, sizeof *c->needs, 0, err));
    TRY(check_memory((void **)&c->row, w->txn_count, sizeof *c->row, 0xff, err));
    TRY(check_memory((void **)&c->zero, c->chains.count, sizeof *c->zero, 0, err));
    for (uint32_t i = 0; i < w->read_count; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            c->needs[w->read_writer[i]]++;
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && weak_previous(w, txn) != WEAK_INITIAL)
            c->needs[weak_previous(w, txn)]++;
    return STATUS_OK;
}

static enum status take_row(struct causal_clocks *c, uint32_t *row, struct error *err)
{
    if (c->idle.count > 0) {
        *row = c->idle.at[--c->idle.count];
        return STATUS_OK;
    }
    if (c->row_count == c->row_room) {
        size_t room = c->row_room + c->row_room / 2 + 64, bytes;

        if (__builtin_mul_overflow(room, (size_t)c->chains.count * sizeof *c->rows, &bytes) ||
            (bytes > ROWS_BYTES_MAX && c->row_count > 0)) {
            c->w->gave_up = "so many sessions ran side by side that their clocks need too much "
                            "memory";
            *row = 0; /* whatever comes of it, nobody asks */
            return STATUS_OK;
        }
        TRY(memory_resize((void **)&c->rows, room, (size_t)c->chains.count * sizeof *c->rows, err));
        c->row_room = room;
    }
    *row = (uint32_t)c->row_count++;
    return STATUS_OK;
}

static enum status release(struct causal_clocks *c, uint32_t txn, struct error *err)
{
    if (txn >= WEAK_OPEN || --c->needs[txn] > 0)
        return STATUS_OK;
    return array_push(&c->idle, c->row[txn], err);
}

VECTORS static void take_later(uint32_t *restrict clock, const uint32_t *restrict other,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

/* Whether somewhere both are beyond what is known. */
VECTORS static bool is_beyond(const uint32_t *clock, const uint32_t *latest, const uint32_t *known,
                              uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found |= (uint32_t)(clock[i] > known[i]) & (uint32_t)(latest[i] > known[i]);
    return found != 0;
}

/* What comes before the transaction, without itself. */
static enum status make_clock(struct causal_clocks *c, uint32_t txn, struct error *err)
{
    const struct weak *w = c->w;
    uint32_t previous = weak_previous(w, txn), last = WEAK_INITIAL, *clock;

    TRY(take_row(c, &c->row[txn], err));
    clock = clock_of(c, txn);
    if (c->chains.count > 0)
        memcpy(clock, clock_of(c, previous), c->chains.count * sizeof *clock);
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t writer = w->read_writer[i];

        if (writer < WEAK_OPEN && writer != last && writer != previous)
            take_later(clock, clock_of(c, writer), c->chains.count);
        last = writer;
    }
    return STATUS_OK;
}

/* --- Reads ------------------------------------------------------------------------ */

static enum status pass_one_by_one(struct causal_clocks *c, uint32_t read, const uint32_t *clock,
                                   const uint32_t *known, struct error *err)
{
    const struct weak *w = c->w;
    const struct weak_seat *seats = c->chains.seats;
    uint32_t key = w->read_key[read], end = c->chains.key_start[key + 1];

    for (uint32_t i = c->chains.key_start[key]; i < end; i++) {
        struct weak_seat s = seats[i];

        if ((s.place > clock[s.chain]) | (s.place <= known[s.chain]))
            continue;
        if (i + 1 < end && seats[i + 1].chain == s.chain && seats[i + 1].place <= clock[s.chain])
            continue; /* the next one is later, and within the clock */
        TRY(weak_axiom_add(w, c->scope, c->edges, c->chains.writer[i], read, err));
    }
    return STATUS_OK;
}

/*
 * The last seat from `at` backwards whose position is at most that. Those of its chain begin with
 * one beyond `known`, which is less.
 */
static uint32_t find_last(const struct causal_clocks *c, uint32_t at, uint32_t first, uint32_t position)
{
    const struct weak_seat *seats = c->chains.seats;
    uint32_t chain = seats[at].chain, low = at, high = at + 1, step = 1;

    while (seats[low].chain == chain && seats[low].place > position) {
        high = low;
        if (low - first < step)
            break;
        low -= step;
        step *= 2;
    }
    low = seats[low].chain == chain && seats[low].place <= position ? low : first;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (seats[middle].chain == chain && seats[middle].place > position)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static enum status pass_by_row(struct causal_clocks *c, uint32_t read, const uint32_t *clock,
                               const uint32_t *known, struct error *err)
{
    const struct weak *w = c->w;
    uint32_t key = w->read_key[read];
    const uint32_t *latest = c->latest + (size_t)c->key_row[key] * c->chains.count;
    const uint32_t *at = c->at + (size_t)c->key_row[key] * c->chains.count;

    if (!is_beyond(clock, latest, known, c->chains.count))
        return STATUS_OK;
    for (uint32_t chain = 0; chain < c->chains.count; chain++) {
        uint32_t last;

        if (clock[chain] <= known[chain] || latest[chain] <= known[chain])
            continue;
        last = find_last(c, at[chain], c->chains.key_start[key], clock[chain]);
        if (c->chains.seats[last].chain == chain && c->chains.seats[last].place <= clock[chain] &&
            c->chains.seats[last].place > known[chain])
            TRY(weak_axiom_add(w, c->scope, c->edges, c->chains.writer[last], read, err));
    }
    return STATUS_OK;
}

/* It has been passed: now it is the last writer of its keys. */
static void note_writes(struct causal_clocks *c, uint32_t txn)
{
    const struct weak *w = c->w;

    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
        uint32_t row = c->key_row[w->write_key[i]];
        size_t cell = (size_t)row * c->chains.count + c->chains.chain[txn];

        if (row == SPARSE)
            continue;
        c->latest[cell] = c->chains.place[txn];
        c->at[cell]++;
    }
}

/* All of the scope that are within the clock. */
static enum status pass_scope(struct causal_clocks *c, uint32_t read, const uint32_t *clock,
                              struct error *err)
{
    const struct weak *w = c->w;
    uint32_t key = w->read_key[read];

    if (!weak_is_inside(c->scope, w->read_writer[read]))
        return STATUS_OK;
    for (uint32_t i = c->chains.key_start[key]; i < c->chains.key_start[key + 1] && c->patience > 0;
         i++) {
        c->patience--;
        if (c->chains.seats[i].place <= clock[c->chains.seats[i].chain])
            TRY(weak_axiom_add(w, c->scope, c->edges, c->chains.writer[i], read, err));
    }
    return STATUS_OK;
}

static enum status pass_txn(struct causal_clocks *c, uint32_t txn, struct error *err)
{
    struct weak *w = c->w;
    uint32_t *clock;

    TRY(make_clock(c, txn, err));
    clock = clock_of(c, txn);
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t key = w->read_key[i], t1 = w->read_writer[i];

        if (t1 == WEAK_OPEN)
            continue;
        if (c->edges->edges.count > WEAK_EDGES_MAX) {
            w->gave_up = "so many writers of what was read had not seen each other that their "
                         "order needs too much memory";
            return STATUS_OK;
        }
        if (c->scope)
            TRY(pass_scope(c, i, clock, err));
        else if (c->key_row[key] != SPARSE)
            TRY(pass_by_row(c, i, clock, clock_of(c, t1), err));
        else
            TRY(pass_one_by_one(c, i, clock, clock_of(c, t1), err));
    }
    clock[c->chains.chain[txn]] = c->chains.place[txn];
    note_writes(c, txn);
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
        TRY(release(c, w->read_writer[i], err));
    TRY(release(c, weak_previous(w, txn), err));
    return c->needs[txn] > 0 ? STATUS_OK : array_push(&c->idle, c->row[txn], err);
}

/* --- The whole -------------------------------------------------------------------- */

static void expect_bytes(const void *at, size_t size)
{
    for (size_t line = 0; line < size && line < 512; line += 64)
        __builtin_prefetch((const char *)at + line);
}

/* Asks for what a transaction some places ahead will look at. */
static void expect(const struct causal_clocks *c, uint32_t far, uint32_t near)
{
    const struct weak *w = c->w;
    size_t bytes = c->chains.count * sizeof *c->rows;
    uint32_t txn;

    if (far >= w->base->count)
        return;
    txn = w->base->txns[far];
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        __builtin_prefetch(&c->key_row[w->read_key[i]]);
        if (w->read_writer[i] < WEAK_OPEN)
            __builtin_prefetch(&c->row[w->read_writer[i]]);
    }
    txn = w->base->txns[near];
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t key = w->read_key[i], row = c->key_row[key];

        if (row != SPARSE)
            expect_bytes(c->latest + (size_t)row * c->chains.count, bytes);
        else
            __builtin_prefetch(&c->chains.seats[c->chains.key_start[key]]);
        if (w->read_writer[i] < WEAK_OPEN && c->row[w->read_writer[i]] < c->row_count)
            expect_bytes(clock_of(c, w->read_writer[i]), bytes);
    }
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
        if (c->key_row[w->write_key[i]] != SPARSE) {
            size_t cell = (size_t)c->key_row[w->write_key[i]] * c->chains.count;

            __builtin_prefetch(&c->at[cell + c->chains.chain[txn]]);
        }
}

/* Then nobody needs any, if there are none. */
static bool edges_are_backward(const struct causal_clocks *c)
{
    return !c->scope && c->edges->only_backward;
}

static enum status saturate_all(struct causal_clocks *c, struct error *err)
{
    struct weak *w = c->w;

    if (edges_are_backward(c)) {
        bool holds = false;

        TRY(weak_glance(w, &holds, err));
        if (holds || weak_is_stopped(w))
            return STATUS_OK;
    }
    TRY(weak_find_base(w, err));
    TRY(weak_chains_init(&c->chains, w, err));
    TRY(make_rows(c, err));
    TRY(count_needs(c, err));
    for (uint32_t n = 0; n < w->base->count; n++) {
        if ((n % 256 == 0 && weak_is_stopped(w)) || w->gave_up)
            return STATUS_OK;
        expect(c, n + 6, n + 3);
        TRY(pass_txn(c, w->base->txns[n], err));
        if (weak_axiom_is_enough(c->scope, c->edges) || (c->scope && c->patience == 0))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status saturate(struct weak *w, const struct weak_scope *scope,
                            struct weak_edges *edges, struct error *err)
{
    struct causal_clocks c = { .w = w, .scope = scope, .edges = edges, .patience = PATIENCE };
    enum status status = saturate_all(&c, err);

    weak_chains_close(&c.chains);
    free(c.key_row);
    free(c.latest);
    free(c.at);
    free(c.rows);
    array_close(&c.idle);
    free(c.row);
    free(c.needs);
    free(c.zero);
    return status;
}

static enum status explain(const struct weak *w, const struct weak_edge *edge,
                           struct weak_path *path, struct error *err)
{
    return weak_find_path(w, edge->from, history_txn_of(w->history, edge->op), path, err);
}

const struct weak_axiom weak_causal = {
    .level = LEVEL_CAUSAL,
    .saturate = saturate,
    .explain = explain,
    .by_order = ANOMALY_CO_CONFLICT_AO,
    .by_circle = ANOMALY_CONFLICT_AO,
};
