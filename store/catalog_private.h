/*
 * catalog: the names that a whole run agrees on: tables, keys and scopes.
 *
 * What every node would learn once and then refer to by number, as with
 * prepared statements, is numbered here for all of them: it says nothing about
 * what a store holds, so that sharing it is no short cut. Numbers rise in the
 * order in which things are first named, which is a function of the run.
 *
 *     key     one row of a table by its primary key; an item, or a list, is a
 *             row of a table (key, value) whose keys stand alone in histories
 *     shard   of a key: by the hash of its text
 *     scope   which rows of a table a predicate means: its filter, and its text
 *
 * Filters that say the same of a table are one scope. A statement is run again
 * and again with few different values, so a filter is known by its values before
 * anybody prints it; and a condition of plain comparisons of integers is asked of
 * a row's bytes without making cells of them.
 */
#ifndef STORE_CATALOG_PRIVATE_H
#define STORE_CATALOG_PRIVATE_H

#include "base/array.h"
#include "base/intern.h"
#include "programs/machine/condition.h"
#include "programs/sql/schema.h"
#include "store/row_private.h"

#define CATALOG_SHARDS_MAX 64
#define SCOPE_NONE UINT32_MAX

enum table_shape { TABLE_ROWS, TABLE_ITEMS, TABLE_LISTS };

struct catalog_key {
    uint32_t table;
    uint32_t shard;
};

/* A column of integers lies between these. */
struct scope_bound {
    uint16_t column;
    int64_t low, high;
};

struct named_scope {
    uint32_t table;
    const struct filter *filter; /* a copy; NULL: every row */
    /* If these are all that the filter says, by rising column; else NULL. */
    const struct scope_bound *bounds;
    uint32_t bound_count;
};

/* A filter that has been seen, with its scope. */
struct known_filter {
    uint64_t hash;
    const struct filter *filter;
    uint32_t scope;
};

struct catalog {
    struct arena *arena;
    const struct schema *schema;
    const enum table_shape *shapes; /* by table */
    uint32_t shard_count;
    struct intern key_texts;        /* "17", "accounts/17": number is the key's */
    ARRAY(struct catalog_key) keys;
    struct intern scope_texts;      /* table, then the where: number is the scope's */
    ARRAY(struct named_scope) scopes;
    ARRAY(struct known_filter) known;
    uint32_t *known_slots;          /* place in `known` plus one */
    size_t known_slot_count;        /* a power of two, or 0 */
    ARRAY(uint32_t) scope_keys;     /* of the last catalog_scope() */
    struct datum *cells;            /* a row of the widest table */
    struct heap heap;               /* of filters */
    struct heap arrays;             /* of the row being looked at */
    struct heap scratch;            /* of one evaluation */
    struct buffer buffer;
    bool is_short;                  /* memory ran out: the run must end */
};

/* The schema and shapes must outlive it. */
MUST_USE enum status catalog_init(struct catalog *, const struct schema *,
                                  const enum table_shape *shapes, uint32_t shard_count,
                                  struct arena *, struct error *);
void catalog_close(struct catalog *);

/* Of the row's primary key; only the key's columns are looked at. */
uint32_t catalog_key_of_row(struct catalog *, uint32_t table, const struct datum *row);
/* By the text of histories, which the caller has made: of items and of builtin rows. */
uint32_t catalog_key_of_text(struct catalog *, uint32_t table, struct text);
/* Texts hold until the catalog learns another name. */
struct text catalog_key_text(const struct catalog *, uint32_t key);
static inline uint32_t catalog_table(const struct catalog *c, uint32_t key)
{
    return c->keys.at[key].table;
}
static inline uint32_t catalog_shard(const struct catalog *c, uint32_t key)
{
    return c->keys.at[key].shard;
}
static inline uint32_t catalog_key_count(const struct catalog *c)
{
    return (uint32_t)c->keys.count;
}
uint16_t catalog_width(const struct catalog *, uint32_t table);

/*
 * What a filter reads: if it pins the primary key, the keys of all rows that it
 * can match, and SCOPE_NONE; else no keys, and the scope. Keys are in a buffer
 * of the catalog that the next call overwrites.
 */
uint32_t catalog_scope(struct catalog *, const struct filter *, const uint32_t **keys,
                       uint32_t *key_count);
/* The scope of all rows of a table. */
uint32_t catalog_whole_table(struct catalog *, uint32_t table);
static inline uint32_t catalog_scope_table(const struct catalog *c, uint32_t scope)
{
    return c->scopes.at[scope].table;
}
struct text catalog_where(const struct catalog *, uint32_t scope);
/* Whether a row (its bytes) of that table matches; a row that cannot be judged does. */
bool catalog_matches(struct catalog *, uint32_t scope, struct text row);

#endif
