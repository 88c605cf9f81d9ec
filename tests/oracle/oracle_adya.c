/*
 * Adya's levels: an explanation is a version order of each key and, for every
 * read, the version it read; it is good if the direct serialization graph has
 * no cycle that the level forbids. All explanations are tried, key by key:
 *
 *     key x:  an order of its writers    x0 << x2 << x1      ww T2 -> T1
 *             a version for each read    T3 reads x2         wr T2 -> T3, rw T3 -> T1
 *     key y:  ...
 *
 * and a branch is left as soon as its graph has such a cycle: more edges never
 * undo one. Only versions that committed transactions left behind are offered,
 * so that aborted and intermediate reads (G1a, G1b) find none.
 *
 * A predicate read has a version of every key of its table. It depends on the
 * versions up to that one that changed whether the key matches, and anti-depends
 * on the later ones that do; and it reads, as items, the matching versions that
 * its answer shows.
 */
#include "tests/oracle/oracle_private.h"

#include <string.h>

/* A read of one key. */
struct slot {
    unsigned txn, step, key;
    bool is_own; /* the transaction wrote the key before it */
};

#define SLOTS_MAX (ORACLE_STEPS_OF_MODEL_MAX + ORACLE_QUERIES_MAX * ORACLE_KEYS_MAX)
#define EVENTS_MAX (SLOTS_MAX + ORACLE_STEPS_OF_MODEL_MAX)

/* The version order of a key: 0 is the initial version, `last` the last. */
struct versions {
    unsigned last;
    int writer[ORACLE_TXNS_MAX + 1];
    uint32_t value[ORACLE_TXNS_MAX + 1];
};

struct explanation {
    struct oracle_search *search;
    struct versions versions[ORACLE_KEYS_MAX];
    unsigned slot_count;
    struct slot slots[SLOTS_MAX];
    struct oracle_state seen[ORACLE_QUERIES_MAX]; /* what queries read, by query */
    size_t event_count;
    struct oracle_event events[EVENTS_MAX]; /* of what is explained so far */
};

static bool explain_keys(struct explanation *, unsigned key, const struct oracle_graph *);
static bool explain_slots(struct explanation *, unsigned key, unsigned slot,
                          const struct oracle_graph *);

static bool is_forbidden(const struct explanation *e, const struct oracle_graph *g)
{
    const struct oracle_search *s = e->search;

    return oracle_graph_is_forbidden(g, s->model->txn_count, s->level) ||
           oracle_view_is_forbidden(g, e->events, e->event_count, s->model->txn_count, s->level);
}

/* --- Edges ------------------------------------------------------------------- */

static void add_edge(uint32_t *successors, int from, int to)
{
    if (from >= 0 && to >= 0 && from != to)
        successors[from] |= bit((unsigned)to);
}

/* The events of a slot tell the same of it alone. */
static void see_writer(struct oracle_event *event, int writer)
{
    if (writer >= 0 && writer != (int)event->txn)
        event->seen |= bit((unsigned)writer);
}

static void add_item_read(const struct versions *v, struct oracle_graph *g,
                          struct oracle_event *event, unsigned version)
{
    int reader = (int)event->txn;

    add_edge(g->wr, v->writer[version], reader);
    see_writer(event, v->writer[version]);
    if (version < v->last)
        add_edge(g->item_rw, reader, v->writer[version + 1]);
    for (unsigned i = version + 1; i <= v->last; i++)
        if (v->writer[i] != reader)
            event->missed_items |= bit((unsigned)v->writer[i]);
}

static void add_predicate_read(const struct explanation *e, struct oracle_graph *g,
                               struct oracle_event *event, const struct slot *slot,
                               unsigned version)
{
    const struct oracle_model *m = e->search->model;
    const struct oracle_query *query = &m->queries[m->steps[slot->step].query];
    const struct versions *v = &e->versions[slot->key];

    for (unsigned i = 1; i <= v->last; i++) {
        bool matched = oracle_matches(m, query, v->value[i - 1]);

        if (oracle_matches(m, query, v->value[i]) == matched)
            continue;
        if (i <= version && v->writer[i] == (int)slot->txn && !slot->is_own)
            g->wr[slot->txn] |= bit(slot->txn); /* it sees what it has not done yet */
        else if (i <= version) {
            add_edge(g->wr, v->writer[i], (int)slot->txn);
            see_writer(event, v->writer[i]);
        } else if (v->writer[i] != (int)slot->txn) {
            add_edge(g->predicate_rw, (int)slot->txn, v->writer[i]);
            event->missed_rows |= bit((unsigned)v->writer[i]);
        }
    }
    if (oracle_matches(m, query, v->value[version]) && oracle_query_reads(query, slot->key))
        add_item_read(v, g, event, version);
}

