#include "history/jsonl/jsonl_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "history/jsonl/jsonl_fields_private.h"

#define FLUSH_BYTES ((size_t)256 << 10)
/* What an item operation takes at most, but for its key and what may be long. */
#define ITEM_BYTES_MAX ((size_t)256)
#define VERSION_BYTES_MAX ((size_t)64)
#define VERSIONS_AHEAD 16
#define SHORT_KEY_BYTES ((size_t)16)

struct jsonl_writer {
    const struct history *h;
    struct sink *sink;
    struct buffer out;
    uint8_t *key_is_plain; /* by key: JSON needs no escape in it */
    /* By operation; NULL if no version is named. A bit says that its transaction writes
     * the key again. */
    uint32_t *txn_of_op;
    uint64_t *rewritten;
    size_t set_next, refusal_next; /* these columns are in the order of operations */
};

/* Copies the bytes of a literal; this is a store or two. */
#define PUT(to, literal) (memcpy((to), literal, sizeof(literal) - 1), (to) + sizeof(literal) - 1)

static inline void store_word(char *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, sizeof word);
}

/* The eight digits of a number below 10^8, the first in the lowest byte. */
static inline uint64_t eight_digits(uint32_t number)
{
    uint64_t fours = (uint64_t)(number / 10000) | (uint64_t)(number % 10000) << 32;
    uint64_t high = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f); /* by 100 */
    uint64_t twos = high | (fours - 100 * high) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f); /* by 10 */

    return tens | (twos - 10 * tens) << 8;
}

#define ZEROS UINT64_C(0x3030303030303030)
#define TEN_TO_8 UINT64_C(100000000)

/* Up to eight digits without leading zeros. May write, not use, eight bytes. */
static inline char *put_short(char *to, uint32_t number)
{
    uint64_t digits = eight_digits(number);
    unsigned idle = (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 56) / 8;

    store_word(to, (digits | ZEROS) >> (8 * idle));
    return to + 8 - idle;
}

static inline char *put_number(char *to, int64_t number)
{
    uint64_t rest = (uint64_t)number;

    if (number < 0) {
        *to++ = '-';
        rest = 0 - rest;
    }
    if (rest < TEN_TO_8)
        return put_short(to, (uint32_t)rest);
    if (rest >= TEN_TO_8 * TEN_TO_8) {
        to = put_short(to, (uint32_t)(rest / (TEN_TO_8 * TEN_TO_8)));
        store_word(to, eight_digits((uint32_t)(rest / TEN_TO_8 % TEN_TO_8)) | ZEROS);
        to += 8;
    } else {
        to = put_short(to, (uint32_t)(rest / TEN_TO_8));
    }
    store_word(to, eight_digits((uint32_t)(rest % TEN_TO_8)) | ZEROS);
    return to + 8;
}

static void write_number(struct jsonl_writer *w, int64_t number)
{
    buffer_int64(&w->out, number);
}

static void write_text(struct jsonl_writer *w, uint32_t text)
{
    buffer_json(&w->out, history_text(w->h, text));
}

static enum status flush(struct jsonl_writer *w, struct error *err)
{
    TRY(buffer_status(&w->out, err));
    TRY(sink_write(w->sink, w->out.at, w->out.count, err));
    buffer_clear(&w->out);
    return STATUS_OK;
}

static enum status flush_if_full(struct jsonl_writer *w, struct error *err)
{
    return w->out.count < FLUSH_BYTES ? STATUS_OK : flush(w, err);
}

static void write_list(struct jsonl_writer *w, size_t list)
{
    const struct history *h = w->h;
    uint64_t from = h->list_start[list], to = h->list_start[list + 1];
    /* Two digits' words more: put_number() stores them whole. */
    char *at = buffer_reserve(&w->out, (size_t)(to - from) * 21 + 2 + 16);

    if (!at)
        return;
    *at++ = '[';
    for (uint64_t i = from; i < to; i++) {
        if (i > from)
            *at++ = ',';
        at = put_number(at, h->list_element[i]);
    }
    *at++ = ']';
    w->out.count = (size_t)(at - w->out.at);
}

/* Anything but a row. */
static void write_plain(struct jsonl_writer *w, uint8_t kind, int64_t bits)
{
    switch (kind) {
    case VALUE_INTEGER:
        write_number(w, bits);
        break;
    case VALUE_BOOLEAN:
        buffer_text(&w->out, bits ? TEXT("true") : TEXT("false"));
        break;
    case VALUE_TEXT:
        write_text(w, (uint32_t)bits);
        break;
    case VALUE_LIST:
        write_list(w, (size_t)bits);
        break;
    default:
        assert(kind == VALUE_NULL);
        buffer_text(&w->out, TEXT("null"));
    }
}

