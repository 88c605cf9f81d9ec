/*
 * Jepsen's histories, in EDN or JSON, as Elle, elle-cli and Knossos read them.
 *
 *     {:index 0, :type :invoke, :process 3, :time 12, :f :txn, :value [[:append 8 1] [:r 8 nil]]}
 *     {:index 1, :type :ok, :process 3, :time 47, :f :txn, :value [[:append 8 1] [:r 8 [1]]]}
 *
 * One map after another, or one vector or list of them. An invocation and the completion of
 * the same process are a transaction:
 *
 *     ok       committed; what it read stands in the completion
 *     fail     aborted; what it would have written stands in the invocation
 *     info     unknown, and the process goes on as another session; so it does if
 *              nothing came back before the end, or before the same process began again
 *
 * Transactions are taken as they come. What else there is (registers, sets, banks ...) only all
 * of a file shows: then events are listed first (jepsen_survey.c). So they are if their indexes
 * say that they stand in another order than they happened. Processes that are no
 * numbers, such as :nemesis, are passed over. In a history of completions alone nobody knows when
 * anything began: it has no times.
 */
#include "history/foreign/foreign_private.h"
#include "history/foreign/jepsen_events_private.h"
#include "history/foreign/jepsen_survey_private.h"
#include "history/foreign/jepsen_write_private.h"

/* --- Events ----------------------------------------------------------------------- */

/* The fields that are looked at; each may come once. */
enum field { FIELD_VALUE, FIELD_TYPE, FIELD_F, FIELD_PROCESS, FIELD_TIME, FIELD_INDEX, FIELD_COUNT };

#define ALL_FIELDS ((1u << FIELD_COUNT) - 1)
#define NAME(literal) { (literal), sizeof(literal) - 1 }

static const struct text field_names[] = { NAME("value"),   NAME("type"), NAME("f"),
                                           NAME("process"), NAME("time"), NAME("index") };

static enum field find_field(const struct edn *e, const struct edn_scalar *name)
{
    enum field field = 0;

    while (field < FIELD_COUNT && !edn_is_text(e, name, field_names[field]))
        field++;
    return field;
}

static enum status take_field(struct edn *e, enum field field, unsigned seen,
                              struct event *event, struct error *err)
{
    struct edn_scalar scalar;

    switch (field) {
    case FIELD_VALUE:
        (void)edn_peek(e);
        event->value = e->at;
        return seen == ALL_FIELDS && event->type == EVENT_OK ? STATUS_OK : edn_skip(e, err);
    case FIELD_TYPE:
        TRY(edn_take(e, "a type", &scalar, err));
        jepsen_name_type(e, &scalar, event);
        return STATUS_OK;
    case FIELD_F:
        if (edn_peek(e) == EDN_OPEN)
            return edn_skip(e, err);
        TRY(edn_take(e, "a function", &scalar, err));
        jepsen_name_function(e, &scalar, event);
        return STATUS_OK;
    case FIELD_PROCESS:
        if (edn_peek(e) == EDN_OPEN) { /* nobody's whose operations are looked at */
            event->has_process = true;
            return edn_skip(e, err);
        }
        TRY(edn_take(e, "a process", &scalar, err));
        event->has_process = scalar.kind >= EDN_INTEGER; /* nil, true and false are none */
        event->is_numbered = scalar.kind == EDN_INTEGER;
        event->process = scalar.integer;
        return STATUS_OK;
    case FIELD_TIME:
        TRY(edn_take_integer(e, "a time, a number", &event->time, err));
        if (event->time > JEPSEN_TIME_MAX)
            return edn_refuse(e, "a time up to 2^62 before this", err);
        event->time = event->time < 0 ? TIME_ABSENT : event->time;
        return STATUS_OK;
    case FIELD_INDEX:
        return edn_take_integer(e, "an index, a number", &event->index, err);
    default:
        return edn_skip(e, err);
    }
}

/* The fields up to the end, or up to the value of an ok if all others came before it. */
static enum status take_fields(struct edn *e, unsigned *seen, struct event *event, bool *more,
                               struct error *err)
{
    for (;;) {
        struct edn_scalar name;
        enum field field;

        TRY(edn_field(e, more, &name, err));
        if (!*more)
            return STATUS_OK;
        field = find_field(e, &name);
        if (field < FIELD_COUNT && *seen >> field & 1)
            return edn_refuse(e, "no second field of that name", err);
        *seen |= 1u << field;
        TRY(take_field(e, field, *seen, event, err));
        if (field == FIELD_VALUE && e->at == event->value)
            return STATUS_OK;
    }
}

/* --- Files ------------------------------------------------------------------------ */

/* All that is done with a file, in one reading or in two. */
struct jepsen_reading {
    struct jepsen_reader reader;
    struct events events; /* where they are listed first */
    bool lists_events;
    int64_t last_index;
};

