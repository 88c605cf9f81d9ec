/*
 * check_private: how checkers add findings and doubts to a check.
 */
#ifndef CHECKERS_CHECK_PRIVATE_H
#define CHECKERS_CHECK_PRIVATE_H

#include "checkers/checker.h"

/* An anomaly, on its way into the check, which takes over the buffers. */
struct discovery {
    enum anomaly kind, proven; /* see struct check_finding */
    const uint32_t *txns;
    size_t txn_count;
    struct buffer why;     /* a sentence */
    struct buffer proof;   /* a member of a JSON object: "cycle":[...]; or empty */
    struct buffer drawing; /* lines, or empty */
};

MUST_USE enum status check_add(struct check *, struct discovery *, struct error *);
/* The same of an anomaly that has one name, here and in the witness. */
MUST_USE enum status check_tell(struct check *, struct discovery, struct error *);

/*
 * For who is about to put a discovery together: true if there are enough of them.
 * Then the verdict is invalid without it, and the check says that there are more.
 */
bool check_is_full(struct check *);

/* Makes the verdict unknown, unless it is invalid. The first reason stays. */
void check_doubt(struct check *, const char *format, ...) PRINTF_LIKE(2, 3);

/* The checker could not judge this statement as a whole. It may say so more than once. */
void check_note_unjudged(struct check *, uint32_t statement);
/* Nor any other that looked for rows and got an answer. */
void check_note_all_unjudged(struct check *, const struct history *);

/* Memory of its own, each byte `fill`. */
MUST_USE enum status check_memory(void **at, size_t count, size_t size, int fill, struct error *);

/* For flags like CHECK_SLOWLY. */
static inline bool check_wants(const struct check_options *options, enum check_flag flag)
{
    return options->flags & flag;
}

/* Whether somebody wants the check to end: asked every few thousand steps. */
static inline bool check_is_stopped(const struct check_options *options)
{
    return options->stop && atomic_load_explicit(options->stop, memory_order_relaxed);
}

/* The most severe finding first, and transactions named as the file that they come from does. */
MUST_USE enum status check_put_in_order(const struct history *, struct check *, struct error *);

#endif
