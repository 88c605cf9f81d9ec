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
#include "checkers/certificate/certificate_private.h"

/* One statement, while its table's rows are looked at. */
struct asking {
    struct walk *walk;
    uint32_t txn, head;
    struct sieve sieve;
    struct certified_view view;
    bool is_undecided;
    bool reads_all, reads_returned; /* what is in rows, and not only whether they match */
};

void certificate_note_undecided(struct certificate *c, uint32_t head)
{
    check_note_unjudged(c->check, c->history->op_key[head]);
}

void certificate_note_returned(struct certificate *c, uint32_t head)
{
    const struct history *h = c->history;
    uint32_t count = h->statement_row_count[h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        c->returned[h->op_key[op]] = head + 1;
}

/* Of a version: false: nobody can say, and so nothing follows. */
static bool matches(struct asking *a, uint32_t key, uint32_t number, bool *yes)
{
    struct certificate *c = a->walk->certificate;
    enum predicate_answer answer = certificate_match(c, &a->sieve, key, number);

    *yes = answer == PREDICATE_YES;
    if (answer == PREDICATE_UNDECIDED)
        certificate_note_undecided(c, a->head);
    return answer != PREDICATE_UNDECIDED;
}

/* --- Changes ---------------------------------------------------------------------- */

static enum status tell_change(struct asking *a, const struct sight *s, uint32_t changing,
                               enum edge_kind kind, struct error *err)
{
    const struct certificate *c = a->walk->certificate;
    bool is_read = kind == EDGE_PREDICATE_WR;
    uint32_t writer = certificate_writer(c, changing);
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
    uint32_t from = s->number;

    if (s->number == VERSION_FIRST)
        return STATUS_OK;
    if (a->sieve.only)
        from = sieve_skip_back(&a->sieve, matched, from, v->start[s->key]);
    for (uint32_t n = from;; n--) {
        uint32_t before = n == v->start[s->key] ? VERSION_FIRST : n - 1;
        bool other;

        if (!matches(a, s->key, before, &other))
            return STATUS_OK;
        if (other != matched)
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
    const struct certified_versions *v = &c->versions;
    uint32_t end = v->start[s->key + 1], own = c->rank[a->txn];
    uint32_t n = s->number == VERSION_FIRST ? v->start[s->key] : s->number + 1;
    bool other;

    if (a->sieve.only) {
        uint32_t skipped = sieve_skip_forward(&a->sieve, matched, n, end);

        while (n < skipped && v->rank[n] != own)
            n++;
    }
    for (; n < end && v->rank[n] != own; n++) {
        if (!matches(a, s->key, n, &other))
            return STATUS_OK;
        if (other != matched)
            return tell_change(a, s, n, EDGE_PREDICATE_RW, err);
    }
    return STATUS_OK;
}

/* --- Rows ------------------------------------------------------------------------- */

static enum status find_edges(struct asking *a, const struct sight *s, bool matched,
                              struct error *err)
{
    const struct certificate *c = a->walk->certificate;

    if (walk_wants(a->walk, EDGE_PREDICATE_WR))
        TRY(find_change_before(a, s, matched, err));
    if (walk_wants(a->walk, EDGE_PREDICATE_RW))
        TRY(find_change_behind(a, s, matched, err));
    if (matched && (a->reads_all || (a->reads_returned && c->returned[s->key] == a->head + 1)))
        return walk_item_edges(a->walk, s, err);
    return STATUS_OK;
}

static enum status blame_unreal(struct asking *a, const struct sight *s, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct answer_fault fault = { .kind = FAULT_MISSING, .key = s->key };
    struct held held = { { .kind = VALUE_NONE }, s->unreal };

    if (!a->walk->judges)
        return STATUS_OK;
    fault.expected = history_value(c->history, s->unreal);
    return blame_statement(&c->judge, a->txn, a->head, &fault, &held, err);
}

/* What the row is where the statement looks, for its answer. */
static enum status gather(struct asking *a, const struct sight *s, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct matched_row row = { .key = s->key };
    struct held held;

    TRY(certificate_hold(c, s, &held, err));
    row.row = (struct value){ (enum value_kind)held.content.kind, held.content.bits };
    switch (s->is_own ? matcher_match(&c->matcher, a->sieve.predicate, row.row)
                      : certificate_match(c, &a->sieve, s->key, s->number)) {
    case PREDICATE_NO:
        return STATUS_OK;
    case PREDICATE_UNDECIDED:
        a->is_undecided = true;
        return STATUS_OK;
    case PREDICATE_YES:
        break;
    }
    return array_push(&c->matching, row, err);
}

static enum status look_at(struct asking *a, uint32_t key, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct sight s = certificate_look(c, &a->view, a->txn, a->head, key);
    bool matched;

    if (s.is_unreal)
        return blame_unreal(a, &s, err);
    if (a->walk->judges)
        TRY(gather(a, &s, err));
    if (!a->walk->edge || s.is_own || !matches(a, key, s.number, &matched))
        return STATUS_OK;
    return find_edges(a, &s, matched, err);
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
        certificate_note_undecided(c, a->head);
    if (answer != ANSWER_DIFFERS)
        return STATUS_OK;
    if (fault.key != HISTORY_NONE) {
        struct sight s = certificate_look(c, &a->view, a->txn, a->head, fault.key);

        TRY(certificate_hold(c, &s, &held, err));
    }
    return blame_statement(&c->judge, a->txn, a->head, &fault, &held, err);
}

enum status walk_statement(struct walk *w, uint32_t txn, uint32_t head, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct history *h = c->history;
    uint32_t statement = h->op_key[head], table = h->statement_table[statement];
    struct asking a = { .walk = w, .txn = txn, .head = head, .sieve = certificate_sieve(c, head) };
    const struct spans *spans = a.sieve.spans;

    if (!w->edge && c->agrees && c->agrees[statement])
        return STATUS_OK;
    TRY(certificate_view(c, txn, head, &a.view, err));
    a.reads_all = answers_read_all(h, head);
    a.reads_returned = h->op_kind[head] == OP_SELECT;
    if (w->edge)
        certificate_note_returned(c, head);
    c->matching.count = 0;
    if (spans->is_pinned && spans->key != HISTORY_NONE) {
        TRY(look_at(&a, spans->key, err));
    } else if (!spans->is_pinned) {
        for (uint32_t i = c->keys.start[table]; i < c->keys.start[table + 1]; i++)
            TRY(look_at(&a, c->keys.members[i], err));
    }
    return w->judges ? judge_answer(&a, err) : STATUS_OK;
}

enum status walk_table(struct walk *w, uint32_t txn, uint32_t head, struct error *err)
{
    struct certificate *c = w->certificate;
    uint32_t table = c->history->statement_table[c->history->op_key[head]];
    struct certified_view view;

    TRY(certificate_view(c, txn, head, &view, err));
    for (uint32_t i = c->keys.start[table]; i < c->keys.start[table + 1]; i++) {
        struct sight s = certificate_look(c, &view, txn, head, c->keys.members[i]);

        if (!s.is_own && !s.is_unreal)
            TRY(w->sight(w->context, &s, err));
    }
    return STATUS_OK;
}
