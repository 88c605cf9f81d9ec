/*
 * client_sessions: a node's talk with its clients, in which everything is done once.
 *
 * A client has one request open at a time, and its transactions' ids rise. So all
 * that must be kept of the talk with it is its newest transaction here, the last
 * request of that, and the reply: the seat. A repeated request gets the reply
 * again, or nothing as long as there is none; nothing that comes late from an
 * older transaction can start it again.
 *
 * A transaction is at one node or at none: it is started by the first sending of
 * its first request only, which reaches one incarnation of one node.
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
    SEAT_LATE,    /* nothing: the client has gone on since */
    SEAT_BEGINS,  /* a transaction begins; whichever was the seat's before is abandoned */
    SEAT_GOES_ON, /* the next request of the transaction at hand */
    SEAT_AGAIN,   /* the last request once more: see client_sessions_repeat() */
    SEAT_ENDS,    /* the client wants no more of the transaction; nobody waits for a reply */
    SEAT_UNKNOWN, /* it never began here; the seat's before is abandoned: see client_sessions_say_over() */
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
