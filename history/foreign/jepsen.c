/*
 * Reads and writes Jepsen's histories, in EDN or JSON, as Elle, elle-cli and Knossos read them.
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
 * of a file shows: then events are listed first (jepsen_events.c). So they are if their indexes
 * say that they stand in another order than they happened. Processes that are no
 * numbers, such as :nemesis, are passed over. In a history of completions alone nobody knows when
 * anything began: it has no times.
 */
#include "history/foreign/foreign_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "history/foreign/jepsen_events_private.h"

/*
 * A history as Jepsen's operations, in EDN or JSON, one a line.
 *
 * Where every transaction has times and each session does one thing after another, a transaction is
 * an invocation and a completion, at their times; a transaction of unknown outcome never
 * completes. Otherwise it is a completion alone, and the times are lost.
 */

struct jepsen_moment {
    int64_t time;
    uint32_t txn;
    bool is_completion;
};

struct jepsen_writer {
    const struct history *history;
    bool is_json, is_timed;
    ARRAY(struct jepsen_moment) moments;
    ARRAY(int64_t) process; /* by transaction */
    struct buffer out;
};

/* --- What can be written ---------------------------------------------------------- */

/* Whether the history has times that Jepsen's processes can have. */
static enum status find_times(const struct history *h, bool *is_timed, bool *goes_on,
                              struct error *err)
{
    ARRAY(uint32_t) last = { 0 }; /* by session: its last transaction so far, plus one */
    enum status status = STATUS_OK;

    *is_timed = h->txn_invoked != NULL;
    *goes_on = false;
    for (size_t s = 0; s < h->session_count && status == STATUS_OK; s++)
        status = array_push(&last, 0, err);
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        uint32_t before = last.at[h->txn_session[t]];

        last.at[h->txn_session[t]] = t + 1;
        if (before > 0 && h->txn_status[before - 1] == TXN_UNKNOWN)
            *goes_on = true;
        if (!*is_timed)
            continue;
        if (h->txn_invoked[t] < 0 || h->txn_invoked[t] > JEPSEN_TIME_MAX ||
            (h->txn_completed[t] > JEPSEN_TIME_MAX && h->txn_completed[t] != TIME_NEVER) ||
            (h->txn_status[t] != TXN_UNKNOWN && (h->txn_completed[t] == TIME_NEVER ||
                                                 h->txn_completed[t] < h->txn_invoked[t])))
            *is_timed = false;
        else if (before > 0 && h->txn_status[before - 1] != TXN_UNKNOWN &&
                 h->txn_completed[before - 1] >= h->txn_invoked[t])
            *is_timed = false;
    }
    array_close(&last);
    return status;
}

static enum status examine_op(const struct history *h, uint32_t op, struct error *err)
{
    if (h->op_kind[op] == OP_REMOVE)
        return error_set(err, STATUS_BAD_INPUT, "this format has no deletes");
    if (h->op_value_kind[op] == VALUE_ROW ||
        (h->op_kind[op] == OP_WRITE && h->op_value_kind[op] == VALUE_LIST))
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has no rows, and lists are appended to, not written");
    return STATUS_OK;
}

/* A read of a transaction that did not commit is asked for, and has no answer. */
static uint32_t losses_of(const struct history *h, uint32_t txn, uint32_t op)
{
    bool is_ok = h->txn_status[txn] == TXN_OK, has_value = h->op_value_kind[op] != VALUE_NONE;

    if (h->op_flags[op] & OP_ERROR)
        return 1u << LOSS_REFUSED;
    if (h->op_kind[op] != OP_READ || is_ok == has_value)
        return 0;
    return is_ok ? 1u << LOSS_REFUSED : 1u << LOSS_ANSWERS;
}

static enum status jepsen_examine(const struct history *h, uint32_t *losses, struct error *err)
{
    bool is_timed, goes_on;

