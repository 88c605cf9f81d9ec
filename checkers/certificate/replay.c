/*
 * Replays transactions in the order of their places: all of them, or statements alone.
 *
 * The first asks whether all went as if transactions had run one after the other.
 *
 *     places        T1      T4      T2
 *     x             w 1     r 1     w 7         version order of x: T1 T2
 *
 * Where transactions look at their own places, version orders are those of places,
 * and every answer is what such a run returns, every edge leads forward: from the
 * writer of a version to its readers behind it, from those to the next writer, and
 * whatever changes what a predicate matches likewise. So there is no cycle, and the
 * answers were held against the versions that the certificate names: what the
 * long way would find is nothing. One look at each operation is enough for all of that;
 * at the first that is otherwise it ends, and the long way is gone.
 */
#include "checkers/certificate/replay_private.h"

#include <stdlib.h>

#include "checkers/certificate/other_anomalies_private.h"
#include "checkers/certificate/walk_private.h"

#define AHEAD_VERSIONS 8

/* What a key holds, and how far its version order has been followed. */
struct replayed_key {
    struct content content;
    uint32_t own;    /* the last operation that wrote it */
    uint32_t listed; /* in order_version: the version that comes next */
};

struct certificate_replay {
    struct certificate *certificate;
    const struct history *history;
    struct replayed_key *keys;
    struct contents contents;
    struct written written;
    bool has_rows;
};

/* A key's row where a replay is; of keys of no table nothing. */
static void certificate_set_row(struct certificate *c, uint32_t key, struct value value)
{
    if (c->rows.tables && c->keys.table[key] != HISTORY_NONE)
        rows_set(&c->rows, key, (uint8_t)value.kind, value.bits);
}

/* Whether an answered head, there, returns what it did. False, too, if that is undecided. */
static enum status certificate_ask_rows(struct certificate *c, uint32_t head, bool *agrees,
                                        struct error *err)
{
    struct rows *rows = &c->rows;
    struct answer_fault unsaid;

    *agrees = rows_agree(rows, head);
    if (*agrees)
        return STATUS_OK;
    TRY(rows_find(rows, head, err));
    *agrees =
        !rows->is_undecided && answers_compare(&c->answers, head, rows->matching.at,
                                               rows->matching.count, &unsaid) == ANSWER_AGREES;
    return STATUS_OK;
}

bool certificate_may_replay(const struct certificate *c)
{
    const struct history *h = c->history;

    return !check_wants(c->options, CHECK_SLOWLY) && !h->txn_snapshot && !h->op_snapshot &&
           h->set_count == 0 && c->places.sequence_count == c->places.in_count;
}

static enum status init(struct certificate_replay *r, struct error *err)
{
    const struct history *h = r->history;

    contents_init(&r->contents, h);
    TRY(certificate_init_written(&r->written, h, err));
    TRY(memory_resize((void **)&r->keys, h->key_count, sizeof *r->keys, err));
    for (uint32_t k = 0; k < h->key_count; k++) {
        uint32_t line = h->key_order[k];

        r->keys[k] = (struct replayed_key){ content_of(history_initial(h, k)), HISTORY_NONE,
                                      (uint32_t)h->order_version_count };
        if (line != HISTORY_NONE)
            r->keys[k].listed = (uint32_t)h->order_start[line];
        certificate_set_row(r->certificate, k, history_initial(h, k));
    }
    return STATUS_OK;
}

/* --- Writes ----------------------------------------------------------------------- */

/*
 * What stands next in the key's order must be the transaction's last write of it,
 * which this one is, or which comes later.
 */
static bool follows_order(const struct certificate_replay *r, uint32_t txn, uint32_t op, struct replayed_key *key)
{
    const struct history *h = r->history;
    uint32_t listed;

    if (key->own >= h->txn_op[txn] && key->own < op)
        return op <= h->order_version[key->listed - 1];
    if (key->listed >= h->order_version_count)
        return false;
    listed = h->order_version[key->listed++];
    return listed == op ||
           (listed > op && listed < h->txn_op[txn + 1] && h->op_key[listed] == h->op_key[op]);
}