static void write_row(struct jsonl_writer *w, size_t row)
{
    const struct history *h = w->h;
    uint64_t cell = h->row_start[row];
    uint32_t shape = h->row_shape[row];

    buffer_byte(&w->out, '{');
    for (uint32_t c = h->shape_start[shape]; c < h->shape_start[shape + 1]; c++, cell++) {
        if (c > h->shape_start[shape])
            buffer_byte(&w->out, ',');
        write_text(w, h->shape_column_name[c]);
        buffer_byte(&w->out, ':');
        write_plain(w, h->cell_kind[cell], h->cell_value[cell]);
    }
    buffer_byte(&w->out, '}');
}

static void write_value(struct jsonl_writer *w, uint8_t kind, int64_t bits)
{
    if (kind == VALUE_ROW)
        write_row(w, (size_t)bits);
    else
        write_plain(w, kind, bits);
}

static void write_place(struct jsonl_writer *w, struct place place)
{
    if (place.parts != 1)
        buffer_byte(&w->out, '[');
    for (unsigned i = 0; i < place.parts; i++) {
        if (i > 0)
            buffer_byte(&w->out, ',');
        write_number(w, place.part[i]);
    }
    if (place.parts != 1)
        buffer_byte(&w->out, ']');
}

static void write_table(struct jsonl_writer *w, size_t table)
{
    const struct history *h = w->h;
    uint32_t from = h->table_column_start[table], to = h->table_column_start[table + 1];

    write_text(w, h->table_name[table]);
    buffer_text(&w->out, TEXT(":" FIRST_FIELD(NAME_COLUMNS) "{"));
    for (uint32_t c = from; c < to; c++) {
        if (c > from)
            buffer_byte(&w->out, ',');
        write_text(w, h->table_column_name[c]);
        buffer_byte(&w->out, ':');
        write_text(w, h->table_column_type[c]);
    }
    buffer_text(&w->out, TEXT("}" FIELD(NAME_KEY) "["));
    for (uint32_t k = h->table_key_start[table]; k < h->table_key_start[table + 1]; k++) {
        if (k > h->table_key_start[table])
            buffer_byte(&w->out, ',');
        write_text(w, h->table_column_name[from + h->table_key_column[k]]);
    }
    buffer_text(&w->out, TEXT("]}"));
}

static void write_header(struct jsonl_writer *w)
{
    const struct history *h = w->h;

    buffer_text(&w->out, TEXT(FIRST_FIELD(NAME_HISTORY) "1"));
    if (h->workload != HISTORY_NONE) {
        buffer_text(&w->out, TEXT(FIELD(NAME_WORKLOAD)));
        write_text(w, h->workload);
    }
    for (size_t t = 0; t < h->table_count; t++) {
        buffer_text(&w->out, t == 0 ? TEXT(FIELD(NAME_TABLES) "{") : TEXT(","));
        write_table(w, t);
    }
    if (h->table_count > 0)
        buffer_byte(&w->out, '}');
    for (size_t i = 0; i < h->initial_count; i++) {
        buffer_text(&w->out, i == 0 ? TEXT(FIELD(NAME_INITIAL) "{") : TEXT(","));
        buffer_json(&w->out, history_key(h, h->initial_key[i]));
        buffer_byte(&w->out, ':');
        write_value(w, h->initial_kind[i], h->initial_value[i]);
    }
    if (h->initial_count > 0)
        buffer_byte(&w->out, '}');
    if (h->unique >= 0)
        buffer_text(&w->out, h->unique ? TEXT(FIELD(NAME_UNIQUE) "true") : TEXT(FIELD(NAME_UNIQUE) "false"));
    if (h->producer != HISTORY_NONE) {
        buffer_text(&w->out, TEXT(FIELD(NAME_PRODUCER)));
        write_text(w, h->producer);
    }
    buffer_text(&w->out, TEXT("}\n"));
}

