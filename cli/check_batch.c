#include "cli/check_batch.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "checkers/checker.h"
#include "cli/command.h"
#include "cli/output.h"

static void close_entry(struct batch_entry *entry)
{
    free(entry->path);
    free(entry->told);
    free(entry->members);
}

void check_batch_close(struct check_batch *batch)
{
    for (size_t i = 0; i < batch->entries.count; i++)
        close_entry(&batch->entries.at[i]);
    array_close(&batch->entries);
}

/* --- What is kept of each ---------------------------------------------------------------------- */

/* The texts, which end in a zero byte, become the entry's. */
static enum status add(struct check_batch *batch, struct batch_entry entry, struct buffer *told,
                       struct buffer *members, struct error *err)
{
    enum status status;

    buffer_byte(told, '\0');
    buffer_byte(members, '\0');
    status = buffer_status(told, err);
    if (status == STATUS_OK)
        status = buffer_status(members, err);
    if (status == STATUS_OK && !entry.path)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for the names of histories");
    if (status == STATUS_OK) {
        entry.told = told->at;
        entry.members = members->at;
        *told = *members = (struct buffer){ 0 };
        status = array_push(&batch->entries, entry, err);
    }
    if (status != STATUS_OK)
        close_entry(&entry);
    buffer_close(told);
    buffer_close(members);
    return status;
}

/* "certificate: G-single, lost-update". */
static void tell_findings(const struct jury *jury, struct buffer *told)
{
    const struct check *check = &jury->decisive->check;
    uint64_t seen = 0;

    buffer_print(told, "%s:", check->checker->name);
    for (size_t i = 0; i < check->findings.count; i++) {
        enum anomaly kind = check->findings.at[i].kind;

        static_assert(ANOMALY_COUNT <= 64, "a bit for each anomaly");
        if (!(seen >> kind & 1))
            buffer_print(told, "%s %s", seen ? "," : "", anomaly_name(kind));
        seen |= UINT64_C(1) << kind;
    }
}

enum status check_batch_add(struct check_batch *batch, const char *path,
                            const struct check_report *report, struct error *err)
{
    struct batch_entry entry = { .path = strdup(path),
                                 .verdict = report->jury->verdict,
                                 .ns = report->parse_ns + jury_ns(report->jury) + report->search_ns };
    struct buffer told = { 0 }, members = { 0 };
    struct json_writer json = { .out = &members };

    if (report->jury->verdict == VERDICT_INVALID)
        tell_findings(report->jury, &told);
    else
        buffer_text(&told, text_of(report->jury->reason));
    report_check_members(report, &json);
    return add(batch, entry, &told, &members, err);
}

enum status check_batch_add_error(struct check_batch *batch, const char *path,
                                  const struct error *why, struct error *err)
{
    struct batch_entry entry = { .path = strdup(path), .is_wrong = true };
    struct buffer told = { 0 }, members = { 0 };
    struct json_writer json = { .out = &members };

    output_describe(why, &told);
    json_writer_text(&json, "error", why->text);
    return add(batch, entry, &told, &members, err);
}

/* --- What they come to ------------------------------------------------------------------------- */

static enum exit_code code_of(const struct batch_entry *entry)
{
    return entry->is_wrong ? EXIT_WRONG : command_exit_of_verdict(entry->verdict);
}

static size_t count_of(const struct check_batch *batch, enum exit_code code)
{
    size_t count = 0;

    for (size_t i = 0; i < batch->entries.count; i++)
        count += code_of(&batch->entries.at[i]) == code;
    return count;
}

static int64_t time_of(const struct check_batch *batch)
{
    int64_t ns = 0;

    for (size_t i = 0; i < batch->entries.count; i++)
        ns += batch->entries.at[i].ns;
    return ns;
}

enum exit_code check_batch_exit_code(const struct check_batch *batch)
{
    enum exit_code code = EXIT_VALID;

    for (size_t i = 0; i < batch->entries.count; i++)
        code = command_exit_combine(code, code_of(&batch->entries.at[i]));
    return code;
}

static enum verdict verdict_of(const struct check_batch *batch)
{
    if (count_of(batch, EXIT_VIOLATION) > 0)
        return VERDICT_INVALID;
    return count_of(batch, EXIT_VALID) == batch->entries.count ? VERDICT_VALID : VERDICT_UNKNOWN;
}

/* --- Printing ---------------------------------------------------------------------------------- */

static enum status print_and_close(struct buffer *out, struct error *err)
{
    enum status status = output_print(out, err);

    buffer_close(out);
    return status;
}

static void print_last(const struct check_batch *batch, struct buffer *out)
{
    static const char *const words[] = { "valid", "INVALID", "unknown" };
    const struct batch_entry *entry = &batch->entries.at[batch->entries.count - 1];

    buffer_print(out, "%-9s  ", entry->is_wrong ? "ERROR" : words[entry->verdict]);
    buffer_text(out, text_of(entry->path));
    if (entry->told[0])
        buffer_print(out, "   %s", entry->told);
    output_tame(out, 0);
    buffer_byte(out, '\n');
}

enum status check_batch_print_last(const struct check_batch *batch, struct error *err)
{
    struct buffer out = { 0 };

    print_last(batch, &out);
    return print_and_close(&out, err);
}

static void answer_entry(const struct batch_entry *entry, struct json_writer *json)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "file", entry->path);
    buffer_byte(json->out, ',');
    buffer_text(json->out, text_of(entry->members));
    json_writer_close(json, '}');
}

static size_t not_reached(const struct check_batch *batch)
{
    return batch->expected > batch->entries.count ? batch->expected - batch->entries.count : 0;
}

