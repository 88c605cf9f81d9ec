/*
 * record_history: a record, made into a history: its transactions in the order in which they began, then
 * the version orders.
 */
#ifndef STORE_CLIENTS_RECORD_HISTORY_H
#define STORE_CLIENTS_RECORD_HISTORY_H

#include "store/clients/record.h"

/* A history with its certificate: version orders by place of the writers. */
MUST_USE enum status record_history_finish(struct run_record *, struct history *, struct error *);

#endif
