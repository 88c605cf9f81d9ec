#include "checkers/interval/key_versions_private.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/hash.h"
#include "checkers/interval/derivation_private.h"

/* --- The order of a key ---------------------------------------------------------- */

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

static const struct key_state no_key = { .newest = INTERVAL_NONE,
                                         .count_to_collect = KEY_VERSIONS_KEPT };

enum status key_versions_add(struct interval_model *m, uint32_t key, struct error *err)
{
    while (m->keys.count <= key)
        TRY(array_push(&m->keys, no_key, err));
    return STATUS_OK;
}

static enum status take_version(struct interval_model *m, const struct key_version *new,
                                uint32_t *place, struct error *err)
{
    size_t chains = m->free_versions.count;

    if (chains > 0) {
        *place = m->free_versions.at[chains - 1];
        if (m->versions.at[*place].older == INTERVAL_NONE)
            m->free_versions.count--;
        else
            m->free_versions.at[chains - 1] = m->versions.at[*place].older;
        m->versions.at[*place] = *new;
        return STATUS_OK;
    }
    *place = (uint32_t)m->versions.count;
    return array_push(&m->versions, *new, err);
}

static uint64_t number_of(uint32_t key, uint64_t value)
{
    return hash_number(hash_mix(hash_number(key), value));
}

/* Without times versions stay where they are, and reads look for them by their values. */
static enum status chain_by_value(struct interval_model *m, uint32_t key, uint32_t version,
                                  struct error *err)
{
    struct key_version *v = &m->versions.at[version];
    size_t count = m->values.keys.count, place;

    v->same = INTERVAL_NONE;
    if (m->profile.timing != TIMING_NONE)
        return STATUS_OK;
    TRY(map_add(&m->values, number_of(key, v->value), version, &place, err));
    if (m->values.keys.count == count)
        v->same = (uint32_t)m->values.values.at[place];
    m->values.values.at[place] = version;
    return STATUS_OK;
}

uint32_t key_versions_of_value(const struct interval_model *m, uint32_t key, uint64_t value)
{
    uint64_t found;

    if (m->profile.timing != TIMING_NONE)
        return m->keys.at[key].newest;
    return map_find(&m->values, number_of(key, value), &found) ? (uint32_t)found : INTERVAL_NONE;
}

/* When a version and all older ones had been installed. */
static int64_t settled_by(const struct interval_model *m, uint32_t version)
{
    const struct key_version *v;

    if (version == INTERVAL_NONE)
        return TIMELINE_BEGINNING;
    v = &m->versions.at[version];
    return model_later_of(v->settled, model_later_of(v->installed.high, v->locked.high));
}

static enum status put_version(struct interval_model *m, uint32_t key, struct key_version *new,
                               const struct live_txn *live, uint32_t *place, struct error *err)
{
    struct key_state *state;

    TRY(key_versions_of(m, key, &state, err));
    new->older = state->newest;
    new->came = new->installed.low;
    new->settled = settled_by(m, new->older);
    TRY(take_version(m, new, place, err));
    TRY(chain_by_value(m, key, *place, err));
    derivation_add_version(m, live, *place);
    state->newest = *place;
    state->count++;
    return STATUS_OK;
}

static const struct time_window always = { TIMELINE_BEGINNING, TIMELINE_END };
static const struct time_window before_all = { TIMELINE_BEGINNING, TIMELINE_BEGINNING };

enum status interval_model_initial(struct interval_model *m, uint32_t key, uint64_t value,
                                   struct error *err)
{
    return interval_model_initial_row(m, key, value, ROW_NONE, err);
}

enum status interval_model_initial_row(struct interval_model *m, uint32_t key, uint64_t value,
                                       uint32_t row, struct error *err)
{
    struct key_version new = { .value = value,
                               .txn = UINT64_MAX,
                               .number = INTERVAL_NONE,
                               .installed = before_all,
                               .locked = before_all,
                               .viewed = before_all,
                               .point = INTERVAL_NONE,
                               .view = INTERVAL_NONE,
                               .certified = INTERVAL_NONE,
                               .state = VERSION_OF_BEGINNING,
                               .row = row };
    struct key_state *state;
    uint32_t place;

    TRY(key_versions_of(m, key, &state, err));
    if (state->is_known) {
        if (m->rows)
            row_store_drop(m->rows, row);
        return STATUS_OK;
    }
    state->is_known = true;
    return put_version(m, key, &new, NULL, &place, err);
}

static uint8_t state_of(const struct live_txn *live, const struct txn_access *access)
{
    if (live->status == TXN_ABORT)
        return VERSION_ABORTED;
    if (!access->is_last)
        return VERSION_OVERWRITTEN;
    return live->status == TXN_OK ? VERSION_COMMITTED : VERSION_PERHAPS;
}

enum status key_versions_install(struct interval_model *m, struct live_txn *live,
                                 struct txn_access *access, struct error *err)
{
    struct key_version new = { .value = access->value,
                               .txn_id = live->id,
                               .txn = m->live_first + (uint64_t)(live - m->live.at),
                               .number = live->number,
                               .op = access->op,
                               .installed =
                                   m->profile.timing == TIMING_NONE ? always : live->commit,
                               .locked = access->at,
                               .viewed = m->profile.timing == TIMING_NONE ? always : live->at,
                               .point = live->point,
                               .view = live->view,
                               .certified = live->certified,
                               .state = state_of(live, access),
                               .row = access->row };

