/*
 * The workloads of registers and lists: operations on single keys, grouped in transactions.
 *
 *     rw-register   reads and writes mixed                    Elle's rw-register
 *     list-append   reads of whole lists and appends mixed    Elle's list-append
 *     ycsb          reads and writes mixed, of keys that are loaded first
 *     blindw        a transaction either only reads or only writes: no write has
 *                   its transaction's read to tell the order of versions by
 */
#include "programs/workloads/builtin_private.h"

#include <stddef.h>

enum item_mode { MIXES, ONLY_READS, ONLY_WRITES };

static void begin_one_kind(struct builtin_txn *txn)
{
    bool reads = builtin_only_reads(txn, STEP_OF_ALL);

    txn->mode = reads ? ONLY_READS : ONLY_WRITES;
}

static bool is_read(const struct builtin_txn *txn)
{
    if (txn->mode == MIXES)
        return builtin_only_reads(txn, txn->step);
    return txn->mode == ONLY_READS;
}

static struct builtin_request next(const struct builtin_txn *txn)
{
    bool is_list = txn->builtin->workload->shape == SHAPE_LISTS;
    uint64_t key = builtin_key_of_slot(txn, builtin_slot(txn, txn->step, DRAW_KEY));
    struct builtin_request request;

    if (is_read(txn))
        return builtin_read(key);
    request = builtin_write(txn, key, builtin_value(txn, txn->step));
    if (is_list)
        request.kind = BUILTIN_APPEND;
    return request;
}

static const struct builtin_behaviour mixed = { .next = next };
static const struct builtin_behaviour one_kind = { .begin = begin_one_kind, .next = next };
static const struct builtin_behaviour loaded = {
    .next = next,
    .initial_count = builtin_initial_keys,
    .initial = builtin_initial_zero,
};

const struct workload workload_rw_register = {
    .name = "rw-register",
    .description = "registers: reads and writes mixed, keys retire",
    .shape = SHAPE_ITEMS,
    .defaults = {
        [PARAMETER_KEYS] = "10",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "4",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("zipf", "2"),
        [PARAMETER_WRITES_PER_KEY] = "256",
        [PARAMETER_REPEAT_VALUES] = "0",
    },
    .behaviour = &mixed,
};

const struct workload workload_list_append = {
    .name = "list-append",
    .mix = &mix_list_append,
    .description = "lists: reads of whole lists and appends mixed, keys retire",
    .shape = SHAPE_LISTS,
    .defaults = {
        [PARAMETER_KEYS] = "10",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "4",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("zipf", "2"),
        [PARAMETER_WRITES_PER_KEY] = "32",
    },
    .behaviour = &mixed,
};

const struct workload workload_blindw = {
    .name = "blindw",
    .description = "registers: transactions that only read or only write",
    .shape = SHAPE_ITEMS,
    .defaults = {
        [PARAMETER_KEYS] = "100",
        [PARAMETER_OPERATIONS_MIN] = "8",
        [PARAMETER_OPERATIONS_MAX] = "8",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("uniform", "10"),
        [PARAMETER_REPEAT_VALUES] = "0",
    },
    .behaviour = &one_kind,
};

const struct workload workload_ycsb = {
    .name = "ycsb",
    .description = "registers that are loaded first: reads and writes, the first keys most often",
    .shape = SHAPE_ITEMS,
    .defaults = {
        [PARAMETER_KEYS] = "1000",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "8",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("zipf", "100"),
        [PARAMETER_REPEAT_VALUES] = "0",
    },
    .behaviour = &loaded,
};
