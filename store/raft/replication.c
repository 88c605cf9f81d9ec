/*
 * Sends a leader's entries, takes acknowledgements, and makes sure in rounds
 * that it leads still.
 *
 * To each other member it has one of three manners. It begins by *probing*: one
 * append at a time, until one fits the other's log; a refusal says where to go on, a
 * whole term at a time. Then it *streams*: entries go out as they are proposed,
 * a few messages ahead of the acknowledgements, and what is proposed while the window is
 * full goes together in the next. Messages may be lost or overtake each other; the other side
 * holds what is early, and if a heartbeat or two bring no progress the window is
 * sent again. Who needs what the log no longer has is sent a *snapshot*.
 *
 * Every heartbeat and append carries the number of the latest round; who answers
 * it was in this term after the round began, and so no other had been elected
 * by a majority before that. A leader that a majority does not answer resigns.
 */
#include "store/raft/replication_private.h"

#include <assert.h>
#include <string.h>

#include "store/raft/raft_private.h"
#include "store/raft/snapshot_private.h"

#define IDLE_BEATS_MAX 2

static void begin_with(struct raft *r, struct raft_peer *peer)
{
    *peer = (struct raft_peer){ .next = raft_log_last(&r->log) + 1, .heard_ns = raft_now_ns(r) };
}

void raft_lead(struct raft *r)
{
    assert(r->state == RAFT_CANDIDATE);
    if (raft_log_last_term(&r->log) > 0)
        SOMETIMES(r->options.sometimes, LEADER_ELECTED_AGAIN);
    r->state = RAFT_LEADER;
    r->leader = WORLD_NOBODY;
    r->wal.meta.doubtful = false; /* who is elected has all that counts */
    for (uint32_t i = 0; i < r->options.peer_count; i++)
        begin_with(r, &r->peers[i]);
    r->round = 1;
    r->is_to_resign = false;
    raft_log_push(&r->log, r->term, (struct text){ 0 });
    r->ready_index = raft_log_last(&r->log);
    if (!BUGGIFY(r->options.sometimes, r->options.node, WINNER_SILENT))
        raft_replicate(r);
    raft_arm(r, r->options.heartbeat_ns);
}

void raft_resign(struct raft *r)
{
    assert(r->state == RAFT_LEADER);
    if (r->confirms.count > 0)
        SOMETIMES(r->options.sometimes, ROUND_LOST);
    for (uint32_t i = 0; i < r->confirms.count; i++) {
        struct raft_answer no = { .token = r->confirms.at[i].token };
        pool_push(r->pool, &r->answers, no);
    }
    r->confirms.count = 0;
    wire_writer_close(&r->outgoing.state);
    r->outgoing.index = 0;
}

/* --- Sending --------------------------------------------------------------- */

static struct raft_message message_of_leader(const struct raft *r, enum raft_message_kind kind)
{
    return (struct raft_message){ .kind = kind,
                                  .term = r->term,
                                  .commit = r->commit,
                                  .round = r->round,
                                  .last = raft_log_last(&r->log) };
}

/* Sends the entries from `next` on that fit into a message; returns the last. */
static uint64_t send_append(struct raft *r, uint32_t number, bool is_probe)
{
    uint64_t index = r->peers[number].next - 1;
    struct raft_message m = message_of_leader(r, RAFT_APPEND);

    m.flag = is_probe;
    m.index = index;
    m.index_term = raft_log_term(&r->log, index);
    wire_writer_reset(&r->message);
    raft_message_put(&r->message, &m);
    while (index < raft_log_last(&r->log) && r->message.count < RAFT_APPEND_BYTES_MAX) {
        raft_message_put_entry(&r->message, raft_log_entry(&r->log, ++index));
        if (BUGGIFY(r->options.sometimes, r->options.node, APPEND_SMALL))
            break;
    }
    r->host.send(r->host.context, r->options.peers[number], wire_writer_text(&r->message));
    return index;
}

