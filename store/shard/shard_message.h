/*
 * shard_message: what coordinators and shards ask of shards, and what they answer; and the
 * commands in a shard's log. All of it as bytes and back.
 *
 *     coordinator ── READ, LOCK ──────────> leader of a shard
 *                 ── PREPARE ─────────────> leader of each shard touched
 *                 ── CHECK ───────────────> (another look at what was read)
 *                 ── DECIDE ──────────────> leader of the anchor, one of the shards
 *     anchor      ── RESOLVE ─────────────> leaders of the other participants
 *     in doubt    ── INQUIRE ─────────────> leader of the anchor
 *
 * Every ask may be repeated: who is asked finds in its state that it has been done,
 * and answers the same. An ask is answered, refused with REFUSED_NOT_LEADER, or
 * waits at the leader.
 */
#ifndef STORE_SHARD_SHARD_MESSAGE_H
#define STORE_SHARD_SHARD_MESSAGE_H

#include "base/arena.h"
#include "programs/sql/tree.h"
#include "store/catalog_private.h"
#include "store/stamp_private.h"
#include "store/wire_private.h"

enum ask_kind {
    ASK_READ,
    ASK_LOCK,    /* 2pl: exclusive, with the rows to be written */
    ASK_PREPARE,
    ASK_CHECK,   /* of keys and scopes: mvto's refresh, 2pl's last look */
    ASK_DECIDE,
    ASK_RELEASE, /* the transaction is over for the coordinator: waits and locks may go */
    ASK_PROBE,   /* 2pl: a deadlock probe */
    ASK_INQUIRE,
    ASK_RESOLVE,
    ASK_KIND_COUNT
};

enum refusal {
    REFUSED_NOT,        /* it is granted */
    REFUSED_NOT_LEADER, /* ask `leader` */
    REFUSED_TOO_OLD,    /* below the horizon */
    REFUSED_CONFLICT,   /* with a decided transaction: what was read, or is written, has changed */
    REFUSED_UNDECIDED,  /* with an older one that is prepared and not decided */
    REFUSED_DEADLOCK,   /* chosen as the victim */
    REFUSED_LOCKS_GONE, /* the leader that granted them has changed */
    REFUSED_ABORTED,    /* the anchor has decided so */
    REFUSED_OVERLOADED, /* out of patience: it waited too long */
    REFUSAL_COUNT
};

/* What a statement saw of a key: its version's stamp, or zero and no writer if there was none. */
struct seen_key {
    uint32_t key;
    struct stamp at;
    uint64_t writer;
};

/* What a statement asked by predicate, and up to which log entry it looked. */
struct seen_scope {
    uint32_t scope;
    uint64_t index;
};

struct row_change {
    uint32_t key;
    bool is_removed;
    struct text row;
};

/* The share that one shard has in a transaction that wants to commit. */
struct prepare {
    uint64_t txn;
    uint32_t coordinator;  /* a node */
    struct stamp begin;    /* the transaction's age; unique */
    struct stamp snapshot; /* what it read at, if it read at one place */
    struct stamp least;    /* set by the leader as it proposes: its stamp is not below this */
    struct stamp place;    /* 2pl: its place in the certificate's order */
    uint64_t term;         /* 2pl: the term in which this shard's locks were granted */
    uint64_t participants; /* a bit a shard */
    uint32_t anchor;       /* the participant that decides */
    bool is_alone;         /* the only participant: decided with its prepare */
    bool reads_only;       /* the transaction writes nowhere */
    const struct seen_key *keys;
    const struct seen_scope *scopes;
    const struct row_change *changes;
    uint32_t key_count, scope_count, change_count;
};

/* A shard's word on a prepare or a check. Stamps that a protocol has no use for are never. */
struct vote {
    enum refusal refusal;
    struct stamp at;       /* the shard has promised not to commit it below */
    struct stamp out, pivot, in; /* ssi; in is zero where there is none */
};

struct decision {
    uint64_t txn;
    bool commits;
    struct stamp begin;
    struct stamp at;       /* C */
    struct stamp snapshot;
    struct stamp place;    /* in the certificate's order; C unless the protocol says otherwise */
    struct stamp out;      /* ssi */
    uint64_t participants;
};

struct ask {
    enum ask_kind kind;
    uint64_t txn;
    uint32_t number;      /* of the ask within its transaction: repeats have the same */
    uint32_t from;        /* the node that asks */
    uint32_t from_shard;  /* INQUIRE, RESOLVE, PROBE: its replica of this shard asks */
    struct stamp begin;
    /* READ */
    struct stamp at, limit; /* read the newest at or below `at`; up to `limit` is uncertain */
    const uint32_t *keys;
    uint32_t key_count;
    uint32_t scope;         /* or SCOPE_NONE */
    enum row_lock lock;
    bool for_write;         /* its rows are about to be written */
    bool first_table;       /* of a join */
    /* LOCK: changes; PREPARE; CHECK: keys, scopes, from `snapshot` to `to` */
    struct prepare prepare;
    struct stamp to;
    /* DECIDE, RESOLVE; INQUIRE: only begin and participants mean anything */
    struct decision decision;
    /* PROBE: the path of transactions that wait for each other; empty: is it still there? */
    const struct stamp *path; /* begins; the first is where the probe began */
    uint32_t path_count;
    uint64_t serial;          /* which of those that began there */
};

