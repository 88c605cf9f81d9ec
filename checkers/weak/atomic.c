/*
 * Read atomic: t3 read x from t1; whoever also wrote x, and comes before t3 in its session or was
 * read from by it, comes before t1.
 *
 *     T1: w(x,1) w(y,1)    T2: r(x,1) r(y,null)       does not hold: T1 is seen in part
 *
 * Of a session's earlier writers of x the last is enough. A session at a time, so that a
 * table of keys has who wrote each last; then what each writer wrote is compared with what the
 * reader read, by walking through the fewer of the two.
 */
#include "checkers/weak/atomic_private.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/sort.h"

#include "checkers/weak/axioms_private.h"
#include "checkers/weak/gather_private.h"

/* Who wrote a key last: of the session at hand if it has a place within that. */
struct last {
    uint32_t txn, place; /* among session_txns, from 1 */
};

struct atomic {
    struct weak *w;
    const struct weak_scope *scope;
    struct weak_edges *edges;
    struct last *last; /* by key */
    uint64_t *sorted;  /* of a long reader: key and read */
    size_t sorted_room;
};

static enum status add(struct atomic *a, uint32_t t2, uint32_t read, struct error *err)
{
    return weak_axiom_add(a->w, a->scope, a->edges, t2, read, err);
}

/* --- Sessions --------------------------------------------------------------------- */

static enum status pass_session_txn(struct atomic *a, uint32_t session, uint32_t at,
                                    struct error *err)
{
    const struct weak *w = a->w;
    uint32_t txn = w->session_txns[at];

    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t key = w->read_key[i];

        if (a->last[key].place > w->session_start[session])
            TRY(add(a, a->last[key].txn, i, err));
    }
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
        a->last[w->write_key[i]] = (struct last){ txn, at + 1 };
    return STATUS_OK;
}

/* Sessions run side by side: the next of one is far from the one before it. */
static void expect_txn(const struct weak *w, uint32_t far, uint32_t near, uint32_t end)
{
    if (far < end) {
        __builtin_prefetch(&w->read_start[w->session_txns[far]]);
        __builtin_prefetch(&w->write_start[w->session_txns[far]]);
    }
    if (near < end) {
        uint32_t txn = w->session_txns[near];

        __builtin_prefetch(&w->read_key[w->read_start[txn]]);
        __builtin_prefetch(&w->read_writer[w->read_start[txn]]);
        __builtin_prefetch(&w->read_op[w->read_start[txn]]);
        __builtin_prefetch(&w->write_key[w->write_start[txn]]);
    }
}

static enum status pass_sessions(struct atomic *a, struct error *err)
{
    struct weak *w = a->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&a->last, keys, sizeof *a->last, 0, err));
    for (uint32_t s = 0; s < w->session_count; s++)
        for (uint32_t at = w->session_start[s]; at < w->session_start[s + 1]; at++) {
            if (at % 4096 == 0 && weak_is_stopped(w))
                return STATUS_OK;
            expect_txn(w, at + 16, at + 8, w->session_start[w->session_count]);
            TRY(pass_session_txn(a, s, at, err));
        }
    return STATUS_OK;
}

/* Of one scope: every earlier writer of its session, as long as there is patience. */
static enum status pass_sessions_within(struct atomic *a, struct error *err)
{
    struct weak *w = a->w;
    uint64_t patience = 10000000; /* reads looked at */

    for (uint32_t s = 0; s < w->session_count; s++)
        for (uint32_t at = w->session_start[s]; at < w->session_start[s + 1]; at++) {
            uint32_t t2 = w->session_txns[at];

            if (!weak_is_inside(a->scope, t2))
                continue;
            for (uint32_t to = at + 1; to < w->session_start[s + 1]; to++) {
                uint32_t t3 = w->session_txns[to];
                uint64_t reads = w->read_start[t3 + 1] - w->read_start[t3] + 1;

                if (patience < reads || weak_axiom_is_enough(a->scope, a->edges))
                    return STATUS_OK;
                patience -= reads;
                for (uint32_t i = w->read_start[t3]; i < w->read_start[t3 + 1]; i++)
                    if (weak_is_inside(a->scope, w->read_writer[i]) &&
                        weak_writes(w, t2, w->read_key[i]))
                        TRY(add(a, t2, i, err));
            }
        }
    return STATUS_OK;
}

