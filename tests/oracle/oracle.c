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

static bool is_weak(enum level level)
{
    return level == LEVEL_READ_ATOMIC || level == LEVEL_CAUSAL || level == LEVEL_PREFIX;
}

static bool is_of_adya_only(enum level level)
{
    return level == LEVEL_READ_UNCOMMITTED || level == LEVEL_REPEATABLE_READ;
}

/* The table in oracle.h; NULL where there is no definition. */
static search_function *search_for(enum level level, struct oracle_options options)
{
    switch (options.definition) {
    case ORACLE_ADYA:
        return is_weak(level) ? NULL : oracle_explain;
    case ORACLE_AXIOMATIC:
        return is_of_adya_only(level) ? NULL : oracle_satisfy_axioms;
    case ORACLE_DEFAULT:
        break;
    }
    if (is_weak(level))
        return oracle_satisfy_axioms;
    if (is_of_adya_only(level) || level == LEVEL_READ_COMMITTED || options.use_certificate)
        return oracle_explain;
    return oracle_replay;
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

    if (!search)
        return ORACLE_CANNOT_JUDGE;
    s.model = model = malloc(sizeof *model);
    assert(model);
    if (oracle_model_init(model, history))
        answer = decide(&s, search);
    oracle_model_close(model);
    free(model);
    return answer;
}
