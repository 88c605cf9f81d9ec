#include "cli/report_watch.h"

#include <inttypes.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "checkers/checker.h"
#include "cli/output.h"
#include "cli/report_check.h"

/* Whether more was found than is told, or put in doubt. */
static bool has_findings(const struct watcher *w)
{
    return w->model.findings.count > w->counts.withdrawn;
}

enum verdict report_watch_verdict(const struct watcher *w)
{
    struct buffer reason = { 0 };
    enum verdict verdict = VERDICT_VALID;

    watcher_doubt(w, &reason);
    if (has_findings(w))
        verdict = VERDICT_INVALID;
    else if (reason.count > 0 || reason.out_of_memory)
        verdict = VERDICT_UNKNOWN;
    buffer_close(&reason);
    return verdict;
}

void report_watch_finding(const struct interval_finding *f, struct buffer *out)
{
    report_finding_print("found", f->kind, (struct text){ f->explanation.at, f->explanation.count },
                         (struct text){ f->drawing.at, f->drawing.count }, out);
}

static void print_count(uint64_t count, const char *one, const char *many, struct buffer *out)
{
    quantity_print_count(out, count);
    buffer_print(out, " %s", count == 1 ? one : many);
}

static void print_lost(const struct watcher *w, struct buffer *out)
{
    if (w->counts.garbage > 0) {
        buffer_text(out, TEXT("lost       "));
        print_count(w->counts.garbage, "line that is none, ", "lines that are none, the first ", out);
        output_describe(&w->first_garbage, out);
        buffer_byte(out, '\n');
    }
    if (w->counts.repeated > 0) {
        buffer_text(out, TEXT("again      "));
        print_count(w->counts.repeated, "transaction that had come before",
                    "transactions that had come before", out);
        buffer_byte(out, '\n');
    }
    if (w->counts.cuts > 0) {
        buffer_text(out, TEXT("lost       what was cut off in "));
        print_count(w->counts.cuts, "place", "places", out);
        buffer_byte(out, '\n');
    }
    if (w->counts.given_up > 0) {
        buffer_text(out, TEXT("lost       "));
        print_count(w->counts.given_up, "client was silent and judged without",
                    "clients were silent and judged without", out);
        buffer_byte(out, '\n');
    }
}

static void print_end(const struct watcher *w, struct buffer *out)
{
    if (!w->is_stopped)
        return;
    buffer_text(out, TEXT("ended      before the streams did"));
    if (watcher_unended(w) > 0) {
        buffer_text(out, TEXT("; not judged: "));
        print_count(watcher_unended(w), "read of what had not come yet, perhaps",
                    "reads of what had not come yet, perhaps", out);
    }
    buffer_byte(out, '\n');
}

/* To three digits, and no less than it is. */
static int64_t round_up(int64_t ns)
{
    int64_t unit = 1;

    while (ns / unit >= 1000)
        unit *= 10;
    return ns > INT64_MAX - unit ? ns : (ns + unit - 1) / unit * unit;
}

static void print_found(const struct watcher *w, struct buffer *out)
{
    if (w->counts.withdrawn > 0) {
        buffer_text(out, TEXT("found      "));
        print_count(w->counts.withdrawn, "of these is in doubt", "of these are in doubt", out);
        buffer_text(out, TEXT(", as a transaction came later that had begun before\n"));
    }
    if (w->model.finding_count > w->model.findings.count) {
        buffer_text(out, TEXT("found      "));
        quantity_print_count(out, w->model.finding_count);
        buffer_print(out, " in all; only the first %d are told\n", INTERVAL_FINDINGS_MAX);
    }
}

/* What is told of clocks has been tried, or is about right, or says what was taken for granted. */
static void print_clocks(const struct watcher *w, int64_t tried, struct buffer *out)
{
    int64_t about = watcher_clock_error(w);

    if (!has_findings(w) || w->options.profile.timing == TIMING_NONE)
        return;
    if (tried > 0 || about > 0) {
        buffer_print(out, "clocks     with --clock-error %s", tried > 0 ? "" : "of about ");
        quantity_print_duration(out, tried > 0 ? tried : round_up(about));
        buffer_text(out, tried > 0 ? TEXT(" nothing is found: ")
                                   : TEXT(" nothing of that would be found: "));
        buffer_text(out, TEXT("are the clients' clocks as far off?\n"));
        return;
    }
    buffer_text(out, TEXT("clocks     taken to be off by "));
    quantity_print_duration(out, w->options.clock_error);
    buffer_text(out, TEXT(" at the most; if the clients' may be further off, "));
    buffer_text(out, TEXT("say so by --clock-error\n"));
}

