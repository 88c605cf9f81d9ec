/*
 * generator_private: what the parts of the generator share.
 *
 *     generate.c    the loop over virtual time
 *     execute.c     runs one transaction on the versions, at a place its level allows
 *     emit.c        hands it to the builder, in the order of invocations
 *     plant.c       runs the transactions that carry an anomaly
 *
 * An actor is a session, or one planted transaction. It is invoked, and gets the
 * next transaction id and a record; later it commits, and its record is filled.
 * Records stand in a ring by id, and leave it for the builder from the lowest:
 *
 *     emitted | 81 done | 82 running | 83 done | 84 running | not invoked yet
 *
 * Commits stand on ticks, at most one a tick. A place is an instant of the same
 * virtual time: that of the commit, or, earlier than it, one between two ticks.
 */
#ifndef PROGRAMS_GENERATOR_GENERATOR_PRIVATE_H
#define PROGRAMS_GENERATOR_GENERATOR_PRIVATE_H

#include "base/array.h"
#include "base/random.h"
#include "history/builder.h"
#include "programs/generator/generate.h"
#include "programs/generator/level_rules_private.h"
#include "programs/generator/plant.h"
#include "programs/generator/versions_private.h"
#include "programs/workloads/workload.h"

#define PLACE_NONE INT64_MIN
#define KEY_COLUMN "id"
#define VALUE_COLUMN "v"
#define TAG_COLUMN "tag" /* a value of its own for each write */

/* In ticks. */
#define WINDOW_TICKS 128 /* how far back an earlier place may be */
#define DURATION_TICKS_MIN 16
#define DURATION_TICKS_MAX 48
#define THINKING_TICKS_MAX 8
#define REPLY_TICKS_MAX 4

#define REPLICAS_MAX 4

/* Lists are retired when they are so long, so that a history grows as its operations. */
#define LIST_LENGTH_MAX 32

/*
 * A value as it will be handed over: values are numbered by the builder, in the
 * order of the file, which is not the order of commits.
 */
struct generated_txn {
    enum value_kind kind;
    int64_t number, tag;                   /* of an integer it; of a row its columns v and tag */
    uint32_t element_start, element_count; /* of a list: of its record's elements */
};

/* What a read has seen: the transaction's own write, by number from 1, else a version. */
struct seen {
    uint32_t own, version;
};

struct effect_row {
    uint32_t key;
    struct seen seen;
    struct generated_txn value;
};

/* What one operation did. */
struct effect {
    enum op_kind kind;
    uint32_t slot, key;
    struct seen seen;
    struct generated_txn value; /* of an aggregate too */
    int64_t seen_at;    /* it cannot have ended before this instant */
    int64_t snapshot;   /* its own, or PLACE_NONE */
    bool has_source;    /* then its version set is: */
    struct version_name source;

    /* Of statements. */
    const char *column, *aggregate; /* asked for; NULL: none */
    int64_t low, high;              /* of the column */
    uint32_t row_start, row_count;
};

struct record {
    uint32_t id;
    uint32_t session;
    enum txn_status status;
    bool is_done;
    int64_t invoked, committed, completed;
    int64_t place, snapshot; /* snapshot: PLACE_NONE if it has none */
    struct effect *effects;
    unsigned effect_count;
    ARRAY(struct effect_row) rows;
    ARRAY(int64_t) elements; /* of the lists it read */
};

enum stage { STAGE_IDLE, STAGE_THINKING, STAGE_RUNNING };

struct actor {
    uint32_t session;
    uint32_t id; /* of the running transaction */
    enum stage stage;
    bool is_held;       /* it begins nothing more until the plant is through */
    int64_t free_at;    /* its last transaction had completed */
    int64_t last_place; /* of its session's last transaction */
};

/* Who does something next, in virtual time. */
struct generator_event {
    int64_t at; /* nanoseconds */
    uint32_t actor;
};

/*
 * A binary heap of at most one event for each actor. Ties go to the lower actor, so that the order of
 * pushing is of no matter.
 */
struct generator_events {
    ARRAY(struct generator_event) heap;
};

struct own_write {
    uint32_t slot, nth;
    int64_t number, tag;
};

/* For each replica, up to which place its transactions have come here. */
struct generated_replica {
    int64_t seen_until[REPLICAS_MAX];
};

/* The transactions that carry the anomaly. */
struct plant {
    const struct plant_script *script; /* NULL: none */
    uint64_t after_commits;            /* then the plant begins */
    bool has_begun;
    unsigned idle_count, invoked_count;
    uint32_t sessions[PLANTED_MAX]; /* by the script's sessions */
    uint32_t ids[PLANTED_MAX];
    uint32_t first_key, key_count;
    int64_t start, end, number; /* number: values are above it */
};

struct generator {
    const struct workload *workload;
    const struct generate_options *options;
    struct level_rules rules;
    struct draw draw;
    int64_t tick, window;
    int64_t last_commit;
    uint64_t commits, left_to_begin;
    uint32_t last_id;

    struct random program, times, latencies, staleness;
    struct random_key parts; /* which transactions see which, at read-atomic */

    struct actor *actors;
    uint32_t session_count;
    struct generator_events events;
    struct versions versions;
    struct generated_replica replicas[REPLICAS_MAX];
    uint32_t replica_count;

    struct record *ring;
    uint32_t ring_size, emitted; /* emitted: the id last handed over */

    struct mix_step *steps;
    ARRAY(struct own_write) own;
    int64_t last_tag;
    uint32_t next_list;

    struct plant plant;

    struct builder builder;
    uint32_t table;
    struct buffer text;
    ARRAY(uint32_t) key_numbers; /* by key: the builder's, or HISTORY_NONE */
    ARRAY(uint32_t) written;     /* keys, in the order of their versions, */
    ARRAY(uint32_t) writers;     /* and beside them the transactions */
};

static inline struct record *generator_record(const struct generator *g, uint32_t id)
{
    return &g->ring[id & (g->ring_size - 1)];
}

static inline int64_t generator_round_up(const struct generator *g, int64_t instant)
{
    return (instant + g->tick - 1) & ~(g->tick - 1);
}

/* The key's number as rows and texts have it: ordinary keys stand around the plant's. */
static inline uint32_t generator_key(const struct generator *g, uint32_t slot)
{
    uint32_t key = g->versions.slots[slot].key;

    if (g->workload->shape == SHAPE_LISTS || key < g->plant.first_key)
        return key;
    return key + g->plant.key_count;
}

/* --- plant.c --- */

MUST_USE enum status plant_init(struct generator *, const struct random_key *, struct error *);
/* Called after each commit: whether sessions are to be held from now on, and holds them. */
void plant_watch(struct generator *);
/* When a held session falls idle. Sets the plant's actors going once all have. */
void plant_note_idle(struct generator *);
/* A planted actor is invoked; with the last of them, all their records are filled. */
MUST_USE enum status plant_invoke(struct generator *, struct actor *, struct error *);

/* --- generate.c --- */

/* There is room for it. */
void generator_push_event(struct generator_events *, struct generator_event);
/* Sends a session off to its next transaction, if any is left. */
void generator_begin_next(struct generator *, uint32_t actor);

#endif
