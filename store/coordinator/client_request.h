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
/* Of all the bytes that a client of this program sent: they are sound. */
struct client_request client_request_of(struct text bytes, struct arena *scratch);
void client_reply_put(struct wire_writer *, const struct client_reply *);
bool client_reply_get(struct wire_reader *, struct client_reply *, struct arena *scratch);
void client_request_describe(const struct client_request *, struct buffer *);
void client_reply_describe(const struct client_reply *, struct buffer *);

/*
 * The exchange of requests and replies between a node and its clients. Each
 * request takes effect once.
 *
 * A client has one request open at a time, and the ids of its transactions rise. So a node keeps,
 * of each client, the newest transaction, its last request and the reply. A repeated request gets
 * the same reply, or none while there is none yet. Late messages of an older transaction are
 * ignored.
 *
 * A transaction runs at one node at most: only the first sending of its first request starts it,
 * and that reaches one incarnation of one node.
 */

struct server;

/* The talk with one client. */
struct client_session {
    uint64_t txn;     /* the newest here */
    uint32_t request; /* the last of it */
    bool is_answered;
    struct wire_writer reply;
    enum client_reply_kind over; /* what later requests get once the transaction is gone */
    enum refusal refusal;
};

struct client_sessions {
    struct server *server;
    struct pool *pool;
    ARRAY(struct client_session) list; /* by client */
};

/* What a request means to who hears it. */
enum session_news {
    SESSION_LATE,    /* nothing: the client has gone on since */
    SESSION_BEGINS,  /* a transaction begins; whichever was the session's before is abandoned */
    SESSION_GOES_ON, /* the next request of the transaction at hand */
    SESSION_AGAIN,   /* the last request once more: see client_sessions_repeat() */
    SESSION_ENDS,    /* the client wants no more of the transaction; nobody waits for a reply */
    SESSION_UNKNOWN, /* it never began here; the session's before is abandoned: see client_sessions_say_over() */
};

void client_sessions_open(struct client_sessions *, struct server *);
/* The address holds until another client is heard of. */
struct client_session *client_sessions_find(struct client_sessions *, uint32_t client);
enum session_news client_session_hear(struct client_session *, const struct client_request *);
/* The reply to the transaction's request at hand, if the client still wants it. */
void client_sessions_reply(struct client_sessions *, uint32_t client, uint64_t txn,
                           struct client_reply *);
/* The transaction at hand is over, or never was. */
void client_sessions_say_over(struct client_sessions *, uint32_t client);
/* The last reply once more, if there is one. */
void client_sessions_repeat(struct client_sessions *, uint32_t client);

#endif
