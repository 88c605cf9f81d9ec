/*
 * Reads and writes dbcop's binary histories: Rust's bincode, little-endian, 64 bits a number.
 *
 *     id  sessions  keys  transactions  events  info  start  end
 *     number of sessions
 *       number of transactions
 *         number of events
 *           is-write (a byte)  key  value  success (a byte)
 *         success (a byte)
 *
 * Strings are a length and its bytes. Every key begins with 0. Events and transactions
 * without success had no effect: they are dropped, as dbcop does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/foreign_private.h"
#include "history/foreign/writes_private.h"

#define HEADER_NUMBERS 5
#define HEADER_STRINGS 3
#define STRING_BYTES_MAX ((uint64_t)1 << 20)

/* Bytes that are taken one after another; what is beyond the end is missed, not read. */
struct bytes {
    const char *at;
    size_t size, taken;
    bool is_short;
};

static uint64_t take(struct bytes *b, size_t size)
{
    uint64_t number = 0;

    if (b->size - b->taken < size) {
        b->is_short = true;
        b->taken = b->size;
        return 0;
    }
    for (size_t i = size; i-- > 0;)
        number = number << 8 | (uint8_t)b->at[b->taken + i];
    b->taken += size;
    return number;
}

static void skip_string(struct bytes *b)
{
    uint64_t length = take(b, 8);

    if (length > b->size - b->taken) {
        b->is_short = true;
        length = b->size - b->taken;
    }
    b->taken += length;
}

/* The header makes sense: counts that belong together, and texts. */
static bool is_it(struct text beginning)
{
    struct bytes b = { .at = beginning.at, .size = beginning.length };
    uint64_t numbers[HEADER_NUMBERS], sessions;

    for (int i = 0; i < HEADER_NUMBERS; i++)
        numbers[i] = take(&b, 8);
    for (int i = 0; i < HEADER_STRINGS; i++) {
        struct bytes before = b;
        uint64_t length = take(&before, 8);

        if (length > STRING_BYTES_MAX || length > before.size - before.taken ||
            !text_is_utf8((struct text){ before.at + before.taken, length }))
            return false;
        skip_string(&b);
    }
    sessions = take(&b, 8);
    return !b.is_short && sessions == numbers[1] && numbers[1] < UINT32_MAX &&
           numbers[2] < UINT32_MAX && numbers[3] < UINT32_MAX && numbers[4] < UINT32_MAX;
}

static enum status refuse(const struct bytes *b, const struct source *source, const char *what,
                          struct error *err)
{
    error_set_file(err, source->name);
    err->offset = b->taken;
    return error_set(err, STATUS_BAD_INPUT, "%s", what);
}

static enum status take_flag(struct bytes *b, const struct source *source, bool *flag,
                             struct error *err)
{
    uint64_t byte = take(b, 1);

    *flag = byte != 0;
    return b->is_short ? refuse(b, source, "the file ends within a transaction", err)
           : byte > 1  ? refuse(b, source, "a byte that says yes or no is neither 0 nor 1", err)
                       : STATUS_OK;
}

static enum status take_txn(struct foreign_draft *d, struct bytes *b, const struct source *source,
                            int64_t id, int64_t session, struct error *err)
{
    uint64_t events = take(b, 8);
    size_t first = d->ops.count;
    uint32_t txn;
    bool succeeded;

    TRY(draft_add_txn(d, id, session, 0, &txn, err));
    for (uint64_t i = 0; i < events; i++) {
        bool is_write, happened;
        int64_t key, value;

        TRY(take_flag(b, source, &is_write, err));
        key = (int64_t)take(b, 8);
        value = (int64_t)take(b, 8);
        TRY(take_flag(b, source, &happened, err));
        if (key < 0 || value < 0)
            return refuse(b, source, "a key or value is larger than 2^63 - 1", err);
        if (happened)
            TRY(draft_add_numbered(d, txn, is_write ? OP_WRITE : OP_READ, key, value_integer(value),
                                   err));
    }
    TRY(take_flag(b, source, &succeeded, err));
    if (!succeeded) {
        d->ops.count = first;
        d->txns.count--;
    }
    return STATUS_OK;
}

static enum status take_all(struct foreign_draft *d, struct bytes *b, const struct source *source,
                            struct error *err)
{
    uint64_t sessions;
    int64_t id = 0;

    for (int i = 0; i < HEADER_NUMBERS; i++)
        (void)take(b, 8);
    for (int i = 0; i < HEADER_STRINGS; i++)
        skip_string(b);
    sessions = take(b, 8);
    if (b->is_short)
        return refuse(b, source, "the file ends within its header", err);
    for (uint64_t s = 0; s < sessions; s++) {
        uint64_t txns = take(b, 8);

        if (b->is_short)
            return refuse(b, source, "the file ends before its last session", err);
        for (uint64_t t = 0; t < txns; t++)
            TRY(take_txn(d, b, source, id++, (int64_t)s, err));
    }
    return b->taken == b->size ? STATUS_OK
                               : refuse(b, source, "the file goes on behind its last session", err);
}

static enum status read_dbcop(struct source *source, struct history *history, struct error *err)
{
    struct bytes b = { 0 };
    struct foreign_draft draft;
    char *bytes = NULL;
    enum status status = source_take_rest(source, &bytes, &b.size, err);

