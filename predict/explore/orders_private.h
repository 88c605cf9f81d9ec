/*
 * orders: whether the transactions of a small trace have an order of commits as a level above causal asks for.
 *
 * Prefix and snapshot become serializability when each transaction is split: all its reads at one point, its writes
 * at a later one. (Biswas and Enea, OOPSLA 2019, 4.)
 *
 *     serializable    reads and writes of a transaction next to each other
 *     prefix          reads of t before its writes, and behind the writes of the one before it in its session
 *     snapshot        likewise, and those that write a key in common do not overlap
 *
 * A set of points that stand in front determines what may come next, in whatever order they stand: the writes of t
 * may, once all have read a version that these replace. So the search goes through sets, and sees each once.
 */
#ifndef PREDICT_EXPLORE_ORDERS_PRIVATE_H
#define PREDICT_EXPLORE_ORDERS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/map.h"
#include "history/level.h"
#include "predict/dataflow.h"

#define ORDERS_TXNS_MAX 32 /* two points of each in a word */

/* Who writes a key may not come between the writer and a reader of it. */
struct order_gap {
    uint32_t other; /* a writer, too */
    uint64_t writes,
        reads; /* the points of the writer and of the reader; no writer: the initial state */
};

/* Memory of searches, one after another. All zero is empty. */
struct orders {
    struct map dead; /* sets from which there is no way on */
    ARRAY(struct order_gap) gaps;
};

void orders_close(struct orders *);
/* The level is prefix, snapshot or serializable; the trace has at most ORDERS_TXNS_MAX transactions. */
MUST_USE enum status orders_exist(struct orders *, const struct dataflow *, enum level, bool *exist,
                                  struct error *);

#endif
