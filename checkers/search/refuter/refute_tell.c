/*
 * The same in words: what was forced, in the order in which it was, and the cycle in the end.
 *
 *     T1 wrote x=1, which T2 overwrote: otherwise T2 would come before T1, but T1 wrote y=1,
 *     which T2 read. T2 wrote z=1, which T3 read; ...; so T2 comes before itself
 */
#include "checkers/search/refuter/refute_tell_private.h"

#include <inttypes.h>

#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"

#define WORDS_MAX 3000 /* bytes: beyond that only how many steps there are besides */

static uint32_t txn_of_version(const struct refuter *r, uint32_t version)
{
    return r->d->actor_txn[r->d->version_actor[version]];
}

static struct edge edge_of_versions(const struct refuter *r, uint32_t first, uint32_t second)
{
    return (struct edge){ .kind = EDGE_WW,
                          .from = txn_of_version(r, first),
                          .to = txn_of_version(r, second),
                          .key = r->d->key_name[r->d->version_key[first]],
                          .version = r->d->version_op[first],
                          .other = r->d->version_op[second] };
}

/* From the writer to the reader, or from the reader to who overwrote it. */
static struct edge edge_of_read(const struct refuter *r, enum edge_kind kind, uint32_t read,
                                uint32_t version)
{
    const struct distilled *d = r->d;
    uint32_t reader = d->actor_txn[d->read_actor[read]], writer = txn_of_version(r, version);
    bool is_look = op_is_head(d->history->op_kind[d->read_op[read]]);
    enum edge_kind of_look = kind == EDGE_WR ? EDGE_PREDICATE_WR : EDGE_PREDICATE_RW;

    return (struct edge){ .kind = (uint8_t)(is_look ? of_look : kind),
                          .from = kind == EDGE_WR ? writer : reader,
                          .to = kind == EDGE_WR ? reader : writer,
                          .op = d->read_op[read],
                          .key = d->key_name[d->read_key[read]],
                          .version = d->version_op[kind == EDGE_WR ? version : r->p->source[read]],
                          .other = d->version_op[version] };
}

/* False: it is not worth a word. */
static bool edge_of(const struct refuter *r, const struct fact *f, uint32_t *entered,
                    struct edge *edge)
{
    uint32_t first_barrier = r->p->node_count - r->p->base->barrier_count;

    switch ((enum fact_kind)f->kind) {
    case FACT_BASE:
        *edge = (struct edge){ .kind = EDGE_PROCESS,
                               .from = r->d->actor_txn[f->x],
                               .to = r->d->actor_txn[f->y] };
        return true;
    case FACT_TIME:
        if (f->from < first_barrier)
            *entered = f->x;
        if (f->to >= first_barrier)
            return false;
        *edge = (struct edge){ .kind = EDGE_REALTIME,
                               .from = r->d->actor_txn[*entered],
                               .to = r->d->actor_txn[f->x] };
        return true;
    case FACT_FOLLOWS:
        *edge = edge_of_read(r, EDGE_WR, f->x, f->y);
        return true;
    case FACT_ABSENT:
    case FACT_OVERTAKEN:
        *edge = edge_of_read(r, EDGE_RW, f->x, f->y);
        return true;
    case FACT_PREFIX:
    case FACT_PAIR:
    case FACT_ORDER:
        *edge = edge_of_versions(r, f->y, f->z);
        return true;
    default:
        return false;
    }
}

static void tell_path(struct refuter *r, struct path path)
{
    struct buffer *out = &r->s->words;
    uint32_t entered = NOBODY;
    const char *between = "";

    for (uint32_t i = path.start; i < path.start + path.count; i++) {
        struct edge edge;

        if (!edge_of(r, &r->p->facts.at[r->pool.at[i]], &entered, &edge))
            continue;
        buffer_text(out, text_of(between));
        proof_tell_edge(out, r->d->history, &edge);
        between = "; ";
    }
}

static bool has_room(struct steps *s)
{
    s->untold += s->words.count >= WORDS_MAX;
    return s->words.count < WORDS_MAX;
}

