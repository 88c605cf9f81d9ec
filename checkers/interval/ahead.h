/*
 * ahead: transactions of a history made ready by several threads, before the mirror takes them in
 * turn.
 *
 *     in the order of invocation   | piece 0 | piece 1 | piece 2 | piece 3 | ...
 *     one thread                                being made
 *     another                                             being made
 *     the mirror                   being taken
 *
 *     TRY(ahead_init(&ahead, h, m, sorted, threads, err));
 *     while (ahead_next(&ahead, &arrival, err) == STATUS_OK && arrival)
 *         ... arrival_take(m, arrival, err) ...
 *     ahead_close(&ahead);
 *
 * Transactions are examined first: one that cannot be judged is refused in its turn.
 *
 * Where times settle most, pieces pass through sieves as well, each for the keys that are its own
 * (sieve.h), one piece after the other.
 *
 * What a piece comes to is a function of the history and the mirror's profile, so that it does not
 * matter who makes it nor when; and it is the mirror alone, in one thread, that finds anything,
 * so that findings are the same, in the same words, whatever the number of threads. Who
 * takes makes pieces, too, while there is nothing to take: of one thread it is all that is done.
 */
#ifndef CHECKERS_INTERVAL_AHEAD_H
#define CHECKERS_INTERVAL_AHEAD_H

#include <pthread.h>

#include "checkers/interval/sieve.h"
#include "checkers/interval/traces.h"

struct invoked {
    int64_t at;
    uint32_t txn;
};

/* Some transactions that follow each other. */
struct ahead_piece {
    struct access_block *block; /* NULL once all have been taken */
    struct arrival *arrivals;
    size_t count, taken;
    struct sieved_keys sieved;
    unsigned sieved_count; /* parts */
    bool is_made;
    bool is_given_up; /* by a sieve */
    enum status status; /* of who made it, like the next */
    struct error err;
};

struct ahead_sieve {
    struct sieve sieve;
    size_t next; /* piece */
    bool is_busy;
};

struct ahead_worker {
    struct ahead *ahead;
    struct traces traces;
    struct own_writes own;
    pthread_t thread; /* of all but the first, which is the caller's */
};

struct ahead {
    const struct history *history;
    struct mirror *mirror;
    const struct invoked *sorted;
    size_t piece_count;
    struct ahead_piece *pieces; /* by number, modulo how many fit: those that are not yet taken */
    size_t room;
    struct ahead_worker *workers;
    unsigned worker_count;
    struct ahead_piece *current; /* is being taken; NULL: none is */
    struct ahead_sieve *sieves;
    unsigned sieve_count; /* 0: the mirror judges all */
    atomic_uint_least64_t gone_before;
    /* What threads share, and what they wait for. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t next, taken; /* pieces: the next to be made, and to be taken */
    bool is_over;
};

/* Closed by ahead_close(), also after a failure. Of the history no statements are passed on. */
MUST_USE enum status ahead_init(struct ahead *, const struct history *, struct mirror *,
                                const struct invoked *sorted, unsigned threads, bool is_sieving,
                                struct error *);
void ahead_close(struct ahead *);

/*
 * The next in turn, the caller's from now on; good until the next call. NULL: that was the last,
 * and what the mirror has still to do it does before this is closed.
 */
MUST_USE enum status ahead_next(struct ahead *, const struct arrival **, struct error *);

/* A sieve does not know any further: all is to be judged without. */
bool ahead_is_given_up(const struct ahead *);

#endif
