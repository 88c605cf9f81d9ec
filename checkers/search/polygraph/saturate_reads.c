/*
 * Reads with several possible sources: a candidate is struck out when the reader came before it,
 * or another version of the key stood between them. One that is left is the source.
 */
#include <string.h>

#include "checkers/checker_private.h"
#include "checkers/search/polygraph/polygraph_private.h"

/* Versions of one key that come before a reader: of each slot the last, or all. */
struct rivals {
    uint32_t *at;
    uint32_t count;
    uint32_t *of_slot;  /* by slot: where the slot's rival stands in `at` */
    uint32_t *slot_key; /* by slot: the read, plus one, that of_slot is about */
};

/* The rivals of a slot follow each other, so that the last speaks for all. */
static void add_rival(const struct polygraph *p, struct rivals *r, uint32_t read, uint32_t version)
{
    uint32_t node = version_commit(p, version), slot = p->slot[node];

    if (p->reach.kind == REACH_CLOCKS) {
        if (r->slot_key[slot] == read + 1) {
            uint32_t *last = &r->at[r->of_slot[slot]];

            if (p->place[version_commit(p, *last)] < p->place[node])
                *last = version;
            return;
        }
        r->slot_key[slot] = read + 1;
        r->of_slot[slot] = r->count;
    }
    r->at[r->count++] = version;
}

static void find_rivals(const struct polygraph *p, struct rivals *r, uint32_t read)
{
    const struct distilled *d = p->d;
    uint32_t key = d->read_key[read], actor = d->read_actor[read], reader = node_begin(p, actor);

    r->count = 0;
    for (uint32_t v = d->key_start[key] + 1; v < d->key_start[key + 1]; v++)
        if (d->version_actor[v] != actor &&
            reach_is_before(&p->reach, version_commit(p, v), reader))
            add_rival(p, r, read, v);
}

/* Who shows that the version is not the source: NOBODY for the reader itself. */
static bool is_ruled_out(const struct polygraph *p, const struct rivals *r, uint32_t read,
                         uint32_t version, uint32_t *rival)
{
    const struct distilled *d = p->d;
    bool is_initial = version_is_initial(d, version);

    *rival = NOBODY;
    if (!is_initial &&
        reach_is_before(&p->reach, node_begin(p, d->read_actor[read]), version_commit(p, version)))
        return true;
    for (uint32_t i = 0; i < r->count; i++) {
        *rival = r->at[i];
        if (*rival != version &&
            (is_initial ||
             reach_is_before(&p->reach, version_commit(p, version), version_begin(p, *rival))))
            return true;
    }
    return false;
}

static enum status strike_of(struct polygraph *p, struct rivals *r, uint32_t read,
                             struct error *err)
{
    const struct distilled *d = p->d;
    uint32_t left = 0, last = NOBODY;

    find_rivals(p, r, read);
    for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++) {
        uint32_t rival;

        if (p->is_gone[c])
            continue;
        if (is_ruled_out(p, r, read, d->candidates[c], &rival)) {
            p->is_gone[c] = 1;
            TRY(polygraph_add(
                p, ((struct fact){ NOBODY, NOBODY, read, d->candidates[c], rival, FACT_NOT_FROM }),
                err));
            continue;
        }
        left++;
        last = d->candidates[c];
    }
    if (left == 0)
        p->read_without = read;
    if (left != 1)
        return STATUS_OK;
    p->open_count--;
    return polygraph_settle(p, read, last, err);
}

enum status polygraph_strike(struct polygraph *p, const struct check_options *options,
                             struct error *err)
{
    const struct distilled *d = p->d;
    struct rivals r = { 0 };
    size_t mark = p->arena->used;

    if (p->open_count == 0)
        return STATUS_OK;
    TAKE(p->arena, r.at, d->version_count, err);
    TAKE(p->arena, r.of_slot, p->reach.slot_count + 1, err);
    TAKE(p->arena, r.slot_key, p->reach.slot_count + 1, err);
    for (uint32_t read = 0; read < d->read_count && p->read_without == NOBODY; read++) {
        if (p->source[read] == NOBODY)
            TRY(strike_of(p, &r, read, err));
        if (check_is_stopped(options))
            break;
    }
    arena_reset_to(p->arena, mark);
    return STATUS_OK;
}

/* Whether a sight can still be of a version. */
bool polygraph_may_be_from(const struct polygraph *p, uint32_t read, uint32_t version)
{
    const struct distilled *d = p->d;

    if (p->source[read] != NOBODY)
        return p->source[read] == version;
    for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
        if (d->candidates[c] == version)
            return !p->is_gone[c];
    return false;
}

void polygraph_find_without(struct polygraph *p)
{
    const struct distilled *d = p->d;

    for (uint32_t i = 0; i < d->some_count && p->some_without == NOBODY; i++) {
        const struct some *s = &d->somes[i];
        bool may_be = false;

        for (uint32_t k = s->start; k < s->start + s->count && !may_be; k++)
            may_be = polygraph_may_be_from(p, d->some_read[k], d->some_version[k]);
        if (!may_be)
            p->some_without = i;
    }
}
