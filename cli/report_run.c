#include "cli/report_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "base/version.h"
#include "checkers/checker.h"
#include "cli/report_audit.h"
#include "cli/report_check.h"
#include "history/anomaly.h"
#include "trial/bisect/bisect.h"
#include "trial/run/run.h"
#include "trial/run/signature.h"

/* How a person speaks of faults that were felt. */
static const struct {
    const char *one, *many;
} fault_words[FAULT_KIND_COUNT] = {
    [FAULT_PARTITION] = { "partition", "partitions" },
    [FAULT_CRASH] = { "crash", "crashes" },
    [FAULT_PAUSE] = { "pause", "pauses" },
    [FAULT_CLOG] = { "clog", "clogs" },
    [FAULT_CLOCK_STEP] = { "clock step", "clock steps" },
    [FAULT_CLOCK_SLEW] = { "clock slew", "clock slews" },
    [FAULT_CLOCK_STROBE] = { "clock strobe", "clock strobes" },
    [FAULT_CLOCK_DRIFT] = { "clock drift", "clock drifts" },
    [FAULT_CLOCK_FREEZE] = { "clock freeze", "clock freezes" },
    [FAULT_LOSS] = { "message lost", "messages lost" },
    [FAULT_DUPLICATE] = { "message duplicated", "messages duplicated" },
    [FAULT_REORDER] = { "message late", "messages late" },
    [FAULT_EVICT] = { "message crowded out", "messages crowded out" },
    [FAULT_DELAY] = { "message delayed", "messages delayed" },
    [FAULT_DISK_TORN] = { "torn write", "torn writes" },
    [FAULT_DISK_LYING_SYNC] = { "sync that lied", "syncs that lied" },
    [FAULT_DISK_BIT_ROT] = { "rotten read", "rotten reads" },
    [FAULT_DISK_MISDIRECTED] = { "misdirected write", "misdirected writes" },
    [FAULT_DISK_READ_ERROR] = { "failed read", "failed reads" },
    [FAULT_DISK_WRITE_ERROR] = { "failed write", "failed writes" },
    [FAULT_DISK_FULL] = { "write to a full disk", "writes to a full disk" },
    [FAULT_DISK_SLOW] = { "slow disk operation", "slow disk operations" },
    [FAULT_DISK_STALL] = { "stalled disk operation", "stalled disk operations" },
};

/* Rare paths of ping, counted so that one sees whether they were ever taken. */
static const struct {
    const char *name;
    size_t offset; /* in struct ping_findings */
} ping_paths[] = {
    { "peer-suspected", offsetof(struct ping_findings, suspicions) },
    { "peer-recovered", offsetof(struct ping_findings, recoveries) },
};

/* Nothing is compared with a run that was cut off. */
static const struct difference *difference_of(const struct run_report *report)
{
    return report->trial->simulation->world.was_stopped ? NULL : report->difference;
}

static bool did_differ(const struct run_report *report)
{
    return difference_of(report) && report->difference->found;
}

enum verdict report_run_verdict(const struct run_report *report)
{
    return did_differ(report) ? VERDICT_INVALID : trial_verdict(report->trial);
}

/* A capsule is the same run in every version, as far as the store is the same. */
static void print_capsule(const struct run_report *report, struct buffer *out)
{
    if (bisect_capsule_is_foreign(report->scenario))
        buffer_print(out, "capsule    made by ordeal %s, and this is %s\n",
                     report->scenario->capsule.version, version_text());
}

static void print_simulated(const struct run_report *report, struct buffer *out)
{
    const struct simulation *simulation = report->trial->simulation;
    char hash[DIGEST_HEX_SIZE];
    int64_t wall_ns = simulation->wall_ns > 0 ? simulation->wall_ns : 1;

    digest_hex(&simulation->trace, hash);
    buffer_text(out, TEXT("simulated  "));
    quantity_print_rounded(out, simulation->world.now_ns);
    buffer_text(out, TEXT(" in "));
    quantity_print_rounded(out, wall_ns);
    buffer_text(out, TEXT(" ("));
    quantity_print_count(out, (uint64_t)(simulation->world.now_ns / wall_ns));
    buffer_text(out, TEXT("×)   "));
    quantity_print_count(out, simulation->world.counts.events);
    /* What the clock on the wall cut off is no function of the scenario. */
    buffer_print(out, " events   trace %s\n", simulation->world.was_stopped ? "unfinished" : hash);
}

