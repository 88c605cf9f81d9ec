/*
 * write-skew: pairs of rows whose sum must not become negative.
 *
 *     withdraw   r(x) r(y)  w(x, x - n)      gives up where x + y < n
 *     deposit    r(x) r(y)  w(x, x + n)
 *     audit      r(x) r(y)
 *
 * Two withdrawals, one from x and one from y, read the same sum and write
 * different rows: snapshot isolation lets both commit, and the sum is broken.
 * Pairs are chosen; keys 2i and 2i + 1 are one. Whoever reads a sum below nothing
 * commits without a write: a deposit would wipe out the evidence.
 */
#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"

#include <inttypes.h>
#include <stddef.h>

enum write_skew_mode { AUDITS, WITHDRAWS, DEPOSITS };

static uint32_t count_pairs(const struct builtin_options *options)
{
    return (uint32_t)(builtin_option(options, PARAMETER_KEYS) / 2);
}

static enum status check(const struct builtin_options *options, struct error *err)
{
    int64_t keys = builtin_option(options, PARAMETER_KEYS);

    if (keys % 2 != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "keys is %" PRId64 ", but must be even: they are pairs", keys);
    return STATUS_OK;
}

static void begin(struct builtin_txn *txn)
{
    if (builtin_only_reads(txn, STEP_OF_ALL))
        txn->mode = AUDITS;
    else if (builtin_percent(txn, STEP_OF_ALL, DRAW_DEPOSIT, PARAMETER_DEPOSIT_PERCENT))
        txn->mode = DEPOSITS;
    else
        txn->mode = WITHDRAWS;
}

/* The pair's first key, and which of the two is written. */
static uint64_t choose_pair(const struct builtin_txn *txn, uint64_t *which)
{
    *which = builtin_below(txn, STEP_OF_ALL, DRAW_WHICH, 2);
    return (uint64_t)builtin_slot(txn, STEP_OF_ALL, DRAW_KEY) * 2;
}

static struct builtin_request next(const struct builtin_txn *txn)
{
    int64_t amount = builtin_amount(txn, txn->step);
    uint64_t which, pair = choose_pair(txn, &which);

    if (txn->part < 2)
        return builtin_read(pair + txn->part);
    if (txn->mode == WITHDRAWS)
        amount = -amount;
    return builtin_write(txn, pair + which, txn->seen[which] + amount);
}

static void answer_second_read(struct builtin_txn *txn)
{
    txn->sum = txn->seen[0] + txn->seen[1];
    if (txn->mode == AUDITS || txn->sum < 0) {
        builtin_end_step(txn);
        return;
    }
    if (txn->mode == WITHDRAWS && txn->sum < builtin_amount(txn, txn->step))
        txn->gives_up = true;
    builtin_end_part(txn);
}

static void answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    switch (txn->part) {
    case 0:
        txn->seen[0] = builtin_take(txn, rows, count);
        builtin_end_part(txn);
        break;
    case 1:
        txn->seen[1] = builtin_take(txn, rows, count);
        answer_second_read(txn);
        break;
    default:
        builtin_end_step(txn);
    }
}

static void list(const struct builtin_txn *txn, struct listed *listing)
{
    const unsigned both = 1 << TERM_A | 1 << TERM_B;
    int64_t amount = builtin_amount(txn, txn->step);
    uint64_t which, pair = choose_pair(txn, &which);
    int64_t more = txn->mode == WITHDRAWS ? -amount : amount;
    struct listed_op ops[6] = {
        builtin_listed_read(TERM_A, pair),
        builtin_listed_read(TERM_B, pair + 1),
        builtin_listed_if(LISTED_EXPECT, both, LISTED_AT_LEAST, 0),
        builtin_listed_if(LISTED_COMMIT_IF, both, LISTED_LESS, 0),
    };
    uint32_t count = 4;

    if (txn->mode == AUDITS) {
        builtin_list_together(listing, ops, 3);
        return;
    }
    if (txn->mode == WITHDRAWS)
        ops[count++] = builtin_listed_if(LISTED_ABORT_IF, both, LISTED_LESS, amount);
    ops[count++] = builtin_listed_write(txn, pair + which, which ? TERM_B : TERM_A, more);
    builtin_list_together(listing, ops, count);
}

static bool pair_is_broken(uint64_t first, int64_t sum, struct buffer *sentence)
{
    if (sum >= 0)
        return false;
    buffer_print(sentence, "accounts %" PRIu64 " and %" PRIu64 " hold %" PRId64 " together", first,
                 first + 1, sum);
    return true;
}

static bool saw_broken(const struct builtin_txn *txn, struct buffer *sentence)
{
    bool has_read_both = txn->step == txn->step_count;
    uint64_t which;

    if (txn->saw_missing) {
        buffer_print(sentence, "an account was missing");
        return true;
    }
    return has_read_both && pair_is_broken(choose_pair(txn, &which), txn->sum, sentence);
}

static bool holds(struct builtin_tally *tally, const struct builtin_row *rows, uint64_t count,
                  struct buffer *sentence)
{
    if (!builtin_has_all_keys(tally->builtin, count, sentence))
        return false;
    for (uint64_t i = 0; i + 1 < count; i += 2)
        if (pair_is_broken(rows[i].key, rows[i].value + rows[i + 1].value, sentence))
            return false;
    return true;
}

static const struct builtin_behaviour behaviour = {
    .check = check,
    .choices = count_pairs,
    .begin = begin,
    .next = next,
    .answer = answer,
    .list = list,
    .initial_count = builtin_initial_keys,
    .initial = builtin_initial_balance,
    .saw_broken = saw_broken,
    .holds = holds,
};

const struct workload workload_write_skew = {
    .name = "write-skew",
    .description = "rows in pairs: withdrawals from one if both together have enough",
    .shape = SHAPE_ROWS,
    .table = &builtin_accounts,
    .defaults = {
        [PARAMETER_KEYS] = "10",
        [PARAMETER_READ_PERCENT] = "20",
        BUILTIN_USUAL("uniform", "1"),
        [PARAMETER_REPEAT_VALUES] = "0",
        [PARAMETER_BALANCE] = "50",
        [PARAMETER_AMOUNT] = "100",
        [PARAMETER_DEPOSIT_PERCENT] = "40",
    },
    .invariant = "no pair has less than nothing together",
    .invariant_levels = { LEVEL_REPEATABLE_READ, LEVEL_SERIALIZABLE },
    .behaviour = &behaviour,
};
