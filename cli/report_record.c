#include "cli/report_record.h"

#include <inttypes.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "cli/report_check.h"
#include "cli/report_watch.h"

enum verdict report_record_verdict(const struct record_report *report)
{
    return record_trial_has_found(report->trial) ? VERDICT_INVALID : report->jury->verdict;
}

/* NULL: it is known, or for no reason that is told. */
static const char *unknown_reason(const struct record_report *report)
{
    bool is_told = report_record_verdict(report) == VERDICT_UNKNOWN && report->jury->reason[0];

    return is_told ? report->jury->reason : NULL;
}

static uint64_t commits_per_second(const struct recorded_run *r)
{
    return r->ran_ns > 0
               ? (uint64_t)((unsigned __int128)r->committed * 1000000000 / (uint64_t)r->ran_ns)
               : 0;
}

/* --- For people ------------------------------------------------------------------------------- */

static const char *workload_name(const struct record_plan *plan)
{
    return plan->workload ? plan->workload->workload->name : plan->program.path;
}

static void print_database(const struct record_report *report, struct buffer *out)
{
    const struct record_plan *o = &report->trial->plan;

    if (report->scenario)
        buffer_print(out, "scenario   %s\n", report->scenario->name);
    buffer_print(out, "database   %s, %s%s, %u client%s at %s\n", report->trial->recording.version,
                 record_plan_topology(o), o->how.connect ? ", connected" : "",
                 (unsigned)o->how.clients, o->how.clients == 1 ? "" : "s",
                 level_name(o->how.isolation));
    buffer_print(out, "%s   %s   seed %" PRIu64 "\n", o->workload ? "workload" : "program ",
                 workload_name(o), o->seed);
}

static void print_faults(const struct record_report *report, struct buffer *out)
{
    const struct recorded_run *r = &report->trial->recording;
    const char *before = "faults     ";

    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (r->faults[kind] > 0) {
            buffer_print(out, "%s%u %s%s", before, (unsigned)r->faults[kind],
                         fault_facts[kind].noun, r->faults[kind] == 1 ? "" : "s");
            if (r->felt[kind] < r->faults[kind])
                buffer_print(out, " (%u felt)", (unsigned)r->felt[kind]);
            before = ", ";
        }
    buffer_print(out, "%s\n", before[0] == 'f' ? "faults     none" : "");
    before = "unfelt     ";
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (record_trial_is_unfelt(report->trial, (enum database_fault)kind)) {
            buffer_print(out, "%s%s%s", before, fault_facts[kind].name,
                         r->faults[kind] == 0 ? ", of which none came" : "");
            before = ", ";
        }
    buffer_print(out, "%s", before[0] == 'u' ? "" : "\n");
}

static void print_outcomes(const struct record_report *report, struct buffer *out)
{
    const struct recorded_run *r = &report->trial->recording;
    bool is_first = true;

    buffer_print(out, "recorded   ");
    quantity_print_rounded(out, r->ran_ns);
    buffer_print(out, "   ");
    quantity_print_count(out, r->committed);
    buffer_print(out, " committed, ");
    quantity_print_count(out, r->aborted);
    buffer_print(out, " aborted");
    for (uint32_t i = 0; i < r->code_count; i++) {
        buffer_print(out, "%s%s ", is_first ? " (" : ", ", r->codes[i].code);
        quantity_print_count(out, r->codes[i].count);
        is_first = false;
    }
    buffer_print(out, "%s, ", is_first ? "" : ")");
    quantity_print_count(out, r->unknown);
    buffer_print(out, " unknown   ");
    quantity_print_count(out, commits_per_second(r));
    buffer_print(out, " commits/s\n");
    buffer_print(out, "latency    half within ");
    quantity_print_rounded(out, r->latency_ns[0]);
    buffer_print(out, ", 99%% within ");
    quantity_print_rounded(out, r->latency_ns[1]);
    buffer_print(out, ", 99.9%% within ");
    quantity_print_rounded(out, r->latency_ns[2]);
    buffer_print(out, ", all within ");
    quantity_print_rounded(out, r->latency_ns[3]);
    buffer_byte(out, '\n');
    print_faults(report, out);
    if (report->scenario && report->scenario->database.unused[0] != '\0')
        buffer_print(out, "unused     %s: of the simulated world alone\n",
                     report->scenario->database.unused);
}

