#include "checkers/interval/key_order_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

void key_order_close(struct key_order *o)
{
    for (size_t i = 0; i < o->pieces.count; i++)
        free(o->pieces.at[i]);
    array_close(&o->pieces);
}

/* The last piece that begins at or before the place, or the first. */
static size_t find_piece(const struct key_order *o, int64_t place)
{
    size_t next;

    BISECT(next, 1, o->pieces.count, o->pieces.at[next]->at[0].place <= place);
    return next - 1;
}

/* Where in the piece the first stands that is at the place or behind it. */
static uint32_t find_within(const struct key_piece *piece, int64_t place)
{
    uint32_t low;

    BISECT(low, 0, piece->count, piece->at[low].place < place);
    return low;
}

static enum status add_piece(struct key_order *o, size_t at, struct error *err)
{
    struct key_piece *piece = NULL;

    TRY(array_reserve(&o->pieces, 1, err));
    TRY(memory_resize((void **)&piece, 1, sizeof *piece, err));
    piece->count = 0;
    memmove(o->pieces.at + at + 1, o->pieces.at + at,
            (o->pieces.count - at) * sizeof *o->pieces.at);
    o->pieces.at[at] = piece;
    o->pieces.count++;
    return STATUS_OK;
}

/* The upper half moves to a piece of its own. Behind the last key nothing moves. */
static enum status split(struct key_order *o, size_t at, bool is_behind_all, struct error *err)
{
    struct key_piece *piece = o->pieces.at[at], *next;
    uint32_t kept = is_behind_all ? piece->count : piece->count / 2;

    TRY(add_piece(o, at + 1, err));
    next = o->pieces.at[at + 1];
    next->count = piece->count - kept;
    memcpy(next->at, piece->at + kept, next->count * sizeof *next->at);
    piece->count = kept;
    return STATUS_OK;
}

enum status key_order_add(struct key_order *o, int64_t place, uint32_t key, struct error *err)
{
    struct key_piece *piece;
    size_t at;
    uint32_t within;

    if (o->pieces.count == 0)
        TRY(add_piece(o, 0, err));
    at = find_piece(o, place);
    piece = o->pieces.at[at];
    if (piece->count == KEY_PIECE_ROOM) {
        bool is_behind_all =
            at + 1 == o->pieces.count && piece->at[piece->count - 1].place <= place;

        TRY(split(o, at, is_behind_all, err));
        if (is_behind_all || o->pieces.at[at + 1]->at[0].place <= place)
            at++;
        piece = o->pieces.at[at];
    }
    within = piece->count > 0 && piece->at[piece->count - 1].place <= place
                 ? piece->count
                 : find_within(piece, place);
    memmove(piece->at + within + 1, piece->at + within,
            (piece->count - within) * sizeof *piece->at);
    piece->at[within] = (struct placed_key){ place, key };
    piece->count++;
    return STATUS_OK;
}

struct key_walk key_order_walk(const struct key_order *o, int64_t low, int64_t high)
{
    struct key_walk walk = { .order = o, .high = high };

    if (o->pieces.count == 0)
        return walk;
    walk.piece = find_piece(o, low);
    /* Keys of one place may fill pieces: the first of them that has any. */
    while (walk.piece > 0 && o->pieces.at[walk.piece]->at[0].place >= low)
        walk.piece--;
    walk.at = find_within(o->pieces.at[walk.piece], low);
    return walk;
}

bool key_walk_next(struct key_walk *walk, uint32_t *key)
{
    const struct key_order *o = walk->order;

    while (walk->piece < o->pieces.count && walk->at == o->pieces.at[walk->piece]->count) {
        walk->piece++;
        walk->at = 0;
    }
    if (walk->piece == o->pieces.count)
        return false;
    if (o->pieces.at[walk->piece]->at[walk->at].place > walk->high)
        return false;
    *key = o->pieces.at[walk->piece]->at[walk->at++].key;
    return true;
}