static enum status write_key(struct certificate_replay *r, uint32_t txn, uint32_t op, bool *agrees,
                             struct error *err)
{
    const struct history *h = r->history;
    struct replayed_key *key = &r->keys[h->op_key[op]];

    *agrees = follows_order(r, txn, op, key);
    key->own = op;
    certificate_note_written(&r->written, true, h->op_value_kind[op], h->op_value[op]);
    TRY(contents_write(&r->contents, key->content, op, &key->content, err));
    certificate_set_row(r->certificate, h->op_key[op],
                        (struct value){ (enum value_kind)key->content.kind, key->content.bits });
    return STATUS_OK;
}

/* Whether every order ended where the writes did: else it lists one that is none. */
static bool has_followed_all(const struct certificate_replay *r)
{
    const struct history *h = r->history;

    for (size_t line = 0; line < h->order_count; line++)
        if (r->keys[h->order_key[line]].listed != h->order_start[line + 1])
            return false;
    return true;
}

/* --- Answers ---------------------------------------------------------------------- */

static bool read_agrees(const struct certificate_replay *r, uint32_t txn, uint32_t op)
{
    const struct history *h = r->history;

    return !certificate_is_answered(h, txn, op) ||
           contents_equal(&r->contents, r->keys[h->op_key[op]].content, history_value(h, op));
}

static enum status follow_op(struct certificate_replay *r, uint32_t txn, uint32_t op, bool *agrees,
                             struct error *err)
{
    const struct history *h = r->history;

    *agrees = true;
    if (history_makes_version(h, op))
        return write_key(r, txn, op, agrees, err);
    if (h->op_kind[op] == OP_READ)
        *agrees = read_agrees(r, txn, op);
    else if (op_is_head(h->op_kind[op]) && certificate_is_answered(h, txn, op))
        return certificate_ask_rows(r->certificate, op, agrees, err);
    return STATUS_OK;
}

/*
 * Reads and writes of items in one go and, since nobody could foretell which comes
 * next, without a jump: where a read agrees, what it returned can as well be written.
 * How far it came; what stops it is for follow_op().
 */
static uint32_t follow_items(struct certificate_replay *r, uint32_t op, uint32_t end)
{
    const struct history *h = r->history;
    const uint8_t *kinds = h->op_kind, *flags = h->op_flags, *value_kinds = h->op_value_kind;
    const uint32_t *op_keys = h->op_key, *order = h->order_version;
    const int64_t *values = h->op_value;
    const uint32_t order_count = (uint32_t)h->order_version_count;
    const uint8_t kind_max = r->has_rows ? OP_READ : OP_WRITE;
    struct written *w = &r->written;

    for (; op < end; op++) {
        struct replayed_key *key = &r->keys[op_keys[op]];
        bool writes = kinds[op] == OP_WRITE, is_same, is_next;

        if (kinds[op] > kind_max || flags[op] & OP_ERROR || key->listed >= order_count)
            break;
        is_same = (key->content.kind == value_kinds[op]) & (key->content.bits == values[op]);
        is_next = order[key->listed] == op;
        if (!((writes & is_next) | (!writes & is_same)))
            break;
        key->content.kind = value_kinds[op];
        key->content.bits = values[op];
        key->own = writes ? op : key->own;
        key->listed += writes;
        if (key->listed + AHEAD_VERSIONS < order_count)
            __builtin_prefetch(&order[key->listed + AHEAD_VERSIONS]);
        certificate_note_written(w, writes, value_kinds[op], values[op]);
    }
    return op;
}

static enum status follow_txn(struct certificate_replay *r, uint32_t txn, bool *agrees, struct error *err)
{
    const struct history *h = r->history;
    uint32_t end = h->txn_op[txn + 1];

