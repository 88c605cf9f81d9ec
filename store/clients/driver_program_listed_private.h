/*
 * driver_program_listed: calls of a program that are listed with all their arguments, and the listing of
 * those that are made (programs/workloads/listed.h).
 */
#ifndef STORE_CLIENTS_DRIVER_PROGRAM_LISTED_PRIVATE_H
#define STORE_CLIENTS_DRIVER_PROGRAM_LISTED_PRIVATE_H

#include "store/clients/driver_program_private.h"

MUST_USE enum status driver_program_listed_prepare(struct driver_program *, struct error *);
bool driver_program_listed_turn(void *context, uint32_t client, uint64_t ordinal, struct driver_turn *);
/* NULL: the client has no more. */
const struct listed_call *driver_program_listed_call(const struct driver_program *, uint32_t client,
                                              uint64_t ordinal);
/* Lists a call that is made. */
void driver_program_listed_add(struct driver_program *, uint32_t client, uint32_t function,
                  const struct datum *arguments);

#endif
