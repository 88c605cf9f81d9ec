/*
 * Reads Viper's histories in JSON: a transaction a line, a file a session.
 *
 *     {"value":[["w",7,100,null],["r",8,200,false]]}
 *     {"value":[["w",7,1,null],["w",8,2,null]],"isInitial":true}
 *
 * Operations are "r" with key, value and whether the version read marks a deletion, and "w" with
 * key, value and what the database answered, which is passed over, as is all behind it. The
 * initial transaction comes before all others and belongs to no session: what it writes is what
 * keys begin with. Range queries, inserts and deletes, and reads of a deletion, are refused: they are about
 * predicates, which a history of items cannot tell.
 *
 * Viper writes one file for each session into a folder; a file that is given alone is one session.
 */
#include <string.h>

#include "history/foreign/foreign_private.h"

struct viper_reader {
    struct draft_file whole;
    struct buffer name; /* of the key at hand */
};

struct viper_op {
    bool is_write;
    struct text key;
    struct value value;
};

static enum status take_value(struct viper_reader *r, struct value *value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar scalar;

    TRY(edn_take(e, "a value: a number, a string or null", &scalar, err));
    if (scalar.kind == EDN_STRING)
        return builder_text_value(&r->whole.draft.builder, scalar.text, value, err);
    if (scalar.kind != EDN_INTEGER && scalar.kind != EDN_NIL)
        return edn_refuse(e, "a number, a string or null before this", err);
    *value = scalar.kind == EDN_NIL ? value_null() : value_integer(scalar.integer);
    return STATUS_OK;
}

static enum status take_key(struct viper_reader *r, struct text *key, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar scalar;

    TRY(edn_take(e, "a key: a number or a string", &scalar, err));
    if (scalar.kind != EDN_INTEGER && scalar.kind != EDN_STRING)
        return edn_refuse(e, "a number or a string before this", err);
    buffer_clear(&r->name);
    buffer_text(&r->name, scalar.text);
    TRY(buffer_status(&r->name, err));
    *key = (struct text){ r->name.at, r->name.count };
    return STATUS_OK;
}

/* Behind the opening bracket, up to and with the closing one. */
static enum status take_op(struct viper_reader *r, struct viper_op *op, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar kind;
    bool more, is_dead = false;

    TRY(edn_take(e, "\"r\" or \"w\"", &kind, err));
    op->is_write = edn_is_name(e, &kind, "w");
    if (!op->is_write && !edn_is_name(e, &kind, "r"))
        return edn_refuse(e, "\"r\" or \"w\" before this: ranges, inserts and deletes are not read",
                          err);
    TRY(take_key(r, &op->key, err));
    TRY(take_value(r, &op->value, err));
    if (op->is_write && op->value.kind == VALUE_NULL)
        return edn_refuse(e, "a value that is written before this", err);
    TRY(edn_more(e, '[', &more, err));
    if (more && !op->is_write) {
        TRY(edn_take_boolean(e, "whether a deletion was read, true or false", &is_dead, err));
        if (is_dead)
            return edn_refuse(e, "false before this: reads of a deletion are not read", err);
        TRY(edn_more(e, '[', &more, err));
        if (more)
            return edn_refuse(e, "the end of the operation", err);
    }
    while (more) {
        TRY(edn_skip(e, err));
        TRY(edn_more(e, '[', &more, err));
    }
    return STATUS_OK;
}

static enum status take_ops(struct viper_reader *r, bool is_initial, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct viper_op op;
    bool more;

    TRY(edn_open(e, '[', "a list of operations", err));
    for (;;) {
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(edn_open(e, '[', "an operation, a list", err));
        TRY(take_op(r, &op, err));
        if (!is_initial)
            TRY(draft_add_op(&r->whole.draft, txn, op.is_write ? OP_WRITE : OP_READ, op.key, op.value,
                             err));
        else if (op.is_write)
            TRY(draft_add_initial(&r->whole.draft, op.key, op.value, err));
        else
            return edn_refuse(e, "a write before this: the initial transaction reads nothing", err);
    }
}

static enum status take_txn(struct viper_reader *r, int64_t session, struct error *err)
{
    struct edn *e = &r->whole.edn;
    const char *value = NULL, *behind;
    bool is_initial = false, more = true;
    uint32_t txn = 0;

