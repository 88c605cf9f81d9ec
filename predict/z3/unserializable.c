#include "predict/z3/unserializable_private.h"

#include "predict/predict_private.h"

/* --- Ranked edges ------------------------------------------------------------------------- */

struct ranked {
    struct encoding *e;
    uint32_t *edge; /* by two transactions: a literal, the first is before the second in pco */
    uint32_t *step; /* likewise; by session order, a read, ww or rw */
    uint32_t *rank; /* by two transactions: an integer */
};

static uint32_t edge(const struct ranked *r, uint32_t a, uint32_t b)
{
    return *encoding_at(r->e, r->edge, a, b);
}

/* The reason holds only if the edge (a, b) is of a lower rank than the edge that it is for. */
static void rank_below(struct ranked *r, uint32_t reason, uint32_t a, uint32_t b, uint32_t rank)
{
    clauses_less(&r->e->clauses, reason, *encoding_at(r->e, r->rank, a, b), rank);
}

/* And only if there is that edge. */
static void rest_on(struct ranked *r, uint32_t reason, uint32_t a, uint32_t b, uint32_t rank)
{
    clauses_implies(&r->e->clauses, &reason, 1, edge(r, a, b));
    rank_below(r, reason, a, b, rank);
}

static enum status make_edges(struct ranked *r, struct error *err)
{
    struct encoding *e = r->e;
    uint32_t count = e->trace->txn_count;

    PREDICT_TAKE(e->arena, r->edge, (size_t)count * count, err);
    PREDICT_TAKE(e->arena, r->step, (size_t)count * count, err);
    PREDICT_TAKE(e->arena, r->rank, (size_t)count * count, err);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            uint32_t direct = *encoding_at(e, e->direct, a, b);
            bool is_constant = a == b || direct == CLAUSES_TRUE;

            *encoding_at(e, r->edge, a, b) = is_constant ? direct : clauses_variable(&e->clauses);
            *encoding_at(e, r->step, a, b) = is_constant ? direct : clauses_variable(&e->clauses);
            *encoding_at(e, r->rank, a, b) = clauses_integer(&e->clauses);
        }
    return STATUS_OK;
}

/* A variable that is true only if these are. */
static uint32_t make_reason(struct ranked *r, uint32_t first, uint32_t second)
{
    struct clauses *f = &r->e->clauses;
    uint32_t reason = clauses_variable(f);

    clauses_implies(f, &reason, 1, first);
    clauses_implies(f, &reason, 1, second);
    clauses_gather(f, reason);
    return reason;
}

/* a, which writes the key, is before some reader of b's version: a is before b. */
static void gather_ww(struct ranked *r, uint32_t a, uint32_t b)
{
    struct encoding *e = r->e;
    const struct dataflow *trace = e->trace;
    uint32_t rank = *encoding_at(e, r->rank, a, b);

    for (uint32_t w = trace->event_start[a]; w < trace->event_start[a + 1]; w++) {
        uint32_t key = trace->events[w].key;

        if (dataflow_is_read(trace->events[w]) || dataflow_write_of(trace, b, key) == DATAFLOW_NONE)
            continue;
        for (uint32_t i = e->reader_start[key]; i < e->reader_start[key + 1]; i++) {
            uint32_t read = e->readers[i], reader = e->txn_of[read];

            if (reader == a || reader == b)
                continue;
            for (uint32_t c = e->choice_start[read]; c < e->choice_start[read + 1]; c++)
                if (e->choices[c].writer == b)
                    rest_on(r, make_reason(r, e->choices[c].literal, e->included[w]), a, reader,
                            rank);
        }
    }
}

/* a reads a version before which b, which writes the key, does not stand: a is before b. */
static void gather_rw(struct ranked *r, uint32_t a, uint32_t b)
{
    struct encoding *e = r->e;
    const struct dataflow *trace = e->trace;
    uint32_t rank = *encoding_at(e, r->rank, a, b);

    for (uint32_t read = trace->event_start[a]; read < trace->event_start[a + 1]; read++) {
        uint32_t write;

        if (!dataflow_is_read(trace->events[read]))
            continue;
        write = dataflow_write_of(trace, b, trace->events[read].key);
        if (write == DATAFLOW_NONE)
            continue;
        for (uint32_t c = e->choice_start[read]; c < e->choice_start[read + 1]; c++) {
            uint32_t writer = e->choices[c].writer, reason;

            if (writer == b)
                continue;
            reason = make_reason(r, e->choices[c].literal, e->included[write]);
            if (writer != DATAFLOW_INITIAL)
                rest_on(r, reason, writer, b, rank);
        }
    }
}

/* An edge, and a step behind it. */
static void gather_longer(struct ranked *r, uint32_t a, uint32_t b)
{
    uint32_t rank = *encoding_at(r->e, r->rank, a, b);

    for (uint32_t between = 0; between < r->e->trace->txn_count; between++) {
        uint32_t reason;

        if (between == a || between == b)
            continue;
        reason = make_reason(r, edge(r, a, between), *encoding_at(r->e, r->step, between, b));
        rank_below(r, reason, a, between, rank);
        rank_below(r, reason, between, b, rank);
    }
}

/* What is gathered since the last are the reasons of this. */
static void end_reasons(struct ranked *r, uint32_t literal)
{
    clauses_gather(&r->e->clauses, clauses_not(literal));
    clauses_some_gathered(&r->e->clauses);
    clauses_forget_gathered(&r->e->clauses);
}

