/*
 * watcher_clients: keeps which clients the watcher waits for, and the gaps in what they sent.
 *
 * Whom the watcher waits for. A client's lane lies in the pipeline, and its bound is what holds
 * others back:
 *
 *     heard of          bound: when its last transaction was over
 *     not heard of yet  bound: the newest time of the stream less the patience; one for each stream
 *     silent            no lane: judged without, and an open gap from when it was last heard of
 *     over              gone: its stream has ended, or it never saw the end of its last
 *                       transaction, after which a client goes on under a new session; or its
 *                       stream went on without it for a patience, and it is as good as not heard of
 *
 * What a stream has lost concerns each of its clients from when it was heard of last until it is
 * heard of again, and is laid as a gap then: until then its lane holds everybody back.
 */
#ifndef CHECKERS_INTERVAL_ONLINE_WATCHER_CLIENTS_PRIVATE_H
#define CHECKERS_INTERVAL_ONLINE_WATCHER_CLIENTS_PRIVATE_H

#include "checkers/interval/online/watcher.h"

/* Lines of a stream, in memory until the last of their transactions has been judged. */
struct watcher_batch {
    struct history history;
    uint32_t *key_of; /* by key of the history: the watcher's */
    struct keys keys; /* which are rows of tables, if it has the watcher's */
    bool has_rows;
    size_t left, bytes;
};

/* Opens the stream's place for those not heard of yet. */
MUST_USE enum status watcher_clients_begin_stream(struct watcher *, uint32_t stream,
                                                  struct error *);
/* A transaction has come: it is `*wanted` if it is to be judged, and waits then. */
MUST_USE enum status watcher_clients_hear(struct watcher *, uint32_t stream, struct watcher_batch *,
                                          uint32_t txn, bool *wanted, struct error *);
/* Something of the stream is lost, nobody knows what. */
void watcher_clients_lose(struct watcher *, uint32_t stream);
/* All lines of a batch have been heard: who was not heard of yet did not begin long before. */
void watcher_clients_advance(struct watcher *, uint32_t stream);
/* Nobody of the stream is waited for any longer; `is_lost`: and something may have been lost. */
MUST_USE enum status watcher_clients_end_stream(struct watcher *, uint32_t stream, bool is_lost,
                                                struct error *);
/* The one on top of the pipeline is judged without. */
void watcher_clients_give_up(struct watcher *, uint32_t client);
/* Where there is no more room: the one on top is waited for less. */
MUST_USE enum status watcher_clients_relieve(struct watcher *, uint32_t client, struct error *);
/* Whose stream has gone on without it for a patience is gone: it has nothing in flight. */
MUST_USE enum status watcher_clients_forget(struct watcher *, uint32_t client, bool *is_gone,
                                            struct error *);

#endif
