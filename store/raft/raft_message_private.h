/*
 * raft_message: what the replicas of a group say to each other.
 *
 * One struct for all kinds; a kind uses the fields named with it, and only these
 * are sent. Everything is a number of as few bytes as it needs: a heartbeat takes
 * about ten.
 */
#ifndef STORE_RAFT_RAFT_MESSAGE_PRIVATE_H
#define STORE_RAFT_RAFT_MESSAGE_PRIVATE_H

#include "store/raft/raft_log.h"
#include "store/wire_private.h"

enum raft_message_kind {
    RAFT_HEARTBEAT = 1, /* commit, round, last */
    RAFT_APPEND, /* commit, round, last, index and index_term before the entries; flag: probe */
    RAFT_ACK,    /* index: durable, last: matched, round; flag: established */
    RAFT_REJECT, /* index: the probe's; hint and hint_term */
    RAFT_STALE,  /* nothing but the term, for those who are behind */
    RAFT_ASK_PRE_VOTE, /* index and index_term: the candidate's last */
    RAFT_PRE_VOTE,     /* round: the term that was asked for; flag: granted; doubtful */
    RAFT_ASK_VOTE,     /* index and index_term: the candidate's last */
    RAFT_VOTE,         /* round: the term that was asked for; flag: granted; doubtful */
    RAFT_SNAPSHOT,     /* commit, round, last, index, index_term, size, offset; then bytes */
    RAFT_GOT,          /* index, offset: of a snapshot this much has come */
    RAFT_MESSAGE_KIND_COUNT
};

struct raft_message {
    enum raft_message_kind kind;
    bool flag, doubtful;
    uint64_t term, index, index_term, commit, round, last, hint, hint_term, size, offset;
    struct wire_reader rest; /* of APPEND: entries; of SNAPSHOT: bytes */
};

/* Without the rest. */
void raft_message_put(struct wire_writer *, const struct raft_message *);
/* Of what the former has written. */
struct raft_message raft_message_get(struct text bytes);

void raft_message_put_entry(struct wire_writer *, const struct raft_entry *);
/* False behind the last. */
bool raft_message_get_entry(struct raft_message *, uint64_t *term, struct text *command);

#endif