static void give_reasons(struct ranked *r, uint32_t a, uint32_t b)
{
    uint32_t step = *encoding_at(r->e, r->step, a, b);

    if (a == b || edge(r, a, b) == CLAUSES_TRUE)
        return;
    clauses_gather(&r->e->clauses, *encoding_at(r->e, r->e->direct, a, b));
    gather_ww(r, a, b);
    gather_rw(r, a, b);
    end_reasons(r, step);
    clauses_gather(&r->e->clauses, step);
    gather_longer(r, a, b);
    end_reasons(r, edge(r, a, b));
}

enum status unserializable_encode_ranked(struct encoding *e, struct error *err)
{
    struct ranked r = { .e = e };
    uint32_t count = e->trace->txn_count;

    TRY(make_edges(&r, err));
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            give_reasons(&r, a, b);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++)
            make_reason(&r, edge(&r, a, b), edge(&r, b, a));
    end_reasons(&r, CLAUSES_TRUE);
    return clauses_status(&e->clauses, err);
}

/* --- All orders --------------------------------------------------------------------------- */

struct for_all {
    const struct encoding *e;
    struct smt *smt;
    uint32_t *place;      /* by transaction: a term, which the quantifier binds */
    ARRAY(uint32_t) ways; /* in which an order may fail: terms */
    uint64_t literals;
};

/* That the first is not before the second. */
static enum status not_before(struct for_all *a, uint32_t first, uint32_t second, uint32_t *term,
                              struct error *err)
{
    a->literals++;
    return smt_make_term(a->smt, SMT_AT_MOST, (uint32_t[]){ a->place[second], a->place[first] },
                         term, err);
}

/* Literals of clauses and the terms, all together, are one way to fail. */
static enum status add_way(struct for_all *a, const uint32_t *literals, size_t literal_count,
                           const uint32_t *terms, size_t term_count, struct error *err)
{
    uint32_t all, next;

    TRY(smt_make_truth(a->smt, true, &all, err));
    for (size_t i = 0; i < literal_count; i++) {
        if (literals[i] == CLAUSES_FALSE)
            return STATUS_OK;
        if (literals[i] == CLAUSES_TRUE)
            continue;
        TRY(smt_make_literal(a->smt, literals[i], &next, err));
        TRY(smt_make_term(a->smt, SMT_AND, (uint32_t[]){ all, next }, &all, err));
        a->literals++;
    }
    for (size_t i = 0; i < term_count; i++)
        TRY(smt_make_term(a->smt, SMT_AND, (uint32_t[]){ all, terms[i] }, &all, err));
    return array_push(&a->ways, all, err);
}

/* A session, or a read, is against the order. */
static enum status add_edges(struct for_all *a, struct error *err)
{
    const struct encoding *e = a->e;
    uint32_t count = e->trace->txn_count, term;

    for (uint32_t w = 0; w < count; w++)
        for (uint32_t t = 0; t < count; t++) {
            uint32_t literal = *encoding_at(e, e->direct, w, t);

            if (w == t || literal == CLAUSES_FALSE)
                continue;
            TRY(not_before(a, w, t, &term, err));
            TRY(add_way(a, &literal, 1, &term, 1, err));
        }
    return STATUS_OK;
}

/* Another writer is between the read and whom it reads from. */
static enum status add_between(struct for_all *a, uint32_t read, uint32_t place, struct error *err)
{
    const struct encoding *e = a->e;
    uint32_t other = e->trace->writers[place], reader = e->txn_of[read];

    if (other == reader)
        return STATUS_OK;
    for (uint32_t c = e->choice_start[read]; c < e->choice_start[read + 1]; c++) {
        struct encoding_choice choice = e->choices[c];
        uint32_t literals[2] = { choice.literal, e->included[e->write_event[place]] }, terms[2];
        size_t count = 1;

        if (choice.writer == other)
            continue;
        TRY(not_before(a, reader, other, &terms[0], err));
        if (choice.writer != DATAFLOW_INITIAL)
            TRY(not_before(a, other, choice.writer, &terms[count++], err));
        TRY(add_way(a, literals, 2, terms, count, err));
    }
    return STATUS_OK;
}

static enum status gather_ways(struct for_all *a, struct error *err)
{
    const struct dataflow *trace = a->e->trace;

    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        TRY(smt_make_free(a->smt, false, &a->place[txn], err));
    TRY(add_edges(a, err));
    for (uint32_t read = 0; read < trace->event_count; read++) {
        uint32_t key = trace->events[read].key;

        if (dataflow_is_read(trace->events[read]))
            for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++)
                TRY(add_between(a, read, i, err));
    }
    return STATUS_OK;
}

/*
 * The paper's places are distinct. Here two that are the same fail in any way in which they would fail in one of
 * both orders, so that none is gained by it.
 */
enum status unserializable_assert_for_all(const struct encoding *e, struct smt *smt,
                                          uint64_t *literals, struct error *err)
{
    struct for_all a = { .e = e, .smt = smt };
    uint32_t term;
    enum status status;

    PREDICT_TAKE(e->arena, a.place, e->trace->txn_count, err);
    status = gather_ways(&a, err);
    if (status == STATUS_OK)
        status = smt_make_any(smt, a.ways.at, a.ways.count, &term, err);
    if (status == STATUS_OK)
        status = smt_make_for_all(smt, a.place, e->trace->txn_count, term, &term, err);
    if (status == STATUS_OK)
        status = smt_assert(smt, term, err);
    array_close(&a.ways);
    *literals += a.literals;
    return status;
}
