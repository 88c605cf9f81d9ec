/*
 * wild_private: a history while it is planned and run (wild.c), and told (wild_tell.c).
 */
#ifndef TESTS_DIFFERENTIAL_WILD_PRIVATE_H
#define TESTS_DIFFERENTIAL_WILD_PRIVATE_H

#include "tests/differential/wild.h"

#define TXNS_MAX 12
#define OPS_MAX 6
#define KEYS_MAX 5
#define ELEMENTS_MAX 40
#define TICK 100 /* between two transactions of a run: of time, and of places */
#define NOBODY TXNS_MAX

/* How the values of a key are told: a number as an integer, a text, a decimal; or a list, or a row. */
enum form { INTEGER, WORD, DECIMAL, TRUTH, LIST, ROW, WIDE_ROW, FORM_COUNT };

struct content {
    bool exists;
    int number; /* of a list: nothing */
    unsigned count;
    int elements[ELEMENTS_MAX];
};

/* What a key holds, and whose n-th version of it that is. */
struct cell {
    struct content content;
    unsigned txn, nth;
};

struct state {
    struct cell key[KEYS_MAX];
};

enum kind { READ, WRITE, APPEND, REMOVE, SELECT, INSERT, UPDATE, DELETE };

enum column { COLUMN_V, COLUMN_ID, COLUMN_NAME, COLUMN_AMOUNT, COLUMN_FLAG, COLUMN_COUNT };
enum compared { AT_LEAST, LESS, EQUAL, DIFFERENT, IS_NULL, IS_NOT_NULL, COMPARED_COUNT };

struct term {
    enum column column;
    enum compared compared;
    int constant;
};

struct condition {
    unsigned term_count; /* none: every row */
    bool is_or;
    struct term terms[2];
};

enum telling { ROWS, ORDERED, LIMITED, ORDERED_DOWN, COUNTED, LEAST, SUMMED, TELLING_COUNT };

struct op {
    enum kind kind;
    unsigned key;          /* of a statement: one of its table's */
    struct content answer; /* of an item: read or written */
    struct condition condition;
    enum telling telling;
    unsigned limit;
    bool is_refused, is_unanswered;
    struct state seen; /* before it */
    bool has_row[KEYS_MAX];
    struct content row[KEYS_MAX]; /* what came back, or was written */
    unsigned prefix;
};

struct txn {
    enum { OK, ABORT, UNKNOWN } status;
    bool lands;
    unsigned session, op_count, prefix;
    uint32_t visible;
    unsigned version_count[KEYS_MAX];
    int64_t invoked, completed, last; /* invocation of an operation */
    struct op ops[OPS_MAX];
    int64_t id;
};

/* How what a transaction sees of those before it is drawn. */
enum sight { ALL, SNAPSHOT, PREFIX, SOME, CLOSED, ANEW, SIGHT_COUNT };

struct wild {
    struct dice *dice;
    struct buffer *out;
    enum sight sight;
    enum form form[KEYS_MAX];
    unsigned key_count, txn_count;
    struct content initial[KEYS_MAX];
    struct txn txns[TXNS_MAX];
    unsigned file_order[TXNS_MAX];
    int last_number;
    bool repeats, writes_lists, has_sessions;
    unsigned lies; /* one answer in so many is told otherwise; 0: none */
};

static inline unsigned wild_throw(struct wild *w, unsigned sides)
{
    return dice_throw(w->dice, sides);
}

static inline bool wild_rarely(struct wild *w, unsigned times)
{
    return dice_rarely(w->dice, times);
}

static inline bool wild_lies(struct wild *w)
{
    return w->lies > 0 && wild_rarely(w, w->lies);
}

static inline bool wild_is_row(const struct wild *w, unsigned key)
{
    return w->form[key] >= ROW;
}

/* --- wild.c --- */

bool wild_takes_effect(const struct txn *txn);
bool wild_writes_key(const struct op *op, unsigned key);
/* Which columns a table has: the one of rows names and flags, the other of wide rows amounts. */
enum column wild_real_column(const struct wild *w, unsigned key, enum column column);

/* --- wild_tell.c --- */

/* Which of these a history has, and how much of it is missing (one in so many) or wrong. */
struct extras {
    bool txn_times, op_times, ts, txn_snapshots, op_snapshots, sets, orders;
    unsigned gaps, wrongs; /* 0: none */
};

bool wild_is_missing(struct wild *w, const struct extras *x);
bool wild_is_wrong(struct wild *w, const struct extras *x);
void wild_tell_order(struct wild *w, unsigned key, const struct extras *x);
struct extras wild_plan_extras(struct wild *w);
void wild_tell_txn(struct wild *w, unsigned t, const struct extras *x, bool has_parts);
void wild_tell_header(struct wild *w);

#endif
