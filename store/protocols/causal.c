/*
 * causal: transactional causal consistency over multi-leader replication (as in Cure,
 * Akkoorath et al. 2016, without its sharding), on the ground of store/multileader/multileader.h.
 *
 *     node A   T1 ──────────────┬──────────────>  what T2 had seen, {A:1}, goes with it:
 *     node B       T2 reads T1 ─┼───┐             C takes it in behind A's first
 *     node C                  T2 waits ── T1, T2
 *
 * A set of transactions is causally closed if with each it has all that came
 * causally before: what the transaction read, what its session did and read before,
 * and so on from there. By node, it is a vector: that many of each node's.
 *
 * Invariant.
 *   (closed)    What a node has applied is closed, at every moment, after every crash.
 *   (snapshot)  All reads of T come from one such set, S(T), which holds all that T's session
 *               has seen. A version is in it if its transaction is; of each key the highest
 *               stamp is read.
 *   (stamps)    The stamp of T is above those of all transactions in S(T), and of those that
 *               its node committed before.
 *
 * Why (closed): a node takes in T from another behind all of S(T), which T's delta names, and
 * behind all earlier ones of T's node; own ones come behind what the node has applied, which S(T)
 * is a part of. The log keeps that order, on disk, too, and is cut off nowhere but at its end.
 * Why (snapshot): the session carries the vector of what it has seen, and a transaction begins
 * where that is covered, or is refused after a time.
 *
 * Why that is causal (Biswas and Enea 2019). Take the order of stamps as the commit order. By
 * (stamps) it extends causality. Let T2 be causally before T3, write x, and T3 read x from T1:
 * T2 is in S(T3) by (closed) and (snapshot), and T1's stamp is the highest there that wrote x.
 * So T2 is T1, or before it. And read committed by the certificate, as for `eventual`.
 *
 * What it does not give: two sessions may see concurrent transactions in different orders (long
 * fork), and two transactions that write the same key both commit, neither having seen the other.
 */
#include "store/multileader/multileader.h"
#include "store/protocol_private.h"

static bool may_follow(const struct bugs *bugs, const uint64_t *past, const uint64_t *here,
                       uint32_t count)
{
    if (bugs->on[BUG_DELTA_APPLIED_BEFORE_ITS_PAST])
        return true;
    for (uint32_t node = 0; node < count; node++)
        if (here[node] < past[node])
            return false;
    return true;
}

static const struct local_rules causal_rules = {
    .is_causal = true,
    .reads_one_state = true,
    .may_follow = may_follow,
};

const struct protocol protocol_causal = {
    .name = "causal",
    .summary = "causal: every node commits by itself, and shows nothing before its causes",
    .level = LEVEL_CAUSAL,
    .on_raft = false,
    .local = &causal_rules,
};
