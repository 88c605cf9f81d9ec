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

/* What all shards of a run share. */
struct shard_setting {
    const struct protocol *protocol;
    struct catalog *catalog;
    const struct bugs *bugs;
    struct sometimes *sometimes;
    struct run_record *record; /* to which decisions are exported as they are applied; NULL: none */
};

struct shard {
    uint32_t number;
    const struct protocol *protocol;
    struct catalog *catalog;
    struct pool *pool;
    const struct bugs *bugs;
    struct sometimes *sometimes;
    struct run_record *record; /* see struct shard_setting */
    struct stored_versions versions;
    ARRAY(struct prepared *) prepared; /* in the order of the log */
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
void shard_init(struct shard *, uint32_t number, const struct shard_setting *, struct pool *);
void shard_place_row(struct shard *, uint32_t key, struct text row);
/* Back to how shard_init() left it. */
void shard_reset(struct shard *);
void shard_apply(struct shard *, uint64_t index, uint64_t term, struct text command,
                 struct arena *scratch);
/* The same, taken apart already. */
void shard_apply_command(struct shard *, uint64_t index, uint64_t term,
                         const struct shard_command *);
/* Equal states have equal bytes. What is loaded takes the place of all. */
void shard_save(const struct shard *, struct wire_writer *);
void shard_load(struct shard *, uint64_t index, struct text state, struct arena *scratch);

struct prepared *shard_find_prepared(const struct shard *, uint64_t txn);
struct shard_outcome *shard_find_outcome(const struct shard *, uint64_t txn);
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

#endif
