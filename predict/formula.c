#include "predict/formula_private.h"

#include <assert.h>
#include <string.h>

#define PAIRWISE_MAX 6 /* at most one of so many is said pair by pair */

/* --- Clauses ------------------------------------------------------------------------ */

enum status formula_variable(struct formula *f, bool phase, uint32_t *literal, struct error *err)
{
    TRY(array_push(&f->phases, phase, err));
    *literal = search_literal(f->variable_count++, true);
    return STATUS_OK;
}

enum status formula_add(struct formula *f, const uint32_t *literals, size_t count,
                        struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (literals[i] == LITERAL_TRUE)
            return STATUS_OK;
    TRY(array_reserve(&f->literals, count, err));
    for (size_t i = 0; i < count; i++)
        if (literals[i] != LITERAL_FALSE)
            f->literals.at[f->literals.count++] = literals[i];
    if (f->literals.count == f->clause_start.at[f->clause_start.count - 1])
        f->is_impossible = true;
    return array_push(&f->clause_start, (uint32_t)f->literals.count, err);
}

/* A literal that is true exactly if one of the two is. */
static enum status either(struct formula *f, uint32_t a, uint32_t b, bool phase, uint32_t *literal,
                          struct error *err)
{
    *literal = a == LITERAL_TRUE || b == LITERAL_TRUE ? LITERAL_TRUE : a == LITERAL_FALSE ? b : a;
    if (*literal == LITERAL_TRUE || a == LITERAL_FALSE || b == LITERAL_FALSE || a == b)
        return STATUS_OK;
    TRY(formula_variable(f, phase, literal, err));
    FORMULA_ADD(f, err, literal_not(a), *literal);
    FORMULA_ADD(f, err, literal_not(b), *literal);
    FORMULA_ADD(f, err, literal_not(*literal), a, b);
    return STATUS_OK;
}

static enum status at_most_one(struct formula *f, const uint32_t *literals, uint32_t count,
                               struct error *err)
{
    uint32_t some_before = LITERAL_FALSE;

    for (uint32_t i = 0; i < count; i++) {
        if (count <= PAIRWISE_MAX)
            for (uint32_t j = 0; j < i; j++)
                FORMULA_ADD(f, err, literal_not(literals[i]), literal_not(literals[j]));
        else {
            FORMULA_ADD(f, err, literal_not(literals[i]), literal_not(some_before));
            TRY(either(f, some_before, literals[i], false, &some_before, err));
        }
    }
    return STATUS_OK;
}

static enum status add_edge(struct formula *f, uint32_t from, uint32_t to, uint32_t guard,
                            struct error *err)
{
    struct search_edge edge = { from,
                                to,
                                { guard == LITERAL_TRUE ? SEARCH_NONE : guard, SEARCH_NONE } };

    return guard == LITERAL_FALSE ? STATUS_OK : array_push(&f->edges, edge, err);
}

/* --- Which transactions and events are there ----------------------------------------- */

static bool has_choice(const struct choosing_read *r)
{
    return r->end - r->start > 1 || r->observed == DATAFLOW_NONE;
}

/*
 * A cut behind a read without a choice may as well be behind the next, or there is none: nothing else depends on it.
 * Only at snapshot, a write behind the cut may be one too many.
 */
static bool may_be_cut(const struct normal_form *n, const struct choosing_read *r)
{
    return has_choice(r) || n->level == LEVEL_SNAPSHOT || !n->is_full_possible[r->txn];
}

/* Where the reads of a transaction stand in `reaches`: each has one place more, for its end. */
static uint32_t reach_place(uint32_t txn, uint32_t read)
{
    return read + txn;
}

static enum status add_standing(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;
    const struct dataflow *t = n->trace;

    f->full[txn] = n->standing[txn] == TXN_IS_FULL ? LITERAL_TRUE : LITERAL_FALSE;
    if (n->standing[txn] == TXN_IS_FREE && n->is_full_possible[txn])
        TRY(formula_variable(f, true, &f->full[txn], err));
    if (n->standing[txn] == TXN_IS_FULL && !n->is_full_possible[txn])
        TRY(formula_add(f, NULL, 0, err));
    if (t->previous[txn] != DATAFLOW_NONE)
        FORMULA_ADD(f, err, literal_not(f->full[txn]), f->full[t->previous[txn]]);
    return STATUS_OK;
}

