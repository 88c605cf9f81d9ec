/*
 * Reduces a distilled history to some of its actors.
 *
 * A read counts if its reader and all its candidates are among them: then it says of them what it
 * said before. What lists and version orders show of neighbours they show of those that
 * are neighbours now.
 */
#include "checkers/search/polygraph/distill_part.h"

#include <string.h>

struct parting {
    struct distilled *part;
    const struct distilled *whole;
    struct arena *arena;
    uint32_t *actor, *key, *version, *read; /* of the whole: their numbers in the part, or NOBODY */
    ARRAY(struct shown) shown;
};

static enum status number(struct arena *arena, uint32_t **numbers, size_t count, struct error *err)
{
    TAKE(arena, *numbers, count, err);
    memset(*numbers, 0xff, count * sizeof **numbers);
    return STATUS_OK;
}

static enum status keep_actors(struct parting *p, const uint8_t *keeps, struct error *err)
{
    TAKE(p->arena, p->part->actor_txn, p->whole->actor_count, err);
    for (uint32_t actor = 0; actor < p->whole->actor_count; actor++)
        if (keeps[actor]) {
            p->actor[actor] = p->part->actor_count;
            p->part->actor_txn[p->part->actor_count++] = p->whole->actor_txn[actor];
        }
    return STATUS_OK;
}

static bool keeps_version(const struct parting *p, uint32_t version)
{
    uint32_t actor = p->whole->version_actor[version];

    return actor == NOBODY || p->actor[actor] != NOBODY;
}

static bool keeps_read(const struct parting *p, uint32_t read)
{
    const struct distilled *w = p->whole;

    if (p->actor[w->read_actor[read]] == NOBODY)
        return false;
    if (w->read_source[read] != NOBODY)
        return keeps_version(p, w->read_source[read]);
    for (uint32_t c = w->candidate_start[read]; c < w->candidate_start[read + 1]; c++)
        if (!keeps_version(p, w->candidates[c]))
            return false;
    return true;
}

/* --- Versions and reads ----------------------------------------------------------- */

static size_t count_of_somes(const struct distilled *w)
{
    const struct some *last = w->some_count > 0 ? &w->somes[w->some_count - 1] : NULL;

    return last ? last->start + last->count : 0;
}

static enum status take_memory(struct parting *p, struct error *err)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;

    TRY(number(p->arena, &p->actor, w->actor_count, err));
    TRY(number(p->arena, &p->version, w->version_count, err));
    TRY(number(p->arena, &p->read, w->read_count, err));
    TAKE(p->arena, part->key_name, w->key_count, err);
    TAKE(p->arena, part->key_start, (size_t)w->key_count + 1, err);
    TRY(number(p->arena, &part->key_list, w->key_count, err));
    TAKE(p->arena, part->key_is_ordered, w->key_count, err);
    TAKE(p->arena, part->version_actor, w->version_count, err);
    TAKE(p->arena, part->version_op, w->version_count, err);
    TAKE(p->arena, part->version_key, w->version_count, err);
    TAKE(p->arena, part->list_place, w->version_count, err);
    TAKE(p->arena, part->read_actor, w->read_count, err);
    TAKE(p->arena, part->read_op, w->read_count, err);
    TAKE(p->arena, part->read_key, w->read_count, err);
    TAKE(p->arena, part->read_length, w->read_count, err);
    TAKE(p->arena, part->read_source, w->read_count, err);
    TAKE(p->arena, part->read_is_narrowed, w->read_count, err);
    TAKE(p->arena, part->candidate_start, (size_t)w->read_count + 1, err);
    TAKE(p->arena, part->somes, w->some_count, err);
    TAKE(p->arena, part->some_read, count_of_somes(w), err);
    TAKE(p->arena, part->some_version, count_of_somes(w), err);
    TAKE(p->arena, part->candidates, w->candidate_start[w->read_count], err);
    TAKE(p->arena, part->pair_first, w->pair_count, err);
    TAKE(p->arena, part->pair_second, w->pair_count, err);
    return STATUS_OK;
}