static void answer_counts(const struct check_batch *batch, uint32_t others, struct json_writer *json)
{
    json_writer_number(json, "valid", count_of(batch, EXIT_VALID));
    json_writer_number(json, "invalid", count_of(batch, EXIT_VIOLATION));
    json_writer_number(json, "unknown", count_of(batch, EXIT_UNDECIDED));
    json_writer_number(json, "errors", count_of(batch, EXIT_WRONG));
    if (not_reached(batch) > 0)
        json_writer_number(json, "not_reached", not_reached(batch));
    json_writer_number(json, "other_files", others);
    json_writer_seconds(json, "seconds", time_of(batch));
}

static void answer_all(const struct check_batch *batch, uint32_t others, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "verdict", checker_verdict_name(verdict_of(batch)));
    json_writer_open(&json, "files", '[');
    for (size_t i = 0; i < batch->entries.count; i++)
        answer_entry(&batch->entries.at[i], &json);
    json_writer_close(&json, ']');
    answer_counts(batch, others, &json);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

static void print_summary(const struct check_batch *batch, struct buffer *out)
{
    buffer_print(out, "histories  %zu: %zu valid, %zu invalid, %zu unknown, %zu with an error   in ",
                 batch->entries.count, count_of(batch, EXIT_VALID), count_of(batch, EXIT_VIOLATION),
                 count_of(batch, EXIT_UNDECIDED), count_of(batch, EXIT_WRONG));
    quantity_print_rounded(out, time_of(batch));
    buffer_byte(out, '\n');
    if (not_reached(batch) > 0)
        buffer_print(out, "not judged %zu more\n", not_reached(batch));
}

enum status check_batch_print_summary(const struct check_batch *batch, uint32_t others, bool json,
                                      struct error *err)
{
    struct buffer out = { 0 };

    if (json) {
        answer_all(batch, others, &out);
        return print_and_close(&out, err);
    }
    print_summary(batch, &out);
    if (others > 0)
        buffer_print(&out, "passed by  %" PRIu32 " %s\n", others,
                     others == 1 ? "file that is no history" : "files that are no histories");
    return print_and_close(&out, err);
}

/* --- If the time is over ----------------------------------------------------------------------- */

/* The rest of an object of which limits_keep() has the beginning. */
static void answer_rest(const struct check_batch *batch, struct buffer *out)
{
    struct json_writer json = { .out = out, .needs_comma = batch->entries.count > 1 };

    if (batch->entries.count == 1)
        buffer_text(out, TEXT("{\"files\":["));
    answer_entry(&batch->entries.at[batch->entries.count - 1], &json);
    json_writer_close(&json, ']');
    json_writer_text(&json, "verdict", checker_verdict_name(verdict_of(batch)));
    answer_counts(batch, 0, &json);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

void check_batch_publish(struct check_batch *batch, const char *path,
                         const struct check_report *report, bool json, struct limits *limits)
{
    struct buffer out = { 0 };
    struct error ignored = { 0 };

    if (check_batch_add(batch, path, report, &ignored) != STATUS_OK)
        return;
    if (json)
        answer_rest(batch, &out);
    else {
        print_last(batch, &out);
        print_summary(batch, &out);
    }
    limits_publish(limits, &out, (int)check_batch_exit_code(batch));
    close_entry(&batch->entries.at[--batch->entries.count]);
}

void check_batch_keep(const struct check_batch *batch, bool json, struct limits *limits)
{
    struct buffer out = { 0 };
    struct json_writer writer = { .out = &out, .needs_comma = batch->entries.count > 1 };

    if (!json)
        return;
    if (batch->entries.count == 1)
        buffer_text(&out, TEXT("{\"files\":["));
    answer_entry(&batch->entries.at[batch->entries.count - 1], &writer);
    limits_keep(limits, (struct text){ out.at, out.count });
    buffer_close(&out);
}

/* --- JUnit ------------------------------------------------------------------------------------- */

static void print_seconds(struct buffer *out, int64_t ns)
{
    buffer_print(out, "%" PRId64 ".%03" PRId64, ns / 1000000000, ns / 1000000 % 1000);
}

static void print_case(const struct batch_entry *entry, struct buffer *out)
{
    static const char *const elements[] = {
        [EXIT_VIOLATION] = "failure", [EXIT_WRONG] = "error", [EXIT_UNDECIDED] = "skipped"
    };
    enum exit_code code = code_of(entry);

    buffer_text(out, TEXT("    <testcase classname=\"ordeal check\" name=\""));
    output_xml(out, entry->path);
    buffer_text(out, TEXT("\" time=\""));
    print_seconds(out, entry->ns);
    if (code == EXIT_VALID) {
        buffer_text(out, TEXT("\"/>\n"));
        return;
    }
    buffer_print(out, "\">\n      <%s message=\"", elements[code]);
    output_xml(out, entry->told);
    buffer_text(out, TEXT("\"/>\n    </testcase>\n"));
}

enum status check_batch_write_junit(const struct check_batch *batch, const char *path,
                                    struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    buffer_text(&out, TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"));
    buffer_print(&out,
                 "  <testsuite name=\"ordeal check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                 "skipped=\"%zu\" time=\"",
                 batch->entries.count, count_of(batch, EXIT_VIOLATION), count_of(batch, EXIT_WRONG),
                 count_of(batch, EXIT_UNDECIDED));
    print_seconds(&out, time_of(batch));
    buffer_text(&out, TEXT("\">\n"));
    for (size_t i = 0; i < batch->entries.count; i++)
        print_case(&batch->entries.at[i], &out);
    buffer_text(&out, TEXT("  </testsuite>\n</testsuites>\n"));
    status = output_write_file(path, &out, err);
    buffer_close(&out);
    return status;
}