/* What each writer of the key does there in the end. */
static void add_writes(struct explanation *e, unsigned key)
{
    const struct oracle_model *m = e->search->model;
    const struct versions *v = &e->versions[key];
    uint32_t earlier = 0;

    for (unsigned i = 1; i <= v->last; i++) {
        unsigned txn = (unsigned)v->writer[i], step = m->txns[txn].step_start;

        while (m->steps[step].op != m->txns[txn].final_op[key])
            step++;
        e->events[e->event_count++] = (struct oracle_event){
            .is_write = true, .txn = txn, .step = step, .key = key, .seen = earlier
        };
        earlier |= bit(txn);
    }
}

/* --- Reads ------------------------------------------------------------------- */

/* What the transaction's steps before this one make of a value of the key. */
static uint32_t effect_until(struct oracle_model *m, unsigned txn, unsigned step, unsigned key,
                             uint32_t value)
{
    for (unsigned i = m->txns[txn].step_start; i < step; i++)
        if ((m->steps[i].kind == STEP_WRITE || m->steps[i].kind == STEP_APPEND) &&
            m->steps[i].key == key)
            value = oracle_effect(m, &m->steps[i], value);
    return value;
}

/* What a transaction that writes the key finds there before the step. */
static uint32_t own_value(const struct explanation *e, const struct slot *slot)
{
    const struct versions *v = &e->versions[slot->key];
    unsigned own = 1;

    while (v->writer[own] != (int)slot->txn)
        own++;
    return effect_until(e->search->model, slot->txn, slot->step, slot->key, v->value[own - 1]);
}

/* Whether any earlier state of the key within the transaction has the value that was read. */
static bool was_own_value(const struct explanation *e, const struct slot *slot, uint32_t value)
{
    const struct oracle_model *m = e->search->model;
    struct slot earlier = *slot;

    for (; earlier.step > m->txns[slot->txn].step_start; earlier.step--) {
        const struct oracle_step *step = &m->steps[earlier.step - 1];
        bool writes = step->kind == STEP_WRITE || step->kind == STEP_APPEND;

        if (writes && step->key == slot->key && own_value(e, &earlier) == value)
            return true;
    }
    return false;
}

static bool value_fits(const struct explanation *e, const struct slot *slot, uint32_t value)
{
    const struct oracle_model *m = e->search->model;
    const struct oracle_step *step = &m->steps[slot->step];

    if (step->kind == STEP_READ)
        return step->value == value;
    return oracle_query_admits(m, &m->queries[step->query], slot->key, value);
}

static void see(struct explanation *e, const struct slot *slot, uint32_t value)
{
    const struct oracle_step *step = &e->search->model->steps[slot->step];

    if (step->kind == STEP_QUERY)
        e->seen[step->query].value[slot->key] = value;
}

/* Reads the version and goes on to the next slot. */
static bool explain_by_version(struct explanation *e, unsigned slot_number, unsigned version,
                               const struct oracle_graph *graph)
{
    const struct slot *slot = &e->slots[slot_number];
    const struct versions *v = &e->versions[slot->key];
    const struct oracle_step *step = &e->search->model->steps[slot->step];
    int source = oracle_source(e->search, slot->txn, step->op, slot->key);
    struct oracle_event *event = &e->events[e->event_count];
    struct oracle_graph g = *graph;
    bool is_explained;

    if (v->writer[version] == (int)slot->txn ||
        (source != ORACLE_ANYONE && source != v->writer[version]) ||
        !value_fits(e, slot, v->value[version]) || !oracle_search_step(e->search))
        return false;
    see(e, slot, v->value[version]);
    *event = (struct oracle_event){ .txn = slot->txn, .step = slot->step, .key = slot->key };
    if (step->kind == STEP_READ)
        add_item_read(v, &g, event, version);
    else
        add_predicate_read(e, &g, event, slot, version);
    e->event_count++;
    is_explained = !is_forbidden(e, &g) && explain_slots(e, slot->key, slot_number + 1, &g);
    e->event_count--;
    return is_explained;
}

/*
 * Reads of the transaction's own value add no edges: what its place in the
 * version order says of other transactions, the ww edges say already. Only at
 * read-committed and what is little more may it be another value: one it had before, or another's.
 */
