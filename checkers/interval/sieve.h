/*
 * sieve: which accesses of a key times alone settle.
 *
 * Windows only ever narrow. Where, by the times that clients told,
 *
 *     w0 |--|                          all that was written had committed before what is
 *     w1        |--|                   written now began to look, and nothing else of
 *     read            |--|             the key overlaps it,
 *     w2                     |--|
 *
 * a read of w1 is right whatever the instants are, and all that follows from it and from w2 for
 * instants the windows say already. What is left to say are the dependencies of the certifier,
 * w1 -> read -> w2, w1 -> w2. So a key is *quiet* as long as its accesses are like that, one
 * after the other, and the mirror does not see them. When one is not, the mirror is given
 * the key as it is by then, and judges it, until all of its versions but one are past (oldest,
 * collection.c): then it is quiet again.
 *
 * Keys are shared out among several sieves, each with a thread at a time, and there is one
 * mirror, for what is left, with the one certifier. A sieve goes through the same events as the
 * mirror in the same order, and writes down for each access what is to be done (struct sieved).
 *
 * A key stays with the mirror for as long as somebody who read it may hold a lock, and for good
 * once it was written by a transaction of unknown outcome, which may take effect at any time.
 *
 * Nothing is found here. What is settled can be no finding, and where the mirror finds something
 * in what is left the history is judged anew without a sieve, so that findings are told with all
 * that is known of the key, in the same words as by one thread.
 */
#ifndef CHECKERS_INTERVAL_SIEVE_H
#define CHECKERS_INTERVAL_SIEVE_H

#include <stdatomic.h>

#include "checkers/interval/arrival.h"

struct sieve_version {
    struct version version;
    int64_t view_low; /* of who wrote it */
    uint32_t access;  /* of its transaction's, that it was written by */
    uint32_t serial;  /* of the key's */
};

/* What a sieve makes of some transactions, for the mirror to take in the same order. */
struct sieved {
    ARRAY(uint64_t) words;
    ARRAY(struct sieve_version) versions; /* of keys that the mirror is given, the oldest first */
    ARRAY(struct reader) readers;         /* of them: `version` is a place among these */
    size_t next_word, next_version, next_reader;
    ARRAY(uint32_t) places; /* the mirror's, of the versions that it was given last */
};

/* Of all sieves. */
struct sieved_keys {
    struct sieved *parts;
    unsigned part_count; /* a key is of the part of its number, modulo this */
};

struct sieve_txn {
    int64_t id;
    struct times at, commit, view;
    const struct access *accesses;
    uint32_t access_count, number;
    uint8_t status;
    bool is_installed, is_judged;
};

struct sieve_reader {
    uint64_t txn;
    int64_t view_high, commit_high;
    uint32_t access, serial; /* of the version that was read */
    bool is_updated, is_overwritten;
};

/* Installations that are about as old as the oldest that are still asked for. */
struct sieve_crowd {
    uint32_t count;
    int64_t high;
};

struct sieve_key {
    uint32_t newest, next_serial; /* versions; of a quiet key one comes behind the other */
    bool is_known, is_mirrored;
    int64_t settled;      /* by then all that was committed had been, and locks given back */
    int64_t locked_until; /* so long somebody may hold a lock to read */
    struct sieve_crowd crowds[2];
    struct sieve_reader *readers; /* in the order in which they were judged */
    uint32_t reader_count, reader_room;
};

struct sieve {
    const struct mirror *mirror; /* its profile alone */
    unsigned part, part_count;
    struct agenda events;
    ARRAY(struct sieve_txn) txns;
    uint64_t first; /* the number of the first of them */
    int64_t oldest;
    ARRAY(struct sieve_key) keys;
    ARRAY(struct sieve_version) versions;
    ARRAY(uint32_t) free_versions;
    ARRAY(uint64_t) dependencies; /* of the access that is looked at */
    const atomic_uint_least64_t *gone_before; /* the mirror has no such transactions any more */
    struct sieved *out;
    bool has_given_up; /* a key is too crowded: the mirror alone decides */
};

/* Whether times settle much: not where reads lock, or windows say nothing. */
bool sieve_is_of_use(const struct profile *);

MUST_USE enum status sieve_init(struct sieve *, const struct mirror *, const struct history *,
                                unsigned part, unsigned part_count,
                                const atomic_uint_least64_t *gone_before, struct error *);
void sieve_close(struct sieve *);

/* The next transaction has come: what is before is judged first. */
MUST_USE enum status sieve_pass(struct sieve *, const struct arrival *, struct sieved *out,
                                struct error *);
MUST_USE enum status sieve_end(struct sieve *, struct sieved *out, struct error *);

void sieved_clear(struct sieved *);
void sieved_close(struct sieved *);
/* The mirror's turn: whether the access is settled; else the mirror has the key by now. */
MUST_USE enum status sieved_access(struct mirror *, const struct live *, uint32_t access,
                                   bool *is_settled, struct error *);

#endif
