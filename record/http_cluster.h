/*
 * http_cluster: the nodes of a server that speaks HTTP: of our own, on this machine, or those
 * that --connect names, separated by commas.
 *
 *     static const struct http_program program = { .ready = "/health", .words = words, ... };
 *     TRY(http_cluster_open(server, sizeof *etcd, &program, options, version, err));
 *     ... http_cluster_url(&etcd->cluster, client) ...
 *     http_cluster_close(&etcd->cluster);
 *     free(etcd);
 *
 * Nodes of our own are started one after another; each must be ready before the next begins, unless
 * the program says that they wait for each other.
 */
#ifndef RECORD_HTTP_CLUSTER_H
#define RECORD_HTTP_CLUSTER_H

#include "record/binaries.h"
#include "record/database.h"
#include "record/http.h"
#include "record/own_server.h"

#define HTTP_NODES_MAX 8

struct http_cluster;

/* How a server is started. */
struct http_program {
    const char *title; /* as in struct database */
    struct binary binary;
    const char *ready;        /* a path that answers 200 when a node can be used */
    const char *version;      /* a path that answers its version, */
    const char *version_mark; /* between this and the next quotation mark */
    bool starts_together;     /* a node is ready only when others are */
    /* The words behind the program's name, each ending in a zero byte. */
    void (*words)(const struct http_cluster *, unsigned node, struct buffer *);
};

struct http_cluster {
    const struct http_program *program;
    struct database_options options;
    bool has_table;           /* that is to be dropped if the server is not ours */
    struct own_server server; /* folder empty: it is not ours */
    unsigned node_count;
    char urls[HTTP_NODES_MAX][200];        /* "http://127.0.0.1:4001" */
    unsigned client_ports[HTTP_NODES_MAX]; /* of nodes of our own, */
    unsigned peer_ports[HTTP_NODES_MAX];   /* and how they reach each other */
    char path[OWN_SERVER_PATH_SIZE + 64];
};

/* "single", one node, and "cluster", three. */
extern const char *const http_cluster_modes[];

/*
 * Makes a server of this size, whose first field is the cluster, and says its version. Closed by
 * http_cluster_close(), whatever the status, if it is there.
 */
MUST_USE enum status http_cluster_open(void **server, size_t size, const struct http_program *,
                                       const struct database_options *, struct buffer *version,
                                       struct error *);
void http_cluster_close(struct http_cluster *);

/* The node that a client talks to. */
const char *http_cluster_url(const struct http_cluster *, uint32_t client);
/* A connection to it, if it is ready. */
MUST_USE enum status http_cluster_connect(const struct http_cluster *, uint32_t client,
                                          struct http **, struct error *);

/* A fault of one node after another, as struct database has it. */
MUST_USE enum status http_cluster_fault(void *server, enum database_fault, bool begins,
                                        uint32_t turn, bool *is_felt, struct error *);

#endif