/* Whoever is full has full writers. */
static enum status add_full_writers(struct formula *f, uint32_t txn, struct error *err)
{
    const struct dataflow *t = f->n->trace;
    uint32_t last = DATAFLOW_NONE;

    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
        if (t->events[e].writer < DATAFLOW_INITIAL && t->events[e].writer != last) {
            last = t->events[e].writer;
            FORMULA_ADD(f, err, literal_not(f->full[txn]), f->full[last]);
        }
    return STATUS_OK;
}

/* Strict: where the transaction is cut. From the last read to the first. */
static enum status add_cuts(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;
    uint32_t *reaches = f->reaches + reach_place(txn, 0);

    reaches[n->read_start[txn + 1]] = LITERAL_FALSE;
    for (uint32_t r = n->read_start[txn + 1]; r-- > n->read_start[txn];) {
        f->cut[r] = LITERAL_FALSE;
        if (n->standing[txn] == TXN_IS_FREE && may_be_cut(n, &n->reads[r]))
            TRY(formula_variable(f, false, &f->cut[r], err));
        FORMULA_ADD(f, err, literal_not(f->cut[r]), literal_not(reaches[r + 1]));
        TRY(either(f, f->cut[r], reaches[r + 1], false, &reaches[r], err));
    }
    f->boundary[txn] = reaches[n->read_start[txn]];
    return STATUS_OK;
}

/* Of several executions one may be the boundary; the transaction's own literal is that some of them is. */
static enum status add_variant(struct formula *f, uint32_t txn, struct error *err)
{
    uint32_t of = f->n->trace->variant_of[txn];

    if (f->n->standing[of] == TXN_IS_FREE)
        TRY(formula_variable(f, false, &f->boundary[txn], err));
    FORMULA_ADD(f, err, literal_not(f->boundary[txn]), literal_not(f->boundary[of]));
    FORMULA_ADD(f, err, literal_not(f->boundary[txn]), literal_not(f->full[of]));
    return either(f, f->boundary[of], f->boundary[txn], false, &f->boundary[of], err);
}

static enum status add_boundary(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;
    bool is_possible = false;

    f->boundary[txn] = LITERAL_FALSE;
    if (n->trace->variant_of) {
        if (n->trace->variant_of[txn] != DATAFLOW_NONE)
            TRY(add_variant(f, txn, err));
    } else if (!n->is_relaxed) {
        TRY(add_cuts(f, txn, err));
    } else {
        for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++)
            is_possible |= may_be_cut(n, &n->reads[r]);
        if (n->standing[txn] == TXN_IS_FREE && is_possible)
            TRY(formula_variable(f, false, &f->boundary[txn], err));
    }
    FORMULA_ADD(f, err, literal_not(f->boundary[txn]), literal_not(f->full[txn]));
    if (n->trace->previous[txn] != DATAFLOW_NONE)
        FORMULA_ADD(f, err, literal_not(f->boundary[txn]), f->full[n->trace->previous[txn]]);
    return STATUS_OK;
}

/* Whom a read of the boundary transaction comes from. */
static enum status add_choices(struct formula *f, uint32_t read, struct error *err)
{
    const struct normal_form *n = f->n;
    const struct choosing_read *r = &n->reads[read];
    uint32_t place = reach_place(r->txn, read);
    /* It is included; it chooses; it is as it was. */
    uint32_t in = n->is_relaxed ? f->boundary[r->txn] : f->reaches[place];
    uint32_t chooses = n->is_relaxed ? in : f->cut[read];
    uint32_t kept = n->is_relaxed ? LITERAL_FALSE : f->reaches[place + 1];