void refute_tell_order(struct refuter *r, uint32_t fact, uint32_t first, uint32_t end,
                       uint32_t last)
{
    struct buffer *out = &r->s->words;
    const struct fact *f = &r->p->facts.at[fact];
    const struct history *h = r->d->history;
    struct edge edge = edge_of_versions(r, f->y, f->z);
    uint32_t reader = last / (r->p->is_snapshot ? 2 : 1);

    if (!has_room(r->s))
        return;
    proof_tell_edge(out, h, &edge);
    buffer_text(out, TEXT(": otherwise "));
    tell_txn(out, h, r->d->actor_txn[reader]);
    if (last != version_commit(r->p, end)) {
        buffer_text(out, TEXT(", which read "));
        tell_key_value(out, h, edge.key, history_value(h, r->d->version_op[end]));
        buffer_byte(out, ',');
    }
    buffer_text(out, TEXT(" would come before "));
    tell_txn(out, h, txn_of_version(r, first));
    buffer_text(out, TEXT(", but "));
    tell_path(r, r->why[fact]);
    buffer_text(out, TEXT(". "));
}

void refute_tell_not_from(struct refuter *r, uint32_t fact)
{
    struct buffer *out = &r->s->words;
    const struct fact *f = &r->p->facts.at[fact];
    const struct history *h = r->d->history;

    if (!has_room(r->s))
        return;
    tell_txn(out, h, r->d->actor_txn[r->d->read_actor[f->x]]);
    buffer_text(out, TEXT(" did not read "));
    tell_key(out, h, r->d->key_name[r->d->read_key[f->x]]);
    if (version_is_initial(r->d, f->y)) {
        buffer_text(out, TEXT(" as it was in the beginning"));
    } else {
        buffer_text(out, TEXT(" from "));
        tell_txn(out, h, txn_of_version(r, f->y));
    }
    if (f->z != NOBODY) {
        buffer_text(out, TEXT(", as "));
        tell_txn(out, h, txn_of_version(r, f->z));
        buffer_text(out, TEXT(" overwrote that before"));
    }
    buffer_text(out, TEXT(": "));
    tell_path(r, r->why[fact]);
    if (r->why_else[fact].count > 0 && r->why[fact].count > 0)
        buffer_text(out, TEXT("; "));
    tell_path(r, r->why_else[fact]);
    buffer_text(out, TEXT(". "));
}

void refute_tell_cycle(struct refuter *r, struct path cycle)
{
    struct buffer *out = &r->s->words;
    const struct history *h = r->d->history;
    uint32_t each = r->p->is_snapshot ? 2 : 1;
    uint32_t first = r->p->facts.at[r->pool.at[cycle.start]].from / each;

    if (r->s->untold > 0)
        buffer_print(out, "(%" PRIu32 " more such steps.) ", r->s->untold);
    tell_path(r, cycle);
    buffer_text(out, TEXT("; so "));
    tell_txn(out, h, r->d->actor_txn[first]);
    buffer_text(out, TEXT(" comes before itself"));
}

void refute_tell_read(struct refuter *r, uint32_t read)
{
    struct buffer *out = &r->s->words;
    const struct history *h = r->d->history;

    if (r->s->untold > 0)
        buffer_print(out, "(%" PRIu32 " more such steps.) ", r->s->untold);
    buffer_text(out, TEXT("So "));
    tell_txn(out, h, r->d->actor_txn[r->d->read_actor[read]]);
    if (op_is_head(h->op_kind[r->d->read_op[read]])) {
        buffer_text(out, TEXT(" can have seen no version of "));
        tell_key(out, h, r->d->key_name[r->d->read_key[read]]);
        buffer_text(out, TEXT(" that agrees with its answer to "));
        tell_statement(out, h, r->d->read_op[read]);
        return;
    }
    buffer_text(out, TEXT(" can have read "));
    tell_key_value(out, h, r->d->key_name[r->d->read_key[read]],
                   history_value(h, r->d->read_op[read]));
    buffer_text(out, TEXT(" from nobody"));
}