    b.at = bytes;
    draft_init(&draft);
    draft.initial = value_integer(0);
    if (status == STATUS_OK)
        status = take_all(&draft, &b, source, err);
    if (status == STATUS_OK)
        status = draft_finish(&draft, "dbcop", history, err);
    draft_close(&draft);
    free(bytes);
    return status;
}

/* --- Writing ---------------------------------------------------------------------- */

static bool is_carried(const struct history *h, uint32_t txn, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR) && h->op_value_kind[op] != VALUE_NONE &&
           (h->op_kind[op] != OP_READ || h->txn_status[txn] == TXN_OK);
}

static enum status examine_op(const struct history *h, uint32_t op, struct error *err)
{
    struct value value = history_value(h, op);
    bool is_null_read = h->op_kind[op] == OP_READ && value.kind == VALUE_NULL;

    if (h->op_kind[op] != OP_READ && h->op_kind[op] != OP_WRITE)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has reads and writes alone, no appends and no deletes");
    if (!is_null_read && (value.kind != VALUE_INTEGER || value.bits < 0))
        return error_set(err, STATUS_BAD_INPUT, "values of this format are numbers from 0");
    if (h->op_kind[op] == OP_WRITE && value.bits == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "0 is the initial value of this format: nobody may write it");
    return STATUS_OK;
}

/* Transactions and sessions are known by their places, one session after another. */
static enum status examine_ids(const struct history *h, uint32_t *losses, struct error *err)
{
    struct by_session by = { .start = NULL };
    struct writes writes;
    enum status status = writes_init(&writes, h, err);

    if (status == STATUS_OK)
        status = foreign_by_session(&by, h, writes.has_txn, err);
    for (uint32_t s = 0; s < h->session_count && status == STATUS_OK; s++) {
        if (h->session_id[s] != s)
            *losses |= 1u << LOSS_IDS;
        for (uint32_t i = by.start[s]; i < by.start[s + 1]; i++)
            if (h->txn_id[by.txns[i]] != i)
                *losses |= 1u << LOSS_IDS;
    }
    foreign_by_session_close(&by);
    writes_close(&writes);
    return status;
}

static enum status examine(const struct history *h, uint32_t *losses, struct error *err)
{
    TRY(foreign_examine(h, losses, err));
    TRY(foreign_examine_zeros(h, losses, err));
    (void)foreign_key_numbers(h, 0, losses);
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (h->txn_status[t] == TXN_ABORT)
            *losses |= 1u << LOSS_ABORTED;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (h->txn_status[t] != TXN_ABORT && is_carried(h, t, op))
                TRY(examine_op(h, op, err));
    }
    return examine_ids(h, losses, err);
}

static void put(struct buffer *out, uint64_t number)
{
    for (int i = 0; i < 8; i++, number >>= 8)
        buffer_byte(out, (char)(number & 0xff));
}

static uint64_t count_carried(const struct history *h, uint32_t txn)
{
    uint64_t count = 0;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        count += is_carried(h, txn, op);
    return count;
}

static void put_txn(const struct history *h, struct key_numbers keys, uint32_t txn,
                    struct buffer *out)
{
    put(out, count_carried(h, txn));
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (!is_carried(h, txn, op))
            continue;
        buffer_byte(out, h->op_kind[op] == OP_WRITE);
        put(out, (uint64_t)foreign_key_number(keys, h, h->op_key[op]));
        put(out, (uint64_t)history_value(h, op).bits); /* of null: 0 */
        buffer_byte(out, 1);
    }
    buffer_byte(out, 1);
}

static void put_header(const struct history *h, const struct by_session *by, struct buffer *out)
{
    uint64_t ops = 0, txns = by->start[h->session_count];

    for (uint64_t i = 0; i < txns; i++)
        ops += count_carried(h, by->txns[i]);
    put(out, 0);
    put(out, h->session_count);
    put(out, h->key_count);
    put(out, txns);
    put(out, ops);
    for (int i = 0; i < HEADER_STRINGS; i++)
        put(out, 0);
    put(out, h->session_count);
}

static enum status put_sessions(const struct history *h, const struct by_session *by,
                                struct sink *sink, struct buffer *out, struct error *err)
{
    uint32_t losses = 0;
    struct key_numbers keys = foreign_key_numbers(h, 0, &losses);

    put_header(h, by, out);
    for (uint32_t s = 0; s < h->session_count; s++) {
        put(out, by->start[s + 1] - by->start[s]);
        for (uint32_t i = by->start[s]; i < by->start[s + 1]; i++) {
            put_txn(h, keys, by->txns[i], out);
            TRY(foreign_flush(out, sink, false, err));
        }
    }
    return foreign_flush(out, sink, true, err);
}

static enum status write_dbcop(const struct history *h, struct sink *sink, struct error *err)
{
    struct buffer out = { 0 };
    struct by_session by = { .start = NULL };
    struct writes writes;
    enum status status = writes_init(&writes, h, err);

    if (status == STATUS_OK)
        status = foreign_by_session(&by, h, writes.has_txn, err);
    if (status == STATUS_OK)
        status = put_sessions(h, &by, sink, &out, err);
    foreign_by_session_close(&by);
    writes_close(&writes);
    buffer_close(&out);
    return status;
}

const struct foreign foreign_dbcop = {
    .is_it = is_it, .read = read_dbcop, .examine = examine, .write = write_dbcop
};
