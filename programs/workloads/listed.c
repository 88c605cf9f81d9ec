#include "programs/workloads/listed.h"

#include <assert.h>
#include <inttypes.h>

void listed_close(struct listed *listing)
{
    array_close(&listing->txns);
    array_close(&listing->ops);
    buffer_close(&listing->calls);
}

void listed_clear(struct listed *listing)
{
    listing->txns.count = 0;
    listing->ops.count = 0;
    buffer_clear(&listing->calls);
    listing->is_short = false;
}

static struct listed_txn *last_of(struct listed *listing)
{
    assert(listing->txns.count > 0 || listing->is_short);
    return listing->txns.count > 0 ? &listing->txns.at[listing->txns.count - 1] : NULL;
}

void listed_begin(struct listed *listing, uint32_t client)
{
    struct listed_txn txn = { .client = client };
    struct error err;

    if (array_push(&listing->txns, txn, &err) != STATUS_OK)
        listing->is_short = true;
}

void listed_add(struct listed *listing, struct listed_op op)
{
    struct listed_txn *txn = last_of(listing);
    struct error err;

    if (listing->is_short || array_push(&listing->ops, op, &err) != STATUS_OK) {
        listing->is_short = true;
        return;
    }
    if (txn->count++ == 0)
        txn->first = (uint32_t)(listing->ops.count - 1);
}

void listed_add_call(struct listed *listing, struct text call)
{
    struct listed_txn *txn = last_of(listing);

    if (listing->is_short)
        return;
    txn->first = (uint32_t)listing->calls.count;
    txn->count = (uint32_t)call.length;
    buffer_text(&listing->calls, call);
    listing->is_short = listing->calls.out_of_memory;
}

void listed_place(struct listed *listing, int64_t at_ns, uint32_t node)
{
    struct listed_txn *txn = last_of(listing);

    if (!txn)
        return;
    txn->at_ns = at_ns;
    txn->node = node;
}

const struct listed_op *listed_ops(const struct listed *listing, const struct listed_txn *txn)
{
    return txn->count > 0 ? &listing->ops.at[txn->first] : NULL;
}

struct text listed_call(const struct listed *listing, const struct listed_txn *txn)
{
    if (txn->count == 0)
        return TEXT("");
    return (struct text){ listing->calls.at + txn->first, txn->count };
}

void listed_copy(struct listed *listing, const struct listed *from,
                  const struct listed_txn *txn)
{
    listed_begin(listing, txn->client);
    if (from->calls.count > 0)
        listed_add_call(listing, listed_call(from, txn));
    else
        for (uint32_t i = 0; i < txn->count; i++)
            listed_add(listing, from->ops.at[txn->first + i]);
    listed_place(listing, txn->at_ns, txn->node);
}

enum status listed_status(const struct listed *listing, struct error *err)
{
    return listing->is_short ? error_set(err, STATUS_OVER_LIMIT, "no memory for a listing")
                             : STATUS_OK;
}

/* --- Whose turn it is ------------------------------------------------------------------------- */

static enum status check_clients(const struct listed *listing, uint32_t client_count,
                                 struct error *err)
{
    for (size_t i = 0; i < listing->txns.count; i++)
        if (listing->txns.at[i].client >= client_count)
            return error_set(err, STATUS_BAD_INPUT,
                             "a transaction is of session %" PRIu32 ", and there are %" PRIu32,
                             listing->txns.at[i].client, client_count);
    return STATUS_OK;
}

/* By counting, which keeps the order within a client. */
enum status listed_turns_init(struct listed_turns *turns, const struct listed *listing,
                               uint32_t client_count, struct arena *arena, struct error *err)
{
    uint32_t sum = 0;

    *turns = (struct listed_turns){ .listing = listing, .client_count = client_count };
    TRY(check_clients(listing, client_count, err));
    turns->starts = arena_push(arena, client_count + 2u, sizeof *turns->starts);
    turns->order = arena_push(arena, listing->txns.count + 1, sizeof *turns->order);
    if (!turns->starts || !turns->order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the turns of clients");
    for (size_t i = 0; i < listing->txns.count; i++)
        turns->starts[listing->txns.at[i].client + 2]++;
    for (uint32_t i = 1; i < client_count + 2; i++) {
        sum += turns->starts[i];
        turns->starts[i] = sum;
    }
    for (size_t i = 0; i < listing->txns.count; i++)
        turns->order[turns->starts[listing->txns.at[i].client + 1]++] = (uint32_t)i;
    return STATUS_OK;
}

const struct listed_txn *listed_turn(const struct listed_turns *turns, uint32_t client,
                                      uint64_t ordinal)
{
    uint32_t start = turns->starts[client], end = turns->starts[client + 1];

    assert(client < turns->client_count);
    if (ordinal >= end - start)
        return NULL;
    return &turns->listing->txns.at[turns->order[start + ordinal]];
}
