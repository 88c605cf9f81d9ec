/*
 * Checks banks: whoever reads all accounts at once finds the same total, at levels where what a
 * transaction reads was there together, and no balance is below zero.
 */
#include "checkers/infer/workloads/workload_bank_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/infer/models/models.h"
#include "checkers/proof/witness.h"
#include "history/level.h"

struct bank {
    struct workload_judge *judge;
    uint8_t *is_account; /* by key: it has an integer somewhere */
    uint32_t account_count;
    uint32_t *seen; /* by key: the last transaction that read or wrote it, plus one */
    bool has_total, has_read;
    uint64_t total; /* modulo 2^64: sums that differ there differ */
    uint32_t first; /* who found it, or HISTORY_NONE: it was there initially */
};

static enum status find_accounts(struct bank *b, struct error *err)
{
    const struct history *h = b->judge->history;

    TRY(check_memory((void **)&b->is_account, h->key_count, 1, 0, err));
    TRY(check_memory((void **)&b->seen, h->key_count, sizeof *b->seen, 0, err));
    for (size_t i = 0; i < h->initial_count; i++)
        b->is_account[h->initial_key[i]] = h->initial_kind[i] == VALUE_INTEGER;
    for (size_t op = 0; op < h->op_count; op++)
        if (!op_is_head(h->op_kind[op]) && h->op_value_kind[op] == VALUE_INTEGER)
            b->is_account[h->op_key[op]] = 1;
    for (uint32_t key = 0; key < h->key_count; key++)
        b->account_count += b->is_account[key];
    return STATUS_OK;
}

static void take_initial_total(struct bank *b)
{
    const struct history *h = b->judge->history;
    uint32_t count = 0;

    b->first = HISTORY_NONE;
    for (size_t i = 0; i < h->initial_count; i++)
        if (h->initial_kind[i] == VALUE_INTEGER) {
            b->total += (uint64_t)h->initial_value[i];
            count++;
        }
    b->has_total = count == b->account_count && count > 0;
    if (!b->has_total)
        b->total = 0;
}

static enum status tell_negative(struct bank *b, uint32_t txn, uint32_t op, struct error *err)
{
    struct workload_judge *j = b->judge;
    const struct history *h = j->history;
    struct wrong_read wrong = { .txn = txn, .op = op, .key = h->op_key[op] };
    struct buffer why = { 0 }, proof = { 0 };

    if (!workload_finds(j, 0))
        return STATUS_OK;
    tell_print(&why, h, "%T read %R, which is below zero", txn, op);
    proof_read(&proof, h, &wrong);
    return check_tell(j->check,
                      (struct discovery){ .kind = ANOMALY_NEGATIVE_BALANCE, .txns = &txn,
                                          .txn_count = 1, .why = why, .proof = proof }, err);
}

static enum status tell_total(struct bank *b, uint32_t txn, uint64_t total, struct error *err)
{
    struct workload_judge *j = b->judge;
    const struct history *h = j->history;
    uint32_t txns[2] = { b->first, txn };
    bool is_initial = b->first == HISTORY_NONE;
    struct buffer why = { 0 }, proof = { 0 };

    if (!workload_finds(j, 1))
        return STATUS_OK;
    tell_txn(&why, h, txn);
    buffer_print(&why, " found %" PRId64 " in all accounts together, and ", (int64_t)total);
    if (is_initial)
        buffer_text(&why, TEXT("initially there was "));
    else
        tell_txn(&why, h, b->first);
    buffer_print(&why, "%s%" PRId64, is_initial ? "" : " found ", (int64_t)b->total);
    if (is_initial)
        buffer_print(&proof, "\"totals\":[null,%" PRId64 "]", h->txn_id[txn]);
    else
        proof_totals(&proof, h, txns);
    return check_tell(j->check,
                      (struct discovery){ .kind = ANOMALY_WRONG_TOTAL,
                                          .txns = is_initial ? &txn : txns,
                                          .txn_count = is_initial ? 1 : 2, .why = why,
                                          .proof = proof }, err);
}

/* Whether all that a transaction reads was there together. */
static bool adds_up(enum level level)
{
    return level_implies(level, LEVEL_PARALLEL_SNAPSHOT) ||
           level_implies(level, LEVEL_CONSISTENT_VIEW) ||
           level_implies(level, LEVEL_REPEATABLE_READ);
}

/* At the level asked for it is a finding; elsewhere no level stands that forbids it. */
static enum status find_wrong_total(struct bank *b, uint32_t txn, uint64_t total, struct error *err)
{
    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && adds_up((enum level)level))
            b->judge->ruled_out |= LEVEL_BIT(level);
    return adds_up(b->judge->options->level) ? tell_total(b, txn, total, err) : STATUS_OK;
}

/* What a transaction found, before it wrote there itself. */
static enum status read_txn(struct bank *b, uint32_t txn, struct error *err)
{
    const struct history *h = b->judge->history;
    uint32_t count = 0;
    uint64_t total = 0;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];
        bool is_integer = h->op_value_kind[op] == VALUE_INTEGER;

        if (op_is_head(h->op_kind[op]))
            continue;
        if (workload_is_read(h, txn, op) && is_integer && h->op_value[op] < 0)
            TRY(tell_negative(b, txn, op, err));
        if (b->seen[key] != txn + 1 && workload_is_read(h, txn, op) && is_integer) {
            total += (uint64_t)h->op_value[op];
            count++;
        }
        if (history_makes_version(h, op) || (workload_is_read(h, txn, op) && is_integer))
            b->seen[key] = txn + 1;
    }
    b->has_read |= count > 0;
    if (count > 0 && count != b->account_count && adds_up(b->judge->options->level))
        check_doubt(b->judge->check, "T%" PRId64 " read some accounts and not others: that says "
                    "nothing of their total", h->txn_id[txn]);
    if (count != b->account_count || count == 0)
        return STATUS_OK;
    if (b->has_total && total != b->total)
        return find_wrong_total(b, txn, total, err);
    if (!b->has_total)
        b->first = txn;
    b->has_total = true;
    b->total = total;
    return STATUS_OK;
}

enum status workload_judge_bank(struct workload_judge *j, struct error *err)
{
    const struct history *h = j->history;
    struct bank b = { .judge = j };
    enum status status = find_accounts(&b, err);

    if (status == STATUS_OK)
        take_initial_total(&b);
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK && workload_goes_on(j, t); t++)
        status = read_txn(&b, t, err);
    if (!b.has_read && workload_is_own(h))
        check_doubt(j->check, "nobody read a balance");
    free(b.is_account);
    free(b.seen);
    return status;
}

enum status workload_tell_bank(struct workload_judge *j, struct error *err)
{
    const struct history *h = j->history;
    uint32_t *line = NULL, count = 0;

    enum level level = j->options->level;

    if (level_closing(level) != CLOSING_DATA || models_is_axiomatic(level) ||
        level == LEVEL_PARALLEL_SNAPSHOT) {
        check_doubt(j->check, "no balance and no total is wrong; they say nothing of sessions and "
                              "real time");
        return STATUS_OK;
    }
    if (!check_wants(j->options, CHECK_WITNESS))
        return STATUS_OK;
    TRY(memory_resize((void **)&line, h->txn_count, sizeof *line, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            line[count++] = t;
    witness_order(j->check, h, line, count);
    for (uint32_t i = 0; i < count; i++)
        line[i] = i;
    if (level_is_snapshot(j->options->level))
        witness_snapshots(j->check, line, count);
    free(line);
    return STATUS_OK;
}
