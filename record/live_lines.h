/*
 * live_lines: a recording as native text while it goes on, for somebody who watches.
 *
 *     TRY(live_lines_open(&live, &source, err));            the header is there to be taken
 *     TRY(live_lines_add(&live, log, err));                 in a client's thread: its last transaction
 *     live_lines_take(&live, &lines);                       in the thread that watches
 *     live_lines_close(&live);
 *
 * Each client's transactions come in their order. Their numbers are not those of the history that is
 * made at the end.
 */
#ifndef RECORD_LIVE_LINES_H
#define RECORD_LIVE_LINES_H

#include <pthread.h>

#include "record/record_history.h"

struct live_lines {
    struct record_source source;
    pthread_mutex_t mutex; /* what follows */
    struct buffer lines;
    uint64_t txn_count;
};

/* The source has no logs. Closed by live_lines_close(), whatever the status. */
MUST_USE enum status live_lines_open(struct live_lines *, const struct record_source *,
                                     struct error *);
void live_lines_close(struct live_lines *);
MUST_USE enum status live_lines_add(struct live_lines *, const struct client_log *, struct error *);
/* All that came since the last time, in the place of what was in the buffer. */
void live_lines_take(struct live_lines *, struct buffer *lines);

#endif
