#include "store/equality_private.h"

#include <assert.h>

#include "base/hash.h"

/*
 * What the first replica said is remembered for the last WINDOW entries of a shard. A replica that
 * lags by more is compared again when it has come nearer: a chain once different stays so.
 */
#define WINDOW 4096u
#define STATES 16u

struct said {
    uint64_t index; /* 0: nothing yet */
    uint64_t hash;
};

struct shard_said {
    struct said entries[WINDOW]; /* by index */
    struct said states[STATES];  /* the oldest gives way */
    uint32_t next_state;
};

struct equality {
    uint32_t shard_count, node_count;
    struct shard_said **shards;
    bool differs;
    uint32_t shard, node;
    uint64_t index;
};

struct equality *equality_open(struct pool *pool, uint32_t shard_count, uint32_t node_count)
{
    struct equality *e = pool_take(pool, sizeof *e);

    *e = (struct equality){ .shard_count = shard_count, .node_count = node_count };
    e->shards = pool_take(pool, shard_count * sizeof(struct shard_said *));
    for (uint32_t s = 0; s < shard_count; s++)
        e->shards[s] = pool_take(pool, sizeof *e->shards[s]);
    return e;
}

static void differ(struct equality *e, uint32_t shard, uint32_t node, uint64_t index)
{
    if (e->differs)
        return;
    e->differs = true;
    e->shard = shard;
    e->node = node;
    e->index = index;
}

uint64_t equality_applied(struct equality *e, const struct equality_entry *entry, uint64_t chain)
{
    struct said *said;

    assert(entry->shard < e->shard_count && entry->node < e->node_count && entry->index > 0);
    said = &e->shards[entry->shard]->entries[entry->index % WINDOW];
    chain = hash_number(chain + entry->index) + hash_number(entry->term);
    chain = hash_number(chain ^ hash_bytes(entry->command.at, entry->command.length));
    if (said->index < entry->index)
        *said = (struct said){ entry->index, chain };
    else if (said->index == entry->index && said->hash != chain)
        differ(e, entry->shard, entry->node, entry->index);
    return chain;
}

void equality_state(struct equality *e, uint32_t shard, uint32_t node, uint64_t index,
                    struct text state)
{
    struct shard_said *s;
    uint64_t hash = hash_bytes(state.at, state.length);

    assert(shard < e->shard_count && node < e->node_count);
    s = e->shards[shard];
    for (uint32_t i = 0; i < STATES; i++) {
        if (s->states[i].index != index || index == 0)
            continue;
        if (s->states[i].hash != hash)
            differ(e, shard, node, index);
        return;
    }
    s->states[s->next_state] = (struct said){ index, hash };
    s->next_state = (s->next_state + 1) % STATES;
}

bool equality_differs(const struct equality *e, uint32_t *shard, uint32_t *node, uint64_t *index)
{
    if (!e->differs)
        return false;
    *shard = e->shard;
    *node = e->node;
    *index = e->index;
    return true;
}
