/*
 * distill_private: what distilling remembers on its way.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_DISTILL_PRIVATE_H
#define CHECKERS_SEARCH_POLYGRAPH_DISTILL_PRIVATE_H

#include "checkers/search/polygraph/distill.h"

enum key_kind {
    KEY_REGISTER,
    KEY_LIST,    /* only appended to, and no element twice */
    KEY_STRANGE, /* appended to and written, or elements repeat: its reads are not judged */
};

/* The last write of a key by one transaction, which may yet turn out not to matter. */
struct final {
    uint32_t txn, key, op;
    uint32_t same; /* the next with the same key and value, or NOBODY */
};

struct outside_read {
    uint32_t txn, key, op;
    uint32_t length, own_count;                /* of a list: elements of others, and of its own */
    uint32_t candidate_start, candidate_count; /* finals, in `candidates`; NOBODY: initial */
};

/* What the transaction at hand has done with a key. */
struct own {
    uint32_t stamp; /* the transaction, plus one */
    uint32_t final, read;
};

struct distiller {
    struct distilled *d;
    const struct history *history;
    const struct places *places;
    struct arena *arena;
    const atomic_bool *stop;
    bool knows_whole_order; /* what version-order lines leave out did not commit */
    uint8_t *key_kind;
    ARRAY(struct final) finals;
    ARRAY(struct outside_read) reads;
    ARRAY(uint32_t) candidates;
    struct own *own;
    uint32_t *final_of_op; /* by write: its transaction's final of the key; or NOBODY: aborted */
    uint8_t *is_read_from; /* by transaction: of unknown ones */
    uint32_t *slots;       /* of the table of values: a final plus one, or 0 */
    uint64_t slot_mask;
    struct element *elements; /* of the table of elements */
    uint64_t element_mask;
    uint32_t *shown_by; /* by append: the read that has it, plus one */
};

/* An element of a list, and the append that put it there. */
struct element {
    uint32_t key, op; /* op NOBODY: free; op VERSION_INITIAL - 1: of the initial list */
    int64_t element;
};

#define OF_INITIAL (NOBODY - 1)

static inline bool distill_counts_write(const struct history *h, uint32_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

/* The final that a version of a version order is; NOBODY: none, or the initial one. */
static inline uint32_t distill_final_at(const struct distiller *s, uint32_t op)
{
    uint32_t final = op == VERSION_INITIAL ? NOBODY : s->final_of_op[op];

    return final != NOBODY && s->finals.at[final].op == op ? final : NOBODY;
}

/* distill_values.c */
MUST_USE enum status distill_index_values(struct distiller *, struct error *);
/* The first final of the key with this value, or NOBODY. */
uint32_t distill_find_value(struct distiller *, uint32_t key, struct value);

/* distill_lists.c */
MUST_USE enum status distill_judge_keys(struct distiller *, struct error *);
/* How many of the read's elements are the transaction's own, for the one that is passed through;
 * false: they contradict it. */
bool distill_own_elements(const struct distiller *, uint32_t txn, uint32_t op, uint32_t *count);
/* The final that the list ends with, as candidate; false: there is none. */
bool distill_find_list(struct distiller *, const struct outside_read *, uint32_t *final);
/* What lists show, once versions and reads are numbered. */
MUST_USE enum status distill_show_lists(struct distiller *, const uint32_t *version_of_final,
                                        struct error *);

/* distill_order.c */
MUST_USE enum status distill_version_order(struct distiller *, const struct distill_options *,
                                           const uint32_t *version_of_final, struct error *);

#endif