    *agrees = true;
    for (uint32_t op = follow_items(r, h->txn_op[txn], end); op < end && *agrees;
         op = follow_items(r, op + 1, end))
        TRY(follow_op(r, txn, op, agrees, err));
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

static enum status follow_all(struct certificate_replay *r, bool *agrees, struct error *err)
{
    const struct places *places = &r->certificate->places;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        if (i + CERTIFICATE_AHEAD < places->sequence_count)
            certificate_fetch(r->certificate, places->sequence[i + CERTIFICATE_AHEAD]);
        TRY(follow_txn(r, places->sequence[i], agrees, err));
        if (!*agrees)
            return STATUS_OK;
        if (certificate_is_time(r->certificate, i) && !certificate_goes_on(r->certificate, "answers", i)) {
            *agrees = false;
            return STATUS_OK;
        }
    }
    *agrees = has_followed_all(r);
    return STATUS_OK;
}

enum status certificate_replay(struct certificate *c, bool *agrees, bool *is_distinct,
                               struct error *err)
{
    struct certificate_replay r = { .certificate = c,
                         .history = c->history,
                         .has_rows = c->rows.tables != NULL };
    enum status status = init(&r, err);

    if (status == STATUS_OK)
        status = follow_all(&r, agrees, err);
    *is_distinct = *agrees && !r.written.any_twice;
    free(r.keys);
    free(r.written.words);
    contents_close(&r.contents);
    return status;
}

/* --- Statements alone ---------------------------------------------------------- */

/*
 * Statements that surely returned what they should have, found in one replay_statements.
 *
 *     place                1     2          3
 *     rows                 t/1   t/1 t/2    t/2
 *     statements there           T7's       T5's, T9's        each with its own writes on top
 *
 * Whatever looks at a place sees the rows as the transactions before it left
 * them: so statements are put in the order of the places where they look, and asked
 * as the replay_statements comes by, which is faster than looking for each row's version once a
 * statement. Those that do not agree here, or look elsewhere, are judged row by
 * row, with the versions that they saw: nothing is told from here.
 */

struct waiting_statement {
    uint32_t head, txn;
};

struct overlaid {
    uint32_t key;
    int64_t row; /* that is there without it; less than 0: none */
};

struct statement_replay {
    struct certificate *certificate;
    struct waiting_statement *waiting; /* by the place where they look */
    uint32_t *start;         /* by place, and two more while they are put there */
    uint32_t txn, until;     /* whose writes are on top, before this operation */
    ARRAY(struct overlaid) overlaid;
};

/* --- Who looks where -------------------------------------------------------------- */

/* Whether it looks at a place that is not behind its own, and with few writes to put on top. */
static bool may_wait(const struct certificate *c, uint32_t txn, uint32_t head, uint32_t *seen)
{
    const struct history *h = c->history;
    uint32_t table = h->statement_table[h->op_key[head]];
    struct certified_view view;
    struct error unsaid;

    if (!op_is_head(h->op_kind[head]) || !certificate_is_answered(h, txn, head) ||
        certificate_view(c, txn, head, &view, &unsaid) != STATUS_OK || view.is_set ||
        view.seen > c->places.position[txn] ||
        head - h->txn_op[txn] > 1024 + c->keys.start[table + 1] - c->keys.start[table])
        return false;
    *seen = view.seen;
    return true;
}

static enum status line_up(struct statement_replay *g, struct error *err)
{
    struct certificate *c = g->certificate;
    const struct history *h = c->history;
    uint32_t *seen = NULL, *txns = NULL; /* by statement */