static void print_certificate(const struct recorded_run *r, struct buffer *out)
{
    const struct record_certificate *c = &r->certificate;

    if (!r->has_certificate)
        return;
    buffer_print(out, "order      ");
    quantity_print_count(out, c->commits);
    buffer_print(out, " commits recovered");
    if (r->unknown > 0)
        buffer_print(out, ", %" PRIu64 " of the %" PRIu64 " unknown among them", c->resolved,
                     r->unknown);
    if (c->misfits > 0)
        buffer_print(out, ", %" PRIu64 " snapshots fit into no order", c->misfits);
    buffer_print(out, ", in ");
    quantity_print_rounded(out, r->recovered_ns);
    buffer_byte(out, '\n');
}

static void print_watched(const struct record_report *report, struct buffer *out)
{
    const struct record_trial *trial = report->trial;
    struct buffer doubt = { 0 };

    if (!trial->is_watching)
        return;
    buffer_print(out, "watched    ");
    quantity_print_count(out, trial->watcher.counts.txns);
    if (trial->found_ns > 0) {
        buffer_print(out, " transactions   VIOLATION after ");
        quantity_print_rounded(out, trial->found_ns);
        buffer_byte(out, '\n');
        report_watch_finding(&trial->watcher.model.findings.at[0], out);
        return;
    }
    watcher_doubt(&trial->watcher, &doubt);
    buffer_print(out, " transactions   no violation%s%.*s\n", doubt.count ? "; " : "",
                 (int)doubt.count, doubt.count ? doubt.at : "");
    buffer_close(&doubt);
}

static void print_findings(const struct recorded_run *r, struct buffer *out)
{
    for (uint32_t i = 0; i < r->finding_count; i++)
        buffer_print(out, "%s   %s\n", r->findings[i].title, r->findings[i].explanation);
}

void report_record_print(const struct record_report *report, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    enum verdict verdict = report_record_verdict(report);

    print_database(report, out);
    print_outcomes(report, out);
    print_watched(report, out);
    print_certificate(&report->trial->recording, out);
    print_findings(&report->trial->recording, out);
    report_jurors_print(report->jury, out);
    report_skipped_print(report->jury, out);
    buffer_print(out, "verdict    %s", words[verdict]);
    if (unknown_reason(report))
        buffer_print(out, "   %s", unknown_reason(report));
    if (report->out)
        buffer_print(out, "   %s", report->out);
    buffer_byte(out, '\n');
}

/* --- As JSON ---------------------------------------------------------------------------------- */

static void answer_latency(const struct recorded_run *r, struct json_writer *json)
{
    static const char *const names[] = { "p50", "p99", "p999", "max" };

    json_writer_open(json, "latency", '{');
    for (size_t i = 0; i < ROW_COUNT(names); i++)
        json_writer_seconds(json, names[i], r->latency_ns[i]);
    json_writer_close(json, '}');
}

static void answer_certificate(const struct recorded_run *r, struct json_writer *json)
{
    const struct record_certificate *c = &r->certificate;

    if (!r->has_certificate) {
        json_writer_null(json, "certificate");
        return;
    }
    json_writer_open(json, "certificate", '{');
    json_writer_number(json, "commits", c->commits);
    json_writer_number(json, "resolved", c->resolved);
    json_writer_number(json, "missing", c->missing);
    json_writer_number(json, "aborted", c->aborted);
    json_writer_number(json, "strange", c->strange);
    json_writer_number(json, "misfits", c->misfits);
    json_writer_seconds(json, "seconds", r->recovered_ns);
    json_writer_close(json, '}');
}

/* Of each kind that was asked for. */
static void answer_faults(const struct record_trial *trial, const char *name,
                          const uint32_t *counts, struct json_writer *json)
{
    json_writer_open(json, name, '{');
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (trial->plan.faults[kind].every_ns > 0)
            json_writer_number(json, fault_facts[kind].name, counts[kind]);
    json_writer_close(json, '}');
}

static void answer_outcomes(const struct record_report *report, struct json_writer *json)
{
    const struct recorded_run *r = &report->trial->recording;

    json_writer_seconds(json, "wall_seconds", r->ran_ns);
    json_writer_number(json, "committed", r->committed);
    json_writer_number(json, "aborted", r->aborted);
    json_writer_number(json, "unknown", r->unknown);
    json_writer_number(json, "gave_up", r->gave_up);
    json_writer_number(json, "commits_per_second", commits_per_second(r));
    json_writer_open(json, "aborted_by", '{');
    for (uint32_t i = 0; i < r->code_count; i++)
        json_writer_number(json, r->codes[i].code, r->codes[i].count);
    json_writer_close(json, '}');
    answer_latency(r, json);
    answer_faults(report->trial, "faults", r->faults, json);
    answer_faults(report->trial, "felt", r->felt, json);
    answer_certificate(r, json);
}