    if (!has_choice(r)) {
        assert(r->observed == r->start);
        f->choice[r->start] = in;
    }
    for (uint32_t c = r->start; c < r->end && has_choice(r); c++) {
        f->choice[c] = in;
        if (in != LITERAL_FALSE)
            TRY(formula_variable(f, false, &f->choice[c], err));
        FORMULA_ADD(f, err, literal_not(f->choice[c]), in);
    }
    f->clause.count = 0;
    TRY(array_push(&f->clause, literal_not(chooses), err));
    for (uint32_t c = r->start; c < r->end; c++) {
        uint32_t writer = n->candidates[c];

        TRY(array_push(&f->clause, f->choice[c], err));
        if (writer != DATAFLOW_INITIAL)
            FORMULA_ADD(f, err, literal_not(f->choice[c]), f->full[writer]);
        TRY(either(f, f->choice[c], c == r->observed ? f->full[r->txn] : LITERAL_FALSE, false,
                   &f->comes[c], err));
    }
    TRY(formula_add(f, f->clause.at, f->clause.count, err));
    FORMULA_ADD(f, err, literal_not(kept),
                r->observed == DATAFLOW_NONE ? LITERAL_FALSE : f->choice[r->observed]);
    if (r->observed == DATAFLOW_NONE)
        FORMULA_ADD(f, err, literal_not(f->full[r->txn]));
    return has_choice(r) ? at_most_one(f, f->choice + r->start, r->end - r->start, err) : STATUS_OK;
}

/* A write is included with its transaction; strict: if it is cut at a read behind the write. */
static enum status add_written(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;

    for (uint32_t i = n->write_start[txn]; i < n->write_start[txn + 1]; i++) {
        uint32_t read = n->read_start[txn], in = f->boundary[txn];

        while (read < n->read_start[txn + 1] && n->reads[read].event < n->writes[i].event)
            read++;
        if (!n->is_relaxed)
            in = f->reaches[reach_place(txn, read)];
        TRY(either(f, f->full[txn], in, true, &f->written[i], err));
    }
    return STATUS_OK;
}

static uint64_t pair_name(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* from(t, w) for each writer that some read of t has as a candidate. */
static enum status add_from(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++)
        for (uint32_t c = n->reads[r].start; c < n->reads[r].end; c++) {
            uint32_t literal;
            size_t place;

            TRY(map_add(&f->from, pair_name(txn, n->candidates[c]), LITERAL_FALSE, &place, err));
            TRY(either(f, (uint32_t)f->from.values.at[place], f->comes[c], false, &literal, err));
            f->from.values.at[place] = literal;
        }
    return STATUS_OK;
}

/* The literal "t reads something from w"; LITERAL_FALSE if it cannot. */
static uint32_t formula_from(const struct formula *f, uint32_t txn, uint32_t writer)
{
    uint64_t literal;

    return map_find(&f->from, pair_name(txn, writer), &literal) ? (uint32_t)literal : LITERAL_FALSE;
}

/* --- Nodes ------------------------------------------------------------------------------ */

static enum status find_nodes(struct formula *f, struct error *err)
{
    const struct dataflow *t = f->n->trace;
    uint32_t observed = dataflow_observed(t);

    f->node_count = t->variant_of ? observed + t->session_count : t->txn_count;
    PREDICT_TAKE(f->arena, f->node, t->txn_count, err);
    PREDICT_TAKE(f->arena, f->takes_part, f->node_count, err);
    for (uint32_t node = 0; node < f->node_count; node++)
        f->takes_part[node] = LITERAL_FALSE;
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        /* Where there are variants, an observed one is the boundary by them alone. */
        bool may_be_cut = !t->variant_of || dataflow_is_variant(t, txn);
        uint32_t *takes_part =
            &f->takes_part[f->node[txn] = txn < observed ? txn : observed + t->session[txn]];

        TRY(either(f, *takes_part, f->full[txn], false, takes_part, err));
        TRY(either(f, *takes_part, may_be_cut ? f->boundary[txn] : LITERAL_FALSE, false, takes_part,
                   err));
    }
    return STATUS_OK;
}