static void stream(struct raft *r, uint32_t number)
{
    struct raft_peer *peer = &r->peers[number];

    while (peer->next <= raft_log_last(&r->log) && peer->flight_count < RAFT_FLIGHTS_MAX) {
        uint64_t last = send_append(r, number, false);

        assert(last >= peer->next); /* or this would go on for ever */
        peer->flights[peer->flight_count++] = last;
        peer->next = last + 1;
    }
}

/* Whatever may be sent now, in the peer's mode. */
void raft_send_to(struct raft *r, uint32_t number)
{
    struct raft_peer *peer = &r->peers[number];

    assert(r->state == RAFT_LEADER && number != r->self);
    if (peer->mode == RAFT_SENDS_SNAPSHOT)
        return;
    if (!raft_log_knows(&r->log, peer->next - 1)) {
        raft_send_snapshot(r, number);
    } else if (peer->mode == RAFT_STREAMS) {
        stream(r, number);
    } else if (!peer->is_probing) {
        peer->is_probing = true;
        send_append(r, number, true);
    }
}

/*
 * The host may be applying an entry as it proposes another, and cannot save its state then:
 * whoever needs a snapshot has to wait for his next answer, or for a heartbeat.
 */
void raft_replicate(struct raft *r)
{
    for (uint32_t i = 0; i < r->options.peer_count; i++)
        if (i != r->self && raft_log_knows(&r->log, r->peers[i].next - 1))
            raft_send_to(r, i);
}

static void probe(struct raft *r, uint32_t number, uint64_t next)
{
    struct raft_peer *peer = &r->peers[number];

    peer->mode = RAFT_PROBES;
    peer->next = next;
    peer->is_probing = false;
    peer->flight_count = 0;
    raft_send_to(r, number);
}

/* --- Heartbeats and rounds ------------------------------------------------ */

static bool hears_majority(const struct raft *r)
{
    int64_t since_ns = raft_now_ns(r) - 2 * r->options.election_ns;
    uint32_t count = 1;

    for (uint32_t i = 0; i < r->options.peer_count; i++)
        if (i != r->self && r->peers[i].heard_ns >= since_ns)
            count++;
    return count >= raft_majority(r);
}

static void begin_round(struct raft *r)
{
    struct raft_message beat;

    r->round++;
    beat = message_of_leader(r, RAFT_HEARTBEAT);
    raft_broadcast(r, &beat);
}

/* Sends again what seems lost. */
static void nudge(struct raft *r, uint32_t number)
{
    struct raft_peer *peer = &r->peers[number];
    bool is_piece = peer->mode == RAFT_SENDS_SNAPSHOT;
    uint64_t progress = is_piece ? peer->piece_offset : peer->matched;
    bool is_idle = peer->mode == RAFT_STREAMS && peer->flight_count == 0;

    if (peer->mode == RAFT_STREAMS && r->applied > 0 &&
        BUGGIFY(r->options.sometimes, r->options.node, SNAPSHOT_UNNEEDED)) {
        raft_send_snapshot(r, number);
        return;
    }
    if (is_idle || progress != peer->progress_at_beat)
        peer->idle_beats = 0;
    else
        peer->idle_beats++;
    if (BUGGIFY(r->options.sometimes, r->options.node, APPEND_AGAIN))
        peer->idle_beats = IDLE_BEATS_MAX;
    peer->progress_at_beat = progress;
    if (peer->idle_beats < IDLE_BEATS_MAX)
        return;
    peer->idle_beats = 0;
    SOMETIMES(r->options.sometimes, WINDOW_RESENT);
    if (is_piece)
        raft_send_snapshot(r, number);
    else
        probe(r, number, peer->mode == RAFT_STREAMS ? peer->matched + 1 : peer->next);
}

