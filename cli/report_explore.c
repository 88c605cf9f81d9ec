#include "cli/report_explore.h"

#include <inttypes.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "trial/run/run.h"
#include "trial/run/signature.h"

enum verdict report_explore_store_verdict(const struct explore_store_report *report)
{
    const struct schedules_result *result = report->result;

    if (result->violations > 0)
        return VERDICT_INVALID;
    return result->is_complete && result->unjudged == 0 ? VERDICT_VALID : VERDICT_UNKNOWN;
}

/* --- For people ------------------------------------------------------------------------------- */

static void print_fixed(const struct explore_store_report *report, struct buffer *out)
{
    const struct scenario *scenario = report->options->scenario;

    buffer_text(out, TEXT("fixed      a message takes "));
    quantity_print_duration(out, scenario->network.latency.first_ns);
    buffer_text(out, TEXT(", a sync "));
    quantity_print_duration(out, scenario->disk.sync.first_ns);
    buffer_text(
        out,
        TEXT("; transactions, election timeouts and clients' pauses as the seed draws them\n"));
    if (report->left_out[0] != '\0')
        buffer_print(out, "left out   %s\n", report->left_out);
    if (scenario->nemesis_count > 0)
        buffer_print(out, "kept       %" PRIu32 " %s whose strikes are listed\n",
                     scenario->nemesis_count, scenario->nemesis_count == 1 ? "nemesis" : "nemeses");
}

static void print_bound(const struct explore_store_report *report, struct buffer *out)
{
    const struct schedules_options *options = report->options;
    const struct steering_options *explore = &options->scenario->explore;
    const int64_t lasts_ns[] = { [STEERING_POSTPONE] = explore->window_ns,
                                 [STEERING_CRASH] = explore->down_ns,
                                 [STEERING_ISOLATE] = explore->apart_ns };

    buffer_text(out, TEXT("bound     "));
    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++) {
        buffer_print(out, " %s%s at most %" PRIu32, kind > 0 ? "  " : "",
                     steering_kind_name((enum steering_kind)kind), options->max[kind]);
        if (options->max[kind] > 0) {
            buffer_text(out, TEXT(" by "));
            quantity_print_duration(out, lasts_ns[kind]);
        }
    }
    if (options->within_ns > 0) {
        buffer_text(out, TEXT("   within "));
        quantity_print_duration(out, options->within_ns);
        buffer_text(out, TEXT(" from when every shard has a leader"));
    }
    buffer_byte(out, '\n');
}

/* The next counts within the bound, as the digits of a number; false: these were the last. */
static bool next_counts(const struct explore_store_report *report, uint32_t *counts)
{
    for (int kind = STEERING_KIND_COUNT; kind-- > 0; counts[kind] = 0)
        if (counts[kind]++ < report->options->max[kind])
            return true;
    return false;
}

static const struct schedules_cell *cell_of(const struct explore_store_report *report,
                                            const uint32_t *counts)
{
    return schedules_cell(report->result, counts);
}

static void print_cells(const struct explore_store_report *report, struct buffer *out)
{
    uint32_t counts[STEERING_KIND_COUNT] = { 0 };

    do {
        const struct schedules_cell *cell = cell_of(report, counts);

        if (cell->runs == 0)
            continue;
        buffer_text(out, TEXT("          "));
        for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
            if (report->options->max[kind] > 0)
                buffer_print(out, " %" PRIu32 " %s", counts[kind],
                             steering_kind_name((enum steering_kind)kind));
        buffer_print(out, "   %" PRIu64 " schedules, %" PRIu64 " violations", cell->runs,
                     cell->violations);
        if (cell->unjudged > 0)
            buffer_print(out, ", %" PRIu64 " not judged", cell->unjudged);
        buffer_byte(out, '\n');
    } while (next_counts(report, counts));
}

static void print_failures(const struct explore_store_report *report, struct buffer *out)
{
    for (size_t i = 0; i < report->result->failures.count; i++) {
        const struct schedules_failure *failure = &report->result->failures.at[i];

        buffer_print(out, "failure    %s   %" PRIu64 " schedule%s, first: ", failure->signature,
                     failure->count, failure->count == 1 ? "" : "s");
        schedule_print(&failure->first, out);
        buffer_print(out, "\n           %s\n", failure->explanation);
    }
}

static const char *why_incomplete(const struct explore_store_report *report)
{
    if (report->interrupted)
        return report->interrupted;
    if (report->result->ended_why[0] != '\0')
        return report->result->ended_why;
    if (report->result->failed > 0)
        return report->result->failed_why;
    return "the first violation ended it";
}

