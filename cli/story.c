#include "cli/story.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "checkers/proof/tell.h"
#include "cli/report_check.h"

#define RECORDS_MAX 100000 /* of the trace; a story of more is not for reading */
#define FINDINGS_TOLD 3

/* --- Texts ------------------------------------------------------------------------------------ */

static size_t begin_text(const struct story *story)
{
    return story->texts.count;
}

static void end_text(struct story *story)
{
    buffer_byte(&story->texts, '\0');
}

const char *story_text(const struct story *story, size_t text)
{
    return story->texts.at + text;
}

static uint32_t node_count(const struct story *story)
{
    return story->scenario->cluster.nodes;
}

void story_name(const struct story *story, uint32_t who, struct buffer *out)
{
    if (who < node_count(story))
        buffer_print(out, "node %" PRIu32, who);
    else
        buffer_print(out, "session %" PRIu32, who - node_count(story));
}

static void add_event(struct story *story, int64_t at_ns, uint32_t who, size_t text, bool is_fault)
{
    struct story_event event = { at_ns, who, text, is_fault };
    struct error err;

    end_text(story);
    if (array_push(&story->events, event, &err) != STATUS_OK)
        story->is_short = true;
}

/* --- Transactions ----------------------------------------------------------------------------- */

/* The history counts a session anew behind a commit that was never answered. */
static uint32_t endpoint_of_session(const struct story *story, const struct history *h,
                                    uint32_t txn)
{
    uint64_t session = (uint64_t)h->session_id[h->txn_session[txn]];

    return node_count(story) + (uint32_t)(session % story->scenario->workload.sessions);
}

static void tell_rows(struct buffer *out, const struct history *h, uint32_t head)
{
    bool first = true;

    for (uint32_t op = head + 1; op < h->op_count && op_is_row(h->op_kind[op]); op++) {
        buffer_text(out, first ? TEXT(": ") : TEXT(", "));
        tell_key_value(out, h, h->op_key[op], history_value(h, op));
        first = false;
    }
    if (first)
        buffer_text(out, TEXT(": no rows"));
}

static void tell_op(struct buffer *out, const struct history *h, uint32_t op)
{
    static const char *const verbs[OP_KIND_COUNT] = {
        [OP_READ] = "reads",     [OP_WRITE] = "writes",   [OP_APPEND] = "appends",
        [OP_REMOVE] = "deletes", [OP_SELECT] = "selects", [OP_INSERT] = "inserts into",
        [OP_UPDATE] = "updates", [OP_DELETE] = "deletes",
    };
    uint8_t kind = h->op_kind[op];

    buffer_print(out, "%s ", verbs[kind]);
    if (op_is_head(kind)) {
        tell_statement(out, h, op);
        tell_rows(out, h, op);
    } else if (kind != OP_READ) {
        tell_write(out, h, op);
    } else if (h->op_value_kind[op] == VALUE_NONE) {
        tell_key(out, h, h->op_key[op]);
        buffer_text(out, TEXT(", and gets no answer"));
    } else {
        tell_key_value(out, h, h->op_key[op], history_value(h, op));
    }
}

static int64_t time_of_op(const struct history *h, uint32_t txn, uint32_t op)
{
    if (h->op_completed && h->op_completed[op] != TIME_NEVER && h->op_completed[op] != TIME_ABSENT)
        return h->op_completed[op];
    if (h->op_invoked && h->op_invoked[op] != TIME_ABSENT)
        return h->op_invoked[op];
    return h->txn_invoked[txn];
}

static void tell_end(struct story *story, const struct history *h, uint32_t txn, uint32_t who)
{
    static const char *const ends[] = { [TXN_OK] = " has committed",
                                        [TXN_ABORT] = " has aborted",
                                        [TXN_UNKNOWN] = " is never answered" };
    int64_t at_ns = h->txn_completed[txn];
    size_t text = begin_text(story);

    if (at_ns == TIME_NEVER || at_ns == TIME_ABSENT)
        at_ns = story->trial.simulation->world.now_ns;
    tell_txn(&story->texts, h, txn);
    buffer_text(&story->texts, text_of(ends[h->txn_status[txn]]));
    add_event(story, at_ns, who, text, false);
}

