/*
 * long-fork: writes of single keys, and reads of groups of keys.
 *
 *     T1: w(x,1)    T2: w(y,1)
 *     T3: r(x,1) r(y,nil)    T4: r(x,nil) r(y,1)
 *
 * T3 and T4 disagree on which write came first. No reader writes and no writer
 * reads, so parallel snapshot isolation allows it, and snapshot isolation does
 * not. Groups are chosen; a reader begins anywhere in its group.
 */
#include "programs/workloads/builtin_private.h"

#include <inttypes.h>
#include <stddef.h>

enum long_fork_mode { READS_GROUP, WRITES_KEY };

static uint32_t count_groups(const struct builtin_options *options)
{
    return (uint32_t)(builtin_option(options, PARAMETER_KEYS) /
                      builtin_option(options, PARAMETER_GROUP));
}

static enum status check(const struct builtin_options *options, struct error *err)
{
    int64_t keys = builtin_option(options, PARAMETER_KEYS);
    int64_t group = builtin_option(options, PARAMETER_GROUP);

    if (keys % group != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "keys is %" PRId64 ", but must be a multiple of group, which is %" PRId64,
                         keys, group);
    return STATUS_OK;
}

static void begin(struct builtin_txn *txn)
{
    bool reads = builtin_only_reads(txn, STEP_OF_ALL);

    txn->mode = reads ? READS_GROUP : WRITES_KEY;
    if (reads)
        txn->step_count = (uint32_t)builtin_number(txn->builtin, PARAMETER_GROUP);
}

static struct builtin_request next(const struct builtin_txn *txn)
{
    uint64_t size = (uint64_t)builtin_number(txn->builtin, PARAMETER_GROUP);
    uint64_t group = builtin_slot(txn, STEP_OF_ALL, DRAW_KEY);
    uint64_t member = builtin_below(txn, STEP_OF_ALL, DRAW_WHICH, size);
    uint64_t key = group * size + (member + txn->step) % size;

    if (txn->mode == READS_GROUP)
        return builtin_read(key);
    return builtin_write(txn, key, builtin_value(txn, txn->step));
}

static const struct builtin_behaviour behaviour = {
    .check = check,
    .choices = count_groups,
    .begin = begin,
    .next = next,
};

const struct workload workload_long_fork = {
    .name = "long-fork",
    .description = "registers: writes of one key, reads of a group of keys",
    .shape = SHAPE_ITEMS,
    .defaults = {
        [PARAMETER_KEYS] = "30",
        [PARAMETER_GROUP] = "3",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("uniform", "2"),
        [PARAMETER_REPEAT_VALUES] = "0",
    },
    .behaviour = &behaviour,
};
