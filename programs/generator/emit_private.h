/* emit: hands finished transactions to the builder, in the order in which they were invoked. */
#ifndef PROGRAMS_GENERATOR_EMIT_PRIVATE_H
#define PROGRAMS_GENERATOR_EMIT_PRIVATE_H

#include "programs/generator/generator_private.h"

/* Notes a version: the next of its key. */
MUST_USE enum status emit_version(struct generator *, uint32_t key, uint32_t txn, struct error *);
MUST_USE enum status emit_header(struct generator *, struct error *);
/* Hands over the records that are done, up to the first that is not. */
MUST_USE enum status emit_done(struct generator *, struct error *);
MUST_USE enum status emit_version_orders(struct generator *, struct error *);

#endif
