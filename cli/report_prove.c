#include "cli/report_prove.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "checkers/checker.h"
#include "cli/report_mutants.h"
#include "trial/run/run.h"
#include "trial/run/simulation.h"

#define BUG_WIDTH 36
#define PROTOCOL_WIDTH 8
#define CELL_WIDTH 6 /* at the least; a column is as wide as its name */

/* --- Sums ------------------------------------------------------------------------------------- */

struct prove_sums {
    uint64_t clean_runs, false_alarms, undecided;
    size_t missed; /* rows */
    size_t unseen; /* rows that nobody saw who must, as none of them is there */
};

static struct prove_sums sums_of(const struct matrix *matrix)
{
    struct prove_sums sums = { 0 };

    for (size_t i = 0; i < matrix->clean.count; i++) {
        sums.clean_runs += matrix->clean.at[i].runs;
        sums.false_alarms += matrix->clean.at[i].false_alarms;
        sums.undecided += matrix->clean.at[i].undecided;
    }
    for (size_t i = 0; i < matrix->rows.count; i++)
        sums.missed += matrix_misses(matrix, &matrix->rows.at[i]);
    for (size_t i = 0; i < matrix->rows.count; i++)
        sums.unseen += matrix_is_unseen(matrix, &matrix->rows.at[i]);
    return sums;
}

enum verdict report_prove_verdict(const struct prove_report *report)
{
    struct prove_sums sums = sums_of(report->matrix);

    bool is_whole = report->not_judged->count == 0 && !report->interrupted;

    if ((sums.missed > 0 && is_whole) || sums.false_alarms > 0 ||
        (report->mutations && mutations_are_bad(report->mutations)))
        return VERDICT_INVALID;
    return sums.unseen > 0 || !is_whole ? VERDICT_UNKNOWN : VERDICT_VALID;
}

static bool is_absent(const struct matrix *matrix, const struct matrix_row *row, unsigned column)
{
    return row->cells[column].is_expected && matrix->columns[column].checker == MATRIX_NOBODY;
}

/* The kind of anomaly that the cell has most of; MATRIX_KINDS: none. */
static unsigned main_kind(const struct matrix_cell *cell)
{
    unsigned best = MATRIX_KINDS;

    for (unsigned i = 0; i < MATRIX_KINDS; i++)
        if (cell->kinds[i] > 0 && (best == MATRIX_KINDS || cell->kinds[i] > cell->kinds[best]))
            best = i;
    return best;
}

/* Of those that must see it, and are there, who sees it first; then of all. */
static unsigned quickest(const struct matrix *matrix, const struct matrix_row *row)
{
    unsigned best = MATRIX_COLUMNS_MAX;

    for (int expected = 1; expected >= 0 && best == MATRIX_COLUMNS_MAX; expected--)
        for (unsigned i = 0; i < matrix->column_count; i++) {
            const struct matrix_cell *cell = &row->cells[i];
            if (cell->caught.count == 0 || cell->is_expected != (expected == 1))
                continue;
            if (best == MATRIX_COLUMNS_MAX || cell->caught.count > row->cells[best].caught.count)
                best = i;
        }
    return best;
}

/* --- For people ------------------------------------------------------------------------------- */

/* "98%", "3/1000", "(12%)" where nobody expects it, "MISSED", "absent", "." */
static void print_cell(const struct matrix *matrix, const struct matrix_row *row, unsigned column,
                       struct buffer *out)
{
    const struct matrix_cell *cell = &row->cells[column];
    uint64_t percent = row->runs > 0 ? cell->caught.count * 100 / row->runs : 0;

    if (is_absent(matrix, row, column))
        buffer_text(out, TEXT("absent"));
    else if (matrix_cell_misses(matrix, row, column))
        buffer_text(out, TEXT("MISSED"));
    else if (cell->caught.count == 0)
        buffer_text(out, cell->judged > 0 ? TEXT(".") : TEXT("-"));
    else if (percent > 0)
        buffer_print(out, cell->is_expected ? "%" PRIu64 "%%" : "(%" PRIu64 "%%)", percent);
    else
        buffer_print(out, cell->is_expected ? "%zu/%" PRIu64 : "(%zu/%" PRIu64 ")",
                     cell->caught.count, row->runs);
}

