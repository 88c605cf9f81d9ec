/*
 * predicate: rows with a value column, asked for and changed by ranges of it.
 *
 *     read     r(t/k)                      SELECT ... WHERE v >= a AND v <= b
 *     write    r(t/k), then w or INSERT    UPDATE ... WHERE v >= a AND v <= b
 *     delete   DELETE ... WHERE id = k     DELETE ... WHERE v >= a AND v <= b
 *     reborn   DELETE ... WHERE id = k, r(t/k), then INSERT
 *
 * A write of a key inserts the row where it finds none, so that rows come back
 * that were deleted, by blind_percent without having looked. An update moves all the rows of its range to one new value,
 * mostly out of the range: what a predicate matches changes with every write,
 * which is what phantoms are made of. At first every other key has a row.
 */
#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"

#include <inttypes.h>
#include <stddef.h>

static enum status check(const struct builtin_options *options, struct error *err)
{
    int64_t values = builtin_option(options, PARAMETER_VALUES);
    int64_t width = builtin_option(options, PARAMETER_WIDTH);

    if (width > values)
        return error_set(err, STATUS_BAD_INPUT,
                         "width is %" PRId64 ", more than values, which is %" PRId64, width,
                         values);
    return STATUS_OK;
}

static struct builtin_request request_range(const struct builtin_txn *txn,
                                            enum builtin_request_kind kind)
{
    int64_t values = builtin_number(txn->builtin, PARAMETER_VALUES);
    int64_t width = builtin_number(txn->builtin, PARAMETER_WIDTH);
    int64_t low =
        (int64_t)builtin_below(txn, txn->step, DRAW_WHICH, (uint64_t)(values - width + 1));

    return builtin_range(kind, BUILTIN_VALUE_COLUMN, low, low + width - 1);
}

static int64_t draw_value(const struct builtin_txn *txn)
{
    uint64_t values = (uint64_t)builtin_number(txn->builtin, PARAMETER_VALUES);

    return (int64_t)builtin_below(txn, txn->step, DRAW_NUMBER, values);
}

static struct builtin_request request_delete(const struct builtin_txn *txn, bool by_range,
                                             uint64_t key)
{
    if (by_range)
        return request_range(txn, BUILTIN_DELETE);
    return builtin_range(BUILTIN_DELETE, BUILTIN_KEY_COLUMN, (int64_t)key, (int64_t)key);
}

/* Of a write of a key: how it begins. */
enum predicate_beginning { READS, WRITES_BLINDLY, DELETES };

static enum predicate_beginning beginning_of(const struct builtin_txn *txn)
{
    if (builtin_percent(txn, txn->step, DRAW_REBORN, PARAMETER_REBORN_PERCENT))
        return DELETES;
    return builtin_percent(txn, txn->step, DRAW_BLIND, PARAMETER_BLIND_PERCENT) ? WRITES_BLINDLY
                                                                                : READS;
}

/* First a read of the row, and then, by what is seen, a write of it or an insert. */
static struct builtin_request request_write(const struct builtin_txn *txn, uint64_t key)
{
    enum predicate_beginning beginning = beginning_of(txn);
    unsigned part = txn->part + (beginning != DELETES);
    struct builtin_request request;

    if (beginning == WRITES_BLINDLY)
        return builtin_write(txn, key, draw_value(txn));
    if (part == 0)
        return request_delete(txn, false, key);
    if (part == 1)
        return builtin_read(key);
    request = builtin_write(txn, key, draw_value(txn));
    request.kind = txn->saw_missing ? BUILTIN_INSERT : BUILTIN_WRITE;
    return request;
}

static struct builtin_request request_update(const struct builtin_txn *txn)
{
    struct builtin_request write = builtin_write(txn, 0, draw_value(txn));
    struct builtin_request range = request_range(txn, BUILTIN_UPDATE);

    range.value = write.value;
    range.tag = write.tag;
    return range;
}

