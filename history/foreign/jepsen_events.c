#include "history/foreign/jepsen_events.h"

#include <inttypes.h>

static const char *const type_names[] = { "invoke", "ok", "fail", "info" };
static const char *const function_names[] = { "txn", "read", "write", "cas" };

void jepsen_begin(struct jepsen_reader *r, struct edn edn)
{
    *r = (struct jepsen_reader){ .edn = edn, .next_session = -2 };
    draft_init(&r->draft);
}

void jepsen_close(struct jepsen_reader *r)
{
    draft_close(&r->draft);
    map_close(&r->numbers);
    array_close(&r->processes);
    array_close(&r->elements);
    buffer_close(&r->name);
}

/* --- Values ----------------------------------------------------------------------- */

/* Keywords keep their colon, so that :x and "x" are two keys. */
static enum status take_key(struct jepsen_reader *r, struct text *key, struct error *err)
{
    struct edn_scalar scalar;

    TRY(edn_take(&r->edn, "a key: a number, a keyword or a string", &scalar, err));
    buffer_clear(&r->name);
    if (scalar.kind == EDN_KEYWORD)
        buffer_byte(&r->name, ':');
    buffer_text(&r->name, scalar.text);
    TRY(buffer_status(&r->name, err));
    *key = (struct text){ r->name.at, r->name.count };
    return STATUS_OK;
}

static enum status take_list(struct jepsen_reader *r, struct value *value, struct error *err)
{
    struct edn_scalar scalar;

    r->elements.count = 0;
    TRY(edn_open(&r->edn, '[', "a list", err));
    for (;;) {
        bool more;

        TRY(edn_more(&r->edn, '[', &more, err));
        if (!more)
            return builder_list(&r->draft.builder, r->elements.at, r->elements.count, value, err);
        TRY(edn_take(&r->edn, "an element, a number", &scalar, err));
        if (scalar.kind != EDN_INTEGER)
            return edn_refuse(&r->edn, "a number before this, as elements are", err);
        TRY(array_push(&r->elements, scalar.integer, err));
    }
}

static enum status take_value(struct jepsen_reader *r, struct value *value, struct error *err)
{
    struct edn_scalar scalar;

    if (edn_peek(&r->edn) == EDN_OPEN)
        return take_list(r, value, err);
    TRY(edn_take(&r->edn, "a value", &scalar, err));
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
        return builder_text_value(&r->draft.builder, scalar.text, value, err);
    }
}

/* --- Operations ------------------------------------------------------------------- */

static enum status add(struct jepsen_reader *r, uint32_t txn, enum op_kind kind, struct text key,
                       struct value value, struct error *err)
{
    bool answered = r->draft.txns.at[txn].status == TXN_OK;

    if (kind == OP_READ && !answered)
        value = value_none();
    if (kind == OP_APPEND && value.kind != VALUE_INTEGER)
        return edn_refuse(&r->edn, "a number before this, as elements are", err);
    return draft_add_op(&r->draft, txn, kind, key, value, err);
}

/* [:append k e], [:r k nil] or [:w k v]. */
static enum status take_micro_op(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct edn_scalar f;
    struct text key;
    struct value value;
    enum op_kind kind;
    bool more;

    TRY(edn_open(&r->edn, '[', "an operation: [:r k v], [:w k v] or [:append k e]", err));
    TRY(edn_take(&r->edn, ":r, :w or :append", &f, err));
    if (edn_is_name(&r->edn, &f, "r"))
        kind = OP_READ;
    else if (edn_is_name(&r->edn, &f, "w"))
        kind = OP_WRITE;
    else if (edn_is_name(&r->edn, &f, "append"))
        kind = OP_APPEND;
    else
        return edn_refuse(&r->edn, ":r, :w or :append before this", err);
    TRY(take_key(r, &key, err));
    TRY(take_value(r, &value, err));
    TRY(edn_more(&r->edn, '[', &more, err));
    if (more)
        return edn_refuse(&r->edn, "the end of the operation", err);
    return add(r, txn, kind, key, value, err);
}

