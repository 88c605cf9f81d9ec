#include "predict/z3/levels_private.h"

#include <assert.h>

#include "predict/predict_private.h"

struct level_encoder {
    struct encoding *e;
    enum level level;
    uint32_t *premise; /* by two transactions c and t3; read-committed has none */
    uint32_t *forced;  /* by two transactions: c is before w, made on demand; 0 if not yet */
};

static uint32_t direct(const struct level_encoder *v, uint32_t a, uint32_t b)
{
    return *encoding_at(v->e, v->e->direct, a, b);
}

/* --- Places ------------------------------------------------------------------------------- */

/* What must be before what, if the premises hold. */
static void force(struct level_encoder *v, const uint32_t *premises, size_t count, uint32_t before,
                  uint32_t behind)
{
    struct encoding *e = v->e;
    uint32_t *forced;

    for (size_t i = 0; i < count; i++)
        if (premises[i] == CLAUSES_FALSE)
            return;
    if (behind == DATAFLOW_INITIAL) {
        clauses_implies(&e->clauses, premises, count, CLAUSES_FALSE);
        return;
    }
    if (e->earlier) {
        clauses_implies(&e->clauses, premises, count, *encoding_at(e, e->earlier, before, behind));
        return;
    }
    /* Literal 0 is that a transaction is full, and so of no pair. */
    forced = encoding_at(e, v->forced, before, behind);
    if (!*forced) {
        *forced = clauses_variable(&e->clauses);
        clauses_less(&e->clauses, *forced, e->place[before], e->place[behind]);
    }
    clauses_implies(&e->clauses, premises, count, *forced);
}

static enum status make_places(struct level_encoder *v, bool is_total, struct error *err)
{
    struct encoding *e = v->e;
    uint32_t count = e->trace->txn_count;

    PREDICT_TAKE(e->arena, e->place, count, err);
    PREDICT_TAKE(e->arena, v->forced, (size_t)count * count, err);
    PREDICT_TAKE(e->arena, v->premise, (size_t)count * count, err);
    for (uint32_t txn = 0; txn < count; txn++)
        e->place[txn] = clauses_integer(&e->clauses);
    if (!is_total)
        return STATUS_OK;
    PREDICT_TAKE(e->arena, e->earlier, (size_t)count * count, err);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            uint32_t literal = clauses_variable(&e->clauses);

            *encoding_at(e, e->earlier, a, b) = literal;
            *encoding_at(e, e->earlier, b, a) = clauses_not(literal);
            clauses_less(&e->clauses, literal, e->place[a], e->place[b]);
            clauses_less(&e->clauses, clauses_not(literal), e->place[b], e->place[a]);
        }
    return STATUS_OK;
}

static void order_direct(struct level_encoder *v)
{
    struct encoding *e = v->e;
    uint32_t count = e->trace->txn_count;

    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            uint32_t literal = direct(v, a, b);

            if (a == b)
                continue;
            if (e->earlier)
                clauses_implies(&e->clauses, &literal, 1, *encoding_at(e, e->earlier, a, b));
            else
                clauses_less(&e->clauses, literal, e->place[a], e->place[b]);
        }
}

/* --- Premises ----------------------------------------------------------------------------- */

static void premise_causal(struct level_encoder *v)
{
    struct encoding *e = v->e;
    struct clauses *f = &e->clauses;
    uint32_t count = e->trace->txn_count;

    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            *encoding_at(e, v->premise, a, b) = a == b ? CLAUSES_FALSE
                                                : direct(v, a, b) == CLAUSES_TRUE
                                                    ? CLAUSES_TRUE
                                                    : clauses_variable(f);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            uint32_t premise = *encoding_at(e, v->premise, a, b), literal;

            if (a == b || premise == CLAUSES_TRUE)
                continue;
            literal = direct(v, a, b);
            clauses_implies(f, &literal, 1, premise);
            for (uint32_t between = 0; between < count; between++)
                if (between != a && between != b)
                    clauses_implies(f,
                                    (uint32_t[]){ *encoding_at(e, v->premise, a, between),
                                                  direct(v, between, b) },
                                    2, premise);
        }
}

/* That both are left and write a key, and a is before b. What is written behind a cut counts, too. */
static uint32_t conflict(struct level_encoder *v, uint32_t a, uint32_t b)
{
    struct encoding *e = v->e;
    const struct dataflow *trace = e->trace;
    uint32_t literal = CLAUSES_FALSE;

    for (uint32_t i = trace->event_start[a]; i < trace->event_start[a + 1]; i++) {
        uint32_t other;

        if (dataflow_is_read(trace->events[i]))
            continue;
        other = dataflow_write_of(trace, b, trace->events[i].key);
        if (other == DATAFLOW_NONE)
            continue;
        if (literal == CLAUSES_FALSE)
            literal = clauses_variable(&e->clauses);
        clauses_implies(
            &e->clauses,
            (uint32_t[]){ e->included[trace->event_start[a]], e->included[trace->event_start[b]],
                          *encoding_at(e, e->earlier, a, b) },
            3, literal);
    }
    return literal;
}