static struct builtin_request next(const struct builtin_txn *txn)
{
    bool by_range = builtin_percent(txn, txn->step, DRAW_RANGE, PARAMETER_RANGE_PERCENT);
    uint64_t key = builtin_slot(txn, txn->step, DRAW_KEY);

    if (builtin_only_reads(txn, txn->step))
        return by_range ? request_range(txn, BUILTIN_SELECT) : builtin_read(key);
    if (builtin_percent(txn, txn->step, DRAW_DELETE, PARAMETER_DELETE_PERCENT))
        return request_delete(txn, by_range, key);
    return by_range ? request_update(txn) : request_write(txn, key);
}

/* What the operation is not over with. */
static bool has_more_parts(const struct builtin_txn *txn, const struct builtin_request *request)
{
    if (builtin_only_reads(txn, txn->step) ||
        builtin_percent(txn, txn->step, DRAW_DELETE, PARAMETER_DELETE_PERCENT))
        return false;
    return request->kind == BUILTIN_READ || request->kind == BUILTIN_DELETE;
}

static void answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    struct builtin_request request = next(txn);

    (void)rows;
    if (has_more_parts(txn, &request)) {
        txn->saw_missing = count == 0;
        builtin_end_part(txn);
    } else {
        builtin_end_step(txn);
    }
}

static void list(const struct builtin_txn *txn, struct listed *listing)
{
    struct builtin_txn at = *txn;

    for (; at.step < at.step_count; at.step++) {
        struct builtin_request request;
        struct listed_op op;

        at.part = 0;
        request = next(&at);
        op = builtin_listed_op(&request);
        if (request.kind == BUILTIN_DELETE && has_more_parts(&at, &request)) {
            listed_add(listing, op);
            at.part++;
            request = next(&at);
        }
        if (request.kind == BUILTIN_READ && has_more_parts(&at, &request)) {
            at.part++;
            request = next(&at);
            op = builtin_listed_op(&request);
            op.kind = LISTED_PUT;
        }
        listed_add(listing, op);
    }
}

static uint64_t initial_count(const struct builtin *builtin)
{
    return ((uint64_t)builtin_number(builtin, PARAMETER_KEYS) + 1) / 2;
}

/* Spread evenly over the values. */
static struct builtin_row initial(const struct builtin *builtin, uint64_t index)
{
    uint64_t values = (uint64_t)builtin_number(builtin, PARAMETER_VALUES);

    return (struct builtin_row){
        .key = index * 2,
        .value = (int64_t)(index * values / initial_count(builtin)),
    };
}

static const struct builtin_behaviour behaviour = {
    .check = check,
    .next = next,
    .answer = answer,
    .list = list,
    .initial_count = initial_count,
    .initial = initial,
};

static const struct builtin_table entries = {
    .name = "entries",
    .key_column = "id",
    .value_column = "v",
    .tag_column = "tag",
    .sql = "CREATE TABLE entries (id bigint PRIMARY KEY, v bigint NOT NULL, tag bigint NOT NULL)",
};

const struct workload workload_predicate = {
    .name = "predicate",
    .description = "rows: reads, updates, inserts and deletes by key and by ranges of a column",
    .shape = SHAPE_ROWS,
    .table = &entries,
    .defaults = {
        [PARAMETER_KEYS] = "100",
        [PARAMETER_OPERATIONS_MIN] = "1",
        [PARAMETER_OPERATIONS_MAX] = "4",
        [PARAMETER_READ_PERCENT] = "50",
        BUILTIN_USUAL("uniform", "10"),
        [PARAMETER_REPEAT_VALUES] = "0",
        [PARAMETER_RANGE_PERCENT] = "50",
        [PARAMETER_DELETE_PERCENT] = "10",
        [PARAMETER_BLIND_PERCENT] = "0",
        [PARAMETER_REBORN_PERCENT] = "0",
        [PARAMETER_VALUES] = "1000",
        [PARAMETER_WIDTH] = "50",
    },
    .behaviour = &behaviour,
};
