#include "programs/workloads/builtin_private.h"

#include <assert.h>

/*
 * Every draw of a client has a number of its own, and none depends on those before:
 *
 *     ordinal (31 bits) | step (13 bits) | which draw (4 bits)
 */
#define STEP_BITS 13
#define DRAW_BITS 4

static_assert(DRAW_COUNT <= 1 << DRAW_BITS, "a step has no more draws than that");
static_assert(STEP_OF_ALL == (1 << STEP_BITS) - 1, "the last number is no step's");
static_assert(BUILTIN_OPERATIONS_MAX < STEP_OF_ALL, "every operation has a step");

uint64_t builtin_word(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which)
{
    assert(step <= STEP_OF_ALL);
    return random_draw_at(&txn->builtin->client_keys[txn->client],
                          (txn->ordinal << STEP_BITS | step) << DRAW_BITS | which);
}

uint64_t builtin_below(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which,
                       uint64_t bound)
{
    return random_scale(builtin_word(txn, step, which), bound);
}

bool builtin_percent(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which,
                     enum builtin_parameter parameter)
{
    return builtin_below(txn, step, which, 100) < (uint64_t)builtin_number(txn->builtin, parameter);
}

bool builtin_only_reads(const struct builtin_txn *txn, uint32_t step)
{
    return builtin_percent(txn, step, DRAW_KIND, PARAMETER_READ_PERCENT);
}

uint32_t builtin_slot(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which)
{
    return choice_key(&txn->builtin->choice, builtin_word(txn, step, which));
}

/*
 * How often all clients together have written, if each has come as far as this one: transactions
 * times their mean length times the share of writes. Below 2^31 * 2^12 * 2^11 * 2^7.
 */
static uint64_t writes_so_far(const struct builtin_txn *txn)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t lengths = (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MIN) +
                       (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MAX);
    uint64_t write_percent = 100 - (uint64_t)builtin_number(builtin, PARAMETER_READ_PERCENT);

    return txn->ordinal * builtin->clients * lengths * write_percent / 200;
}

/* Slots begin somewhere within the life of their first key, so that they do not retire at once. */
uint64_t builtin_key_of_slot(const struct builtin_txn *txn, uint32_t slot)
{
    const struct choice *choice = &txn->builtin->choice;
    uint64_t life, expected, head_start;

    if (!builtin_has_parameter(txn->builtin->workload, PARAMETER_WRITES_PER_KEY))
        return slot;
    life = (uint64_t)builtin_number(txn->builtin, PARAMETER_WRITES_PER_KEY);
    if (life == 0)
        return slot;
    expected = choice_expected(choice, slot, writes_so_far(txn));
    head_start = life * slot / choice->count;
    return slot + (expected + head_start) / life * choice->count;
}

int64_t builtin_amount(const struct builtin_txn *txn, uint32_t step)
{
    uint64_t most = (uint64_t)builtin_number(txn->builtin, PARAMETER_AMOUNT);

    return 1 + (int64_t)builtin_below(txn, step, DRAW_NUMBER, most);
}

/* The digits of a number whose bases are the limits: no two writes have the same. */
static int64_t unique_value(const struct builtin_txn *txn, uint32_t step)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t steps = 1, value = txn->ordinal;

    if (builtin_has_parameter(builtin->workload, PARAMETER_OPERATIONS_MAX))
        steps = (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MAX);
    assert(step < steps);
    value = value * builtin->attempts + txn->attempt;
    value = value * builtin->clients + txn->client;
    value = value * steps + step;
    return (int64_t)value + 1;
}

static_assert((unsigned __int128)(BUILTIN_ORDINAL_MAX + 1) * BUILTIN_ATTEMPTS_MAX *
                      BUILTIN_CLIENTS_MAX * BUILTIN_OPERATIONS_MAX <
                  INT64_MAX,
              "a value fits");

int64_t builtin_value(const struct builtin_txn *txn, uint32_t step)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t repeated = 0;

    if (builtin_has_parameter(builtin->workload, PARAMETER_REPEAT_VALUES))
        repeated = (uint64_t)builtin_number(builtin, PARAMETER_REPEAT_VALUES);
    if (repeated > 0)
        return 1 + (int64_t)builtin_below(txn, step, DRAW_REPEATED, repeated);
    return unique_value(txn, step);
}
