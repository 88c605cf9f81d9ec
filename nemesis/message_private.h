/*
 * message: bursts in which links lose, delay, duplicate or reorder more than
 * the network's options say, and on top of them.
 *
 * They strike all links between nodes and with clients, or all links of the
 * victims, or drawn links from one node to another.
 */
#ifndef NEMESIS_MESSAGE_PRIVATE_H
#define NEMESIS_MESSAGE_PRIVATE_H

#include "nemesis/nemesis.h"

#define MESSAGE_CHANCE_DEFAULT ((struct ratio){ 1, 2 })
#define MESSAGE_DELAY_DEFAULT_NS (INT64_C(100) * 1000 * 1000)

/* Whether it hit a message shows at the release only. */
bool message_strike(struct nemesis *, struct world *);
void message_release(struct nemesis *, struct world *);
bool message_was_felt(struct nemesis *, struct world *);

#endif