static enum status take_micro_ops(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    if (edn_peek(&r->edn) == EDN_NIL)
        return edn_skip(&r->edn, err);
    TRY(edn_open(&r->edn, '[', "a list of operations", err));
    for (;;) {
        bool more;

        TRY(edn_more(&r->edn, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(take_micro_op(r, txn, err));
    }
}

/* [old new]: the old value was read, and the new one written. */
static enum status take_cas(struct jepsen_reader *r, uint32_t txn, struct error *err)
{
    struct value old, new;
    bool more;

    TRY(edn_open(&r->edn, '[', "[old new]", err));
    TRY(take_value(r, &old, err));
    TRY(take_value(r, &new, err));
    TRY(edn_more(&r->edn, '[', &more, err));
    if (more)
        return edn_refuse(&r->edn, "the end of [old new]", err);
    TRY(add(r, txn, OP_READ, TEXT("register"), old, err));
    return add(r, txn, OP_WRITE, TEXT("register"), new, err);
}

static enum status take_ops(struct jepsen_reader *r, uint32_t txn, unsigned function, const char *at,
                            struct error *err)
{
    struct value value;

    if (!at) {
        return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " has no :value",
                         r->draft.txns.at[txn].id);
    }
    r->edn.at = at;
    if (function == F_TXN)
        return take_micro_ops(r, txn, err);
    if (function == F_CAS)
        return take_cas(r, txn, err);
    TRY(take_value(r, &value, err));
    return add(r, txn, function == F_READ ? OP_READ : OP_WRITE, TEXT("register"), value, err);
}

/* --- Names ------------------------------------------------------------------------ */

static bool find_name(const struct edn *edn, const struct edn_scalar *scalar,
                      const char *const *names, unsigned count, unsigned *found)
{
    for (*found = 0; *found < count; (*found)++)
        if (edn_is_name(edn, scalar, names[*found]))
            return true;
    return false;
}

void jepsen_name_type(const struct edn *edn, const struct edn_scalar *scalar, struct event *event)
{
    event->has_type = find_name(edn, scalar, type_names, EVENT_TYPE_COUNT, &event->type);
}

void jepsen_name_function(const struct edn *edn, const struct edn_scalar *scalar,
                          struct event *event)
{
    event->has_function =
        find_name(edn, scalar, function_names, FUNCTION_COUNT, &event->function);
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status find_process(struct jepsen_reader *r, int64_t number, struct process **process,
                                struct error *err)
{
    size_t place;

    TRY(map_add(&r->numbers, (uint64_t)number, r->processes.count, &place, err));
    if (r->numbers.values.at[place] == r->processes.count) {
        struct process fresh = { .session = number };

        TRY(array_push(&r->processes, fresh, err));
    }
    *process = &r->processes.at[r->numbers.values.at[place]];
    return STATUS_OK;
}

/* The transaction is of unknown outcome, and the process goes on as another session. */
static enum status lose(struct jepsen_reader *r, struct process *p, struct error *err)
{
    struct draft_txn *txn = &r->draft.txns.at[p->txn];

    txn->status = TXN_UNKNOWN;
    if (txn->invoked != TIME_ABSENT)
        txn->completed = TIME_NEVER;
    p->is_busy = false;
    p->session = r->next_session--;
    return take_ops(r, p->txn, p->function, p->value, err);
}

static enum status begin(struct jepsen_reader *r, struct process *p, const struct event *event,
                         struct error *err)
{
    int64_t id = event->index >= 0 ? event->index : (int64_t)r->draft.txns.count;

    TRY(draft_add_txn(&r->draft, id, p->session, 0, &p->txn, err));
    if (event->time == TIME_ABSENT || event->time < 0)
        r->lacks_times = true;
    else
        r->draft.txns.at[p->txn].invoked = event->time;
    p->is_busy = true;
    p->value = event->value;
    p->function = event->function;
    return STATUS_OK;
}

static enum status complete(struct jepsen_reader *r, struct process *p, const struct event *event,
                            struct error *err)
{
    struct draft_txn *txn = &r->draft.txns.at[p->txn];
    bool is_ok = event->type == EVENT_OK;

    if (event->type == EVENT_INFO)
        return lose(r, p, err);
    if (event->function != p->function)
        return error_set(err, STATUS_BAD_INPUT,
                         "process %" PRId64 " completes another :f than it invoked",
                         event->process);
    txn->status = is_ok ? TXN_OK : TXN_ABORT;
    txn->completed = event->time;
    p->is_busy = false;
    return take_ops(r, p->txn, p->function, is_ok || !p->value ? event->value : p->value, err);
}

enum status jepsen_add_event(struct jepsen_reader *r, const struct event *event, struct error *err)
{
    struct process *p;

    if (!event->has_process)
        return STATUS_OK;
    if (!event->has_type)
        return error_set(err, STATUS_BAD_INPUT,
                         "an operation of process %" PRId64
                         " has no :type invoke, ok, fail or info",
                         event->process);
    if (!event->has_function)
        return error_set(err, STATUS_BAD_INPUT,
                         "an operation of process %" PRId64 " has another :f than txn, read, write "
                         "and cas: only histories of transactions and registers can be read",
                         event->process);
    TRY(find_process(r, event->process, &p, err));
    if (event->type == EVENT_INVOKE) {
        r->has_invocations = true;
        if (p->is_busy)
            TRY(lose(r, p, err));
        return begin(r, p, event, err);
    }
    if (!p->is_busy && r->has_invocations)
        return error_set(err, STATUS_BAD_INPUT,
                         "process %" PRId64 " completes what it did not invoke", event->process);
    if (!p->is_busy)
        TRY(begin(r, p, event, err));
    return complete(r, p, event, err);
}

/* Times are of use if every transaction has them, and its beginning is known. */
static void settle_times(struct jepsen_reader *r)
{
    bool is_timed = r->has_invocations && !r->lacks_times;

    for (size_t t = 0; t < r->draft.txns.count; t++)
        if (!is_timed || r->draft.txns.at[t].completed < r->draft.txns.at[t].invoked)
            r->draft.txns.at[t].invoked = r->draft.txns.at[t].completed = TIME_ABSENT;
}

enum status jepsen_end(struct jepsen_reader *r, struct error *err)
{
    for (size_t i = 0; i < r->processes.count; i++)
        if (r->processes.at[i].is_busy)
            TRY(lose(r, &r->processes.at[i], err));
    settle_times(r);
    return STATUS_OK;
}
