#include "programs/generator/versions_private.h"

#include <stdlib.h>

enum status versions_init(struct versions *v, uint32_t slot_count, uint32_t element_room,
                          struct error *err)
{
    *v = (struct versions){ .slot_count = slot_count,
                            .free = VERSIONS_NONE,
                            .element_room = element_room };
    TRY(memory_resize((void **)&v->slots, slot_count, sizeof *v->slots, err));
    for (uint32_t s = 0; s < slot_count; s++)
        v->slots[s] = (struct slot){ .key = s, .newest = VERSIONS_NONE, .read_place = INT64_MIN };
    if (element_room == 0)
        return STATUS_OK;
    return memory_resize((void **)&v->elements, (size_t)slot_count * element_room,
                         sizeof *v->elements, err);
}

void versions_close(struct versions *v)
{
    free(v->slots);
    free(v->elements);
    array_close(&v->pool);
    *v = (struct versions){ 0 };
}

static void release(struct versions *v, uint32_t version)
{
    while (version != VERSIONS_NONE) {
        uint32_t older = v->pool.at[version].older;

        v->pool.at[version].older = v->free;
        v->free = version;
        version = older;
    }
}

/* Behind the first clean version that stands before the horizon, nobody looks. */
static void prune(struct versions *v, uint32_t version, int64_t horizon)
{
    struct version *at = v->pool.at;

    while (version != VERSIONS_NONE && (at[version].dirty || at[version].place > horizon))
        version = at[version].older;
    if (version == VERSIONS_NONE)
        return;
    release(v, at[version].older);
    at[version].older = VERSIONS_NONE;
}

enum status versions_add(struct versions *v, uint32_t slot, struct version version, int64_t horizon,
                         struct error *err)
{
    uint32_t number = v->free;

    version.older = v->slots[slot].newest;
    if (number != VERSIONS_NONE) {
        v->free = v->pool.at[number].older;
        v->pool.at[number] = version;
    } else {
        number = (uint32_t)v->pool.count;
        TRY(array_push(&v->pool, version, err));
    }
    v->slots[slot].newest = number;
    prune(v, number, horizon);
    return STATUS_OK;
}

void versions_renew(struct versions *v, uint32_t slot, uint32_t key)
{
    release(v, v->slots[slot].newest);
    v->slots[slot] = (struct slot){ .key = key, .newest = VERSIONS_NONE, .read_place = INT64_MIN };
}
