/*
 * linear_search: what the search and its moves have in common; see linear_search.c.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_SEARCH_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_SEARCH_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

struct move {
    int64_t soonest; /* then: sooner */
    uint32_t call;
    uint8_t rank; /* lower is tried sooner */
};

/* One who took effect, and what comes next. */
struct stage {
    uint32_t state, front;    /* before */
    uint32_t made_start;      /* in `made`: what took effect on this stage */
    uint32_t move_start, move_end, move; /* in `moves` */
};

struct tried {
    uint64_t first, second;
};

struct search {
    struct task *task;
    struct linear_result *result;
    uint32_t *next, *previous; /* by call, and one more for both ends: those to come */
    uint32_t *by_end;          /* calls that must take effect, as they complete */
    uint32_t must_count;
    bool *is_made;
    uint32_t state, front; /* now */
    uint64_t first, second;
    ARRAY(struct stage) stages;
    ARRAY(uint32_t) made;
    ARRAY(struct move) moves;
    struct tried *tried;
    size_t tried_count, tried_room;
    uint64_t scan, steps, rounds;
    uint32_t furthest; /* front */
    uint32_t needs;    /* still to come: calls that need something */
    bool has_appends, is_overwritten;
    bool gives_up;
};

/* --- linear_moves.c ----------------------------------------------------------------- */

/* Counts a call among those to come, or (with the opposite number) no more. */
void search_count(struct search *, uint32_t call, uint32_t by);
/* It takes effect; and back, in the opposite order. The state is the caller's. */
void search_make(struct search *, uint32_t call);
void search_unmake(struct search *, uint32_t call);
MUST_USE enum status search_note_made(struct search *, uint32_t call, struct error *);
/* Nothing that was invoked later may take effect yet. */
int64_t search_limit(const struct search *);
/* What the call leaves behind here. */
uint32_t search_effect(const struct search *, const struct call *);
bool search_is_blind(const struct call *);
/* Reads that find what they need. */
MUST_USE enum status search_make_reads(struct search *, struct error *);
/* Before a blind write: writes that it may hide. */
MUST_USE enum status search_make_useless(struct search *, uint32_t but, struct error *);
/* What may come next, the likeliest first. */
MUST_USE enum status search_list_moves(struct search *, struct stage *, struct error *);

#endif
