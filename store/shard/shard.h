/*
 * shard: the state that a shard's log makes; the same on every replica.
 *
 *     PREPARE ─ validate ─┬─ accepted: `prepared`, at P > floor ── outcome ──> versions
 *                         └─ refused: an outcome at once
 *
 *     floor     no prepare from now on gets a stamp at or below it
 *     ceiling   reads may be served up to here, by whoever leads or has led
 *     horizon   nobody reads below it, and prepares of transactions begun below
 *               it are refused: so outcomes and old versions can be forgotten
 *
 * A pure function of the commands applied: no clock, no draw, no role. Of a
 * transaction that has an outcome here, later prepares are refused and the same
 * outcome does nothing. The anchor's outcome is *the* outcome, and is kept at
 * least until all participants have applied it (FORGET).
 */
#ifndef STORE_SHARD_SHARD_H
#define STORE_SHARD_SHARD_H

#include "store/shard/shard_message.h"
#include "store/bugs.h"
#include "store/shard/outcomes.h"
#include "store/clients/record.h"
#include "store/sometimes.h"
#include "store/shard/versions.h"

struct protocol;

/* Which keys a prepare reads and writes, a bit each by hash: no common bit, no common key. */
struct footprint {
    uint64_t reads, writes;
};

/* Accepted and undecided. The arrays of `prepare` are its own. */
struct prepared {
    struct prepare prepare;
    struct vote vote;
    uint64_t index, term; /* of its log entry */
    struct footprint footprint;
    size_t size; /* of all of it in the pool */
    /* A leader's notes, no part of the state: since when it is in doubt, when it asked last. */
    int64_t since_ns, asked_ns;
};

/* Those that were installed last, so that who looks back a little need not look through tables. */
#define SHARD_RECENT 1024

struct installed {
    uint64_t index;
    uint32_t key;
};

struct shard {
    uint32_t number;
    const struct protocol *protocol;
    struct catalog *catalog;
    struct pool *pool;
    const struct bugs *bugs;
    struct sometimes *sometimes;
    struct record *record; /* the certificate is exported as decisions are applied; NULL: is not */
    struct versions versions;
    VECTOR(struct prepared *) prepared; /* in the order of the log */
    struct outcomes outcomes;
    struct stamp floor, ceiling, horizon;
    uint64_t applied;                   /* index of the last command */
    uint64_t last_commit;               /* index of the last entry that installed a version */
    struct installed *recent;           /* a ring of SHARD_RECENT */
    uint64_t recent_count;              /* ever */
    uint64_t recent_from;               /* of entries behind this one, all are in the ring */
    void *state;                        /* the protocol's own, replicated: see protocol.h */
};

/* Without rows: the run's initial rows of the shard are placed before the first entry. */
void shard_init(struct shard *, uint32_t number, const struct protocol *, struct catalog *,
                const struct bugs *, struct sometimes *, struct record *, struct pool *);
void shard_place_row(struct shard *, uint32_t key, struct text row);
/* Back to how shard_init() left it. */
void shard_reset(struct shard *);
void shard_apply(struct shard *, uint64_t index, uint64_t term, struct text command,
                 struct arena *scratch);
/* The same, taken apart already. */
void shard_apply_command(struct shard *, uint64_t index, uint64_t term, const struct command *);
/* Equal states have equal bytes. What is loaded takes the place of all. */
void shard_save(const struct shard *, struct writer *);
void shard_load(struct shard *, uint64_t index, struct text state, struct arena *scratch);

struct prepared *shard_find_prepared(const struct shard *, uint64_t txn);
struct outcome *shard_find_outcome(const struct shard *, uint64_t txn);
/* A transaction begun then, that is not known here, may have been forgotten. */
static inline bool shard_is_too_old(const struct shard *s, struct stamp begin)
{
    return stamp_less(begin, s->horizon);
}
/* Nobody may prepare who has begun, or has read, below the horizon. */
static inline bool shard_refuses_age(const struct shard *s, const struct prepare *p)
{
    return shard_is_too_old(s, p->begin) ||
           (!stamp_is_zero(p->snapshot) && shard_is_too_old(s, p->snapshot));
}
/* Of votes that accept: what the protocol makes of them; in one place for all who decide. */
struct decision shard_conclude(const struct protocol *, const struct prepare *,
                               const struct vote *merged);

/* --- What protocols ask of it ----------------------------------------------------------------- */

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

struct party party_of(const struct prepare *, struct stamp at);
/*
 * Whether the two conflict in one of these ways. A scope meets a change if it matches the row
 * after it, or the row that the reader finds without it: see shard_touches().
 */
bool shard_meet(const struct shard *, const struct party *new_one, const struct party *other,
                unsigned ways);
/* The same of two that look at the newest versions. */
bool shard_conflicts(const struct shard *, const struct prepare *new_one,
                     const struct prepare *other, unsigned ways);
struct footprint footprint_of(const struct prepare *);
/* The first prepared one that conflicts, or NULL. */
const struct prepared *shard_conflict(const struct shard *, const struct prepare *, unsigned ways);
/* The change of this key in a prepare, or NULL. */
const struct row_change *prepare_change(const struct prepare *, uint32_t key);
/* Whether the version is a row that matches the scope; NULL is none. */
bool shard_matches(const struct shard *, uint32_t scope, const struct version *);
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
/* No newest version of a written key is above the stamp (first committer wins). */
bool shard_writes_are_above(const struct shard *, const struct prepare *, struct stamp);

/* The rows of a scope at a stamp, for answers: calls back for each that matches. */
void shard_scan(const struct shard *, uint32_t scope, struct stamp at,
                void (*row)(void *context, uint32_t key, const struct version *), void *context);

#endif
