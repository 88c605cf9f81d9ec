/*
 * cluster: the store and its clients in a world: what a scenario runs.
 *
 *     world_init ── cluster_open ── nemesis ── world_start ── world_run ...
 *     cluster_stop ── heal ── cluster_settle ── cluster_findings ── cluster_history
 *
 * The door of this room is store/store.h.
 */
#ifndef STORE_CLUSTER_PRIVATE_H
#define STORE_CLUSTER_PRIVATE_H

#include "sim/disk.h"
#include "sim/world.h"
#include "store/bugs.h"
#include "store/clients/client.h"
#include "store/protocol_private.h"
#include "store/server_private.h"
#include "store/sometimes.h"
#include "store/store.h"

#define CLUSTER_PROBE_TABLE_NAME "probe" /* a table behind the workload's own */

/* What clients do, and what the store holds before. */
struct cluster_workload {
    const char *name;
    bool unique;
    const struct schema *schema;       /* without the probe table */
    const enum table_shape *shapes;
    const struct driver *driver;
    /* Calls back for each initial row. */
    enum status (*load)(void *context, struct cluster *, struct error *);
    void *load_context;
};

struct initial_row {
    uint32_t key;
    struct text row;
};

struct cluster {
    struct world *world;
    struct arena *arena;
    struct cluster_options options;
    struct pool_memory memory;
    struct pool pool;            /* of what outlives crashes: catalogs, clients */
    struct catalog catalog;
    struct run_record *record;
    struct server *servers;
    struct client **clients;
    struct sometimes sometimes;
    struct buggify buggify;
    ARRAY(struct initial_row) initial; /* by shard when shards are opened: see shard.c */
    struct equality *equality;   /* hash chains of the logs: store/equality_private.h */
    bool stopped;
    struct error failure;        /* the first; memory, usually */
    struct cluster_findings findings;
};

MUST_USE enum status cluster_open(struct cluster *, const struct cluster_options *,
                                  const struct cluster_workload *, struct world *, struct arena *,
                                  struct error *);
void cluster_close(struct cluster *);
/* For cluster_workload.load. */
MUST_USE enum status cluster_add_row(struct cluster *, uint32_t table, const struct datum *cells,
                                     struct error *);

/* Which nodes hold a shard. */
uint32_t cluster_replica_node(const struct cluster *, uint32_t shard, uint32_t index);
struct disk *cluster_disk(struct cluster *, uint32_t node);

/* See store_draw_anew(). */
void cluster_draw_anew(struct cluster *);
/* Clients begin nothing new. */
void cluster_stop(struct cluster *);
bool cluster_is_idle(const struct cluster *);
/* After all has healed: probes, and nothing prepared. Runs the world for at most the budget. */
MUST_USE enum status cluster_settle(struct cluster *, int64_t budget_ns, struct error *);
const struct cluster_findings *cluster_findings(struct cluster *);
/* The newest committed rows of a table when all is settled: calls back in the order of keys. */
MUST_USE enum status cluster_rows(struct cluster *, uint32_t table,
                                  enum status (*row)(void *context, const struct datum *cells,
                                                     struct error *),
                                  void *context, struct error *);
MUST_USE enum status cluster_history(struct cluster *, struct history *, struct error *);

/* For the trace: numbers of notes that servers and clients leave. */
enum store_note { NOTE_DECIDED, NOTE_ABORTED, NOTE_CLIENT_GAVE_UP };

#endif
