/*
 * Runs a replica of a replicated log, after Ongaro and Ousterhout (2014).
 *
 * The invariant: if an entry is committed at an index, no replica ever applies
 * another there. It holds because
 *
 *   (1) a term has at most one leader: each member gives one vote a term, and leaders are
 *       elected by majorities;
 *   (2) a leader only appends to its log, so that an index and a term name one entry, and
 *       logs that agree there agree before it;
 *   (3) whoever is elected has every committed entry: those who hold it on disk are a
 *       majority, and do not vote for a log that is behind theirs. For this, only entries of
 *       the leader's own term are committed by counting; with them go all before them.
 *
 * What a replica says it must hold to after a crash, so it is on its disk before it
 * is said: votes and requests for them wait for term and vote, acknowledgements also for
 * the entries. Nothing else waits: a leader sends entries while it writes them, and
 * counts itself once it has them.
 *
 * A full, slow or failing disk makes a replica silent in just these points. It goes
 * on answering heartbeats. A leader whose disk takes nothing goes on too: the others
 * commit without its copy. Where they cannot, there is no majority with working
 * disks, and no other leader could do better. When its disk recovers it catches up
 * with itself.
 *
 * Replicas that doubt their own log. After damage (see wal.h) a replica may have
 * acknowledged, in some term up to its own, entries that it does not hold. Term and vote
 * it has. It remains a member that stores, acknowledges and applies, for what it says
 * about its log is true; but its vote says nothing about the entries that it has
 * lost. So an election is won by either
 *
 *   - a majority of members that have no doubts. Of the majority that acknowledged a
 *     committed entry one is among them and holds it: (3) as ever;
 *   - the votes of all members, doubtful or not. Of those who acknowledged the entry,
 *     all but the damaged ones hold it. Damage is confined to a minority, so somebody
 *     is left who holds it, and who has voted. Without this way, a crash of all in the
 *     middle of a write could leave a group of doubters for ever.
 *
 * Both are majorities, and no vote is ever forgotten, so (1) holds. Doubts end when
 * the replica's disk holds the log of its term's leader up to the last entry that this
 * leader had when it first spoke, after the crash: all that the replica ever acknowledged
 * and that is, or will be, committed is among these. What it acknowledged to this
 * leader, this leader had before; of earlier terms by (3). (Messages to the incarnation
 * before the crash do not arrive, so whatever arrives was said after all its
 * acknowledgements.) Doubts also end if it becomes the leader, by (3).
 */
#include "store/raft/raft.h"

#include <assert.h>

#include "store/raft/raft_private.h"
#include "store/raft/replication_private.h"
#include "store/raft/snapshot_private.h"

/*
 * Elections. A member that has heard of no leader for a random while asks the others
 * whether they would vote for it (pre-vote) and only if enough would, begins a term: so a
 * member that was cut off does not come back with a high term and depose a leader that
 * all others hear. Who hears a leader, or has more in its log, refuses.
 */
/*
 * election: elects a leader (Raft paper, section 5.2), with a pre-vote before each election.
 */

/* A time that differs from member to member, so that one is first. */
static void raft_wait_for_leader(struct raft *r)
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

/* Term and own vote are on disk. */
static void raft_ask_for_votes(struct raft *r)
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
static void raft_on_patience_timer(struct raft *r)
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

static void raft_on_ask_pre_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
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

static void raft_on_ask_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
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
static void raft_on_vote(struct raft *r, uint32_t peer, const struct raft_message *m)
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

#define TIMER_RAFT 1
#define TIMER_WAL 2

int64_t raft_now_ns(const struct raft *r)
{
    return world_monotonic_ns(r->options.world, r->options.node);
}

uint32_t raft_majority(const struct raft *r)
{
    return r->options.peer_count / 2 + 1;
}

bool raft_is_doubtful(const struct raft *r)
{
    return r->wal.meta.doubtful;
}

bool raft_has_entry(const struct raft *r, uint64_t index, uint64_t term)
{
    return index <= r->commit ||
           (index <= raft_log_last(&r->log) && raft_log_term(&r->log, index) == term);
}

uint64_t raft_durable(const struct raft *r)
{
    return r->options.bugs->on[BUG_ACK_BEFORE_SYNC] ? r->wal.written : r->wal.stored;
}

void raft_arm(struct raft *r, int64_t delay_ns)
{
    if (r->timer)
        world_cancel_timer(r->options.world, r->timer);
    r->timer = world_set_timer(r->options.world, r->options.node, delay_ns,
                               r->options.payload | TIMER_RAFT);
}

void raft_send(struct raft *r, uint32_t peer, const struct raft_message *message)
{
    wire_writer_reset(&r->message);
    raft_message_put(&r->message, message);
    r->host.send(r->host.context, r->options.peers[peer], wire_writer_text(&r->message));
}

static uint32_t peer_of(const struct raft *r, uint32_t node)
{
    uint32_t peer = 0;

    while (peer < r->options.peer_count && r->options.peers[peer] != node)
        peer++;
    assert(peer < r->options.peer_count);
    return peer;
}