    TRY(foreign_examine(h, losses, err));
    *losses &= ~(1u << LOSS_UNKNOWN | 1u << LOSS_TIMES | 1u << LOSS_REFUSED);
    TRY(find_times(h, &is_timed, &goes_on, err));
    for (size_t i = 0; i < h->initial_count; i++)
        if (h->initial_kind[i] != VALUE_NULL)
            return error_set(err, STATUS_BAD_INPUT, "in this format every key begins with nil");
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            TRY(examine_op(h, op, err));
            *losses |= losses_of(h, t, op);
        }
    for (size_t t = 0; t < h->txn_count && h->txn_invoked; t++)
        if (h->txn_status[t] == TXN_UNKNOWN && h->txn_completed[t] != TIME_NEVER)
            *losses |= 1u << LOSS_TIMES; /* what is unknown never completes */
    *losses |= 1u << LOSS_IDS;
    if (h->op_invoked || (h->txn_invoked && !is_timed))
        *losses |= 1u << LOSS_TIMES;
    if (goes_on)
        *losses |= 1u << LOSS_SESSIONS;
    return STATUS_OK;
}

/* --- Writing ---------------------------------------------------------------------- */

/* `:type ` or `"type":`, and a comma before it if it is not the first. */
static void put_name(struct jepsen_writer *w, const char *name, bool is_first)
{
    buffer_print(&w->out, w->is_json ? "%s\"%s\":" : "%s:%s ",
                 is_first ? "" : w->is_json ? "," : ", ", name);
}

static void put_word(struct jepsen_writer *w, const char *word)
{
    buffer_print(&w->out, w->is_json ? "\"%s\"" : ":%s", word);
}

static bool is_keyword(struct text name)
{
    for (size_t i = 1; i < name.length; i++)
        if (!(name.at[i] >= 'a' && name.at[i] <= 'z') && name.at[i] != '-')
            return false;
    return name.length > 1 && name.at[0] == ':';
}

static void put_key(struct jepsen_writer *w, struct text name)
{
    int64_t unused;

    if (text_to_int64(name, &unused) || (!w->is_json && is_keyword(name)))
        buffer_text(&w->out, name);
    else
        buffer_json(&w->out, name);
}

static void put_list(struct jepsen_writer *w, struct value value)
{
    const struct history *h = w->history;

    buffer_byte(&w->out, '[');
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++) {
        if (i > h->list_start[value.bits])
            buffer_byte(&w->out, w->is_json ? ',' : ' ');
        buffer_int64(&w->out, h->list_element[i]);
    }
    buffer_byte(&w->out, ']');
}

static void put_value(struct jepsen_writer *w, struct value value)
{
    if (value.kind == VALUE_INTEGER)
        buffer_int64(&w->out, value.bits);
    else if (value.kind == VALUE_BOOLEAN)
        buffer_print(&w->out, "%s", value.bits ? "true" : "false");
    else if (value.kind == VALUE_TEXT)
        buffer_json(&w->out, history_text(w->history, (uint32_t)value.bits));
    else if (value.kind == VALUE_LIST)
        put_list(w, value);
    else
        buffer_print(&w->out, "%s", w->is_json ? "null" : "nil");
}

static void put_ops(struct jepsen_writer *w, uint32_t txn, bool is_answered)
{
    const struct history *h = w->history;
    const char *comma = w->is_json ? "," : " ";
    bool is_first = true;

    buffer_byte(&w->out, '[');
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool is_read = h->op_kind[op] == OP_READ;

        if (h->op_flags[op] & OP_ERROR || (is_read && h->txn_status[txn] == TXN_OK &&
                                           h->op_value_kind[op] == VALUE_NONE))
            continue;
        buffer_print(&w->out, "%s[", is_first ? "" : comma);
        put_word(w, is_read ? "r" : h->op_kind[op] == OP_WRITE ? "w" : "append");
        buffer_print(&w->out, "%s", comma);
        put_key(w, history_key(h, h->op_key[op]));
        buffer_print(&w->out, "%s", comma);
        put_value(w, is_read && !is_answered ? (struct value){ VALUE_NULL, 0 }
                                             : history_value(h, op));
        buffer_byte(&w->out, ']');
        is_first = false;
    }
    buffer_byte(&w->out, ']');
}

static void put_event(struct jepsen_writer *w, size_t index, const struct jepsen_moment *moment)
{
    static const char *const types[] = { "ok", "fail", "info" };
    const struct history *h = w->history;
    uint8_t status = h->txn_status[moment->txn];

    buffer_byte(&w->out, '{');
    put_name(w, "index", true);
    buffer_int64(&w->out, (int64_t)index);
    put_name(w, "type", false);
    put_word(w, moment->is_completion ? types[status] : "invoke");
    put_name(w, "process", false);
    buffer_int64(&w->out, w->process.at[moment->txn]);
    if (w->is_timed) {
        put_name(w, "time", false);
        buffer_int64(&w->out, moment->time);
    }
    put_name(w, "f", false);
    put_word(w, "txn");
    put_name(w, "value", false);
    put_ops(w, moment->txn, moment->is_completion && status == TXN_OK);
    buffer_print(&w->out, "}\n");
}