    if (m->rows)
        row_store_hold(m->rows, access->row);
    return put_version(m, access->key, &new, live, &access->version, err);
}

bool key_versions_gap_reaches(const struct interval_model *m, uint32_t key, struct time_window view)
{
    int64_t end = gaps_end(&m->gaps, view.high);
    uint32_t next = key < m->keys.count ? m->keys.at[key].newest : INTERVAL_NONE;

    if (end == INT64_MIN || m->profile.reads_any)
        return end != INT64_MIN;
    for (; next != INTERVAL_NONE; next = m->versions.at[next].older) {
        const struct key_version *v = &m->versions.at[next];
        struct time_window installed = version_installed(m, v);

        if (v->state == VERSION_COMMITTED && installed.low > end && installed.high < view.low)
            return false;
    }
    return true;
}

/* --- What nobody asks for any more -------------------------------------------------- */

/* Whether all who are still to come see it, or a later one. */
static bool is_floor(const struct interval_model *m, const struct key_version *v)
{
    return version_counts(v) && version_installed(m, v).high < m->oldest;
}

/* The version that all who are still to come see at the least, or INTERVAL_NONE. */
static uint32_t find_floor(const struct interval_model *m, const struct key_state *state)
{
    uint32_t floor = INTERVAL_NONE;

    for (uint32_t v = state->newest; v != INTERVAL_NONE; v = m->versions.at[v].older) {
        const struct key_version *version = &m->versions.at[v];

        if (!is_floor(m, version))
            continue;
        if (floor == INTERVAL_NONE ||
            version_installed(m, version).low > version_installed(m, &m->versions.at[floor]).low)
            floor = v;
    }
    return floor;
}

static void forget_readers(const struct interval_model *m, struct key_readers *readers)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < readers->count; i++)
        if (model_is_live(m, readers->at[i].txn))
            readers->at[kept++] = readers->at[i];
    readers->count = kept;
}

enum status key_versions_add_reader(const struct interval_model *m, struct key_readers *readers,
                                    struct key_reader reader, struct error *err)
{
    if (readers->count == readers->room) {
        forget_readers(m, readers);
        /* What was freed must be worth the next look at all of them. */
        if (readers->count >= readers->room - readers->room / 4) {
            uint32_t room = readers->room + readers->room / 2 + 2;

            TRY(memory_resize((void **)&readers->at, room, sizeof *readers->at, err));
            readers->room = room;
        }
    }
    readers->at[readers->count++] = reader;
    return STATUS_OK;
}

static bool is_past(const struct interval_model *m, const struct key_version *v, uint32_t floor)
{
    const struct key_version *f = &m->versions.at[floor];

    if (v == f)
        return false;
    if (!version_may_be_read(v))
        return v->installed.high < m->oldest;
    return version_installed(m, v).high < version_installed(m, f).low ||
           v->state == VERSION_OF_BEGINNING;
}

/*
 * Most often all that is older than the last or the one before had been installed before that was,
 * and is past without a look at it. Rows must be let go one by one, as must what witnesses are of.
 */
static enum status drop_tail(struct interval_model *m, struct key_state *state, bool *is_dropped,
                             struct error *err)
{
    uint32_t at = state->newest;

    for (uint32_t count = 1; count <= 2 && at != INTERVAL_NONE && !m->rows && !m->derivation;
         count++) {
        struct key_version *v = &m->versions.at[at];

        if (is_floor(m, v) && v->settled < version_installed(m, v).low) {
            *is_dropped = true;
            state->count = count;
            at = v->older;
            v->older = INTERVAL_NONE;
            return at == INTERVAL_NONE ? STATUS_OK : array_push(&m->free_versions, at, err);
        }
        at = v->older;
    }
    return STATUS_OK;
}

static enum status drop_past(struct interval_model *m, struct key_state *state, struct error *err)
{
    uint32_t floor = find_floor(m, state);

    for (uint32_t *at = &state->newest; floor != INTERVAL_NONE && *at != INTERVAL_NONE;) {
        uint32_t v = *at;

        if (!is_past(m, &m->versions.at[v], floor)) {
            at = &m->versions.at[v].older;
            continue;
        }
        derivation_drop_version(m, (uint32_t)(state - m->keys.at), &m->versions.at[v],
                                &m->versions.at[floor]);
        *at = m->versions.at[v].older;
        m->versions.at[v].older = INTERVAL_NONE;
        state->count--;
        if (m->rows)
            row_store_drop(m->rows, m->versions.at[v].row);
        TRY(array_push(&m->free_versions, v, err));
    }
    return STATUS_OK;
}

enum status key_versions_collect(struct interval_model *m, struct key_state *state,
                                 struct error *err)
{
    bool is_dropped = false;

    forget_readers(m, &state->lockers);
    forget_readers(m, &state->readers);
    TRY(drop_tail(m, state, &is_dropped, err));
    if (!is_dropped)
        TRY(drop_past(m, state, err));
    state->count_to_collect = state->count + state->count / 2;
    if (state->count_to_collect < KEY_VERSIONS_KEPT)
        state->count_to_collect = KEY_VERSIONS_KEPT;
    return STATUS_OK;
}
