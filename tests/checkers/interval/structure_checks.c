#include "tests/checkers/interval/structure_checks.h"

#include <assert.h>

#include "checkers/interval/interval_model_private.h"
#include "checkers/interval/online/pipeline_private.h"

/* --- The model -------------------------------------------------------------------- */

static size_t count_chain(const struct interval_model *m, uint32_t first)
{
    size_t count = 0;

    for (uint32_t v = first; v != INTERVAL_NONE; v = m->versions.at[v].older)
        count++;
    return count;
}

void structure_check_model(const struct interval_model *m)
{
    size_t count = 0;

    for (size_t i = 0; i < m->keys.count; i++) {
        assert(m->keys.at[i].count == count_chain(m, m->keys.at[i].newest));
        count += m->keys.at[i].count;
    }
    for (size_t i = 0; i < m->free_versions.count; i++)
        count += count_chain(m, m->free_versions.at[i]);
    assert(count == m->versions.count);
}

size_t structure_key_bytes(const struct interval_model *m, uint32_t key)
{
    const struct key_state *state = &m->keys.at[key];

    return sizeof *state + state->count * sizeof(struct key_version) +
           ((size_t)state->readers.room + state->lockers.room) * sizeof(struct key_reader);
}

/* --- The timeline ----------------------------------------------------------------- */

void structure_check_timeline(const struct timeline *t)
{
    size_t live = 0;

    for (size_t i = 0; i < t->points.count; i++) {
        const struct instant_point *p = &t->points.at[i];

        if (!p->is_live)
            continue;
        live++;
        assert(p->low <= p->high);
        for (uint32_t o = p->first_out; o != TIMELINE_NONE; o = t->orders.at[o].next_out) {
            const struct instant_point *q = &t->points.at[t->orders.at[o].to];

            assert(t->orders.at[o].from == i && q->is_live);
            assert(timeline_step(t, (uint32_t)i, t->orders.at[o].to) == t->orders.at[o].step);
            assert(p->rank < q->rank && p->low <= q->low && p->high <= q->high);
        }
        for (uint32_t o = p->first_in; o != TIMELINE_NONE; o = t->orders.at[o].next_in)
            assert(t->orders.at[o].to == i && t->points.at[t->orders.at[o].from].is_live);
    }
    assert(live == t->live_count);
}

/* --- The pipeline ----------------------------------------------------------------- */

static bool is_before(const struct pipeline_place *a, const struct pipeline_place *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->serial != b->serial ? a->serial < b->serial : a->lane < b->lane;
}

static void check_place(const struct pipeline *p, size_t at)
{
    const struct pipeline_place *place = &p->heap.at[at];
    const struct pipeline_lane *lane = &p->lanes.at[place->lane];

    assert(lane->place == at);
    if (lane->first < lane->items.count)
        assert(place->key == lane->items.at[lane->first].invoked &&
               place->serial == lane->items.at[lane->first].serial);
    else
        assert(place->key == lane->bound && place->serial == UINT64_MAX);
    assert(at == 0 || !is_before(place, &p->heap.at[(at - 1) / 2]));
}

void structure_check_pipeline(const struct pipeline *p)
{
    size_t waiting = 0;

    for (size_t i = 0; i < p->heap.count; i++) {
        const struct pipeline_lane *lane = &p->lanes.at[p->heap.at[i].lane];

        check_place(p, i);
        waiting += lane->items.count - lane->first;
        for (size_t k = lane->first + 1; k < lane->items.count; k++)
            assert(lane->items.at[k - 1].invoked <= lane->items.at[k].invoked);
    }
    assert(waiting == p->waiting);
}
