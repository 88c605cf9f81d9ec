/*
 * Takes and sends snapshots: the host's state after some entry, in place of all entries up to it.
 *
 * Each replica takes its own and begins its log file anew with it (wal.h). In memory it
 * keeps some of the entries before it, for those who are only a little behind.
 * Others are sent the leader's present state, piece by piece, each asked for by the
 * answer to the one before. A log that already has the snapshot's last entry has nothing to learn
 * from it but that this much is committed: it stays, with what comes behind,
 * which may have been acknowledged. Any other log ends before the snapshot or has parted
 * from it, and is replaced as a whole.
 */
#include "store/raft/snapshot_private.h"

#include <assert.h>

#include "store/raft/replication_private.h"
#include "store/raft/raft_private.h"

#define PIECE_BYTES_SMALL 100

void raft_checkpoint_if_due(struct raft *r)
{
    uint64_t index = r->applied;
    struct wire_writer *state;

    if (wal_is_checkpointing(&r->wal))
        return;
    if ((index < r->wal.base_index + r->options.snapshot_entries || index < r->checkpoint_after) &&
        (index == r->wal.base_index ||
         (!r->is_to_resign && !BUGGIFY(r->options.sometimes, r->options.node, SNAPSHOT_EARLY))))
        return;
    /* If the disk does not take it, not at once again. */
    r->checkpoint_after = index + r->options.snapshot_entries / 2;
    state = wal_begin_checkpoint(&r->wal, index, raft_log_term(&r->log, index));
    r->host.save(r->host.context, state);
}

void raft_on_checkpointed(struct raft *r)
{
    uint64_t kept = r->options.snapshot_entries / 2;

    if (BUGGIFY(r->options.sometimes, r->options.node, PREFIX_DROPPED))
        kept = 0;
    if (r->wal.base_index > kept)
        raft_log_drop(&r->log, r->wal.base_index - kept);
}

/* --- Sending ---------------------------------------------------------------- */

/* A state from which the log can go on; those who had begun with an older one begin again. */
static void take_outgoing(struct raft *r)
{
    struct raft_snapshot *snapshot = &r->outgoing;

    wire_writer_reset(&snapshot->state);
    r->host.save(r->host.context, &snapshot->state);
    snapshot->index = r->applied;
    snapshot->term = raft_log_term(&r->log, r->applied);
    snapshot->size = snapshot->state.count;
    /* Small pieces give way to larger ones: one that is sent anew comes to an end. */
    snapshot->piece_max = snapshot->piece_max != PIECE_BYTES_SMALL &&
                                  BUGGIFY(r->options.sometimes, r->options.node, PIECE_SMALL)
                              ? PIECE_BYTES_SMALL
                              : RAFT_PIECE_BYTES_MAX;
    for (uint32_t i = 0; i < r->options.peer_count; i++)
        r->peers[i].piece_offset = 0;
}

/* What has been applied meanwhile makes it worth while. */
static bool is_sent_anew(const struct raft *r, const struct raft_peer *peer)
{
    return peer->mode == RAFT_SENDS_SNAPSHOT && peer->piece_offset > 0 &&
           r->outgoing.piece_max == PIECE_BYTES_SMALL && r->applied > r->outgoing.index;
}

void raft_send_snapshot(struct raft *r, uint32_t number)
{
    struct raft_peer *peer = &r->peers[number];
    struct raft_snapshot *snapshot = &r->outgoing;
    struct raft_message m = { .kind = RAFT_SNAPSHOT,
                              .term = r->term,
                              .commit = r->commit,
                              .round = r->round,
                              .last = raft_log_last(&r->log) };
    size_t size;

    if (snapshot->index == 0 || !raft_log_knows(&r->log, snapshot->index) || is_sent_anew(r, peer))
        take_outgoing(r);
    if (peer->mode != RAFT_SENDS_SNAPSHOT) {
        peer->mode = RAFT_SENDS_SNAPSHOT;
        peer->piece_offset = 0;
        peer->flight_count = 0;
    }
    m.index = snapshot->index;
    m.index_term = snapshot->term;
    m.size = snapshot->size;
    m.offset = peer->piece_offset;
    assert(r->state == RAFT_LEADER && peer->piece_offset <= snapshot->size);
    size = snapshot->size - peer->piece_offset;
    if (size > snapshot->piece_max)
        size = snapshot->piece_max;
    wire_writer_reset(&r->message);
    raft_message_put(&r->message, &m);
    if (size > 0)
        wire_put_bytes(&r->message, snapshot->state.at + m.offset, size);
    r->host.send(r->host.context, r->options.peers[number], wire_writer_text(&r->message));
}

