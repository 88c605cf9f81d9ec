/*
 * foreign_private: what the formats of other tools share: how they tell what a file loses, how they number keys, and
 * sessions one after another.
 */
#ifndef HISTORY_FOREIGN_FOREIGN_PRIVATE_H
#define HISTORY_FOREIGN_FOREIGN_PRIVATE_H

#include "history/foreign/draft_private.h"
#include "history/foreign/edn_private.h"
#include "history/foreign/foreign.h"

/* The first line that is not empty. */
struct text foreign_first_line(struct text beginning);
/*
 * What no format of items carries: statements are refused, times, certificates and the like
 * noted. Each format notes what else it leaves out.
 */
MUST_USE enum status foreign_examine(const struct history *, uint32_t *losses, struct error *);
/*
 * Keys of many formats are numbers. They keep theirs if every key of the history is one, from
 * `min` on; otherwise they are numbered in their order, which is a loss.
 */
struct key_numbers {
    bool is_anew;
};

struct key_numbers foreign_key_numbers(const struct history *, int64_t min, uint32_t *losses);
int64_t foreign_key_number(struct key_numbers, const struct history *, uint32_t key);
/* The error is about the line that the source gave last. Returns the error's status. */
enum status foreign_at_line(const struct source *, struct error *);
/*
 * In many formats every key begins with 0: a history where one begins otherwise is refused, and
 * that one begins with nothing is lost.
 */
MUST_USE enum status foreign_examine_zeros(const struct history *, uint32_t *losses,
                                           struct error *);

/* The transactions of each session together. */
struct by_session {
    uint32_t *start; /* by session, and one more */
    uint32_t *txns;
};

/* Closed by foreign_by_session_close(), also after a failure. */
MUST_USE enum status foreign_by_session(struct by_session *, const struct history *,
                                        const bool *has_txn, struct error *);
void foreign_by_session_close(struct by_session *);

/* Gives what was put together to the sink, if it is much, or `at_once`. */
MUST_USE enum status foreign_flush(struct buffer *, struct sink *, bool at_once, struct error *);

#endif