static void answer_watched(const struct record_trial *trial, struct json_writer *json)
{
    if (!trial->is_watching) {
        json_writer_null(json, "watched");
        return;
    }
    json_writer_open(json, "watched", '{');
    json_writer_number(json, "transactions", trial->watcher.counts.txns);
    if (trial->found_ns > 0)
        json_writer_seconds(json, "found_after", trial->found_ns);
    else
        json_writer_null(json, "found_after");
    json_writer_close(json, '}');
}

static void answer_judged(const struct record_report *report, struct json_writer *json)
{
    const struct recorded_run *r = &report->trial->recording;
    const struct jury *jury = report->jury;

    report_check_jurors(json, &r->history, jury);
    report_check_skipped(json, jury);
    json_writer_open(json, "anomalies", '[');
    for (uint32_t i = 0; i < r->finding_count; i++) {
        report_finding_open(json, r->findings[i].kind);
        report_finding_close(json, text_of(r->findings[i].explanation));
    }
    json_writer_close(json, ']');
}

void report_record_print_json(const struct record_report *report, struct buffer *out)
{
    const struct record_plan *o = &report->trial->plan;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    if (report->scenario)
        json_writer_text(&json, "scenario", report->scenario->name);
    json_writer_text(&json, "database", o->database->name);
    json_writer_text(&json, "version", report->trial->recording.version);
    json_writer_text(&json, "topology", record_plan_topology(o));
    json_writer_text(&json, o->workload ? "workload" : "program", workload_name(o));
    json_writer_number(&json, "seed", o->seed);
    json_writer_text(&json, "level", level_name(report->jury->level));
    json_writer_text(&json, "isolation", level_name(o->how.isolation));
    json_writer_number(&json, "clients", o->how.clients);
    answer_outcomes(report, &json);
    json_writer_open(&json, "unfelt", '[');
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (record_trial_is_unfelt(report->trial, (enum database_fault)kind))
            json_writer_text(&json, NULL, fault_facts[kind].name);
    json_writer_close(&json, ']');
    answer_watched(report->trial, &json);
    if (report->scenario)
        json_writer_text(&json, "unused", report->scenario->database.unused);
    answer_judged(report, &json);
    json_writer_text(&json, "verdict", checker_verdict_name(report_record_verdict(report)));
    json_writer_text(&json, "reason", unknown_reason(report));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

/* --- Recipes ---------------------------------------------------------------------------------- */

static void answer_recipe(const struct database *database, struct json_writer *json)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", database->name);
    json_writer_text(json, "title", database->title);
    json_writer_text(json, "package", database->package);
    json_writer_text(json, "gives", database->gives);
    json_writer_open(json, "topologies", '[');
    for (size_t i = 0; database->modes && database->modes[i]; i++)
        json_writer_text(json, NULL, database->modes[i]);
    json_writer_close(json, ']');
    json_writer_bool(json, "certificate", database->certifies);
    json_writer_open(json, "faults", '[');
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++)
        if (database->faults & DATABASE_FAULT_BIT(kind))
            json_writer_text(json, NULL, fault_facts[kind].name);
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

void report_record_recipes(bool is_json, struct buffer *out)
{
    const struct database *const *all = database_all();
    struct json_writer json = { .out = out };

    if (is_json)
        json_writer_open(&json, NULL, '[');
    for (size_t i = 0; all[i]; i++) {
        if (is_json) {
            answer_recipe(all[i], &json);
            continue;
        }
        buffer_print(out, "%-10s %s (package %s): %s\n", all[i]->name, all[i]->title,
                     all[i]->package, all[i]->gives);
        for (size_t k = 0; all[i]->modes && all[i]->modes[k]; k++)
            buffer_print(out, "%s%s", k ? ", " : "           --topology ", all[i]->modes[k]);
        if (all[i]->modes)
            buffer_byte(out, '\n');
        for (int kind = 0, count = 0; kind < DATABASE_FAULT_COUNT; kind++)
            if (all[i]->faults & DATABASE_FAULT_BIT(kind))
                buffer_print(out, "%s--%s", count++ ? " " : "           ", fault_facts[kind].name);
        if (all[i]->faults)
            buffer_byte(out, '\n');
    }
    if (is_json) {
        json_writer_close(&json, ']');
        buffer_byte(out, '\n');
    }
}
