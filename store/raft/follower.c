/*
 * A follower's side: entries that fit go into the log, and are acknowledged once
 * they are on the disk. What comes before its predecessors, as messages overtake
 * each other, is held for them, but for a probe, which wants an answer.
 *
 * What is committed here is in every later leader's log, so entries up to `commit` are never
 * compared, much less cut.
 */
#include "store/raft/follower_private.h"

#include <assert.h>
#include <string.h>

#include "store/raft/raft_private.h"

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
