#include "cli/report_bisect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "cli/folder.h"
#include "cli/story_drawing.h"
#include "trial/bisect/bisect.h"

/* --- Files ------------------------------------------------------------------------------------ */

/* The story of the capsule as it stands in the file, which so is known to read back. */
static enum status tell(struct bisect_report *report, const struct shrink *shrink,
                        struct story *story, struct error *err)
{
    struct signatures *signatures = calloc(1, sizeof *signatures);
    const char *target = shrink->origin->target;
    enum status status = STATUS_OK;

    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    signature_of_trial(&story->trial, signatures);
    if (!shrink_is_alike(signatures, target))
        status = error_set(err, STATUS_IO, "the capsule does not fail as it should: %s", target);
    for (size_t i = 0; i < signatures->count; i++)
        if (shrink_are_alike(signatures->at[i].text, target))
            snprintf(report->signature, sizeof report->signature, "%s", signatures->at[i].text);
    free(signatures);
    return status;
}

static void count_parts(struct bisect_report *report, const struct bisect_case *c)
{
    report->transactions = c->listing.txns.count;
    report->faults = c->strikes.count;
    for (size_t i = 0; i < c->listing.ops.count; i++)
        report->operations += !c->listing.ops.at[i].goes_on;
    if (c->listing.calls.count > 0)
        report->operations = c->listing.txns.count;
}

static enum status write_story(const struct bisect_report *report, const struct story *story,
                               const char *folder, struct error *err)
{
    struct buffer text = { 0 }, drawing = { 0 };
    enum status status;

    story_print(story, report->signature, &text);
    story_draw(story, report->signature, &drawing);
    status = buffer_status(&text, err);
    if (status == STATUS_OK)
        status = buffer_status(&drawing, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "story.txt", &text, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "story.svg", &drawing, err);
    buffer_close(&text);
    buffer_close(&drawing);
    return status;
}

static enum status read_whole(const char *path, struct buffer *bytes, struct error *err)
{
    FILE *file = fopen(path, "rb");
    size_t got = 0;

    if (!file) {
        error_set_file(err, path);
        return error_set(err, STATUS_IO, "cannot read: %s", strerror(errno));
    }
    do {
        char *room = buffer_reserve(bytes, 1 << 16);

        got = room ? fread(room, 1, 1 << 16, file) : 0;
        bytes->count += got;
    } while (got > 0);
    fclose(file);
    return buffer_status(bytes, err);
}

/* Beside the capsule, which names it without its folder. */
static enum status copy_program(const struct scenario *scenario, const char *folder,
                                struct error *err)
{
    const char *from = scenario->workload.program, *slash = strrchr(from, '/');
    struct buffer bytes = { 0 };
    enum status status;

    if (from[0] == '\0')
        return STATUS_OK;
    status = read_whole(from, &bytes, err);
    if (status == STATUS_OK)
        status = folder_write(folder, slash ? slash + 1 : from, &bytes, err);
    buffer_close(&bytes);
    return status;
}

/* What is written into the folder. */
struct bisect_files {
    struct buffer capsule;
    struct scenario *scenario; /* the capsule, read again */
    struct story story;
};

static enum status write_all(struct bisect_report *report, const struct shrink *shrink,
                             struct bisect_files *files, const char *folder, struct error *err)
{
    struct text capsule = { files->capsule.at, files->capsule.count };
    char path[FOLDER_PATH_SIZE];

    TRY(copy_program(shrink->origin->scenario, folder, err));
    snprintf(path, sizeof path, "%s/capsule.toml", folder);
    TRY(scenario_read(files->scenario, path, capsule, NULL, 0, err));
    TRY(story_tell(&files->story, files->scenario, err));
    TRY(tell(report, shrink, &files->story, err));
    TRY(folder_write(folder, "capsule.toml", &files->capsule, err));
    return write_story(report, &files->story, folder, err);
}