/* Of one time, beginnings come first: who ends when another begins was not over before. */
static int compare_moments(const void *a, const void *b)
{
    const struct jepsen_moment *left = a, *right = b;

    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (left->is_completion != right->is_completion)
        return left->is_completion - right->is_completion;
    return left->txn < right->txn ? -1 : left->txn > right->txn;
}

static enum status list_moments(struct jepsen_writer *w, struct error *err)
{
    const struct history *h = w->history;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        struct jepsen_moment began = { w->is_timed ? h->txn_invoked[t] : 0, t, false };
        struct jepsen_moment ended = { w->is_timed ? h->txn_completed[t] : 0, t, true };

        if (w->is_timed)
            TRY(array_push(&w->moments, began, err));
        if (!w->is_timed || h->txn_status[t] != TXN_UNKNOWN)
            TRY(array_push(&w->moments, ended, err));
    }
    if (w->is_timed && w->moments.count > 0)
        qsort(w->moments.at, w->moments.count, sizeof *w->moments.at, compare_moments);
    return STATUS_OK;
}

/*
 * Processes are sessions, by their numbers if none is below 0. One that does not know what became of a
 * transaction goes on under a number that nobody has, as Jepsen's do.
 */
static enum status name_processes(struct jepsen_writer *w, struct error *err)
{
    const struct history *h = w->history;
    ARRAY(int64_t) now = { 0 }; /* by session */
    bool numbers_sessions = false;
    int64_t fresh = (int64_t)h->session_count;
    enum status status = STATUS_OK;

    for (size_t s = 0; s < h->session_count; s++)
        numbers_sessions |= h->session_id[s] < 0 || h->session_id[s] > INT64_MAX / 2;
    for (size_t s = 0; s < h->session_count && status == STATUS_OK; s++) {
        int64_t number = numbers_sessions ? (int64_t)s : h->session_id[s];

        fresh = number >= fresh ? number + 1 : fresh;
        status = array_push(&now, number, err);
    }
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        status = array_push(&w->process, now.at[h->txn_session[t]], err);
        if (h->txn_status[t] == TXN_UNKNOWN)
            now.at[h->txn_session[t]] = fresh++;
    }
    array_close(&now);
    return status;
}

static enum status put_all(struct jepsen_writer *w, struct sink *sink, struct error *err)
{
    const struct history *h = w->history;
    bool goes_on;

    TRY(find_times(h, &w->is_timed, &goes_on, err));
    TRY(name_processes(w, err));
    TRY(list_moments(w, err));
    for (size_t i = 0; i < w->moments.count; i++) {
        put_event(w, i, &w->moments.at[i]);
        TRY(foreign_flush(&w->out, sink, false, err));
    }
    return foreign_flush(&w->out, sink, true, err);
}

static enum status jepsen_write(const struct history *h, bool is_json, struct sink *sink,
                         struct error *err)
{
    struct jepsen_writer w = { .history = h, .is_json = is_json };
    enum status status = put_all(&w, sink, err);

    array_close(&w.moments);
    array_close(&w.process);
    buffer_close(&w.out);
    return status;
}

/* --- Events ----------------------------------------------------------------------- */

/* The fields that are looked at; each may come once. */
enum jepsen_field { FIELD_VALUE, FIELD_TYPE, FIELD_F, FIELD_PROCESS, FIELD_TIME, FIELD_INDEX, FIELD_COUNT };

#define ALL_FIELDS ((1u << FIELD_COUNT) - 1)
#define NAME(literal) { (literal), sizeof(literal) - 1 }

static const struct text field_names[] = { NAME("value"),   NAME("type"), NAME("f"),
                                           NAME("process"), NAME("time"), NAME("index") };

static enum jepsen_field find_field(const struct edn *e, const struct edn_scalar *name)
{
    enum jepsen_field field = 0;

    while (field < FIELD_COUNT && !edn_is_text(e, name, field_names[field]))
        field++;
    return field;
}

static enum status take_field(struct edn *e, enum jepsen_field field, unsigned seen,
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
        enum jepsen_field field;

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
