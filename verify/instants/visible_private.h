/*
 * visible: which versions of a key a read, or a look, may have seen, by what is known.
 *
 *     there     installed before it could see
 *     future    not yet installed when it could see for the last time
 *     hidden    another that is there comes behind it
 *
 *     w0 |--|                            hidden by w1
 *     w1      |---|                      it may see this one
 *     w2         |---|                   or this one: nobody knows which was later
 *     sight          |--|
 *     w3                 |---|           future
 */
#ifndef VERIFY_INSTANTS_VISIBLE_PRIVATE_H
#define VERIFY_INSTANTS_VISIBLE_PRIVATE_H

#include "verify/instants/known_private.h"

/* A read of a key, or a look at one. */
struct visible_reader {
    uint32_t txn, head; /* the operation as witnesses name it */
    uint32_t op;        /* the row, the item operation; or the head: it is a look */
    uint32_t key;
    bool is_look;
    bool is_strict; /* as of one instant: otherwise the point is none */
    bool is_early;  /* a look as of any time before its answer, whatever its view is */
    uint64_t point; /* its view */
};

/*
 * When it sees, and what hides older versions. Of `by_end` those from `from` on and before `end` can
 * have been seen by their first windows, which steps can only have narrowed.
 */
struct visibility {
    const struct known *k;
    const struct visible_reader *reader;
    struct window sight;
    int64_t sent_by;       /* what it saw had been sent by then */
    int64_t hidden_before; /* what was installed before that is hidden */
    bool has_floor;        /* something is there: so the initial version is hidden */
    uint64_t from, end;
    uint64_t next; /* of visible_next() */
    bool has_begun;
};

/* Until something becomes known. */
MUST_USE enum status visible_begin(struct visibility *, const struct known *,
                                   const struct visible_reader *, struct error *);

/* To go through all that may be seen: the next version, or VERSION_INITIAL; false: there is none. */
MUST_USE enum status visible_begin_all(struct visibility *, const struct known *,
                                       const struct visible_reader *, struct error *);
bool visible_next(struct visibility *, uint32_t *version);

/* Of versions, or VERSION_INITIAL. */
struct window visible_is_installed(const struct known *, uint32_t version);
bool visible_precedes(const struct known *, uint32_t, uint32_t);
bool visible_counts(const struct known *, uint32_t);

/*
 * Whether it may have passed over a version that was there, for one that is as good: by times alone no
 * read of a key misses its past, but a look may miss what changed no answer.
 */
bool visible_may_pass_over(const struct known *, const struct visible_reader *);

bool visible_is_there(const struct visibility *, uint32_t version);
/* Likewise, and it was not passed over. */
bool visible_is_surely_seen(const struct visibility *, uint32_t version);
/* It comes behind the view: installed behind it, as known by an order or by times. */
bool visible_is_behind(const struct visibility *, uint32_t version);
/* Or it was only sent when the read was over. A look at the commit is over at the commit. */
bool visible_is_future(const struct visibility *, uint32_t version);
bool visible_may_be_seen(const struct visibility *, uint32_t version);

#endif
