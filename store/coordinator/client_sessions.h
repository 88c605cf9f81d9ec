/*
 * client_sessions: the exchange of requests and replies between a node and its clients. Each
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
#ifndef STORE_COORDINATOR_CLIENT_SESSIONS_H
#define STORE_COORDINATOR_CLIENT_SESSIONS_H

#include "store/coordinator/client_request.h"

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
