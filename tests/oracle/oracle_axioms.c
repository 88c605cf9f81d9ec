/*
 * Biswas and Enea's levels, word by word.
 *
 * A history satisfies a level if there is a total order of its transactions,
 * `co`, that contains session order `so` and "is read by" `wr`, such that for
 * every read r of x in t3 from t1, and every other t2 that writes x:
 *
 *     premise(t2, r)  implies  t2 before t1
 *
 *     read committed    t2 was read by t3 before r
 *     read atomic       t2 (so or wr) t3
 *     causal            t2 (so or wr)+ t3
 *     prefix            t2 =co t4 or t2 co t4, and t4 (so or wr) t3
 *     snapshot          prefix; or t2 =co t4 or t2 co t4, t4 co t3, and both write a key
 *     serializable      t2 co t3
 *
 * and, in the same words, Cerone and Gotsman's levels without a prefix, and the session
 * guarantees (Terry and others, 1994), of transactions instead of operations:
 *
 *     monotonic atomic view       read committed, without so
 *     update atomic               t2 wr t3; or t2 co t3, and both write a key; without so
 *     parallel snapshot           t2 (so or wr or ww)+ t3; a ww b: a co b, and both write a key
 *     read your writes            t2 so t3
 *     monotonic reads             t2 was read by t', and t' so t3; or by t3 before r
 *     monotonic writes            t2 so t4, and t3 reads from t4
 *     writes follow reads         t2 was read by t', t' so t4, and t3 reads from t4; or t2 was read
 *                                 by t4 before it wrote what t3 reads from it
 *     pram                        read your writes, monotonic reads, monotonic writes
 *
 * What was there in the beginning was written before everything. Every premise
 * puts t2 before t3, and wr puts t1 before t3: so when transactions are placed
 * one behind the other, all that speaks of t3 as a reader can be chosen and
 * judged at the moment it is placed.
 *
 * A predicate read reads every key of its table, each from some writer, and the
 * answer must be that of the values read. A transaction's reads of what it
 * wrote itself take no part. Under a strict level real time stands for `so`.
 */
#include "tests/oracle/oracle_private.h"

#include <assert.h>
#include <string.h>

#define SLOTS_MAX (ORACLE_STEPS_OF_MODEL_MAX + ORACLE_QUERIES_MAX * ORACLE_KEYS_MAX)

/* What has been placed so far. */
struct axioms {
    struct oracle_search *search;
    unsigned placed_count;
    uint32_t placed;
    unsigned position[ORACLE_TXNS_MAX];
    uint32_t direct[ORACLE_TXNS_MAX]; /* so or wr */
    uint32_t past[ORACLE_TXNS_MAX];   /* (so or wr)+; with ww at parallel-snapshot-isolation */
    uint32_t read[ORACLE_TXNS_MAX];   /* whom it read from */
    uint32_t read_before[ORACLE_TXNS_MAX][ORACLE_KEYS_MAX]; /* before it last wrote the key */
    uint32_t version[ORACLE_TXNS_MAX][ORACLE_KEYS_MAX];
    struct oracle_state latest; /* as the last transaction placed leaves it */
};

/* A read of one key from another transaction. */
struct slot {
    unsigned step, key;
    int writer;
};

/* The transaction that is being placed, and its reads. */
struct reader {
    unsigned txn, slot_count;
    struct slot slots[SLOTS_MAX];
    struct oracle_state seen[ORACLE_QUERIES_MAX]; /* what its queries read, by query */
};

static bool place_next(struct axioms *);

static uint32_t so_before(const struct oracle_search *s, unsigned txn)
{
    bool strict = s->level == LEVEL_STRICT_SNAPSHOT || s->level == LEVEL_STRICT_SERIALIZABLE;
    const struct oracle_txn *t = &s->model->txns[txn];

    if (s->level == LEVEL_MONOTONIC_ATOMIC_VIEW || s->level == LEVEL_UPDATE_ATOMIC)
        return 0;
    return s->txns & (strict ? t->time_before : t->session_before);
}

