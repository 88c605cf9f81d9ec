#include "cli/prove_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/again.h"
#include "cli/answer.h"
#include "cli/quantity.h"
#include "cli/simulation.h"

#define BUG_WIDTH 36
#define PROTOCOL_WIDTH 8
#define CELL_WIDTH 6 /* at the least; a column is as wide as its name */

/* --- Sums ------------------------------------------------------------------------------------- */

struct sums {
    uint64_t clean_runs, false_alarms, undecided;
    size_t missed; /* rows */
    size_t unseen; /* rows that nobody saw who must, as none of them is there */
};

static struct sums sums_of(const struct matrix *matrix)
{
    struct sums sums = { 0 };

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

enum verdict prove_report_verdict(const struct prove_report *report)
{
    struct sums sums = sums_of(report->matrix);

    if (sums.missed > 0 || sums.false_alarms > 0 ||
        (report->mutations && mutations_are_bad(report->mutations)))
        return VERDICT_INVALID;
    return sums.unseen > 0 ? VERDICT_UNKNOWN : VERDICT_VALID;
}

static bool is_absent(const struct matrix *matrix, const struct matrix_row *row, unsigned column)
{
    return row->cells[column].is_expected && matrix->columns[column].checker == -2;
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
    while (out->count - from < width)
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
    again_print(clean->path, clean->seed, &set, set[0] ? 1 : 0, out);
    buffer_byte(out, '\n');
}

static void print_clean(const struct matrix *matrix, struct buffer *out)
{
    struct sums sums = sums_of(matrix);

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
        if (matrix->columns[i].checker != -2)
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

enum status prove_report_print(const struct prove_report *report, struct buffer *out,
                               struct error *err)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    const struct matrix *matrix = report->matrix;
    struct sums sums = sums_of(matrix);

    print_head(matrix, out);
    for (size_t i = 0; i < matrix->rows.count; i++)
        TRY(print_row(matrix, &matrix->rows.at[i], out, err));
    print_clean(matrix, out);
    print_absent(matrix, out);
    print_unseen(matrix, out);
    if (report->mutations)
        mutant_report_print(report->mutations, out);
    buffer_text(out, TEXT("time       "));
    quantity_print_rounded(out, report->wall_ns);
    buffer_print(out, "\nverdict    %s   %zu of %zu bugs caught by all who must",
                 words[prove_report_verdict(report)],
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
                           struct answer *answer)
{
    uint64_t value;

    answer_open(answer, name, '{');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (number(matrix, row, i, &value))
            answer_number(answer, matrix->columns[i].name, value);
    answer_close(answer, '}');
}

static bool number_caught(const struct matrix *matrix, const struct matrix_row *row,
                          unsigned column, uint64_t *value)
{
    *value = row->cells[column].caught.count;
    return matrix->columns[column].checker != -2;
}

static bool number_judged(const struct matrix *matrix, const struct matrix_row *row,
                          unsigned column, uint64_t *value)
{
    *value = row->cells[column].judged;
    return matrix->columns[column].checker != -2;
}

static void answer_expected(const struct matrix *matrix, const struct matrix_row *row,
                            struct answer *answer)
{
    answer_open(answer, "expected", '{');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (row->cells[i].is_expected)
            answer_bool(answer, matrix->columns[i].name, true);
    answer_close(answer, '}');
}

static void answer_names(const struct matrix *matrix, const struct matrix_row *row,
                         const char *name,
                         bool (*is_one)(const struct matrix *, const struct matrix_row *,
                                        unsigned column),
                         struct answer *answer)
{
    answer_open(answer, name, '[');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (is_one(matrix, row, i))
            answer_text(answer, NULL, matrix->columns[i].name);
    answer_close(answer, ']');
}

static void answer_wait(uint64_t seeds, const char *name, struct answer *answer)
{
    if (seeds == MATRIX_NEVER)
        answer_null(answer, name);
    else
        answer_number(answer, name, seeds);
}

/* Of each who saw it: how many seeds that took, and as what. */
static enum status answer_details(const struct matrix *matrix, const struct matrix_row *row,
                                  struct answer *answer, struct error *err)
{
    answer_open(answer, "details", '{');
    for (unsigned i = 0; i < matrix->column_count; i++) {
        const struct matrix_cell *cell = &row->cells[i];
        uint64_t median, late;
        if (cell->caught.count == 0)
            continue;
        TRY(matrix_wait(row, i, 50, &median, err));
        TRY(matrix_wait(row, i, 90, &late, err));
        answer_open(answer, matrix->columns[i].name, '{');
        answer_number(answer, "first_seed", cell->caught.at[0]);
        answer_wait(median, "median_seeds", answer);
        answer_wait(late, "p90_seeds", answer);
        answer_open(answer, "anomalies", '{');
        for (unsigned k = 0; k < MATRIX_KINDS; k++)
            if (cell->kinds[k] > 0)
                answer_number(answer, matrix_kind_name(k), cell->kinds[k]);
        answer_close(answer, '}');
        answer_close(answer, '}');
    }
    answer_close(answer, '}');
    return STATUS_OK;
}

static enum status answer_row(const struct matrix *matrix, const struct matrix_row *row,
                              struct answer *answer, struct error *err)
{
    const struct bug_entry *bug = bug_entry(row->bug);

    answer_open(answer, NULL, '{');
    answer_text(answer, "name", bug->name);
    answer_text(answer, "protocol", row->protocol);
    answer_text(answer, "level", level_name(row->level));
    answer_text(answer, "holds", level_name(bug->holds));
    answer_expected(matrix, row, answer);
    answer_columns(matrix, row, "caught", number_caught, answer);
    answer_columns(matrix, row, "judged", number_judged, answer);
    answer_number(answer, "runs", row->runs);
    answer_number(answer, "failed", row->seen);
    answer_names(matrix, row, "missed", matrix_cell_misses, answer);
    answer_names(matrix, row, "absent", is_absent, answer);
    TRY(answer_details(matrix, row, answer, err));
    answer_close(answer, '}');
    return STATUS_OK;
}

static void answer_clean(const struct matrix *matrix, struct answer *answer)
{
    struct sums sums = sums_of(matrix);

    answer_open(answer, "clean", '{');
    answer_number(answer, "runs", sums.clean_runs);
    answer_number(answer, "false_alarms", sums.false_alarms);
    answer_number(answer, "undecided", sums.undecided);
    answer_open(answer, "scenarios", '[');
    for (size_t i = 0; i < matrix->clean.count; i++) {
        const struct matrix_clean *clean = &matrix->clean.at[i];
        answer_open(answer, NULL, '{');
        answer_text(answer, "path", clean->path);
        answer_text(answer, "set", clean->set);
        answer_text(answer, "protocol", clean->protocol);
        answer_number(answer, "runs", clean->runs);
        answer_number(answer, "false_alarms", clean->false_alarms);
        if (clean->signature) {
            answer_number(answer, "seed", clean->seed);
            answer_text(answer, "signature", clean->signature);
            answer_text(answer, "explanation", clean->explanation);
        }
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
    answer_close(answer, '}');
}

enum status prove_report_print_json(const struct prove_report *report, struct buffer *out,
                                    struct error *err)
{
    const struct matrix *matrix = report->matrix;
    struct answer answer = { .out = out };

    answer_open(&answer, NULL, '{');
    answer_number(&answer, "seeds", report->seeds);
    answer_open(&answer, "bugs", '[');
    for (size_t i = 0; i < matrix->rows.count; i++)
        TRY(answer_row(matrix, &matrix->rows.at[i], &answer, err));
    answer_close(&answer, ']');
    answer_clean(matrix, &answer);
    answer_open(&answer, "absent", '[');
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (matrix->columns[i].checker == -2)
            answer_text(&answer, NULL, matrix->columns[i].name);
    answer_close(&answer, ']');
    answer_open(&answer, "unseen", '[');
    for (size_t i = 0; i < matrix->rows.count; i++)
        if (matrix_is_unseen(matrix, &matrix->rows.at[i]))
            answer_text(&answer, NULL, bug_entry(matrix->rows.at[i].bug)->name);
    answer_close(&answer, ']');
    if (report->mutations)
        mutant_report_answer(report->mutations, &answer);
    answer_seconds(&answer, "seconds", report->wall_ns);
    answer_text(&answer, "verdict", verdict_name(prove_report_verdict(report)));
    answer_close(&answer, '}');
    buffer_byte(out, '\n');
    return buffer_status(out, err);
}
