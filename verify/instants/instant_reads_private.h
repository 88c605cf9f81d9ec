/*
 * instant_reads: steps about reads of items, and of rows that came.
 */
#ifndef VERIFY_INSTANTS_INSTANT_READS_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_READS_PRIVATE_H

#include "verify/instants/instant_proof.h"

/* What a read, or a look, saw of the key is this version, by its number or VERSION_INITIAL. */
MUST_USE enum status instant_sees(struct proof *, const struct visible_reader *, uint32_t version,
                                  struct error *);
MUST_USE enum status instant_reads(struct proof *, struct error *);
MUST_USE enum status instant_overwrites(struct proof *, struct error *);
MUST_USE enum status instant_installed(struct proof *, struct error *);
MUST_USE enum status instant_precedes(struct proof *, struct error *);
MUST_USE enum status instant_unread(struct proof *, struct error *);
MUST_USE enum status instant_own_read(struct proof *, struct error *);

#endif
