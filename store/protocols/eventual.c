/*
 * eventual: multi-leader replication where the last writer wins (Thomas 1979; Terry et al.
 * 1995), on the ground of store/multileader/multileader.h.
 *
 *     node A   x = 1 at 90 ──────────────> x = 1, the higher stamp
 *     node B   x = 2 at 80 ──────────────> x = 1
 *
 * Invariant.
 *   (whole)     Of a transaction, a node has applied all writes or none; the last that it made of
 *               each key, at its stamp. Only what is committed, on its own disk, is ever applied.
 *   (stamps)    A transaction's stamp is above those of all that its node had applied when it
 *               committed, and so of all that it has read.
 *   (highest)   A statement sees, of each key, the highest stamp that its node has applied.
 *
 * Why that is read committed. The version order of a key is the order of stamps. If T2 reads from
 * T1, T1's stamp is below T2's by (stamps); if T2 overwrites what T1 wrote, by the version order.
 * So no cycle of such dependencies: neither G0 nor G1c. By (whole) nobody reads what was aborted
 * (G1a), or what was not the last of its transaction (G1b). Nothing is said of anti-dependencies:
 * two statements of a transaction may see different states, and updates are lost.
 *
 * Why the nodes converge. Each transaction comes to each node once (anti-entropy, by the sequence
 * of its origin). A version goes to its place by its stamp; stamps are unique; so what a node
 * shows is a function of the set of transactions applied, and not of their order. A removal is a
 * version like any other, and stays until nothing can come below it (store/multileader/local_log.c).
 *
 * (stamps) rests on clocks that go forward with all that is applied, not on clocks that are
 * right: where a node stamped by its own clock alone, what it wrote over a value from a node that
 * is ahead would be lost everywhere, and the cycle would be there (G1c).
 */
#include "store/multileader/multileader.h"
#include "store/protocol_private.h"

static const struct local_rules eventual_rules = { 0 };

const struct protocol protocol_eventual = {
    .name = "eventual",
    .summary = "read committed: every node commits by itself, the last writer wins, all converge",
    .level = LEVEL_READ_COMMITTED,
    .on_raft = false,
    .local = &eventual_rules,
};
