/*
 * recent: whether something came before, of so much as came last.
 *
 * A recorder that goes on after a restart, or that does not know what has arrived, sends again
 * what it had sent. Two generations of codes are kept, each of as many as RECENT_KEPT: when the younger
 * is full, the elder goes. So what came within the last RECENT_KEPT is known again, and memory has a
 * limit.
 */
#ifndef CHECKERS_INTERVAL_ONLINE_RECENT_PRIVATE_H
#define CHECKERS_INTERVAL_ONLINE_RECENT_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"

#define RECENT_KEPT ((size_t)1 << 15)

struct recent {
    struct map generations[2];
    unsigned younger;
};

void recent_close(struct recent *);
/* Keeps the code; `is_known`: it came before. */
MUST_USE enum status recent_add(struct recent *, uint64_t code, bool *is_known, struct error *);

#endif
