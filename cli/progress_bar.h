/*
 * progress_bar: shows the progress of a long piece of work at a terminal.
 *
 *     writing  [#########           ]  43%   12.3 M/s   4 s left
 *
 * It is drawn on standard error, at most ten times a second, and wiped out at the end. Nothing is
 * written if standard error is no terminal.
 */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "history/progress.h"

struct progress_bar {
    bool is_shown, is_drawn;
    const char *what; /* "reading" */
    const char *unit; /* "B", or "" for things without a unit */
    char note[200];   /* behind the bar */
    int64_t began_ns, drawn_ns;
};

void progress_bar_begin(struct progress_bar *, const char *what, const char *unit);
/* Starts the next piece of work on the same line. */
void progress_bar_next(struct progress_bar *, const char *what, const char *unit);
void progress_bar_end(struct progress_bar *);
/* Wipes it out, until there is something to tell. */
void progress_bar_clear(struct progress_bar *);
/* A line above the bar, where there is one. */
void progress_bar_say(struct progress_bar *, const struct buffer *line);

/* For functions that tell a struct progress. The bar must outlive it. */
struct progress progress_bar_listener(struct progress_bar *);

/* The line itself, after this much time; a total of 0 is unknown. */
void progress_bar_print(const struct progress_bar *, uint64_t done, uint64_t total,
                        int64_t elapsed_ns, struct buffer *);

#endif
