/*
 * without: a history once more, without some of its transactions.
 *
 * What stays is copied operation by operation. The versions of those taken out
 * leave the version orders; whoever had read from them would be refused.
 */
#ifndef TESTS_PROGRAMS_MACHINE_WITHOUT_H
#define TESTS_PROGRAMS_MACHINE_WITHOUT_H

#include "base/error.h"
#include "history/history.h"

MUST_USE enum status history_without(const struct history *, const int64_t *ids, unsigned id_count,
                                     struct history *, struct error *);

#endif
