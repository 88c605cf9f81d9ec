/*
 * jepsen_write: a history as Jepsen's operations, in EDN or JSON, one a line.
 *
 * Where every transaction has times and each session does one thing after another, a transaction is
 * an invocation and a completion, at their times; a transaction of unknown outcome never
 * completes. Otherwise it is a completion alone, and the times are lost.
 */
#ifndef HISTORY_FOREIGN_JEPSEN_WRITE_PRIVATE_H
#define HISTORY_FOREIGN_JEPSEN_WRITE_PRIVATE_H

#include "history/foreign/foreign_private.h"

MUST_USE enum status jepsen_examine(const struct history *, uint32_t *losses, struct error *);
MUST_USE enum status jepsen_write(const struct history *, bool is_json, struct sink *,
                                  struct error *);

#endif
