/*
 * Reads histories of TimeKiller (Chronos and Aion): a list of transactions with the store's
 * timestamps.
 *
 *     [{"tid":67,"sid":19,"sts":{"p":1691,"l":61},"cts":{"p":1695,"l":18},
 *       "ops":[{"t":"w","k":7,"v":2},{"t":"r","k":8,"v":3}]}]
 *
 * A transaction reads as of its start, `sts`, its snapshot; its writes stand at its commit, `cts`, its
 * ts. Both are a physical and a logical part. Operations are r, w and a (append), also spelled
 * out, in letters of any case; `v` is a number, null, which may be left out, or for a read a list. Ids
 * may be strings: those that are no numbers are numbered from -2 down.
 */
#include <string.h>

#include "history/foreign/foreign_private.h"

struct chronos_reader {
    struct draft_file whole;
    struct intern names;         /* ids that are no numbers */
    struct edn_integers elements; /* of the list at hand */
};

struct op {
    enum op_kind kind;
    bool has_kind, has_key;
    int64_t key;
    struct value value;
};

/* --- Operations ------------------------------------------------------------------- */

static bool is_word(struct text text, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; i < length && length == text.length; i++)
        if ((text.at[i] | 32) != word[i])
            return false;
    return length == text.length;
}

static enum status take_kind(struct edn *e, struct op *op, struct error *err)
{
    struct edn_scalar scalar;

    TRY(edn_take(e, "r, w or a", &scalar, err));
    op->has_kind = true;
    if (is_word(scalar.text, "r") || is_word(scalar.text, "read"))
        op->kind = OP_READ;
    else if (is_word(scalar.text, "w") || is_word(scalar.text, "write"))
        op->kind = OP_WRITE;
    else if (is_word(scalar.text, "a") || is_word(scalar.text, "append"))
        op->kind = OP_APPEND;
    else
        return edn_refuse(e, "r, w or a before this", err);
    return STATUS_OK;
}

static enum status take_value(struct chronos_reader *r, struct value *value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    int64_t number;

    *value = value_null();
    if (edn_peek(e) == EDN_NIL)
        return edn_skip(e, err);
    if (edn_peek(e) == EDN_OPEN) {
        TRY(edn_take_integers(e, &r->elements, err));
        return builder_list(&r->whole.draft.builder, r->elements.all.at, r->elements.all.count,
                            value, err);
    }
    TRY(edn_take_integer(e, "a value: a number, null or a list", &number, err));
    *value = value_integer(number);
    return STATUS_OK;
}

static enum status take_op(struct chronos_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct op op = { .value = value_null() };
    bool more = true;

    TRY(edn_open(e, '{', "an operation, an object", err));
    while (more) {
        struct edn_scalar name;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            break;
        if (edn_is_name(e, &name, "t")) {
            TRY(take_kind(e, &op, err));
        } else if (edn_is_name(e, &name, "k")) {
            op.has_key = true;
            TRY(edn_take_integer(e, "a key, a number", &op.key, err));
        } else if (edn_is_name(e, &name, "v")) {
            TRY(take_value(r, &op.value, err));
        } else {
            TRY(edn_skip(e, err));
        }
    }
    if (!op.has_kind || !op.has_key)
        return edn_refuse(e, "an operation with t and k before this", err);
    if (op.kind == OP_APPEND && op.value.kind != VALUE_INTEGER)
        return edn_refuse(e, "a number that is appended before this", err);
    if (op.kind == OP_WRITE && op.value.kind == VALUE_LIST)
        return edn_refuse(e, "a number that is written before this", err);
    return draft_add_numbered(&r->whole.draft, txn, op.kind, op.key, op.value, err);
}

