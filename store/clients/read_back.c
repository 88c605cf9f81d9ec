#include "store/clients/read_back.h"

#include <assert.h>

#define KEYS_PER_TXN 32

struct reader_of_all {
    uint32_t next, count; /* of the keys that this transaction reads */
    bool has_read;
};

struct read_back {
    struct driver driver;
    ARRAY(uint32_t) keys;
    uint32_t stride; /* from the keys of one transaction of a client to those of its next */
    struct reader_of_all *clients;
};

/* False: all has been read. What was not committed is read again. */
static bool read_back_begin(void *context, uint32_t number, uint64_t ordinal, uint32_t attempt)
{
    struct read_back *b = context;
    struct reader_of_all *client = &b->clients[number];
    uint32_t left;

    (void)ordinal;
    (void)attempt;
    if (client->next >= b->keys.count)
        return false;
    left = b->keys.count - client->next;
    client->count = left < KEYS_PER_TXN ? left : KEYS_PER_TXN;
    client->has_read = false;
    return true;
}

static struct intent read_back_next(void *context, uint32_t number)
{
    struct read_back *b = context;
    const struct reader_of_all *client = &b->clients[number];

    if (client->has_read)
        return (struct intent){ .kind = INTENT_COMMIT, .scope = SCOPE_NONE };
    return (struct intent){
        .kind = INTENT_READ,
        .keys = b->keys.at + client->next,
        .key_count = client->count,
        .scope = SCOPE_NONE,
        .first_table = true,
    };
}

static void record_keys(struct read_back *b, uint32_t number, const struct driver_answer *answer,
                        uint32_t row_count)
{
    const struct reader_of_all *client = &b->clients[number];

    record_read_keys(
        answer->record, answer->txn, &answer->op,
        &(struct record_keys){ b->keys.at + client->next, client->count, answer->rows, row_count });
}

static void read_back_answered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct read_back *b = context;

    record_keys(b, number, answer, answer->row_count);
    b->clients[number].has_read = true;
}

static void unanswered(void *context, uint32_t number, const struct driver_answer *answer)
{
    record_keys(context, number, answer, 0);
}

static void read_back_ended(void *context, uint32_t number, enum txn_status status, uint64_t txn)
{
    struct read_back *b = context;

    (void)txn;
    if (status == TXN_OK)
        b->clients[number].next += b->stride;
}

struct read_back *read_back_open(struct pool *pool, const struct catalog *catalog,
                                 uint32_t table_count, uint32_t clients, bool each_reads_all)
{
    struct read_back *b = pool_take(pool, sizeof *b);

    assert(clients > 0);
    b->driver = (struct driver){ .context = b,
                                 .begin = read_back_begin,
                                 .next = read_back_next,
                                 .answered = read_back_answered,
                                 .unanswered = unanswered,
                                 .ended = read_back_ended };
    b->clients = pool_take(pool, clients * sizeof *b->clients);
    b->stride = each_reads_all ? KEYS_PER_TXN : KEYS_PER_TXN * clients;
    for (uint32_t key = 0; key < catalog_key_count(catalog); key++)
        if (catalog_table(catalog, key) < table_count)
            pool_push(pool, &b->keys, key);
    for (uint32_t i = 0; i < clients; i++)
        b->clients[i].next = each_reads_all ? 0 : KEYS_PER_TXN * i;
    return b;
}

const struct driver *read_back_driver(const struct read_back *b)
{
    return &b->driver;
}