static void print_nodes(const struct run_report *report, struct buffer *out)
{
    const struct scenario *scenario = report->scenario;
    const struct ping_findings *findings = &report->trial->simulation->ping.findings;

    buffer_print(out, "nodes      %" PRIu32 ", a ping every ", scenario->cluster.nodes);
    quantity_print_duration(out, scenario->workload.ping.interval_ns);
    buffer_text(out, TEXT("   "));
    quantity_print_count(out, findings->round_trips);
    buffer_text(out, TEXT(" round trips, "));
    quantity_print_count(out, findings->suspicions);
    buffer_text(out, TEXT(" suspicions\n"));
}

static void print_outcomes(const struct cluster_findings *findings, struct buffer *out)
{
    quantity_print_count(out, findings->committed);
    buffer_text(out, TEXT(" committed, "));
    quantity_print_count(out, findings->aborted);
    buffer_text(out, TEXT(" aborted, "));
    quantity_print_count(out, findings->unknown);
    buffer_text(out, TEXT(" unknown\n"));
}

static void print_store(const struct run_report *report, struct buffer *out)
{
    const struct scenario_cluster *cluster = &report->scenario->cluster;
    struct store_protocol_facts protocol = store_protocol_facts(cluster->protocol);

    buffer_print(out, "store      %" PRIu32 " node%s, ", cluster->nodes,
                 cluster->nodes == 1 ? "" : "s");
    if (protocol.on_raft)
        buffer_print(out, "%" PRIu32 " shard%s × %" PRIu32 " replica%s, ", cluster->shards,
                     cluster->shards == 1 ? "" : "s", cluster->replicas,
                     cluster->replicas == 1 ? "" : "s");
    buffer_print(out, "%s   ", protocol.name);
    print_outcomes(store_findings(report->trial->simulation->store), out);
    for (int i = 0, shown = 0; i < BUG_COUNT; i++)
        if (cluster->bugs.on[i])
            buffer_print(out, "%s%s", shown++ ? ", " : "bugs       ",
                         bug_entry((enum bug)i)->name);
    if (memchr(cluster->bugs.on, true, sizeof cluster->bugs.on))
        buffer_byte(out, '\n');
}

static void print_fault(struct buffer *out, bool *first, uint64_t count, const char *one,
                        const char *many)
{
    if (!*first)
        buffer_text(out, TEXT(", "));
    *first = false;
    quantity_print_count(out, count);
    buffer_print(out, " %s", count == 1 ? one : many);
}

static void print_faults(const struct run_report *report, struct buffer *out)
{
    const struct scenario *scenario = report->scenario;
    bool first = true;

    buffer_text(out, TEXT("faults     "));
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        uint64_t count = report->trial->simulation->world.faults[i];
        const char *one =
            fault_words[i].one ? fault_words[i].one : world_fault_name((enum world_fault)i);
        const char *many = fault_words[i].many ? fault_words[i].many : one;
        if (count > 0 || simulation_expects_fault(scenario, (enum world_fault)i))
            print_fault(out, &first, count, one, many);
    }
    if (scenario->clocks.options.offset_ns_max > 0) {
        buffer_print(out, "%sclocks within ", first ? "" : ", ");
        quantity_print_duration(out, scenario->clocks.options.offset_ns_max);
        first = false;
    }
    buffer_text(out, first ? TEXT("none\n") : TEXT("\n"));
}

static void print_difference(const struct difference *difference, struct buffer *out)
{
    if (!difference->found) {
        buffer_text(out, TEXT("twice      the same trace\n"));
        return;
    }
    buffer_text(out, TEXT("twice      DIFFERS first at line "));
    quantity_print_count(out, difference->event + 1);
    buffer_text(out, TEXT(" of the trace"));
    if (difference->first.count == 0) {
        buffer_text(out, TEXT(", or soon after, and not in the same way again"));
    } else {
        buffer_print(out, "\n           one run  %.*s", (int)difference->first.count,
                     difference->first.at);
        buffer_print(out, "\n           another  %.*s", (int)difference->second.count,
                     difference->second.at);
    }
    buffer_byte(out, '\n');
}

/* What was asked for and never happened: the run says nothing about it. */
static void print_unfelt(const struct run_report *report, struct buffer *out)
{
    const struct nemeses *nemeses = &report->trial->simulation->nemeses;
    bool first = true;

    for (uint32_t i = 0; (i = nemesis_next_unfelt(nemeses, i)) < nemeses->count; i++) {
        const struct nemesis_options *options = &nemeses->list[i].options;
        buffer_print(out, "%s%s %s (nemesis.%" PRIu32 ")", first ? "unfelt     " : ", ",
                     nemesis_kind_name(options->kind), nemesis_shape_name(options->shape), i);
        first = false;
    }
    if (!first)
        buffer_byte(out, '\n');
}

