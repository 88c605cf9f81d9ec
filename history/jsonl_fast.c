#include "history/jsonl_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/*
 * The lines that a big history is made of are written by programs, and by ours
 * without a blank:
 *
 *     {"txn":1,"session":0,"status":"ok","ops":[{"w":"x","v":1,"at":[2,3]}],"ts":57}
 *
 * So each piece is compared with the bytes it must be, whole words at a time;
 * numbers are made of eight digits at once; keys of up to sixteen bytes are
 * found by their two words in a small cache before anybody hashes their bytes.
 * Whatever is not exactly so, or might be refused, is left to the general
 * parser, which says what is wrong and where; only a transaction as a whole is
 * refused here, one that is there twice or comes too late. No function looks
 * for the end of the line, since no byte that is asked for here is a line feed
 * or the zero of the source's slack.
 */

#define CACHE_COUNT ((size_t)1 << 13)
#define CACHED_KEY_BYTES 16

struct cached_key {
    uint64_t low, high; /* the key's bytes, then zeros */
    uint32_t length;    /* 0: free. Without it, a zero byte would pass for no byte */
    uint32_t number;
};

struct item {
    uint8_t kind;
    bool has_at;
    uint32_t key;
    struct value value;          /* of a list: where it begins in `elements` */
    uint32_t element_count;      /* of a list */
    int64_t invoked, completed;
    struct place snapshot;
};

/* A transaction until the line has turned out to be canonical. */
struct fast_txn {
    int64_t id, session;
    enum txn_status status;
    bool has_at;
    int64_t invoked, completed;
    struct place ts, snapshot;
};

struct jsonl_fast {
    ARRAY(struct item) items;
    ARRAY(int64_t) elements;
    struct cached_key cache[CACHE_COUNT];
};

enum status jsonl_fast_open(struct jsonl *reader, struct error *err)
{
    reader->fast = calloc(1, sizeof *reader->fast);
    if (!reader->fast)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a reader");
    return STATUS_OK;
}

