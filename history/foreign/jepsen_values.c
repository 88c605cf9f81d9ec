
#include "history/foreign/jepsen_values_private.h"

#include <inttypes.h>

#include "history/foreign/jepsen_events_private.h"

static enum status refuse_mixture(struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "registers, sets or counters, banks, mutexes and comments are tests of their "
                     "own, and this has operations of two of them");
}

/* --- Keys --------------------------------------------------------------------------- */

/* Passes `[k` where keys are independent. */
static enum status begin_pair(struct jepsen_reader *r, const char *otherwise, uint32_t *key,
                              struct error *err)
{
    struct text name = text_of(otherwise);

    if (r->keyed == KEYED) {
        TRY(edn_open(&r->whole.edn, '[', "[key value]", err));
        TRY(jepsen_take_name(r, &name, err));
    }
    return draft_key(&r->whole.draft, name, key, err);
}

static enum status end_pair(struct jepsen_reader *r, struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool more;

    if (r->keyed != KEYED)
        return STATUS_OK;
    TRY(edn_more(e, '[', &more, err));
    return more ? edn_refuse(e, "the end of [key value]", err) : STATUS_OK;
}

enum status jepsen_open_many(struct edn *e, char *bracket, const char *what, struct error *err)
{
    bool is_set = edn_peek(e) == EDN_OPEN && *e->at == '#';

    e->at += is_set;
    *bracket = is_set ? '{' : '[';
    return edn_open(e, *bracket, what, err);
}

/* --- Sets and counters ------------------------------------------------------------- */

static bool is_ok(const struct jepsen_reader *r, uint32_t txn)
{
    return r->whole.draft.txns.at[txn].status == TXN_OK;
}

/*
 * An element is an integer. Others are numbered from -2^62 down, in the order in which they first
 * come: of those only the names are lost.
 */
static enum status take_element(struct jepsen_reader *r, int64_t *element, struct error *err)
{
    struct edn *e = &r->whole.edn;
    const char *from;
    uint32_t number;

    if (edn_peek(e) == EDN_INTEGER)
        return edn_take_integer(e, "an element", element, err);
    from = e->at;
    TRY(edn_skip(e, err));
    TRY(intern_add(&r->odd_elements, (struct text){ from, (size_t)(e->at - from) }, &number, err));
    *element = -(INT64_C(1) << 62) - number;
    return STATUS_OK;
}

/* #{1 3} or [1 3]. */
static enum status take_elements(struct jepsen_reader *r, struct value *value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    char bracket;
    bool more;

    r->elements.all.count = 0;
    TRY(jepsen_open_many(e, &bracket, "a set or a list", err));
    for (;;) {
        int64_t element = 0;

        TRY(edn_more(e, bracket, &more, err));
        if (!more)
            break;
        TRY(take_element(r, &element, err));
        TRY(array_push(&r->elements.all, element, err));
    }
    return builder_list(&r->whole.draft.builder, r->elements.all.at, r->elements.all.count, value,
                        err);
}

static enum status take_sum_or_set(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct value value = value_null();
    enum edn_kind kind;
    uint32_t key;
    int64_t sum;

    if (!is_ok(r, txn))
        return STATUS_OK;
    if (edn_peek(e) == EDN_NIL)
        return STATUS_OK;
    TRY(begin_pair(r, "added", &key, err));
    kind = edn_peek(e);
    if (kind == EDN_NIL)
        return STATUS_OK;
    r->has_sums |= kind == EDN_INTEGER;
    r->has_sets |= kind != EDN_INTEGER;
    if (r->has_sums && r->has_sets)
        return edn_refuse(e, "a number or a set, as in the reads before", err);
    if (r->has_sums) {
        TRY(edn_take_integer(e, "a number", &sum, err));
        value = value_integer(sum);
    } else if (kind == EDN_OPEN) {
        TRY(take_elements(r, &value, err));
    } else {
        return edn_refuse(e, "what was read: a set, a list or a number", err);
    }
    TRY(end_pair(r, err));
    return draft_add_op_of(&r->whole.draft, txn, OP_READ, key, value, err);
}