void raft_on_beat(struct raft *r)
{
    if (!hears_majority(r) || r->is_to_resign ||
        BUGGIFY(r->options.sometimes, r->options.node, LEADER_RESIGNS)) {
        if (!hears_majority(r))
            SOMETIMES(r->options.sometimes, LEADER_RESIGNED);
        if (r->is_to_resign)
            raft_checkpoint_if_due(r); /* with what it has sent to nobody */
        r->is_to_resign = false;
        raft_follow(r, r->term, WORLD_NOBODY);
        return;
    }
    begin_round(r);
    for (uint32_t i = 0; i < r->options.peer_count; i++)
        if (i != r->self)
            nudge(r, i);
    raft_arm(r, r->options.heartbeat_ns);
}

bool raft_confirm(struct raft *r, uint64_t token)
{
    struct raft_confirm confirm = { .token = token, .round = r->round + 1 };
    bool is_round_under_way;

    if (r->state != RAFT_LEADER)
        return false;
    /* Those who ask while a round is under way share the next one. */
    is_round_under_way = r->confirms.count > 0;
    pool_push(r->pool, &r->confirms, confirm);
    if (!is_round_under_way)
        begin_round(r);
    if (r->options.peer_count == 1)
        raft_arm(r, 1); /* no answer will come, and the next beat may be too late for who waits */
    return true;
}

/* The highest number that a majority has reached. */
static uint64_t reached_by_majority(const struct raft *r, uint64_t own, bool of_rounds)
{
    uint64_t sorted[RAFT_PEERS_MAX];
    uint32_t count = r->options.peer_count;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = of_rounds ? r->peers[i].round : r->peers[i].match;
        uint32_t place = i;

        if (i == r->self)
            number = own;
        for (; place > 0 && sorted[place - 1] < number; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = number;
    }
    assert(count > 0 && raft_majority(r) <= count);
    return sorted[raft_majority(r) - 1];
}

void raft_answer_confirms(struct raft *r)
{
    uint64_t reached;
    uint32_t kept = 0;

    if (r->confirms.count == 0)
        return;
    reached = reached_by_majority(r, r->round, true);
    for (uint32_t i = 0; i < r->confirms.count; i++) {
        struct raft_confirm confirm = r->confirms.at[i];
        struct raft_answer yes = { .token = confirm.token, .still_leader = true };

        if (confirm.round <= reached)
            pool_push(r->pool, &r->answers, yes);
        else
            r->confirms.at[kept++] = confirm;
    }
    r->confirms.count = kept;
    if (kept > 0 && reached == r->round)
        begin_round(r);
}

void raft_advance_commit(struct raft *r)
{
    uint64_t index = reached_by_majority(r, raft_durable(r), false);

    if (index > r->commit && BUGGIFY(r->options.sometimes, r->options.node, COMMIT_LATE))
        return; /* until the next turn */
    if (index > r->commit && (raft_log_term(&r->log, index) == r->term ||
                              r->options.bugs->on[BUG_COMMITS_ENTRY_OF_OLD_TERM]))
        r->commit = index;
}

/* --- Answers --------------------------------------------------------------- */

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void land_flights(struct raft_peer *peer)
{
    uint32_t landed = 0;

    while (landed < peer->flight_count && peer->flights[landed] <= peer->matched)
        landed++;
    peer->flight_count -= landed;
    for (uint32_t i = 0; landed > 0 && i < peer->flight_count; i++)
        peer->flights[i] = peer->flights[i + landed];
}

/* The other's log is this one's up to `matched`, in its memory at least. */
static void note_match(struct raft *r, struct raft_peer *peer, uint64_t matched)
{
    bool fits = peer->mode == RAFT_PROBES && matched + 1 >= peer->next;

    if (peer->mode == RAFT_SENDS_SNAPSHOT)
        fits = matched >= r->outgoing.index;
    if (matched > peer->matched)
        peer->matched = matched;
    if (fits) {
        peer->mode = RAFT_STREAMS;
        peer->next = matched + 1;
        peer->flight_count = 0;
    }
    if (peer->next <= peer->matched)
        peer->next = peer->matched + 1;
    land_flights(peer);
}