static bool makes_version(const struct history *h, size_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

/* A version's name: the transaction, with the number of the write unless it is the last. */
static char *put_version(const struct jsonl_writer *w, char *to, uint32_t version)
{
    const struct history *h = w->h;
    uint32_t txn;
    int64_t nth = 0;

    if (version == VERSION_INITIAL)
        return PUT(to, "null");
    txn = w->txn_of_op[version];
    if (!(w->rewritten[version / 64] >> version % 64 & 1))
        return put_number(to, h->txn_id[txn]);
    for (uint32_t op = h->txn_op[txn]; op <= version; op++)
        nth += h->op_key[op] == h->op_key[version] && makes_version(h, op);
    *to++ = '[';
    to = put_number(to, h->txn_id[txn]);
    *to++ = ',';
    to = put_number(to, nth);
    *to++ = ']';
    return to;
}

static void write_version(struct jsonl_writer *w, uint32_t version)
{
    char *to = buffer_reserve(&w->out, VERSION_BYTES_MAX);

    if (to)
        w->out.count = (size_t)(put_version(w, to, version) - w->out.at);
}

static void write_set(struct jsonl_writer *w, size_t set)
{
    const struct history *h = w->h;

    buffer_text(&w->out, TEXT(FIELD(NAME_SET) "{"));
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        if (i > h->set_start[set])
            buffer_byte(&w->out, ',');
        buffer_json(&w->out, history_key(h, h->set_key[i]));
        buffer_byte(&w->out, ':');
        write_version(w, h->set_version[i]);
    }
    buffer_byte(&w->out, '}');
}

static struct place place_of_op(const struct history *h, size_t op)
{
    struct place place = { .parts = h->op_snapshot_parts[op] };
    const int64_t *columns[] = { h->op_snapshot, h->op_snapshot_second, h->op_snapshot_third };

    for (unsigned i = 0; i < place.parts; i++)
        place.part[i] = columns[i][op];
    return place;
}

/* What few operations have, and then last. */
static void write_op_rest(struct jsonl_writer *w, size_t op)
{
    const struct history *h = w->h;

    if (h->op_snapshot_parts && h->op_snapshot_parts[op]) {
        buffer_text(&w->out, TEXT(FIELD(NAME_SNAPSHOT)));
        write_place(w, place_of_op(h, op));
    }
    if (w->set_next < h->set_count && h->set_op[w->set_next] == op)
        write_set(w, w->set_next++);
    if (w->refusal_next < h->refusal_count && h->refusal_op[w->refusal_next] == op) {
        buffer_text(&w->out, TEXT(FIELD(NAME_ERROR)));
        write_text(w, h->refusal_text[w->refusal_next++]);
    }
}

static inline char *put_times(char *to, int64_t invoked, int64_t completed)
{
    to = PUT(to, FIELD(NAME_AT) "[");
    to = put_number(to, invoked);
    if (completed == TIME_NEVER)
        return PUT(to, ",null]");
    *to++ = ',';
    to = put_number(to, completed);
    *to++ = ']';
    return to;
}

static inline char *put_lock(char *to, uint8_t flags)
{
    if (flags & OP_LOCK_SHARE)
        to = PUT(to, FIELD(NAME_LOCK) "\"" NAME_SHARE "\"");
    else if (flags & OP_LOCK_UPDATE)
        to = PUT(to, FIELD(NAME_LOCK) "\"" NAME_UPDATE_LOCK "\"");
    return to;
}

/* What comes behind the value or the rows, and closes the operation. */
static void write_op_fields(struct jsonl_writer *w, size_t op)
{
    const struct history *h = w->h;
    char *to = buffer_reserve(&w->out, ITEM_BYTES_MAX);

    if (!to)
        return;
    to = put_lock(to, h->op_flags[op]);
    if (h->op_completed && h->op_completed[op] != TIME_ABSENT)
        to = put_times(to, h->op_invoked[op], h->op_completed[op]);
    w->out.count = (size_t)(to - w->out.at);
    write_op_rest(w, op);
    buffer_byte(&w->out, '}');
}

static inline char *put_kind(char *to, uint8_t kind)
{
    switch (kind) {
    case OP_READ:
        return PUT(to, FIRST_FIELD(NAME_READ));
    case OP_WRITE:
        return PUT(to, FIRST_FIELD(NAME_WRITE));
    case OP_APPEND:
        return PUT(to, FIRST_FIELD(NAME_APPEND));
    default:
        return PUT(to, FIRST_FIELD(NAME_REMOVE));
    }
}