struct read_row {
    uint32_t key;
    struct stamp at;   /* of the version; zero: initial, or none */
    uint64_t writer;
    bool is_row;       /* else there is none, or it is removed */
    struct text row;
};

/* The answer to any ask. */
struct shard_answer {
    enum ask_kind kind;
    uint64_t txn;
    uint32_t number;
    uint32_t shard;
    enum refusal refusal;
    uint32_t leader;          /* with REFUSED_NOT_LEADER: whom to ask, or WORLD_NOBODY */
    /* READ: by keys one for each key, in order; by scope those that match */
    const struct read_row *rows;
    uint32_t row_count;
    uint64_t index;           /* applied when it was read */
    struct stamp uncertain;   /* mvto: the newest version met within the limit; zero: none */
    struct stamp at;          /* what was read at (rc, snapshots per statement) */
    uint64_t term;            /* READ, LOCK: in which it was granted */
    struct vote vote;         /* PREPARE, CHECK; `refusal` is the vote's, too */
    struct decision decision; /* DECIDE, INQUIRE; PREPARE: if it is over here, else without txn */
};

/*
 * Only what the kind needs is written. Arrays that are read go into the scratch arena, texts are
 * views into the bytes. False: these bytes are none.
 */
void shard_ask_put(struct wire_writer *, const struct ask *);
bool shard_ask_get(struct wire_reader *, struct ask *, struct arena *scratch);
void shard_answer_put(struct wire_writer *, const struct shard_answer *);
bool shard_answer_get(struct wire_reader *, struct shard_answer *, struct arena *scratch);

enum command_kind {
    COMMAND_PREPARE,
    COMMAND_DECIDE,   /* in the anchor's log; decides, and resolves the anchor's own share */
    COMMAND_RESOLVE,  /* in the other participants' */
    COMMAND_FORGET,   /* all participants have applied the outcome */
    COMMAND_CEILING,
    COMMAND_HORIZON,
    COMMAND_KIND_COUNT
};

struct shard_command {
    enum command_kind kind;
    struct prepare prepare;
    struct decision decision;
    struct stamp stamp; /* CEILING, HORIZON */
    const uint64_t *txns; /* FORGET */
    uint32_t txn_count;
};

/* Parts of the above, for snapshots and messages. */
void shard_prepare_put(struct wire_writer *, const struct prepare *);
void shard_prepare_get(struct wire_reader *, struct prepare *, struct arena *scratch);
void shard_decision_put(struct wire_writer *, const struct decision *);
void shard_decision_get(struct wire_reader *, struct decision *);
void shard_vote_put(struct wire_writer *, const struct vote *);
void shard_vote_get(struct wire_reader *, struct vote *);

void shard_command_put(struct wire_writer *, const struct shard_command *);
bool shard_command_get(struct wire_reader *, struct shard_command *, struct arena *scratch);

/* How many bytes the arrays of a prepare take, and a copy whose arrays stand there. */
size_t shard_prepare_size(const struct prepare *);
struct prepare shard_prepare_copy(const struct prepare *, void *arrays);
/* The same of an ask, with all that it has. */
size_t shard_ask_size(const struct ask *);
struct ask shard_ask_copy(const struct ask *, void *arrays);

const char *shard_refusal_name(enum refusal);
/* For the trace. */
void shard_ask_describe(const struct ask *, struct buffer *);
void shard_answer_describe(const struct shard_answer *, struct buffer *);

/*
 * Keys, rows and changes of rows as bytes: in requests of clients, in asks to shards and
 * in the deltas of several leaders. Arrays that are read are taken from a scratch arena.
 */

/* Among servers stamps are short, and writers are told by how they differ from their stamps. */
enum stamp_form { STAMP_WHOLE, STAMP_SHORT };

/* NULL if the count is 0. The scratch must have room: it is as large as any event needs. */
void *shard_take(struct arena *scratch, uint32_t count, size_t size);
void shard_put_keys(struct wire_writer *, const uint32_t *keys, uint32_t count);
const uint32_t *shard_get_keys(struct wire_reader *, uint32_t *count, struct arena *scratch);
void shard_put_changes(struct wire_writer *, const struct row_change *, uint32_t count);
const struct row_change *shard_get_changes(struct wire_reader *, uint32_t *count,
                                               struct arena *scratch);
void shard_put_seen(struct wire_writer *, const struct seen_key *, uint32_t count,
                        enum stamp_form);
const struct seen_key *shard_get_seen(struct wire_reader *, uint32_t *count, enum stamp_form,
                                          struct arena *scratch);
void shard_put_rows(struct wire_writer *, const struct read_row *, uint32_t count,
                        enum stamp_form);
const struct read_row *shard_get_rows(struct wire_reader *, uint32_t *count, enum stamp_form,
                                          struct arena *scratch);

#endif
