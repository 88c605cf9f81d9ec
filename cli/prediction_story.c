#include "cli/prediction_story.h"

#include <inttypes.h>
#include <string.h>

#include "cli/output.h"

#define FILL_WIDTH 96
#define CHANGES_MAX 6 /* that the paragraph tells */
#define ENDS_MAX 3

/* --- Names and parts --------------------------------------------------------------------------- */

int64_t told_txn_id(const struct dataflow *t, uint32_t txn)
{
    return t->history ? t->history->txn_id[t->txn[txn]] : (int64_t)txn + 1;
}

int64_t told_session_id(const struct dataflow *t, uint32_t session)
{
    uint32_t first = t->session_txns[t->session_start[session]];

    return t->history ? t->history->session_id[t->history->txn_session[t->txn[first]]]
                      : (int64_t)session;
}

struct text told_key(const struct dataflow *t, uint32_t key)
{
    return t->history ? history_key(t->history, t->key[key]) : TEXT("a key");
}

bool told_is_full(const struct told_prediction *p, uint32_t txn)
{
    const struct dataflow *t = p->observed;
    uint32_t session = t->session[txn], from = t->session_start[session];

    for (uint32_t i = 0; i < p->prediction->full[session]; i++)
        if (t->session_txns[from + i] == txn)
            return true;
    return false;
}

bool told_is_boundary(const struct told_prediction *p, uint32_t txn)
{
    return p->prediction->boundary[p->observed->session[txn]] == txn;
}

uint32_t told_included(const struct told_prediction *p, uint32_t txn)
{
    const struct dataflow *t = p->observed;

    if (told_is_boundary(p, txn))
        return p->prediction->included[t->session[txn]];
    return told_is_full(p, txn) ? t->event_start[txn + 1] - t->event_start[txn] : 0;
}

/* An event of a boundary transaction: all else is as observed. */
static bool is_changed_of(const struct told_prediction *p, uint32_t txn, uint32_t event)
{
    const struct dataflow *t = p->observed;

    return told_is_boundary(p, txn) && event - t->event_start[txn] < told_included(p, txn) &&
           dataflow_is_read(t->events[event]) &&
           p->prediction->writer[event] != t->events[event].writer;
}

bool told_is_changed(const struct told_prediction *p, uint32_t event)
{
    for (uint32_t s = 0; s < p->observed->session_count; s++) {
        uint32_t txn = p->prediction->boundary[s];

        if (txn != DATAFLOW_NONE && event >= p->observed->event_start[txn] &&
            event < p->observed->event_start[txn + 1])
            return is_changed_of(p, txn, event);
    }
    return false;
}

void told_print_writer(const struct dataflow *t, uint32_t writer, struct buffer *out)
{
    if (writer == DATAFLOW_INITIAL)
        buffer_text(out, TEXT("the initial state"));
    else
        buffer_print(out, "T%" PRId64, told_txn_id(t, writer));
}

static void print_key(const struct dataflow *t, uint32_t key, struct buffer *out)
{
    size_t from = out->count;

    buffer_print(out, "%.*s", TEXT_PRINT(told_key(t, key)));
    output_tame(out, from);
}

/* --- Sentences ------------------------------------------------------------------------------------- */

static void tell_change(const struct told_prediction *p, uint32_t txn, uint32_t event,
                        struct buffer *out)
{
    const struct dataflow *t = p->observed;

    buffer_print(out, "T%" PRId64 " (session %" PRId64 ") reads ", told_txn_id(t, txn),
                 told_session_id(t, t->session[txn]));
    print_key(t, t->events[event].key, out);
    buffer_text(out, TEXT(" from "));
    told_print_writer(t, p->prediction->writer[event], out);
    buffer_text(out, TEXT(" instead of from "));
    told_print_writer(t, t->events[event].writer, out);
}

static void tell_changes(const struct told_prediction *p, struct buffer *out)
{
    const struct dataflow *t = p->observed;
    uint64_t count = 0;

    for (uint32_t s = 0; s < t->session_count; s++) {
        uint32_t txn = p->prediction->boundary[s];

        for (uint32_t e = txn == DATAFLOW_NONE ? 0 : t->event_start[txn];
             txn != DATAFLOW_NONE && e < t->event_start[txn + 1]; e++)
            if (is_changed_of(p, txn, e) && count++ < CHANGES_MAX) {
                buffer_text(out, count > 1 ? TEXT("; ") : TEXT(" "));
                tell_change(p, txn, e, out);
            }
    }
    if (count > CHANGES_MAX)
        buffer_print(out, "; and %" PRIu64 " more reads come from another transaction",
                     count - CHANGES_MAX);
    if (count > 0)
        buffer_byte(out, '.');
    else
        buffer_text(out, TEXT(" Every read is as observed, but some transactions are left out."));
}

