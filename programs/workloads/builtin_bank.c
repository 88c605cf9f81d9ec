/*
 * bank: transfers between accounts, and reads of all accounts.
 *
 *     transfer   r(a) r(b)  w(a, a - n) w(b, b + n)     gives up where a < n
 *     audit      one SELECT of every row, or a read of each
 *
 * Transfers neither make money nor lose it, and no account is overdrawn: two
 * transfers from one account must not both take what only one can.
 */
#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"

#include <inttypes.h>
#include <stddef.h>

enum bank_mode { TRANSFERS, READS_EACH, SELECTS_ALL };

static enum status check(const struct builtin_options *options, struct error *err)
{
    if (builtin_option(options, PARAMETER_KEYS) < 2)
        return error_set(err, STATUS_BAD_INPUT,
                         "keys must be at least 2: money goes from one to another");
    return STATUS_OK;
}

static void begin(struct builtin_txn *txn)
{
    txn->mode = TRANSFERS;
    if (!builtin_only_reads(txn, STEP_OF_ALL))
        return;
    if (builtin_percent(txn, STEP_OF_ALL, DRAW_RANGE, PARAMETER_SELECT_PERCENT)) {
        txn->mode = SELECTS_ALL;
        txn->step_count = 1;
    } else {
        txn->mode = READS_EACH;
        txn->step_count = (uint32_t)builtin_number(txn->builtin, PARAMETER_KEYS);
    }
}

/* Any other: where both draws agree, the next one. */
static void choose_accounts(const struct builtin_txn *txn, uint64_t *from, uint64_t *to)
{
    uint64_t keys = (uint64_t)builtin_number(txn->builtin, PARAMETER_KEYS);

    *from = builtin_slot(txn, txn->step, DRAW_KEY);
    *to = builtin_slot(txn, txn->step, DRAW_WHICH);
    if (*to == *from)
        *to = (*to + 1) % keys;
}

static struct builtin_request next_of_transfer(const struct builtin_txn *txn)
{
    int64_t amount = builtin_amount(txn, txn->step);
    uint64_t from, to;

    choose_accounts(txn, &from, &to);
    switch (txn->part) {
    case 0:
        return builtin_read(from);
    case 1:
        return builtin_read(to);
    case 2:
        return builtin_write(txn, from, txn->seen[0] - amount);
    default:
        return builtin_write(txn, to, txn->seen[1] + amount);
    }
}

static struct builtin_request next(const struct builtin_txn *txn)
{
    if (txn->mode == SELECTS_ALL)
        return builtin_range(BUILTIN_SELECT, BUILTIN_NO_COLUMN, 0, 0);
    return txn->mode == READS_EACH ? builtin_read(txn->step) : next_of_transfer(txn);
}

static void answer_transfer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    if (txn->part < 2)
        txn->seen[txn->part] = builtin_take(txn, rows, count);
    if (txn->part == 1 && txn->seen[0] < builtin_amount(txn, txn->step))
        txn->gives_up = true;
    if (txn->part == 3)
        builtin_end_step(txn);
    else
        builtin_end_part(txn);
}

static void answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    uint64_t expected = 1;

    if (txn->mode == TRANSFERS) {
        answer_transfer(txn, rows, count);
        return;
    }
    if (txn->mode == SELECTS_ALL)
        expected = (uint64_t)builtin_number(txn->builtin, PARAMETER_KEYS);
    if (count != expected)
        txn->saw_missing = true;
    for (uint64_t i = 0; i < count; i++)
        txn->sum += rows[i].value;
    builtin_end_step(txn);
}

static void list_transfer(const struct builtin_txn *txn, struct listed *listing)
{
    int64_t amount = builtin_amount(txn, txn->step);
    uint64_t from, to;

    choose_accounts(txn, &from, &to);
    builtin_list_together(listing,
                          (const struct listed_op[]){
                              builtin_listed_read(TERM_A, from),
                              builtin_listed_read(TERM_B, to),
                              builtin_listed_if(LISTED_ABORT_IF, 1 << TERM_A, LISTED_LESS, amount),
                              builtin_listed_write(txn, from, TERM_A, -amount),
                              builtin_listed_write(txn, to, TERM_B, amount),
                          },
                          5);
}