static void print_wait(uint64_t seeds, uint64_t runs, struct buffer *out)
{
    if (seeds == MATRIX_NEVER)
        buffer_print(out, ">%" PRIu64, runs);
    else
        buffer_print(out, "%" PRIu64, seeds);
}

static void pad(struct buffer *out, size_t from, size_t width)
{
    while (out->count - from < width && !out->out_of_memory)
        buffer_byte(out, ' ');
}

static size_t column_width(const struct matrix *matrix, unsigned column)
{
    size_t length = strlen(matrix->columns[column].name);

    return (length > CELL_WIDTH ? length : CELL_WIDTH) + 2;
}

static void print_head(const struct matrix *matrix, struct buffer *out)
{
    size_t from = out->count;

    buffer_text(out, TEXT("bug"));
    pad(out, from, BUG_WIDTH);
    buffer_text(out, TEXT("protocol"));
    pad(out, from, BUG_WIDTH + PROTOCOL_WIDTH + 2);
    for (unsigned i = 0; i < matrix->column_count; i++) {
        from = out->count;
        buffer_text(out, text_of(matrix->columns[i].name));
        pad(out, from, column_width(matrix, i));
    }
    buffer_text(out, TEXT("seeds     anomaly\n"));
}

/* "1, 3" : median and ninetieth percentile of the one who sees it most often. */
static enum status print_quickest(const struct matrix *matrix, const struct matrix_row *row,
                                  struct buffer *out, struct error *err)
{
    unsigned best = quickest(matrix, row);
    size_t from = out->count;
    uint64_t median, late;

    if (best == MATRIX_COLUMNS_MAX)
        return STATUS_OK;
    TRY(matrix_wait(row, best, 50, &median, err));
    TRY(matrix_wait(row, best, 90, &late, err));
    print_wait(median, row->runs, out);
    buffer_text(out, TEXT(", "));
    print_wait(late, row->runs, out);
    pad(out, from, 10);
    buffer_text(out, text_of(matrix_kind_name(main_kind(&row->cells[best]))));
    return STATUS_OK;
}

static enum status print_row(const struct matrix *matrix, const struct matrix_row *row,
                             struct buffer *out, struct error *err)
{
    size_t from = out->count;

    buffer_text(out, text_of(bug_entry(row->bug)->name));
    pad(out, from, BUG_WIDTH);
    buffer_text(out, text_of(row->has_scenario ? row->protocol : "no scenario"));
    pad(out, from, BUG_WIDTH + PROTOCOL_WIDTH + 2);
    for (unsigned i = 0; i < matrix->column_count; i++) {
        from = out->count;
        print_cell(matrix, row, i, out);
        pad(out, from, column_width(matrix, i));
    }
    TRY(print_quickest(matrix, row, out, err));
    while (out->count > 0 && out->at[out->count - 1] == ' ')
        out->count--;
    buffer_byte(out, '\n');
    return STATUS_OK;
}

static void print_alarm(const struct matrix_clean *clean, struct buffer *out)
{
    const char *set = clean->set;

    buffer_print(out, "alarm      %s   ", clean->signature);
    quantity_print_count(out, clean->false_alarms);
    buffer_text(out, TEXT(" of "));
    quantity_print_count(out, clean->runs);
    buffer_print(out, " runs\n           %s\n           again: ", clean->explanation);
    run_echo(clean->path, clean->seed, &set, set[0] ? 1 : 0, out);
    buffer_byte(out, '\n');
}

static void print_clean(const struct matrix *matrix, struct buffer *out)
{
    struct prove_sums sums = sums_of(matrix);

    buffer_text(out, TEXT("clean      "));
    quantity_print_count(out, sums.clean_runs);
    buffer_print(out, " runs of %zu scenarios, ", matrix->clean.count);
    quantity_print_count(out, sums.false_alarms);
    buffer_print(out, " false alarm%s", sums.false_alarms == 1 ? "" : "s");
    if (sums.undecided > 0) {
        buffer_text(out, TEXT(", "));
        quantity_print_count(out, sums.undecided);
        buffer_text(out, TEXT(" undecided"));
    }
    buffer_byte(out, '\n');
    for (size_t i = 0; i < matrix->clean.count; i++)
        if (matrix->clean.at[i].signature)
            print_alarm(&matrix->clean.at[i], out);
}