void raft_on_ack(struct raft *r, uint32_t number, const struct raft_message *m)
{
    struct raft_peer *peer = &r->peers[number];
    uint64_t last = raft_log_last(&r->log);

    if (r->state != RAFT_LEADER || m->term != r->term)
        return;
    peer->heard_ns = raft_now_ns(r);
    if (m->round > peer->round)
        peer->round = m->round;
    if (at_most(m->index, last) > peer->match)
        peer->match = at_most(m->index, last);
    if (m->flag) {
        note_match(r, peer, at_most(m->last, last));
        raft_forget_snapshot_if_sent(r);
    } else if (peer->mode == RAFT_STREAMS) {
        /* It has started again: does it still have what it had? */
        SOMETIMES(r->options.sometimes, FOLLOWER_FORGOT);
        peer->matched = 0;
        probe(r, number, peer->match + 1);
        return;
    }
    raft_send_to(r, number);
}

/* Where to probe next: below the refused one, at the end of a term that both may have. */
static uint64_t next_probe(const struct raft *r, const struct raft_message *m)
{
    uint64_t next = m->hint, index;

    if (m->hint_term > 0) {
        index = raft_log_last_of_term(&r->log, m->index, m->hint_term);
        if (raft_log_knows(&r->log, index) && raft_log_term(&r->log, index) == m->hint_term)
            next = index + 1;
    }
    next = at_most(next, m->index);
    return next > 0 ? next : 1;
}

void raft_on_reject(struct raft *r, uint32_t number, const struct raft_message *m)
{
    struct raft_peer *peer = &r->peers[number];

    if (r->state != RAFT_LEADER || m->term != r->term)
        return;
    peer->heard_ns = raft_now_ns(r);
    if (peer->mode != RAFT_PROBES || m->index + 1 != peer->next)
        return;
    peer->next = next_probe(r, m);
    peer->match = at_most(peer->match, peer->next - 1);
    peer->matched = 0;
    peer->is_probing = false;
    raft_send_to(r, number);
}

/* --- The follower's side ---------------------------------------------------------------------- */

/*
 * Entries that fit go into the log, and are acknowledged once they are on the disk. What comes before
 * its predecessors, as messages overtake each other, is held for them, but for a probe, which wants an
 * answer.
 *
 * What is committed here is in every later leader's log, so entries up to `commit` are never
 * compared, much less cut.
 */

static void drop_held(struct raft *r, struct raft_held *held)
{
    pool_give(r->pool, held->at, held->size);
    *held = (struct raft_held){ 0 };
}

void raft_enter_term(struct raft *r)
{
    r->matched = r->acked = r->commit;
    r->established = r->has_goal = r->owes_ack = false;
    r->round_heard = 0;
    r->incoming.index = 0;
    wire_writer_close(&r->incoming.state);
    for (uint32_t i = 0; i < RAFT_HELD_MAX; i++)
        drop_held(r, &r->held[i]);
}

bool raft_hear_leader(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    if (m->term < r->term) {
        SOMETIMES(r->options.sometimes, STALE_LEADER_TOLD);
        raft_send(r, peer, &(struct raft_message){ .kind = RAFT_STALE, .term = r->term });
        return false;
    }
    if (r->state == RAFT_LEADER)
        return false; /* two in one term: there is a bug on, or a fault outside the model */
    if (r->state != RAFT_FOLLOWER || r->leader != r->options.peers[peer])
        raft_follow(r, m->term, r->options.peers[peer]);
    r->heard_ns = r->patient_from_ns = raft_now_ns(r);
    if (m->round > r->round_heard)
        r->round_heard = m->round;
    if (!r->has_goal) {
        r->has_goal = true;
        r->goal = m->last;
    }
    return true;
}

void raft_commit_to(struct raft *r, uint64_t commit)
{
    if (commit > r->matched)
        commit = r->matched;
    if (commit > r->commit)
        r->commit = commit;
}

void raft_on_heartbeat(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    if (!raft_hear_leader(r, peer, m))
        return;
    raft_commit_to(r, m->commit);
    r->owes_ack = true;
}

