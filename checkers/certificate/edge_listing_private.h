/*
 * edge_listing: lists the edges between transactions, by rank, for a graph to be built.
 *
 *     struct edge_listing l;
 *
 *     edge_listing_init(&l, c, LISTING_ALL);
 *     l.counts_in = &graph;
 *     TRY(edge_listing_run(&l, err));
 *
 * A node is a rank; at the levels of snapshot there are two of each, 2 * rank where
 * the transaction begins and behind it where it commits. Each has a time: that of
 * its place, and of beginnings that of what they see. An edge leads forward so far
 * as its ends' times are apart. Those that lead forward by the span or more are
 * left out.
 */
#ifndef CHECKERS_CERTIFICATE_EDGE_LISTING_PRIVATE_H
#define CHECKERS_CERTIFICATE_EDGE_LISTING_PRIVATE_H

#include "checkers/certificate/certificate_private.h"
#include "checkers/graph/graph.h"

#define LISTING_ALL INT64_MAX
#define LISTING_BACKWARD 1 /* nothing that leads forward */

struct listed_pair {
    uint32_t from, to;
};

struct edge_listing {
    struct certificate *certificate;
    uint32_t kinds; /* of edges, a bit each */
    bool is_snapshot;
    int64_t span;
    bool stops_backward;       /* ends at the first edge that does not lead forward */
    struct graph *counts_in;   /* or NULL */
    struct graph *adds_to;     /* or NULL */
    struct listed_pair *pairs; /* of those that were counted, the first */
    size_t pair_count, pair_room;
    bool has_backward; /* there was one */
    bool has_loop;     /* from a node to itself */

    /* The transaction at hand. */
    uint32_t rank, first, seen, low, high;
    bool is_plain;
};

/* Of the kinds that the check's level looks at. */
void edge_listing_init(struct edge_listing *, struct certificate *, int64_t span);
MUST_USE enum status edge_listing_run(struct edge_listing *, struct error *);
void edge_listing_close(struct edge_listing *);

/* Of a node of a rank. */
int64_t edge_listing_time(const struct edge_listing *, uint32_t node);

#endif