static bool explain_own(struct explanation *e, unsigned slot_number,
                        const struct oracle_graph *graph)
{
    const struct slot *slot = &e->slots[slot_number];
    const struct oracle_step *step = &e->search->model->steps[slot->step];
    uint32_t value = own_value(e, slot);

    if (value_fits(e, slot, value)) {
        see(e, slot, value);
        if (explain_slots(e, slot->key, slot_number + 1, graph))
            return true;
    }
    return oracle_allows_internal(e->search->level) && !e->search->certified &&
           step->kind == STEP_READ && was_own_value(e, slot, step->value) &&
           explain_slots(e, slot->key, slot_number + 1, graph);
}

/* The slots of the key from this one on. */
static bool explain_slots(struct explanation *e, unsigned key, unsigned slot,
                          const struct oracle_graph *graph)
{
    bool must_be_own = !oracle_allows_internal(e->search->level) || e->search->certified;

    while (slot < e->slot_count && e->slots[slot].key != key)
        slot++;
    if (slot == e->slot_count)
        return explain_keys(e, key + 1, graph);
    if (e->slots[slot].is_own) {
        if (explain_own(e, slot, graph))
            return true;
        if (must_be_own)
            return false;
    }
    for (unsigned version = 0; version <= e->versions[key].last; version++)
        if (explain_by_version(e, slot, version, graph))
            return true;
    return false;
}

static bool answers_agree(const struct explanation *e)
{
    const struct oracle_model *m = e->search->model;

    for (unsigned t = 0; t < m->txn_count; t++)
        for (unsigned i = m->txns[t].step_start; i < m->txns[t].step_end; i++)
            if ((e->search->txns & bit(t)) && m->steps[i].kind == STEP_QUERY &&
                !oracle_query_agrees(m, &m->queries[m->steps[i].query],
                                     &e->seen[m->steps[i].query]))
                return false;
    return true;
}

/* --- Version orders ---------------------------------------------------------- */

/* The transaction that appended an element, if only one did. */
static int appender_of(const struct oracle_search *s, unsigned key, int64_t element)
{
    const struct oracle_model *m = s->model;
    int appender = ORACLE_NOBODY;

    for (unsigned t = 0; t < m->txn_count; t++)
        for (unsigned i = m->txns[t].step_start; i < m->txns[t].step_end; i++) {
            const struct oracle_step *step = &m->steps[i];

            if (!(s->txns & bit(t)) || step->kind != STEP_APPEND || step->key != key ||
                step->element != element)
                continue;
            if (appender != ORACLE_NOBODY)
                return ORACLE_NOBODY;
            appender = (int)t;
        }
    return appender;
}

static bool is_prefix(const struct oracle_model *m, uint32_t prefix, uint32_t list)
{
    while (list != prefix && list != ORACLE_NULL)
        list = m->values.at[list].parent;
    return list == prefix;
}

/* Where one list is no prefix of another, some state was undone: they show nothing. */
static bool lists_are_compatible(const struct oracle_search *s, unsigned key)
{
    const struct oracle_model *m = s->model;
    uint32_t longest = ORACLE_NULL;

    for (unsigned t = 0; t < m->txn_count; t++)
        for (unsigned i = m->txns[t].step_start; i < m->txns[t].step_end; i++) {
            uint32_t list = m->steps[i].value;

            if (!(s->txns & bit(t)) || m->steps[i].kind != STEP_READ || m->steps[i].key != key)
                continue;
            if (is_prefix(m, longest, list))
                longest = list;
            else if (!is_prefix(m, list, longest))
                return false;
        }
    return true;
}

/* Whether a list that was read has an element of `second` before one of `first`. */
static bool list_contradicts(const struct oracle_search *s, const struct oracle_step *read,
                             unsigned first, unsigned second)
{
    const struct oracle_model *m = s->model;
    bool found_first = false;

    if (m->values.at[read->value].kind != VALUE_LIST)
        return false;
    /* From the last element to the first. */
    for (uint32_t v = read->value; v != ORACLE_NULL; v = m->values.at[v].parent) {
        int appender = appender_of(s, read->key, m->values.at[v].bits);

        if (found_first && appender == (int)second)
            return true;
        found_first |= appender == (int)first;
    }
    return false;
}

/* Whether some list that anybody read says that `first` did not append before `second`. */
static bool lists_contradict(const struct oracle_search *s, unsigned key, unsigned first,
                             unsigned second)
{
    const struct oracle_model *m = s->model;

    if (!lists_are_compatible(s, key))
        return false;
    for (unsigned t = 0; t < m->txn_count; t++)
        for (unsigned i = m->txns[t].step_start; i < m->txns[t].step_end; i++)
            if ((s->txns & bit(t)) && m->steps[i].kind == STEP_READ && m->steps[i].key == key &&
                list_contradicts(s, &m->steps[i], first, second))
                return true;
    return false;
}

