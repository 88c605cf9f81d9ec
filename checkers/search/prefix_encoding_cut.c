#include <string.h>

#include "checkers/search/prefix_encoding.h"

struct cutting {
    const struct distilled *whole;
    struct distilled *halves;
    struct arena *arena;
    uint32_t *number; /* by read of the whole: its number among those of the halves */
    uint32_t *writer; /* by key of the history: the actor at hand, plus one, if it writes it */
    uint32_t *write;  /* beside it: the operation that does so first */
};

static void note_writes(struct cutting *c, uint32_t actor)
{
    const struct history *h = c->whole->history;
    uint32_t txn = c->whole->actor_txn[actor];

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (!op_is_write(h->op_kind[op]) || h->op_flags[op] & OP_ERROR ||
            c->writer[key] == actor + 1)
            continue;
        c->writer[key] = actor + 1;
        c->write[key] = op;
    }
}

/* Whether the reader had appended to the list before. */
static bool is_behind_own(const struct cutting *c, uint32_t read)
{
    const struct distilled *w = c->whole;
    uint32_t key = w->history->op_key[w->read_op[read]];

    return c->writer[key] == w->read_actor[read] + 1 && c->write[key] < w->read_op[read];
}

/* Of each actor first those of b, then those of c. */
static enum status number_reads(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;

    TAKE(c->arena, c->number, w->read_count, err);
    TAKE(c->arena, c->writer, w->history->key_count, err);
    TAKE(c->arena, c->write, w->history->key_count, err);
    TAKE(c->arena, d->read_actor, w->read_count, err);
    for (uint32_t from = 0, to; from < w->read_count; from = to) {
        uint32_t actor = w->read_actor[from], next = from;

        note_writes(c, actor);
        for (to = from; to < w->read_count && w->read_actor[to] == actor; to++)
            if (!is_behind_own(c, to)) {
                d->read_actor[next] = 2 * actor;
                c->number[to] = next++;
            }
        for (uint32_t read = from; read < to; read++)
            if (is_behind_own(c, read)) {
                d->read_actor[next] = 2 * actor + 1;
                c->number[read] = next++;
            }
    }
    return STATUS_OK;
}

static enum status move_reads(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;
    uint32_t count = w->read_count;

    TAKE(c->arena, d->read_op, count, err);
    TAKE(c->arena, d->read_key, count, err);
    TAKE(c->arena, d->read_length, count, err);
    TAKE(c->arena, d->read_source, count, err);
    TAKE(c->arena, d->candidate_start, (size_t)count + 1, err);
    TAKE(c->arena, d->candidates, w->candidate_start[count], err);
    for (uint32_t read = 0; read < count; read++) {
        uint32_t to = c->number[read];

        d->read_op[to] = w->read_op[read];
        d->read_key[to] = w->read_key[read];
        d->read_length[to] = w->read_length[read];
        d->read_source[to] = w->read_source[read];
        d->candidate_start[to + 1] = w->candidate_start[read + 1] - w->candidate_start[read];
    }
    for (uint32_t read = 0; read < count; read++)
        d->candidate_start[read + 1] += d->candidate_start[read];
    for (uint32_t read = 0; read < count; read++)
        for (uint32_t i = w->candidate_start[read]; i < w->candidate_start[read + 1]; i++)
            d->candidates[d->candidate_start[c->number[read]] + i - w->candidate_start[read]] =
                w->candidates[i];
    return STATUS_OK;
}

static enum status move_lists(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;

    TAKE(c->arena, d->shown, w->shown_count, err);
    TAKE(c->arena, d->key_list, w->key_count, err);
    for (uint32_t i = 0; i < w->shown_count; i++) {
        d->shown[i] = w->shown[i];
        d->shown[i].read = c->number[w->shown[i].read];
    }
    for (uint32_t key = 0; key < w->key_count; key++)
        d->key_list[key] = w->key_list[key] == NOBODY ? NOBODY : c->number[w->key_list[key]];
    return STATUS_OK;
}

enum status halves_cut(struct distilled *d, const struct distilled *w, struct arena *arena,
                       struct error *err)
{
    struct cutting c = { .whole = w, .halves = d, .arena = arena };

    *d = *w; /* keys and versions stay as they are */
    memset(&d->faults, 0, sizeof d->faults);
    d->is_halved = true;
    d->actor_count = 2 * w->actor_count;
    TAKE(arena, d->actor_txn, d->actor_count, err);
    TAKE(arena, d->version_actor, w->version_count, err);
    for (uint32_t actor = 0; actor < d->actor_count; actor++)
        d->actor_txn[actor] = w->actor_txn[actor / 2];
    for (uint32_t v = 0; v < w->version_count; v++)
        d->version_actor[v] = w->version_actor[v] == NOBODY ? NOBODY : 2 * w->version_actor[v] + 1;
    TRY(number_reads(&c, err));
    TRY(move_reads(&c, err));
    return move_lists(&c, err);
}