enum status report_bisect_write(struct bisect_report *report, const struct shrink *shrink,
                                const char *source, const char *folder, struct error *err)
{
    struct bisect_files files = { .scenario = calloc(1, sizeof *files.scenario) };
    enum status status;

    if (!files.scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    report->runs = shrink->runs;
    report->seed = shrink->best.settings.seed;
    count_parts(report, &shrink->best);
    status = bisect_capsule_print(&shrink->best, shrink->origin, source, &files.capsule, err);
    if (status == STATUS_OK)
        status = write_all(report, shrink, &files, folder, err);
    story_close(&files.story);
    scenario_close(files.scenario);
    free(files.scenario);
    buffer_close(&files.capsule);
    return status;
}

/* --- What it says ----------------------------------------------------------------------------- */

static void print_things(struct buffer *out, size_t count, const char *one, const char *many)
{
    quantity_print_count(out, count);
    buffer_print(out, " %s", count == 1 ? one : many);
}

static void print_sizes(const struct bisect_report *report, struct buffer *out)
{
    const struct recording *recording = &report->search->origin.recording;

    buffer_text(out, TEXT("recorded   "));
    print_things(out, recording->listing.txns.count, "transaction", "transactions");
    buffer_text(out, TEXT(", "));
    print_things(out, recording->strikes.list.count, "fault", "faults");
    buffer_text(out, TEXT("\nleft       "));
    print_things(out, report->transactions, "transaction", "transactions");
    buffer_text(out, TEXT(" with "));
    print_things(out, report->operations, "operation", "operations");
    buffer_text(out, TEXT(", "));
    print_things(out, report->faults, "fault", "faults");
    buffer_text(out, TEXT("   "));
    print_things(out, report->runs, "run", "runs");
    buffer_text(out, TEXT(" in "));
    quantity_print_rounded(out, report->wall_ns);
    buffer_byte(out, '\n');
}

static void print_files(const struct bisect_report *report, struct buffer *out)
{
    const char *folder = report->out ? report->out : "";
    const char *slash = report->out ? "/" : "";

    buffer_print(out, "capsule    %s%scapsule.toml   story %s%sstory.txt, %s%sstory.svg\n", folder,
                 slash, folder, slash, folder, slash);
    buffer_print(out, "again      ordeal run %s%scapsule.toml\n", folder, slash);
}

static void print_not_judged(const struct bisect_not_judged *not_judged, struct buffer *out)
{
    if (not_judged->count == 0)
        return;
    buffer_text(out, TEXT("not judged "));
    print_things(out, not_judged->count, "run", "runs");
    buffer_print(out, ", taken as runs that do not fail; first: %s\n", not_judged->first);
}

void report_bisect_print(const struct bisect_report *report, struct buffer *out)
{
    const struct bisect_search *search = report->search;

    if (!search->found) {
        buffer_print(out, "scenario   %s   no failure in ", search->scenario->name);
        print_things(out, search->runs, "run", "runs");
        buffer_byte(out, '\n');
        print_not_judged(&search->not_judged, out);
        if (report->interrupted)
            buffer_print(out, "ended      by %s; go on with --seeds %" PRIu64 "..%" PRIu64 "\n",
                         report->interrupted, search->first_seed + search->runs,
                         search->last_seed);
        return;
    }
    buffer_print(out, "scenario   %s   seed %" PRIu64 "\nfails      %s\n           %s\n",
                 search->scenario->name, search->scenario->seed, search->origin.target,
                 search->explanation);
    if (report->has_when && report->interrupted) {
        buffer_print(out, "ended      by %s before the moment was found\n", report->interrupted);
        return;
    }
    if (report->has_when) {
        bisect_when_print(&report->when, out);
        print_not_judged(&search->not_judged, out);
        return;
    }
    print_sizes(report, out);
    print_not_judged(&search->not_judged, out);
    print_files(report, out);
    if (report->interrupted)
        buffer_print(out, "ended      by %s: ordeal bisect %s%scapsule.toml may make it smaller\n",
                     report->interrupted, report->out ? report->out : "", report->out ? "/" : "");
}

static void answer_file(struct json_writer *json, const char *name, const char *folder)
{
    char path[FOLDER_PATH_SIZE];

    snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    json_writer_text(json, name, path);
}

static void answer_capsule(struct json_writer *json, const struct bisect_report *report)
{
    const struct recording *recording = &report->search->origin.recording;

    json_writer_open(json, "recorded", '{');
    json_writer_number(json, "transactions", recording->listing.txns.count);
    json_writer_number(json, "faults", recording->strikes.list.count);
    json_writer_close(json, '}');
    json_writer_open(json, "capsule", '{');
    json_writer_number(json, "seed", report->seed);
    json_writer_number(json, "transactions", report->transactions);
    json_writer_number(json, "operations", report->operations);
    json_writer_number(json, "faults", report->faults);
    json_writer_text(json, "signature", report->signature);
    json_writer_close(json, '}');
    json_writer_open(json, "files", '{');
    answer_file(json, "capsule.toml", report->out);
    answer_file(json, "story.txt", report->out);
    answer_file(json, "story.svg", report->out);
    json_writer_close(json, '}');
}

void report_bisect_print_json(const struct bisect_report *report, struct buffer *out)
{
    const struct bisect_search *search = report->search;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "scenario", report->path);
    if (search->found) {
        json_writer_number(&json, "seed", search->scenario->seed);
        signature_answer(search->origin.target, search->explanation, &json);
    } else {
        json_writer_null(&json, "seed");
    }
    if (report->interrupted)
        json_writer_text(&json, "interrupted", report->interrupted);
    if (search->found && report->has_when && report->interrupted)
        json_writer_null(&json, "when");
    else if (search->found && report->has_when)
        bisect_when_answer(&report->when, &json);
    else if (search->found)
        answer_capsule(&json, report);
    json_writer_number(&json, "runs", search->runs + report->runs);
    json_writer_number(&json, "not_judged", search->not_judged.count);
    if (search->not_judged.count > 0)
        json_writer_text(&json, "reason", search->not_judged.first);
    json_writer_seconds(&json, "seconds", report->wall_ns);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
