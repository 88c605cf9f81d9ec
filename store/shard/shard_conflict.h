/*
 * shard_conflict: the functions of a shard's state for protocols: conflicts between transactions, and
 * whether reads are still current.
 */
#ifndef STORE_SHARD_SHARD_CONFLICT_H
#define STORE_SHARD_SHARD_CONFLICT_H

#include "store/shard/shard.h"

/* How two undecided or one decided and one new transaction can be in each other's way. */
enum conflict {
    CONFLICT_WRITE_WRITE = 1,
    CONFLICT_READ_WRITE = 2, /* the new one reads, by key or scope, what the other writes */
    CONFLICT_WRITE_READ = 4, /* the new one writes what the other reads */
};

/* One of two transactions: what it reads and writes, and where its scopes look. */
struct party {
    const struct prepare *prepare;
    struct footprint footprint;
    struct stamp at; /* stamp_never(): at the newest versions */
};

struct party shard_party(const struct prepare *, struct stamp at);
/*
 * Whether the two conflict in one of these ways. A scope meets a change if it matches the row
 * after it, or the row that the reader finds without it: see shard_touches().
 */
bool shard_meet(const struct shard *, const struct party *new_one, const struct party *other,
                unsigned ways);
struct footprint shard_footprint(const struct prepare *);
/* The first prepared one that conflicts, or NULL. */
const struct prepared *shard_conflict(const struct shard *, const struct prepare *, unsigned ways);
/* The change of this key in a prepare, or NULL. */
const struct row_change *shard_change_of(const struct prepare *, uint32_t key);
/* Whether the version is a row that matches the scope; NULL is none. */
bool shard_matches(const struct shard *, uint32_t scope, const struct stored_version *);
/*
 * Whether a change of the key to the row (NULL: none) can change what a reader at the stamp finds in
 * the scope: it matches the row after the change, or the version at the stamp, which the change
 * would hide. The newest version is another one where the reader looks below it: under rc writes
 * that do not read are in nobody's way, so one that is prepared may stand below one that has
 * committed meanwhile. Of several undecided changes of a key each is asked about alone: whichever
 * of them commit, if neither what is there nor any of their rows matches, the reader finds nothing.
 * Protocols that keep undecided changes of a key apart (mvto, 2pl, occ, ssi) may ask for the row
 * before a change that has no place yet by stamp_never(): there it is the newest version.
 */
bool shard_touches(const struct shard *, uint32_t scope, uint32_t key, const struct text *after,
                   struct stamp at);

/* Newest versions equal what was seen: of every key; false at the first that is not. */
bool shard_keys_are_current(const struct shard *, const struct prepare *);
/* No version installed behind the index that was seen matches, by either image. */
bool shard_scopes_are_current(const struct shard *, const struct prepare *);

/* The rows of a scope at a stamp, for answers: calls back for each that matches. */
void shard_scan(const struct shard *, uint32_t scope, struct stamp at,
                void (*row)(void *context, uint32_t key, const struct stored_version *),
                void *context);

#endif
