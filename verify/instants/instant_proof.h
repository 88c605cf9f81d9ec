/*
 * instant_proof: steps about instants, taken one after another until they contradict each other.
 *
 * docs/format-witness.md, "Instants", has a row for each step: what must be so, by the history and
 * what is known, and what is known then. A function here is such a row.
 */
#ifndef VERIFY_INSTANTS_INSTANT_PROOF_H
#define VERIFY_INSTANTS_INSTANT_PROOF_H

#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"

struct proof {
    struct verifier *v;
    struct known k;
    const struct proof_step *step; /* the one at hand */

    /* For the kind. */
    uint32_t counts[INSTANT_STEP_COUNT];
    bool has_update_order; /* one was laid of two who wrote a key, by what was read */
    bool is_over;          /* the last step is a contradiction in itself */
    bool is_contradicted;  /* the steps so far were one: whatever else is said follows from that */
    bool is_aborted, is_overwritten, is_future; /* some version that has the value of `unread` */
    bool has_other_writer;                      /* or one that nothing known forbids */
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
MUST_USE enum status instant_version(struct proof *, const struct witness_name *, uint32_t key,
                                     uint32_t *version, struct error *);
MUST_USE enum status instant_counting(struct proof *, const struct witness_name *, uint32_t key,
                                      uint32_t *version, struct error *);
/* An operation of one that takes part, as `[id,op]` names it. */
MUST_USE enum status instant_op(struct proof *, const struct witness_name *, uint32_t *txn,
                                uint32_t *op, struct error *);

/* What the step's `read` and `key` name: a read, or, where the row did not come of a select, a
 * look. */
MUST_USE enum status instant_reader(struct proof *, struct visible_reader *, struct error *);
/* A look, also where the row came. */
MUST_USE enum status instant_look(struct proof *, struct visible_reader *, struct error *);
/* What its transaction had written of the key before, or HISTORY_NONE. */
static inline uint32_t instant_own(const struct proof *p, const struct visible_reader *r)
{
    return lookup_own(p->v, r->txn, r->head, r->key);
}

static inline uint32_t version_txn(const struct verifier *v, uint32_t version)
{
    return v->op_txn[version];
}

/* Of verdicts that were drawn from how the database works, and when. */
MUST_USE enum status verify_instant_steps(struct verifier *, const struct witness_anomaly *,
                                          struct error *);

#endif
