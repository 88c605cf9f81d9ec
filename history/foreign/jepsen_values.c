
#include "history/foreign/jepsen_values_private.h"
#include "history/foreign/jepsen_workloads_private.h"

#include <inttypes.h>

enum status jepsen_take_name(struct jepsen_reader *r, struct text *name, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar scalar;

    TRY(edn_take(e, "a key: a number, a keyword or a string", &scalar, err));
    if (scalar.kind == EDN_KEYWORD) { /* in the text the colon stands before it */
        scalar.text.at--;
        scalar.text.length++;
    }
    *name = scalar.text;
    return STATUS_OK;
}

static enum status take_key(struct jepsen_reader *r, uint32_t *key, struct error *err)
{
    struct text name;

    TRY(jepsen_take_name(r, &name, err));
    return draft_key(&r->whole.draft, name, key, err);
}

static enum status take_value(struct jepsen_reader *r, struct value *value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar scalar;

    if (edn_peek(e) == EDN_OPEN) {
        TRY(edn_take_integers(e, &r->elements, err));
        return builder_list(&r->whole.draft.builder, r->elements.all.at, r->elements.all.count,
                            value, err);
    }
    TRY(edn_take(e, "a value", &scalar, err));
    switch (scalar.kind) {
    case EDN_NIL:
        *value = value_null();
        return STATUS_OK;
    case EDN_TRUE:
    case EDN_FALSE:
        *value = value_boolean(scalar.kind == EDN_TRUE);
        return STATUS_OK;
    case EDN_INTEGER:
        *value = value_integer(scalar.integer);
        return STATUS_OK;
    default:
        return builder_text_value(&r->whole.draft.builder, scalar.text, value, err);
    }
}

static enum status add(struct jepsen_reader *r, uint32_t txn, enum op_kind kind, uint32_t key,
                       struct value value, struct error *err)
{
    bool answered = r->whole.draft.txns.at[txn].status == TXN_OK;

    if (kind == OP_READ && !answered)
        value = value_none();
    if (kind == OP_APPEND && value.kind != VALUE_INTEGER)
        return edn_refuse(&r->whole.edn, "a number before this, as elements are", err);
    return draft_add_op_of(&r->whole.draft, txn, kind, key, value, err);
}

static enum status end_list(struct edn *e, const char *what, struct error *err)
{
    bool more;

    TRY(edn_more(e, '[', &more, err));
    return more ? edn_refuse(e, what, err) : STATUS_OK;
}

/* --- Transactions ------------------------------------------------------------------ */

/* [:append k e], [:r k nil] or [:w k v]. */
static enum status take_micro_op(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar f;
    struct value value;
    enum op_kind kind;
    uint32_t key;

    TRY(edn_open(e, '[', "an operation: [:r k v], [:w k v] or [:append k e]", err));
    TRY(edn_take(e, ":r, :w or :append", &f, err));
    if (edn_is_name(e, &f, "r") || edn_is_name(e, &f, "read"))
        kind = OP_READ;
    else if (edn_is_name(e, &f, "w") || edn_is_name(e, &f, "write"))
        kind = OP_WRITE;
    else if (edn_is_name(e, &f, "append"))
        kind = OP_APPEND;
    else
        return edn_refuse(e, ":r, :w or :append before this", err);
    TRY(take_key(r, &key, err));
    TRY(take_value(r, &value, err));
    TRY(end_list(e, "the end of the operation", err));
    return add(r, txn, kind, key, value, err);
}

static enum status take_micro_ops(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;

    if (edn_peek(e) == EDN_NIL)
        return edn_skip(e, err);
    TRY(edn_open(e, '[', "a list of operations", err));
    for (;;) {
        bool more;

        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(take_micro_op(r, txn, err));
    }
}

/* --- Registers --------------------------------------------------------------------- */

/* Whether the value is [k v]; the lexer does not move. */
static enum keyed is_keyed(struct edn ahead, unsigned function)
{
    struct error unsaid;
    bool is_list;

    ahead.decoded = (struct buffer){ 0 };
    is_list = edn_peek(&ahead) == EDN_OPEN && edn_open(&ahead, '[', "", &unsaid) == STATUS_OK;
    if (is_list && function == F_CAS)
        is_list = edn_skip(&ahead, &unsaid) == STATUS_OK && edn_peek(&ahead) == EDN_OPEN;
    edn_close(&ahead);
    return is_list ? KEYED : KEYED_NOT;
}

/* Passes `[k` if registers have keys, and refuses what is not as it was before. */
static enum status begin_register(struct jepsen_reader *r, unsigned function, uint32_t *key,
                                  struct error *err)
{
    struct edn *e = &r->whole.edn;
    enum keyed keyed = is_keyed(*e, function);

    if (r->keyed != KEYED_UNSAID && r->keyed != keyed)
        return edn_refuse(e,
                          r->keyed == KEYED ? "[key value], as the registers before have keys"
                                            : "a value without a key, as the registers before",
                          err);
    r->keyed = keyed;
    if (keyed == KEYED_NOT)
        return draft_key(&r->whole.draft, TEXT("register"), key, err);
    TRY(edn_open(e, '[', "[key value]", err));
    return take_key(r, key, err);
}

static enum status end_register(struct jepsen_reader *r, struct error *err)
{
    return r->keyed == KEYED ? end_list(&r->whole.edn, "the end of [key value]", err) : STATUS_OK;
}