static void print_findings(const struct simulation *simulation, struct buffer *out)
{
    static const struct {
        enum anomaly kind;
        const char *line;
    } lines[] = {
        { ANOMALY_STUCK, "liveness   STUCK   " },
        { ANOMALY_REPLICAS_DIFFER, "replicas   DIFFER   " },
        { ANOMALY_FALSE_COMMIT, "decisions  FALSE COMMIT   " },
        { ANOMALY_INVARIANT, "invariant  BROKEN   " },
    };

    for (uint32_t i = 0; i < simulation->finding_count; i++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            if (simulation->findings[i].kind == lines[k].kind)
                buffer_print(out, "%s%s\n", lines[k].line, simulation->findings[i].explanation);
}

static void print_unasked(const struct simulation *simulation, struct buffer *out)
{
    if (simulation->unasked[0] != '\0')
        buffer_print(out, "invariant  not judged: %s\n", simulation->unasked);
}

/* Who ought to have judged, and did not. */
static void print_gaps(const struct jury *jury, struct buffer *out)
{
    struct jury_gap gap;

    for (uint32_t i = 0; jury_gap(jury, i, &gap); i++)
        buffer_print(out, "%s%-12s  did not judge, and is due: %s\n",
                     i ? "           " : "due        ", gap.checker, gap.reason);
}

static struct audit_report report_of_audit(const struct call_audit *audit)
{
    return (struct audit_report){ .log = &audit->log,
                                  .txns = audit->log.txns.count,
                                  .verdict = &audit->verdict,
                                  .level = audit->level,
                                  .ns = audit->ns };
}

static void print_audit(const struct call_audit *audit, struct buffer *out)
{
    struct audit_report report = report_of_audit(audit);

    report_audit_verdict(&report, out);
}

void report_run_print(const struct run_report *report, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };

    buffer_print(out, "scenario   %s   seed %" PRIu64 "\n", report->scenario->name,
                 report->scenario->seed);
    print_capsule(report, out);
    print_simulated(report, out);
    if (report->trial->simulation->store)
        print_store(report, out);
    else
        print_nodes(report, out);
    print_faults(report, out);
    print_unfelt(report, out);
    if (report->trial->simulation->too_long[0] != '\0')
        buffer_print(out, "too long   %s\n", report->trial->simulation->too_long);
    print_findings(report->trial->simulation, out);
    print_unasked(report->trial->simulation, out);
    if (report->trial->is_judged)
        report_jurors_print(&report->trial->jury, out);
    if (report->trial->is_audited)
        print_audit(&report->trial->audit, out);
    if (report->trial->is_judged)
        print_gaps(&report->trial->jury, out);
    if (report->trial->is_judged && report_run_verdict(report) == VERDICT_UNKNOWN)
        report_skipped_print(&report->trial->jury, out); /* why nobody else could tell */
    if (difference_of(report))
        print_difference(report->difference, out);
    buffer_print(out, "verdict    %s   ", words[report_run_verdict(report)]);
    if (report->out)
        buffer_print(out, "%s   ", report->out);
    buffer_text(out, TEXT("again: "));
    run_echo(report->path, report->scenario->seed, report->sets, report->set_count, out);
    buffer_byte(out, '\n');
}

static void answer_sometimes(const struct simulation *simulation, struct json_writer *json)
{
    const char *ping = (const char *)&simulation->ping.findings;

    json_writer_open(json, "sometimes", '{');
    for (size_t i = 0; !simulation->store && i < sizeof ping_paths / sizeof *ping_paths; i++) {
        uint64_t count;
        memcpy(&count, ping + ping_paths[i].offset, sizeof count);
        json_writer_number(json, ping_paths[i].name, count);
    }
    for (int i = 0; simulation->store && i < SOMETIMES_COUNT; i++)
        json_writer_number(json, sometimes_name((enum rare_path)i),
                           store_findings(simulation->store)->sometimes.counts[i]);
    json_writer_close(json, '}');
}

static void answer_faults(const struct run_report *report, struct json_writer *json)
{
    json_writer_open(json, "faults", '{');
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        uint64_t count = report->trial->simulation->world.faults[i];
        if (count > 0 || simulation_expects_fault(report->scenario, (enum world_fault)i))
            json_writer_number(json, world_fault_name((enum world_fault)i), count);
    }
    json_writer_close(json, '}');
    answer_sometimes(report->trial->simulation, json);
}

static void answer_anomalies(const struct run_report *report, struct json_writer *json)
{
    const struct simulation *simulation = report->trial->simulation;

    json_writer_open(json, "anomalies", '[');
    for (uint32_t i = 0; i < simulation->finding_count; i++) {
        report_finding_open(json, simulation->findings[i].kind);
        for (uint32_t k = 0; k < simulation->findings[i].txn_count; k++)
            json_writer_number(json, NULL, simulation->findings[i].txns[k]);
        report_finding_close(json, text_of(simulation->findings[i].explanation));
    }
    json_writer_close(json, ']');
}

