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
#include "history/foreign/foreign.h"
#include "history/foreign/jepsen_events.h"
#include "history/foreign/jepsen_write.h"

/* --- Events ----------------------------------------------------------------------- */

static enum status take_field(struct jepsen_reader *r, const struct edn_scalar *name, struct event *event,
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
        return edn_take_integer(edn, "a time, a number", &event->time, err);
    if (edn_is_name(edn, name, "index"))
        return edn_take_integer(edn, "an index, a number", &event->index, err);
    if (edn_is_name(edn, name, "process")) {
        TRY(edn_take(edn, "a process", &scalar, err));
        event->has_process = scalar.kind == EDN_INTEGER;
        event->process = scalar.integer;
        return STATUS_OK;
    }
    if (edn_is_name(edn, name, "type")) {
        TRY(edn_take(edn, "a type", &scalar, err));
        jepsen_name_type(edn, &scalar, event);
        return STATUS_OK;
    }
    if (edn_is_name(edn, name, "f") && edn_peek(edn) != EDN_OPEN) {
        TRY(edn_take(edn, "a function", &scalar, err));
        jepsen_name_function(edn, &scalar, event);
        return STATUS_OK;
    }
    return edn_skip(edn, err);
}

static enum status take_event(struct jepsen_reader *r, struct event *event, struct error *err)
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

/* --- Files ------------------------------------------------------------------------ */

static enum status read_events(struct jepsen_reader *r, struct error *err)
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
        TRY(jepsen_add_event(r, &event, err));
        r->edn.at = behind;
    }
    if (edn_peek(&r->edn) != EDN_END || r->edn.at != r->edn.end)
        return edn_refuse(&r->edn, "the end", err);
    return jepsen_end(r, err);
}

static enum status read_jepsen(struct source *source, bool is_json, struct history *history,
                               struct error *err)
{
    struct jepsen_reader r;
    struct whole whole;
    enum status status = whole_begin(&whole, source, is_json, err);

    jepsen_begin(&r, whole.edn);
    if (status == STATUS_OK) {
        status = read_events(&r, err);
        if (status != STATUS_OK)
            status = foreign_at_offset(source, &r.edn, err);
    }
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "jepsen", history, err);
    whole.edn = r.edn;
    jepsen_close(&r);
    whole_close(&whole);
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

static enum status write_edn(const struct history *h, struct sink *sink, struct error *err)
{
    return jepsen_write(h, false, sink, err);
}

static enum status write_json(const struct history *h, struct sink *sink, struct error *err)
{
    return jepsen_write(h, true, sink, err);
}

const struct foreign foreign_jepsen_edn = {
    .is_it = is_edn, .read = read_edn, .examine = jepsen_examine, .write = write_edn
};
const struct foreign foreign_jepsen_json = {
    .is_it = is_json, .read = read_json, .examine = jepsen_examine, .write = write_json
};