/* The nodes that write a key; variants of a session stand behind each other nowhere, and are found by `at`. */
static enum status find_writing_nodes(struct formula *f, struct error *err)
{
    const struct normal_form *n = f->n;
    const struct dataflow *t = n->trace;
    uint32_t *at, count = 0;

    PREDICT_TAKE(f->arena, f->write_start, t->key_count + 1, err);
    PREDICT_TAKE(f->arena, f->writes, n->write_start[t->txn_count], err);
    PREDICT_TAKE(f->arena, at, f->node_count, err);
    for (uint32_t key = 0; key < t->key_count; key++) {
        f->write_start[key] = count;
        for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++) {
            uint32_t txn = t->writers[i], node = f->node[txn];
            uint32_t written = f->written[normal_form_write(n, txn, key)];

            if (n->standing[txn] == TXN_IS_OUT)
                continue;
            if (at[node] <= f->write_start[key]) {
                f->writes[count] = (struct writing_node){ node, LITERAL_FALSE };
                at[node] = ++count;
            }
            TRY(either(f, f->writes[at[node] - 1].written, written, true,
                       &f->writes[at[node] - 1].written, err));
        }
    }
    f->write_start[t->key_count] = count;
    return STATUS_OK;
}

/* --- What the level allows ----------------------------------------------------------- */

/* Whether the node is that of the variants of a session. */
static bool is_shared(const struct formula *f, uint32_t node)
{
    return f->n->trace->variant_of && node >= f->node_count - f->n->trace->session_count;
}

/* Whether that is so wherever both nodes are included, also if the second is a boundary transaction. */
static bool surely_before(const struct formula *f, uint32_t first, uint32_t second)
{
    uint32_t previous;

    if (is_shared(f, first) || is_shared(f, second))
        return false;
    previous = f->n->trace->previous[second];
    return previous != DATAFLOW_NONE &&
           (previous == first || happens_before(f->n, first, previous));
}

/*
 * An edge between the moments of two transactions. That it is or is not there follows from what was observed if the
 * second one, or the first, is full. That spares the search finding the same by cycles.
 */
static enum status add_moments_edge(struct formula *f, uint32_t from, uint32_t to, uint32_t literal,
                                    struct error *err)
{
    uint32_t first = from / 2, second = to / 2;

    if (is_shared(f, first) || is_shared(f, second))
        return add_edge(f, from, to, literal, err);
    if (happens_before(f->n, first, second))
        FORMULA_ADD(f, err, literal_not(f->full[second]), literal);
    if (happens_before(f->n, second, first))
        FORMULA_ADD(f, err, literal_not(f->full[first]), literal_not(literal));
    return add_edge(f, from, to, literal, err);
}

/*
 * The literal of "c commits before w". At prefix and snapshot each transaction has two nodes, its beginning and its
 * commit; at snapshot two writers of a key do not overlap.
 */
static enum status commits_before(struct formula *f, uint32_t c, uint32_t w, uint32_t *literal,
                                  struct error *err)
{
    const struct normal_form *n = f->n;
    bool has_moments = level_has_moments(n->level);
    size_t place;

    *literal = LITERAL_FALSE;
    if (w == DATAFLOW_INITIAL || (has_moments ? surely_before(f, w, c) : happens_before(n, w, c)))
        return STATUS_OK;
    *literal = LITERAL_TRUE;
    if (c == DATAFLOW_INITIAL || (has_moments ? surely_before(f, c, w) : happens_before(n, c, w)))
        return STATUS_OK;
    TRY(map_add(&f->commits_before, pair_name(c, w), LITERAL_FALSE, &place, err));
    if (f->commits_before.values.at[place] == LITERAL_FALSE) {
        TRY(formula_variable(f, false, literal, err));
        f->commits_before.values.at[place] = *literal;
        if (has_moments)
            TRY(add_moments_edge(f, 2 * c + 1, 2 * w + (n->level == LEVEL_PREFIX), *literal, err));
        else
            TRY(add_edge(f, c, w, *literal, err));
    }
    *literal = (uint32_t)f->commits_before.values.at[place];
    return STATUS_OK;
}

