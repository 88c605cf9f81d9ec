/*
 * progress: how a long piece of work reports how far it is.
 *
 * Readers count bytes taken from outside, writers transactions. It is told
 * every few hundred thousand of them: whoever shows it need not hurry.
 */
#ifndef HISTORY_PROGRESS_H
#define HISTORY_PROGRESS_H

#include <stdint.h>

#include "base/text.h"

struct progress {
    void (*report)(void *context, uint64_t done, uint64_t total); /* total 0: unknown */
    void (*begin)(void *context, const char *what);               /* the next piece of work; or NULL */
    /* What else there is to tell, in a few words, shown with the next report; or NULL. */
    void (*note)(void *context, struct text words);
    void *context;
};

/* Without somebody to tell, nothing. */
static inline void progress_report(const struct progress *progress, uint64_t done, uint64_t total)
{
    if (progress && progress->report)
        progress->report(progress->context, done, total);
}

static inline void progress_begin(const struct progress *progress, const char *what)
{
    if (progress && progress->begin)
        progress->begin(progress->context, what);
}

#endif