static void tell_transactions(struct story *story, const struct history *h)
{
    for (uint32_t txn = 0; h->txn_invoked && txn < h->txn_count; txn++) {
        uint32_t who = endpoint_of_session(story, h, txn);
        size_t text = begin_text(story);

        tell_txn(&story->texts, h, txn);
        buffer_text(&story->texts, TEXT(" begins"));
        add_event(story, h->txn_invoked[txn], who, text, false);
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            if (op_is_row(h->op_kind[op]))
                continue;
            text = begin_text(story);
            tell_txn(&story->texts, h, txn);
            buffer_byte(&story->texts, ' ');
            tell_op(&story->texts, h, op);
            add_event(story, time_of_op(h, txn, op), who, text, false);
        }
        tell_end(story, h, txn, who);
    }
}

/* --- Faults ----------------------------------------------------------------------------------- */

static void add_shade(struct story *story, int64_t from_ns, int64_t lasts_ns, uint32_t who,
                      size_t text)
{
    struct story_shade shade = { from_ns, from_ns + lasts_ns, who, text };
    struct error err;

    if (lasts_ns == 0)
        shade.to_ns = story->scenario->workload.duration_ns;
    if (shade.to_ns > story->trial.simulation->world.now_ns)
        shade.to_ns = story->trial.simulation->world.now_ns;
    if (array_push(&story->shades, shade, &err) != STATUS_OK)
        story->is_short = true;
}

static void tell_by(struct buffer *out, const struct nemesis_strike *strike, bool is_drift)
{
    for (uint32_t i = 0; strike->by && i < strike->node_count; i++) {
        buffer_text(out, i ? TEXT(", ") : TEXT(" by "));
        if (strike->by[i] < 0)
            buffer_byte(out, '-');
        if (is_drift)
            buffer_print(out, "%" PRId64 " ppm",
                         strike->by[i] < 0 ? -strike->by[i] : strike->by[i]);
        else
            quantity_print_rounded(out, strike->by[i] < 0 ? -strike->by[i] : strike->by[i]);
    }
}

/* "crash one: node 2, for 20 ms" */
static void tell_strike(struct story *story, const struct nemesis_options *options,
                        const struct nemesis_strike *strike)
{
    struct buffer *out = &story->texts;
    size_t text = begin_text(story);

    buffer_print(out, "%s %s", nemesis_kind_name(options->kind),
                 nemesis_shape_name(options->shape));
    for (uint32_t i = 0; i < strike->node_count; i++)
        buffer_print(out, "%s%" PRIu32, i ? ", " : strike->node_count > 1 ? ": nodes " : ": node ",
                     strike->nodes[i]);
    for (uint32_t i = 0; i < strike->link_count; i++)
        buffer_print(out, "%s%" PRIu32 " to %" PRIu32, i ? ", " : ": links ",
                     strike->links[i].from, strike->links[i].to);
    tell_by(out, strike, options->shape == SHAPE_CLOCK_DRIFT);
    if (strike->lasts_ns > 0) {
        buffer_text(out, TEXT(", for "));
        quantity_print_rounded(out, strike->lasts_ns);
    }
    add_event(story, strike->at_ns,
              strike->node_count == 1 ? strike->nodes[0] : STORY_NOBODY, text, true);
    for (uint32_t i = 0; i < strike->node_count; i++)
        add_shade(story, strike->at_ns, strike->lasts_ns, strike->nodes[i], text);
    if (strike->node_count == 0)
        add_shade(story, strike->at_ns, strike->lasts_ns, STORY_NOBODY, text);
}

static void tell_strikes(struct story *story)
{
    for (size_t i = 0; i < story->recording.strikes.list.count; i++) {
        const struct logged_strike *logged = &story->recording.strikes.list.at[i];

        tell_strike(story, &story->scenario->nemeses[logged->place], &logged->strike);
    }
}

/* --- Messages and leaders --------------------------------------------------------------------- */

/* Whether the detail speaks of a transaction: "read T2.1 k0". */
static bool names_txn(const char *detail)
{
    for (; *detail; detail++)
        if (detail[0] == 'T' && detail[1] >= '0' && detail[1] <= '9')
            return true;
    return false;
}

static struct story_message *find_message(struct story *story, const struct trace_record *record)
{
    for (size_t i = story->messages.count; i-- > 0;) {
        struct story_message *message = &story->messages.at[i];
        if (message->from == record->node && message->to == record->peer &&
            message->ordinal == record->a && message->came_ns == TIME_NEVER)
            return message;
    }
    return NULL;
}

static void take_message(struct story *story, const struct trace_record *record, size_t detail)
{
    struct story_message message = { record->at_ns, TIME_NEVER, record->node, record->peer,
                                     record->a, detail };
    struct story_message *sent;
    struct error err;

    if (record->node == record->peer)
        return;
    if (record->kind == TRACE_SEND) {
        if (detail != SIZE_MAX && names_txn(story_text(story, detail)) &&
            array_push(&story->messages, message, &err) != STATUS_OK)
            story->is_short = true;
        return;
    }
    sent = record->kind == TRACE_DELIVER ? find_message(story, record) : NULL;
    if (sent)
        sent->came_ns = record->at_ns;
}

