/*
 * matrix: counts which checker found which bug, and which found one in a clean run.
 *
 *     bug                 run   order   certificate   …
 *     upgrade-race        100     100           100        of 100 runs
 *     no-predicate-marks    .       .            87
 *
 * A row is a bug of the catalogue. The scenario that provokes it is run with seeds from 1 on. A column
 * is a checker. The first column is the run itself: it is stuck, its replicas differ, an invariant is
 * broken, or its process died. The last is the audit of the run's calls, where the scenario asks for
 * one. Checkers that the catalogue names and this program lacks have columns,
 * too, so that their absence is visible.
 *
 * Clean runs are counted separately. No checker may find anything in them.
 */
#ifndef TRIAL_PROVE_MATRIX_H
#define TRIAL_PROVE_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "store/bugs.h"
#include "trial/run/outcome.h"

#define MATRIX_COLUMNS_MAX 16
#define MATRIX_NAME_SIZE 32
#define MATRIX_KINDS (ANOMALY_COUNT + 1) /* the last: its process died */
#define MATRIX_NEVER UINT64_MAX

/* Columns that are no checkers of histories. */
#define MATRIX_RUN (-1)    /* the run itself */
#define MATRIX_NOBODY (-2) /* the catalogue names it, and there is none */
#define MATRIX_AUDIT (-3)  /* of the run's calls */

struct matrix_column {
    char name[MATRIX_NAME_SIZE];
    int checker; /* its place in checkers_all(), or MATRIX_RUN, MATRIX_AUDIT or MATRIX_NOBODY */
};

struct matrix_cell {
    bool is_expected;       /* by the catalogue */
    uint64_t judged;        /* runs that the checker had a word on */
    ARRAY(uint64_t) caught; /* seeds; rising after matrix_sort() */
    uint64_t kinds[MATRIX_KINDS];
};

struct matrix_row {
    enum bug bug;
    char protocol[MATRIX_NAME_SIZE];
    enum level level; /* that it was judged by */
    bool has_scenario;
    uint64_t runs;
    uint64_t seen; /* runs in which anybody caught it */
    struct matrix_cell cells[MATRIX_COLUMNS_MAX];
};

/* Clean runs of one scenario. */
struct matrix_clean {
    char path[SCENARIO_PATH_SIZE];
    char set[100]; /* what was put over it; empty: nothing */
    char protocol[MATRIX_NAME_SIZE];
    uint64_t runs, false_alarms, undecided;
    uint64_t seed;    /* of the first false alarm */
    char *signature;  /* likewise; or NULL */
    char *explanation;
};

struct matrix {
    struct matrix_column columns[MATRIX_COLUMNS_MAX];
    unsigned column_count;
    ARRAY(struct matrix_row) rows;
    ARRAY(struct matrix_clean) clean;
};

void matrix_init(struct matrix *);
void matrix_close(struct matrix *);

/* In any order; the same at the end. */
MUST_USE enum status matrix_add(struct matrix *, struct matrix_row *, const struct run_outcome *,
                                struct error *);
MUST_USE enum status matrix_add_clean(struct matrix_clean *, const struct run_outcome *,
                                      struct error *);
void matrix_sort(struct matrix *);

/* A row of this bug: nothing caught so far. */
void matrix_begin_row(const struct matrix *, struct matrix_row *, enum bug);
/* Whether somebody whom the catalogue names and this program has did not see it. */
bool matrix_misses(const struct matrix *, const struct matrix_row *);
/* Whether all who must see it and did not are none that this program has: nobody knows. */
bool matrix_is_unseen(const struct matrix *, const struct matrix_row *);
bool matrix_cell_misses(const struct matrix *, const struct matrix_row *, unsigned column);

/*
 * How many seeds it takes until the checker catches the bug, from wherever one
 * begins: so many for `percent` in a hundred of the beginnings. MATRIX_NEVER: more than
 * were run. After matrix_sort().
 */
MUST_USE enum status matrix_wait(const struct matrix_row *, unsigned column, unsigned percent,
                                 uint64_t *seeds, struct error *);

/* "stuck", "G-single", "crash" */
const char *matrix_kind_name(unsigned kind);

#endif
