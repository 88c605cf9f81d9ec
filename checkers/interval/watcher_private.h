/*
 * watcher_private: what the parts of the watcher share.
 *
 * watcher.c reads lines and gives transactions to the mirror; watcher_clients.c knows who is to be
 * waited for, and what may have been lost.
 */
#ifndef CHECKERS_INTERVAL_WATCHER_PRIVATE_H
#define CHECKERS_INTERVAL_WATCHER_PRIVATE_H

#include "checkers/interval/watcher.h"

/* Lines of a stream, in memory until the last of their transactions has been judged. */
struct watcher_batch {
    struct history history;
    uint32_t *key_of; /* by key of the history: the watcher's */
    struct keys keys; /* which are rows of tables, if it has the watcher's */
    bool has_rows;
    size_t left, bytes;
};

/* --- watcher_tables.c --- */

/* A header has come: its tables are kept, unless there are some. It takes over the history. */
MUST_USE enum status tables_take_header(struct watcher *, struct history *initial, struct error *);
void tables_close(struct watcher *);
/* Whether the batch has the watcher's tables. */
MUST_USE enum status tables_begin_batch(struct watcher *, struct watcher_batch *, struct error *);
/* Refuses a transaction with a condition that nobody can read. */
MUST_USE enum status tables_examine(struct watcher *, const struct watcher_batch *, uint32_t txn,
                                  struct error *);

/* --- watcher.c --- */

MUST_USE enum status watcher_map_keys(struct watcher *, const struct history *, uint32_t **key_of,
                                      struct error *);

/* --- watcher_clients.c --- */

/* Opens the stream's place for those not heard of yet. */
MUST_USE enum status clients_begin_stream(struct watcher *, uint32_t stream, struct error *);
/* A transaction has come: it is `*wanted` if it is to be judged, and waits then. */
MUST_USE enum status clients_hear(struct watcher *, uint32_t stream, struct watcher_batch *,
                                  uint32_t txn, bool *wanted, struct error *);
/* Something of the stream is lost, nobody knows what. */
void clients_lose(struct watcher *, uint32_t stream);
/* All lines of a batch have been heard: who was not heard of yet did not begin long before. */
void clients_advance(struct watcher *, uint32_t stream);
/* Nobody of the stream is waited for any longer; `is_lost`: and something may have been lost. */
MUST_USE enum status clients_end_stream(struct watcher *, uint32_t stream, bool is_lost,
                                        struct error *);
/* The one on top of the pipeline is judged without. */
void clients_give_up(struct watcher *, uint32_t client);
/* Where there is no more room: the one on top is waited for less. */
MUST_USE enum status clients_relieve(struct watcher *, uint32_t client, struct error *);
/* Whose stream has gone on without it for a patience is gone: it has nothing in flight. */
MUST_USE enum status clients_forget(struct watcher *, uint32_t client, bool *is_gone,
                                    struct error *);

#endif