/* A key that none of them wrote has nothing to say. */
static void keep_key(struct parting *p, uint32_t key)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;
    uint32_t first = part->version_count, count = first;

    for (uint32_t v = w->key_start[key]; v < w->key_start[key + 1]; v++) {
        if (!keeps_version(p, v))
            continue;
        p->version[v] = count;
        part->version_actor[count] =
            w->version_actor[v] == NOBODY ? NOBODY : p->actor[w->version_actor[v]];
        part->version_op[count] = w->version_op[v];
        part->version_key[count] = part->key_count;
        part->list_place[count++] = w->list_place ? w->list_place[v] : 0;
    }
    if (count == first + 1) {
        p->version[w->key_start[key]] = NOBODY;
        return;
    }
    part->version_count = count;
    part->key_is_ordered[part->key_count] = w->key_is_ordered[key];
    part->key_name[part->key_count] = w->key_name[key];
    part->key_start[++part->key_count] = count;
}

static void keep_reads(struct parting *p)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;
    uint32_t used = 0;

    for (uint32_t read = 0; read < w->read_count; read++) {
        uint32_t at = part->read_count, first = p->version[w->key_start[w->read_key[read]]];

        if (first == NOBODY || !keeps_read(p, read))
            continue;
        p->read[read] = at;
        part->read_actor[at] = p->actor[w->read_actor[read]];
        part->read_op[at] = w->read_op[read];
        part->read_key[at] = part->version_key[first];
        part->read_length[at] = w->read_length[read];
        part->read_is_narrowed[at] = w->read_is_narrowed && w->read_is_narrowed[read];
        part->read_source[at] =
            w->read_source[read] == NOBODY ? NOBODY : p->version[w->read_source[read]];
        for (uint32_t c = w->candidate_start[read]; c < w->candidate_start[read + 1]; c++)
            part->candidates[used++] = p->version[w->candidates[c]];
        part->candidate_start[++part->read_count] = used;
    }
}

/* A value says something of the part if all that it may have come from is there. */
static void keep_somes(struct parting *p)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;
    uint32_t used = 0;

    for (uint32_t i = 0; i < w->some_count; i++) {
        const struct some *s = &w->somes[i];
        bool is_whole = p->actor[s->actor] != NOBODY;

        for (uint32_t k = s->start; k < s->start + s->count && is_whole; k++)
            is_whole = p->read[w->some_read[k]] != NOBODY;
        if (!is_whole)
            continue;
        part->somes[part->some_count++] =
            (struct some){ p->actor[s->actor], s->head, s->aggregate, used, s->count };
        for (uint32_t k = s->start; k < s->start + s->count; k++) {
            part->some_read[used] = p->read[w->some_read[k]];
            part->some_version[used++] = p->version[w->some_version[k]];
        }
    }
}

/* --- Orders ----------------------------------------------------------------------- */

static void keep_pairs(struct parting *p)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;
    uint32_t before = NOBODY; /* the last one kept of a line of pairs, as the whole numbers it */

    for (uint32_t i = 0; i < w->pair_count; i++) {
        uint32_t first = w->pair_first[i], second = w->pair_second[i];

        if (i == 0 || w->pair_second[i - 1] != first)
            before = NOBODY;
        if (p->version[first] != NOBODY)
            before = first;
        if (before == NOBODY || p->version[second] == NOBODY)
            continue;
        part->pair_first[part->pair_count] = p->version[before];
        part->pair_second[part->pair_count++] = p->version[second];
    }
}

/*
 * The longest list is that of the read whose source stands last in the one that was. Who shows
 * anything beside that is no beginning of it.
 */
static enum status find_longest(struct parting *p, struct error *err)
{
    const struct distilled *w = p->whole;
    struct distilled *part = p->part;
    uint8_t *is_odd = NULL;