    TRY(check_memory((void **)&g->start, (size_t)c->places.sequence_count + 3, sizeof *g->start, 0,
                     err));
    TRY(memory_resize((void **)&g->waiting, h->statement_count, sizeof *g->waiting, err));
    TRY(check_memory((void **)&seen, h->statement_count, sizeof *seen, 0xff, err));
    TRY(memory_resize((void **)&txns, h->statement_count, sizeof *txns, err));
    for (uint32_t t = 0, s = 0; s < h->statement_count; s++) {
        uint32_t head = h->statement_op[s];

        while (h->txn_op[t + 1] <= head)
            t++;
        txns[s] = t;
        if (places_is_in(&c->places, t) && may_wait(c, t, head, &seen[s]))
            g->start[seen[s] + 2]++;
    }
    array_sum_prefixes(g->start, c->places.sequence_count + 3);
    for (uint32_t s = 0; s < h->statement_count; s++)
        if (seen[s] != HISTORY_NONE)
            g->waiting[g->start[seen[s] + 1]++] = (struct waiting_statement){ h->statement_op[s], txns[s] };
    free(seen);
    free(txns);
    return STATUS_OK;
}

/* --- Rows ------------------------------------------------------------------------- */

static void leave_behind(struct certificate *c, uint32_t txn)
{
    const struct history *h = c->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (c->versions.number[op] != HISTORY_NONE)
            certificate_set_row(c, h->op_key[op], history_value(h, op));
}

static void take_off(struct statement_replay *g)
{
    while (g->overlaid.count > 0) {
        struct overlaid *o = &g->overlaid.at[--g->overlaid.count];
        struct value row = { o->row < 0 ? VALUE_NULL : VALUE_ROW, o->row };

        certificate_set_row(g->certificate, o->key, row);
    }
}

/* What the transaction itself wrote before its statement. */
static enum status put_on_top(struct statement_replay *g, const struct waiting_statement *w, struct error *err)
{
    struct certificate *c = g->certificate;
    const struct history *h = c->history;

    if (g->txn != w->txn) {
        take_off(g);
        g->txn = w->txn;
        g->until = h->txn_op[w->txn];
    }
    for (; g->until < w->head; g->until++) {
        uint32_t key = h->op_key[g->until];
        struct overlaid o;

        if (!history_makes_version(h, g->until) || c->keys.table[key] == HISTORY_NONE)
            continue;
        o = (struct overlaid){ key, c->rows.row[key] };
        TRY(array_push(&g->overlaid, o, err));
        certificate_set_row(c, key, history_value(h, g->until));
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

static enum status ask_all(struct statement_replay *g, uint32_t place, struct error *err)
{
    struct certificate *c = g->certificate;

    g->txn = HISTORY_NONE;
    for (uint32_t i = g->start[place]; i < g->start[place + 1]; i++) {
        const struct waiting_statement *w = &g->waiting[i];
        bool agrees;

        TRY(put_on_top(g, w, err));
        TRY(certificate_ask_rows(c, w->head, &agrees, err));
        c->agrees[c->history->op_key[w->head]] = agrees;
    }
    take_off(g);
    return STATUS_OK;
}

static enum status replay_statements(struct statement_replay *g, struct error *err)
{
    struct certificate *c = g->certificate;
    const struct history *h = c->history;
    uint32_t count = c->places.sequence_count;

    TRY(line_up(g, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        certificate_set_row(c, key, history_initial(h, key));
    for (uint32_t place = 0; place <= count; place++) {
        TRY(ask_all(g, place, err));
        if (place < count)
            leave_behind(c, c->places.sequence[place]);
        if (certificate_is_time(c, place) && !certificate_goes_on(c, "answers", place))
            return STATUS_OK;
    }
    return STATUS_OK;
}

enum status certificate_replay_statements(struct certificate *c, struct error *err)
{
    struct statement_replay g = { .certificate = c };
    enum status status;

    if (c->history->statement_count == 0 || check_wants(c->options, CHECK_SLOWLY))
        return STATUS_OK;
    TRY(check_memory((void **)&c->agrees, c->history->statement_count, sizeof *c->agrees, 0, err));
    status = replay_statements(&g, err);
    free(g.waiting);
    free(g.start);
    array_close(&g.overlaid);
    return status;
}
