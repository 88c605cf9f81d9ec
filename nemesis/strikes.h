/*
 * strikes: what a nemesis did, written down so that it can be done again.
 *
 *     { at = "1.5s", lasts = "20ms", nodes = [0, 2] }
 *
 * A nemesis draws when it strikes, whom, and for how long. A log of its strikes has
 * all of that; a nemesis whose strikes are listed (struct nemesis_options) draws
 * nothing. What is drawn while a strike holds, such as which messages are lost, is
 * drawn by those who suffer it.
 *
 * A partition lists its first side; of a ring and a bridge all nodes, in order. A
 * strobe or an offset of a clock is listed as steps, one for each flicker.
 */
#ifndef NEMESIS_STRIKES_H
#define NEMESIS_STRIKES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "nemesis/options.h"

struct nemesis;

struct logged_strike {
    uint32_t place; /* of its nemesis among all */
    struct nemesis_strike strike;
};

/* Zero is empty. Owns what its strikes point to. */
struct strike_log {
    ARRAY(struct logged_strike) list;
    bool is_short; /* of memory: it is not complete */
};

void strike_log_close(struct strike_log *);
MUST_USE enum status strike_log_status(const struct strike_log *, struct error *);
/* A strike that has just taken effect, or that may. */
void strike_log_add(struct strike_log *, const struct nemesis *);
/* One clock has been stepped by a strobe, away or back. */
void strike_log_flicker(struct strike_log *, const struct nemesis *, uint32_t node, int64_t by_ns);

/* The shape that a nemesis of this shape has where its strikes are listed. */
enum nemesis_shape strikes_shape(enum nemesis_shape);
/* Whether they say whose clock goes by how much, and which links they strike. */
bool strikes_have_by(enum nemesis_shape);
bool strikes_have_links(enum nemesis_shape);
/* Whether they list no node at all: whom they strike follows from the shape. */
bool strikes_have_no_nodes(enum nemesis_shape);

/* What makes no sense among so many nodes. */
MUST_USE enum status strikes_check(const struct nemesis_options *, uint32_t node_count,
                                   struct error *);

#endif