/* Version orders that the certificate gives are part of co. */
static uint32_t listed_before(const struct oracle_search *s, unsigned txn)
{
    const struct oracle_model *m = s->model;
    uint32_t before = 0;

    for (unsigned k = 0; s->certified && k < m->key_count; k++)
        for (unsigned i = 0; i < m->order_count[k]; i++)
            if (m->order[k][i] == txn)
                for (unsigned j = 0; j < i; j++)
                    before |= bit(m->order[k][j]);
    return before & s->txns;
}

/* --- The axioms -------------------------------------------------------------- */

/* Whether t2 is, or comes before, one of these transactions. */
static bool reaches(const struct axioms *a, unsigned t2, uint32_t txns)
{
    for (unsigned t4 = 0; t4 < a->search->model->txn_count; t4++)
        if ((txns & bit(t4)) && a->position[t2] <= a->position[t4])
            return true;
    return false;
}

static bool was_read_before(const struct reader *t3, unsigned t2, const struct slot *r)
{
    for (unsigned i = 0; i < t3->slot_count; i++)
        if (t3->slots[i].step < r->step && t3->slots[i].writer == (int)t2)
            return true;
    return false;
}

static uint32_t placed_in_conflict(const struct axioms *a, unsigned txn)
{
    const struct oracle_model *m = a->search->model;
    uint32_t conflicting = 0;

    for (unsigned t = 0; t < m->txn_count; t++)
        if ((a->placed & bit(t)) && (m->txns[t].writes & m->txns[txn].writes))
            conflicting |= bit(t);
    return conflicting;
}

/* What somebody of the session had read before this transaction. */
static uint32_t read_in_session(const struct axioms *a, unsigned txn)
{
    uint32_t before = so_before(a->search, txn), read = 0;

    for (unsigned t = 0; t < a->search->model->txn_count; t++)
        if (before & bit(t))
            read |= a->read[t];
    return read;
}

static bool misses_writes(const struct axioms *a, const struct reader *t3, unsigned t2)
{
    for (unsigned i = 0; i < t3->slot_count; i++)
        if (t3->slots[i].writer >= 0 &&
            (so_before(a->search, (unsigned)t3->slots[i].writer) & bit(t2)))
            return true;
    return false;
}

static bool misses_reads(const struct axioms *a, const struct reader *t3, unsigned t2)
{
    for (unsigned i = 0; i < t3->slot_count; i++) {
        int t4 = t3->slots[i].writer;

        if (t4 >= 0 &&
            ((read_in_session(a, (unsigned)t4) | a->read_before[t4][t3->slots[i].key]) & bit(t2)))
            return true;
    }
    return false;
}

static bool guarantee(const struct axioms *a, enum level level, const struct reader *t3,
                      unsigned t2, const struct slot *r)
{
    switch (level) {
    case LEVEL_READ_YOUR_WRITES:
        return so_before(a->search, t3->txn) & bit(t2);
    case LEVEL_MONOTONIC_READS:
        return (read_in_session(a, t3->txn) & bit(t2)) || was_read_before(t3, t2, r);
    case LEVEL_MONOTONIC_WRITES:
        return misses_writes(a, t3, t2);
    case LEVEL_WRITES_FOLLOW_READS:
        return misses_reads(a, t3, t2);
    default:
        assert(level == LEVEL_PRAM);
        return guarantee(a, LEVEL_READ_YOUR_WRITES, t3, t2, r) ||
               guarantee(a, LEVEL_MONOTONIC_READS, t3, t2, r) ||
               guarantee(a, LEVEL_MONOTONIC_WRITES, t3, t2, r);
    }
}

