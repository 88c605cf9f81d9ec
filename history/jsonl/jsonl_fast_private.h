/*
 * jsonl_fast: reads the most common lines of native text quickly.
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
 */
#ifndef HISTORY_JSONL_JSONL_FAST_PRIVATE_H
#define HISTORY_JSONL_JSONL_FAST_PRIVATE_H

#include "base/array.h"
#include "base/json.h"
#include "history/builder.h"
#include "history/io/source.h"

struct jsonl_set_entry {
    uint32_t key;
    struct version_name version;
};

struct jsonl_row {
    uint32_t key;
    struct value value;
};

struct jsonl_aggregate {
    uint32_t name;
    struct value value;
};

struct jsonl {
    struct source *source;
    struct builder *builder;
    struct json json;

    /* Scratch: what must be read before the builder can have it. */
    ARRAY(int64_t) elements;
    ARRAY(struct named_value) cells;
    ARRAY(struct jsonl_aggregate) aggregates;
    ARRAY(struct jsonl_row) rows;
    ARRAY(struct jsonl_set_entry) set;

    struct jsonl_fast *fast; /* NULL: no fast path */
    bool is_excerpt;         /* JSONL_EXCERPT */
};

MUST_USE enum status jsonl_fast_open(struct jsonl *, struct error *);
void jsonl_fast_close(struct jsonl *);
/* Reads a line if it is a transaction written canonically; otherwise `*done` is false. */
MUST_USE enum status jsonl_fast_txn(struct jsonl *, struct text line, bool *done, struct error *);
/* Within a version order: commas and plain numbers, as long as they come. */
MUST_USE enum status jsonl_fast_versions(struct jsonl *, struct error *);

#endif
