#include "tests/oracle/oracle.h"

#include <assert.h>

#include "tests/oracle/oracle_private.h"

typedef bool search_function(struct oracle_search *);

const char *oracle_answer_name(enum oracle_answer answer)
{
    static const char *const names[] = { "holds", "violated", "cannot judge" };

    return names[answer];
}

bool oracle_search_step(struct oracle_search *s)
{
    if (s->steps_left == 0)
        s->gave_up = true;
    else
        s->steps_left--;
    return !s->gave_up;
}

/* By what a level is defined: the table in oracle.h. */
enum family { BY_NOTHING, BY_GRAPHS, BY_GRAPHS_OR_AXIOMS, BY_AXIOMS, BY_AXIOMS_OR_GRAPHS, BY_ALL };

static enum family family_of(enum level level)
{
    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
    case LEVEL_REPEATABLE_READ:
    case LEVEL_CURSOR_STABILITY:
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_CONSISTENT_VIEW:
    case LEVEL_FORWARD_CONSISTENT_VIEW:
    case LEVEL_UPDATE_SERIALIZABLE:
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_STRICT_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
        return BY_GRAPHS;
    case LEVEL_READ_COMMITTED:
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return BY_GRAPHS_OR_AXIOMS;
    case LEVEL_READ_ATOMIC:
    case LEVEL_CAUSAL:
    case LEVEL_PREFIX:
    case LEVEL_UPDATE_ATOMIC:
    case LEVEL_READ_YOUR_WRITES:
    case LEVEL_MONOTONIC_READS:
    case LEVEL_MONOTONIC_WRITES:
    case LEVEL_WRITES_FOLLOW_READS:
    case LEVEL_PRAM:
        return BY_AXIOMS;
    case LEVEL_PARALLEL_SNAPSHOT:
        return BY_AXIOMS_OR_GRAPHS;
    case LEVEL_MONOTONIC_SNAPSHOT_READ:
    case LEVEL_LINEARIZABLE: /* which is decided key by key */
        return BY_NOTHING;
    default:
        return BY_ALL;
    }
}

/* NULL where there is no definition. */
static search_function *search_for(enum level level, struct oracle_options options)
{
    enum family family = family_of(level);

    if (family == BY_NOTHING)
        return NULL;
    switch (options.definition) {
    case ORACLE_ADYA:
        return family == BY_AXIOMS ? NULL : oracle_explain;
    case ORACLE_AXIOMATIC:
        return family == BY_GRAPHS ? NULL : oracle_satisfy_axioms;
    case ORACLE_DEFAULT:
        break;
    }
    if (family == BY_AXIOMS || family == BY_AXIOMS_OR_GRAPHS)
        return oracle_satisfy_axioms;
    return family == BY_ALL && !options.use_certificate ? oracle_replay : oracle_explain;
}

/* Which transactions have committed, and of which that is not known. */
static void find_committed(const struct oracle_model *m, bool certified, uint32_t *committed,
                           uint32_t *unknown)
{
    uint32_t listed = 0, left_out = 0;

    *committed = *unknown = 0;
    for (unsigned k = 0; certified && k < m->key_count; k++)
        for (unsigned i = 0; i < m->order_count[k]; i++)
            listed |= bit(m->order[k][i]);
    for (unsigned t = 0; t < m->txn_count; t++) {
        if (!m->txns[t].is_unknown || (listed & bit(t))) {
            *committed |= bit(t);
            continue;
        }
        for (unsigned k = 0; certified && k < m->key_count; k++)
            if (m->has_order[k] && (m->txns[t].writes & bit(k)))
                left_out |= bit(t);
        if (!(left_out & bit(t)))
            *unknown |= bit(t);
    }
}

static enum oracle_answer decide(struct oracle_search *s, search_function *search)
{
    uint32_t committed, unknown, chosen = 0;

    find_committed(s->model, s->certified, &committed, &unknown);
    do {
        s->txns = committed | chosen;
        if (search(s))
            return ORACLE_HOLDS;
        chosen = (chosen - unknown) & unknown; /* the next subset */
    } while (chosen != 0);
    return s->gave_up ? ORACLE_CANNOT_JUDGE : ORACLE_VIOLATED;
}

/* The same transactions, numbered among those that are kept. */
static uint32_t renumber(uint32_t txns, uint32_t kept)
{
    uint32_t renumbered = 0;
    unsigned number = 0;

    for (unsigned t = 0; t < ORACLE_TXNS_MAX; t++) {
        if (txns & kept & bit(t))
            renumbered |= bit(number);
        number += (kept & bit(t)) != 0;
    }
    return renumbered;
}

/* Transactions that did nothing to the key are no part of its history. */
static void leave_out_idle(struct oracle_model *m)
{
    unsigned count = 0;
    uint32_t kept = 0;

    for (unsigned t = 0; t < m->txn_count; t++)
        if (m->txns[t].step_start < m->txns[t].step_end)
            kept |= bit(t);
    for (unsigned t = 0; t < m->txn_count; t++) {
        m->txns[t].time_before = renumber(m->txns[t].time_before, kept);
        m->txns[t].session_before = renumber(m->txns[t].session_before, kept);
        if (kept & bit(t))
            m->txns[count++] = m->txns[t];
    }
    m->txn_count = count;
}

/* Each key by itself: who is unknown may be in for one and out for another. */
static enum oracle_answer linearize(struct oracle_search *s)
{
    struct oracle_model *whole = s->model, *part;
    enum oracle_answer answer = ORACLE_HOLDS;

    if (whole->query_count > 0)
        return ORACLE_CANNOT_JUDGE; /* a predicate is about many keys */
    s->model = part = malloc(sizeof *part);
    assert(part);
    for (unsigned k = 0; k < whole->key_count && answer == ORACLE_HOLDS; k++) {
        oracle_model_restrict(whole, k, part);
        leave_out_idle(part);
        answer = decide(s, oracle_replay);
        whole->values = part->values; /* it may have grown */
    }
    s->model = whole;
    free(part);
    return answer;
}

static bool decides_by_key(enum level level, struct oracle_options options)
{
    return level == LEVEL_LINEARIZABLE && options.definition == ORACLE_DEFAULT &&
           !options.use_certificate;
}

enum oracle_answer oracle_decide(const struct history *history, enum level level,
                                 struct oracle_options options)
{
    search_function *search = search_for(level, options);
    struct oracle_model *model;
    struct oracle_search s = { .level = level,
                               .certified = options.use_certificate,
                               .steps_left =
                                   options.steps_max ? options.steps_max : ORACLE_STEPS_MAX };
    enum oracle_answer answer = ORACLE_CANNOT_JUDGE;

    if (!search && !decides_by_key(level, options))
        return ORACLE_CANNOT_JUDGE;
    s.model = model = malloc(sizeof *model);
    assert(model);
    if (oracle_model_init(model, history))
        answer = search ? decide(&s, search) : linearize(&s);
    oracle_model_close(model);
    free(model);
    return answer;
}
