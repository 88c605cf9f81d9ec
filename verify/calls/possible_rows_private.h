/*
 * possible_rows: what a row may hold in a state, where it is not known which of several things was written.
 *
 *     position   0: a                 initial
 *                4: b or c            transaction 4 has two outcomes
 *                7: d, or nothing     one outcome of transaction 7 writes d, another one does not write the row
 *
 * Contents are offered by row_states_offer(), with the position of who writes them and the outcomes that do. The
 * versions of one position are a group. In a state the row is what the last group up to it says; by outcomes
 * that do not write it, what the group before says; and so on.
 *
 * Where a writer would have too many outcomes it is split: of each row it is known what it may have left of it, but
 * not what of one row goes with what of another.
 */
#ifndef VERIFY_CALLS_POSSIBLE_ROWS_PRIVATE_H
#define VERIFY_CALLS_POSSIBLE_ROWS_PRIVATE_H

#include "verify/calls/row_states_private.h"

#define OUTCOMES_MAX 64   /* bits */
#define SPLIT_CONTENTS_MAX 1024 /* of a row, by one writer that is split */
#define CONTENT_BEFORE UINT32_MAX /* of a row: what the group before says */

/* Of whoever has a position: */
struct possible_writer {
    uint64_t possible; /* outcomes that it may have had */
    uint64_t left;     /* and may have had if the run at hand is what happened */
    bool is_split;     /* it may have left any content of one row with any content of another one */
};

/* Outcomes of one that is split: it has written a row, it has not. A version has both if it always writes the row. */
#define SPLIT_WRITTEN UINT64_C(1)
#define SPLIT_BOTH UINT64_C(3)

struct possible_rows {
    struct row_store *store;
    struct possible_writer *writers; /* by position */
    bool are_known; /* all of them: each position has one outcome; versions may be taken back */
    bool is_serial; /* what outcomes do not tell, but only the versions, is whether a row is written in any case */
};

/* Contents are numbers of versions, counted from 1; 0: absent. */
static inline const struct packed *possible_row(const struct row_entry *entry, uint32_t content)
{
    return content > 0 ? entry->versions[content - 1].row : NULL;
}

/* Whether two rows are the same as far as columns that are not ignored tell. */
bool possible_rows_like(const struct relation *, uint64_t ignored, const struct packed *, const struct packed *);
/* Whether two contents are the same as far as columns that are not ignored tell. */
bool possible_rows_alike(const struct row_entry *, uint64_t ignored, uint32_t, uint32_t);
/* The same of those. */
uint64_t possible_rows_hash(const struct row_entry *, uint64_t ignored, uint32_t content);

/* The first version of the group whose last one is this. */
uint32_t possible_rows_first(const struct row_entry *, uint32_t last);

/* Whether it is split, and whether it then may leave the row as it was. */
bool possible_rows_is_split(const struct possible_rows *, const struct row_entry *, uint32_t last, bool *may_be_before);

/* What a group may leave of the row in the run at hand: what looks alike is one. */
struct possible_option {
    uint32_t content;
    bool is_before; /* nothing: see the group before */
    uint64_t outcomes;
};

/*
 * The group whose last version is number `last`. Returns how many options. `first`: the version behind the group
 * before.
 */
uint32_t possible_rows_options(const struct possible_rows *, const struct row_entry *, uint64_t ignored,
                               uint32_t last, struct possible_option options[OUTCOMES_MAX + 1], uint32_t *first);

/* Whether all outcomes of its writer write the row. */
bool possible_rows_all_write(const struct possible_rows *, const struct row_entry *, uint32_t last);

/* Since which position the row looks as it does in this state, whatever happened. */
uint32_t possible_rows_since(const struct possible_rows *, struct row_entry *, uint64_t ignored, uint32_t state);

/* Whether the row may look like that in a state, in the run at hand, or this is not known. */
bool possible_rows_may_hold(const struct possible_rows *, const struct row_entry *, uint64_t ignored, uint32_t state,
                            uint32_t content);

/* Whether what it is in a state may be what it is in the other one, or like a row, which may be NULL. */
bool possible_rows_may_meet(const struct possible_rows *, const struct row_entry *, uint32_t state, uint32_t other,
                            const struct packed *like);

/*
 * The last state, not after `state`, in which the row may be as it may be in the state `now`. False: there is none.
 * It was there from the beginning. Versions have been offered in the order of their positions.
 */
bool possible_rows_unchanged(const struct possible_rows *, struct row_entry *, uint32_t now, uint32_t *state);

#endif
