/*
 * Read committed: t3 read y from t2 and then x from t1, and t2 also wrote x: t2 before t1.
 *
 *     T1: w(x,1)    T2: w(x,2) w(y,2)    T3: r(y,2) r(x,1)        holds: T2 T1 T3
 *     the same and                       T4: r(y,2) r(x,2), T4: w(z,4), T1: r(z,4)      does not
 *
 * Of all later reads of x from others than t2 the nearest is enough: what is read behind it follows
 * from that. So a reader is passed through from its end, keeping for each key the two nearest
 * reads from different writers; where a t2 is first read from, what it wrote is compared
 * with them, by walking through the fewer of the two. Short readers are compared pair by pair.
 * Rows of one statement are read at once: none of them before another.
 */
#include <stdlib.h>

#include "checkers/weak/axioms_private.h"

/* Reads of one key: the nearest behind the place at hand, and the next from another writer. */
struct nearest {
    uint32_t stamp; /* the reader, plus one */
    uint32_t first, second;
};

struct committed {
    struct weak *w;
    const struct weak_scope *scope;
    struct weak_edges *edges;
    struct nearest *nearest; /* by key; NULL: no reader was long yet */
    uint32_t *keys;          /* of the reader at hand, that are in `nearest` */
    uint32_t key_count;
    uint32_t *first_read; /* by transaction: the reader, plus one, for which it is done */
    uint32_t *first_place;
};

static enum status add(struct committed *c, uint32_t t2, uint32_t read, struct error *err)
{
    return weak_axiom_add(c->w, c->scope, c->edges, t2, read, err);
}

/* --- Short readers ---------------------------------------------------------------- */

static bool was_read_before(const struct weak *w, uint32_t from, uint32_t read)
{
    for (uint32_t i = from; i < read; i++)
        if (w->read_writer[i] == w->read_writer[read])
            return true;
    return false;
}

/* What is read behind the place at hand of a key that t2 wrote. */
static enum status compare_key(struct committed *c, uint32_t key, uint32_t read, uint32_t to,
                               struct error *err)
{
    const struct weak *w = c->w;
    uint32_t t2 = w->read_writer[read];

    for (uint32_t j = read + 1; j < to; j++)
        if (w->read_key[j] == key && w->read_writer[j] != t2 && !weak_is_at_once(w, read, j))
            TRY(add(c, t2, j, err));
    return STATUS_OK;
}

/* The same of all that t2 wrote, and is read from at that place. `keys`: see below. */
static enum status compare_writer(struct committed *c, uint64_t keys, uint32_t read, uint32_t to,
                                  struct error *err)
{
    const struct weak *w = c->w;
    uint32_t t2 = w->read_writer[read];

    if (weak_wrote_many(w, t2)) {
        for (uint32_t j = read + 1; j < to; j++)
            if (w->read_writer[j] != t2 && weak_writes(w, t2, w->read_key[j]) &&
                !weak_is_at_once(w, read, j))
                TRY(add(c, t2, j, err));
        return STATUS_OK;
    }
    for (uint32_t n = w->write_start[t2]; n < w->write_start[t2 + 1]; n++)
        if (keys >> (w->write_key[n] & 63) & 1)
            TRY(compare_key(c, w->write_key[n], read, to, err));
    return STATUS_OK;
}

static enum status compare_pairs(struct committed *c, uint32_t from, uint32_t to, struct error *err)
{
    const struct weak *w = c->w;
    uint64_t keys = 0; /* that are read behind the place at hand: a bit for some of them each */

    for (uint32_t i = to; i-- > from;) {
        if (keys != 0 && w->read_writer[i] < WEAK_OPEN && !was_read_before(w, from, i))
            TRY(compare_writer(c, keys, i, to, err));
        keys |= UINT64_C(1) << (w->read_key[i] & 63);
    }
    return STATUS_OK;
}

/* --- Long ones -------------------------------------------------------------------- */

static enum status take_tables(struct committed *c, struct error *err)
{
    size_t keys = c->w->history->key_count, txns = c->w->txn_count;

    if (c->nearest)
        return STATUS_OK;
    TRY(memory_resize((void **)&c->keys, keys, sizeof *c->keys, err));
    TRY(check_memory((void **)&c->first_read, txns, sizeof *c->first_read, 0, err));
    TRY(memory_resize((void **)&c->first_place, txns, sizeof *c->first_place, err));
    return check_memory((void **)&c->nearest, keys, sizeof *c->nearest, 0, err);
}

