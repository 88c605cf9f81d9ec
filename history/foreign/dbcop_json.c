/*
 * Reads dbcop's histories in JSON: sessions of transactions of events.
 *
 *     [[{"events":[{"Write":{"variable":0,"version":1}},
 *                  {"Read":{"variable":1,"version":null}}],"committed":true}],[...]]
 *
 * or the same in the field `data` of an object, beside `params`, `info`, `start` and `end`. A version
 * of null is the initial one. Older releases say `success` in place of `committed`, and write events as
 * {"write":true,"variable":0,"value":1,"success":true}, where 0 is the initial value and an
 * event without success did not happen. A transaction that did not commit is aborted.
 */
#include <string.h>

#include "history/foreign/foreign_private.h"

struct dbcop_event {
    bool has_kind, has_variable, has_value, is_write, failed, is_old;
    int64_t variable;
    struct value value;
};

/* --- Events ----------------------------------------------------------------------- */

static enum status take_value(struct edn *e, struct dbcop_event *event, struct error *err)
{
    int64_t number;

    event->has_value = true;
    event->value = value_null();
    if (edn_peek(e) == EDN_NIL)
        return edn_skip(e, err);
    TRY(edn_take_integer(e, "a version, which is a number or null", &number, err));
    event->value = value_integer(number);
    return STATUS_OK;
}

static enum status take_variable(struct edn *e, struct dbcop_event *event, struct error *err)
{
    event->has_variable = true;
    return edn_take_integer(e, "a variable, which is a number", &event->variable, err);
}

/* {"variable":0,"version":1}, behind "Read" or "Write". */
static enum status take_access(struct edn *e, bool is_write, struct dbcop_event *event, struct error *err)
{
    if (event->has_kind)
        return edn_refuse(e, "one of \"Read\" and \"Write\" alone before this", err);
    event->has_kind = true;
    event->is_write = is_write;
    TRY(edn_open(e, '{', "an object with variable and version", err));
    for (;;) {
        struct edn_scalar name;
        bool more;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            return STATUS_OK;
        if (edn_is_name(e, &name, "variable"))
            TRY(take_variable(e, event, err));
        else if (edn_is_name(e, &name, "version"))
            TRY(take_value(e, event, err));
        else
            TRY(edn_skip(e, err));
    }
}

static enum status take_event_field(struct edn *e, const struct edn_scalar *name,
                                    struct dbcop_event *event, struct error *err)
{
    bool happened;

    if (edn_is_name(e, name, "Read") || edn_is_name(e, name, "Write"))
        return take_access(e, edn_is_name(e, name, "Write"), event, err);
    if (edn_is_name(e, name, "write")) {
        event->has_kind = event->is_old = true;
        return edn_take_boolean(e, "whether it is a write", &event->is_write, err);
    }
    if (edn_is_name(e, name, "variable"))
        return take_variable(e, event, err);
    if (edn_is_name(e, name, "value"))
        return take_value(e, event, err);
    if (edn_is_name(e, name, "success")) {
        TRY(edn_take_boolean(e, "whether it succeeded", &happened, err));
        event->failed = !happened;
        return STATUS_OK;
    }
    return edn_skip(e, err);
}

static enum status take_event(struct draft_file *w, uint32_t txn, struct error *err)
{
    struct edn *e = &w->edn;
    struct dbcop_event event = { .is_write = false };
    bool more = true;

    TRY(edn_open(e, '{', "an event: {\"Read\":{...}} or {\"Write\":{...}}", err));
    while (more) {
        struct edn_scalar name;

        TRY(edn_field(e, &more, &name, err));
        if (more)
            TRY(take_event_field(e, &name, &event, err));
    }
    if (!event.has_kind || !event.has_variable || !event.has_value)
        return edn_refuse(e, "an event with kind, variable and version before this", err);
    if (event.is_write && event.value.kind == VALUE_NULL)
        return edn_refuse(e, "a version before this: a write has one", err);
    if (event.is_old)
        w->draft.initial = value_integer(0);
    if (event.failed)
        return STATUS_OK;
    return draft_add_numbered(&w->draft, txn, event.is_write ? OP_WRITE : OP_READ, event.variable,
                              event.value, err);
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status take_events(struct draft_file *w, uint32_t txn, struct error *err)
{
    struct edn *e = &w->edn;
    bool more;

    TRY(edn_open(e, '[', "a list of events", err));
    for (;;) {
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(take_event(w, txn, err));
    }
}

static enum status take_txn(struct draft_file *w, int64_t session, struct error *err)
{
    struct edn *e = &w->edn;
    bool has_events = false, has_outcome = false, committed = false;
    uint32_t txn;