/* --- Readers ---------------------------------------------------------------------- */

/* What was read, from others, of a key that t2 wrote. */
static enum status compare_key(struct atomic *a, uint32_t t2, uint32_t key, uint32_t from,
                               uint32_t to, struct error *err)
{
    const struct weak *w = a->w;

    for (uint32_t j = from; j < to; j++)
        if (w->read_key[j] == key && w->read_writer[j] != t2)
            TRY(add(a, t2, j, err));
    return STATUS_OK;
}

/* The same of all that t2 wrote. `keys`: see below. */
static enum status compare_writer(struct atomic *a, uint64_t keys, uint32_t t2, uint32_t from,
                                  uint32_t to, struct error *err)
{
    const struct weak *w = a->w;

    if (weak_wrote_many(w, t2)) {
        for (uint32_t j = from; j < to; j++)
            if (w->read_writer[j] != t2 && weak_writes(w, t2, w->read_key[j]))
                TRY(add(a, t2, j, err));
        return STATUS_OK;
    }
    for (uint32_t n = w->write_start[t2]; n < w->write_start[t2 + 1]; n++)
        if (keys >> (w->write_key[n] & 63) & 1)
            TRY(compare_key(a, t2, w->write_key[n], from, to, err));
    return STATUS_OK;
}

static enum status compare_pairs(struct atomic *a, uint32_t from, uint32_t to, struct error *err)
{
    const struct weak *w = a->w;
    uint64_t keys = 0; /* that are read: a bit for some of them each */

    for (uint32_t i = from; i < to; i++)
        keys |= UINT64_C(1) << (w->read_key[i] & 63);
    for (uint32_t i = from; i < to; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            TRY(compare_writer(a, keys, w->read_writer[i], from, to, err));
    return STATUS_OK;
}

static size_t first_of_key(const struct atomic *a, size_t count, uint32_t key)
{
    size_t place;

    BISECT(place, 0, count, a->sorted[place] >> 32 < key);
    return place;
}

/* All reads of a key that t2 wrote: one is enough, or two that differ. */
static enum status add_key(struct atomic *a, size_t count, uint32_t t2, uint32_t key,
                           struct error *err)
{
    for (size_t i = first_of_key(a, count, key); i < count && a->sorted[i] >> 32 == key; i++) {
        uint32_t read = (uint32_t)a->sorted[i];

        if (a->w->read_writer[read] == t2 || a->w->read_writer[read] == WEAK_OPEN)
            continue;
        TRY(add(a, t2, read, err));
        return STATUS_OK; /* others that differ were told as a fault, or make a circle */
    }
    return STATUS_OK;
}

static enum status compare_with(struct atomic *a, size_t count, uint32_t t2, struct error *err)
{
    const struct weak *w = a->w;

    if (w->write_start[t2 + 1] - w->write_start[t2] <= count) {
        for (uint32_t i = w->write_start[t2]; i < w->write_start[t2 + 1]; i++)
            TRY(add_key(a, count, t2, w->write_key[i], err));
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++)
        if ((i == 0 || a->sorted[i] >> 32 != a->sorted[i - 1] >> 32) &&
            weak_writes(w, t2, (uint32_t)(a->sorted[i] >> 32)))
            TRY(add_key(a, count, t2, (uint32_t)(a->sorted[i] >> 32), err));
    return STATUS_OK;
}

static enum status sort_reads(struct atomic *a, uint32_t from, size_t count, bool by_writer,
                              struct error *err)
{
    const struct weak *w = a->w;

    if (a->sorted_room < count) {
        TRY(memory_resize((void **)&a->sorted, 2 * count, sizeof *a->sorted, err));
        a->sorted_room = count;
    }
    for (size_t i = 0; i < count; i++)
        a->sorted[(by_writer ? a->sorted_room : 0) + i] =
            (uint64_t)(by_writer ? w->read_writer : w->read_key)[from + i] << 32 | (from + i);
    sort_wide(a->sorted + (by_writer ? a->sorted_room : 0), count);
    return STATUS_OK;
}

static enum status compare_long(struct atomic *a, uint32_t from, size_t count, struct error *err)
{
    const uint64_t *writers;

