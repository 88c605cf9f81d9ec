/*
 * builtin_private: what the workloads are made of, for programs/builtin*.c.
 *
 * A transaction is a number of steps; a step makes one or more requests, its
 * parts. All draws of a step are numbered, so that a plan needs no memory: it is
 * drawn again whenever somebody asks for it.
 */
#ifndef PROGRAMS_WORKLOADS_BUILTIN_PRIVATE_H
#define PROGRAMS_WORKLOADS_BUILTIN_PRIVATE_H

#include "programs/workloads/builtin.h"

/* What is drawn for a step, or for the transaction as a whole. */
enum builtin_draw {
    DRAW_LENGTH,
    DRAW_ABORT,
    DRAW_KIND,
    DRAW_DELETE,
    DRAW_DEPOSIT,
    DRAW_RANGE,
    DRAW_KEY,
    DRAW_WHICH, /* of what the key stands for; where a range begins */
    DRAW_NUMBER,
    DRAW_REPEATED,
    DRAW_BLIND,
    DRAW_REBORN,
    DRAW_COUNT
};

/* The step of draws for the whole transaction. */
#define STEP_OF_ALL 8191

/* Functions that may be NULL say what it means. */
struct builtin_behaviour {
    /* NULL: parameters need nothing but their ranges. */
    enum status (*check)(const struct builtin_options *, struct error *);
    /* How many there are to choose from; NULL: keys. */
    uint32_t (*choices)(const struct builtin_options *);
    /* Sets mode and step_count; NULL: as many steps as operations were drawn. */
    void (*begin)(struct builtin_txn *);
    struct builtin_request (*next)(const struct builtin_txn *);
    /* Goes on to the next part or step. NULL: every step is one request. */
    void (*answer)(struct builtin_txn *, const struct builtin_row *, uint64_t count);
    /* Its operations, written down. NULL: every step's request is one. */
    void (*list)(const struct builtin_txn *, struct listed *);
    /* NULL: nothing is loaded. */
    uint64_t (*initial_count)(const struct builtin *);
    struct builtin_row (*initial)(const struct builtin *, uint64_t index);
    /* NULL: what is read cannot break anything. */
    bool (*saw_broken)(const struct builtin_txn *, struct buffer *);
    /* NULL: outcomes need not be remembered. */
    enum status (*tally)(struct builtin_tally *, const struct builtin_txn *, bool acknowledged,
                         struct error *);
    /* NULL: there is no invariant. */
    bool (*holds)(struct builtin_tally *, const struct builtin_row *, uint64_t count,
                  struct buffer *);
};

/* --- Parameters ------------------------------------------------------------------------------- */

int64_t builtin_option(const struct builtin_options *, enum builtin_parameter);

/* --- Draws ------------------------------------------------------------------------------------ */

uint64_t builtin_below(const struct builtin_txn *, uint32_t step, enum builtin_draw,
                       uint64_t bound);
/* True for so many of a hundred steps. */
bool builtin_percent(const struct builtin_txn *, uint32_t step, enum builtin_draw,
                     enum builtin_parameter);
/* By read_percent, of a step or of the whole transaction. */
bool builtin_only_reads(const struct builtin_txn *, uint32_t step);
/* A slot by the workload's choice; and the key that stands in a slot by now. */
uint32_t builtin_slot(const struct builtin_txn *, uint32_t step, enum builtin_draw);
uint64_t builtin_key_of_slot(const struct builtin_txn *, uint32_t slot);
/* From 1 to the parameter `amount`. */
int64_t builtin_amount(const struct builtin_txn *, uint32_t step);
/* What a write of this step sets: unique, or one that repeats. */
int64_t builtin_value(const struct builtin_txn *, uint32_t step);

/* --- Requests and answers --------------------------------------------------------------------- */

struct builtin_request builtin_read(uint64_t key);
/* Of a row, or of an item, which has no use for the tag. */
struct builtin_request builtin_write(const struct builtin_txn *, uint64_t key, int64_t value);
struct builtin_request builtin_range(enum builtin_request_kind, enum builtin_column, int64_t low,
                                     int64_t high);

/* The row that a READ must have found; else the transaction gives up. */
int64_t builtin_take(struct builtin_txn *, const struct builtin_row *, uint64_t count);
void builtin_end_part(struct builtin_txn *);
void builtin_end_step(struct builtin_txn *);

/* --- The first state and the last ------------------------------------------------------------- */

extern const struct builtin_table builtin_accounts;

/* Every key from 0 on, with the value 0, or with the parameter `balance`. */
uint64_t builtin_initial_keys(const struct builtin *);
struct builtin_row builtin_initial_zero(const struct builtin *, uint64_t index);
struct builtin_row builtin_initial_balance(const struct builtin *, uint64_t index);
/* Whether there are as many rows as keys, which nobody adds to or deletes. */
bool builtin_has_all_keys(const struct builtin *, uint64_t count, struct buffer *sentence);

/* Defaults of every workload: how keys are chosen, how many are hot, and nobody aborts. */
#define BUILTIN_USUAL(choice, hot_keys)                                                            \
    [PARAMETER_CHOICE] = (choice), [PARAMETER_THETA] = "0.99", [PARAMETER_HOT_KEYS] = (hot_keys),  \
    [PARAMETER_HOT_SHARE] = "0.9", [PARAMETER_ABORT_PERCENT] = "0"

/* Counts a key or an element that was written, as acknowledged or as unknown. */
MUST_USE enum status builtin_tally_note(struct builtin_tally *, uint64_t number, bool acknowledged,
                                        struct error *);

#endif
