#include "trial/prove/matrix.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "history/anomaly.h"
#include "trial/run/signature.h"

/* --- Columns ---------------------------------------------------------------------------------- */

static bool has_column(const struct matrix *matrix, struct text name)
{
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (text_equal(name, text_of(matrix->columns[i].name)))
            return true;
    return false;
}

static void add_column(struct matrix *matrix, struct text name, int checker)
{
    struct matrix_column *column = &matrix->columns[matrix->column_count];

    assert(matrix->column_count < MATRIX_COLUMNS_MAX);
    if (has_column(matrix, name))
        return;
    snprintf(column->name, sizeof column->name, "%.*s", TEXT_PRINT(name));
    column->checker = checker;
    matrix->column_count++;
}

static bool next_word(const char **list, struct text *word)
{
    *list += strspn(*list, " ");
    *word = (struct text){ *list, strcspn(*list, " ") };
    *list += word->length;
    return word->length > 0;
}

void matrix_init(struct matrix *matrix)
{
    const struct checker *const *all = checkers_all();

    *matrix = (struct matrix){ .column_count = 0 };
    add_column(matrix, TEXT("run"), MATRIX_RUN);
    for (int i = 0; all[i] && i < JURY_MAX; i++)
        add_column(matrix, text_of(all[i]->name), i);
    add_column(matrix, TEXT("audit"), MATRIX_AUDIT);
    for (int i = 0; i < BUG_COUNT; i++) {
        const char *list = bug_entry((enum bug)i)->checkers;
        struct text word;
        while (next_word(&list, &word))
            add_column(matrix, word, MATRIX_NOBODY);
    }
}

void matrix_close(struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->rows.count; i++)
        for (unsigned k = 0; k < MATRIX_COLUMNS_MAX; k++)
            array_close(&matrix->rows.at[i].cells[k].caught);
    for (size_t i = 0; i < matrix->clean.count; i++) {
        free(matrix->clean.at[i].signature);
        free(matrix->clean.at[i].explanation);
    }
    array_close(&matrix->rows);
    array_close(&matrix->clean);
}

/* --- Rows ------------------------------------------------------------------------------------- */

void matrix_begin_row(const struct matrix *matrix, struct matrix_row *row, enum bug bug)
{
    const char *list = bug_entry(bug)->checkers;
    struct text word;

    *row = (struct matrix_row){ .bug = bug };
    while (next_word(&list, &word))
        for (unsigned i = 0; i < matrix->column_count; i++)
            if (text_equal(word, text_of(matrix->columns[i].name)))
                row->cells[i].is_expected = true;
}

static unsigned kind_of(struct text name)
{
    enum anomaly kind;

    return anomaly_of_text(name, &kind) ? (unsigned)kind : ANOMALY_COUNT;
}

const char *matrix_kind_name(unsigned kind)
{
    return kind < ANOMALY_COUNT ? anomaly_name((enum anomaly)kind) : "crash";
}

static bool has_judged(const struct matrix_column *column, const struct run_outcome *outcome)
{
    if (column->checker == MATRIX_RUN)
        return true;
    if (column->checker == MATRIX_AUDIT)
        return outcome->audit > 0;
    return column->checker >= 0 && outcome->checks[column->checker] > 0;
}

/* A checker that finds several things in a run has caught it once, by the first. */
static enum status add_failure(struct matrix *matrix, struct matrix_row *row, uint64_t seed,
                               struct text signature, struct error *err)
{
    struct signature_parts parts = signature_parts(signature);

    for (unsigned i = 0; i < matrix->column_count; i++) {
        struct matrix_cell *cell = &row->cells[i];
        if (!text_equal(parts.checker, text_of(matrix->columns[i].name)))
            continue;
        if (cell->caught.count > 0 && cell->caught.at[cell->caught.count - 1] == seed)
            return STATUS_OK;
        cell->kinds[kind_of(parts.anomaly)]++;
        return array_push(&cell->caught, seed, err);
    }
    return STATUS_OK;
}

