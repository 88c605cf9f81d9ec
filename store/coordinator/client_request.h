/*
 * client_request: what clients ask of coordinators, and what they hear.
 *
 * A client has one request open at a time. Requests of a transaction are numbered
 * from 1; a coordinator that gets the same number again says the same again. The
 * number 1, sent for the first time, starts the transaction. Any other request of
 * a transaction that the coordinator does not know gets REPLY_GONE, also a
 * repeated number 1: it may have been served by the coordinator that stood here
 * before a crash, and a transaction never lives at two coordinators.
 */
#ifndef STORE_COORDINATOR_CLIENT_REQUEST_H
#define STORE_COORDINATOR_CLIENT_REQUEST_H

#include "store/shard/shard_message.h"

enum client_request_kind {
    CLIENT_READ,
    CLIENT_WRITE,
    CLIENT_COMMIT,
    CLIENT_ABORT, /* no reply is waited for */
    CLIENT_REQUEST_KIND_COUNT
};

struct client_request {
    enum client_request_kind kind;
    uint64_t txn;    /* given by the record: unique in a run, rising */
    uint32_t number;
    bool is_repeat;    /* it was sent before */
    struct stamp seen; /* the session's last commit, or what it has read (multi-leader: unused) */
    struct text session; /* multi-leader: what the session has seen, opaque; else empty */
    /* READ */
    const uint32_t *keys;
    uint32_t key_count;
    uint32_t scope;
    enum row_lock lock;
    bool for_write;
    bool first_table; /* of a join; else true */
    /* WRITE */
    const struct row_change *changes;
    uint32_t change_count;
};

enum client_reply_kind {
    REPLY_DONE,      /* read or written; of a commit: committed */
    REPLY_ABORTED,   /* the transaction is over and has no effect */
    REPLY_GONE,      /* this coordinator knows no such transaction, and does nothing for it */
    REPLY_UNKNOWN,   /* of a commit: the coordinator cannot tell */
    CLIENT_REPLY_KIND_COUNT
};

struct client_reply {
    enum client_reply_kind kind;
    uint64_t txn;
    uint32_t number;
    enum refusal refusal; /* why aborted */
    struct stamp at;      /* READ: of a statement with a snapshot of its own; COMMIT: C */
    const struct read_row *rows; /* by keys: one for each, in order; own writes included */
    uint32_t row_count;
    /* Multi-leader: what each key of the scope's table was read at, for the certificate's `set`. */
    const struct seen_key *seen;
    uint32_t seen_count;
    struct text session;
};

/* As with asks: arrays that are read go into the scratch, texts are views into the bytes. */
void client_request_put(struct wire_writer *, const struct client_request *);
bool client_request_get(struct wire_reader *, struct client_request *, struct arena *scratch);
void client_reply_put(struct wire_writer *, const struct client_reply *);
bool client_reply_get(struct wire_reader *, struct client_reply *, struct arena *scratch);
void client_request_describe(const struct client_request *, struct buffer *);
void client_reply_describe(const struct client_reply *, struct buffer *);

#endif