/* [old new]: the old value was read, and the new one written. */
static enum status take_cas(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct value old, new;
    uint32_t key;

    TRY(begin_register(r, F_CAS, &key, err));
    TRY(edn_open(e, '[', "[old new]", err));
    TRY(take_value(r, &old, err));
    TRY(take_value(r, &new, err));
    TRY(end_list(e, "the end of [old new]", err));
    TRY(end_register(r, err));
    TRY(add(r, txn, OP_READ, key, old, err));
    return add(r, txn, OP_WRITE, key, new, err);
}

static enum status take_access(struct jepsen_reader *r, uint32_t txn, unsigned function,
                               struct error *err)
{
    struct value value;
    uint32_t key;

    TRY(begin_register(r, function, &key, err));
    TRY(take_value(r, &value, err));
    TRY(end_register(r, err));
    return add(r, txn, function == F_READ ? OP_READ : OP_WRITE, key, value, err);
}

/* What was rolled back, and reads without an answer, say nothing in any case. */
static enum status miss_value(struct jepsen_reader *r, uint32_t txn, unsigned function,
                              struct error *err)
{
    uint8_t status = r->whole.draft.txns.at[txn].status;

    if (status == TXN_ABORT || (status == TXN_UNKNOWN && function == F_READ))
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " has no :value",
                     r->whole.draft.txns.at[txn].id);
}

enum status jepsen_take_ops(struct jepsen_reader *r, uint32_t txn, unsigned function,
                            const char *value, struct error *err)
{
    bool needs_none = function == F_TRANSFER || function == F_ACQUIRE || function == F_RELEASE;

    if (!value && !needs_none)
        return miss_value(r, txn, function, err);
    if (value)
        r->whole.edn.at = value;
    if (function == F_TXN)
        return take_micro_ops(r, txn, err);
    if (r->family != FAMILY_REGISTER)
        return jepsen_take_workload(r, txn, function, value != NULL, err);
    if (function == F_CAS)
        return take_cas(r, txn, err);
    if (function == F_READ || function == F_WRITE)
        return take_access(r, txn, function, err);
    return jepsen_take_workload(r, txn, function, value != NULL, err);
}

/* --- Whose completion it is --------------------------------------------------------- */

/* The text of the next value, which is passed; empty: there is none. */
static struct text take_slice(struct edn *e)
{
    struct error unsaid;
    const char *from;

    if (edn_peek(e) == EDN_END)
        return (struct text){ e->at, 0 };
    from = e->at;
    if (edn_skip(e, &unsaid) != STATUS_OK)
        return (struct text){ from, 0 };
    return (struct text){ from, (size_t)(e->at - from) };
}

static bool are_lists(struct edn *a, struct edn *b)
{
    struct error unsaid;

    return edn_open(a, '[', "", &unsaid) == STATUS_OK && edn_open(b, '[', "", &unsaid) == STATUS_OK;
}

/* Two micro-operations: [:r k anything] or the same. */
static bool micro_ops_match(struct edn *a, struct edn *b)
{
    struct text kind, key, value;
    bool is_read;

    if (!are_lists(a, b))
        return false;
    kind = take_slice(a);
    is_read = text_equal(kind, a->is_json ? TEXT("\"r\"") : TEXT(":r"));
    if (!text_equal(kind, take_slice(b)))
        return false;
    key = take_slice(a);
    if (!text_equal(key, take_slice(b)))
        return false;
    value = take_slice(a);
    return text_equal(value, take_slice(b)) || is_read;
}

static bool micro_op_lists_match(struct edn *a, struct edn *b)
{
    struct error unsaid;
    bool more, other;

    if (!are_lists(a, b))
        return false;
    for (;;) {
        if (edn_more(a, '[', &more, &unsaid) != STATUS_OK ||
            edn_more(b, '[', &other, &unsaid) != STATUS_OK || more != other)
            return false;
        if (!more)
            return true;
        if (!micro_ops_match(a, b) || edn_more(a, '[', &more, &unsaid) != STATUS_OK || more ||
            edn_more(b, '[', &more, &unsaid) != STATUS_OK || more)
            return false;
    }
}

/* Reads of registers with keys are of the same key; of others, any. */
static bool reads_match(struct edn *a, struct edn *b)
{
    struct text key;

    if (is_keyed(*a, F_READ) == KEYED_NOT || !are_lists(a, b))
        return true;
    key = take_slice(a);
    return text_equal(key, take_slice(b));
}

bool jepsen_values_match(struct jepsen_reader *r, unsigned function, const char *invoked,
                         const char *completed)
{
    struct edn a = r->whole.edn, b = r->whole.edn;
    bool match;

    if (!invoked || !completed) /* left out */
        return true;
    a.at = invoked;
    b.at = completed;
    a.decoded = b.decoded = (struct buffer){ 0 };
    if (function == F_TXN) {
        match = micro_op_lists_match(&a, &b);
    } else if (function == F_READ) {
        match = reads_match(&a, &b);
    } else {
        struct text value = take_slice(&a);

        match = text_equal(value, take_slice(&b));
    }
    r->bytes_compared += (uint64_t)(a.at - invoked) + (uint64_t)(b.at - completed);
    edn_close(&a);
    edn_close(&b);
    return match;
}