void raft_forget_snapshot_if_sent(struct raft *r)
{
    if (r->outgoing.index == 0)
        return;
    for (uint32_t i = 0; i < r->options.peer_count; i++)
        if (r->peers[i].mode == RAFT_SENDS_SNAPSHOT)
            return;
    wire_writer_close(&r->outgoing.state);
    r->outgoing.index = 0;
}

void raft_on_got(struct raft *r, uint32_t number, const struct raft_message *m)
{
    struct raft_peer *peer = &r->peers[number];

    if (r->state != RAFT_LEADER || m->term != r->term)
        return;
    peer->heard_ns = raft_now_ns(r);
    if (peer->mode != RAFT_SENDS_SNAPSHOT || m->index != r->outgoing.index ||
        m->offset == peer->piece_offset || m->offset >= r->outgoing.size)
        return;
    peer->piece_offset = m->offset;
    raft_send_snapshot(r, number);
}

/* --- Installing ------------------------------------------------------------- */

static void install(struct raft *r)
{
    struct raft_snapshot *snapshot = &r->incoming;

    raft_log_reset(&r->log, snapshot->index, snapshot->term);
    r->commit = r->applied = r->matched = snapshot->index;
    r->host.load(r->host.context, snapshot->index, wire_writer_text(&snapshot->state));
    wal_replace(&r->wal, snapshot->index, snapshot->term, &snapshot->state);
    wire_writer_close(&snapshot->state);
    snapshot->index = 0;
    SOMETIMES(r->options.sometimes, SNAPSHOT_INSTALLED);
}

/* Adds the piece if it is the next one; whether the snapshot is complete. */
static bool collect(struct raft *r, const struct raft_message *m)
{
    struct raft_snapshot *snapshot = &r->incoming;

    if (snapshot->index != m->index || snapshot->term != m->index_term) {
        if (snapshot->index != 0)
            SOMETIMES(r->options.sometimes, SNAPSHOT_BEGUN_AGAIN);
        wire_writer_reset(&snapshot->state);
        snapshot->index = m->index;
        snapshot->term = m->index_term;
    }
    if (m->offset == snapshot->state.count)
        wire_put_bytes(&snapshot->state, m->rest.at, (size_t)(m->rest.end - m->rest.at));
    return snapshot->state.count == m->size;
}

void raft_on_snapshot(struct raft *r, uint32_t peer, struct raft_message *m)
{
    if (!raft_hear_leader(r, peer, m))
        return;
    if (raft_has_entry(r, m->index, m->index_term) &&
        !r->options.bugs->on[BUG_SNAPSHOT_INSTALL_DROPS_SUFFIX]) {
        SOMETIMES(r->options.sometimes, SNAPSHOT_NOT_NEEDED);
        if (m->index > r->matched)
            r->matched = m->index;
    } else if (collect(r, m)) {
        install(r);
    } else {
        raft_send(r, peer,
                  &(struct raft_message){ .kind = RAFT_GOT,
                                          .term = r->term,
                                          .index = m->index,
                                          .size = m->size,
                                          .offset = r->incoming.state.count });
        return;
    }
    r->established = r->owes_ack = true;
    raft_commit_to(r, m->index);
    raft_commit_to(r, m->commit);
}