static void print_absent(const struct matrix *matrix, struct buffer *out)
{
    bool first = true;

    for (unsigned i = 0; i < matrix->column_count; i++) {
        if (matrix->columns[i].checker != MATRIX_NOBODY)
            continue;
        buffer_print(out, "%s%s", first ? "absent     " : ", ", matrix->columns[i].name);
        first = false;
    }
    if (!first)
        buffer_text(out, TEXT("   the catalogue expects them to see bugs, and there are no such "
                              "checkers here\n"));
}

static void print_unseen(const struct matrix *matrix, struct buffer *out)
{
    bool first = true;

    for (size_t i = 0; i < matrix->rows.count; i++) {
        if (!matrix_is_unseen(matrix, &matrix->rows.at[i]))
            continue;
        buffer_print(out, "%s%s", first ? "unseen     " : ", ",
                     bug_entry(matrix->rows.at[i].bug)->name);
        first = false;
    }
    if (!first)
        buffer_text(out, TEXT("   by anybody who must and is here\n"));
}

enum status report_prove_print(const struct prove_report *report, struct buffer *out,
                               struct error *err)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    const struct matrix *matrix = report->matrix;
    struct prove_sums sums = sums_of(matrix);

    print_head(matrix, out);
    for (size_t i = 0; i < matrix->rows.count; i++)
        TRY(print_row(matrix, &matrix->rows.at[i], out, err));
    print_clean(matrix, out);
    print_absent(matrix, out);
    print_unseen(matrix, out);
    if (report->mutations)
        report_mutants_print(report->mutations, out);
    if (report->not_judged->count > 0) {
        buffer_text(out, TEXT("not judged "));
        quantity_print_count(out, report->not_judged->count);
        buffer_print(out, ", first %s\n", report->not_judged->first);
    }
    if (report->interrupted)
        buffer_print(out, "ended      by %s: bugs may be missed by runs that were not made; the next "
                          "call begins anew\n",
                     report->interrupted);
    buffer_text(out, TEXT("time       "));
    quantity_print_rounded(out, report->wall_ns);
    buffer_print(out, "\nverdict    %s   %zu of %zu bugs caught by all who must",
                 words[report_prove_verdict(report)],
                 matrix->rows.count - sums.missed - sums.unseen, matrix->rows.count);
    buffer_byte(out, '\n');
    return STATUS_OK;
}

/* --- For programs ----------------------------------------------------------------------------- */

/* {"order":N,…} of the columns that the function has a number for. */
static void answer_columns(const struct matrix *matrix, const struct matrix_row *row,
                           const char *name,
                           bool (*number)(const struct matrix *, const struct matrix_row *,
                                          unsigned column, uint64_t *),
                           struct json_writer *json)
{
    uint64_t value;

    json_writer_open(json, name, '{');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (number(matrix, row, i, &value))
            json_writer_number(json, matrix->columns[i].name, value);
    json_writer_close(json, '}');
}

static bool number_caught(const struct matrix *matrix, const struct matrix_row *row,
                          unsigned column, uint64_t *value)
{
    *value = row->cells[column].caught.count;
    return matrix->columns[column].checker != MATRIX_NOBODY;
}

static bool number_judged(const struct matrix *matrix, const struct matrix_row *row,
                          unsigned column, uint64_t *value)
{
    *value = row->cells[column].judged;
    return matrix->columns[column].checker != MATRIX_NOBODY;
}

static void answer_expected(const struct matrix *matrix, const struct matrix_row *row,
                            struct json_writer *json)
{
    json_writer_open(json, "expected", '{');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (row->cells[i].is_expected)
            json_writer_bool(json, matrix->columns[i].name, true);
    json_writer_close(json, '}');
}

static void answer_names(const struct matrix *matrix, const struct matrix_row *row,
                         const char *name,
                         bool (*is_one)(const struct matrix *, const struct matrix_row *,
                                        unsigned column),
                         struct json_writer *json)
{
    json_writer_open(json, name, '[');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (is_one(matrix, row, i))
            json_writer_text(json, NULL, matrix->columns[i].name);
    json_writer_close(json, ']');
}

