/*
 * watch_again: with which clock error nothing would have been found in streams that were files.
 *
 * Pipes are gone once they have been read; files can be watched again, as often as it takes
 * (clock_error.h).
 */
#ifndef CLI_WATCH_AGAIN_H
#define CLI_WATCH_AGAIN_H

#include <stddef.h>

#include "checkers/interval/online/watcher.h"

/* The watcher is the one that found something in these files; 0: nobody knows. */
MUST_USE enum status watch_again_for_clocks(const struct watcher *, const char *const *paths,
                                            size_t count, int64_t *ns, struct error *);

#endif
