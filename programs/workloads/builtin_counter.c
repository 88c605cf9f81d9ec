/*
 * counter: increments by a read and a write of what was read plus one.
 *
 *     increment   r(c, n) w(c, n + 1)
 *     read        r(c)
 *
 * Each counter ends at no less than its acknowledged increments, and at no more
 * than these and the unknown ones: an update that is lost is missing, one that
 * was applied twice is too many.
 */
#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"
#include "programs/workloads/builtin.h"

#include <inttypes.h>
#include <stddef.h>

static struct builtin_request next(const struct builtin_txn *txn)
{
    uint64_t key = builtin_slot(txn, txn->step, DRAW_KEY);

    return txn->part == 0 ? builtin_read(key) : builtin_write(txn, key, txn->seen[0] + 1);
}

static void answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    if (txn->part == 0)
        txn->seen[0] = builtin_take(txn, rows, count);
    if (txn->part == 0 && !builtin_only_reads(txn, txn->step))
        builtin_end_part(txn);
    else
        builtin_end_step(txn);
}

static void list(const struct builtin_txn *txn, struct listed *listing)
{
    struct builtin_txn at = *txn;

    for (; at.step < at.step_count; at.step++) {
        uint64_t key = builtin_slot(&at, at.step, DRAW_KEY);
        struct listed_op ops[] = { builtin_listed_read(TERM_A, key),
                                   builtin_listed_write(&at, key, TERM_A, 1) };

        builtin_list_together(listing, ops, builtin_only_reads(&at, at.step) ? 1 : 2);
    }
}

static enum status tally_increments(struct builtin_tally *tally, const struct builtin_txn *txn,
                                    bool acknowledged, struct error *err)
{
    for (uint32_t step = 0; step < txn->step_count; step++) {
        uint64_t key = builtin_slot(txn, step, DRAW_KEY);

        if (builtin_only_reads(txn, step))
            continue;
        TRY(builtin_tally_note(tally, key, acknowledged, err));
    }
    return STATUS_OK;
}

/* How often the key stands in the sorted list, whose place only moves forward. */
static int64_t count_of(const uint64_t *sorted, size_t count, size_t *place, uint64_t key)
{
    size_t first;

    while (*place < count && sorted[*place] < key)
        ++*place;
    first = *place;
    while (*place < count && sorted[*place] == key)
        ++*place;
    return (int64_t)(*place - first);
}

static bool counter_holds(const struct builtin_row *row, int64_t acknowledged, int64_t unknown,
                          struct buffer *sentence)
{
    if (row->value >= acknowledged && row->value <= acknowledged + unknown)
        return true;
    buffer_print(sentence,
                 "counter %" PRIu64 " stands at %" PRId64 " after %" PRId64
                 " increments that were acknowledged and %" PRId64 " that are unknown",
                 row->key, row->value, acknowledged, unknown);
    return false;
}

static bool holds(struct builtin_tally *tally, const struct builtin_row *rows, uint64_t count,
                  struct buffer *sentence)
{
    size_t acknowledged = 0, unknown = 0;

    if (!builtin_has_all_keys(tally->builtin, count, sentence))
        return false;
    builtin_tally_sort(tally);
    for (uint64_t i = 0; i < count; i++) {
        int64_t least =
            count_of(tally->acknowledged.at, tally->acknowledged.count, &acknowledged, rows[i].key);
        int64_t more = count_of(tally->unknown.at, tally->unknown.count, &unknown, rows[i].key);

        if (!counter_holds(&rows[i], least, more, sentence))
            return false;
    }
    return true;
}

static const struct builtin_behaviour behaviour = {
    .next = next,
    .answer = answer,
    .list = list,
    .initial_count = builtin_initial_keys,
    .initial = builtin_initial_zero,
    .tally = tally_increments,
    .holds = holds,
};

static const struct builtin_table counters = {
    .name = "counters",
    .key_column = "id",
    .value_column = "count",
    .tag_column = "tag",
    .sql = "CREATE TABLE counters (id bigint PRIMARY KEY, count bigint NOT NULL, "
           "tag bigint NOT NULL)",
};

const struct workload workload_counter = {
    .name = "counter",
    .description = "rows: increments by reading and writing, and reads",
    .shape = SHAPE_ROWS,
    .table = &counters,
    .defaults = {
        [PARAMETER_KEYS] = "5",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "2",
        [PARAMETER_READ_PERCENT] = "30",
        BUILTIN_USUAL("uniform", "1"),
        [PARAMETER_REPEAT_VALUES] = "0",
    },
    .invariant = "each counter stands at its increments",
    .invariant_levels = { LEVEL_SNAPSHOT, LEVEL_REPEATABLE_READ },
    .behaviour = &behaviour,
};