    TRY(edn_open(e, '{', "a transaction, an object", err));
    while (more) {
        struct edn_scalar name;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            break;
        if (edn_is_name(e, &name, "isInitial")) {
            TRY(edn_take_boolean(e, "true or false", &is_initial, err));
            continue;
        }
        if (edn_is_name(e, &name, "value")) {
            if (value)
                return edn_refuse(e, "no second field value", err);
            (void)edn_peek(e);
            value = e->at;
        }
        TRY(edn_skip(e, err));
    }
    if (!value)
        return edn_refuse(e, "a transaction with value before this", err);
    if (!is_initial)
        TRY(draft_add_txn(&r->whole.draft, (int64_t)r->whole.draft.txns.count, session, 0, &txn, err));
    behind = e->at;
    e->at = value;
    TRY(take_ops(r, is_initial, txn, err));
    e->at = behind;
    return STATUS_OK;
}

static enum status take_all(struct viper_reader *r, int64_t session, struct error *err)
{
    struct edn *e = &r->whole.edn;

    while (edn_peek(e) != EDN_END)
        TRY(take_txn(r, session, err));
    return e->at == e->end ? STATUS_OK : edn_refuse(e, "a transaction", err);
}

static enum status read_viper(struct source *source, struct history *history, struct error *err)
{
    struct viper_reader r = { .name = { 0 } };
    enum status status = draft_begin_file(&r.whole, source, true, err);

    if (status == STATUS_OK)
        status = take_all(&r, 0, err);
    status = draft_end_file(&r.whole, source, status, "viper", history, err);
    buffer_close(&r.name);
    return status;
}

/* One file after another: each is a session, and they make one history. */
static enum status read_sessions(const char *const *paths, size_t count, struct history *history,
                                 struct error *err)
{
    struct viper_reader r = { .name = { 0 } };
    enum status status = STATUS_OK;

    draft_init_file(&r.whole);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct source source;

        status = source_open(&source, paths[i], NULL, err);
        if (status == STATUS_OK)
            status = draft_take_file(&r.whole, &source, true, err);
        if (status == STATUS_OK)
            status = take_all(&r, (int64_t)i, err);
        if (status != STATUS_OK)
            status = draft_refuse_file(&r.whole, paths[i], err);
        source_close(&source);
    }
    status = draft_end_file(&r.whole, NULL, status, "viper", history, err);
    buffer_close(&r.name);
    return status;
}

/* Whether a list of lists comes, the first of which begins with "r" or "w" and has four elements. */
static bool begins_with_ops(struct edn ahead)
{
    struct error unsaid;
    struct edn_scalar kind;
    bool more, is_it = true;

    ahead.decoded = (struct buffer){ 0 };
    if (edn_open(&ahead, '[', "", &unsaid) != STATUS_OK ||
        edn_open(&ahead, '[', "", &unsaid) != STATUS_OK ||
        edn_take(&ahead, "", &kind, &unsaid) != STATUS_OK)
        is_it = false;
    is_it = is_it && (edn_is_name(&ahead, &kind, "r") || edn_is_name(&ahead, &kind, "w"));
    for (int i = 0; i < 2 && is_it; i++)
        is_it = edn_skip(&ahead, &unsaid) == STATUS_OK;
    is_it = is_it && edn_more(&ahead, '[', &more, &unsaid) == STATUS_OK && more;
    edn_close(&ahead);
    return is_it;
}

static bool is_it(struct text beginning)
{
    struct edn e = { 0 };
    struct error unsaid;
    struct edn_scalar name;
    bool is_it = false, more = true;

    edn_begin(&e, beginning, true);
    if (edn_open(&e, '{', "", &unsaid) == STATUS_OK)
        while (!is_it && edn_field(&e, &more, &name, &unsaid) == STATUS_OK && more) {
            is_it = edn_is_name(&e, &name, "isInitial") ||
                    (edn_is_name(&e, &name, "value") && begins_with_ops(e));
            if (edn_skip(&e, &unsaid) != STATUS_OK)
                break;
        }
    edn_close(&e);
    return is_it;
}

const struct foreign foreign_viper = { .is_it = is_it,
                                       .read = read_viper,
                                       .read_sessions = read_sessions };