    TRY(draft_add_txn(&w->draft, (int64_t)w->draft.txns.count, session, 0, &txn, err));
    TRY(edn_open(e, '{', "a transaction, an object", err));
    for (;;) {
        struct edn_scalar name;
        bool more;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            break;
        if (edn_is_name(e, &name, "events")) {
            if (has_events)
                return edn_refuse(e, "no second list of events", err);
            has_events = true;
            TRY(take_events(w, txn, err));
        } else if (edn_is_name(e, &name, "committed") || edn_is_name(e, &name, "success")) {
            has_outcome = true;
            TRY(edn_take_boolean(e, "whether it committed", &committed, err));
        } else {
            TRY(edn_skip(e, err));
        }
    }
    if (!has_events || !has_outcome)
        return edn_refuse(e, "a transaction with events and committed before this", err);
    w->draft.txns.at[txn].status = committed ? TXN_OK : TXN_ABORT;
    return STATUS_OK;
}

static enum status take_sessions(struct draft_file *w, struct error *err)
{
    struct edn *e = &w->edn;
    bool more;

    TRY(edn_open(e, '[', "a list of sessions", err));
    for (int64_t session = 0;; session++) {
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(edn_open(e, '[', "a session, a list of transactions", err));
        for (;;) {
            TRY(edn_more(e, '[', &more, err));
            if (!more)
                break;
            TRY(take_txn(w, session, err));
        }
    }
}

/* --- Files ------------------------------------------------------------------------ */

static enum status take_object(struct draft_file *w, struct error *err)
{
    struct edn *e = &w->edn;
    bool has_data = false;

    TRY(edn_open(e, '{', "an object", err));
    for (;;) {
        struct edn_scalar name;
        bool more;

        TRY(edn_field(e, &more, &name, err));
        if (!more)
            break;
        if (!edn_is_name(e, &name, "data")) {
            TRY(edn_skip(e, err));
            continue;
        }
        if (has_data)
            return edn_refuse(e, "no second field data", err);
        has_data = true;
        TRY(take_sessions(w, err));
    }
    return has_data ? STATUS_OK : edn_refuse(e, "a field data before this", err);
}

static enum status take_all(struct draft_file *w, struct error *err)
{
    struct edn *e = &w->edn;

    if (edn_peek(e) == EDN_OPEN && *e->at == '{')
        TRY(take_object(w, err));
    else
        TRY(take_sessions(w, err));
    return draft_is_over(w, err);
}

static enum status read_dbcop_json(struct source *source, struct history *history,
                                   struct error *err)
{
    struct draft_file whole;
    enum status status = draft_begin_file(&whole, source, true, err);

    if (status == STATUS_OK)
        status = take_all(&whole, err);
    return draft_end_file(&whole, source, status, "dbcop", history, err);
}

/* --- Recognition ------------------------------------------------------------------ */

/* Whether the next value is a list of lists of objects that have events or an outcome. */
static bool begins_with_sessions(struct edn *e)
{
    struct error unsaid;
    struct edn_scalar name;
    bool more;

    if (edn_open(e, '[', "", &unsaid) != STATUS_OK)
        return false;
    do { /* sessions without transactions say nothing */
        if (edn_open(e, '[', "", &unsaid) != STATUS_OK ||
            edn_more(e, '[', &more, &unsaid) != STATUS_OK)
            return false;
    } while (!more);
    return edn_open(e, '{', "", &unsaid) == STATUS_OK &&
           edn_field(e, &more, &name, &unsaid) == STATUS_OK && more &&
           (edn_is_name(e, &name, "events") || edn_is_name(e, &name, "committed") ||
            edn_is_name(e, &name, "success"));
}

/* Whether an object of this kind begins here: it says params, or data of this kind. */
static bool begins_with_object(struct edn *e)
{
    struct error unsaid;
    struct edn_scalar name;
    bool more;

    if (edn_open(e, '{', "", &unsaid) != STATUS_OK)
        return false;
    while (edn_field(e, &more, &name, &unsaid) == STATUS_OK && more) {
        if (edn_is_name(e, &name, "params"))
            return true;
        if (edn_is_name(e, &name, "data"))
            return begins_with_sessions(e);
        if (edn_skip(e, &unsaid) != STATUS_OK)
            return false;
    }
    return false;
}

static bool is_it(struct text beginning)
{
    struct edn e = { 0 };
    bool is_it;

    edn_begin(&e, beginning, true);
    is_it = edn_peek(&e) == EDN_OPEN &&
            (*e.at == '{' ? begins_with_object(&e) : begins_with_sessions(&e));
    edn_close(&e);
    return is_it;
}

const struct foreign foreign_dbcop_json = { .is_it = is_it, .read = read_dbcop_json };
