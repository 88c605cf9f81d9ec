/*
 * set: elements are added, each once, and whole sets are read.
 *
 *     add    INSERT INTO elements VALUES (e, s)
 *     read   SELECT * FROM elements WHERE member_of = s
 *
 * What was acknowledged must be there at the end, and nothing that was aborted:
 * the simplest durability that there is. At stronger levels the checkers also
 * see the phantoms. A set retires when it has so many elements, so that reads
 * stay short.
 */
#include "programs/workloads/builtin_private.h"
#include "programs/workloads/builtin.h"

#include <inttypes.h>
#include <stddef.h>

static struct builtin_request next(const struct builtin_txn *txn)
{
    int64_t set = (int64_t)builtin_key_of_slot(txn, builtin_slot(txn, txn->step, DRAW_KEY));

    if (builtin_only_reads(txn, txn->step))
        return builtin_range(BUILTIN_SELECT, BUILTIN_VALUE_COLUMN, set, set);
    return (struct builtin_request){
        .kind = BUILTIN_INSERT,
        .key = (uint64_t)builtin_value(txn, txn->step),
        .value = set,
    };
}

static enum status tally_adds(struct builtin_tally *tally, const struct builtin_txn *txn,
                              bool acknowledged, struct error *err)
{
    for (uint32_t step = 0; step < txn->step_count; step++) {
        uint64_t element;

        if (builtin_only_reads(txn, step))
            continue;
        element = (uint64_t)builtin_value(txn, step);
        TRY(builtin_tally_note(tally, element, acknowledged, err));
    }
    return STATUS_OK;
}

/* Whether the element is among those from *next on, which only moves forward. */
static bool is_among(const uint64_t *sorted, size_t count, size_t *next_of_sorted, uint64_t element)
{
    while (*next_of_sorted < count && sorted[*next_of_sorted] < element)
        ++*next_of_sorted;
    return *next_of_sorted < count && sorted[*next_of_sorted] == element;
}

static bool nothing_is_lost(const struct builtin_tally *tally, const struct builtin_row *rows,
                            uint64_t count, struct buffer *sentence)
{
    uint64_t row = 0;

    for (size_t i = 0; i < tally->acknowledged.count; i++) {
        uint64_t element = tally->acknowledged.at[i];

        while (row < count && rows[row].key < element)
            row++;
        if (row < count && rows[row].key == element)
            continue;
        buffer_print(sentence, "element %" PRIu64 " was acknowledged, but is not there", element);
        return false;
    }
    return true;
}

static bool nothing_is_strange(const struct builtin_tally *tally, const struct builtin_row *rows,
                               uint64_t count, struct buffer *sentence)
{
    size_t acknowledged = 0, unknown = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t element = rows[i].key;

        if (is_among(tally->acknowledged.at, tally->acknowledged.count, &acknowledged, element) ||
            is_among(tally->unknown.at, tally->unknown.count, &unknown, element))
            continue;
        buffer_print(sentence, "element %" PRIu64 " is there, but nobody added it for good",
                     element);
        return false;
    }
    return true;
}

static bool holds(struct builtin_tally *tally, const struct builtin_row *rows, uint64_t count,
                  struct buffer *sentence)
{
    builtin_tally_sort(tally);
    return nothing_is_lost(tally, rows, count, sentence) &&
           nothing_is_strange(tally, rows, count, sentence);
}

static const struct builtin_behaviour behaviour = {
    .next = next,
    .tally = tally_adds,
    .holds = holds,
};

static const struct builtin_table elements = {
    .name = "elements",
    .key_column = "element",
    .value_column = "member_of",
    .sql = "CREATE TABLE elements (element bigint PRIMARY KEY, member_of bigint NOT NULL)",
};

const struct workload workload_set = {
    .name = "set",
    .description = "rows: inserts of elements, and reads of whole sets",
    .shape = SHAPE_ROWS,
    .table = &elements,
    .defaults = {
        [PARAMETER_KEYS] = "3",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "2",
        [PARAMETER_READ_PERCENT] = "20",
        BUILTIN_USUAL("uniform", "1"),
        [PARAMETER_WRITES_PER_KEY] = "100",
    },
    .invariant = "what was acknowledged is there, and what was aborted is not",
    .invariant_levels = { LEVEL_READ_UNCOMMITTED, LEVEL_READ_UNCOMMITTED },
    .behaviour = &behaviour,
};
