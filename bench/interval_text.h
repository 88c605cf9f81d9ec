/*
 * interval_text: a history as native text, watched as one stream.
 *
 * Apart from what makes the history, whose names are those of the simulated world.
 */
#ifndef BENCH_INTERVAL_TEXT_H
#define BENCH_INTERVAL_TEXT_H

#include <stdint.h>

#include "base/error.h"
#include "checkers/interval/profile.h"
#include "history/history.h"

struct text_figures {
    double seconds;                              /* of the processor, the text being there */
    uint64_t dependencies, overlapping, deduced; /* 0: the profile's times say nothing of them */
};

MUST_USE enum status text_measure(const struct history *, const struct profile *,
                                  struct text_figures *, struct error *);

#endif