static void cut_log(struct raft *r, uint64_t index)
{
    assert(index >= r->commit);
    wal_cut(&r->wal, index);
    raft_log_cut(&r->log, index);
    SOMETIMES(r->options.sometimes, LOG_CONFLICT_REPAIRED);
}

static void take_entries(struct raft *r, struct raft_message *m)
{
    uint64_t index = m->index, term;
    struct text command;
    bool has_new = false;

    while (raft_message_get_entry(m, &term, &command)) {
        index++;
        if (raft_has_entry(r, index, term))
            continue;
        if (index <= raft_log_last(&r->log))
            cut_log(r, index - 1);
        raft_log_push(&r->log, term, command);
        has_new = true;
    }
    if (index > r->matched)
        r->matched = index;
    /* New entries are acknowledged when they are durable, others at once. */
    if (!has_new || !r->established)
        r->owes_ack = true;
    r->established = true;
    raft_commit_to(r, m->commit);
}

static void hold(struct raft *r, uint64_t index, struct text bytes)
{
    struct raft_held *free_one = NULL;

    for (uint32_t i = 0; i < RAFT_HELD_MAX; i++) {
        if (!r->held[i].at)
            free_one = &r->held[i];
        else if (r->held[i].index == index)
            return;
    }
    if (!free_one || BUGGIFY(r->options.sometimes, r->options.node, APPEND_DROPPED))
        return;
    SOMETIMES(r->options.sometimes, APPEND_HELD);
    *free_one = (struct raft_held){ index, pool_take(r->pool, bytes.length), bytes.length };
    memcpy(free_one->at, bytes.at, bytes.length);
}

static void take_held(struct raft *r)
{
    for (uint32_t i = 0; i < RAFT_HELD_MAX; i++) {
        struct raft_held *held = &r->held[i];
        struct raft_message m;

        if (!held->at || held->index > r->matched)
            continue;
        m = raft_message_get((struct text){ held->at, held->size });
        take_entries(r, &m);
        drop_held(r, held);
        i = UINT32_MAX; /* from the beginning: another may fit now */
    }
}

static void reject(struct raft *r, uint32_t peer, const struct raft_message *m)
{
    struct raft_message no = {
        .kind = RAFT_REJECT, .term = r->term, .index = m->index, .hint = raft_log_last(&r->log) + 1
    };

    if (m->index <= raft_log_last(&r->log)) {
        no.hint = raft_log_first_of_term(&r->log, m->index);
        no.hint_term = raft_log_term(&r->log, m->index);
        if (no.hint <= r->commit)
            no.hint = r->commit + 1;
    }
    SOMETIMES(r->options.sometimes, APPEND_REJECTED);
    raft_send(r, peer, &no);
}

void raft_on_append(struct raft *r, uint32_t peer, struct raft_message *m, struct text bytes)
{
    if (!raft_hear_leader(r, peer, m))
        return;
    if (raft_has_entry(r, m->index, m->index_term)) {
        take_entries(r, m);
        take_held(r);
    } else if (m->flag) {
        reject(r, peer, m);
    } else {
        hold(r, m->index, bytes);
    }
}

void raft_acknowledge(struct raft *r)
{
    uint64_t durable = raft_durable(r);
    uint64_t index = r->matched < durable ? r->matched : durable;
    struct raft_message ack = { .kind = RAFT_ACK,
                                .term = r->term,
                                .index = index,
                                .last = r->matched,
                                .round = r->round_heard,
                                .flag = r->established };

    if (!r->owes_ack && index <= r->acked)
        return;
    if (BUGGIFY(r->options.sometimes, r->options.node, ACK_LATE))
        return; /* it is still owed, or news */
    r->owes_ack = false;
    if (index > r->acked)
        r->acked = index;
    raft_send_to_node(r, r->leader, &ack);
    /* The end of doubts: see raft.c. */
    if (r->established && r->has_goal && index >= r->goal)
        r->wal.meta.doubtful = false;
}
