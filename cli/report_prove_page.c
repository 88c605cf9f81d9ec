#include "cli/report_prove_page.h"

#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/report_mutants.h"

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
    "not there yet.\n"
    "\n"
    "*Holds* is the strongest level that the store still keeps with the bug. Where that is the level at which it is judged,\n"
    "whoever judges by what clients saw cannot see it in principle: the order is broken, and yet\n"
    "there is one. These rows are why there are several checkers.\n"
    "\n";

static void print_wait(uint64_t seeds, uint64_t runs, struct buffer *out)
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

static enum status print_cell(const struct matrix *matrix, const struct matrix_row *row,
                              unsigned column, struct buffer *out, struct error *err)
{
    const struct matrix_cell *cell = &row->cells[column];
    const char *mark = cell->is_expected ? "**" : "";
    uint64_t median, late;

    if (cell->caught.count == 0) {
        bool absent = matrix->columns[column].checker == -2;
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
    print_wait(median, row->runs, out);
    buffer_text(out, TEXT(", "));
    print_wait(late, row->runs, out);
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
            TRY(print_cell(matrix, row, k, out, err));
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

static void print_clean(const struct prove_report *report, struct buffer *out)
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
    print_clean(report, out);
    if (report->mutations)
        report_mutants_print_page(report->mutations, out);
    return buffer_status(out, err);
}