enum status matrix_add(struct matrix *matrix, struct matrix_row *row,
                       const struct run_outcome *outcome, struct error *err)
{
    row->runs++;
    row->seen += outcome->verdict == VERDICT_INVALID;
    for (unsigned i = 0; i < matrix->column_count; i++)
        row->cells[i].judged += has_judged(&matrix->columns[i], outcome);
    for (size_t i = 0; i < outcome->failures.count; i++)
        TRY(add_failure(matrix, row, outcome->seed,
                        text_of(outcome->failures.at[i].signature), err));
    return STATUS_OK;
}

static enum status replace(char **to, const char *from, struct error *err)
{
    char *copy = strdup(from);

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a matrix");
    free(*to);
    *to = copy;
    return STATUS_OK;
}

enum status matrix_add_clean(struct matrix_clean *clean, const struct run_outcome *outcome,
                             struct error *err)
{
    clean->runs++;
    clean->undecided += outcome->undecided != NULL;
    if (outcome->verdict != VERDICT_INVALID)
        return STATUS_OK;
    clean->false_alarms++;
    if (outcome->failures.count == 0 || (clean->signature && clean->seed < outcome->seed))
        return STATUS_OK;
    clean->seed = outcome->seed;
    TRY(replace(&clean->signature, outcome->failures.at[0].signature, err));
    return replace(&clean->explanation, outcome->failures.at[0].explanation, err);
}

static int compare_seeds(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void matrix_sort(struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->rows.count; i++)
        for (unsigned k = 0; k < matrix->column_count; k++) {
            struct matrix_cell *cell = &matrix->rows.at[i].cells[k];
            if (cell->caught.count > 0)
                qsort(cell->caught.at, cell->caught.count, sizeof *cell->caught.at,
                      compare_seeds);
        }
}

/*
 * What the catalogue expects of a bug of several protocols it expects where a checker
 * can judge: `order` has no order to go by where the store gives none. Of a
 * bug of one protocol the scenario must let it judge.
 */
static bool is_excused(const struct matrix_row *row, const struct matrix_cell *cell)
{
    struct text protocol;
    bool of_several = bug_protocol(row->bug, 1, &protocol) ||
                      (bug_protocol(row->bug, 0, &protocol) && text_equal(protocol, TEXT("raft")));

    return of_several && row->runs > 0 && cell->judged == 0;
}

bool matrix_cell_misses(const struct matrix *matrix, const struct matrix_row *row,
                        unsigned column)
{
    const struct matrix_cell *cell = &row->cells[column];

    return cell->is_expected && matrix->columns[column].checker != MATRIX_NOBODY &&
           cell->caught.count == 0 && !is_excused(row, cell);
}

bool matrix_misses(const struct matrix *matrix, const struct matrix_row *row)
{
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (matrix_cell_misses(matrix, row, i))
            return true;
    return false;
}

bool matrix_is_unseen(const struct matrix *matrix, const struct matrix_row *row)
{
    if (matrix_misses(matrix, row))
        return false;
    for (unsigned i = 0; i < matrix->column_count; i++)
        if (row->cells[i].is_expected && row->cells[i].caught.count > 0)
            return false;
    return true;
}

/* --- How long it takes ------------------------------------------------------------------------ */

/* From each seed on, the seeds up to the next one that is caught; behind the last: never. */
enum status matrix_wait(const struct matrix_row *row, unsigned column, unsigned percent,
                        uint64_t *seeds, struct error *err)
{
    const struct matrix_cell *cell = &row->cells[column];
    uint64_t *waits = malloc((row->runs + 1) * sizeof *waits);
    size_t next = 0;
    uint64_t rank = (row->runs * percent + 99) / 100;

    *seeds = MATRIX_NEVER;
    if (!waits)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a matrix");
    for (uint64_t seed = 1; seed <= row->runs; seed++) {
        while (next < cell->caught.count && cell->caught.at[next] < seed)
            next++;
        waits[seed - 1] = next < cell->caught.count ? cell->caught.at[next] - seed + 1
                                                    : MATRIX_NEVER;
    }
    if (row->runs > 0) {
        qsort(waits, row->runs, sizeof *waits, compare_seeds);
        *seeds = waits[rank > 0 ? rank - 1 : 0];
    }
    free(waits);
    return STATUS_OK;
}