static enum status take_added(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    int64_t element = 0;
    uint32_t key;
    size_t place;

    TRY(begin_pair(r, "added", &key, err));
    TRY(take_element(r, &element, err));
    TRY(end_pair(r, err));
    TRY(map_add(&r->added, (uint64_t)element, txn, &place, err));
    r->has_repeats |= r->added.values.at[place] != txn;
    return draft_add_op_of(&r->whole.draft, txn, OP_APPEND, key, value_integer(element), err);
}

/* --- Banks ------------------------------------------------------------------------- */

static enum status take_balance(struct jepsen_reader *r, uint32_t txn, uint32_t account,
                                struct error *err)
{
    int64_t balance;

    TRY(edn_take_integer(&r->whole.edn, "a balance, a number", &balance, err));
    return draft_add_op_of(&r->whole.draft, txn, OP_READ, account, value_integer(balance), err);
}

static enum status take_accounts(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct edn_scalar name;
    uint32_t account;
    bool more;

    TRY(edn_open(e, '{', "accounts and balances, a map", err));
    for (;;) {
        TRY(edn_field(e, &more, &name, err));
        if (!more)
            return STATUS_OK;
        if (name.kind == EDN_KEYWORD) { /* in the text the colon stands before it */
            name.text.at--;
            name.text.length++;
        }
        TRY(draft_key(&r->whole.draft, name.text, &account, err));
        TRY(take_balance(r, txn, account, err));
    }
}

/* Old tests number accounts by their places. */
static enum status take_balances(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;

    TRY(edn_take_integers(e, &r->elements, err));
    for (size_t i = 0; i < r->elements.all.count; i++)
        TRY(draft_add_numbered(&r->whole.draft, txn, OP_READ, (int64_t)i,
                               value_integer(r->elements.all.at[i]), err));
    return STATUS_OK;
}

static enum status take_bank(struct jepsen_reader *r, uint32_t txn, unsigned function,
                             struct error *err)
{
    struct edn *e = &r->whole.edn;
    enum edn_kind kind;

    if (function == F_TRANSFER || !is_ok(r, txn))
        return STATUS_OK;
    kind = edn_peek(e);
    if (kind == EDN_NIL)
        return STATUS_OK;
    return kind == EDN_OPEN && *e->at != '{' ? take_balances(r, txn, err)
                                             : take_accounts(r, txn, err);
}

/* --- Mutexes ------------------------------------------------------------------------ */

static enum status take_mutex(struct jepsen_reader *r, uint32_t txn, unsigned function,
                              bool has_value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool is_free = function == F_ACQUIRE;
    uint32_t key;

    r->keyed = has_value && edn_peek(e) == EDN_OPEN && *e->at != '{' && *e->at != '#' ? KEYED
                                                                                     : KEYED_NOT;
    TRY(begin_pair(r, "mutex", &key, err));
    TRY(draft_add_op_of(&r->whole.draft, txn, OP_READ, key,
                        is_ok(r, txn) ? value_boolean(!is_free) : value_none(), err));
    return draft_add_op_of(&r->whole.draft, txn, OP_WRITE, key, value_boolean(is_free), err);
}

/* --- Comments ----------------------------------------------------------------------- */

enum status jepsen_comment_begin(struct jepsen_reader *r, uint32_t *group, struct error *err)
{
    struct text name;

    *group = 0;
    r->group.count = 0;
    if (r->keyed != KEYED)
        return STATUS_OK;
    TRY(edn_open(&r->whole.edn, '[', "[key value]", err));
    TRY(jepsen_take_name(r, &name, err));
    buffer_text(&r->group, name);
    buffer_byte(&r->group, '/');
    TRY(buffer_status(&r->group, err));
    return intern_add(&r->groups, (struct text){ r->group.at, r->group.count }, group, err);
}

enum status jepsen_comment_key(struct jepsen_reader *r, uint32_t *key, struct error *err)
{
    struct text name;

    TRY(jepsen_take_name(r, &name, err));
    r->name.count = 0;
    buffer_text(&r->name, (struct text){ r->group.at, r->group.count });
    buffer_text(&r->name, name);
    TRY(buffer_status(&r->name, err));
    return draft_key(&r->whole.draft, (struct text){ r->name.at, r->name.count }, key, err);
}

