/*
 * Jepsen's histories, in EDN or JSON, as Elle, elle-cli and Knossos read them.
 *
 *     {:index 0, :type :invoke, :process 3, :time 12, :f :txn, :value [[:append 8 1] [:r 8 nil]]}
 *     {:index 1, :type :ok, :process 3, :time 47, :f :txn, :value [[:append 8 1] [:r 8 [1]]]}
 *
 * One map after another, or one vector of them. An invocation and the completion of
 * the same process are a transaction:
 *
 *     ok       committed; what it read stands in the completion
 *     fail     aborted; what it would have written stands in the invocation
 *     info     unknown, and the process goes on as another session; so it does if
 *              nothing came back before the end, or before the same process began again
 *
 * Registers are transactions of one operation on the key "register", a cas that succeeded
 * one of two. Processes that are no numbers, such as :nemesis, are passed over. In a
 * history of completions alone nobody knows when anything began: it has no times.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/edn.h"
#include "history/foreign/foreign.h"

enum event_type { EVENT_INVOKE, EVENT_OK, EVENT_FAIL, EVENT_INFO, EVENT_TYPE_COUNT };

enum function { F_TXN, F_READ, F_WRITE, F_CAS, FUNCTION_COUNT };

static const char *const type_names[] = { "invoke", "ok", "fail", "info" };
static const char *const function_names[] = { "txn", "read", "write", "cas" };

struct event {
    bool has_process, has_type, has_function;
    int64_t process, time; /* TIME_ABSENT */
    int64_t index;         /* or -1 */
    unsigned type, function;
    const char *value; /* where it begins; NULL: there is none */
};

/* A process, and what it is doing. */
struct process {
    int64_t session;
    uint32_t txn;      /* valid if it is busy */
    const char *value; /* of the invocation */
    unsigned function;
    bool is_busy;
};

struct reader {
    struct edn edn;
    struct draft draft;
    struct map numbers; /* process to its place */
    ARRAY(struct process) processes;
    int64_t next_session;
    bool has_invocations, lacks_times;
    ARRAY(int64_t) elements; /* of the list at hand */
    struct buffer name;      /* of the key at hand */
};

/* --- Values ----------------------------------------------------------------------- */

/* Keywords keep their colon, so that :x and "x" are two keys. */
static enum status take_key(struct reader *r, struct text *key, struct error *err)
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

static enum status take_list(struct reader *r, struct value *value, struct error *err)
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

static enum status take_value(struct reader *r, struct value *value, struct error *err)
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

