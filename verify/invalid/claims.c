#include "verify/invalid/claims_private.h"

#include <assert.h>

#include "verify/values/sources.h"

#define VARIABLE_COUNT_MAX (LITERAL_FALSE / 2)

void claims_close(struct claims *c)
{
    map_close(&c->orders);
    map_close(&c->sources);
    array_close(&c->truths);
    array_close(&c->trail);
    array_close(&c->literals);
    array_close(&c->claims);
}

/* --- Literals ---------------------------------------------------------------- */

static enum status find_variable(struct claims *c, struct map *map, uint32_t a, uint32_t b,
                                 uint32_t *variable, struct error *err)
{
    size_t place;

    if (c->truths.count == VARIABLE_COUNT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "too many literals in a refutation");
    TRY(map_add(map, (uint64_t)a << 32 | b, c->truths.count, &place, err));
    *variable = (uint32_t)map->values.at[place];
    return *variable < c->truths.count ? STATUS_OK : array_push(&c->truths, TRUTH_OPEN, err);
}

enum status claims_order(struct claims *c, uint32_t before, uint32_t after, uint32_t *literal,
                         struct error *err)
{
    bool is_opposite = before > after;
    uint32_t first = is_opposite ? after : before, second = is_opposite ? before : after;
    uint32_t variable = 0;

    TRY(find_variable(c, &c->orders, first, second, &variable, err));
    *literal = 2 * variable + is_opposite;
    return STATUS_OK;
}

enum status claims_source(struct claims *c, const struct reading *reading, uint32_t version,
                          bool is_opposite, uint32_t *literal, struct error *err)
{
    bool is_possible = source_is_possible(c->v, reading, version);
    uint32_t variable = 0;

    *literal = is_possible != is_opposite ? LITERAL_TRUE : LITERAL_FALSE;
    if (!is_possible || reading->source_count == 1)
        return STATUS_OK;
    TRY(find_variable(c, &c->sources, reading->number, version, &variable, err));
    *literal = 2 * variable + is_opposite;
    return STATUS_OK;
}

enum truth claims_truth(const struct claims *c, uint32_t literal)
{
    enum truth truth;

    if (literal >= LITERAL_FALSE)
        return literal == LITERAL_TRUE ? TRUTH_YES : TRUTH_NO;
    truth = (enum truth)c->truths.at[literal / 2];
    if (truth == TRUTH_OPEN)
        return TRUTH_OPEN;
    return (truth == TRUTH_YES) == (literal % 2 == 0) ? TRUTH_YES : TRUTH_NO;
}

enum status claims_learn(struct claims *c, uint32_t literal, struct error *err)
{
    assert(claims_truth(c, literal) == TRUTH_OPEN);
    TRY(array_push(&c->trail, literal / 2, err));
    c->truths.at[literal / 2] = literal % 2 == 0 ? TRUTH_YES : TRUTH_NO;
    return STATUS_OK;
}

void claims_forget(struct claims *c)
{
    for (size_t i = 0; i < c->trail.count; i++)
        c->truths.at[c->trail.at[i]] = TRUTH_OPEN;
    c->trail.count = 0;
    c->proof++;
}

/* --- Claims ------------------------------------------------------------------ */

enum status claims_begin(struct claims *c, struct error *err)
{
    struct claim claim = { .start = c->literals.count,
                           .reading = HISTORY_NONE,
                           .used = UINT32_MAX };

    if (c->claims.count == UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "too many steps in a refutation");
    return array_push(&c->claims, claim, err);
}

enum status claims_add(struct claims *c, uint32_t literal, struct error *err)
{
    struct claim *last = &c->claims.at[c->claims.count - 1];

    last->is_true |= literal == LITERAL_TRUE;
    if (literal >= LITERAL_FALSE)
        return STATUS_OK;
    last->count++;
    return array_push(&c->literals, literal, err);
}

void claims_set_sources(struct claims *c, const struct reading *reading)
{
    c->claims.at[c->claims.count - 1].reading = reading->number;
}

bool claims_end_empty(const struct claims *c)
{
    const struct claim *last;

    if (c->claims.count == 0)
        return false;
    last = &c->claims.at[c->claims.count - 1];
    return !last->is_true && last->count == 0 &&
           (last->reading == HISTORY_NONE ||
            sources_reading(c->v, last->reading)->source_count == 0);
}

/* --- Using them -------------------------------------------------------------- */

/* The literals of a claim, as far as they have been looked at. */
struct outlook {
    bool is_true;
    uint32_t open_count, open; /* different ones; the last of them */
};

static void look_at(const struct claims *c, uint32_t literal, struct outlook *outlook)
{
    enum truth truth = claims_truth(c, literal);

    outlook->is_true |= truth == TRUTH_YES;
    if (truth != TRUTH_OPEN || (outlook->open_count > 0 && outlook->open == literal))
        return;
    outlook->open_count++;
    outlook->open = literal;
}

static bool goes_on(const struct outlook *outlook)
{
    return !outlook->is_true && outlook->open_count < 2;
}

static enum status look_at_sources(struct claims *c, const struct reading *reading,
                                   struct outlook *outlook, struct error *err)
{
    for (uint64_t n = 0; n < source_end(reading) && goes_on(outlook); n++) {
        uint32_t version = source_at(c->v, reading, n), literal = 0;

        if (source_is_own(reading, version))
            continue;
        TRY(claims_source(c, reading, version, false, &literal, err));
        look_at(c, literal, outlook);
    }
    return STATUS_OK;
}

enum status claims_use(struct claims *c, size_t number, enum lesson *lesson, struct error *err)
{
    struct claim *claim = &c->claims.at[number];
    struct outlook outlook = { .is_true = claim->is_true };

    *lesson = LESSON_NOTHING;
    if (claim->used == c->proof) /* it has taught what it can */
        return STATUS_OK;
    for (uint32_t i = 0; i < claim->count && goes_on(&outlook); i++)
        look_at(c, c->literals.at[claim->start + i], &outlook);
    if (claim->reading != HISTORY_NONE)
        TRY(look_at_sources(c, sources_reading(c->v, claim->reading), &outlook, err));
    claim->used = c->proof;
    if (outlook.is_true)
        return STATUS_OK;
    *lesson = outlook.open_count == 0   ? LESSON_CONTRADICTION
              : outlook.open_count == 1 ? LESSON_LITERAL
                                        : LESSON_CHOICE;
    return *lesson == LESSON_LITERAL ? claims_learn(c, outlook.open, err) : STATUS_OK;
}