/* A key that needs no escape. */
static inline char *put_plain_key(const struct history *h, char *to, uint32_t key)
{
    uint64_t from = h->key_start[key];
    size_t length = (size_t)(h->key_start[key + 1] - from);

    *to++ = '"';
    if (length <= SHORT_KEY_BYTES && from + SHORT_KEY_BYTES <= h->key_byte_count)
        memcpy(to, h->key_bytes + from, SHORT_KEY_BYTES);
    else
        memcpy(to, h->key_bytes + from, length);
    to += length;
    *to++ = '"';
    return to;
}

/* Most are written here in one piece; the rest piece by piece. */
static void write_item(struct jsonl_writer *w, size_t op)
{
    const struct history *h = w->h;
    uint32_t key = h->op_key[op];
    size_t key_length = (size_t)(h->key_start[key + 1] - h->key_start[key]);
    char *to = buffer_reserve(&w->out, ITEM_BYTES_MAX + key_length);
    uint8_t kind = h->op_value_kind[op];

    if (!to)
        return;
    to = put_kind(to, h->op_kind[op]);
    if (w->key_is_plain[key]) {
        to = put_plain_key(h, to, key);
    } else {
        w->out.count = (size_t)(to - w->out.at);
        buffer_json(&w->out, history_key(h, key));
        to = buffer_reserve(&w->out, ITEM_BYTES_MAX);
        if (!to)
            return;
    }
    if (kind == VALUE_INTEGER) {
        to = PUT(to, FIELD(NAME_V));
        to = put_number(to, h->op_value[op]);
    } else if (kind == VALUE_NULL) {
        to = PUT(to, FIELD(NAME_V) "null");
    } else if (kind != VALUE_NONE) {
        to = PUT(to, FIELD(NAME_V));
        w->out.count = (size_t)(to - w->out.at);
        write_value(w, kind, h->op_value[op]);
        write_op_fields(w, op);
        return;
    }
    w->out.count = (size_t)(to - w->out.at);
    write_op_fields(w, op);
}

/* The key without its table: what follows its first slash. */
static struct text primary_key(const struct history *h, uint32_t key)
{
    struct text text = history_key(h, key);
    const char *slash = memchr(text.at, '/', text.length);

    assert(slash);
    return (struct text){ slash + 1, text.length - (size_t)(slash + 1 - text.at) };
}

static void write_rows(struct jsonl_writer *w, size_t head, size_t count, bool is_ordered)
{
    const struct history *h = w->h;

    buffer_text(&w->out, is_ordered ? TEXT(FIELD(NAME_ROWS) "[") : TEXT(FIELD(NAME_ROWS) "{"));
    for (size_t op = head + 1; op <= head + count; op++) {
        if (op > head + 1)
            buffer_byte(&w->out, ',');
        if (is_ordered)
            buffer_byte(&w->out, '[');
        buffer_json(&w->out, primary_key(h, h->op_key[op]));
        buffer_byte(&w->out, is_ordered ? ',' : ':');
        if (h->op_kind[op] == OP_ROW_REMOVE)
            buffer_text(&w->out, TEXT("null"));
        else
            write_value(w, h->op_value_kind[op], h->op_value[op]);
        if (is_ordered)
            buffer_byte(&w->out, ']');
    }
    buffer_byte(&w->out, is_ordered ? ']' : '}');
}

static void write_aggregates(struct jsonl_writer *w, size_t statement)
{
    const struct history *h = w->h;
    uint32_t from = h->statement_aggregate_start[statement];
    uint32_t to = h->statement_aggregate_start[statement + 1];

    buffer_text(&w->out, TEXT(FIELD(NAME_VALUES) "{"));
    for (uint32_t i = from; i < to; i++) {
        if (i > from)
            buffer_byte(&w->out, ',');
        write_text(w, h->aggregate_name[i]);
        buffer_byte(&w->out, ':');
        write_value(w, h->aggregate_kind[i], h->aggregate_value[i]);
    }
    buffer_byte(&w->out, '}');
}