static bool premise(const struct axioms *a, const struct reader *t3, unsigned t2,
                    const struct slot *r)
{
    switch (a->search->level) {
    case LEVEL_READ_COMMITTED:
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return was_read_before(t3, t2, r);
    case LEVEL_READ_ATOMIC:
        return a->direct[t3->txn] & bit(t2);
    case LEVEL_UPDATE_ATOMIC:
        return (a->direct[t3->txn] | placed_in_conflict(a, t3->txn)) & bit(t2);
    case LEVEL_CAUSAL:
    case LEVEL_PARALLEL_SNAPSHOT:
        return a->past[t3->txn] & bit(t2);
    case LEVEL_PREFIX:
        return reaches(a, t2, a->direct[t3->txn]);
    case LEVEL_SNAPSHOT:
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_STRICT_SNAPSHOT:
        return reaches(a, t2, a->direct[t3->txn] | placed_in_conflict(a, t3->txn));
    case LEVEL_READ_YOUR_WRITES:
    case LEVEL_MONOTONIC_READS:
    case LEVEL_MONOTONIC_WRITES:
    case LEVEL_WRITES_FOLLOW_READS:
    case LEVEL_PRAM:
        return guarantee(a, a->search->level, t3, t2, r);
    default:
        return true;
    }
}

static bool axiom_holds(const struct axioms *a, const struct reader *t3)
{
    const struct oracle_model *m = a->search->model;

    for (unsigned i = 0; i < t3->slot_count; i++) {
        const struct slot *r = &t3->slots[i];

        for (unsigned t2 = 0; t2 < m->txn_count; t2++) {
            if (!(a->placed & bit(t2)) || !(m->txns[t2].writes & bit(r->key)) ||
                r->writer == (int)t2 || !premise(a, t3, t2, r))
                continue;
            if (r->writer == ORACLE_INITIAL || a->position[t2] > a->position[r->writer])
                return false;
        }
    }
    return true;
}

/* --- Choosing whom to read from ---------------------------------------------- */

static bool answers_agree(const struct axioms *a, const struct reader *t3)
{
    const struct oracle_model *m = a->search->model;
    const struct oracle_txn *txn = &m->txns[t3->txn];

    for (unsigned i = txn->step_start; i < txn->step_end; i++)
        if (m->steps[i].kind == STEP_QUERY &&
            !oracle_query_agrees(m, &m->queries[m->steps[i].query], &t3->seen[m->steps[i].query]))
            return false;
    return true;
}

static void note_reads(struct axioms *a, const struct reader *t3)
{
    const struct oracle_model *m = a->search->model;
    const struct oracle_txn *txn = &m->txns[t3->txn];

    a->read[t3->txn] = 0;
    memset(a->read_before[t3->txn], 0, sizeof a->read_before[t3->txn]);
    for (unsigned i = 0; i < t3->slot_count; i++) {
        const struct slot *slot = &t3->slots[i];

        if (slot->writer < 0)
            continue;
        a->read[t3->txn] |= bit((unsigned)slot->writer);
        for (unsigned k = 0; k < m->key_count; k++)
            if ((txn->writes & bit(k)) && m->steps[slot->step].op < txn->final_op[k])
                a->read_before[t3->txn][k] |= bit((unsigned)slot->writer);
    }
}

static void find_past(struct axioms *a, const struct reader *t3)
{
    uint32_t direct, past;

    note_reads(a, t3);
    direct = past = so_before(a->search, t3->txn) | a->read[t3->txn];
    if (a->search->level == LEVEL_PARALLEL_SNAPSHOT)
        past |= placed_in_conflict(a, t3->txn);
    for (unsigned t = 0; t < a->search->model->txn_count; t++)
        if (past & a->placed & bit(t))
            past |= a->past[t];
    a->direct[t3->txn] = direct;
    a->past[t3->txn] = past;
}

/* All its reads have their writers: judge the transaction, place it, go on to the next. */
static bool place_reader(struct axioms *a, const struct reader *t3)
{
    const struct oracle_model *m = a->search->model;
    struct oracle_state latest = a->latest;

    find_past(a, t3);
    if (!answers_agree(a, t3) || !axiom_holds(a, t3))
        return false;
    a->position[t3->txn] = a->placed_count++;
    a->placed |= bit(t3->txn);
    for (unsigned k = 0; k < m->key_count; k++)
        if (m->txns[t3->txn].writes & bit(k))
            a->latest.value[k] = a->version[t3->txn][k];
    if (place_next(a))
        return true;
    a->latest = latest;
    a->placed &= ~bit(t3->txn);
    a->placed_count--;
    return false;
}

