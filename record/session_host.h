/*
 * session_host: sessions of a database that is a library, each in a process of its own, so that what the
 * processes share is on trial, and one of them can be killed.
 *
 *     TRY(session_host_start(&host, &calls, server, clients, err));     before there are threads
 *     session_host_stay(&host, &calls, server);                         or: sessions are in this process
 *     TRY(session_host_open(&session, &host, client, err));
 *     TRY(session_host_steps(session, steps, count, &answer, err));
 *     session_host_close(session);
 *     session_host_stop(&host);
 *
 * A process of ours without threads stays aside and forks one for each session; what it has of `server`
 * is the state at session_host_start(). Steps and answers go through a socket. All of them end when we do.
 */
#ifndef RECORD_SESSION_HOST_H
#define RECORD_SESSION_HOST_H

#include <pthread.h>
#include <sys/types.h>

#include "record/database.h"

/* What the processes call, as in struct database. */
struct session_calls {
    enum status (*open)(void **session, void *server, uint32_t client, struct error *);
    enum status (*steps)(void *session, const struct database_step *, uint32_t count,
                         struct database_answer *, struct error *);
    void (*close)(void *session);
};

struct session_host {
    const struct session_calls *calls;
    void *server;
    pid_t pid; /* 0: it is not started */
    int socket;
    uint32_t clients;
    pthread_mutex_t mutex; /* for the socket, and what follows */
    pid_t *pids;           /* by client; 0: it has no process */
};

/* Stopped by session_host_stop(), whatever the status. */
MUST_USE enum status session_host_start(struct session_host *, const struct session_calls *,
                                        void *server, uint32_t clients, struct error *);
/* For those that are in processes of their own by one mode alone: calls go straight to the sessions. */
void session_host_stay(struct session_host *, const struct session_calls *, void *server);
void session_host_stop(struct session_host *);

MUST_USE enum status session_host_open(void **session, struct session_host *, uint32_t client,
                                       struct error *);
MUST_USE enum status session_host_steps(void *session, const struct database_step *, uint32_t count,
                                        struct database_answer *, struct error *);
void session_host_close(void *session);

/*
 * DATABASE_KILL and DATABASE_PAUSE of one client's process after another; a killed one begins anew. False:
 * the client has no process now, or it was there to end a kill.
 */
bool session_host_fault(struct session_host *, enum database_fault, bool begins, uint32_t turn);
/* A signal to the process of a client; false: it has none. After SIGKILL the session is lost. */
bool session_host_signal(struct session_host *, uint32_t client, int signal);

#endif
