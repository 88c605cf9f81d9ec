/*
 * client: one session at a time, against whichever node it talks to.
 *
 * An endpoint of the world with a clock of its own. It runs its driver's
 * transactions one after another: each request is sent, sent again if there is
 * no answer in time (the coordinator says the same again), and given up at the
 * patience's end. A transaction that was aborted is tried again, as a new one,
 * after a random pause that grows; one whose commit was never answered is
 * *unknown*: it is not tried again, and the client goes on as a new session,
 * against another node.
 */
#ifndef STORE_CLIENTS_CLIENT_H
#define STORE_CLIENTS_CLIENT_H

#include "sim/world.h"
#include "store/clients/driver.h"
#include "store/coordinator/client_request.h"
#include "store/store.h"

struct cluster;

struct client;

extern const struct node_process client_process; /* its context is the struct client */

struct client *client_open(struct cluster *, uint32_t number, const struct client_options *,
                           const struct driver *);
/* Gives back what is not of the world's arena. */
void client_close(struct client *);
/* After world_draw_anew(): its pauses, and where it goes. */
void client_draw_anew(struct client *);
/* No new transactions from now on; the one at hand goes on to its end. */
void client_stop(struct client *);
/* It has no transaction of its driver's at hand. */
bool client_is_idle(const struct client *);
/*
 * Of one that is stopped, once: when it is idle it commits a write of a probe key on each shard,
 * one after another, and tries until they have committed.
 */
void client_probe(struct client *);
bool client_probes_done(const struct client *);
/*
 * Of one whose probes are done, once: its session goes on with another driver's transactions, each
 * tried until it commits, until the driver has no more. They are not counted.
 */
void client_follow(struct client *, const struct driver *);
/* The first shard whose probe has not committed, for the report. */
uint32_t client_stuck_shard(const struct client *);

#endif