/* Head and rows. */
static void write_statement(struct jsonl_writer *w, size_t head)
{
    static const char *const names[] = {
        [OP_SELECT] = FIRST_FIELD(NAME_SELECT),
        [OP_INSERT] = FIRST_FIELD(NAME_INSERT),
        [OP_UPDATE] = FIRST_FIELD(NAME_UPDATE),
        [OP_DELETE] = FIRST_FIELD(NAME_DELETE),
    };
    const struct history *h = w->h;
    uint32_t s = h->op_key[head];
    uint8_t flags = h->statement_flags[s];

    buffer_text(&w->out, text_of(names[h->op_kind[head]]));
    write_text(w, h->table_name[h->statement_table[s]]);
    if (h->statement_where[s] != HISTORY_NONE) {
        buffer_text(&w->out, TEXT(FIELD(NAME_WHERE)));
        write_text(w, h->statement_where[s]);
    }
    if (h->statement_order[s] != HISTORY_NONE) {
        buffer_text(&w->out, TEXT(FIELD(NAME_ORDER)));
        write_text(w, h->statement_order[s]);
    }
    if (h->statement_limit[s] >= 0) {
        buffer_text(&w->out, TEXT(FIELD(NAME_LIMIT)));
        write_number(w, h->statement_limit[s]);
    }
    if (flags & STATEMENT_AGGREGATES)
        write_aggregates(w, s);
    else if (flags & STATEMENT_ANSWERED)
        write_rows(w, head, h->statement_row_count[s], flags & STATEMENT_ORDERED);
    write_op_fields(w, head);
}

static void write_txn_head(struct jsonl_writer *w, size_t txn)
{
    static const char *const statuses[TXN_STATUS_COUNT] = {
        [TXN_OK] = FIELD(NAME_STATUS) "\"" NAME_OK "\"",
        [TXN_ABORT] = FIELD(NAME_STATUS) "\"" NAME_ABORT "\"",
        [TXN_UNKNOWN] = FIELD(NAME_STATUS) "\"" NAME_UNKNOWN "\"",
    };
    const struct history *h = w->h;
    char *to = buffer_reserve(&w->out, ITEM_BYTES_MAX);
    size_t length = strlen(statuses[h->txn_status[txn]]);

    if (!to)
        return;
    to = PUT(to, FIRST_FIELD(NAME_TXN));
    to = put_number(to, h->txn_id[txn]);
    to = PUT(to, FIELD(NAME_SESSION));
    to = put_number(to, h->session_id[h->txn_session[txn]]);
    memcpy(to, statuses[h->txn_status[txn]], length);
    to += length;
    if (h->txn_completed && h->txn_completed[txn] != TIME_ABSENT)
        to = put_times(to, h->txn_invoked[txn], h->txn_completed[txn]);
    to = PUT(to, FIELD(NAME_OPS) "[");
    w->out.count = (size_t)(to - w->out.at);
}

static void write_txn(struct jsonl_writer *w, size_t txn)
{
    const struct history *h = w->h;
    struct place ts = history_ts(h, txn), snapshot = history_txn_snapshot(h, txn);
    struct place origin = history_origin(h, txn);

    write_txn_head(w, txn);
    for (size_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (op > h->txn_op[txn])
            buffer_byte(&w->out, ',');
        if (op_is_head(h->op_kind[op])) {
            write_statement(w, op);
            op += h->statement_row_count[h->op_key[op]];
        } else {
            write_item(w, op);
        }
    }
    buffer_byte(&w->out, ']');
    if (ts.parts) {
        buffer_text(&w->out, TEXT(FIELD(NAME_TS)));
        write_place(w, ts);
    }
    if (snapshot.parts) {
        buffer_text(&w->out, TEXT(FIELD(NAME_SNAPSHOT)));
        write_place(w, snapshot);
    }
    if (origin.parts) {
        buffer_text(&w->out, TEXT(FIELD(NAME_ORIGIN)));
        write_place(w, origin);
    }
    buffer_text(&w->out, TEXT("}\n"));
}

static enum status write_order(struct jsonl_writer *w, size_t order, struct error *err)
{
    const struct history *h = w->h;
    uint64_t end = h->order_start[order + 1];

    buffer_text(&w->out, TEXT(FIRST_FIELD(NAME_VERSION_ORDER) "{"));
    buffer_json(&w->out, history_key(h, h->order_key[order]));
    buffer_text(&w->out, TEXT(":["));
    for (uint64_t i = h->order_start[order]; i < end; i++) {
        if (i > h->order_start[order])
            buffer_byte(&w->out, ',');
        /* A key's versions are all over the history: asks for those that come soon. */
        if (i + 2 * VERSIONS_AHEAD < end) {
            __builtin_prefetch(&w->txn_of_op[h->order_version[i + 2 * VERSIONS_AHEAD]]);
            __builtin_prefetch(&h->txn_id[w->txn_of_op[h->order_version[i + VERSIONS_AHEAD]]]);
        }
        write_version(w, h->order_version[i]);
        TRY(flush_if_full(w, err));
    }
    buffer_text(&w->out, TEXT("]}}\n"));
    return flush_if_full(w, err);
}

