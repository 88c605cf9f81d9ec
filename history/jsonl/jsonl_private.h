/*
 * jsonl_private: what the parts of the reader of native text share.
 *
 * jsonl_read.c goes through the lines; jsonl_header.c reads the first;
 * jsonl_txn.c transactions and version orders; jsonl_op.c operations;
 * jsonl_value.c what stands in them; jsonl_fast.c what was written canonically.
 * Everything reads at json.at and hands what it read to the builder.
 */
#ifndef HISTORY_JSONL_JSONL_PRIVATE_H
#define HISTORY_JSONL_JSONL_PRIVATE_H

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

/* jsonl_value.c */

/*
 * The place of a field's name in `names`, which ends in NULL, and its bit in
 * `seen`: an unknown name and one that was seen before are refused.
 */
MUST_USE enum status jsonl_know_field(struct jsonl *, struct text name, const char *const *names,
                                      unsigned *field, unsigned *seen, struct error *);
/* The place of a string in `names`. `what`: "status". */
MUST_USE enum status jsonl_choice(struct jsonl *, const char *what, const char *const *names,
                                  unsigned *choice, struct error *);
/* A value; a row object is a row of `table`, or of none with HISTORY_NONE. */
MUST_USE enum status jsonl_value(struct jsonl *, uint32_t table, struct value *, struct error *);
MUST_USE enum status jsonl_row_object(struct jsonl *, uint32_t table, struct value *,
                                      struct error *);
/* [invoked, completed or null] */
MUST_USE enum status jsonl_times(struct jsonl *, int64_t *invoked, int64_t *completed,
                                 struct error *);
MUST_USE enum status jsonl_place(struct jsonl *, struct place *, struct error *);
MUST_USE enum status jsonl_version(struct jsonl *, bool may_be_initial, struct version_name *,
                                   struct error *);

/* jsonl_header.c, jsonl_txn.c, jsonl_op.c: json.at is where the line's or operation's `{` is. */
MUST_USE enum status jsonl_header(struct jsonl *, struct error *);
MUST_USE enum status jsonl_txn(struct jsonl *, struct error *);
MUST_USE enum status jsonl_order(struct jsonl *, struct error *);
MUST_USE enum status jsonl_op(struct jsonl *, struct error *);

/* jsonl_fast.c */

MUST_USE enum status jsonl_fast_open(struct jsonl *, struct error *);
void jsonl_fast_close(struct jsonl *);
/* Reads a line if it is a transaction written canonically; otherwise `*done` is false. */
MUST_USE enum status jsonl_fast_txn(struct jsonl *, struct text line, bool *done, struct error *);
/* Within a version order: commas and plain numbers, as long as they come. */
MUST_USE enum status jsonl_fast_versions(struct jsonl *, struct error *);

#endif