/* Marks those that are seen; then each is read. */
static enum status take_seen(struct jepsen_reader *r, uint32_t txn, uint32_t group,
                             struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool more;
    char bracket;

    TRY(jepsen_open_many(e, &bracket, "what was seen, a set or a list", err));
    for (;;) {
        uint64_t place;
        uint32_t key;

        TRY(edn_more(e, bracket, &more, err));
        if (!more)
            break;
        TRY(jepsen_comment_key(r, &key, err));
        if (map_find(&r->comment_keys, key, &place))
            r->comments.at[place].seen_by = txn + 1;
    }
    for (size_t i = 0; i < r->comments.count; i++) {
        const struct comment *c = &r->comments.at[i];

        if (c->group == group)
            TRY(draft_add_op_of(&r->whole.draft, txn, OP_READ, c->key,
                                c->seen_by == txn + 1 ? value_boolean(true) : value_null(), err));
    }
    return STATUS_OK;
}

static enum status take_comment(struct jepsen_reader *r, uint32_t txn, unsigned function,
                                struct error *err)
{
    uint32_t group, key;

    if (function == F_READ && (!is_ok(r, txn) || edn_peek(&r->whole.edn) == EDN_NIL))
        return STATUS_OK;
    TRY(jepsen_comment_begin(r, &group, err));
    if (function == F_WRITE)
        TRY(jepsen_comment_key(r, &key, err));
    else if (edn_peek(&r->whole.edn) == EDN_NIL)
        return STATUS_OK;
    else
        TRY(take_seen(r, txn, group, err));
    TRY(end_pair(r, err));
    return function == F_WRITE
               ? draft_add_op_of(&r->whole.draft, txn, OP_WRITE, key, value_boolean(true), err)
               : STATUS_OK;
}

/* ----------------------------------------------------------------------------------- */

static enum family family_of(unsigned function)
{
    switch (function) {
    case F_ADD:
        return FAMILY_ADDS;
    case F_TRANSFER:
        return FAMILY_BANK;
    case F_ACQUIRE:
    case F_RELEASE:
        return FAMILY_MUTEX;
    case F_WRITE:
        return FAMILY_COMMENTS;
    case F_READ:
        return FAMILY_UNSAID; /* many have it */
    default:
        return FAMILY_REGISTER;
    }
}

/* jepsen_values.c: the operations of a family that is not registers; the lexer is at its value. */
static enum status jepsen_take_workload(struct jepsen_reader *r, uint32_t txn, unsigned function,
                                 bool has_value, struct error *err)
{
    enum family family = family_of(function);

    if ((family != r->family && family != FAMILY_UNSAID) ||
        (family == FAMILY_UNSAID && r->family == FAMILY_MUTEX))
        return refuse_mixture(err);
    switch (r->family) {
    case FAMILY_BANK:
        return take_bank(r, txn, function, err);
    case FAMILY_MUTEX:
        return take_mutex(r, txn, function, has_value, err);
    case FAMILY_COMMENTS:
        return take_comment(r, txn, function, err);
    default:
        return function == F_ADD ? take_added(r, txn, err) : take_sum_or_set(r, txn, err);
    }
}

/* Of what was never read nobody says whether it is a set; a set has each element once. */
enum status jepsen_name_workload(struct jepsen_reader *r, struct error *err)
{
    static const char *const names[] = {
        [FAMILY_BANK] = "bank", [FAMILY_MUTEX] = "mutex", [FAMILY_COMMENTS] = "comments"
    };
    bool is_counter = r->has_sums || (!r->has_sets && r->has_repeats);

    if (r->family == FAMILY_UNSAID || r->family == FAMILY_REGISTER)
        return STATUS_OK;
    if (r->family == FAMILY_MUTEX)
        r->whole.draft.initial = value_boolean(false);
    return builder_set_workload(&r->whole.draft.builder,
                                text_of(r->family == FAMILY_ADDS ? is_counter ? "counter" : "set"
                                                                 : names[r->family]),
                                err);
}

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
