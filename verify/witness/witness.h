/*
 * witness: reads the file of a witness: the evidence for a verdict.
 *
 * The grammar is docs/format-witness.md. What has been read is well formed;
 * whether anything of it is true, only verify.h knows. Texts are views of the
 * witness's own bytes.
 */
#ifndef VERIFY_WITNESS_WITNESS_H
#define VERIFY_WITNESS_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "history/anomaly.h"
#include "history/level.h"
#include "verify/basis_private.h"
#include "verify/witness/steps.h"
#include "verify/witness/workings.h"

#define WITNESS_ANOMALIES_MAX 1000 /* so that the work is bounded by the sizes of the two files */

/* `null`, `id` or `[id,n]`. */
struct witness_version {
    bool is_initial;
    int64_t txn;
    int64_t nth; /* 0: the last */
};

enum witness_edge_kind {
    EDGE_WW,
    EDGE_WR,
    EDGE_RW,
    EDGE_PREDICATE_WR,
    EDGE_PREDICATE_RW,
    EDGE_PROCESS,
    EDGE_REALTIME,
    EDGE_ORDER,
    EDGE_CO,
    EDGE_KIND_COUNT
};

/* An operation of a transaction. */
struct witness_place {
    int64_t txn, op;
};

struct witness_edge {
    enum witness_edge_kind kind;
    int64_t from, to;
    bool to_initial; /* of co: to what was there before everybody */
    /* Of data, and the key of co. */
    struct text key;
    int64_t from_op, to_op;
    struct witness_version from_version, to_version;
    /* Of co, and of ww that a list shows. */
    bool has_reader;
    struct witness_place reader;
    size_t because, because_count; /* among the anomaly's */
};

struct witness_read {
    int64_t txn, op;
    bool has_key, has_version;
    struct text key;
    struct witness_version version;
};

struct witness_writes {
    struct text key;
    struct witness_version versions[2];
    bool has_read;
    struct witness_place read;
};

enum witness_step_reason { STEP_BY_TXN, STEP_BY_SESSION, STEP_BY_TIME };

/* That one version comes before another. */
struct witness_step {
    struct witness_version from, to;
    enum witness_step_reason by;
    int64_t txns[2]; /* by a transaction: the first alone */
};

/* That a version comes before another one of its key: otherwise there is the cycle. */
struct witness_order {
    struct text key;
    struct witness_version first, second;
    size_t cycle, cycle_count; /* among the edges of the anomaly's orders */
};

struct witness_anomaly {
    enum anomaly kind;
    struct witness_numbers txns;
    enum witness_proof proof;
    ARRAY(struct witness_edge) cycle, because;
    ARRAY(struct witness_order) orders; /* that the cycle stands on */
    ARRAY(struct witness_edge) order_edges;
    struct witness_read read, reads[2];
    struct witness_writes writes;
    struct text key; /* of versions */
    ARRAY(struct witness_step) versions;
    struct witness_version totals[2]; /* transactions; or what was there initially */
    struct text steps;                /* an array, of a refutation or about instants */
};

struct witness {
    struct text history;       /* 64 hex digits */
    const struct basis *basis; /* by the checker that gave the verdict */
    enum level level;
    bool is_valid; /* the verdict */
    bool has_part; /* of the version orders: it was drawn from that alone */
    bool has_snapshots;
    struct witness_numbers order, snapshots;
    ARRAY(struct witness_place) unjudged; /* statements that the verdict says nothing of */
    struct workings workings;             /* of interval, as is all up to the anomalies */
    int64_t clock_error;
    struct witness_names instants, open;
    ARRAY(struct witness_anomaly) anomalies;

    struct json json; /* owns texts that had escapes */
};

static inline bool witness_edge_has_data(enum witness_edge_kind kind)
{
    return kind <= EDGE_PREDICATE_RW;
}

const char *witness_edge_name(enum witness_edge_kind);

/* Changes the bytes: line ends become blanks. They and some beyond them must be readable. */
MUST_USE enum status witness_read(char *bytes, size_t size, struct witness *, struct error *);
/* After witness_read(), whatever its status. */
void witness_close(struct witness *);

#endif
