/*
 * read_uses: what a query that was read makes of the columns of its sources.
 *
 *     SELECT w FROM t WHERE id = 7       looks for one id, and no other column than w and id makes a difference
 */
#ifndef VERIFY_CALLS_READ_USES_PRIVATE_H
#define VERIFY_CALLS_READ_USES_PRIVATE_H

#include "verify/calls/reader_private.h"

#define READ_SOURCES_MAX 60 /* of a query */

/* Which of its conditions say what a column has to be. */
void read_pins(struct reader *, struct selection *);
/* Which columns make no difference: to what is found, and to what comes of it. */
void read_unused(struct selection *);

#endif
