/*
 * execute: runs one transaction on the versions, at a place that its level allows.
 *
 * A try may be refused: then the steps run again at a later place. Nothing is
 * written down for others, and no value is made, before a try has come through.
 */
#ifndef PROGRAMS_GENERATOR_EXECUTE_PRIVATE_H
#define PROGRAMS_GENERATOR_EXECUTE_PRIVATE_H

#include "programs/generator/generator_private.h"

/* An ordinary transaction, committing now. Leaves its record done. */
MUST_USE enum status execute_transaction(struct generator *, struct actor *, int64_t now,
                                         struct error *);

#endif