/* Prefix and snapshot: t begins before c commits. */
static enum status begins_before(struct formula *f, uint32_t t, uint32_t c, uint32_t *literal,
                                 struct error *err)
{
    size_t place;

    *literal = LITERAL_FALSE;
    if (surely_before(f, c, t))
        return STATUS_OK;
    *literal = LITERAL_TRUE;
    if (surely_before(f, t, c))
        return STATUS_OK;
    TRY(map_add(&f->begins_before, pair_name(t, c), LITERAL_FALSE, &place, err));
    if (f->begins_before.values.at[place] == LITERAL_FALSE) {
        TRY(formula_variable(f, false, literal, err));
        f->begins_before.values.at[place] = *literal;
        TRY(add_moments_edge(f, 2 * t, 2 * c + 1, *literal, err));
    }
    *literal = (uint32_t)f->begins_before.values.at[place];
    return STATUS_OK;
}

/* Whether t sees c, by what happens before it: a literal. */
static enum status add_sees(struct formula *f, uint32_t t, uint32_t c, uint32_t *literal,
                            struct error *err)
{
    const struct normal_form *n = f->n;
    uint32_t previous = n->trace->previous[t];
    bool is_atomic = n->level == LEVEL_READ_ATOMIC;

    *literal = LITERAL_TRUE;
    if (previous != DATAFLOW_NONE &&
        (c == previous || (is_atomic ? n->trace->session[c] == n->trace->session[t] &&
                                           n->trace->ordinal[c] < n->trace->ordinal[previous]
                                     : happens_before(n, c, previous))))
        return STATUS_OK;
    *literal = formula_from(f, t, c);
    for (size_t i = f->sees_start; i < f->from.keys.count && !is_atomic; i++) {
        uint32_t writer = (uint32_t)f->from.keys.at[i];

        if (writer != DATAFLOW_INITIAL && writer != c && happens_before(n, c, writer))
            TRY(either(f, *literal, (uint32_t)f->from.values.at[i], false, literal, err));
    }
    return STATUS_OK;
}

/* If the reader sees c, which writes the key, then c commits before whom the read comes from. */
static enum status add_overwritten(struct formula *f, const struct choosing_read *r, uint32_t c,
                                   uint32_t sees, struct error *err)
{
    const struct normal_form *n = f->n;

    for (uint32_t k = r->start; k < r->end && sees != LITERAL_FALSE; k++) {
        uint32_t before;

        if (n->candidates[k] == c || f->comes[k] == LITERAL_FALSE)
            continue;
        TRY(commits_before(f, c, n->candidates[k], &before, err));
        FORMULA_ADD(f, err, literal_not(f->comes[k]), literal_not(sees), before);
    }
    return STATUS_OK;
}

/* Causal and read atomic: what t sees, and what writes a key that it reads, commits before the version it reads. */
static enum status add_visibility(struct formula *f, uint32_t txn, uint32_t *sees,
                                  struct error *err)
{
    const struct normal_form *n = f->n;
    const struct dataflow *t = n->trace;

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++) {
        uint32_t key = n->reads[r].key;

        for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++) {
            uint32_t c = t->writers[i];

            if (c == txn || f->full[c] == LITERAL_FALSE)
                continue;
            if (sees[c] == DATAFLOW_NONE)
                TRY(add_sees(f, txn, c, &sees[c], err));
            TRY(add_overwritten(f, &n->reads[r], c, sees[c], err));
        }
    }
    return STATUS_OK;
}

