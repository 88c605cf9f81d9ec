/*
 * directed_private: the state of a directed store, for directed.c and for who tells what its clients saw.
 *
 * All that transactions leave is stacked, so that the last one can be taken off: rows and texts are in an arena, the
 * rest in arrays of which each transaction knows where its own part begins.
 */
#ifndef PREDICT_DIRECTOR_DIRECTED_PRIVATE_H
#define PREDICT_DIRECTOR_DIRECTED_PRIVATE_H

#include "base/arena.h"
#include "predict/director/directed.h"
#include "predict/director/legality_private.h"
#include "programs/machine/machine.h"
#include "programs/machine/row_index.h"
#include "programs/machine/row_indexes.h"
#include "programs/machine/row_keys.h"
#include "programs/machine/sequences.h"

/* As in the history. `rows` and `set` are in the arrays of the store. */
struct kept_op {
    uint8_t kind; /* enum op_kind */
    uint8_t lock; /* enum row_lock */
    uint32_t table;
    struct text where;
    size_t rows, row_count; /* of a read, write or remove: the one */
    size_t set, set_count;
};

struct kept_row {
    uint32_t key;
    const struct datum *row; /* NULL: there is none */
};

struct kept_version {
    uint32_t key, writer;
};

/* The ends of the stacks. */
struct directed_marks {
    size_t arena, ops, rows, set, reads, writes, sequences, order;
};

struct executed {
    uint32_t session, position,
        previous; /* previous: that committed in its session, or LEGALITY_NOBODY */
    uint8_t end;  /* enum directed_end */
    uint64_t scanned; /* directed_scanned() */
    struct directed_marks from;
    struct directed_counts counts; /* before it */
    struct text call;              /* of the log of calls */
};

struct directed_session {
    struct machine *machine; /* opened with its first transaction */
    uint32_t count, previous;
    ARRAY(uint32_t) txns;
};

struct directed {
    struct directed_options options;
    const struct schema *schema;
    struct arena arena; /* of transactions */
    struct arena names; /* of keys: what their index looks at */
    struct directed_keys keys;
    struct row_indexes *tables;
    struct legality legality;
    struct sequences sequences;
    struct directed_session *sessions;
    struct directed_counts counts;
    ARRAY(struct executed) txns;
    ARRAY(struct kept_op) ops;
    ARRAY(struct kept_row) rows;
    ARRAY(struct kept_version) set;
    ARRAY(struct directed_seen) reads;
    ARRAY(struct kept_row) writes; /* the last of each key */
    ARRAY(uint32_t) write_keys;    /* the same, keys alone */
    ARRAY(struct sequence_state) kept_sequences;

    /* Of the transaction, or the question, at hand. */
    uint64_t round;
    const struct director *director;
    struct directed_read read;
    ARRAY(uint32_t) places;
    ARRAY(struct directed_version) candidates;
    ARRAY(const struct datum *) answer;
    uint64_t visited;
    bool has_half; /* the last operation is of rows that are to be written next */
    bool is_final; /* the final state is asked: the last version of each key, by rank */
    ARRAY(uint32_t) order, ranks;
    struct machine *judge;
    struct heap heap;
    struct buffer text, room;
};

#endif
