#include <assert.h>

#include "programs/generator/execute_private.h"

/* --- Values ------------------------------------------------------------------- */

static enum status settle_list(struct generator *g, struct record *record, struct effect *effect,
                               struct error *err)
{
    const struct versions *v = &g->versions;
    uint32_t version = effect->seen.version;
    size_t length = version == VERSIONS_NONE ? 0 : (size_t)v->pool.at[version].number;
    const int64_t *elements = v->elements + (size_t)effect->slot * v->element_room;
    size_t start = record->elements.count;

    for (size_t i = 0; i < length; i++)
        TRY(array_push(&record->elements, elements[i], err));
    for (size_t i = 0; i < effect->seen.own; i++)
        if (g->own.at[i].slot == effect->slot)
            TRY(array_push(&record->elements, g->own.at[i].number, err));
    effect->value = (struct draft){ .kind = VALUE_LIST,
                                    .element_start = (uint32_t)start,
                                    .element_count = (uint32_t)(record->elements.count - start) };
    return STATUS_OK;
}

static struct draft value_seen(const struct generator *g, struct seen seen)
{
    struct draft draft = {
        .kind = g->workload->shape == SHAPE_ROWS ? VALUE_ROW : VALUE_INTEGER,
    };

    if (seen.own) {
        draft.number = g->own.at[seen.own - 1].number;
        draft.tag = g->own.at[seen.own - 1].tag;
    } else if (seen.version != VERSIONS_NONE) {
        draft.number = g->versions.pool.at[seen.version].number;
        draft.tag = g->versions.pool.at[seen.version].tag;
    } else {
        draft.kind = VALUE_NULL;
    }
    return draft;
}

enum status settle(struct transaction *t, struct error *err)
{
    struct generator *g = t->g;
    struct record *record = t->record;

    for (size_t i = 0; i < g->own.count; i++)
        g->own.at[i].tag = ++g->last_tag;
    for (unsigned i = 0; i < record->effect_count; i++) {
        struct effect *effect = &record->effects[i];

        if (effect->kind == OP_READ && g->workload->shape == SHAPE_LISTS)
            TRY(settle_list(g, record, effect, err));
        else if (effect->kind <= OP_REMOVE)
            effect->value = value_seen(g, effect->seen);
    }
    for (size_t i = 0; i < record->rows.count; i++) {
        struct effect_row *row = &record->rows.at[i];

        row->value = value_seen(g, row->seen);
        row->key = generator_key(g, row->key);
    }
    return STATUS_OK;
}

/* --- Versions ----------------------------------------------------------------- */

static void lengthen_list(struct generator *g, uint32_t slot, struct version *version)
{
    struct versions *v = &g->versions;
    uint32_t newest = v->slots[slot].newest;
    int64_t length = newest == VERSIONS_NONE ? 0 : v->pool.at[newest].number;

    assert(length < v->element_room);
    v->elements[(size_t)slot * v->element_room + (size_t)length] = version->number;
    version->number = length + 1;
}

static enum status install_write(struct transaction *t, size_t number, struct error *err)
{
    struct generator *g = t->g;
    const struct own_write *own = &g->own.at[number];
    bool is_last = g->versions.slots[own->slot].own == number + 1;
    bool aborts = t->record->status == TXN_ABORT;
    bool is_list = g->workload->shape == SHAPE_LISTS;
    struct version version = { .place = t->record->place,
                               .committed_at = t->now,
                               .number = own->number,
                               .tag = own->tag,
                               .txn = t->record->id,
                               .nth = is_last ? 0 : own->nth,
                               .session = t->actor->session,
                               .dirty = aborts || !is_last };

    if (is_list)
        lengthen_list(g, own->slot, &version);
    if (!version.dirty)
        TRY(emit_version(g, generator_key(g, own->slot), t->record->id, err));
    if (version.dirty && !is_list && !g->rules.dirty_reads)
        return STATUS_OK;
    return versions_add(&g->versions, own->slot, version, t->now - g->window, err);
}

static void retire_lists(struct generator *g)
{
    struct versions *v = &g->versions;

    for (size_t i = 0; i < g->own.count; i++) {
        uint32_t slot = g->own.at[i].slot, newest = v->slots[slot].newest;

        if (newest != VERSIONS_NONE && v->pool.at[newest].number >= LIST_LENGTH_MAX)
            versions_renew(v, slot, g->next_list++);
    }
}

enum status settle_versions(struct transaction *t, struct error *err)
{
    for (size_t i = 0; i < t->g->own.count; i++)
        TRY(install_write(t, i, err));
    if (t->g->workload->shape == SHAPE_LISTS)
        retire_lists(t->g);
    return STATUS_OK;
}
