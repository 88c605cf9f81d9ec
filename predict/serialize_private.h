/*
 * serialize: whether a trace is serializable: an order of its transactions, or none.
 *
 *     t reads k from w, c writes k, too:      c before t  =>  c before w
 *                                             w before c  =>  t before c
 *
 * Known orders are bit rows, kept transitive, and these two rules are applied until nothing is new. A cycle then is a
 * cycle of edges that every order must have. Otherwise the transactions are put in an order that fits what is known,
 * as near to the order they stand in as may be; if some read does not fit it, one way and then the other is tried.
 */
#ifndef PREDICT_SERIALIZE_PRIVATE_H
#define PREDICT_SERIALIZE_PRIVATE_H

#include <stdatomic.h>

#include "predict/dataflow.h"

enum serialize_answer { SERIALIZE_ORDER, SERIALIZE_CYCLE, SERIALIZE_NO_ORDER, SERIALIZE_STOPPED };

/* The transactions in order, where there is one, are of the arena. SERIALIZE_CYCLE: the rules alone find a cycle. */
MUST_USE enum status serialize(const struct dataflow *, struct arena *, const atomic_bool *stop,
                               enum serialize_answer *, uint32_t **order, struct error *);

#endif
