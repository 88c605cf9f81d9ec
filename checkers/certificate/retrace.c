/*
 * The short way: whether all went as if transactions had run one after the other in
 * the order of their places.
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
#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"

#define AHEAD_VERSIONS 8

/* What a key holds, and how far its version order has been followed. */
struct traced {
    struct content content;
    uint32_t own;    /* the last operation that wrote it */
    uint32_t listed; /* in order_version: the version that comes next */
};

struct retrace {
    struct certificate *certificate;
    const struct history *history;
    struct traced *keys;
    struct contents contents;
    struct written written;
    bool has_rows;
};

bool certificate_may_retrace(const struct certificate *c)
{
    const struct history *h = c->history;

    return !check_wants(c->options, CHECK_SLOWLY) && !h->txn_snapshot && !h->op_snapshot &&
           h->set_count == 0 && c->places.sequence_count == c->places.in_count;
}

static enum status init(struct retrace *r, struct error *err)
{
    const struct history *h = r->history;

    contents_init(&r->contents, h);
    TRY(written_init(&r->written, h, err));
    TRY(memory_resize((void **)&r->keys, h->key_count, sizeof *r->keys, err));
    for (uint32_t k = 0; k < h->key_count; k++) {
        uint32_t line = h->key_order[k];

        r->keys[k] = (struct traced){ content_of(history_initial(h, k)), HISTORY_NONE,
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
static bool follows_order(const struct retrace *r, uint32_t txn, uint32_t op, struct traced *key)
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

static enum status write_key(struct retrace *r, uint32_t txn, uint32_t op, bool *agrees,
                             struct error *err)
{
    const struct history *h = r->history;
    struct traced *key = &r->keys[h->op_key[op]];

    *agrees = follows_order(r, txn, op, key);
    key->own = op;
    written_note(&r->written, true, h->op_value_kind[op], h->op_value[op]);
    TRY(contents_write(&r->contents, key->content, op, &key->content, err));
    certificate_set_row(r->certificate, h->op_key[op],
                        (struct value){ (enum value_kind)key->content.kind, key->content.bits });
    return STATUS_OK;
}

/* Whether every order ended where the writes did: else it lists one that is none. */
static bool has_followed_all(const struct retrace *r)
{
    const struct history *h = r->history;

    for (size_t line = 0; line < h->order_count; line++)
        if (r->keys[h->order_key[line]].listed != h->order_start[line + 1])
            return false;
    return true;
}

/* --- Answers ---------------------------------------------------------------------- */

static bool read_agrees(const struct retrace *r, uint32_t txn, uint32_t op)
{
    const struct history *h = r->history;

    return !certificate_is_answered(h, txn, op) ||
           contents_equal(&r->contents, r->keys[h->op_key[op]].content, history_value(h, op));
}

static enum status follow_op(struct retrace *r, uint32_t txn, uint32_t op, bool *agrees,
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
static uint32_t follow_items(struct retrace *r, uint32_t op, uint32_t end)
{
    const struct history *h = r->history;
    const uint8_t *kinds = h->op_kind, *flags = h->op_flags, *value_kinds = h->op_value_kind;
    const uint32_t *op_keys = h->op_key, *order = h->order_version;
    const int64_t *values = h->op_value;
    const uint32_t order_count = (uint32_t)h->order_version_count;
    const uint8_t kind_max = r->has_rows ? OP_READ : OP_WRITE;
    struct written *w = &r->written;

    for (; op < end; op++) {
        struct traced *key = &r->keys[op_keys[op]];
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
        written_note(w, writes, value_kinds[op], values[op]);
    }
    return op;
}

static enum status follow_txn(struct retrace *r, uint32_t txn, bool *agrees, struct error *err)
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

static enum status follow_all(struct retrace *r, bool *agrees, struct error *err)
{
    const struct places *places = &r->certificate->places;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        if (i + CERTIFICATE_AHEAD < places->sequence_count)
            certificate_fetch(r->certificate, places->sequence[i + CERTIFICATE_AHEAD]);
        TRY(follow_txn(r, places->sequence[i], agrees, err));
        if (!*agrees)
            return STATUS_OK;
        if (i % CERTIFICATE_STEP == 0 && !certificate_goes_on(r->certificate, "answers", i)) {
            *agrees = false;
            return STATUS_OK;
        }
    }
    *agrees = has_followed_all(r);
    return STATUS_OK;
}

enum status certificate_retrace(struct certificate *c, bool *agrees, bool *is_distinct,
                                struct error *err)
{
    struct retrace r = { .certificate = c,
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