/* Read committed: whom t has read from before. `read_from` by writer: the literal. */
static enum status add_committed(struct formula *f, uint32_t txn, uint32_t *read_from,
                                 struct error *err)
{
    const struct normal_form *n = f->n;
    const struct dataflow *t = n->trace;

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++) {
        uint32_t key = n->reads[r].key;

        for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++) {
            uint32_t c = t->writers[i];

            if (c != txn && read_from[c] != DATAFLOW_NONE)
                TRY(add_overwritten(f, &n->reads[r], c, read_from[c], err));
        }
        for (uint32_t k = n->reads[r].start; k < n->reads[r].end; k++)
            if (n->candidates[k] != DATAFLOW_INITIAL) {
                uint32_t *seen = &read_from[n->candidates[k]];

                TRY(either(f, *seen == DATAFLOW_NONE ? LITERAL_FALSE : *seen, f->comes[k], false,
                           seen, err));
            }
    }
    return STATUS_OK;
}

/* Prefix and snapshot: another writer of a key commits before the version that is read, or after the reader began. */
static enum status add_snapshot_reads(struct formula *f, uint32_t txn, struct error *err)
{
    const struct normal_form *n = f->n;
    uint32_t node = f->node[txn];

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++)
        for (uint32_t k = n->reads[r].start; k < n->reads[r].end; k++) {
            uint32_t key = n->reads[r].key, writer = n->candidates[k];

            if (writer != DATAFLOW_INITIAL)
                TRY(add_edge(f, 2 * writer + 1, 2 * node, f->comes[k], err));
            for (uint32_t i = f->write_start[key]; i < f->write_start[key + 1]; i++) {
                struct writing_node c = f->writes[i];
                uint32_t before, after;

                if (c.node == writer || c.node == node || f->comes[k] == LITERAL_FALSE ||
                    c.written == LITERAL_FALSE)
                    continue;
                TRY(commits_before(f, c.node, writer, &before, err));
                TRY(begins_before(f, node, c.node, &after, err));
                FORMULA_ADD(f, err, literal_not(f->comes[k]), literal_not(c.written), before,
                            after);
            }
        }
    return STATUS_OK;
}

/*
 * Snapshot: of two writers of a key one commits before the other begins. What a transaction writes behind its cut
 * counts, too: it goes on, and would be refused.
 */
static enum status add_first_committers(struct formula *f, struct error *err)
{
    const struct dataflow *t = f->n->trace;

    for (uint32_t key = 0; key < t->key_count; key++)
        for (uint32_t i = f->write_start[key]; i < f->write_start[key + 1]; i++)
            for (uint32_t j = f->write_start[key]; j < i; j++) {
                uint32_t a = f->writes[i].node, b = f->writes[j].node, first, second;
                /* Of variants, those that write the key. */
                uint32_t one = is_shared(f, a) ? f->writes[i].written : f->takes_part[a];
                uint32_t other = is_shared(f, b) ? f->writes[j].written : f->takes_part[b];

                if (one == LITERAL_FALSE || other == LITERAL_FALSE)
                    continue;
                TRY(commits_before(f, a, b, &first, err));
                TRY(commits_before(f, b, a, &second, err));
                FORMULA_ADD(f, err, literal_not(one), literal_not(other), first, second);
            }
    return STATUS_OK;
}

/* Sessions, and who read from whom: of those on no cycle. */
static enum status add_known_edges(struct formula *f, struct error *err)
{
    const struct normal_form *n = f->n;
    const struct dataflow *t = n->trace;

    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        uint32_t previous = t->previous[txn], last = DATAFLOW_NONE;

        if (n->is_never_full[txn])
            continue;
        if (previous != DATAFLOW_NONE)
            TRY(add_edge(f, previous, txn, LITERAL_TRUE, err));
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
            if (t->events[e].writer < DATAFLOW_INITIAL && t->events[e].writer != last) {
                last = t->events[e].writer;
                TRY(add_edge(f, last, txn, LITERAL_TRUE, err));
            }
    }
    return STATUS_OK;
}

/* Prefix and snapshot: sessions alone. Where the node of variants stands depends on which it is. */
static enum status add_known_moments(struct formula *f, struct error *err)
{
    const struct dataflow *t = f->n->trace;

