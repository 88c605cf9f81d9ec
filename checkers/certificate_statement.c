/*
 * Statements: which rows should have come, and which versions changed whether a row
 * matches (algorithm 3 of the paper).
 *
 *     row t/7      10 << 30 << 35 << 12 << 31       v >= 20
 *     matches      no    yes   yes   no    yes
 *     changes            *           *     *
 *
 * If 35 was seen: a read dependency on the nearest change at or before it (30), an
 * anti-dependency on the nearest behind it (12). Those further away follow from
 * version order with as many anti-dependencies on every path, so that no cycle is
 * lost or changes its name.
 */
#include "checkers/certificate_private.h"
#include "checkers/lattice.h"

/* One statement, while its table's rows are looked at. */
struct asking {
    struct walk *walk;
    uint32_t txn, head, predicate;
    struct certified_view view;
    bool is_undecided;
    bool finds_edges;               /* of predicates */
    bool reads_all, reads_returned; /* what is in rows, and not only whether they match */
};

static enum predicate_answer match_content(struct asking *a, struct content content)
{
    struct value row = { (enum value_kind)content.kind, content.bits };
    enum predicate_answer answer;

    if (content.kind != VALUE_ROW)
        return PREDICATE_NO;
    answer = matcher_match(&a->walk->certificate->matcher, a->predicate, row);
    if (answer == PREDICATE_UNDECIDED)
        a->is_undecided = true;
    return answer;
}

static bool matches(struct asking *a, uint32_t key, uint32_t number)
{
    return match_content(a, certificate_content(a->walk->certificate, key, number)) ==
           PREDICATE_YES;
}

/* --- Changes ---------------------------------------------------------------------- */

static enum status tell_change(struct asking *a, const struct sight *s, uint32_t changing,
                               enum edge_kind kind, struct error *err)
{
    const struct certificate *c = a->walk->certificate;
    bool is_read = kind == EDGE_PREDICATE_WR;
    uint32_t writer = c->versions.txn[changing];
    struct edge edge = { .kind = (uint8_t)kind,
                         .from = is_read ? writer : a->txn,
                         .to = is_read ? a->txn : writer,
                         .op = a->head,
                         .key = s->key,
                         .version = certificate_version_op(c, s->number),
                         .other = c->versions.op[changing] };

    return a->walk->edge(a->walk->context, &edge, err);
}

/* At or before what was seen; its own would be what it does only later. */
static enum status find_change_before(struct asking *a, const struct sight *s, bool matched,
                                      struct error *err)
{
    const struct certified_versions *v = &a->walk->certificate->versions;

    if (s->number == VERSION_FIRST)
        return STATUS_OK;
    for (uint32_t n = s->number;; n--) {
        uint32_t before = n == v->start[s->key] ? VERSION_FIRST : n - 1;

        if (matches(a, s->key, before) != matched)
            return tell_change(a, s, n, EDGE_PREDICATE_WR, err);
        if (before == VERSION_FIRST)
            return STATUS_OK;
    }
}

/* Behind its own version, version order says all. */
static enum status find_change_behind(struct asking *a, const struct sight *s, bool matched,
                                      struct error *err)
{
    const struct certificate *c = a->walk->certificate;

    for (uint32_t n = certificate_next(c, s->key, s->number);
         n != HISTORY_NONE && c->versions.txn[n] != a->txn; n = certificate_next(c, s->key, n))
        if (matches(a, s->key, n) != matched)
            return tell_change(a, s, n, EDGE_PREDICATE_RW, err);
    return STATUS_OK;
}

/* --- Rows ------------------------------------------------------------------------- */

static bool is_returned(const struct asking *a, uint32_t key)
{
    const struct history *h = a->walk->certificate->history;
    uint32_t count = h->statement_row_count[h->op_key[a->head]];

    for (uint32_t op = a->head + 1; op <= a->head + count; op++)
        if (h->op_key[op] == key)
            return true;
    return false;
}