void raft_send_to_node(struct raft *r, uint32_t node, const struct raft_message *message)
{
    raft_send(r, peer_of(r, node), message);
}

void raft_broadcast(struct raft *r, const struct raft_message *message)
{
    wire_writer_reset(&r->message);
    raft_message_put(&r->message, message);
    for (uint32_t peer = 0; peer < r->options.peer_count; peer++)
        if (peer != r->self)
            r->host.send(r->host.context, r->options.peers[peer], wire_writer_text(&r->message));
}

void raft_follow(struct raft *r, uint64_t term, uint32_t leader)
{
    bool led = r->state == RAFT_LEADER;

    assert(term >= r->term);
    if (led)
        raft_resign(r);
    if (term > r->term) {
        r->term = r->wal.meta.term = term;
        r->vote = r->wal.meta.vote = WORLD_NOBODY;
        r->owes_vote = false;
        raft_enter_term(r);
    }
    r->state = RAFT_FOLLOWER;
    r->leader = leader;
    r->owes_requests = false;
    if (led)
        raft_wait_for_leader(r);
}

void raft_give_vote(struct raft *r, uint32_t node)
{
    r->vote = node;
    if (!r->options.bugs->on[BUG_VOTE_NOT_PERSISTED])
        r->wal.meta.vote = node;
}

/* Says what had to be on disk first, once it is. */
static void pay_debts(struct raft *r)
{
    if (!wal_meta_is_stored(&r->wal))
        return;
    if (r->owes_requests) {
        r->owes_requests = false;
        raft_ask_for_votes(r);
    }
    if (r->owes_vote) {
        struct raft_message vote = { .kind = RAFT_VOTE,
                                     .term = r->term,
                                     .round = r->term,
                                     .flag = true,
                                     .doubtful = raft_is_doubtful(r) };
        r->owes_vote = false;
        raft_send_to_node(r, r->vote, &vote);
        if (BUGGIFY(r->options.sometimes, r->options.node, CRASH_AT_VOTE))
            buggify_crash(r->options.sometimes->buggify, r->options.node,
                          r->options.world->now_ns);
    }
    if (r->state == RAFT_FOLLOWER && r->leader != WORLD_NOBODY)
        raft_acknowledge(r);
}

static bool apply_committed(struct raft *r)
{
    if (r->applied >= r->commit)
        return false;
    while (r->applied < r->commit) {
        uint64_t index = ++r->applied;
        r->host.apply(r->host.context, index, raft_log_term(&r->log, index),
                      raft_log_command(&r->log, index));
    }
    return true;
}

static void publish_role(struct raft *r)
{
    static const enum role roles[] = { [RAFT_OPENING] = ROLE_NONE,
                                       [RAFT_FOLLOWER] = ROLE_FOLLOWER,
                                       [RAFT_PRE_CANDIDATE] = ROLE_FOLLOWER,
                                       [RAFT_CANDIDATE] = ROLE_CANDIDATE,
                                       [RAFT_LEADER] = ROLE_LEADER };

    world_publish_role(r->options.world, r->options.node, r->options.shard, roles[r->state]);
}

/* Tells the host what is new to it; whether there was anything. */
static bool tell_host(struct raft *r)
{
    struct raft_told now = { r->state, r->term, r->leader, raft_is_ready(r) };
    struct raft_told was = r->told;
    uint32_t answers = r->answers.count;

    for (uint32_t i = 0; i < answers; i++) {
        struct raft_answer answer = r->answers.at[i];
        r->host.confirmed(r->host.context, answer.token, answer.still_leader);
    }
    /* Those given meanwhile come next time. */
    r->answers.count -= answers;
    for (uint32_t i = 0; i < r->answers.count; i++)
        r->answers.at[i] = r->answers.at[answers + i];
    if (now.state == was.state && now.term == was.term && now.leader == was.leader &&
        now.is_ready == was.is_ready)
        return answers > 0;
    r->told = now;
    publish_role(r);
    r->host.changed(r->host.context);
    return true;
}

/*
 * Whatever has happened, this draws the consequences. The host is called from here, when
 * all is consistent; what it asks for in these calls is seen to in the next turn.
 */
void raft_settle(struct raft *r)
{
    bool again = true;

    if (r->is_settling || r->state == RAFT_OPENING)
        return;
    r->is_settling = true;
    while (again) {
        wal_work(&r->wal);
        pay_debts(r);
        if (r->state == RAFT_LEADER) {
            raft_advance_commit(r);
            raft_answer_confirms(r);
        }
        again = apply_committed(r);
        again = tell_host(r) || again;
    }
    raft_checkpoint_if_due(r);
    wal_work(&r->wal);
    r->is_settling = false;
}