static void note(struct committed *c, uint32_t reader, uint32_t read)
{
    const struct weak *w = c->w;
    struct nearest *n = &c->nearest[w->read_key[read]];

    if (n->stamp != reader + 1) {
        *n = (struct nearest){ reader + 1, read, HISTORY_NONE };
        c->keys[c->key_count++] = w->read_key[read];
    } else {
        if (w->read_writer[n->first] != w->read_writer[read])
            n->second = n->first;
        n->first = read;
    }
}

static enum status add_nearest(struct committed *c, uint32_t reader, uint32_t t2, uint32_t key,
                               struct error *err)
{
    const struct nearest *n = &c->nearest[key];
    uint32_t read;

    if (n->stamp != reader + 1)
        return STATUS_OK;
    read = c->w->read_writer[n->first] != t2 ? n->first : n->second;
    return read == HISTORY_NONE ? STATUS_OK : add(c, t2, read, err);
}

/* What t2 wrote, with what is read behind the place at hand: the fewer of the two. */
static enum status compare_long(struct committed *c, uint32_t reader, uint32_t t2,
                                struct error *err)
{
    const struct weak *w = c->w;

    if (w->write_start[t2 + 1] - w->write_start[t2] <= c->key_count) {
        for (uint32_t i = w->write_start[t2]; i < w->write_start[t2 + 1]; i++)
            TRY(add_nearest(c, reader, t2, w->write_key[i], err));
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < c->key_count; i++)
        if (weak_writes(w, t2, c->keys[i]))
            TRY(add_nearest(c, reader, t2, c->keys[i], err));
    return STATUS_OK;
}

static enum status compare_backwards(struct committed *c, uint32_t reader, uint32_t from,
                                     uint32_t to, struct error *err)
{
    const struct weak *w = c->w;

    TRY(take_tables(c, err));
    c->key_count = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t t2 = w->read_writer[i];

        if (t2 >= WEAK_OPEN || c->first_read[t2] == reader + 1)
            continue;
        c->first_read[t2] = reader + 1;
        c->first_place[t2] = i;
    }
    for (uint32_t end = to, i; end > from; end = i) {
        for (i = end - 1; i > from && weak_is_at_once(w, i - 1, i);)
            i--;
        for (uint32_t n = i; n < end; n++)
            if (w->read_writer[n] < WEAK_OPEN && c->first_place[w->read_writer[n]] == n)
                TRY(compare_long(c, reader, w->read_writer[n], err));
        for (uint32_t n = end; n-- > i;)
            if (w->read_writer[n] != WEAK_OPEN)
                note(c, reader, n);
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

static enum status pass(struct committed *c, struct error *err)
{
    struct weak *w = c->w;

    for (uint32_t t3 = 0; t3 < w->txn_count; t3++) {
        uint32_t from = w->read_start[t3], to = w->read_start[t3 + 1];

        if (t3 % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        weak_expect_writers(w, t3);
        if (to - from <= (c->scope ? WEAK_SHORT_SCOPE : WEAK_SHORT))
            TRY(compare_pairs(c, from, to, err));
        else
            TRY(compare_backwards(c, t3, from, to, err));
        if (weak_axiom_is_enough(c->scope, c->edges))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status saturate(struct weak *w, const struct weak_scope *scope,
                            struct weak_edges *edges, struct error *err)
{
    struct committed c = { .w = w, .scope = scope, .edges = edges };
    enum status status = pass(&c, err);

    free(c.nearest);
    free(c.keys);
    free(c.first_read);
    free(c.first_place);
    return status;
}

/* The reader read from it before. */
static enum status explain(const struct weak *w, const struct weak_edge *edge,
                           struct weak_path *path, struct error *err)
{
    uint32_t reader = history_txn_of(w->history, edge->op), i = w->read_start[reader];

    while (w->read_writer[i] != edge->from)
        i++;
    return array_push(&path->steps, ((struct weak_step){ edge->from, reader, w->read_op[i] }), err);
}

const struct weak_axiom weak_read_committed = {
    .level = LEVEL_READ_COMMITTED,
    .saturate = saturate,
    .explain = explain,
    .by_order = ANOMALY_NON_MONO_READ_CO,
    .by_circle = ANOMALY_NON_MONO_READ_AO,
};
