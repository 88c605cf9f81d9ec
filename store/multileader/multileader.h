/*
 * multileader: replicates for the protocols without Raft: every node holds every
 * row, commits on its own disk, and tells the others.
 *
 *     commit ── stamp above all seen ── own log, synced ── answered
 *                                          └── anti-entropy, by origin and sequence ──> others
 *
 * A transaction runs and commits on the one node that its client talks to. Its
 * writes get one stamp (a forwarded hybrid clock, then the transaction), which
 * is also their place in the arbitration order: of each key the highest wins,
 * everywhere. What was committed is on disk before the client hears of it, so a
 * crash loses nothing; what others have not heard is sent when they ask.
 */
#ifndef STORE_MULTILEADER_MULTILEADER_H
#define STORE_MULTILEADER_MULTILEADER_H

#include "base/digest.h"
#include "store/bugs.h"
#include "store/coordinator/client_request.h"
#include "store/shard/versions.h"

struct server;
struct multileader;

/* What the protocols on this ground differ in. */
struct local_rules {
    /* Transactions say what they had seen, and sessions carry what they have. */
    bool is_causal;
    /* All reads of a transaction come from one state; else each statement sees the newest. */
    bool reads_one_state;
    /*
     * Whether a transaction of another node may be taken in: what it had seen, and what is here,
     * by node. NULL: always.
     */
    bool (*may_follow)(const struct bugs *, const uint64_t *past, const uint64_t *here,
                       uint32_t count);
};

struct multileader *multileader_open(struct server *, const struct local_rules *);
void multileader_request(struct multileader *, uint32_t client, struct text bytes);
void multileader_message(struct multileader *, uint32_t node, struct text bytes);
void multileader_timer(struct multileader *, uint64_t payload);
void multileader_completion(struct multileader *, uint64_t what);
/*
 * It has applied all that any node that is up has committed. Looks at the others' memory: a
 * question of the harness, which no node asks.
 */
bool multileader_is_idle(const struct multileader *);
/* Of what it holds: nodes that have heard the same have the same. */
struct digest multileader_digest(const struct multileader *);
const struct stored_versions *multileader_versions(const struct multileader *);

#endif