static void answer_wait(uint64_t seeds, const char *name, struct json_writer *json)
{
    if (seeds == MATRIX_NEVER)
        json_writer_null(json, name);
    else
        json_writer_number(json, name, seeds);
}

/* Of each who saw it: how many seeds that took, and as what. */
static enum status answer_details(const struct matrix *matrix, const struct matrix_row *row,
                                  struct json_writer *json, struct error *err)
{
    json_writer_open(json, "details", '{');
    for (unsigned i = 0; i < matrix->column_count; i++) {
        const struct matrix_cell *cell = &row->cells[i];
        uint64_t median, late;
        if (cell->caught.count == 0)
            continue;
        TRY(matrix_wait(row, i, 50, &median, err));
        TRY(matrix_wait(row, i, 90, &late, err));
        json_writer_open(json, matrix->columns[i].name, '{');
        json_writer_number(json, "first_seed", cell->caught.at[0]);
        answer_wait(median, "median_seeds", json);
        answer_wait(late, "p90_seeds", json);
        json_writer_open(json, "anomalies", '{');
        for (unsigned k = 0; k < MATRIX_KINDS; k++)
            if (cell->kinds[k] > 0)
                json_writer_number(json, matrix_kind_name(k), cell->kinds[k]);
        json_writer_close(json, '}');
        json_writer_close(json, '}');
    }
    json_writer_close(json, '}');
    return STATUS_OK;
}

static enum status answer_row(const struct matrix *matrix, const struct matrix_row *row,
                              struct json_writer *json, struct error *err)
{
    const struct bug_entry *bug = bug_entry(row->bug);

    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", bug->name);
    json_writer_text(json, "protocol", row->protocol);
    json_writer_text(json, "level", level_name(row->level));
    json_writer_text(json, "holds", level_name(bug->holds));
    answer_expected(matrix, row, json);
    answer_columns(matrix, row, "caught", number_caught, json);
    answer_columns(matrix, row, "judged", number_judged, json);
    json_writer_number(json, "runs", row->runs);
    json_writer_number(json, "failed", row->seen);
    answer_names(matrix, row, "missed", matrix_cell_misses, json);
    answer_names(matrix, row, "absent", is_absent, json);
    TRY(answer_details(matrix, row, json, err));
    json_writer_close(json, '}');
    return STATUS_OK;
}