static void tell_edge(const struct dataflow *t, const struct cycle_edge *edge, struct buffer *out)
{
    int64_t from = told_txn_id(t, edge->from), to = told_txn_id(t, edge->to);

    buffer_print(out, "T%" PRId64 " must come before T%" PRId64 ", because ", from, to);
    switch (edge->kind) {
    case CYCLE_SO:
        buffer_print(out, "it does in session %" PRId64,
                     told_session_id(t, t->session[edge->from]));
        return;
    case CYCLE_WR:
        buffer_print(out, "T%" PRId64 " reads ", to);
        print_key(t, edge->key, out);
        buffer_text(out, TEXT(" from it"));
        return;
    case CYCLE_RW:
        buffer_print(out, "T%" PRId64 " reads ", from);
        print_key(t, edge->key, out);
        buffer_text(out, TEXT(" from "));
        told_print_writer(t, edge->other, out);
        if (edge->other == DATAFLOW_INITIAL)
            buffer_print(out, " and not what T%" PRId64 " writes there", to);
        else
            buffer_print(out, ", and T%" PRId64 " writes it after that", to);
        return;
    default:
        buffer_print(out, "T%" PRId64 ", which comes after T%" PRId64 ", reads ",
                     told_txn_id(t, edge->other), from);
        print_key(t, edge->key, out);
        buffer_print(out, " from T%" PRId64 " and not from T%" PRId64, to, from);
    }
}

static void tell_cycle(const struct told_prediction *p, struct buffer *out)
{
    const struct confirmation *c = p->confirmation;

    if (c->cycle.count == 0) {
        buffer_print(out, " No order of the transactions, one after another, explains this; each "
                          "order fails for a "
                          "reason of its own, and the proof is in the witness.");
        return;
    }
    for (uint32_t i = 0; i < c->cycle.count; i++) {
        buffer_text(out, i == 0 ? TEXT(" ") : i + 1 < c->cycle.count ? TEXT("; ") : TEXT("; and "));
        tell_edge(&c->trace, &c->cycle.edges[i], out);
    }
    buffer_print(
        out, ". So no order of the transactions, one after another%s, explains what they read.",
        c->fails.level == LEVEL_SERIALIZABLE ? "" : " and each session's in its own order");
}

static void tell_boundary(const struct told_prediction *p, uint32_t session, struct buffer *out)
{
    const struct dataflow *t = p->observed;
    uint32_t count = t->session_start[session + 1] - t->session_start[session];
    int64_t boundary = told_txn_id(t, p->prediction->boundary[session]);

    if (strategy_is_relaxed(p->options->strategy))
        buffer_print(
            out,
            " T%" PRId64 " is %s%s.", boundary,
            p->options->strategy == STRATEGY_SEMANTIC
                ? "executed again, and this is what it does with what it reads now"
                : "taken as it was, though it might do something else after what it reads now",
            p->prediction->full[session] + 1 < count
                ? "; what comes behind it in its session is left out"
                : "");
    else
        buffer_print(out, " Session %" PRId64 " is cut in T%" PRId64 ", behind that read.",
                     told_session_id(t, session), boundary);
}

/* Sessions that end earlier than observed, without a boundary transaction. */
static void tell_ends(const struct told_prediction *p, struct buffer *out)
{
    const struct dataflow *t = p->observed;
    uint32_t count = 0;

    for (uint32_t s = 0; s < t->session_count; s++) {
        uint32_t first = t->session_start[s], full = p->prediction->full[s];

        if (p->prediction->boundary[s] != DATAFLOW_NONE ||
            full == t->session_start[s + 1] - first || count++ >= ENDS_MAX)
            continue;
        if (full == 0)
            buffer_print(out, " Session %" PRId64 " is left out.", told_session_id(t, s));
        else
            buffer_print(out, " Session %" PRId64 " ends after T%" PRId64 ".",
                         told_session_id(t, s), told_txn_id(t, t->session_txns[first + full - 1]));
    }
    if (count > ENDS_MAX)
        buffer_print(out, " %" PRIu32 " more sessions end earlier than observed.",
                     count - ENDS_MAX);
}