static bool is_client_s(const struct event *event)
{
    return !event->has_process || event->is_numbered;
}

/* Whether only all of the file says what this event is. */
static bool needs_survey(struct jepsen_reading *g, const struct event *event)
{
    bool falls = event->index >= 0 && event->index < g->last_index;

    g->last_index = event->index >= 0 ? event->index : g->last_index;
    return falls || (is_client_s(event) && event->function != F_TXN && event->function != F_UNSAID);
}

/* What reads the value leaves the lexer behind it, unless it had read it before, or need not. */
static enum status take_event(struct jepsen_reading *g, bool *is_again, struct error *err)
{
    struct jepsen_reader *r = &g->reader;
    struct edn *e = &r->whole.edn;
    struct event event = { .time = TIME_ABSENT, .index = -1, .function = F_UNSAID };
    const char *behind;
    unsigned seen = 0;
    bool more;

    TRY(edn_open(e, '{', "an operation, a map", err));
    event.place = e->at;
    TRY(take_fields(e, &seen, &event, &more, err));
    if (g->lists_events) {
        if (more) {
            TRY(edn_skip(e, err));
            TRY(take_fields(e, &seen, &event, &more, err));
        }
        return array_push(&g->events.all, event, err);
    }
    *is_again = needs_survey(g, &event);
    if (*is_again)
        return STATUS_OK;
    behind = e->at;
    TRY(jepsen_add_event(r, &event, err));
    if (!more) {
        e->at = behind;
        return STATUS_OK;
    }
    if (e->at == event.value)
        TRY(edn_skip(e, err));
    return take_fields(e, &seen, &event, &more, err);
}

static enum status take_events(struct jepsen_reading *g, bool *is_again, struct error *err)
{
    struct edn *e = &g->reader.whole.edn;
    bool is_list = edn_peek(e) == EDN_OPEN && *e->at != '{', more = true;

    *is_again = false;
    if (is_list)
        TRY(edn_open(e, '[', "a vector of operations", err));
    while (!*is_again) {
        if (is_list)
            TRY(edn_more(e, '[', &more, err));
        else
            more = edn_peek(e) != EDN_END;
        if (!more)
            return draft_is_over(&g->reader.whole, err);
        TRY(take_event(g, is_again, err));
    }
    return STATUS_OK;
}

static enum status read_events(struct jepsen_reading *g, struct error *err)
{
    struct jepsen_reader *r = &g->reader;
    struct edn *e = &r->whole.edn;
    bool is_again = false;

    TRY(take_events(g, &is_again, err));
    if (is_again) {
        jepsen_restart(r);
        g->lists_events = true;
        TRY(take_events(g, &is_again, err));
        TRY(jepsen_survey(r, &g->events, err));
    }
    for (size_t i = 0; i < g->events.all.count; i++) {
        e->at = g->events.all.at[i].place;
        TRY(jepsen_add_event(r, &g->events.all.at[i], err));
    }
    return jepsen_end(r, err);
}

static enum status read_jepsen(struct source *source, bool is_json, struct history *history,
                               struct error *err)
{
    struct jepsen_reading g = { .last_index = -1 };
    struct draft_file *whole = &g.reader.whole;
    enum status status;

    jepsen_begin(&g.reader);
    status = draft_begin_file(whole, source, is_json, err);
    if (status == STATUS_OK)
        status = read_events(&g, err);
    status = draft_end_file(whole, source, status, "jepsen", history, err);
    jepsen_close(&g.reader);
    array_close(&g.events.all);
    return status;
}

/* Whether the field behind that name says that this is an operation; the lexer passes it. */
static bool is_of_operation(struct edn *e, const struct edn_scalar *name)
{
    bool is_type = edn_is_name(e, name, "type");
    bool is_it = edn_is_name(e, name, "process") || edn_is_name(e, name, "f");
    struct event event = { .has_type = false };
    struct edn_scalar type;
    struct error unsaid;

    if (is_type && edn_peek(e) != EDN_OPEN && edn_take(e, "", &type, &unsaid) == STATUS_OK) {
        jepsen_name_type(e, &type, &event);
        return event.has_type;
    }
    if (!is_it && edn_skip(e, &unsaid) != STATUS_OK)
        e->at = e->end;
    return is_it;
}

/* The first map is one of an operation; what is cut off at the end of the beginning is not looked at. */
static bool begins_so(struct text beginning, bool is_json)
{
    struct edn edn = { 0 };
    struct edn_scalar name;
    struct error unsaid;
    bool is_it = false, more = true;

    edn_begin(&edn, beginning, is_json);
    if (edn_peek(&edn) == EDN_OPEN && *edn.at != '{')
        edn.at++;
    if (edn_open(&edn, '{', "", &unsaid) == STATUS_OK)
        while (!is_it && edn_field(&edn, &more, &name, &unsaid) == STATUS_OK && more)
            is_it = is_of_operation(&edn, &name);
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
