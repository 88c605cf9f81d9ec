#include "checkers/interval/traces.h"

#include "base/hash.h"

static uint64_t code_of(uint64_t kind, uint64_t bits)
{
    uint64_t code = hash_number(bits ^ hash_number(kind));

    return code == 0 ? 1 : code; /* 0 is nothing: null, no list */
}

static uint64_t text_code(const struct history *h, uint32_t number)
{
    struct text text = history_text(h, number);

    return code_of(VALUE_TEXT, hash_bytes(text.at, text.length));
}

/* The same in whatever order the columns come. */
static uint64_t row_code(const struct history *h, int64_t row)
{
    uint32_t first = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from, code = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct value cell = { (enum value_kind)h->cell_kind[from + i], h->cell_value[from + i] };

        code += hash_fold(text_code(h, h->shape_column_name[first + i]),
                          trace_value(h, cell) ^ HASH_ODD_1);
    }
    return code_of(VALUE_ROW, code);
}

static uint64_t list_code(const struct history *h, int64_t list)
{
    uint64_t end = h->list_start[list + 1];

    return end == h->list_start[list] ? 0
                                      : code_of(VALUE_LIST, (uint64_t)h->list_element[end - 1]);
}

uint64_t trace_value(const struct history *h, struct value value)
{
    switch (value.kind) {
    case VALUE_NONE:
    case VALUE_NULL:
        return 0;
    case VALUE_TEXT:
        return text_code(h, (uint32_t)value.bits);
    case VALUE_LIST:
        return list_code(h, value.bits);
    case VALUE_ROW:
        return row_code(h, value.bits);
    default:
        return code_of(value.kind, (uint64_t)value.bits);
    }
}

static uint64_t written_value(const struct history *h, uint32_t op)
{
    if (h->op_kind[op] == OP_APPEND)
        return code_of(VALUE_LIST, (uint64_t)h->op_value[op]);
    return trace_value(h, history_value(h, op));
}

/* A client sends operations and has their answers while its transaction is open. */
static bool op_is_within(const struct history *h, uint32_t op, uint32_t txn)
{
    return !h->op_invoked || h->op_invoked[op] == TIME_ABSENT ||
           (h->op_invoked[op] >= h->txn_invoked[txn] &&
            (h->op_completed[op] <= h->txn_completed[txn] || h->op_completed[op] == TIME_NEVER));
}

enum status traces_examine(const struct history *h, uint32_t txn, struct error *err)
{
    if (!h->txn_invoked || h->txn_invoked[txn] == TIME_ABSENT ||
        h->txn_completed[txn] == TIME_ABSENT)
        return error_set(err, STATUS_BAD_INPUT,
                         "interval judges by times, and transaction %lld has no \"at\"",
                         (long long)h->txn_id[txn]);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (h->txn_status[txn] == TXN_OK && !op_is_within(h, op, txn))
            return error_set(err, STATUS_BAD_INPUT,
                             "interval judges by times, and an operation of transaction %lld is "
                             "not within the transaction's",
                             (long long)h->txn_id[txn]);
    return STATUS_OK;
}

/* The times of an operation, or of its transaction where nobody wrote them down. */
static void set_times(const struct history *h, uint32_t txn, uint32_t op, struct trace_op *at)
{
    at->invoked = h->op_invoked && h->op_invoked[op] != TIME_ABSENT ? h->op_invoked[op]
                                                                   : h->txn_invoked[txn];
    at->completed = h->op_completed && h->op_completed[op] != TIME_ABSENT
                        ? h->op_completed[op]
                        : h->txn_completed[txn];
}

enum status traces_make(struct traces *t, uint32_t txn, struct trace *trace, struct error *err)
{
    const struct history *h = t->history;
    struct trace_op at = { 0 };

    t->ops.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (!op_is_row(kind)) {
            set_times(h, txn, op, &at);
            at.op = op;
            at.is_locking = h->op_flags[op] & (OP_LOCK_SHARE | OP_LOCK_UPDATE);
        }
        if (op_is_head(kind) || h->op_flags[op] & OP_ERROR ||
            (op_is_read(kind) && h->op_value_kind[op] == VALUE_NONE))
            continue;
        at.key = t->key_of ? t->key_of[h->op_key[op]] : h->op_key[op];
        at.kind = op_is_write(kind) ? TRACE_WRITE : TRACE_READ;
        at.value = op_is_write(kind) ? written_value(h, op) : trace_value(h, history_value(h, op));
        TRY(array_push(&t->ops, at, err));
    }
    *trace = (struct trace){ .id = h->txn_id[txn],
                             .invoked = h->txn_invoked[txn],
                             .completed = h->txn_completed[txn],
                             .number = txn,
                             .status = h->txn_status[txn],
                             .ops = t->ops.at,
                             .op_count = t->ops.count };
    return STATUS_OK;
}

enum status traces_initial(const struct traces *t, struct mirror *m, struct error *err)
{
    const struct history *h = t->history;

    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { (enum value_kind)h->initial_kind[i], h->initial_value[i] };
        uint32_t key = h->initial_key[i];

        TRY(mirror_initial(m, t->key_of ? t->key_of[key] : key, trace_value(h, value), err));
    }
    return STATUS_OK;
}