static void answer_clean(const struct matrix *matrix, struct json_writer *json)
{
    struct prove_sums sums = sums_of(matrix);

    json_writer_open(json, "clean", '{');
    json_writer_number(json, "runs", sums.clean_runs);
    json_writer_number(json, "false_alarms", sums.false_alarms);
    json_writer_number(json, "undecided", sums.undecided);
    json_writer_open(json, "scenarios", '[');
    for (size_t i = 0; i < matrix->clean.count; i++) {
        const struct matrix_clean *clean = &matrix->clean.at[i];
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "path", clean->path);
        json_writer_text(json, "set", clean->set);
        json_writer_text(json, "protocol", clean->protocol);
        json_writer_number(json, "runs", clean->runs);
        json_writer_number(json, "false_alarms", clean->false_alarms);
        if (clean->signature) {
            json_writer_number(json, "seed", clean->seed);
            json_writer_text(json, "signature", clean->signature);
            json_writer_text(json, "explanation", clean->explanation);
        }
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

enum status report_prove_print_json(const struct prove_report *report, struct buffer *out,
                                    struct error *err)
{
    const struct matrix *matrix = report->matrix;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "seeds", report->seeds);
    json_writer_open(&json, "bugs", '[');
    for (size_t i = 0; i < matrix->rows.count; i++)
        TRY(answer_row(matrix, &matrix->rows.at[i], &json, err));
    json_writer_close(&json, ']');
    answer_clean(matrix, &json);
    json_writer_open(&json, "absent", '[');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (matrix->columns[i].checker == MATRIX_NOBODY)
            json_writer_text(&json, NULL, matrix->columns[i].name);
    json_writer_close(&json, ']');
    json_writer_open(&json, "unseen", '[');
    for (size_t i = 0; i < matrix->rows.count; i++)
        if (matrix_is_unseen(matrix, &matrix->rows.at[i]))
            json_writer_text(&json, NULL, bug_entry(matrix->rows.at[i].bug)->name);
    json_writer_close(&json, ']');
    if (report->interrupted)
        json_writer_text(&json, "interrupted", report->interrupted);
    json_writer_open(&json, "not_judged", '{');
    json_writer_number(&json, "count", report->not_judged->count);
    if (report->not_judged->count > 0)
        json_writer_text(&json, "first", report->not_judged->first);
    json_writer_close(&json, '}');
    if (report->mutations)
        report_mutants_answer(report->mutations, &json);
    json_writer_seconds(&json, "seconds", report->wall_ns);
    json_writer_text(&json, "verdict", checker_verdict_name(report_prove_verdict(report)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    return buffer_status(out, err);
}

static const char introduction[] =
    "# The completeness matrix\n"
    "\n"
    "Which checker sees which bug of the catalogue, and whether any sees one where there is none. Made by\n"
    "\n"
    "    %s\n"
    "\n"
    "and the same on every machine. Each bug is run by `scenarios/bugs/BUG.toml`, with the seeds from 1 to %" PRIu64 "; if\n"
    "somebody who must see it has not by then, with up to ten times as many.\n"
    "\n"
    "A cell says in how many of a hundred runs the column's checker found something; bold where the catalogue\n"
    "expects it. Behind the slash stands how many seeds it takes from any beginning until it does: the\n"
    "median and the ninetieth percentile. *run* is what a run says before anybody looks at its history: that it is\n"
    "stuck, that replicas differ, that a client was told what the store did not do, that an invariant\n"
    "is broken. `·` is a checker that looked and\n"
    "found nothing, `–` one that cannot judge such histories, *absent* one that the catalogue speaks of and that is\n"
    "not there yet. *audit* runs the program on its answers, where the scenario asks for that.\n"
    "\n"
    "*Holds* is the strongest level that the store still keeps with the bug. Where that is the level at which it is judged,\n"
    "whoever judges by what clients saw cannot see it in principle: the order is broken, and yet\n"
    "there is one. These rows are why there are several checkers.\n"
    "\n";

static void page_print_wait(uint64_t seeds, uint64_t runs, struct buffer *out)
{
    if (seeds == MATRIX_NEVER)
        buffer_print(out, ">%" PRIu64, runs);
    else
        buffer_print(out, "%" PRIu64, seeds);
}

/* In a hundred, with a decimal below ten. */
static void print_share(uint64_t part, uint64_t whole, struct buffer *out)
{
    uint64_t tenths = part * 1000 / whole;

    if (tenths >= 100 || tenths % 10 == 0)
        buffer_print(out, "%" PRIu64, tenths / 10);
    else
        buffer_print(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static enum status page_print_cell(const struct matrix *matrix, const struct matrix_row *row,
                              unsigned column, struct buffer *out, struct error *err)
{
    const struct matrix_cell *cell = &row->cells[column];
    const char *mark = cell->is_expected ? "**" : "";
    uint64_t median, late;

    if (cell->caught.count == 0) {
        bool absent = matrix->columns[column].checker == MATRIX_NOBODY;
        buffer_text(out, absent && cell->is_expected                ? TEXT(" *absent* |")
                    : matrix_cell_misses(matrix, row, column) ? TEXT(" **MISSED** |")
                    : cell->judged > 0                        ? TEXT(" · |")
                                                              : TEXT(" – |"));
        return STATUS_OK;
    }
    TRY(matrix_wait(row, column, 50, &median, err));
    TRY(matrix_wait(row, column, 90, &late, err));
    buffer_print(out, " %s", mark);
    print_share(cell->caught.count, row->runs, out);
    buffer_print(out, "%s / ", mark);
    page_print_wait(median, row->runs, out);
    buffer_text(out, TEXT(", "));
    page_print_wait(late, row->runs, out);
    buffer_text(out, TEXT(" |"));
    return STATUS_OK;
}

static enum status print_table(const struct matrix *matrix, struct buffer *out, struct error *err)
{
    buffer_text(out, TEXT("| bug | protocol | judged at | holds | runs |"));
    for (unsigned i = 0; i < matrix->column_count; i++)
        buffer_print(out, " %s |", matrix->columns[i].name);
    buffer_text(out, TEXT("\n|---|---|---|---|---|"));
    for (unsigned i = 0; i < matrix->column_count; i++)
        buffer_text(out, TEXT("---|"));
    buffer_byte(out, '\n');
    for (size_t i = 0; i < matrix->rows.count; i++) {
        const struct matrix_row *row = &matrix->rows.at[i];
        buffer_print(out, "| `%s` | %s | %s | %s | %" PRIu64 " |", bug_entry(row->bug)->name,
                     row->protocol, level_name(row->level), level_name(bug_entry(row->bug)->holds),
                     row->runs);
        for (unsigned k = 0; k < matrix->column_count; k++)
            TRY(page_print_cell(matrix, row, k, out, err));
        buffer_byte(out, '\n');
    }
    return STATUS_OK;
}

/* "order: G-single 90, G1a 3" */
static void print_kinds(const struct matrix *matrix, const struct matrix_row *row,
                        struct buffer *out)
{
    bool first_column = true;

    for (unsigned i = 0; i < matrix->column_count; i++) {
        const struct matrix_cell *cell = &row->cells[i];
        bool first = true;
        if (cell->caught.count == 0)
            continue;
        buffer_print(out, "%s*%s* ", first_column ? "" : "; ", matrix->columns[i].name);
        first_column = false;
        for (unsigned k = 0; k < MATRIX_KINDS; k++) {
            if (cell->kinds[k] == 0)
                continue;
            buffer_print(out, "%s%s %" PRIu64, first ? "" : ", ", matrix_kind_name(k),
                         cell->kinds[k]);
            first = false;
        }
    }
    buffer_text(out, first_column ? TEXT("nothing") : TEXT(""));
}

static void print_anomalies(const struct matrix *matrix, struct buffer *out)
{
    buffer_text(out, TEXT("\n## As what they are seen\n\nThe first thing that each checker says of "
                          "a run, and of how many runs.\n\n| bug | seen as |\n|---|---|\n"));
    for (size_t i = 0; i < matrix->rows.count; i++) {
        buffer_print(out, "| `%s` | ", bug_entry(matrix->rows.at[i].bug)->name);
        print_kinds(matrix, &matrix->rows.at[i], out);
        buffer_text(out, TEXT(" |\n"));
    }
}

/* Those of one protocol together. */
static void print_protocol(const struct matrix *matrix, const char *protocol, struct buffer *out)
{
    uint64_t runs = 0, alarms = 0, undecided = 0;
    size_t scenarios = 0;

    for (size_t i = 0; i < matrix->clean.count; i++) {
        const struct matrix_clean *clean = &matrix->clean.at[i];
        if (strcmp(clean->protocol, protocol) != 0)
            continue;
        scenarios++;
        runs += clean->runs;
        alarms += clean->false_alarms;
        undecided += clean->undecided;
    }
    buffer_print(out, "| %s | %zu | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n", protocol,
                 scenarios, runs, alarms, undecided);
}

static bool is_first(const struct matrix *matrix, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(matrix->clean.at[i].protocol, matrix->clean.at[index].protocol) == 0)
            return false;
    return true;
}

static void page_print_clean(const struct prove_report *report, struct buffer *out)
{
    const struct matrix *matrix = report->matrix;

    buffer_text(out, TEXT("\n## Clean runs\n\nEvery scenario of `scenarios/`, and every scenario "
                          "above without its bug, with the same number of seeds\neach. Whoever "
                          "finds anything there is wrong.\n\n| protocol | scenarios | runs | false "
                          "alarms | undecided |\n|---|---|---|---|---|\n"));
    for (size_t i = 0; i < matrix->clean.count; i++)
        if (is_first(matrix, i))
            print_protocol(matrix, matrix->clean.at[i].protocol, out);
}

enum status report_prove_page(const struct prove_report *report, struct buffer *out,
                              struct error *err)
{
    buffer_print(out, introduction, report->command, report->seeds);
    TRY(print_table(report->matrix, out, err));
    print_anomalies(report->matrix, out);
    page_print_clean(report, out);
    if (report->mutations)
        report_mutants_print_page(report->mutations, out);
    return buffer_status(out, err);
}