static void take_role(struct story *story, const struct trace_record *record)
{
    size_t text = begin_text(story);

    if (record->b != ROLE_LEADER)
        return;
    buffer_print(&story->texts, "leads shard %" PRIu64, record->a);
    add_event(story, record->at_ns, record->node, text, false);
}

static void take_trace(struct story *story)
{
    const struct trace *trace = &story->trial.simulation->world.trace;

    for (uint64_t i = 0; i < story->details.count && i < RECORDS_MAX; i++) {
        const struct trace_record *record = trace_window_record(trace, i);

        if (!record)
            return;
        if (record->kind == TRACE_ROLE)
            take_role(story, record);
        else
            take_message(story, record, story->details.at[i]);
    }
}

/* The detail of a message stands behind its size: "... send #0, 16 bytes  write T1.1 k0". */
static void take_line(void *context, struct text line)
{
    static const char mark[] = " bytes  ";
    struct story *story = context;
    size_t detail = SIZE_MAX;
    struct error err;

    for (size_t i = 0; i + sizeof mark - 1 < line.length; i++)
        if (memcmp(line.at + i, mark, sizeof mark - 1) == 0) {
            detail = begin_text(story);
            buffer_text(&story->texts, (struct text){ line.at + i + sizeof mark - 1,
                                                      line.length - i - (sizeof mark - 1) });
            end_text(story);
            break;
        }
    if (story->details.count < RECORDS_MAX &&
        array_push(&story->details, detail, &err) != STATUS_OK)
        story->is_short = true;
}

/* --- All of it -------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const struct story_event *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
    return (x->text > y->text) - (x->text < y->text);
}

static enum status story_run(struct story *story, struct error *err)
{
    struct run_options options = {
        .trace = { .line = take_line, .line_context = story, .window_count = RECORDS_MAX },
        .recording = &story->recording,
        .flags = TRIAL_HISTORY,
    };

    return trial_run(&story->trial, story->scenario, &options, err);
}

enum status story_tell(struct story *story, const struct scenario *scenario, struct error *err)
{
    *story = (struct story){ .scenario = scenario };
    TRY(story_run(story, err));
    take_trace(story);
    tell_strikes(story);
    if (story->trial.is_judged)
        tell_transactions(story, &story->trial.history);
    if (story->events.count > 1)
        qsort(story->events.at, story->events.count, sizeof *story->events.at, compare_events);
    if (story->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a story");
    return buffer_status(&story->texts, err);
}

void story_close(struct story *story)
{
    trial_close(&story->trial);
    listed_close(&story->recording.listing);
    strike_log_close(&story->recording.strikes);
    buffer_close(&story->texts);
    array_close(&story->events);
    array_close(&story->messages);
    array_close(&story->shades);
    array_close(&story->details);
}

/* --- As lines --------------------------------------------------------------------------------- */

static void print_event(const struct story *story, const struct story_event *event,
                        struct buffer *out)
{
    int64_t us = event->at_ns / 1000;
    size_t begin = out->count;

    buffer_print(out, "%8" PRId64 ".%03d ms  ", us / 1000, (int)(us % 1000));
    begin = out->count;
    if (event->who != STORY_NOBODY)
        story_name(story, event->who, out);
    while (out->count < begin + 12 && !out->out_of_memory)
        buffer_byte(out, ' ');
    buffer_print(out, "%s\n", story_text(story, event->text));
}

static void print_verdicts(const struct story *story, struct buffer *out)
{
    const struct simulation *simulation = story->trial.simulation;
    const struct jury *jury = &story->trial.jury;

    for (uint32_t i = 0; i < simulation->finding_count; i++)
        buffer_print(out, "%s: %s\n", anomaly_name(simulation->findings[i].kind),
                     simulation->findings[i].explanation);
    for (uint32_t i = 0; story->trial.is_judged && i < jury->juror_count; i++)
        report_checker_print("", &jury->jurors[i].check, FINDINGS_TOLD, out);
}

void story_print(const struct story *story, const char *fails, struct buffer *out)
{
    buffer_print(out, "%s, seed %" PRIu64 ": %s\n\n", story->scenario->name, story->scenario->seed,
                 fails);
    for (size_t i = 0; i < story->events.count; i++)
        print_event(story, &story->events.at[i], out);
    buffer_byte(out, '\n');
    print_verdicts(story, out);
}