/* Configured nemeses that never took effect. */
static void answer_unfelt(const struct run_report *report, struct json_writer *json)
{
    const struct nemeses *nemeses = &report->trial->simulation->nemeses;

    json_writer_open(json, "unfelt", '[');
    for (uint32_t i = 0; (i = nemesis_next_unfelt(nemeses, i)) < nemeses->count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_number(json, "nemesis", i);
        json_writer_text(json, "kind", nemesis_kind_name(nemeses->list[i].options.kind));
        json_writer_text(json, "shape", nemesis_shape_name(nemeses->list[i].options.shape));
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

/* Who ought to judge such a run, and who of them did not. */
static void answer_due(const struct jury *jury, struct json_writer *json)
{
    const struct checker *const *all = checkers_all();
    struct jury_gap gap;

    json_writer_open(json, "due", '[');
    for (uint32_t i = 0; jury && all[i]; i++)
        if (jury_is_due(jury, all[i]))
            json_writer_text(json, NULL, all[i]->name);
    json_writer_close(json, ']');
    json_writer_open(json, "missed", '[');
    for (uint32_t i = 0; jury && jury_gap(jury, i, &gap); i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "checker", gap.checker);
        json_writer_text(json, "reason", gap.reason);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_jury(const struct trial *trial, struct json_writer *json)
{
    const struct jury *jury = trial->is_judged ? &trial->jury : NULL;

    report_check_jurors(json, &trial->history, &trial->jury);
    json_writer_open(json, "skipped", '[');
    for (uint32_t i = 0; jury && i < jury->skipped_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "checker", jury->skipped[i].name);
        json_writer_text(json, "reason", jury->skipped[i].reason);
        json_writer_bool(json, "due", jury->skipped[i].is_due);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    answer_due(jury, json);
}

static void answer_audit(const struct trial *trial, struct json_writer *json)
{
    struct audit_report report = report_of_audit(&trial->audit);

    if (!trial->is_audited)
        return;
    json_writer_open(json, "audit", '{');
    report_audit_members(&report, json);
    json_writer_close(json, '}');
}

/* What a sweep groups failures by. */
static void answer_failures(const struct trial *trial, struct json_writer *json)
{
    struct signatures signatures = { 0 };

    signature_of_trial(trial, &signatures);
    json_writer_open(json, "failures", '[');
    for (size_t i = 0; i < signatures.count; i++) {
        json_writer_open(json, NULL, '{');
        signature_answer(signatures.at[i].text, signatures.at[i].explanation, json);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_difference(const struct difference *difference, struct json_writer *json)
{
    if (!difference->found) {
        json_writer_null(json, "differs");
        return;
    }
    json_writer_open(json, "differs", '{');
    json_writer_number(json, "event", difference->event);
    json_writer_close(json, '}');
}

void report_run_print_json(const struct run_report *report, struct buffer *out)
{
    const struct simulation *simulation = report->trial->simulation;
    struct json_writer json = { .out = out };
    struct cluster_findings findings = { 0 };
    char hash[DIGEST_HEX_SIZE];

    digest_hex(&simulation->trace, hash);
    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "scenario", report->scenario->name);
    json_writer_number(&json, "seed", report->scenario->seed);
    if (report->scenario->capsule.version[0] != '\0')
        json_writer_text(&json, "capsule_version", report->scenario->capsule.version);
    json_writer_text(&json, "trace", simulation->world.was_stopped ? NULL : hash);
    json_writer_seconds(&json, "simulated_seconds", simulation->world.now_ns);
    json_writer_seconds(&json, "wall_seconds", simulation->wall_ns);
    json_writer_number(&json, "events", simulation->world.counts.events);
    if (simulation->store)
        findings = *store_findings(simulation->store);
    json_writer_number(&json, "committed", findings.committed);
    json_writer_number(&json, "aborted", findings.aborted);
    json_writer_number(&json, "unknown", findings.unknown);
    json_writer_null(&json, "needless_aborts"); /* nobody has counted them yet */
    answer_faults(report, &json);
    answer_unfelt(report, &json);
    answer_jury(report->trial, &json);
    answer_audit(report->trial, &json);
    answer_anomalies(report, &json);
    json_writer_open(&json, "not_judged", '[');
    if (simulation->unasked[0] != '\0')
        json_writer_text(&json, NULL, simulation->unasked);
    json_writer_close(&json, ']');
    json_writer_text(&json, "too_long",
                     simulation->too_long[0] != '\0' ? simulation->too_long : NULL);
    answer_failures(report->trial, &json);
    if (difference_of(report))
        answer_difference(report->difference, &json);
    json_writer_text(&json, "verdict", checker_verdict_name(report_run_verdict(report)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