void jsonl_fast_close(struct jsonl *reader)
{
    if (!reader->fast)
        return;
    array_close(&reader->fast->items);
    array_close(&reader->fast->elements);
    free(reader->fast);
    reader->fast = NULL;
}

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The bytes of a word that are zero, as 0x80 in the lowest of them; above it anything. */
static inline uint64_t zero_bytes(uint64_t word)
{
    return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* The value of eight digits, given as numbers from 0 to 9, the first in the lowest byte. */
static inline uint64_t eight_digits(uint64_t word)
{
    word = word * 10 + (word >> 8);
    return ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (word >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Passes the bytes if they come next. With a literal this is a compare or two. */
#define PASS(at, literal)                                                                          \
    (memcmp(*(at), literal, sizeof(literal) - 1) == 0 ? (*(at) += sizeof(literal) - 1, true)       \
                                                      : false)

static inline bool pass_digits(const char **at, uint64_t *number)
{
    static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000 };
    const char *from = *at;
    size_t length = 0, count;

    *number = 0;
    do {
        uint64_t word = hash_word(from + length) ^ EACH_BYTE('0');
        uint64_t others = (word | (word + EACH_BYTE(0x76))) & EACH_BYTE(0x80);
        count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
        if (count == 0)
            break;
        *number = *number * powers[count] + eight_digits(word << (64 - 8 * count));
        length += count;
    } while (count == 8 && length < 24);
    *at = from + length;
    return length > 0 && length <= 19 && (*from != '0' || length == 1);
}

/* The extremes are left to the general parser: as times they have a meaning. */
static inline bool pass_integer(const char **at, int64_t *number)
{
    bool is_negative = **at == '-';
    uint64_t magnitude;

    *at += is_negative;
    if (!pass_digits(at, &magnitude) || magnitude >= INT64_MAX || (is_negative && magnitude == 0))
        return false;
    *number = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static inline bool pass_times(const char **at, int64_t *invoked, int64_t *completed)
{
    if (!pass_integer(at, invoked) || !PASS(at, ","))
        return false;
    if (PASS(at, "null"))
        *completed = TIME_NEVER;
    else if (!pass_integer(at, completed) || *completed < *invoked)
        return false;
    return PASS(at, "]");
}

static bool pass_place(const char **at, struct place *place)
{
    place->parts = 0;
    if (!PASS(at, "[")) {
        place->parts = 1;
        return pass_integer(at, &place->part[0]);
    }
    do {
        if (place->parts == PLACE_PARTS_MAX || !pass_integer(at, &place->part[place->parts]))
            return false;
        place->parts++;
    } while (PASS(at, ","));
    return PASS(at, "]") && place->parts >= 2;
}

/* What a key or text may be made of, as it stands. */
static bool is_plain(struct text text)
{
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == '\\')
            return false;
    return text_is_utf8(text);
}

/* A key that the cache does not know, up to its quote. */
static enum status pass_new_key(struct jsonl *reader, const char **at, const char *end,
                                uint32_t *key, bool *passed, struct error *err)
{
    const char *quote = memchr(*at, '"', (size_t)(end - *at));
    struct text text = { *at, quote ? (size_t)(quote - *at) : 0 };

    *passed = quote && is_plain(text);
    if (!*passed)
        return STATUS_OK;
    *at = quote + 1;
    return builder_key(reader->builder, text, key, err);
}

/* The words of a key of up to sixteen bytes and its length, without its quote. */
static inline bool short_key(const char *at, uint64_t *low, uint64_t *high, size_t *length)
{
    uint64_t quotes;

    *low = hash_word(at);
    *high = 0;
    *length = 0;
    quotes = zero_bytes(*low ^ EACH_BYTE('"'));
    if (!quotes) {
        *high = hash_word(at + 8);
        *length = 8;
        quotes = zero_bytes(*high ^ EACH_BYTE('"'));
        if (!quotes)
            return false;
        quotes &= 0 - quotes;
        *high &= (quotes >> 7) - 1;
    } else {
        quotes &= 0 - quotes;
        *low &= (quotes >> 7) - 1;
    }
    *length += (size_t)__builtin_ctzll(quotes) / 8;
    return true;
}

/* Behind the opening quote. A key in the cache is known to be plain. */
static inline enum status pass_key(struct jsonl *reader, const char **at, const char *end,
                                   uint32_t *key, bool *passed, struct error *err)
{
    struct cached_key *cached;
    uint64_t low, high;
    size_t length;

    if (!short_key(*at, &low, &high, &length))
        return pass_new_key(reader, at, end, key, passed, err);
    cached = &reader->fast->cache[hash_fold(low ^ HASH_ODD_1, high ^ HASH_ODD_2) % CACHE_COUNT];
    if (cached->low == low && cached->high == high && cached->length == length && length > 0) {
        *at += length + 1;
        *key = cached->number;
        *passed = true;
        return STATUS_OK;
    }
    TRY(pass_new_key(reader, at, end, key, passed, err));
    if (*passed)
        *cached = (struct cached_key){ low, high, (uint32_t)length, *key };
    return STATUS_OK;
}

static bool pass_list(struct jsonl_fast *fast, const char **at, struct item *item,
                      struct error *err)
{
    size_t from = fast->elements.count;

    item->value = (struct value){ VALUE_LIST, (int64_t)from };
    item->element_count = 0;
    if (PASS(at, "]"))
        return true;
    do {
        int64_t element;
        if (!pass_integer(at, &element) ||
            array_push(&fast->elements, element, err) != STATUS_OK)
            return false;
    } while (PASS(at, ","));
    item->element_count = (uint32_t)(fast->elements.count - from);
    return PASS(at, "]");
}

static inline bool pass_value(struct jsonl_fast *fast, const char **at, struct item *item,
                              struct error *err)
{
    if (PASS(at, "null")) {
        item->value = value_null();
        return true;
    }
    if (PASS(at, "["))
        return pass_list(fast, at, item, err);
    item->value.kind = VALUE_INTEGER;
    return pass_integer(at, &item->value.bits);
}

/* Up to the quote that opens the key. */
static inline bool pass_kind(const char **at, uint8_t *kind)
{
    if (PASS(at, "{\"r\":\""))
        *kind = OP_READ;
    else if (PASS(at, "{\"w\":\""))
        *kind = OP_WRITE;
    else if (PASS(at, "{\"append\":\""))
        *kind = OP_APPEND;
    else if (PASS(at, "{\"d\":\""))
        *kind = OP_REMOVE;
    else
        return false;
    return true;
}

/* What the builder would refuse, or read in another way, is the general parser's. */
static inline bool is_plain_item(const struct jsonl *reader, const struct item *item)
{
    return op_may_have_value((enum op_kind)item->kind, item->value.kind) &&
           (reader->builder->table_count == 0 ||
            builder_table_of_key(reader->builder, item->key) == HISTORY_NONE);
}

/* Behind the key. */
static inline bool pass_item_fields(struct jsonl_fast *fast, const char **at, struct item *item,
                                    struct error *err)
{
    item->value = value_none();
    if (PASS(at, ",\"v\":") && !pass_value(fast, at, item, err))
        return false;
    item->has_at = PASS(at, ",\"at\":[");
    if (item->has_at && !pass_times(at, &item->invoked, &item->completed))
        return false;
    item->snapshot.parts = 0;
    if (PASS(at, ",\"snapshot\":") && !pass_place(at, &item->snapshot))
        return false;
    return PASS(at, "}");
}

/* Behind the bracket that opens the operations, up to the one that closes them. */
static enum status pass_items(struct jsonl *reader, const char **at, const char *end, bool *passed,
                              struct error *err)
{
    struct jsonl_fast *fast = reader->fast;

    fast->items.count = fast->elements.count = 0;
    *passed = PASS(at, "]");
    if (*passed)
        return STATUS_OK;
    do {
        struct item *item;

        TRY(array_reserve(&fast->items, 1, err));
        item = &fast->items.at[fast->items.count++];
        *passed = pass_kind(at, &item->kind);
        if (!*passed)
            return STATUS_OK;
        TRY(pass_key(reader, at, end, &item->key, passed, err));
        *passed = *passed && pass_item_fields(fast, at, item, err) && is_plain_item(reader, item);
        if (!*passed)
            return STATUS_OK;
    } while (PASS(at, ","));
    *passed = PASS(at, "]");
    return STATUS_OK;
}

static inline bool pass_head(const char **at, struct fast_txn *txn)
{
    if (!PASS(at, "{\"txn\":") || !pass_integer(at, &txn->id) || !PASS(at, ",\"session\":") ||
        !pass_integer(at, &txn->session) || !PASS(at, ",\"status\":\""))
        return false;
    if (PASS(at, "ok\""))
        txn->status = TXN_OK;
    else if (PASS(at, "abort\""))
        txn->status = TXN_ABORT;
    else if (PASS(at, "unknown\""))
        txn->status = TXN_UNKNOWN;
    else
        return false;
    txn->has_at = PASS(at, ",\"at\":[");
    if (txn->has_at && !pass_times(at, &txn->invoked, &txn->completed))
        return false;
    return PASS(at, ",\"ops\":[");
}

static inline bool pass_tail(const char **at, struct fast_txn *txn)
{
    txn->ts.parts = txn->snapshot.parts = 0;
    if (PASS(at, ",\"ts\":") && !pass_place(at, &txn->ts))
        return false;
    if (PASS(at, ",\"snapshot\":") && !pass_place(at, &txn->snapshot))
        return false;
    return PASS(at, "}");
}

static inline enum status add_item(struct jsonl *reader, const struct item *item,
                                   struct error *err)
{
    struct builder *builder = reader->builder;
    struct value value = item->value;

    if (value.kind == VALUE_LIST)
        TRY(builder_list(builder, reader->fast->elements.at + value.bits, item->element_count,
                         &value, err));
    TRY(builder_add_op(builder, (enum op_kind)item->kind, item->key, value, err));
    if (item->has_at)
        TRY(builder_set_op_at(builder, item->invoked, item->completed, err));
    if (item->snapshot.parts)
        TRY(builder_set_op_snapshot(builder, item->snapshot, err));
    return STATUS_OK;
}

static enum status add_txn(struct jsonl *reader, const struct fast_txn *txn, struct error *err)
{
    struct builder *builder = reader->builder;
    struct jsonl_fast *fast = reader->fast;

    TRY(builder_begin_txn(builder, txn->id, txn->session, txn->status, err));
    for (size_t i = 0; i < fast->items.count; i++)
        if (add_item(reader, &fast->items.at[i], err) != STATUS_OK)
            return error_wrap(err, "operation %zu", i + 1);
    if (txn->has_at)
        TRY(builder_set_txn_at(builder, txn->invoked, txn->completed, err));
    if (txn->ts.parts)
        TRY(builder_set_ts(builder, txn->ts, err));
    if (txn->snapshot.parts)
        TRY(builder_set_snapshot(builder, txn->snapshot, err));
    return STATUS_OK;
}

enum status jsonl_fast_txn(struct jsonl *reader, struct text line, bool *done, struct error *err)
{
    const char *at = line.at, *end = line.at + line.length;
    struct fast_txn txn;
    bool passed;

    *done = false;
    if (!pass_head(&at, &txn))
        return STATUS_OK;
    TRY(pass_items(reader, &at, end, &passed, err));
    if (!passed || !pass_tail(&at, &txn) || at != end)
        return STATUS_OK;
    *done = true;
    if (add_txn(reader, &txn, err) != STATUS_OK)
        return error_wrap(err, "transaction %" PRId64, txn.id);
    return STATUS_OK;
}
