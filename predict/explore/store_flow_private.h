/*
 * store_flow: who reads from whom on a directed store, without its history.
 *
 * What the committed transactions were asked for is what they read. That is all, unless one looked through a table:
 * of such a table it is said to have read every row, also those that did not match, and those that came later as not
 * being there. Then some reads are too many: what satisfies a level with them satisfies it without them, too.
 */
#ifndef PREDICT_EXPLORE_STORE_FLOW_PRIVATE_H
#define PREDICT_EXPLORE_STORE_FLOW_PRIVATE_H

#include "base/map.h"
#include "predict/dataflow.h"
#include "predict/director/directed.h"

/* Memory of one after another. All zero is empty. */
struct store_flow {
    struct map keys; /* those that are written: numbers of the store, in the order of the flow's */
    bool is_exact;   /* of the last one: nobody looked through a table */
};

void store_flow_close(struct store_flow *);
/* All memory of the flow is of the arena. */
MUST_USE enum status store_flow_find(struct store_flow *, const struct directed *, struct arena *,
                                     struct dataflow *, struct error *);

#endif