    TRY(sort_reads(a, from, count, false, err));
    TRY(sort_reads(a, from, count, true, err));
    writers = a->sorted + a->sorted_room;
    for (size_t i = 0; i < count; i++) {
        uint32_t t2 = (uint32_t)(writers[i] >> 32);

        if (t2 < WEAK_OPEN && (i == 0 || writers[i - 1] >> 32 != t2))
            TRY(compare_with(a, count, t2, err));
    }
    return STATUS_OK;
}

static enum status pass_readers(struct atomic *a, struct error *err)
{
    struct weak *w = a->w;

    for (uint32_t t3 = 0; t3 < w->txn_count; t3++) {
        uint32_t from = w->read_start[t3], to = w->read_start[t3 + 1];

        if (t3 % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        weak_expect_writers(w, t3);
        if (to - from <= (a->scope ? WEAK_SHORT_SCOPE : WEAK_SHORT))
            TRY(compare_pairs(a, from, to, err));
        else
            TRY(compare_long(a, from, to - from, err));
        if (weak_axiom_is_enough(a->scope, a->edges))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

static enum status saturate(struct weak *w, const struct weak_scope *scope,
                            struct weak_edges *edges, struct error *err)
{
    struct atomic a = { .w = w, .scope = scope, .edges = edges };
    enum status status = pass_readers(&a, err);

    if (status == STATUS_OK && !weak_axiom_is_enough(scope, edges))
        status = scope ? pass_sessions_within(&a, err) : pass_sessions(&a, err);
    free(a.last);
    free(a.sorted);
    return status;
}

static enum status explain(const struct weak *w, const struct weak_edge *edge,
                           struct weak_path *path, struct error *err)
{
    uint32_t reader = history_txn_of(w->history, edge->op);
    struct weak_step step = { edge->from, reader, HISTORY_NONE };

    for (uint32_t i = w->read_start[reader]; i < w->read_start[reader + 1]; i++)
        if (w->read_writer[i] == edge->from && step.op == HISTORY_NONE)
            step.op = w->read_op[i];
    return array_push(&path->steps, step, err);
}

const struct weak_axiom weak_read_atomic = {
    .level = LEVEL_READ_ATOMIC,
    .saturate = saturate,
    .explain = explain,
    .by_order = ANOMALY_FRACTURED_READ_CO,
    .by_circle = ANOMALY_FRACTURED_READ_AO,
};

/* --- Reads that are not repeated -------------------------------------------------- */

static enum status compare_reads(struct weak *w, uint32_t txn, uint32_t first, uint32_t second,
                                 struct error *err)
{
    if (w->read_key[first] != w->read_key[second] ||
        w->read_writer[first] == w->read_writer[second] || w->read_writer[first] == WEAK_OPEN ||
        w->read_writer[second] == WEAK_OPEN)
        return STATUS_OK;
    return weak_add_fault(w, txn, w->read_op[second], w->read_op[first], WEAK_NOT_REPEATED, err);
}

enum status weak_find_unrepeated(struct weak *w, struct error *err)
{
    struct atomic a = { .w = w };
    enum status status = STATUS_OK;

    for (uint32_t t = 0; t < w->txn_count && status == STATUS_OK; t++) {
        uint32_t from = w->read_start[t], to = w->read_start[t + 1];

        if (to - from > WEAK_SHORT) {
            status = sort_reads(&a, from, to - from, false, err);
            for (size_t i = 1; i < to - from && status == STATUS_OK; i++)
                status = compare_reads(w, t, (uint32_t)a.sorted[i - 1], (uint32_t)a.sorted[i], err);
            continue;
        }
        for (uint32_t i = from; i < to && status == STATUS_OK; i++)
            for (uint32_t j = i; j-- > from;)
                if (w->read_key[j] == w->read_key[i]) {
                    status = compare_reads(w, t, j, i, err);
                    break;
                }
    }
    free(a.sorted);
    return status;
}
