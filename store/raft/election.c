/*
 * Elections. A member that has heard of no leader for a random while asks the others
 * whether they would vote for it (pre-vote) and only if enough would, begins a term: so a
 * member that was cut off does not come back with a high term and depose a leader that
 * all others hear. Who hears a leader, or has more in its log, refuses.
 */
#include "store/raft/election_private.h"

#include <assert.h>

#include "store/raft/replication_private.h"
#include "store/raft/raft_private.h"

/* A time that differs from member to member, so that one is first. */
void raft_wait_for_leader(struct raft *r)
{
    int64_t election_ns = r->options.election_ns;

    r->patient_from_ns = raft_now_ns(r);
    r->patience_ns = random_between(world_random(r->options.world, r->options.node), election_ns,
                                    2 * election_ns - 1);
    if (BUGGIFY(r->options.sometimes, r->options.node, ELECTION_EARLY))
        r->patience_ns = r->patience_ns / 16 + 1;
    raft_arm(r, r->patience_ns);
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Why it must be one of these two: see raft.c. */
static bool has_won(const struct raft *r)
{
    return count_bits(r->yes & ~r->yes_doubtful) >= raft_majority(r) ||
           count_bits(r->yes) == r->options.peer_count;
}

static void count_yes(struct raft *r, uint32_t peer, bool doubtful)
{
    r->yes |= UINT32_C(1) << peer;
    if (doubtful)
        r->yes_doubtful |= UINT32_C(1) << peer;
}

static void begin_count(struct raft *r)
{
    r->yes = r->yes_doubtful = 0;
    count_yes(r, r->self, raft_is_doubtful(r));
}

static struct raft_message request(const struct raft *r, enum raft_message_kind kind, uint64_t term)
{
    return (struct raft_message){ .kind = kind,
                                  .term = term,
                                  .index = raft_log_last(&r->log),
                                  .index_term = raft_log_last_term(&r->log) };
}

/* Begins a term; the requests go out when it is on disk. */
static void stand(struct raft *r)
{
    raft_follow(r, r->term + 1, WORLD_NOBODY);
    raft_give_vote(r, r->options.node);
    r->state = RAFT_CANDIDATE;
    r->owes_requests = true;
    begin_count(r);
}

static void ask_for_pre_votes(struct raft *r)
{
    struct raft_message ask = request(r, RAFT_ASK_PRE_VOTE, r->term + 1);

    raft_follow(r, r->term, WORLD_NOBODY);
    r->state = RAFT_PRE_CANDIDATE;
    begin_count(r);
    raft_broadcast(r, &ask);
    if (has_won(r))
        stand(r);
}

void raft_ask_for_votes(struct raft *r)
{
    struct raft_message ask = request(r, RAFT_ASK_VOTE, r->term);
    int64_t left_ns = r->patient_from_ns + r->patience_ns - raft_now_ns(r);

    assert(r->state == RAFT_CANDIDATE);
    raft_broadcast(r, &ask);
    if (has_won(r))
        raft_lead(r);
    r->asks_again = r->state == RAFT_CANDIDATE && left_ns > 0 &&
                    BUGGIFY(r->options.sometimes, r->options.node, VOTES_ASKED_AGAIN);
    if (r->asks_again)
        raft_arm(r, 1 + left_ns / 2);
}

/* A word of the leader moves the deadline, not the timer: that one looks again when it fires. */
void raft_on_patience_timer(struct raft *r)
{
    int64_t left_ns = r->patient_from_ns + r->patience_ns - raft_now_ns(r);

    if (left_ns > 0) {
        raft_arm(r, left_ns);
        if (r->asks_again && r->state == RAFT_CANDIDATE && !r->owes_requests)
            raft_ask_for_votes(r);
        return;
    }
    if (r->state == RAFT_CANDIDATE)
        SOMETIMES(r->options.sometimes, VOTE_SPLIT);
    raft_wait_for_leader(r);
    if (BUGGIFY(r->options.sometimes, r->options.node, PRE_VOTE_SKIPPED))
        stand(r);
    else
        ask_for_pre_votes(r);
}

static bool is_behind(const struct raft *r, const struct raft_message *m)
{
    uint64_t last_term = raft_log_last_term(&r->log);

    return m->index_term < last_term ||
           (m->index_term == last_term && m->index < raft_log_last(&r->log));
}

static bool hears_leader(const struct raft *r)
{
    return r->state == RAFT_LEADER ||
           (r->leader != WORLD_NOBODY && raft_now_ns(r) - r->heard_ns < r->options.election_ns);
}

void raft_on_ask_pre_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    struct raft_message reply = {
        .kind = RAFT_PRE_VOTE, .term = r->term, .round = m->term, .doubtful = raft_is_doubtful(r)
    };

    reply.flag = m->term > r->term && !is_behind(r, m) && !hears_leader(r) &&
                 !BUGGIFY(r->options.sometimes, r->options.node, VOTE_REFUSED);
    if (!reply.flag)
        SOMETIMES(r->options.sometimes, PRE_VOTE_REFUSED);
    raft_send(r, peer, &reply);
}

void raft_on_ask_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    uint32_t node = r->options.peers[peer];
    bool is_free = r->vote == WORLD_NOBODY || r->vote == node;

    if (m->term == r->term && is_free && !is_behind(r, m) &&
        !BUGGIFY(r->options.sometimes, r->options.node, VOTE_REFUSED)) {
        raft_give_vote(r, node);
        r->owes_vote = true;
        r->patient_from_ns = raft_now_ns(r);
    } else {
        raft_send(r, peer,
                  &(struct raft_message){ .kind = RAFT_VOTE, .term = r->term, .round = m->term });
    }
}

/* To either question. An answer of a higher term has ended the candidacy before this. */
void raft_on_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    bool is_pre = m->kind == RAFT_PRE_VOTE;

    if (!m->flag || r->state != (is_pre ? RAFT_PRE_CANDIDATE : RAFT_CANDIDATE) ||
        m->round != (is_pre ? r->term + 1 : r->term))
        return;
    count_yes(r, peer, m->doubtful);
    if (m->doubtful)
        SOMETIMES(r->options.sometimes, DOUBTFUL_VOTE);
    if (!has_won(r))
        return;
    if (is_pre)
        stand(r);
    else
        raft_lead(r);
}