static enum status find_plain_keys(struct jsonl_writer *w, struct error *err)
{
    const struct history *h = w->h;

    TRY(memory_resize((void **)&w->key_is_plain, h->key_count, 1, err));
    for (size_t k = 0; k < h->key_count; k++) {
        bool is_plain = true;
        for (uint64_t i = h->key_start[k]; i < h->key_start[k + 1]; i++) {
            unsigned char c = (unsigned char)h->key_bytes[i];
            is_plain = is_plain && c >= 0x20 && c != '"' && c != '\\';
        }
        w->key_is_plain[k] = is_plain;
    }
    return STATUS_OK;
}

/* Backwards through each transaction, with the last transaction that wrote each key at hand. */
static enum status prepare_names(struct jsonl_writer *w, struct error *err)
{
    const struct history *h = w->h;
    uint32_t *writer_of_key = calloc(h->key_count + 1, sizeof *writer_of_key);
    enum status status = STATUS_OK;

    w->rewritten = calloc(h->op_count / 64 + 1, sizeof *w->rewritten);
    if (!w->rewritten || !writer_of_key ||
        memory_resize((void **)&w->txn_of_op, h->op_count, sizeof *w->txn_of_op, err) !=
            STATUS_OK) {
        status = error_set(err, STATUS_OVER_LIMIT, "no memory to name versions");
        goto done;
    }
    for (size_t t = 0; t < h->txn_count; t++) {
        for (size_t op = h->txn_op[t + 1]; op-- > h->txn_op[t];) {
            w->txn_of_op[op] = (uint32_t)t;
            if (!makes_version(h, op))
                continue;
            if (writer_of_key[h->op_key[op]] == t + 1)
                w->rewritten[op / 64] |= (uint64_t)1 << op % 64;
            writer_of_key[h->op_key[op]] = (uint32_t)t + 1;
        }
    }
done:
    free(writer_of_key);
    return status;
}

static enum status write_all(struct jsonl_writer *w, const struct progress *progress, struct error *err)
{
    const struct history *h = w->h;

    TRY(find_plain_keys(w, err));
    if (h->set_count > 0 || h->order_count > 0)
        TRY(prepare_names(w, err));
    write_header(w);
    for (size_t t = 0; t < h->txn_count; t++) {
        write_txn(w, t);
        if (w->out.count >= FLUSH_BYTES) {
            progress_report(progress, t + 1, h->txn_count);
            TRY(flush(w, err));
        }
    }
    for (size_t i = 0; i < h->order_count; i++)
        TRY(write_order(w, i, err));
    TRY(flush(w, err));
    progress_report(progress, h->txn_count, h->txn_count);
    return STATUS_OK;
}

static void close_writer(struct jsonl_writer *w)
{
    buffer_close(&w->out);
    free(w->key_is_plain);
    free(w->txn_of_op);
    free(w->rewritten);
}

enum status jsonl_write(const struct history *history, struct sink *sink,
                        const struct progress *progress, struct error *err)
{
    struct jsonl_writer writer = { .h = history, .sink = sink };
    enum status status = write_all(&writer, progress, err);

    close_writer(&writer);
    return status;
}

static enum status write_some(struct jsonl_writer *w, const uint32_t *txns, size_t count,
                              struct error *err)
{
    const struct history *h = w->h;

    TRY(find_plain_keys(w, err));
    if (h->set_count > 0)
        TRY(prepare_names(w, err));
    for (size_t i = 0; i < count; i++) {
        size_t from = h->txn_op[txns[i]];

        assert(i == 0 || txns[i - 1] < txns[i]);
        while (w->set_next < h->set_count && h->set_op[w->set_next] < from)
            w->set_next++;
        while (w->refusal_next < h->refusal_count && h->refusal_op[w->refusal_next] < from)
            w->refusal_next++;
        write_txn(w, txns[i]);
    }
    return buffer_status(&w->out, err);
}

enum status jsonl_write_txns(const struct history *history, const uint32_t *txns, size_t count,
                             struct buffer *out, struct error *err)
{
    struct jsonl_writer writer = { .h = history };
    enum status status = write_some(&writer, txns, count, err);

    if (status == STATUS_OK)
        buffer_text(out, (struct text){ writer.out.at, writer.out.count });
    close_writer(&writer);
    return status;
}