static bool value_fits(const struct oracle_model *m, unsigned step_number, unsigned key,
                       uint32_t value)
{
    const struct oracle_step *step = &m->steps[step_number];

    if (step->kind == STEP_READ)
        return step->value == value;
    return oracle_query_admits(m, &m->queries[step->query], key, value);
}

static void see(const struct oracle_model *m, struct reader *t3, unsigned step, unsigned key,
                uint32_t value)
{
    if (m->steps[step].kind == STEP_QUERY)
        t3->seen[m->steps[step].query].value[key] = value;
}

static bool choose_writers(struct axioms *a, struct reader *t3, unsigned slot_number)
{
    struct oracle_search *s = a->search;
    const struct oracle_model *m = s->model;
    struct slot *slot = &t3->slots[slot_number];
    int source;

    if (slot_number == t3->slot_count)
        return place_reader(a, t3);
    source = oracle_source(s, t3->txn, m->steps[slot->step].op, slot->key);
    for (int w = ORACLE_INITIAL; w < (int)m->txn_count; w++) {
        bool wrote =
            w < 0 || ((a->placed & bit((unsigned)w)) && (m->txns[w].writes & bit(slot->key)));
        uint32_t value = w < 0 ? m->initial[slot->key] : a->version[w][slot->key];

        if (!wrote || (source != ORACLE_ANYONE && source != w) ||
            !value_fits(m, slot->step, slot->key, value))
            continue;
        if (!oracle_search_step(s))
            return false;
        slot->writer = w;
        see(m, t3, slot->step, slot->key, value);
        if (choose_writers(a, t3, slot_number + 1))
            return true;
    }
    return false;
}

/* --- Placing transactions ---------------------------------------------------- */

/* Notes a read of one key: of the transaction's own value, which must fit, else a slot. */
static bool add_read(struct axioms *a, struct reader *t3, unsigned step, unsigned key, uint32_t own)
{
    if (own != ORACLE_UNSEEN) {
        see(a->search->model, t3, step, key, own);
        return value_fits(a->search->model, step, key, own);
    }
    assert(t3->slot_count < SLOTS_MAX);
    t3->slots[t3->slot_count++] = (struct slot){ step, key, ORACLE_NOBODY };
    return true;
}

/* Finds the transaction's reads of others, and what it writes behind those placed. */
static bool begin_reader(struct axioms *a, struct reader *t3, unsigned txn)
{
    struct oracle_model *m = a->search->model;
    uint32_t own[ORACLE_KEYS_MAX];

    t3->txn = txn;
    t3->slot_count = 0;
    memset(own, 0xff, sizeof own); /* ORACLE_UNSEEN */
    for (unsigned i = m->txns[txn].step_start; i < m->txns[txn].step_end; i++) {
        const struct oracle_step *step = &m->steps[i];
        uint32_t keys = step->kind == STEP_QUERY ? m->queries[step->query].keys : bit(step->key);

        if (step->kind == STEP_WRITE || step->kind == STEP_APPEND) {
            bool is_first = own[step->key] == ORACLE_UNSEEN;

            own[step->key] =
                oracle_effect(m, step, is_first ? a->latest.value[step->key] : own[step->key]);
            a->version[txn][step->key] = own[step->key];
            continue;
        }
        for (unsigned k = 0; k < m->key_count; k++)
            if ((keys & bit(k)) && !add_read(a, t3, i, k, own[k]))
                return false;
    }
    return true;
}

static bool place_next(struct axioms *a)
{
    struct oracle_search *s = a->search;
    struct reader reader;

    if (a->placed == s->txns)
        return true;
    for (unsigned t = 0; t < s->model->txn_count; t++) {
        uint32_t before = so_before(s, t) | listed_before(s, t);

        if (!(s->txns & ~a->placed & bit(t)) || (before & ~a->placed))
            continue;
        if (!oracle_search_step(s))
            return false;
        if (begin_reader(a, &reader, t) && choose_writers(a, &reader, 0))
            return true;
    }
    return false;
}

bool oracle_satisfy_axioms(struct oracle_search *s)
{
    struct axioms a = { .search = s };

    for (unsigned k = 0; k < s->model->key_count; k++)
        a.latest.value[k] = s->model->initial[k];
    return place_next(&a);
}
