/*
 * instant_proof: steps about instants, taken one after another until they contradict each other.
 *
 * docs/format-witness.md, "Instants", has a row for each step: what must be so, by the history and
 * what is known, and what is known then. A function here is such a row.
 */
#ifndef VERIFY_INSTANT_PROOF_H
#define VERIFY_INSTANT_PROOF_H

#include "verify/visible.h"

struct proof {
    struct verifier *v;
    struct known k;
    const struct instant_step *step; /* the one at hand */

    /* For the kind. */
    uint32_t counts[INSTANT_STEP_COUNT];
    bool has_update_order; /* one was laid of two who wrote a key, by what was read */
    bool is_over;          /* the last step is a contradiction in itself */
    bool is_contradicted;  /* the steps so far were one: whatever else is said follows from that */
    bool is_aborted, is_overwritten, is_future; /* some version that has the value of `unread` */
    bool came_twice;                            /* the row of `row` */
    uint32_t blamed_key; /* of the last step, if it says that no version of it can have been seen */
};

/* The step cannot be true, whatever the instants are. */
static inline enum status instant_contradict(struct proof *p)
{
    p->is_contradicted = true;
    return STATUS_OK;
}

MUST_USE enum status instant_refuse(struct proof *, struct error *, const char *why);

/* A transaction that takes part. */
MUST_USE enum status instant_txn(struct proof *, int64_t id, uint32_t *txn, struct error *);
/* A version that counts, of one that takes part, or VERSION_INITIAL. */
MUST_USE enum status instant_version(struct proof *, const struct instant_name *, uint32_t key,
                                     uint32_t *version, struct error *);
MUST_USE enum status instant_counting(struct proof *, const struct instant_name *, uint32_t key,
                                      uint32_t *version, struct error *);
/* An operation of one that takes part, as `[id,op]` names it. */
MUST_USE enum status instant_op(struct proof *, const struct instant_name *, uint32_t *txn,
                                uint32_t *op, struct error *);

/* What the step's `read` and `key` name: a read, or, where the row did not come of a select, a
 * look. */
MUST_USE enum status instant_reader(struct proof *, struct reader *, struct error *);
/* A look, also where the row came. */
MUST_USE enum status instant_look(struct proof *, struct reader *, struct error *);
/* What its transaction had written of the key before, or HISTORY_NONE. */
MUST_USE enum status instant_own(struct proof *, const struct reader *, uint32_t *op,
                                 struct error *);
bool key_is_row_of(const struct verifier *, uint32_t key, uint32_t table);

/* --- instant_reads.c --- */

/* What a read, or a look, saw of the key is this version, by its number or VERSION_INITIAL. */
MUST_USE enum status instant_sees(struct proof *, const struct reader *, uint32_t version,
                                  struct error *);
MUST_USE enum status instant_reads(struct proof *, struct error *);
MUST_USE enum status instant_overwrites(struct proof *, struct error *);
MUST_USE enum status instant_installed(struct proof *, struct error *);
MUST_USE enum status instant_precedes(struct proof *, struct error *);
MUST_USE enum status instant_unread(struct proof *, struct error *);
MUST_USE enum status instant_own_read(struct proof *, struct error *);

/* --- instant_looks.c --- */

/* A statement, and what it says of a key of its table. */
struct asked {
    struct verifier *v;
    struct query query;
    uint32_t key, row; /* the operation that it came by, or HISTORY_NONE */
};

/* Refuses SQL that does not parse. To be closed if it could be opened. */
MUST_USE enum status asked_open(struct asked *, struct verifier *, const struct reader *,
                                struct error *);
void asked_close(struct asked *);
/* Another key of the same statement's table; the row that came, or HISTORY_NONE. */
void asked_of_key(struct asked *, uint32_t key, uint32_t row);
/* Whether a version, an operation or VERSION_INITIAL, matches; or agrees with the answer. */
enum match asked_match(const struct asked *, uint32_t op);
enum match asked_agrees(const struct asked *, uint32_t op);
/* Whether the answer says anything of the key. */
bool asked_tells(const struct asked *, const struct reader *);

/* One version, by its number or VERSION_INITIAL. */
MUST_USE enum status look_agrees(struct proof *, const struct reader *, uint32_t version,
                                 enum match *, struct error *);
MUST_USE enum status instant_finds(struct proof *, struct error *);
MUST_USE enum status instant_found(struct proof *, struct error *);
MUST_USE enum status instant_not_found(struct proof *, struct error *);
MUST_USE enum status instant_row(struct proof *, struct error *);

/* --- instant_locks.c --- */

MUST_USE enum status instant_locks(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_first_wins(struct proof *, bool is_last, struct error *);
MUST_USE enum status instant_structure(struct proof *, struct error *);

/* The operation of a version by its number, or VERSION_INITIAL. */
static inline uint32_t version_op(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL ? VERSION_INITIAL : v->instants->version_op[version];
}

static inline uint32_t version_txn(const struct verifier *v, uint32_t version)
{
    return v->instants->version_txn[version];
}

#endif