static enum status add(struct reader *r, uint32_t txn, enum op_kind kind, struct text key,
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
static enum status take_micro_op(struct reader *r, uint32_t txn, struct error *err)
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

static enum status take_micro_ops(struct reader *r, uint32_t txn, struct error *err)
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
static enum status take_cas(struct reader *r, uint32_t txn, struct error *err)
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

static enum status take_ops(struct reader *r, uint32_t txn, unsigned function, const char *at,
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

/* --- Events ----------------------------------------------------------------------- */

static bool find_name(const struct edn *edn, const struct edn_scalar *scalar,
                      const char *const *names, unsigned count, unsigned *found)
{
    for (*found = 0; *found < count; (*found)++)
        if (edn_is_name(edn, scalar, names[*found]))
            return true;
    return false;
}

static enum status take_number(struct reader *r, const char *what, int64_t *number,
                               struct error *err)
{
    struct edn_scalar scalar;

    TRY(edn_take(&r->edn, what, &scalar, err));
    if (scalar.kind != EDN_INTEGER)
        return edn_refuse(&r->edn, "a number before this", err);
    *number = scalar.integer;
    return STATUS_OK;
}

static enum status take_field(struct reader *r, const struct edn_scalar *name, struct event *event,
                              struct error *err)
{
    struct edn *edn = &r->edn;
    struct edn_scalar scalar;

    if (edn_is_name(edn, name, "value")) {
        (void)edn_peek(edn);
        event->value = edn->at;
        return edn_skip(edn, err);
    }
    if (edn_is_name(edn, name, "time"))
        return take_number(r, "a time", &event->time, err);
    if (edn_is_name(edn, name, "index"))
        return take_number(r, "an index", &event->index, err);
    if (edn_is_name(edn, name, "process")) {
        TRY(edn_take(edn, "a process", &scalar, err));
        event->has_process = scalar.kind == EDN_INTEGER;
        event->process = scalar.integer;
        return STATUS_OK;
    }
    if (edn_is_name(edn, name, "type")) {
        TRY(edn_take(edn, "a type", &scalar, err));
        event->has_type = find_name(edn, &scalar, type_names, EVENT_TYPE_COUNT, &event->type);
        return STATUS_OK;
    }
    if (edn_is_name(edn, name, "f") && edn_peek(edn) != EDN_OPEN) {
        TRY(edn_take(edn, "a function", &scalar, err));
        event->has_function =
            find_name(edn, &scalar, function_names, FUNCTION_COUNT, &event->function);
        return STATUS_OK;
    }
    return edn_skip(edn, err);
}

static enum status take_event(struct reader *r, struct event *event, struct error *err)
{
    *event = (struct event){ .time = TIME_ABSENT, .index = -1 };
    TRY(edn_open(&r->edn, '{', "an operation, a map", err));
    for (;;) {
        struct edn_scalar name;
        bool more;

        TRY(edn_more(&r->edn, '{', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(edn_take(&r->edn, "the name of a field", &name, err));
        TRY(take_field(r, &name, event, err));
    }
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status find_process(struct reader *r, int64_t number, struct process **process,
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
static enum status lose(struct reader *r, struct process *p, struct error *err)
{
    struct draft_txn *txn = &r->draft.txns.at[p->txn];

    txn->status = TXN_UNKNOWN;
    if (txn->invoked != TIME_ABSENT)
        txn->completed = TIME_NEVER;
    p->is_busy = false;
    p->session = r->next_session--;
    return take_ops(r, p->txn, p->function, p->value, err);
}

static enum status begin(struct reader *r, struct process *p, const struct event *event,
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

static enum status complete(struct reader *r, struct process *p, const struct event *event,
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

static enum status add_event(struct reader *r, const struct event *event, struct error *err)
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

/* --- Files ------------------------------------------------------------------------ */

static enum status read_events(struct reader *r, struct error *err)
{
    bool is_vector = edn_peek(&r->edn) == EDN_OPEN && *r->edn.at == '[', more = true;

    if (is_vector)
        TRY(edn_open(&r->edn, '[', "a vector of operations", err));
    for (;;) {
        struct event event;
        const char *behind;

        if (is_vector)
            TRY(edn_more(&r->edn, '[', &more, err));
        else
            more = edn_peek(&r->edn) != EDN_END;
        if (!more)
            break;
        TRY(take_event(r, &event, err));
        behind = r->edn.at;
        TRY(add_event(r, &event, err));
        r->edn.at = behind;
    }
    if (edn_peek(&r->edn) != EDN_END || r->edn.at != r->edn.end)
        return edn_refuse(&r->edn, "the end", err);
    for (size_t i = 0; i < r->processes.count; i++)
        if (r->processes.at[i].is_busy)
            TRY(lose(r, &r->processes.at[i], err));
    return STATUS_OK;
}

/* Times are of use if every transaction has them, and its beginning is known. */
static void settle_times(struct reader *r)
{
    bool is_timed = r->has_invocations && !r->lacks_times;

    for (size_t t = 0; t < r->draft.txns.count; t++)
        if (!is_timed || r->draft.txns.at[t].completed < r->draft.txns.at[t].invoked)
            r->draft.txns.at[t].invoked = r->draft.txns.at[t].completed = TIME_ABSENT;
}

/* The line that the offset is on. */
static uint64_t line_of(const struct edn *edn, uint64_t offset)
{
    uint64_t line = 1;

    for (uint64_t i = 0; i < offset && edn->begin + i < edn->end; i++)
        line += edn->begin[i] == '\n';
    return line;
}

static enum status read_jepsen(struct source *source, bool is_json, struct history *history,
                               struct error *err)
{
    struct reader r = { .next_session = -2 };
    char *bytes = NULL;
    size_t size = 0;
    enum status status = source_take_rest(source, &bytes, &size, err);

    edn_begin(&r.edn, (struct text){ bytes, size }, is_json);
    draft_init(&r.draft);
    if (status == STATUS_OK) {
        status = read_events(&r, err);
        if (status != STATUS_OK) {
            error_set_file(err, source->name);
            err->offset = (uint64_t)(r.edn.at - r.edn.begin);
            err->line = line_of(&r.edn, err->offset);
        }
    }
    settle_times(&r);
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "jepsen", history, err);
    edn_close(&r.edn);
    draft_close(&r.draft);
    map_close(&r.numbers);
    array_close(&r.processes);
    array_close(&r.elements);
    buffer_close(&r.name);
    free(bytes);
    return status;
}

/* The first map is one of these fields; what is cut off at the end of the beginning is not looked at. */
static bool begins_so(struct text beginning, bool is_json)
{
    struct edn edn = { 0 };
    struct edn_scalar name;
    struct error unsaid;
    bool is_it = false, more = true;

    edn_begin(&edn, beginning, is_json);
    if (edn_peek(&edn) == EDN_OPEN && *edn.at == '[')
        edn.at++;
    if (edn_open(&edn, '{', "", &unsaid) == STATUS_OK)
        while (!is_it && edn_more(&edn, '{', &more, &unsaid) == STATUS_OK && more &&
               edn_take(&edn, "", &name, &unsaid) == STATUS_OK) {
            is_it = edn_is_name(&edn, &name, "process") || edn_is_name(&edn, &name, "f");
            if (edn_skip(&edn, &unsaid) != STATUS_OK)
                break;
        }
    edn_close(&edn);
    return is_it;
}

static bool is_edn(struct text beginning)
{
    return begins_so(beginning, false);
}

static bool is_json(struct text beginning)
{
    return begins_so(beginning, true);
}

static enum status read_edn(struct source *source, struct history *history, struct error *err)
{
    return read_jepsen(source, false, history, err);
}

static enum status read_json(struct source *source, struct history *history, struct error *err)
{
    return read_jepsen(source, true, history, err);
}

const struct foreign foreign_jepsen_edn = { is_edn, read_edn, NULL, NULL, NULL };
const struct foreign foreign_jepsen_json = { is_json, read_json, NULL, NULL, NULL };
