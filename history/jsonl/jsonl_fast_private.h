/*
 * jsonl_fast: the lines that a big history is made of, read fast.
 *
 * They are written by programs, and by ours without a blank:
 *
 *     {"txn":1,"session":0,"status":"ok","ops":[{"w":"x","v":1,"at":[2,3]}],"ts":57}
 *
 * A line is read into the scratch below first, and given to the builder when
 * all of it has turned out to be canonical and nothing in it can be refused;
 * otherwise it is left to the general parser as a whole, which says what is
 * wrong and where. Until then the builder only learns names: keys, texts and
 * lists that begin the line, numbered as the general parser would number them.
 * Only a transaction as a whole is refused here, one that is there twice or
 * comes too late.
 *
 * jsonl_fast.c reads lines and adds them; jsonl_fast_key.c finds keys,
 * jsonl_fast_row.c values, and rows by the shapes of their tables,
 * jsonl_fast_op.c operations. Functions that return a bool pass what they name,
 * as those of jsonl_scan do.
 */
#ifndef HISTORY_JSONL_JSONL_FAST_PRIVATE_H
#define HISTORY_JSONL_JSONL_FAST_PRIVATE_H

#include "history/jsonl/jsonl_private.h"
#include "history/jsonl/jsonl_scan_private.h"

#define FAST_CACHE_COUNT ((size_t)1 << 15)
#define FAST_TABLE_COUNT_MAX 256 /* more are not looked through: no line is fast then */

/* Keys of up to sixteen bytes are found by their two words before anybody hashes their bytes. */
struct cached_key {
    uint64_t low, high; /* the bytes, then zeros */
    uint32_t tag;       /* their count, and whose key they are: see tag_of(); 0: free */
    uint32_t number;
};

/* What is known of a key in a history with tables. */
struct known_key {
    int64_t integer;    /* of a row whose key is one integer: that */
    uint32_t statement; /* counted here: the last that has a row with this key */
    uint32_t row;       /* the builder's last with this key, which most reads return; or none */
};

/* Bytes to compare with, as two words, and behind them what is longer. */
struct literal {
    uint64_t low, high, low_mask, high_mask;
    size_t from, length; /* of all of it in `literals` */
};

struct fast_column {
    struct literal name; /* `{"id":` of the first, `,"v":` of the others */
    enum column_kind kind;
    bool is_key, is_numeric;
};

struct fast_table {
    struct literal name; /* `"t"` */
    uint32_t column, column_count;
    uint32_t integer_key; /* the only column of its key, if that is an integer; or none */
};

/* An operation, a statement's head, or, behind it, one of its rows: as a history has them. */
struct fast_op {
    uint8_t kind, lock;
    bool has_at, has_set;
    uint32_t key;       /* of a head: its place in `statements` */
    struct value value; /* of a row object: its place in `rows` */
    int64_t invoked, completed;
    struct place snapshot;
    size_t set, set_count; /* in `set` */
};

struct fast_statement {
    struct statement head;
    size_t row_count;
    size_t aggregate, aggregate_count;
};

struct fast_row {
    uint32_t number;     /* the builder's, if it is known already; or none, and then: */
    uint32_t table, key;
    uint64_t hash;
    size_t cell;         /* in `cells` */
};

struct jsonl_fast {
    /* Of the header, from the first line behind it on. */
    bool is_ready, is_off, has_tables;
    ARRAY(struct fast_table) tables;
    ARRAY(struct fast_column) columns;
    struct buffer literals;

    /* Of the line at hand. */
    const char *end;
    ARRAY(struct fast_op) ops;
    ARRAY(struct fast_statement) statements;
    ARRAY(struct fast_row) rows;
    ARRAY(struct value) cells;
    ARRAY(struct jsonl_aggregate) aggregates;
    ARRAY(struct jsonl_set_entry) set;

    uint32_t table_last; /* of the last statement */
    uint32_t statement_count;
    ARRAY(struct known_key) known; /* by key */
    ARRAY(int64_t) elements;
    struct buffer scratch;
    struct error ignored; /* the general parser will come upon it again */
    struct cached_key cache[FAST_CACHE_COUNT];
};

/* jsonl_fast_key.c */

#define SCOPE_WHOLE_KEY 0u /* otherwise the key within a table: its number plus one */

/* A key that the cache does not know, up to its quote. */
bool fast_pass_new_key(struct jsonl *, const char **at, uint32_t scope, uint32_t *key);
/* In a history with tables: whether the builder takes the key. Then it knows the key's table. */
bool fast_know_keys(struct jsonl *, uint32_t key);

static inline uint32_t tag_of(uint32_t scope, size_t length)
{
    return scope << 8 | (uint32_t)(length + 1);
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
        *high &= bytes_below(quotes);
    } else {
        *low &= bytes_below(quotes);
    }
    *length += (size_t)__builtin_ctzll(quotes) / 8;
    return true;
}

/* Behind the opening quote. A key in the cache is known to be plain. */
static inline bool pass_key(struct jsonl *reader, const char **at, uint32_t scope, uint32_t *key)
{
    struct cached_key *cached;
    uint64_t low, high;
    size_t length;

    if (!short_key(*at, &low, &high, &length))
        return fast_pass_new_key(reader, at, scope, key);
    cached = &reader->fast->cache[hash_fold(low ^ HASH_ODD_1, high ^ scope ^ HASH_ODD_2) %
                                  FAST_CACHE_COUNT];
    if (cached->low == low && cached->high == high && cached->tag == tag_of(scope, length)) {
        *at += length + 1;
        *key = cached->number;
        return true;
    }
    if (!fast_pass_new_key(reader, at, scope, key))
        return false;
    *cached = (struct cached_key){ low, high, tag_of(scope, length), *key };
    return true;
}

/* Whether the builder takes the key; if so, its table or HISTORY_NONE. */
static inline bool know_key(struct jsonl *reader, uint32_t key, uint32_t *table)
{
    *table = HISTORY_NONE;
    if (!reader->fast->has_tables)
        return true;
    if (key >= reader->fast->known.count && !fast_know_keys(reader, key))
        return false;
    *table = reader->builder->key_table.at[key];
    return true;
}

/* jsonl_fast_row.c */

/* Learns the header's tables. */
MUST_USE enum status fast_learn_tables(struct jsonl *, struct error *);
/* The name of a table, quotes included. */
bool fast_pass_table(struct jsonl_fast *, const char **at, uint32_t *table);
/* Anything but a row. */
bool fast_pass_plain(struct jsonl *, const char **at, struct value *);
/* A row of the table with this key: what it holds spells the key. */
bool fast_pass_row(struct jsonl *, const char **at, uint32_t table, uint32_t key, struct value *);

/* jsonl_fast_op.c: from the bracket that opens the operations to the one that closes them. */

bool fast_pass_ops(struct jsonl *, const char **at);

#endif