static enum status take_ops(struct chronos_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool more;

    TRY(edn_open(e, '[', "a list of operations", err));
    for (;;) {
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(take_op(r, txn, err));
    }
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status take_id(struct chronos_reader *r, const char *what, int64_t *id, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar scalar;
    uint32_t name;

    if (edn_peek(e) == EDN_INTEGER)
        return edn_take_integer(e, what, id, err);
    if (edn_peek(e) != EDN_STRING)
        return edn_refuse(e, what, err);
    TRY(edn_take(e, what, &scalar, err));
    if (text_to_int64(scalar.text, id))
        return STATUS_OK;
    TRY(intern_add(&r->names, scalar.text, &name, err));
    *id = -2 - (int64_t)name;
    return STATUS_OK;
}

static enum status take_place(struct edn *e, struct place *place, struct error *err)
{
    bool has_physical = false, more;

    *place = (struct place){ 2, { 0, 0 } };
    TRY(edn_open(e, '{', "a timestamp, {\"p\":1,\"l\":0}", err));
    for (;;) {
        struct edn_scalar name;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            break;
        if (edn_is_name(e, &name, "p")) {
            has_physical = true;
            TRY(edn_take_integer(e, "a number", &place->part[0], err));
        } else if (edn_is_name(e, &name, "l")) {
            TRY(edn_take_integer(e, "a number", &place->part[1], err));
        } else {
            TRY(edn_skip(e, err));
        }
    }
    return has_physical ? STATUS_OK : edn_refuse(e, "a timestamp with p before this", err);
}

struct chronos_seen {
    bool tid, sid, sts, cts, ops;
};

/* A transaction is added when its first field comes; ids may come behind its operations. */
static enum status take_txn_field(struct chronos_reader *r, const struct edn_scalar *name,
                                  struct draft_txn *txn, struct chronos_seen *seen, const char **ops,
                                  struct error *err)
{
    struct edn *e = &r->whole.edn;

    if (edn_is_name(e, name, "tid")) {
        seen->tid = true;
        return take_id(r, "an id: a number or a string", &txn->id, err);
    }
    if (edn_is_name(e, name, "sid")) {
        seen->sid = true;
        return take_id(r, "a session: a number or a string", &txn->session, err);
    }
    if (edn_is_name(e, name, "sts")) {
        seen->sts = true;
        return take_place(e, &txn->snapshot, err);
    }
    if (edn_is_name(e, name, "cts")) {
        seen->cts = true;
        return take_place(e, &txn->ts, err);
    }
    if (edn_is_name(e, name, "ops")) {
        seen->ops = true;
        (void)edn_peek(e);
        *ops = e->at;
    }
    return edn_skip(e, err);
}

/* The operations are read last, when the transaction that they belong to is known. */
static enum status take_txn(struct chronos_reader *r, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct draft_txn read = { .id = 0 };
    struct chronos_seen seen = { .tid = false };
    const char *ops = NULL, *behind;
    bool more = true;
    uint32_t txn;

    TRY(edn_open(e, '{', "a transaction, an object", err));
    while (more) {
        struct edn_scalar name;

        TRY(edn_field(e, &more, &name, err));
        if (more)
            TRY(take_txn_field(r, &name, &read, &seen, &ops, err));
    }
    if (!seen.tid || !seen.sid || !seen.sts || !seen.cts || !seen.ops)
        return edn_refuse(e, "a transaction with tid, sid, sts, cts and ops before this", err);
    TRY(draft_add_txn(&r->whole.draft, read.id, read.session, 0, &txn, err));
    r->whole.draft.txns.at[txn].ts = read.ts;
    r->whole.draft.txns.at[txn].snapshot = read.snapshot;
    behind = e->at;
    e->at = ops;
    TRY(take_ops(r, txn, err));
    e->at = behind;
    return STATUS_OK;
}

static enum status take_all(struct chronos_reader *r, struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool more;

    TRY(edn_open(e, '[', "a list of transactions", err));
    for (;;) {
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            break;
        TRY(take_txn(r, err));
    }
    return draft_is_over(&r->whole, err);
}

static enum status read_chronos(struct source *source, struct history *history, struct error *err)
{
    struct chronos_reader r = { .names = { 0 } };
    enum status status = draft_begin_file(&r.whole, source, true, err);

    if (status == STATUS_OK)
        status = take_all(&r, err);
    status = draft_end_file(&r.whole, source, status, "chronos", history, err);
    intern_close(&r.names);
    array_close(&r.elements.all);
    return status;
}

/* The first transaction has ids or timestamps among its fields. */
static bool is_it(struct text beginning)
{
    struct edn e = { 0 };
    struct error unsaid;
    struct edn_scalar name;
    bool is_it = false, more = true;

    edn_begin(&e, beginning, true);
    if (edn_open(&e, '[', "", &unsaid) == STATUS_OK && edn_open(&e, '{', "", &unsaid) == STATUS_OK)
        while (!is_it && edn_field(&e, &more, &name, &unsaid) == STATUS_OK && more) {
            is_it = edn_is_name(&e, &name, "tid") || edn_is_name(&e, &name, "sid") ||
                    edn_is_name(&e, &name, "sts") || edn_is_name(&e, &name, "cts");
            if (edn_skip(&e, &unsaid) != STATUS_OK)
                break;
        }
    edn_close(&e);
    return is_it;
}

const struct foreign foreign_chronos = { .is_it = is_it, .read = read_chronos };