void report_watch_summary(const struct watcher *w, int64_t ns, int64_t tried, struct buffer *out)
{
    static const char *const loud[] = { "valid", "INVALID", "unknown" };
    enum verdict verdict = report_watch_verdict(w);
    struct buffer reason = { 0 };

    buffer_text(out, TEXT("watched    "));
    print_count(w->counts.txns, "transaction, ", "transactions, ", out);
    print_count(w->counts.ops, "operation, ", "operations, ", out);
    print_count(w->streams.count, "stream", "streams", out);
    buffer_text(out, TEXT("   in "));
    quantity_print_rounded(out, ns);
    buffer_byte(out, '\n');
    print_lost(w, out);
    print_end(w, out);
    buffer_print(out, "check      %-12s  %-20s  %s", "interval",
                 level_name(w->options.profile.level), loud[verdict]);
    watcher_doubt(w, &reason);
    if (verdict == VERDICT_UNKNOWN)
        buffer_print(out, "  %.*s", (int)reason.count, reason.at);
    buffer_byte(out, '\n');
    print_found(w, out);
    report_checker_unjudged(watcher_unjudged(w), out);
    print_clocks(w, tried, out);
    out->out_of_memory |= reason.out_of_memory;
    buffer_close(&reason);
}

static void answer_finding(struct json_writer *json, const struct interval_finding *f)
{
    report_finding_open(json, f->kind);
    for (size_t i = 0; i < f->ids.count; i++)
        json_writer_int64(json, NULL, f->ids.at[i]);
    report_finding_close(json, (struct text){ f->explanation.at, f->explanation.count });
}

static void answer_reason(struct json_writer *json, const struct watcher *w, enum verdict verdict)
{
    struct buffer reason = { 0 };

    watcher_doubt(w, &reason);
    buffer_byte(&reason, '\0');
    json_writer_text(json, "reason",
                     verdict == VERDICT_UNKNOWN && !reason.out_of_memory ? reason.at : NULL);
    buffer_close(&reason);
}

static void answer_counts(struct json_writer *json, const struct watcher *w, int64_t ns)
{
    json_writer_open(json, "unjudged", '{');
    json_writer_number(json, "predicates", watcher_unjudged(w));
    json_writer_number(json, "reads", w->model.counts.gapped);
    json_writer_number(json, "late", w->counts.late);
    json_writer_close(json, '}');
    json_writer_open(json, "lost", '{');
    json_writer_number(json, "lines", w->counts.garbage);
    json_writer_number(json, "cuts", w->counts.cuts);
    json_writer_number(json, "clients", w->counts.given_up);
    json_writer_close(json, '}');
    json_writer_number(json, "repeated", w->counts.repeated);
    if (w->is_stopped)
        json_writer_bool(json, "interrupted", true);
    json_writer_number(json, "transactions", w->counts.txns);
    json_writer_number(json, "operations", w->counts.ops);
    json_writer_seconds(json, "seconds", ns);
}

void report_watch_json(const struct watcher *w, int64_t ns, struct buffer *out)
{
    struct json_writer json = { .out = out };
    enum verdict verdict = report_watch_verdict(w);

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "verdict", checker_verdict_name(verdict));
    json_writer_text(&json, "level", level_name(w->options.profile.level));
    json_writer_text(&json, "checker", "interval");
    json_writer_open(&json, "anomalies", '[');
    for (size_t i = 0; i < w->model.findings.count; i++)
        if (w->passed.at[i] != INT64_MIN)
            answer_finding(&json, &w->model.findings.at[i]);
    json_writer_close(&json, ']');
    json_writer_text(&json, "strongest",
                     verdict == VERDICT_VALID ? level_name(w->options.profile.level) : NULL);
    json_writer_null(&json, "weakest_violated");
    answer_reason(&json, w, verdict);
    answer_counts(&json, w, ns);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
