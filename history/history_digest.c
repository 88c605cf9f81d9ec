/*
 * What is digested is the history as its text would tell it, in that order:
 * names and values in full, never the numbers that this history happens to
 * give to keys, texts, lists, rows and sessions. Each text and list is preceded
 * by its length and each optional thing by whether it is there, so that no two
 * histories make the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

#define BLOCK_BYTES 16384

struct digest_writer {
    const struct history *h;
    struct digest_stream stream;
    size_t used;
    unsigned char bytes[BLOCK_BYTES];
};

static void flush(struct digest_writer *w)
{
    digest_add(&w->stream, w->bytes, w->used);
    w->used = 0;
}

static void put_bytes(struct digest_writer *w, const void *bytes, size_t size)
{
    if (size > BLOCK_BYTES - w->used)
        flush(w);
    if (size > BLOCK_BYTES) {
        digest_add(&w->stream, bytes, size);
    } else if (size) {
        memcpy(w->bytes + w->used, bytes, size);
        w->used += size;
    }
}

static void put_byte(struct digest_writer *w, unsigned byte)
{
    if (w->used == BLOCK_BYTES)
        flush(w);
    w->bytes[w->used++] = (unsigned char)byte;
}

/* Eight bytes, little-endian whatever the machine. */
static void put_number(struct digest_writer *w, uint64_t number)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap64(number);
#endif
    if (BLOCK_BYTES - w->used < sizeof number)
        flush(w);
    memcpy(w->bytes + w->used, &number, sizeof number);
    w->used += sizeof number;
}

/* One byte for short texts, which most are. */
static void put_text(struct digest_writer *w, struct text text)
{
    if (text.length < UINT8_MAX) {
        put_byte(w, (unsigned)text.length);
    } else {
        put_byte(w, UINT8_MAX);
        put_number(w, text.length);
    }
    put_bytes(w, text.at, text.length);
}

/* A text by its number, or that there is none. */
static void put_optional_text(struct digest_writer *w, uint32_t text)
{
    put_byte(w, text != HISTORY_NONE);
    if (text != HISTORY_NONE)
        put_text(w, history_text(w->h, text));
}

static void put_value(struct digest_writer *w, struct value value)
{
    const struct history *h = w->h;

    put_byte(w, value.kind);
    if (value.kind == VALUE_TEXT) {
        put_text(w, history_text(h, (uint32_t)value.bits));
    } else if (value.kind == VALUE_LIST) {
        put_number(w, h->list_start[value.bits + 1] - h->list_start[value.bits]);
        for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
            put_number(w, (uint64_t)h->list_element[i]);
    } else if (value.kind == VALUE_ROW) {
        uint32_t name = h->shape_start[h->row_shape[value.bits]];
        put_number(w, h->row_start[value.bits + 1] - h->row_start[value.bits]);
        for (uint64_t i = h->row_start[value.bits]; i < h->row_start[value.bits + 1]; i++) {
            put_text(w, history_text(h, h->shape_column_name[name++]));
            put_value(w, (struct value){ h->cell_kind[i], h->cell_value[i] });
        }
    } else {
        put_number(w, (uint64_t)value.bits);
    }
}

static void put_place(struct digest_writer *w, struct place place)
{
    put_byte(w, place.parts);
    for (unsigned i = 0; i < place.parts; i++)
        put_number(w, (uint64_t)place.part[i]);
}

static bool has_times(const int64_t *invoked, size_t i)
{
    return invoked && invoked[i] != TIME_ABSENT;
}

static void put_times(struct digest_writer *w, const int64_t *invoked, const int64_t *completed, size_t i)
{
    put_number(w, (uint64_t)invoked[i]);
    put_number(w, (uint64_t)completed[i]);
}

static void put_table(struct digest_writer *w, size_t t)
{
    const struct history *h = w->h;

    put_text(w, history_text(h, h->table_name[t]));
    put_number(w, h->table_column_start[t + 1] - h->table_column_start[t]);
    for (size_t c = h->table_column_start[t]; c < h->table_column_start[t + 1]; c++) {
        put_text(w, history_text(h, h->table_column_name[c]));
        put_text(w, history_text(h, h->table_column_type[c]));
    }
    put_number(w, h->table_key_start[t + 1] - h->table_key_start[t]);
    for (size_t k = h->table_key_start[t]; k < h->table_key_start[t + 1]; k++)
        put_number(w, h->table_key_column[k]);
}

