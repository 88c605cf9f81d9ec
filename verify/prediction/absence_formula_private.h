/*
 * absence_formula: the clauses that say what a prediction is, and the lemmas that it is not serializable.
 *
 * docs/format-witness-prediction.md, "Base clauses" and "Lemmas". Literals are those of propagation_private.h.
 */
#ifndef VERIFY_PREDICTION_ABSENCE_FORMULA_PRIVATE_H
#define VERIFY_PREDICTION_ABSENCE_FORMULA_PRIVATE_H

#include "base/map.h"
#include "verify/prediction/absence_private.h"
#include "verify/prediction/propagation_private.h"

#define NOBODY UINT32_MAX
#define INITIAL (UINT32_MAX - 1)
#define VARIABLES_MAX (UINT32_C(1) << 25)
#define LITERALS_MAX (UINT64_C(1) << 26)
#define TXNS_MAX 4000

struct read_event {
    uint32_t txn, key, event; /* the event within the transaction */
    uint32_t observed;        /* from whom, or INITIAL */
    uint32_t cut;             /* variable; strict */
    uint32_t
        from; /* variable of the initial state; behind it those of the writers, but the reader */
};

struct write_event {
    uint32_t key, event;
};

/* Transactions and keys are numbered anew: those that take part, and those that are written. */
struct absence {
    const struct observed *o;
    const struct absence_claim *claim;
    struct absence_answer *answer;
    struct arena *arena;
    uint32_t txn_count, key_count, read_count;
    uint32_t *txn, *previous, *next;
    uint32_t *read_start, *write_start; /* by transaction, and one more */
    struct read_event *reads;
    struct write_event *writes;
    uint32_t *writer_start, *writers; /* by key, and one more */
    uint64_t *past;                   /* rows of bits: who comes before each, as observed */
    uint32_t past_words;
    uint32_t *full, *boundary, before, sees; /* variables */
    uint32_t *from_reader,
        *from_writer; /* by variable below `before`: of which read it is, or NOBODY */
    uint32_t variable_count;
    struct map ids;
    /* Until all variables are known. */
    ARRAY(uint32_t) literals;
    ARRAY(uint64_t) ends;
    ARRAY(uint32_t) clause; /* that is being made */
    struct map conflicts;   /* a from-variable and another writer: the auxiliary variable */
    uint32_t *place;        /* by transaction, in the lemma at hand */
    bool *floats;
    ARRAY(uint32_t) slots, main;
    struct propagation propagation;
};

#define REFUSE(a, err, ...)                                                                        \
    ((a)->answer->is_refused = true, error_set(err, STATUS_BAD_INPUT, __VA_ARGS__))

#define TAKE(a, field, count, err)                                                                 \
    do {                                                                                           \
        (field) = arena_push((a)->arena, (size_t)(count) + 1, sizeof *(field));                    \
        if (!(field))                                                                              \
            return error_set(err, STATUS_OVER_LIMIT, "no memory to verify a prediction");          \
    } while (0)

/* The trace, its variables and base clauses. */
MUST_USE enum status absence_formula_build(struct absence *, struct error *);
/* By `place` and `floats`. */
MUST_USE enum status absence_formula_add_lemma(struct absence *, struct error *);

static inline uint32_t absence_before(const struct absence *a, uint32_t first, uint32_t second)
{
    return a->before + first * a->txn_count + second;
}

#endif