static enum status find_edges(struct asking *a, const struct sight *s, bool matched,
                              struct error *err)
{
    if (walk_wants(a->walk, EDGE_PREDICATE_WR))
        TRY(find_change_before(a, s, matched, err));
    if (walk_wants(a->walk, EDGE_PREDICATE_RW))
        TRY(find_change_behind(a, s, matched, err));
    if (matched && (a->reads_all || (a->reads_returned && is_returned(a, s->key))))
        return walk_item_edges(a->walk, s, err);
    return STATUS_OK;
}

static enum status look_at(struct asking *a, uint32_t key, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct sight s = certificate_look(c, &a->view, a->txn, a->head, key);
    struct held held;
    bool matched;

    if (s.is_unreal) {
        struct answer_fault fault = { .kind = FAULT_MISSING, .key = key };

        held = (struct held){ { .kind = VALUE_NONE }, s.unreal };
        fault.expected = history_value(c->history, s.unreal);
        return a->walk->judges ? blame_statement(&c->judge, a->txn, a->head, &fault, &held, err)
                               : STATUS_OK;
    }
    TRY(certificate_hold(c, &s, &held, err));
    matched = match_content(a, held.content) == PREDICATE_YES;
    if (matched && a->walk->judges) {
        struct matched_row row = { key, { VALUE_ROW, held.content.bits } };

        TRY(array_push(&c->matching, row, err));
    }
    return a->finds_edges && !s.is_own ? find_edges(a, &s, matched, err) : STATUS_OK;
}

/* --- Statements ------------------------------------------------------------------- */

static enum status judge_answer(struct asking *a, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct answer_fault fault = { .key = HISTORY_NONE };
    struct held held = { { .kind = VALUE_NULL }, VERSION_INITIAL };
    enum answer answer = ANSWER_UNDECIDED;

    if (!a->is_undecided)
        answer = answers_compare(&c->answers, a->head, c->matching.at, c->matching.count, &fault);
    if (answer == ANSWER_UNDECIDED)
        c->check->unjudged_predicates++;
    if (answer != ANSWER_DIFFERS)
        return STATUS_OK;
    if (fault.key != HISTORY_NONE) {
        struct sight s = certificate_look(c, &a->view, a->txn, a->head, fault.key);

        TRY(certificate_hold(c, &s, &held, err));
    }
    return blame_statement(&c->judge, a->txn, a->head, &fault, &held, err);
}

/*
 * What is seen at a transaction's own place is what was last written before it, and
 * what changes it is written behind it: where version orders are those of places, no
 * edge of such a statement leads backward.
 */
static bool leads_forward(const struct certificate *c, uint32_t txn,
                          const struct certified_view *view)
{
    uint32_t own =
        lattice_is_snapshot(c->options->level) ? c->txn_seen[txn] : c->places.position[txn];

    return !view->is_set && view->seen == own && !c->versions.by_place &&
           c->versions.unplaced == HISTORY_NONE;
}

enum status walk_statement(struct walk *w, uint32_t txn, uint32_t head, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct history *h = c->history;
    uint32_t statement = h->op_key[head], table = h->statement_table[statement];
    struct asking a = { .walk = w,
                        .txn = txn,
                        .head = head,
                        .predicate = matcher_predicate(&c->matcher, head),
                        .finds_edges = w->edge != NULL };
    const struct spans *spans = &c->matcher.spans[a.predicate];

    TRY(certificate_view(c, txn, head, &a.view, err));
    if (w->is_forward && leads_forward(c, txn, &a.view))
        a.finds_edges = false;
    a.reads_all = answers_read_all(h, head);
    a.reads_returned = h->op_kind[head] == OP_SELECT;
    c->matching.count = 0;
    if (spans->is_pinned && spans->key != HISTORY_NONE) {
        TRY(look_at(&a, spans->key, err));
    } else if (!spans->is_pinned) {
        for (uint32_t i = c->keys.start[table]; i < c->keys.start[table + 1]; i++)
            TRY(look_at(&a, c->keys.members[i], err));
    }
    return w->judges ? judge_answer(&a, err) : STATUS_OK;
}
