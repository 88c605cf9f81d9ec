#include "store/clients/changes_private.h"

#include <assert.h>
#include <string.h>

void changes_init(struct changes *c, struct pool *pool)
{
    *c = (struct changes){ .bytes.pool = pool };
}

void changes_clear(struct changes *c)
{
    wire_writer_reset(&c->bytes);
    c->list.count = 0;
}

/* Of a row only its length is known for now: its bytes move as more come behind them. */
static void add(struct changes *c, uint32_t key, size_t from)
{
    struct row_change change = { .key = key, .row.length = c->bytes.count - from };

    pool_push(c->bytes.pool, &c->list, change);
}

void changes_add_row(struct changes *c, uint32_t key, const struct datum *cells, uint16_t count)
{
    size_t from = c->bytes.count;

    row_put(&c->bytes, cells, count);
    add(c, key, from);
}

void changes_add_bytes(struct changes *c, uint32_t key, struct text row)
{
    size_t from = c->bytes.count;

    wire_put_bytes(&c->bytes, row.at, row.length);
    add(c, key, from);
}

void changes_add_removal(struct changes *c, uint32_t key)
{
    struct row_change change = { .key = key, .is_removed = true };

    pool_push(c->bytes.pool, &c->list, change);
}

void changes_seal(struct changes *c)
{
    const char *at = c->bytes.at;

    for (uint32_t i = 0; i < c->list.count; i++) {
        struct row_change *change = &c->list.at[i];

        if (change->is_removed)
            continue;
        change->row.at = at;
        at += change->row.length;
    }
    assert(c->bytes.count == 0 || at == c->bytes.at + c->bytes.count); /* each byte is somebody's */
}

void changes_keep_op(struct kept_op *k, struct pool *pool, const struct record_op *op)
{
    k->op = *op;
    k->set.count = 0;
    if (op->set_count == 0)
        return;
    pool_reserve(pool, &k->set, op->set_count);
    memcpy(k->set.at, op->set, op->set_count * sizeof *op->set);
    k->set.count = op->set_count;
}

struct record_op changes_end_op(const struct kept_op *k, int64_t completed_ns)
{
    struct record_op op = k->op;

    op.completed_ns = completed_ns;
    op.set = k->set.at;
    op.set_count = k->set.count;
    return op;
}

void changes_begin_marks(struct key_marks *m)
{
    m->round++;
}

bool changes_add_mark(struct key_marks *m, struct pool *pool, uint32_t key)
{
    if (key >= m->rounds.count) {
        pool_reserve(pool, &m->rounds, key + 1 - m->rounds.count);
        memset(m->rounds.at + m->rounds.count, 0,
               (key + 1 - m->rounds.count) * sizeof *m->rounds.at);
        m->rounds.count = key + 1;
    }
    if (m->rounds.at[key] == m->round)
        return false;
    m->rounds.at[key] = m->round;
    return true;
}
