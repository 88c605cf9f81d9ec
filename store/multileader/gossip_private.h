/*
 * gossip: anti-entropy between the nodes of a multi-leader store.
 */
#ifndef STORE_MULTILEADER_GOSSIP_PRIVATE_H
#define STORE_MULTILEADER_GOSSIP_PRIVATE_H

#include "store/multileader/multileader_private.h"

void gossip_message(struct multileader *, uint32_t node, struct wire_reader *);
/* Own transactions that are stored now go to everybody. */
void gossip_tell(struct multileader *);
void gossip_tick(struct multileader *);

#endif