/* All that stands before these, and they. */
static void premise_prefix(struct level_encoder *v)
{
    struct encoding *e = v->e;
    struct clauses *f = &e->clauses;
    uint32_t count = e->trace->txn_count;

    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            *encoding_at(e, v->premise, a, b) = a == b ? CLAUSES_FALSE : clauses_variable(f);
    for (uint32_t last = 0; last < count; last++)
        for (uint32_t reader = 0; reader < count; reader++) {
            uint32_t reasons[2];

            if (last == reader)
                continue;
            reasons[0] = direct(v, last, reader);
            reasons[1] = v->level == LEVEL_SNAPSHOT ? conflict(v, last, reader) : CLAUSES_FALSE;
            for (unsigned r = 0; r < 2; r++) {
                clauses_implies(f, &reasons[r], 1, *encoding_at(e, v->premise, last, reader));
                for (uint32_t a = 0; a < count; a++)
                    if (a != last && a != reader)
                        clauses_implies(
                            f, (uint32_t[]){ reasons[r], *encoding_at(e, e->earlier, a, last) }, 2,
                            *encoding_at(e, v->premise, a, reader));
            }
        }
}

/* --- Axioms ------------------------------------------------------------------------------- */

/* Of one read and all others that write its key. */
static void order_writers(struct level_encoder *v, uint32_t read)
{
    struct encoding *e = v->e;
    const struct dataflow *trace = e->trace;
    uint32_t key = trace->events[read].key, reader = e->txn_of[read];

    for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++) {
        uint32_t other = trace->writers[i];

        for (uint32_t c = e->choice_start[read]; c < e->choice_start[read + 1]; c++) {
            struct encoding_choice choice = e->choices[c];

            if (other == reader || choice.writer == other)
                continue;
            force(v,
                  (uint32_t[]){ choice.literal, e->included[e->write_event[i]],
                                *encoding_at(e, v->premise, other, reader) },
                  3, other, choice.writer);
        }
    }
}

/* Read-committed: whom the transaction has read from already, as it goes from read to read. */
static void order_seen_writers(struct level_encoder *v, uint32_t txn, uint32_t *seen)
{
    struct encoding *e = v->e;
    struct clauses *f = &e->clauses;
    const struct dataflow *trace = e->trace;

    for (uint32_t t = 0; t < trace->txn_count; t++)
        seen[t] = CLAUSES_FALSE;
    for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
        uint32_t key = trace->events[i].key;

        if (!dataflow_is_read(trace->events[i]))
            continue;
        for (uint32_t c = e->choice_start[i]; c < e->choice_start[i + 1]; c++)
            for (uint32_t k = trace->writer_start[key]; k < trace->writer_start[key + 1]; k++)
                if (trace->writers[k] != e->choices[c].writer && trace->writers[k] != txn)
                    force(v, (uint32_t[]){ e->choices[c].literal, seen[trace->writers[k]] }, 2,
                          trace->writers[k], e->choices[c].writer);
        for (uint32_t c = e->choice_start[i]; c < e->choice_start[i + 1]; c++) {
            uint32_t *before, now;

            if (e->choices[c].writer == DATAFLOW_INITIAL)
                continue;
            before = &seen[e->choices[c].writer];
            now = clauses_variable(f);
            clauses_implies(f, before, 1, now);
            clauses_implies(f, &e->choices[c].literal, 1, now);
            *before = now;
        }
    }
}

enum status levels_encode(struct encoding *e, enum level level, struct error *err)
{
    struct level_encoder v = { .e = e, .level = level };
    uint32_t count = e->trace->txn_count, *seen;

    TRY(make_places(&v, level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT, err));
    order_direct(&v);
    if (level == LEVEL_READ_COMMITTED) {
        PREDICT_TAKE(e->arena, seen, count, err);
        for (uint32_t txn = 0; txn < count; txn++)
            order_seen_writers(&v, txn, seen);
        return clauses_status(&e->clauses, err);
    }
    if (level == LEVEL_READ_ATOMIC)
        v.premise = e->direct;
    else if (level == LEVEL_CAUSAL)
        premise_causal(&v);
    else
        premise_prefix(&v);
    for (uint32_t read = 0; read < e->trace->event_count; read++)
        if (dataflow_is_read(e->trace->events[read]))
            order_writers(&v, read);
    return clauses_status(&e->clauses, err);
}