static bool order_contradicts(const struct oracle_model *m, unsigned key, unsigned first,
                              unsigned second)
{
    bool found_second = false;

    for (unsigned i = 0; i < m->order_count[key]; i++) {
        if (found_second && m->order[key][i] == first)
            return true;
        found_second |= m->order[key][i] == second;
    }
    return false;
}

/* Whether the transaction may come next, behind the versions of the key so far. */
static bool may_follow(const struct explanation *e, unsigned key, unsigned txn)
{
    const struct oracle_search *s = e->search;
    const struct versions *v = &e->versions[key];

    for (unsigned i = 1; i <= v->last; i++) {
        unsigned earlier = (unsigned)v->writer[i];

        if (earlier == txn)
            return false;
        if (s->certified && order_contradicts(s->model, key, earlier, txn))
            return false;
        /* Where reads have no versions, this is all that they say. */
        if (oracle_is_uncommitted(s->level) && lists_contradict(s, key, earlier, txn))
            return false;
    }
    return true;
}

static unsigned writer_count(const struct oracle_search *s, unsigned key)
{
    unsigned count = 0;

    for (unsigned t = 0; t < s->model->txn_count; t++)
        count += (s->txns & bit(t)) && (s->model->txns[t].writes & bit(key));
    return count;
}

/* The order is complete. */
static bool explain_reads(struct explanation *e, unsigned key, const struct oracle_graph *graph)
{
    size_t event_count = e->event_count;
    bool is_explained;

    add_writes(e, key);
    is_explained = !is_forbidden(e, graph) && explain_slots(e, key, 0, graph);
    e->event_count = event_count;
    return is_explained;
}

/* Completes the version order of the key in every way, then chooses what reads of it read. */
static bool explain_order(struct explanation *e, unsigned key, const struct oracle_graph *graph)
{
    struct oracle_search *s = e->search;
    struct oracle_model *m = s->model;
    struct versions *v = &e->versions[key];

    if (v->last == writer_count(s, key))
        return explain_reads(e, key, graph);
    for (unsigned t = 0; t < m->txn_count; t++) {
        struct oracle_graph g = *graph;

        if (!(s->txns & bit(t)) || !(m->txns[t].writes & bit(key)) || !may_follow(e, key, t))
            continue;
        add_edge(g.ww, v->writer[v->last], (int)t);
        if (is_forbidden(e, &g) || !oracle_search_step(s))
            continue;
        v->writer[v->last + 1] = (int)t;
        v->value[v->last + 1] = effect_until(m, t, m->txns[t].step_end, key, v->value[v->last]);
        v->last++;
        if (explain_order(e, key, &g))
            return true;
        v->last--;
    }
    return false;
}

static bool explain_keys(struct explanation *e, unsigned key, const struct oracle_graph *graph)
{
    const struct oracle_model *m = e->search->model;

    if (key == m->key_count)
        return oracle_is_uncommitted(e->search->level) || answers_agree(e);
    e->versions[key].last = 0;
    e->versions[key].writer[0] = ORACLE_INITIAL;
    e->versions[key].value[0] = m->initial[key];
    return explain_order(e, key, graph);
}

/* --- The whole --------------------------------------------------------------- */

static void add_slots(struct explanation *e, unsigned txn)
{
    const struct oracle_model *m = e->search->model;
    uint32_t written = 0;

    for (unsigned i = m->txns[txn].step_start; i < m->txns[txn].step_end; i++) {
        const struct oracle_step *step = &m->steps[i];
        uint32_t keys = step->kind == STEP_QUERY ? m->queries[step->query].keys : bit(step->key);

        if (step->kind == STEP_WRITE || step->kind == STEP_APPEND) {
            written |= keys;
            continue;
        }
        for (unsigned k = 0; k < m->key_count; k++)
            if (keys & bit(k))
                e->slots[e->slot_count++] =
                    (struct slot){ .txn = txn, .step = i, .key = k, .is_own = written & bit(k) };
    }
}

bool oracle_explain(struct oracle_search *s)
{
    struct explanation e = { .search = s };
    struct oracle_graph g = { 0 };

    for (unsigned t = 0; t < s->model->txn_count; t++) {
        if (!(s->txns & bit(t)))
            continue;
        if (s->model->txns[t].writes)
            g.updates |= bit(t);
        if (!oracle_is_uncommitted(s->level))
            add_slots(&e, t);
        for (unsigned p = 0; p < s->model->txn_count; p++)
            if (oracle_before(s->model, s->level, t) & s->txns & bit(p))
                g.before[p] |= bit(t);
    }
    return !is_forbidden(&e, &g) && explain_keys(&e, 0, &g);
}
