/*
 * Which test a history of Jepsen's is of, where its operations are no transactions. A single
 * operation does not say: [3 4] may be what was read of a register whose key is 3, a set, a bank's
 * balances. All of the file does:
 *
 *     acquire, release                            a mutex
 *     transfer, or a read of a map                a bank
 *     add                                         a set or a counter
 *     write, and a read of several values         comments: which writes could be seen
 *     read or write of [[:r k v] ...]             transactions after all
 *     read, write, cas                            registers
 */
#ifndef HISTORY_FOREIGN_JEPSEN_SURVEY_PRIVATE_H
#define HISTORY_FOREIGN_JEPSEN_SURVEY_PRIVATE_H

#include "history/foreign/jepsen_events_private.h"

MUST_USE enum status jepsen_survey(struct jepsen_reader *, struct events *, struct error *);
/* The same of a format that has registers alone. */
void jepsen_survey_registers(struct jepsen_reader *);

#endif