static int64_t total_of(const struct builtin *);

/* All of the reads, and what they must come to. */
static void list_audit(const struct builtin_txn *txn, struct listed *listing)
{
    int64_t keys = builtin_number(txn->builtin, PARAMETER_KEYS);
    struct builtin_txn at = *txn;

    for (; at.step < at.step_count; at.step++) {
        struct builtin_request request = next(&at);
        struct listed_op op = builtin_listed_op(&request);

        op.goes_on = true;
        listed_add(listing, op);
    }
    builtin_list_together(
        listing,
        (const struct listed_op[]){
            builtin_listed_if(LISTED_EXPECT, 1 << TERM_ROWS, LISTED_EQUAL, keys),
            builtin_listed_if(LISTED_EXPECT, 1 << TERM_SUM, LISTED_EQUAL, total_of(txn->builtin)),
        },
        2);
}

static void list(const struct builtin_txn *txn, struct listed *listing)
{
    struct builtin_txn at = *txn;

    if (txn->mode != TRANSFERS)
        list_audit(txn, listing);
    for (; txn->mode == TRANSFERS && at.step < at.step_count; at.step++)
        list_transfer(&at, listing);
}

static int64_t total_of(const struct builtin *builtin)
{
    return builtin_number(builtin, PARAMETER_KEYS) * builtin_number(builtin, PARAMETER_BALANCE);
}

static bool saw_broken(const struct builtin_txn *txn, struct buffer *sentence)
{
    int64_t total = total_of(txn->builtin);
    bool has_audited = txn->mode != TRANSFERS && txn->step == txn->step_count;

    if (txn->saw_missing) {
        buffer_print(sentence, "an account was missing, or one too many");
        return true;
    }
    if (!has_audited || txn->sum == total)
        return false;
    buffer_print(sentence, "a read of all accounts found %" PRId64 " instead of %" PRId64, txn->sum,
                 total);
    return true;
}

static bool holds(struct builtin_tally *tally, const struct builtin_row *rows, uint64_t count,
                  struct buffer *sentence)
{
    int64_t total = total_of(tally->builtin), sum = 0;

    if (!builtin_has_all_keys(tally->builtin, count, sentence))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (rows[i].value < 0) {
            buffer_print(sentence, "account %" PRIu64 " is overdrawn: it holds %" PRId64,
                         rows[i].key, rows[i].value);
            return false;
        }
        sum += rows[i].value;
    }
    if (sum == total)
        return true;
    buffer_print(sentence, "the accounts hold %" PRId64 " instead of %" PRId64, sum, total);
    return false;
}

static const struct builtin_behaviour behaviour = {
    .check = check,
    .begin = begin,
    .next = next,
    .answer = answer,
    .list = list,
    .initial_count = builtin_initial_keys,
    .initial = builtin_initial_balance,
    .saw_broken = saw_broken,
    .holds = holds,
};

const struct workload workload_bank = {
    .name = "bank",
    .description = "rows: transfers between accounts, and reads of all accounts",
    .shape = SHAPE_ROWS,
    .table = &builtin_accounts,
    .defaults = {
        [PARAMETER_KEYS] = "10",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "1",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("uniform", "2"),
        [PARAMETER_REPEAT_VALUES] = "0",
        [PARAMETER_BALANCE] = "100",
        [PARAMETER_AMOUNT] = "5",
        [PARAMETER_SELECT_PERCENT] = "50",
    },
    .invariant = "the total stays, and no account is overdrawn",
    .invariant_levels = { LEVEL_SNAPSHOT, LEVEL_REPEATABLE_READ },
    .behaviour = &behaviour,
};