void prediction_story_tell(const struct told_prediction *p, struct buffer *out)
{
    const char *level = level_name(p->options->level);

    buffer_print(
        out, "At %s the same clients could have seen another execution, which is not serializable.",
        level);
    tell_changes(p, out);
    tell_cycle(p, out);
    buffer_print(out, " %c%s allows it: %s.", level[0] - 'a' + 'A', level + 1,
                 level_promise(p->options->level));
    for (uint32_t s = 0; s < p->observed->session_count; s++)
        if (p->prediction->boundary[s] != DATAFLOW_NONE)
            tell_boundary(p, s, out);
    tell_ends(p, out);
    if (p->observed->unjudged > 0)
        buffer_print(
            out,
            " Of %" PRIu64
            " statements nobody knows which rows they saw; what these would have seen is not "
            "part of the prediction.",
            p->observed->unjudged);
}

/* --- The list ---------------------------------------------------------------------------------------- */

/* Blanks become line ends where a line would be too wide. */
static void fill(struct buffer *out, size_t from)
{
    size_t line = from, blank = SIZE_MAX;

    for (size_t i = from; i < out->count; i++) {
        if (out->at[i] == ' ')
            blank = i;
        if (i - line >= FILL_WIDTH && blank != SIZE_MAX) {
            out->at[blank] = '\n';
            line = blank + 1;
            blank = SIZE_MAX;
        }
    }
}

static void print_event(const struct told_prediction *p, uint32_t txn, uint32_t event,
                        struct buffer *out)
{
    const struct dataflow *t = p->observed;
    struct dataflow_event e = t->events[event];
    bool is_changed = is_changed_of(p, txn, event);

    buffer_print(out, "  %c %s ",
                 is_changed                                            ? '*'
                 : event - t->event_start[txn] < told_included(p, txn) ? ' '
                                                                       : '-',
                 dataflow_is_read(e) ? "reads " : "writes");
    print_key(t, e.key, out);
    if (dataflow_is_read(e)) {
        buffer_text(out, TEXT(" from "));
        told_print_writer(t, is_changed ? p->prediction->writer[event] : e.writer, out);
    }
    if (is_changed) {
        buffer_text(out, TEXT(" instead of from "));
        told_print_writer(t, e.writer, out);
    }
    buffer_byte(out, '\n');
}

static void print_session(const struct told_prediction *p, uint32_t session, struct buffer *out)
{
    const struct dataflow *t = p->observed;
    uint32_t first = t->session_start[session], end = t->session_start[session + 1];
    uint32_t full = p->prediction->full[session], boundary = p->prediction->boundary[session];
    uint32_t rest = end - first - full - (boundary != DATAFLOW_NONE);

    buffer_print(out, "\nsession %" PRId64 ": ", told_session_id(t, session));
    if (full > 0)
        buffer_print(out, "%" PRIu32 " transaction%s as observed, to T%" PRId64, full,
                     full == 1 ? "" : "s", told_txn_id(t, t->session_txns[first + full - 1]));
    if (boundary != DATAFLOW_NONE)
        buffer_print(out, "%sT%" PRId64 "%s", full > 0 ? "; " : "", told_txn_id(t, boundary),
                     strategy_is_relaxed(p->options->strategy) ? "" : ", cut");
    if (rest > 0)
        buffer_print(out, "%s%" PRIu32 " left out",
                     full > 0 || boundary != DATAFLOW_NONE ? "; " : "", rest);
    buffer_byte(out, '\n');
    if (boundary == DATAFLOW_NONE)
        return;
    buffer_print(out, "\n  T%" PRId64 "\n", told_txn_id(t, boundary));
    for (uint32_t e = t->event_start[boundary]; e < t->event_start[boundary + 1]; e++)
        print_event(p, boundary, e, out);
}

static void print_cycle(const struct confirmation *c, struct buffer *out)
{
    buffer_text(out, TEXT("\ncycle:\n"));
    for (uint32_t i = 0; i < c->cycle.count; i++) {
        const struct cycle_edge *edge = &c->cycle.edges[i];

        buffer_print(out, "  T%" PRId64 " -%s", told_txn_id(&c->trace, edge->from),
                     cycle_edge_name(edge->kind));
        if (edge->kind != CYCLE_SO) {
            buffer_byte(out, ' ');
            print_key(&c->trace, edge->key, out);
        }
        buffer_print(out, "-> T%" PRId64 "\n", told_txn_id(&c->trace, edge->to));
    }
}

void prediction_story_print(const struct told_prediction *p, struct buffer *out)
{
    size_t from = out->count;

    prediction_story_tell(p, out);
    if (out->out_of_memory)
        return;
    fill(out, from);
    buffer_byte(out, '\n');
    if (p->confirmation->cycle.count > 0)
        print_cycle(p->confirmation, out);
    for (uint32_t s = 0; s < p->observed->session_count; s++)
        print_session(p, s, out);
    buffer_text(out, TEXT("\n* reads from another transaction than observed; - is left out\n"));
}