static void on_opened(struct raft *r)
{
    const struct wal *wal = &r->wal;

    r->term = wal->meta.term;
    r->vote = wal->meta.vote;
    r->commit = r->applied = wal->base_index;
    if (wal->base_index > 0)
        r->host.load(r->host.context, wal->base_index, wal_state(wal));
    if (wal->base_index > 0)
        SOMETIMES(r->options.sometimes, STATE_LOADED);
    wal_forget_state(&r->wal);
    if (wal->found == WAL_WIPED)
        SOMETIMES(r->options.sometimes, REPLICA_WIPED);
    else if (r->term > 0)
        SOMETIMES(r->options.sometimes, REPLICA_RECOVERED);
    raft_enter_term(r);
    r->state = RAFT_FOLLOWER;
    raft_wait_for_leader(r);
}

struct raft *raft_open(const struct raft_options *options, const struct raft_host *host,
                       struct pool *pool)
{
    struct raft *r = pool_take(pool, sizeof *r);
    struct wal_options wal = { .world = options->world,
                               .node = options->node,
                               .disk = options->disk,
                               .first_file = options->first_file,
                               .payload = options->payload | TIMER_WAL,
                               .sometimes = options->sometimes };

    assert(options->peer_count <= RAFT_PEERS_MAX);
    r->options = *options;
    r->host = *host;
    r->pool = pool;
    r->leader = WORLD_NOBODY;
    r->told.leader = WORLD_NOBODY;
    r->message.pool = r->incoming.state.pool = r->outgoing.state.pool = pool;
    r->self = peer_of(r, options->node);
    raft_log_init(&r->log, pool);
    wal_open(&r->wal, &wal, &r->log, pool);
    return r;
}

void raft_on_completion(struct raft *r, uint64_t what)
{
    assert((uint32_t)what == TIMER_WAL);
    switch (wal_on_completion(&r->wal)) {
    case WAL_OPENED:
        on_opened(r);
        break;
    case WAL_CHECKPOINTED:
        raft_on_checkpointed(r);
        break;
    case WAL_META_STORED:
    case WAL_ENTRIES_STORED:
    case WAL_NOTHING:
        break;
    }
    raft_settle(r);
}

void raft_on_timer(struct raft *r, uint64_t payload)
{
    if ((uint32_t)payload == TIMER_WAL) {
        wal_on_timer(&r->wal);
    } else {
        r->timer = 0;
        if (r->state == RAFT_LEADER)
            raft_on_beat(r);
        else
            raft_on_patience_timer(r);
    }
    raft_settle(r);
}

static void dispatch(struct raft *r, uint32_t peer, struct raft_message *m, struct text bytes)
{
    switch (m->kind) {
    case RAFT_HEARTBEAT:
        raft_on_heartbeat(r, peer, m);
        break;
    case RAFT_APPEND:
        raft_on_append(r, peer, m, bytes);
        break;
    case RAFT_SNAPSHOT:
        raft_on_snapshot(r, peer, m);
        break;
    case RAFT_ACK:
        raft_on_ack(r, peer, m);
        break;
    case RAFT_REJECT:
        raft_on_reject(r, peer, m);
        break;
    case RAFT_GOT:
        raft_on_got(r, peer, m);
        break;
    case RAFT_ASK_PRE_VOTE:
        raft_on_ask_pre_vote(r, peer, m);
        break;
    case RAFT_ASK_VOTE:
        raft_on_ask_vote(r, peer, m);
        break;
    case RAFT_PRE_VOTE:
    case RAFT_VOTE:
        raft_on_vote(r, peer, m);
        break;
    case RAFT_STALE:
    case RAFT_MESSAGE_KIND_COUNT:
        break;
    }
}

void raft_on_message(struct raft *r, uint32_t from_node, struct text bytes)
{
    struct raft_message m = raft_message_get(bytes);
    uint32_t peer = peer_of(r, from_node);

    assert(peer != r->self);
    if (r->state == RAFT_OPENING)
        return;
    /* Who asks for a pre-vote is not in that term yet. */
    if (m.term > r->term && m.kind != RAFT_ASK_PRE_VOTE)
        raft_follow(r, m.term, WORLD_NOBODY);
    dispatch(r, peer, &m, bytes);
    raft_settle(r);
}

static void resign_soon(struct raft *r)
{
    r->is_to_resign = true;
    raft_arm(r, 1);
}

uint64_t raft_propose(struct raft *r, struct text command)
{
    assert(command.length > 0);
    if (r->state != RAFT_LEADER)
        return 0;
    raft_log_push(&r->log, r->term, command);
    if (BUGGIFY(r->options.sometimes, r->options.node, PROPOSAL_STAYS)) {
        resign_soon(r);
    } else {
        raft_replicate(r);
        if (BUGGIFY(r->options.sometimes, r->options.node, PROPOSER_RESIGNS))
            resign_soon(r);
    }
    wal_work(&r->wal);
    return raft_log_last(&r->log);
}

bool raft_is_ready(const struct raft *r)
{
    return r->state == RAFT_LEADER && r->applied >= r->ready_index;
}

uint64_t raft_term(const struct raft *r)
{
    return r->term;
}

uint32_t raft_leader(const struct raft *r)
{
    return r->state == RAFT_LEADER ? r->options.node : r->leader;
}

uint64_t raft_last_index(const struct raft *r)
{
    return raft_log_last(&r->log);
}