    for (uint32_t node = 0; node < f->node_count; node++)
        TRY(add_edge(f, 2 * node, 2 * node + 1, LITERAL_TRUE, err));
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        if (t->previous[txn] != DATAFLOW_NONE)
            TRY(add_edge(f, 2 * t->previous[txn] + 1, 2 * f->node[txn],
                         dataflow_is_variant(t, txn) ? f->boundary[txn] : LITERAL_TRUE, err));
    return STATUS_OK;
}

/* Edges that are a cycle by themselves, two by two, so that the search need not find these. */
static enum status exclude_both_ways(struct formula *f, struct error *err)
{
    for (size_t i = 0; i < f->commits_before.keys.count; i++) {
        uint64_t pair = f->commits_before.keys.at[i], other, back = pair << 32 | pair >> 32;
        uint32_t literal = (uint32_t)f->commits_before.values.at[i];

        if (pair < back && map_find(&f->commits_before, back, &other))
            FORMULA_ADD(f, err, literal_not(literal), literal_not((uint32_t)other));
        if (f->n->level == LEVEL_SNAPSHOT && map_find(&f->begins_before, back, &other))
            FORMULA_ADD(f, err, literal_not(literal), literal_not((uint32_t)other));
    }
    return STATUS_OK;
}

static enum status add_level(struct formula *f, struct error *err)
{
    const struct normal_form *n = f->n;
    bool has_moments = level_has_moments(n->level);
    uint32_t *scratch;

    PREDICT_TAKE(f->arena, scratch, n->trace->txn_count, err);
    TRY(has_moments ? add_known_moments(f, err) : add_known_edges(f, err));
    for (uint32_t txn = 0; txn < n->trace->txn_count; txn++) {
        if (n->standing[txn] == TXN_IS_OUT)
            continue;
        memset(scratch, 0xff, n->trace->txn_count * sizeof *scratch);
        if (has_moments) {
            TRY(add_snapshot_reads(f, txn, err));
        } else if (n->level == LEVEL_READ_COMMITTED) {
            TRY(add_committed(f, txn, scratch, err));
        } else {
            f->sees_start = f->from.keys.count;
            TRY(add_from(f, txn, err));
            TRY(add_visibility(f, txn, scratch, err));
        }
    }
    if (n->level == LEVEL_SNAPSHOT)
        TRY(add_first_committers(f, err));
    return exclude_both_ways(f, err);
}

/* --- All of it ----------------------------------------------------------------------- */

static enum status take_literals(struct formula *f, struct error *err)
{
    const struct normal_form *n = f->n;
    uint32_t txns = n->trace->txn_count;

    PREDICT_TAKE(f->arena, f->full, txns, err);
    PREDICT_TAKE(f->arena, f->boundary, txns, err);
    PREDICT_TAKE(f->arena, f->cut, n->read_count, err);
    PREDICT_TAKE(f->arena, f->reaches, n->read_count + txns, err);
    PREDICT_TAKE(f->arena, f->choice, n->candidate_count, err);
    PREDICT_TAKE(f->arena, f->comes, n->candidate_count, err);
    PREDICT_TAKE(f->arena, f->written, n->write_start[txns], err);
    return array_push(&f->clause_start, 0, err);
}

enum status formula_init(struct formula *f, const struct normal_form *n, struct arena *arena,
                         struct error *err)
{
    const struct dataflow *t = n->trace;

    *f = (struct formula){ .n = n, .arena = arena };
    TRY(take_literals(f, err));
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        TRY(add_standing(f, txn, err));
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        TRY(add_full_writers(f, txn, err));
        TRY(add_boundary(f, txn, err));
        for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++)
            TRY(add_choices(f, r, err));
        TRY(add_written(f, txn, err));
    }
    TRY(find_nodes(f, err));
    TRY(find_writing_nodes(f, err));
    return add_level(f, err);
}

void formula_close(struct formula *f)
{
    array_close(&f->phases);
    array_close(&f->literals);
    array_close(&f->clause_start);
    array_close(&f->edges);
    array_close(&f->clause);
    map_close(&f->from);
    map_close(&f->commits_before);
    map_close(&f->begins_before);
}
