/*
 * workload: the catalogue of workloads, for `run`, `generate` and `list`.
 *
 * A workload is a mix that the generator draws whole histories of (mix.h), a behaviour of the clients of a store
 * (builtin.h), or both. To add one takes a row here and a file that defines it.
 */
#ifndef PROGRAMS_WORKLOADS_WORKLOAD_H
#define PROGRAMS_WORKLOADS_WORKLOAD_H

#include "base/text.h"
#include "history/level.h"
#include "programs/workloads/key_distribution.h"
#include "programs/workloads/mix.h"

/* X(name in C, name, whether `generate` makes it, whether `run` runs it) */
#define WORKLOADS(X)                                                                               \
    X(rw_mix, "rw-mix", 1, 0)                                                                      \
    X(predicate_mix, "predicate-mix", 1, 0)                                                        \
    X(blindw_w, "blindw-w", 1, 0)                                                                  \
    X(blindw_rw, "blindw-rw", 1, 0)                                                                \
    X(blindw_rw_rows, "blindw-rw+", 1, 0)                                                          \
    X(cobra_rmw, "cobra-rmw", 1, 0)                                                                \
    X(cobra_rw, "cobra-rw", 1, 0)                                                                  \
    X(cobra_heavy, "cobra-heavy", 1, 0)                                                            \
    X(rw_register, "rw-register", 0, 1)                                                            \
    X(list_append, "list-append", 1, 1)                                                            \
    X(bank, "bank", 0, 1)                                                                          \
    X(long_fork, "long-fork", 0, 1)                                                                \
    X(set, "set", 0, 1)                                                                            \
    X(counter, "counter", 0, 1)                                                                    \
    X(write_skew, "write-skew", 0, 1)                                                              \
    X(predicate, "predicate", 0, 1)                                                                \
    X(blindw, "blindw", 0, 1)                                                                      \
    X(ycsb, "ycsb", 0, 1)

#define BUILTIN_OPERATIONS_MAX 1000
#define BUILTIN_KEYS_MAX 1000000
#define BUILTIN_WRITES_PER_KEY_MAX 1000000

/* X(ENUMERATOR, name, kind, low, high, what it says) */
#define BUILTIN_PARAMETERS(X)                                                                      \
    X(KEYS, "keys", INTEGER, 1, BUILTIN_KEYS_MAX, "keys that there are at a time")                 \
    X(OPERATIONS_MIN, "operations_min", INTEGER, 1, BUILTIN_OPERATIONS_MAX,                        \
      "a transaction has at least so many operations")                                             \
    X(OPERATIONS_MAX, "operations_max", INTEGER, 1, BUILTIN_OPERATIONS_MAX,                        \
      "a transaction has at most so many operations")                                              \
    X(READ_PERCENT, "read_percent", INTEGER, 0, 100, "of a hundred, so many only read")            \
    X(CHOICE, "choice", CHOICE, 0, CHOICE_KIND_COUNT - 1,                                          \
      "how keys are chosen: uniform, zipf or hot")                                                 \
    X(THETA, "theta", RATIO, 0, ZIPF_THETA_MAX, "of zipf: how much more the first are chosen")     \
    X(HOT_KEYS, "hot_keys", INTEGER, 1, BUILTIN_KEYS_MAX, "of hot: how many are")                  \
    X(HOT_SHARE, "hot_share", RATIO, 0, 1, "of hot: the share of draws that these have")           \
    X(WRITES_PER_KEY, "writes_per_key", INTEGER, 0, BUILTIN_WRITES_PER_KEY_MAX,                    \
      "a key retires after about so many writes; 0: never")                                        \
    X(REPEAT_VALUES, "repeat_values", INTEGER, 0, 1000000,                                         \
      "values are drawn from so many; 0: each is unique")                                          \
    X(ABORT_PERCENT, "abort_percent", INTEGER, 0, 100,                                             \
      "of a hundred transactions, so many abort themselves at their end")                          \
    X(GROUP, "group", INTEGER, 2, 64, "keys that are read together")                               \
    X(BALANCE, "balance", INTEGER, 0, 1000000000, "what each account holds at first")              \
    X(AMOUNT, "amount", INTEGER, 1, 1000000000, "the most that is moved at a time")                \
    X(SELECT_PERCENT, "select_percent", INTEGER, 0, 100,                                           \
      "of a hundred whole reads, so many are one SELECT")                                          \
    X(DEPOSIT_PERCENT, "deposit_percent", INTEGER, 0, 100,                                         \
      "of a hundred that write, so many deposit")                                                  \
    X(RANGE_PERCENT, "range_percent", INTEGER, 0, 100,                                             \
      "of a hundred operations, so many are over a range of values")                               \
    X(DELETE_PERCENT, "delete_percent", INTEGER, 0, 100,                                           \
      "of a hundred that write, so many delete")                                                   \
    X(BLIND_PERCENT, "blind_percent", INTEGER, 0, 100,                                             \
      "of a hundred writes of a row, so many do not read it first")                                \
    X(REBORN_PERCENT, "reborn_percent", INTEGER, 0, 100,                                           \
      "of a hundred writes of a row, so many delete it first, and insert it again")                \
    X(VALUES, "values", INTEGER, 1, 1000000000, "the value column is below it")                    \
    X(WIDTH, "width", INTEGER, 1, 1000000000, "values in a range")

enum builtin_parameter {
#define BUILTIN_ENUM(enumerator, name, kind, low, high, help) PARAMETER_##enumerator,
    BUILTIN_PARAMETERS(BUILTIN_ENUM)
#undef BUILTIN_ENUM
        PARAMETER_COUNT
};

/* What keys hold. */
enum workload_shape { SHAPE_ITEMS, SHAPE_ROWS, SHAPE_LISTS };

/* Every column is a bigint, and the first is the primary key. */
struct builtin_table {
    const char *name, *key_column, *value_column;
    const char *tag_column; /* NULL: rows are unique without one */
    const char *sql;        /* the table as CREATE TABLE */
};

struct builtin_behaviour;

struct workload {
    const char *name;
    enum workload_shape shape;

    /* For `generate`; NULL: it does not make such histories. */
    const struct mix *mix;

    /* For `run`; without behaviour no client runs it. */
    const struct builtin_behaviour *behaviour;
    const char *description;
    const struct builtin_table *table; /* of SHAPE_ROWS; else NULL */
    /* By parameter, as a user would write them; NULL: the workload has no such parameter. */
    const char *defaults[PARAMETER_COUNT];
    /* What the final state must fulfil holds at these levels and all that imply one of them. */
    const char *invariant; /* in a line; NULL: there is none */
    enum level invariant_levels[2];
};

#define WORKLOAD_DECLARE(c_name, name, is_generated, is_run) extern const struct workload workload_##c_name;
WORKLOADS(WORKLOAD_DECLARE)
#undef WORKLOAD_DECLARE

/* NULL if there is none of this name. */
const struct workload *workload_find(struct text name);
/* Those that `generate` makes, and their names, which end in NULL: in the order of the table. */
const struct workload *const *workload_generated(unsigned *count);
const char *const *workload_generated_names(void);
/* Those that `run` runs. */
const struct workload *const *workload_run(unsigned *count);
const char *const *workload_run_names(void);

#endif
