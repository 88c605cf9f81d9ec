#include "audit/numbers_private.h"

#include "base/hash.h"

#define CHOSEN_MIN INT64_C(1000000000)
#define CHOSEN_COUNT (UINT64_C(1) << 32)

void numbers_close(struct numbers *n)
{
    array_close(&n->all);
    map_close(&n->of_request);
    map_close(&n->told);
}

static uint64_t request_key(uint32_t txn, uint32_t ordinal)
{
    return (uint64_t)txn << 32 | ordinal;
}

static uint64_t value_key(uint32_t sequence, int64_t value)
{
    return hash_number(sequence) ^ (uint64_t)value;
}

/* Above what a log of usual length has, and where the sequence can be. */
static int64_t first_chosen(const struct numbers *n, uint32_t sequence)
{
    const struct schema_sequence *s =
        sequence < n->schema->sequence_count ? &n->schema->sequences[sequence] : NULL;
    int64_t first = CHOSEN_MIN;

    if (s && (s->high < 2 * CHOSEN_MIN || s->low > CHOSEN_MIN))
        first = s->low / 2 + s->high / 2;
    return first;
}

static int64_t choose(const struct numbers *n, uint32_t sequence)
{
    return first_chosen(n, sequence) + (int64_t)n->all.count;
}

void numbers_note_initial(struct numbers *n, const struct datum *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < n->schema->sequence_count && cells[i].kind == DATUM_INTEGER; s++) {
            int64_t first = first_chosen(n, s);

            if (cells[i].as.integer >= first && (uint64_t)cells[i].as.integer - (uint64_t)first < CHOSEN_COUNT)
                n->are_quiet = false;
        }
}

bool numbers_find(const struct numbers *n, uint32_t txn, uint32_t ordinal, int64_t *value)
{
    uint64_t place;

    if (!map_find(&n->of_request, request_key(txn, ordinal), &place))
        return false;
    *value = n->all.at[place].value;
    return true;
}

enum status numbers_ask(struct numbers *n, const struct number_request *r, int64_t *value,
                        struct error *err)
{
    struct given_number given = { .value = choose(n, r->sequence),
                                  .sequence = r->sequence,
                                  .is_repeated = r->is_repeated };
    size_t place;

    if (numbers_find(n, r->txn, r->ordinal, value))
        return STATUS_OK;
    *value = given.value;
    TRY(map_add(&n->of_request, request_key(r->txn, r->ordinal), n->all.count, &place, err));
    return array_push(&n->all, given, err);
}

enum status numbers_learn(struct numbers *n, uint32_t txn, uint32_t ordinal, int64_t value,
                          bool *is_new, struct error *err)
{
    struct given_number *given;
    uint64_t at = 0, other;
    size_t place;

    *is_new = false;
    if (!map_find(&n->of_request, request_key(txn, ordinal), &at))
        return STATUS_OK;
    given = &n->all.at[at];
    if (given->is_told)
        return STATUS_OK;
    if (map_find(&n->told, value_key(given->sequence, value), &other)) {
        if (!given->is_repeated && !n->may_repeat)
            return STATUS_OK;
    } else if (!given->is_repeated) {
        TRY(map_add(&n->told, value_key(given->sequence, value), at, &place, err));
    }
    given->value = value;
    given->is_told = *is_new = true;
    return STATUS_OK;
}