static void put_header(struct digest_writer *w)
{
    const struct history *h = w->h;

    put_optional_text(w, h->workload);
    put_optional_text(w, h->producer);
    put_byte(w, (unsigned)(h->unique + 1));
    put_number(w, h->table_count);
    for (size_t t = 0; t < h->table_count; t++)
        put_table(w, t);
    put_number(w, h->initial_count);
    for (size_t i = 0; i < h->initial_count; i++) {
        put_text(w, history_key(h, h->initial_key[i]));
        put_value(w, (struct value){ h->initial_kind[i], h->initial_value[i] });
    }
}

static void put_statement(struct digest_writer *w, uint32_t s)
{
    const struct history *h = w->h;

    put_text(w, history_text(h, h->table_name[h->statement_table[s]]));
    put_optional_text(w, h->statement_where[s]);
    put_optional_text(w, h->statement_order[s]);
    put_number(w, (uint64_t)h->statement_limit[s]);
    put_byte(w, h->statement_flags[s]);
    put_number(w, h->statement_row_count[s]);
    put_number(w, h->statement_aggregate_start[s + 1] - h->statement_aggregate_start[s]);
    for (size_t a = h->statement_aggregate_start[s]; a < h->statement_aggregate_start[s + 1]; a++) {
        put_text(w, history_text(h, h->aggregate_name[a]));
        put_value(w, (struct value){ h->aggregate_kind[a], h->aggregate_value[a] });
    }
}

/* A version by its operation: these are numbered by the order of the text. */
static void put_set(struct digest_writer *w, size_t set)
{
    const struct history *h = w->h;

    put_number(w, h->set_start[set + 1] - h->set_start[set]);
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        put_text(w, history_key(h, h->set_key[i]));
        put_number(w, h->set_version[i]);
    }
}

/* How far the columns beside the operations have been read. */
struct cursor {
    size_t set, refusal;
};

/* What some operations have, as bits of one byte. */
enum { HAS_TIMES = 1, HAS_SNAPSHOT = 2, HAS_SET = 4 };

static void put_op(struct digest_writer *w, size_t op, struct cursor *at)
{
    const struct history *h = w->h;
    unsigned has = 0;

    if (has_times(h->op_invoked, op))
        has |= HAS_TIMES;
    if (h->op_snapshot_parts && h->op_snapshot_parts[op])
        has |= HAS_SNAPSHOT;
    if (at->set < h->set_count && h->set_op[at->set] == op)
        has |= HAS_SET;
    put_byte(w, h->op_kind[op]);
    put_byte(w, h->op_flags[op]);
    put_byte(w, has);
    if (op_is_head(h->op_kind[op]))
        put_statement(w, h->op_key[op]);
    else
        put_text(w, history_key(h, h->op_key[op]));
    put_value(w, history_value(h, op));
    if (has & HAS_TIMES)
        put_times(w, h->op_invoked, h->op_completed, op);
    if (has & HAS_SNAPSHOT)
        put_place(w, history_op_snapshot(h, 0, op));
    if (has & HAS_SET)
        put_set(w, at->set++);
    if ((h->op_flags[op] & OP_ERROR) && !op_is_row(h->op_kind[op]))
        put_text(w, history_text(h, h->refusal_text[at->refusal++]));
}

/* But for their origins, which are names. */
static void put_txns(struct digest_writer *w)
{
    const struct history *h = w->h;
    struct cursor at = { 0 };

    put_number(w, h->txn_count);
    for (size_t t = 0; t < h->txn_count; t++) {
        put_number(w, (uint64_t)h->txn_id[t]);
        put_number(w, (uint64_t)h->session_id[h->txn_session[t]]);
        put_byte(w, h->txn_status[t]);
        put_byte(w, has_times(h->txn_invoked, t));
        if (has_times(h->txn_invoked, t))
            put_times(w, h->txn_invoked, h->txn_completed, t);
        put_place(w, history_ts(h, t));
        put_place(w, history_txn_snapshot(h, t));
        put_number(w, h->txn_op[t + 1] - h->txn_op[t]);
        for (size_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            put_op(w, op, &at);
    }
}

static void put_orders(struct digest_writer *w)
{
    const struct history *h = w->h;

    put_number(w, h->order_count);
    for (size_t i = 0; i < h->order_count; i++) {
        put_text(w, history_key(h, h->order_key[i]));
        put_number(w, h->order_start[i + 1] - h->order_start[i]);
        for (uint64_t v = h->order_start[i]; v < h->order_start[i + 1]; v++)
            put_number(w, h->order_version[v]);
    }
}

struct digest history_digest(const struct history *h)
{
    struct digest_writer w;

    w.h = h;
    w.used = 0;
    digest_begin(&w.stream);
    digest_add(&w.stream, "ordeal history 1", 16);
    put_header(&w);
    put_txns(&w);
    put_orders(&w);
    flush(&w);
    return digest_end(&w.stream);
}
