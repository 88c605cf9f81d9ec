/*
 * The walk: transactions in the order of their places, then those without one; of
 * each what it saw, and then what it left behind.
 */
#include "checkers/certificate/certificate_private.h"

/* --- Items ------------------------------------------------------------------------ */

enum status walk_item_edges(struct walk *w, const struct sight *s, struct error *err)
{
    const struct certificate *c = w->certificate;
    const struct certified_versions *v = &c->versions;
    struct edge edge = { .op = s->op,
                         .key = s->key,
                         .version = certificate_version_op(c, s->number) };
    uint32_t next;

    if (walk_wants(w, EDGE_WR) && s->number != VERSION_FIRST) {
        edge.kind = EDGE_WR;
        edge.from = certificate_writer(c, s->number);
        edge.to = s->txn;
        TRY(w->edge(w->context, &edge, err));
    }
    next = certificate_next(c, s->key, s->number);
    /* What comes behind its own version, version order says already. */
    if (!walk_wants(w, EDGE_RW) || next == HISTORY_NONE || certificate_writer(c, next) == s->txn)
        return STATUS_OK;
    edge.kind = EDGE_RW;
    edge.from = s->txn;
    edge.to = certificate_writer(c, next);
    edge.other = v->op[next];
    return w->edge(w->context, &edge, err);
}

/* Whether the version's own value is the answer, as it nearly always is. */
static bool is_plainly(const struct certificate *c, const struct sight *s)
{
    const struct history *h = c->history;
    uint32_t op;

    if (s->is_own || s->is_unreal || s->number == VERSION_FIRST || c->versions.content)
        return false;
    op = c->versions.op[s->number];
    return h->op_value_kind[op] == h->op_value_kind[s->op] && h->op_value[op] == h->op_value[s->op];
}

static enum status judge_read(struct walk *w, const struct sight *s, struct error *err)
{
    struct certificate *c = w->certificate;
    struct held held;

    if (is_plainly(c, s))
        return STATUS_OK;
    TRY(certificate_hold(c, s, &held, err));
    if (!s->is_unreal &&
        contents_equal(&c->contents, held.content, history_value(c->history, s->op)))
        return STATUS_OK;
    return blame_read(&c->judge, s->txn, s->op, &held, err);
}

static enum status walk_read(struct walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct certificate *c = w->certificate;
    struct certified_view view;
    struct sight s;

    TRY(certificate_view(c, txn, op, &view, err));
    s = certificate_look(c, &view, txn, op, c->history->op_key[op]);
    if (w->judges)
        TRY(judge_read(w, &s, err));
    if (s.is_own || s.is_unreal)
        return STATUS_OK;
    if (w->sight)
        TRY(w->sight(w->context, &s, err));
    return w->edge ? walk_item_edges(w, &s, err) : STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status walk_write(struct walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct certified_versions *v = &c->versions;
    uint32_t key = c->history->op_key[op], number = v->number[op];
    struct edge edge = { .kind = EDGE_WW, .key = key, .op = op };

    c->walked[key].own = op;
    if (number == HISTORY_NONE)
        return STATUS_OK;
    c->walked[key].latest = number; /* who wrote it no longer looks at it */
    if (number == v->start[key] || !walk_wants(w, EDGE_WW) || (w->skips && w->skips[txn]))
        return STATUS_OK;
    edge.from = certificate_writer(c, number - 1);
    edge.to = txn;
    edge.version = v->op[number - 1];
    edge.other = op;
    return w->edge(w->context, &edge, err);
}

/* A statement looks before it writes: its rows come behind its head. */
static enum status walk_txn(struct walk *w, uint32_t txn, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct history *h = c->history;
    bool looks = w->judges || (w->edge && (w->kinds & ~(UINT32_C(1) << EDGE_WW)));
    bool reads = looks || w->sight;

    if (w->skips && w->skips[txn])
        reads = looks = false;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (history_makes_version(h, op))
            TRY(walk_write(w, txn, op, err));
        else if (!reads || kind == OP_ROW_READ || !certificate_is_answered(h, txn, op))
            continue;
        else if (kind == OP_READ)
            TRY(walk_read(w, txn, op, err));
        else if (looks)
            TRY(walk_statement(w, txn, op, err));
        else if (w->sees_tables)
            TRY(walk_table(w, txn, op, err));
    }
    return STATUS_OK;
}

void certificate_begin_walk(struct certificate *c)
{
    for (size_t k = 0; k <= c->history->key_count; k++)
        c->walked[k] = (struct walked){ HISTORY_NONE, VERSION_FIRST };
}

enum status certificate_walk(struct walk *w, struct error *err)
{
    struct certificate *c = w->certificate;

    certificate_begin_walk(c);
    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        TRY(walk_txn(w, c->ranked[rank], err));
        if (rank % CERTIFICATE_STEP == 0 &&
            !certificate_goes_on(c, w->judges ? "answers" : "cycles", rank))
            return STATUS_OK;
    }
    return STATUS_OK;
}
