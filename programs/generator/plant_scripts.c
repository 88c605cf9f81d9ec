#include <stddef.h>

#include "programs/generator/plant.h"

/* A table, a transaction a line. */
/* clang-format off */

/* Reads list the writes that they see, oldest first; none: what was there initially. */
#define READ_NONE(key) { PLANT_READ, key, { 0 } }
#define READ(key, ...) { PLANT_READ, key, { __VA_ARGS__ } }
#define WRITE(key, number) { PLANT_WRITE, key, { number } }
#define INSERT(key, number) { PLANT_INSERT, key, { number } }
#define SELECT { PLANT_SELECT, X, { 0 } }
#define SELECT_EARLY { PLANT_SELECT_EARLY, X, { 0 } }
#define GARBAGE 9

#define ALL .items = true, .rows = true, .lists = true
#define REGISTERS .items = true, .rows = true
#define READS .needs_reads = true
#define PREDICATES .rows = true, .needs_predicates = true, .needs_reads = true
#define SIZE(txns, sessions, keys)                                                                 \
    .txn_count = txns, .session_count = sessions, .key_count = keys

/*
 * Fields of a transaction in order: session, from and to phase, place. Where a
 * transaction spans both phases, it is so that real time says nothing of it.
 */
static const struct plant_script scripts[ANOMALY_COUNT] = {
    [ANOMALY_G0] = { ALL, SIZE(3, 3, 2), .reverses_y = true, .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), WRITE(Y, 2) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 3), WRITE(Y, 4) } },
        { 2, 0, 0, 3, .is_only_for_lists = true, .ops = { READ(X, 1, 3), READ(Y, 4, 2) } } } },
    [ANOMALY_G1A] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .aborts = true, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1) } } } },
    [ANOMALY_G1B] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), WRITE(X, 2) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1) } } } },
    [ANOMALY_G1C] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), READ(Y, 2) } },
        { 1, 0, 0, 2, .ops = { WRITE(Y, 2), READ(X, 1) } } } },
    [ANOMALY_G_SINGLE] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), WRITE(X, 1), READ_NONE(Y), WRITE(Y, 2) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ(Y, 2) } } } },
    [ANOMALY_G_NONADJACENT] = { ALL, READS, SIZE(4, 4, 2), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 3, .ops = { WRITE(Y, 2) } },
        { 2, 0, 0, 2, .ops = { READ(X, 1), READ_NONE(Y) } },
        { 3, 0, 0, 4, .ops = { READ_NONE(X), READ(Y, 2) } } } },
    [ANOMALY_G2_ITEM] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), READ_NONE(Y), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ_NONE(Y), WRITE(Y, 2) } } } },
    [ANOMALY_G2] = { PREDICATES, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { SELECT, INSERT(X, 1) } },
        { 1, 0, 0, 2, .ops = { SELECT_EARLY, INSERT(Y, 2) } } } },

    [ANOMALY_G0_PROCESS] = { ALL, SIZE(3, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 0, 1, 1, 1, .ops = { WRITE(X, 2) } },
        { 1, 1, 1, 3, .is_only_for_lists = true, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_G1C_PROCESS] = { ALL, READS, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 2, .ops = { READ(X, 1) } },
        { 0, 1, 1, 1, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_G_SINGLE_PROCESS] = { ALL, READS, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } } } },
    [ANOMALY_G_NONADJACENT_PROCESS] = { ALL, READS, SIZE(4, 3, 2), .txns = {
        { 0, 0, 0, 4, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 1, 0, 1, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 1, 3, .ops = { READ(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_ITEM_PROCESS] = { ALL, READS, SIZE(3, 2, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 1, 0, 1, 2, .ops = { WRITE(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_PROCESS] = { PREDICATES, SIZE(3, 2, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { SELECT } },
        { 1, 0, 1, 2, .ops = { INSERT(X, 2), READ_NONE(Y) } } } },

    [ANOMALY_G0_REALTIME] = { ALL, SIZE(3, 3, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 1, 1, 1, 1, .ops = { WRITE(X, 2) } },
        { 2, 1, 1, 3, .is_only_for_lists = true, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_G1C_REALTIME] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { READ(X, 1) } },
        { 1, 1, 1, 1, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_G_SINGLE_REALTIME] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } } } },
    [ANOMALY_G_NONADJACENT_REALTIME] = { ALL, READS, SIZE(4, 4, 2), .txns = {
        { 0, 0, 0, 4, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 2, 0, 1, 2, .ops = { WRITE(X, 2) } },
        { 3, 0, 1, 3, .ops = { READ(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_ITEM_REALTIME] = { ALL, READS, SIZE(3, 3, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 2, 0, 1, 2, .ops = { WRITE(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_REALTIME] = { PREDICATES, SIZE(3, 3, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { SELECT } },
        { 2, 0, 1, 2, .ops = { INSERT(X, 2), READ_NONE(Y) } } } },

    [ANOMALY_INTERNAL] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ(X, 1) } } } },
    [ANOMALY_GARBAGE_READ] = { ALL, READS, SIZE(1, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, GARBAGE) } } } },
    [ANOMALY_FUTURE_READ] = { ALL, READS, SIZE(1, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, 1), WRITE(X, 1) } } } },
    [ANOMALY_DUPLICATE_WRITE] = { REGISTERS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_DUPLICATE_ELEMENTS] = { .lists = true, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1, 1) } } } },
    [ANOMALY_LOST_UPDATE] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), WRITE(X, 2) } } } },
    [ANOMALY_DIRTY_UPDATE] = { .lists = true, READS, SIZE(3, 3, 1), .txns = {
        { 0, 0, 0, 1, .aborts = true, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 0, 3, .ops = { READ(X, 1, 2) } } } },
    [ANOMALY_INCOMPATIBLE_ORDER] = { .lists = true, READS, SIZE(4, 4, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 0, 3, .ops = { READ(X, 1, 2) } },
        { 3, 0, 0, 4, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_CYCLIC_VERSIONS] = { REGISTERS, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, 2), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1), WRITE(X, 2) } } } },
    [ANOMALY_RESULT_SET_MISMATCH] = { PREDICATES, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { INSERT(X, 1) } },
        { 0, 1, 1, 2, .ops = { SELECT } } } },
};

/* clang-format on */

const struct plant_script *plant_script_of(enum anomaly anomaly)
{
    return scripts[anomaly].txn_count > 0 ? &scripts[anomaly] : NULL;
}

bool plant_possible(const struct workload *workload, enum anomaly anomaly)
{
    const struct plant_script *script = plant_script_of(anomaly);
    bool reads = workload->read_percent > 0;

    if (!script || (script->needs_reads && !reads))
        return false;
    if (script->needs_predicates && workload->range == RANGE_NONE)
        return false;
    switch (workload->shape) {
    case SHAPE_ITEMS:
        return script->items;
    case SHAPE_ROWS:
        return script->rows;
    case SHAPE_LISTS:
        return script->lists;
    }
    return false;
}
