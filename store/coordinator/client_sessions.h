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
struct seat {
    uint64_t txn;     /* the newest here */
    uint32_t request; /* the last of it */
    bool is_answered;
    struct writer reply;
    enum client_reply_kind over; /* what later requests get once the transaction is gone */
    enum refusal refusal;
};

struct seats {
    struct server *server;
    struct pool *pool;
    VECTOR(struct seat) list; /* by client */
};

/* What a request means to who hears it. */
enum seat_news {
    SEAT_LATE,    /* nothing: the client has gone on since */
    SEAT_BEGINS,  /* a transaction begins; whichever was the seat's before is abandoned */
    SEAT_GOES_ON, /* the next request of the transaction at hand */
    SEAT_AGAIN,   /* the last request once more: see seats_repeat() */
    SEAT_ENDS,    /* the client wants no more of the transaction; nobody waits for a reply */
    SEAT_UNKNOWN, /* it never began here; the seat's before is abandoned: see seats_say_over() */
};

void seats_open(struct seats *, struct server *);
/* The address holds until another client is heard of. */
struct seat *seats_of(struct seats *, uint32_t client);
enum seat_news seat_hear(struct seat *, const struct client_request *);

/* The reply to the transaction's request at hand, if the client still wants it. */
void seats_reply(struct seats *, uint32_t client, uint64_t txn, struct client_reply *);
/* The transaction at hand is over, or never was. */
void seats_say_over(struct seats *, uint32_t client);
/* The last reply once more, if there is one. */
void seats_repeat(struct seats *, uint32_t client);

#endif