void report_explore_store_print(const struct explore_store_report *report, struct buffer *out)
{
    const struct schedules_result *result = report->result;
    const struct scenario *scenario = report->options->scenario;
    int64_t ms = result->wall_ns / 1000000;

    buffer_print(out, "scenario   %s   seed %" PRIu64 "   level %s\n", scenario->name,
                 scenario->seed, level_name(report->level));
    print_fixed(report, out);
    print_bound(report, out);
    buffer_print(out,
                 "explored   %" PRIu64 " schedules, %" PRIu64 " histories in %" PRId64
                 ".%02d s   at most %" PRIu64 " events at which a run can deviate\n",
                 result->runs, result->histories, ms / 1000, (int)(ms % 1000 / 10),
                 result->events_max);
    print_cells(report, out);
    print_failures(report, out);
    if (result->unjudged > 0)
        buffer_print(out, "not judged %" PRIu64 " schedules: %s\n", result->unjudged,
                     result->unjudged_why);
    if (!result->is_complete)
        buffer_print(out, "incomplete %s\n", why_incomplete(report));
    buffer_print(out, "verdict    %s",
                 result->violations > 0 ? "VIOLATED"
                 : report_explore_store_verdict(report) == VERDICT_VALID
                     ? "COMPLETE, no violation within the bound"
                     : "INCOMPLETE, no violation so far");
    if (report->out && result->failures.count > 0) {
        buffer_text(out, TEXT("   again: ordeal run "));
        run_echo_word(report->out, out);
        buffer_text(out, TEXT("/scenario.toml"));
    }
    buffer_byte(out, '\n');
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void write_events(struct json_writer *json, const char *name,
                         const struct steering_events *events)
{
    json_writer_open(json, name, '[');
    for (uint32_t i = 0; i < events->count; i++)
        json_writer_number(json, NULL, events->at[i]);
    json_writer_close(json, ']');
}

static void write_bound(struct json_writer *json, const struct schedules_options *options)
{
    const struct steering_options *explore = &options->scenario->explore;

    json_writer_open(json, "bound", '{');
    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        json_writer_number(json, steering_kind_name((enum steering_kind)kind), options->max[kind]);
    json_writer_int64(json, "window_ns", explore->window_ns);
    json_writer_int64(json, "down_ns", explore->down_ns);
    json_writer_int64(json, "apart_ns", explore->apart_ns);
    if (options->within_ns > 0)
        json_writer_int64(json, "within_ns", options->within_ns);
    json_writer_close(json, '}');
}

static void write_cells(struct json_writer *json, const struct explore_store_report *report)
{
    uint32_t counts[STEERING_KIND_COUNT] = { 0 };

    json_writer_open(json, "by_deviations", '[');
    do {
        const struct schedules_cell *cell = cell_of(report, counts);

        if (cell->runs == 0)
            continue;
        json_writer_open(json, NULL, '{');
        for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
            json_writer_number(json, steering_kind_name((enum steering_kind)kind), counts[kind]);
        json_writer_number(json, "schedules", cell->runs);
        json_writer_number(json, "violations", cell->violations);
        json_writer_number(json, "not_judged", cell->unjudged);
        json_writer_close(json, '}');
    } while (next_counts(report, counts));
    json_writer_close(json, ']');
}

static void write_failures(struct json_writer *json, const struct schedules_result *result)
{
    json_writer_open(json, "failures", '[');
    for (size_t i = 0; i < result->failures.count; i++) {
        const struct schedules_failure *failure = &result->failures.at[i];

        json_writer_open(json, NULL, '{');
        signature_answer(failure->signature, failure->explanation, json);
        json_writer_number(json, "schedules", failure->count);
        for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
            write_events(json, steering_kind_name((enum steering_kind)kind),
                         &failure->first.events[kind]);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

void report_explore_store_print_json(const struct explore_store_report *report, struct buffer *out)
{
    const struct schedules_result *result = report->result;
    const struct scenario *scenario = report->options->scenario;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "scenario", scenario->name);
    json_writer_number(&json, "seed", scenario->seed);
    json_writer_text(&json, "level", level_name(report->level));
    json_writer_bool(&json, "complete", result->is_complete && result->unjudged == 0);
    if (!result->is_complete)
        json_writer_text(&json, "incomplete", why_incomplete(report));
    json_writer_number(&json, "schedules", result->runs);
    json_writer_number(&json, "histories", result->histories);
    json_writer_number(&json, "violations", result->violations);
    json_writer_number(&json, "not_judged", result->unjudged);
    if (result->unjudged > 0)
        json_writer_text(&json, "reason", result->unjudged_why);
    json_writer_seconds(&json, "seconds", result->wall_ns);
    write_bound(&json, report->options);
    json_writer_text(&json, "left_out", report->left_out);
    json_writer_number(&json, "events_max", result->events_max);
    write_cells(&json, report);
    write_failures(&json, result);
    json_writer_text(&json, "verdict", checker_verdict_name(report_explore_store_verdict(report)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

/* --- Histories -------------------------------------------------------------------------------- */

enum verdict report_explore_histories_verdict(const struct explore_histories_report *report)
{
    const struct histories_result *result = report->result;

    if (result->violations > 0)
        return VERDICT_INVALID;
    return result->counts.is_complete ? VERDICT_VALID : VERDICT_UNKNOWN;
}

static const char *why_histories_end(const struct explore_histories_report *report)
{
    if (report->interrupted)
        return report->interrupted;
    return report->result->ended_why[0] != '\0' ? report->result->ended_why
                                                : "the first violation ended it";
}

static void print_counts(const struct histories_result *result, struct buffer *out)
{
    const struct explore_counts *counts = &result->counts;
    int64_t ms = result->wall_ns / 1000000;

    buffer_print(out,
                 "explored   %" PRIu64 " histories in %" PRId64 ".%03d s, %" PRIu64
                 " of them not serializable\n",
                 counts->histories, ms / 1000, (int)(ms % 1000), counts->unserializable);
    buffer_print(out, "executed   %" PRIu64 " transactions", counts->executions);
    if (counts->not_first > 0)
        buffer_print(out, ", %" PRIu64 " in an order that another stands for", counts->not_first);
    if (counts->refused > 0)
        buffer_print(out, ", %" PRIu64 " that the level refuses", counts->refused);
    if (counts->dead_ends > 0)
        buffer_print(out, "; %" PRIu64 " dead ends", counts->dead_ends);
    buffer_byte(out, '\n');
}

/* The lines of a story, each where the text of the report stands. */
static void print_story(const struct buffer *story, struct buffer *out)
{
    bool is_begin = true;

    buffer_text(out, TEXT("first      "));
    for (size_t i = 0; i < story->count; i++) {
        if (is_begin && i > 0)
            buffer_text(out, TEXT("           "));
        buffer_byte(out, story->at[i]);
        is_begin = story->at[i] == '\n';
    }
}

void report_explore_histories_print(const struct explore_histories_report *report,
                                    struct buffer *out)
{
    const struct histories_result *result = report->result;
    const struct scenario *scenario = report->options->scenario;

    buffer_print(out,
                 "scenario   %s   seed %" PRIu64 "   level %s   %" PRIu32
                 " transactions of %" PRIu32 " sessions\n",
                 scenario->name, scenario->seed, level_name(report->options->level),
                 result->transactions, result->sessions);
    print_counts(result, out);
    for (size_t i = 0; i < result->failures.count; i++) {
        const struct histories_failure *failure = &result->failures.at[i];

        buffer_print(
            out, "failure    %s   %" PRIu64 " histor%s, first: number %" PRIu64 "\n           %s\n",
            failure->what, failure->count, failure->count == 1 ? "y" : "ies", failure->first,
            failure->explanation);
    }
    if (result->has_history)
        print_story(&result->story, out);
    if (!result->counts.is_complete)
        buffer_print(out, "incomplete %s\n", why_histories_end(report));
    buffer_print(out, "verdict    %s",
                 result->violations > 0       ? "VIOLATED"
                 : result->counts.is_complete ? "COMPLETE, no violation"
                                              : "INCOMPLETE, no violation so far");
    if (result->has_history && report->out) {
        buffer_text(out, TEXT("   again: ordeal run "));
        run_echo_word(report->out, out);
        buffer_text(out, TEXT("/scenario.toml --director "));
        run_echo_word(report->out, out);
        buffer_text(out, TEXT("/choices.jsonl"));
    }
    buffer_byte(out, '\n');
}

static void write_history_failures(struct json_writer *json, const struct histories_result *result)
{
    json_writer_open(json, "failures", '[');
    for (size_t i = 0; i < result->failures.count; i++) {
        const struct histories_failure *failure = &result->failures.at[i];

        json_writer_open(json, NULL, '{');
        json_writer_text(json, "what", failure->what);
        json_writer_text(json, "explanation", failure->explanation);
        json_writer_number(json, "histories", failure->count);
        json_writer_number(json, "first", failure->first);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

void report_explore_histories_print_json(const struct explore_histories_report *report,
                                         struct buffer *out)
{
    const struct histories_result *result = report->result;
    const struct scenario *scenario = report->options->scenario;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "scenario", scenario->name);
    json_writer_number(&json, "seed", scenario->seed);
    json_writer_text(&json, "level", level_name(report->options->level));
    json_writer_number(&json, "transactions", result->transactions);
    json_writer_number(&json, "sessions", result->sessions);
    json_writer_bool(&json, "complete", result->counts.is_complete);
    if (!result->counts.is_complete)
        json_writer_text(&json, "incomplete", why_histories_end(report));
    json_writer_number(&json, "histories", result->counts.histories);
    json_writer_number(&json, "unserializable", result->counts.unserializable);
    json_writer_number(&json, "violations", result->violations);
    json_writer_seconds(&json, "seconds", result->wall_ns);
    json_writer_number(&json, "executions", result->counts.executions);
    json_writer_number(&json, "other_orders", result->counts.not_first);
    json_writer_number(&json, "refused", result->counts.refused);
    json_writer_number(&json, "dead_ends", result->counts.dead_ends);
    write_history_failures(&json, result);
    if (result->has_history)
        json_writer_string(&json, "story", (struct text){ result->story.at, result->story.count });
    json_writer_text(&json, "verdict",
                     checker_verdict_name(report_explore_histories_verdict(report)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
