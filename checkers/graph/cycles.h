/*
 * cycles: finds which anomalies the cycles among given edges are, the most severe first.
 *
 *     G0             ww alone
 *     G1c            ww and wr
 *     G-single       one anti-dependency
 *     G-nonadjacent  several, none of which follows another
 *     G2-item        any number, all of items
 *     G2             any number, some of a predicate
 *
 * and each with -process or -realtime, where only session order or real time
 * closes it. Names as in Adya and Elle. A class that is found leaves out those that
 * it implies. Of each class a shortest cycle is told, as far as a budget of steps
 * goes; that there is one at all never depends on it.
 *
 * Nodes are transactions, and behind them waypoints: the barriers of real time, and
 * hubs between the many readers of a version and the many who overwrote it. A way
 * through waypoints is one edge: what is read stands on its first part, what
 * overwrote it on its last.
 */
#ifndef CHECKERS_GRAPH_CYCLES_H
#define CHECKERS_GRAPH_CYCLES_H

#include "base/array.h"
#include "checkers/check.h"
#include "checkers/proof/proof.h"
#include "history/anomaly.h"
#include "history/level.h"

/* The kinds of edges that a level looks at, a bit each. */
uint32_t cycles_kinds(enum level);
/*
 * What shows that one version is before another, in `by` of an edge. Each is an inference at
 * those levels only that would be violated if the versions stood the other way round.
 */
enum order_source {
    SOURCE_CERTAIN,       /* a list; the initial version; or no order was inferred at all */
    SOURCE_UPDATE,        /* a transaction read the one and wrote the other; of a wr: the reader
                             wrote the key as well */
    SOURCE_SESSION,       /* a session wrote or read the one, and later wrote the other; or wrote
                             the one, and later read the other */
    SOURCE_SESSION_READS, /* a session read the one, and later the other */
    SOURCE_TIME,          /* as with sessions, but completed and then invoked */
};

/* Those that a level may use: 1 << enum order_source of each. */
uint32_t cycles_sources(enum level);

struct cycles {
    uint32_t txn_count;                  /* nodes from here on are waypoints */
    const struct check_options *options; /* the caller's, may be NULL: it may want an end */
    struct edge *edges;                  /* the caller's, until cycles_close() */
    size_t edge_count;
    uint32_t *nodes; /* those at the edges' ends, rising */
    uint32_t node_count;
    uint32_t *from, *to; /* by edge: places in nodes */
    uint32_t *start;     /* by place, and one more: its edges, in by_from */
    uint32_t *by_from;   /* edges */
};

/* Closed by cycles_close(), also after a failure. */
MUST_USE enum status cycles_init(struct cycles *, uint32_t txn_count, struct edge *, size_t count,
                                 struct error *);
void cycles_close(struct cycles *);

/* Whether some cycle violates the level. */
MUST_USE enum status cycles_violate(const struct cycles *, enum level, bool *, struct error *);

struct found_cycle {
    enum anomaly kind;
    ARRAY(struct edge) edges; /* of transactions: waypoints are passed over */
};

/*
 * Tells of one component after the other: one cycle a class that violates the
 * level. False from `tell` ends it, and so does a wish of the options.
 */
MUST_USE enum status cycles_tell(const struct cycles *, enum level,
                                 enum status (*tell)(void *context, const struct found_cycle *,
                                                     bool *goes_on, struct error *),
                                 void *context, struct error *);

/* Adds a cycle to a check as a finding, in words and with its proof. */
MUST_USE enum status cycles_add_finding(struct check *, const struct history *, enum anomaly,
                                        const struct edge *, size_t count, struct error *);

/* For cycles_tell(): adds each cycle until the check has enough findings. */
struct cycles_teller {
    struct check *check;
    const struct history *history;
};

MUST_USE enum status cycles_tell_finding(void *teller, const struct found_cycle *, bool *goes_on,
                                         struct error *);

#endif