    TAKE(p->arena, is_odd, w->read_count, err);
    for (uint32_t i = 0; i < w->shown_count; i++)
        is_odd[w->shown[i].read] = w->shown[i].read != w->key_list[w->read_key[w->shown[i].read]];
    for (uint32_t read = 0; read < w->read_count; read++) {
        uint32_t at = p->read[read], *longest;

        if (at == NOBODY || is_odd[read] || w->key_list[w->read_key[read]] == NOBODY)
            continue;
        longest = &part->key_list[part->read_key[at]];
        if (*longest == NOBODY ||
            part->list_place[part->read_source[at]] > part->list_place[part->read_source[*longest]])
            *longest = at;
    }
    return STATUS_OK;
}

/* The kept version that stands next behind this one, up to a place; or NOBODY. */
static uint32_t next_in_list(const struct distilled *part, uint32_t key, uint32_t place,
                             uint32_t last)
{
    uint32_t next = NOBODY;

    for (uint32_t v = part->key_start[key] + 1; v < part->key_start[key + 1]; v++)
        if (part->list_place[v] > place && part->list_place[v] <= last &&
            (next == NOBODY || part->list_place[v] < part->list_place[next]))
            next = v;
    return next;
}

static enum status show_longest(struct parting *p, uint32_t key, struct error *err)
{
    const struct distilled *part = p->part;
    uint32_t read = part->key_list[key], before = part->key_start[key], next;
    uint32_t last = part->list_place[part->read_source[read]];

    while ((next = next_in_list(part, key, part->list_place[before], last)) != NOBODY) {
        TRY(array_push(&p->shown, ((struct shown){ read, before, next, true }), err));
        before = next;
    }
    for (uint32_t v = part->key_start[key] + 1; v < part->key_start[key + 1]; v++)
        if ((part->list_place[v] == 0 || part->list_place[v] > last) &&
            part->version_actor[v] != part->read_actor[read])
            TRY(array_push(&p->shown, ((struct shown){ read, NOBODY, v, false }), err));
    return STATUS_OK;
}

/* What was shown by others than the longest. */
static enum status keep_shown(struct parting *p, struct error *err)
{
    const struct distilled *w = p->whole;
    uint32_t before = NOBODY; /* as the whole numbers it */

    for (uint32_t i = 0; i < w->shown_count; i++) {
        const struct shown *s = &w->shown[i];
        uint32_t read = p->read[s->read], second = p->version[s->second];

        if (read == NOBODY || s->read == w->key_list[w->read_key[s->read]])
            continue;
        if (s->first == NOBODY) {
            if (second != NOBODY)
                TRY(array_push(&p->shown, ((struct shown){ read, NOBODY, second, false }), err));
            continue;
        }
        if (p->version[s->first] != NOBODY)
            before = s->first;
        if (second != NOBODY)
            TRY(array_push(&p->shown, ((struct shown){ read, p->version[before], second, false }),
                           err));
    }
    return STATUS_OK;
}

static enum status show_all(struct parting *p, struct error *err)
{
    struct distilled *part = p->part;

    TRY(find_longest(p, err));
    for (uint32_t key = 0; key < part->key_count; key++)
        if (part->key_list[key] != NOBODY)
            TRY(show_longest(p, key, err));
    TRY(keep_shown(p, err));
    TAKE(p->arena, part->shown, p->shown.count, err);
    if (p->shown.count > 0)
        memcpy(part->shown, p->shown.at, p->shown.count * sizeof *part->shown);
    part->shown_count = (uint32_t)p->shown.count;
    return STATUS_OK;
}

static enum status take_part(struct parting *p, const uint8_t *keeps, struct error *err)
{
    TRY(take_memory(p, err));
    TRY(keep_actors(p, keeps, err));
    for (uint32_t key = 0; key < p->whole->key_count; key++)
        keep_key(p, key);
    keep_reads(p);
    keep_somes(p);
    keep_pairs(p);
    return show_all(p, err);
}

enum status distill_part(struct distilled *part, const struct distilled *whole,
                         const uint8_t *keeps, struct arena *arena, struct error *err)
{
    struct parting p = { .part = part, .whole = whole, .arena = arena };
    enum status status;

    *part = (struct distilled){ .history = whole->history, .strange_key = whole->strange_key };
    status = take_part(&p, keeps, err);
    array_close(&p.shown);
    return status;
}
