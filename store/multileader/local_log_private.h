/*
 * local_log: the durable log of a multi-leader node: applying, checkpoints, collecting.
 */
#ifndef STORE_MULTILEADER_LOCAL_LOG_PRIVATE_H
#define STORE_MULTILEADER_LOCAL_LOG_PRIVATE_H

#include "store/multileader/multileader_private.h"

void local_log_open(struct multileader *);
/* The disk has been read: the state is what the log holds. */
void local_log_recover(struct multileader *);
/* Behind the last; on the disk once multileader_log_work() has been called and time has passed. */
void local_log_push(struct multileader *, const struct delta *, struct text bytes);
/* Applies what is stored; whether there was anything. */
bool local_log_apply(struct multileader *);
/* Old entries are on no disk here any more: nobody needs them. */
void local_log_on_checkpoint(struct multileader *);
/* Every so often: begins the log anew, and collects old versions and removals. */
void local_log_checkpoint_if_due(struct multileader *);
void local_log_collect(struct multileader *);
struct text local_log_delta(const struct multileader *, uint32_t origin, uint64_t sequence);
/* A node is known to have stored so many transactions of an origin. */
void local_log_learn(struct multileader *, uint32_t node, uint32_t origin, uint64_t count);

#endif
