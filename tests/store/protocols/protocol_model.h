/*
 * protocol_model: the parts of protocol_fixture: its leaders (protocol_leader.c), its
 * transactions (protocol_txn.c, protocol_commit.c), and the scheduler (protocol_model.c).
 */
#ifndef TESTS_STORE_PROTOCOLS_PROTOCOL_MODEL_H
#define TESTS_STORE_PROTOCOLS_PROTOCOL_MODEL_H

#include "base/random.h"
#include "tests/store/protocols/protocol_fixture.h"

#define MODEL_KEYS_MAX 4 /* of items, and of rows */
#define MODEL_OPS_MAX 4
#define MODEL_SCOPES 5
#define MODEL_ENTRIES_MAX 4096
#define NUMBERS 400 /* values are below */
#define MODEL_TABLE_OF_ROWS 1

struct model;

struct entry {
    enum command_kind kind;
    uint64_t txn, term;
    struct prepare prepare; /* of a PREPARE */
    struct text command;
};

/* A shard, and whoever leads it now. Entries from `applied` on are in flight. */
struct model_shard {
    struct replica replica; /* first: leaders are known to protocols by this */
    struct model *model;
    struct entry entries[MODEL_ENTRIES_MAX];
    uint64_t count, applied, ready_at;
    uint64_t term;
    struct stamp_clock clock;
    int64_t offset_ns;
};

struct model_session {
    struct coordinator coordinator; /* first */
    struct model *model;
    struct stamp_clock clock;
    int64_t offset_ns;
    struct stamp seen;
    uint32_t index;  /* among the sessions */
    uint32_t number; /* in the history: another one after an unknown outcome */
    bool is_busy;
};

enum model_act {
    ACT_READ,
    ACT_WRITE,
    ACT_REMOVE,
    ACT_SELECT,
    ACT_UPDATE,
    ACT_DELETE,
    ACT_INSERT,
    ACT_COUNT
};

struct model_op {
    enum model_act act;
    unsigned key, scope;
    enum row_lock lock;     /* of a read */
    bool is_of_first_table;
};

/* What a key holds: nothing, or a number. */
struct model_cell {
    bool exists;
    int64_t number;
};

enum model_phase {
    PHASE_OPS,
    PHASE_READING,
    PHASE_LOCKING,
    PHASE_PREPARING,
    PHASE_CHECKING,
    PHASE_DECIDING,
    PHASE_RESOLVING,
    PHASE_RELEASING,
    PHASE_OVER
};

struct model_ask {
    struct waiting_ask waiting;
    uint64_t term; /* in which it was asked */
    bool is_open;
};

struct model_txn {
    struct txn txn;
    struct model_session *home;
    enum model_phase phase;
    unsigned op, op_count, sleep;
    struct model_op ops[MODEL_OPS_MAX];
    struct model_ask asks[MODEL_SHARDS_MAX];   /* reads, locks and checks */
    struct waiting_ask shares[MODEL_SHARDS_MAX]; /* prepares */
    uint32_t last_number;
    uint64_t last_serial;
    struct record_op times;              /* of the operation at hand */
    ARRAY(struct seen_key) found;        /* by it */
    uint64_t index[MODEL_SHARDS_MAX];    /* of the log, as it was read there */
    struct row_change rows[MODEL_KEYS_MAX]; /* that it writes, or has selected */
    unsigned row_keys[MODEL_KEYS_MAX], row_count;
    struct model_cell row_cells[MODEL_KEYS_MAX];
    struct model_cell read[2 * MODEL_KEYS_MAX];
    bool is_own[2 * MODEL_KEYS_MAX];
    struct model_cell own[2 * MODEL_KEYS_MAX];
    uint64_t participants, unreleased;
    uint32_t anchor;
    bool is_alone, is_committing;
    struct vote merged;
    struct decision decision;
    bool is_lost; /* its coordinator is gone, and says nothing */
    bool is_told; /* the client knows, or has given up */
};

/* On its way to a transaction. */
struct model_probe {
    struct ask ask;
    struct stamp path[MODEL_TXNS_MAX + 1];
    uint32_t count;
};

struct model {
    struct model_options options;
    struct random random;
    struct pool_memory memory;
    struct pool pool;
    struct arena *arena;
    struct arena scratch; /* of the step at hand */
    struct catalog *catalog;
    uint32_t keys[2 * MODEL_KEYS_MAX]; /* the catalog's: items, then rows */
    unsigned key_count;
    uint32_t scopes[MODEL_SCOPES];
    struct run_record *record;
    struct sometimes sometimes;
    struct model_shard *shards;
    struct model_session sessions[4];
    struct model_txn *txns;
    unsigned txn_count;
    ARRAY(struct model_probe) probes;
    int64_t time_ns;
    bool is_number_used[NUMBERS];
    struct model_counts *counts;
};

static inline bool model_chance(struct model *m, uint64_t numerator, uint64_t denominator)
{
    return random_below(&m->random, denominator) < numerator;
}

/* --- protocol_model.c ------------------------------------------------------------------------- */

struct text model_row_text(struct model *, unsigned key, int64_t number);
int64_t model_number_of(struct text row);
int64_t model_draw_number(struct model *);

/* --- protocol_txn.c --------------------------------------------------------------------------- */

/* Its next step, if it can do any. */
void model_step_txn(struct model *, struct model_txn *);
/* The coordinator is never heard of again; the anchor, in doubt, aborts by itself. */
void model_lose_coordinator(struct model *, struct model_txn *);
void model_take_probe(struct model *, struct model_txn *, const struct model_probe *);
/* The client hears, or gives up; after an unknown outcome it is another session. */
void model_tell(struct model *, struct model_txn *, enum txn_status);
/* It is over for its coordinator; shards that keep something for it hear so. */
void model_finish(struct model *, struct model_txn *);
void model_give_up(struct model *, struct model_txn *);
void model_decide(struct model_txn *, const struct decision *);
void model_abort(struct model *, struct model_txn *);
void model_open_ask(struct model_txn *, uint32_t shard, const struct ask *);
bool model_has_open_asks(const struct model *, const struct model_txn *);
/* One of the shards that have not answered, if its leader may answer now; else NULL. */
struct model_ask *model_draw_ask(struct model *, struct model_txn *, struct model_shard **);
void model_read_is_done(struct model *, struct model_txn *);

/* --- protocol_commit.c ------------------------------------------------------------------------ */

void model_start_commit(struct model *, struct model_txn *);
/* Of all that was read. */
void model_start_check(struct model *, struct model_txn *);
void model_step_check(struct model *, struct model_txn *);
void model_step_prepare(struct model *, struct model_txn *);
void model_step_decide(struct model *, struct model_txn *);
void model_step_resolve(struct model *, struct model_txn *);

/* --- protocol_leader.c ------------------------------------------------------------------------ */

void leader_open(struct model *, struct model_shard *, uint32_t number);
void leader_append(struct model_shard *, const struct shard_command *);
/* The next entry of the log, if there is one. */
void leader_apply(struct model_shard *);
/* Somebody else leads: what is in flight may be lost, what was in memory is. */
void leader_change(struct model_shard *);
/* The state is saved and loaded. */
void leader_reload(struct model_shard *);
/* Whether an entry of this kind for the transaction is in flight. */
bool leader_has(const struct model_shard *, enum command_kind, uint64_t txn);
bool leader_is_ready(const struct model_shard *);
int64_t model_clock(struct model *, int64_t offset_ns);

#endif
