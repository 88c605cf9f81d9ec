/*
 * Jepsen's tests that are neither transactions nor registers:
 *
 *     set       {:f :add, :value 3}          {:f :read, :value #{1 3}}      or [1 3]
 *     counter   {:f :add, :value 3}          {:f :read, :value 17}
 *     bank      {:f :transfer, :value {:from 0, :to 1, :amount 5}}
 *               {:f :read, :value {0 10, 1 15}}                             or [10 15]
 *
 * What is added is appended to the key "added", and a read of a set is a list; the header's workload
 * says which of the two it is. A bank's accounts are keys that are read together; nobody says
 * which balances a transfer wrote, so it has no operations. Which kind of test it is shows from its
 * functions, and where a read comes first, from those of all of the file.
 */
#define _GNU_SOURCE /* memmem() */
#include "history/foreign/jepsen_events.h"

#include <string.h>

/* --- Which it is ------------------------------------------------------------------- */

/* Before the blanks that stand before the place. */
static const char *back_over_blanks(const struct edn *e, const char *at)
{
    while (at > e->begin && strchr(" ,\t\r\n", at[-1]) && at[-1])
        at--;
    return at;
}

/* Whether what ends before the place is the name of the field f. */
static bool is_behind_f(const struct edn *e, const char *at)
{
    const char *name = e->is_json ? "\"f\"" : ":f";
    size_t length = strlen(name);

    at = back_over_blanks(e, at);
    if (e->is_json) {
        if (at == e->begin || at[-1] != ':')
            return false;
        at = back_over_blanks(e, at - 1);
    }
    return (size_t)(at - e->begin) >= length && memcmp(at - length, name, length) == 0;
}

/* Whether some operation of the file has that function, a keyword or, in JSON, a string. */
static bool has_function(const struct edn *e, const char *keyword, const char *string)
{
    const char *word = e->is_json ? string : keyword;
    size_t length = strlen(word);
    const char *at = e->begin;

    while ((at = memmem(at, (size_t)(e->end - at), word, length))) {
        bool is_f = is_behind_f(e, at);

        at += length;
        if (is_f && (e->is_json || at == e->end || strchr(" ,}\t\r\n", *at)))
            return true;
    }
    return false;
}

static enum family family_of(const struct jepsen_reader *r, unsigned function)
{
    const struct edn *e = &r->whole.edn;

    if (function == F_ADD)
        return FAMILY_ADDS;
    if (function == F_TRANSFER)
        return FAMILY_BANK;
    if (function != F_READ)
        return FAMILY_REGISTER;
    if (r->family != FAMILY_UNSAID)
        return r->family;
    return has_function(e, ":add", "\"add\"")             ? FAMILY_ADDS
           : has_function(e, ":transfer", "\"transfer\"") ? FAMILY_BANK
                                                          : FAMILY_REGISTER;
}

enum status jepsen_settle_family(struct jepsen_reader *r, unsigned function, struct error *err)
{
    enum family family = family_of(r, function);

    if (r->family != FAMILY_UNSAID && r->family != family)
        return error_set(err, STATUS_BAD_INPUT,
                         "registers, sets or counters, and banks are tests of their own, and this "
                         "has operations of two of them");
    r->family = family;
    return STATUS_OK;
}

/* --- Sets and counters ------------------------------------------------------------- */

static bool is_ok(const struct jepsen_reader *r, uint32_t txn)
{
    return r->whole.draft.txns.at[txn].status == TXN_OK;
}

/* #{1 3} or [1 3]. */
static enum status take_elements(struct jepsen_reader *r, struct value *value, struct error *err)
{
    struct edn *e = &r->whole.edn;
    bool is_set = *e->at == '#', more;

    e->at += is_set;
    if (!is_set) {
        TRY(edn_take_integers(e, &r->elements, err));
    } else {
        int64_t element;

        r->elements.all.count = 0;
        TRY(edn_open(e, '{', "a set", err));
        for (;;) {
            TRY(edn_more(e, '{', &more, err));
            if (!more)
                break;
            TRY(edn_take_integer(e, "an element, a number", &element, err));
            TRY(array_push(&r->elements.all, element, err));
        }
    }
    return builder_list(&r->whole.draft.builder, r->elements.all.at, r->elements.all.count, value,
                        err);
}

static enum status take_sum_or_set(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn *e = &r->whole.edn;
    struct value value = value_null();
    enum edn_kind kind = edn_peek(e);
    int64_t sum;

    if (!is_ok(r, txn) || kind == EDN_NIL)
        return edn_skip(e, err);
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
    return draft_add_op(&r->whole.draft, txn, OP_READ, TEXT("added"), value, err);
}

static enum status take_added(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    int64_t element;

    TRY(edn_take_integer(&r->whole.edn, "what is added, a number", &element, err));
    return draft_add_op(&r->whole.draft, txn, OP_APPEND, TEXT("added"), value_integer(element),
                        err);
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
    enum edn_kind kind = edn_peek(e);

    if (function == F_TRANSFER || !is_ok(r, txn) || kind == EDN_NIL)
        return edn_skip(e, err);
    return kind == EDN_OPEN && *e->at == '[' ? take_balances(r, txn, err)
                                             : take_accounts(r, txn, err);
}

/* ----------------------------------------------------------------------------------- */

enum status jepsen_take_workload(struct jepsen_reader *r, uint32_t txn, unsigned function,
                                 struct error *err)
{
    if (r->family == FAMILY_BANK)
        return take_bank(r, txn, function, err);
    return function == F_ADD ? take_added(r, txn, err) : take_sum_or_set(r, txn, err);
}

enum status jepsen_name_workload(struct jepsen_reader *r, struct error *err)
{
    const char *name = r->family == FAMILY_BANK ? "bank" : r->has_sums ? "counter" : "set";

    if (r->family != FAMILY_BANK && r->family != FAMILY_ADDS)
        return STATUS_OK;
    return builder_set_workload(&r->whole.draft.builder, text_of(name), err);
}
