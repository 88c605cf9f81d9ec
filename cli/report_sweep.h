/*
 * report_sweep: prints the result of a sweep, for people, as JSON, or as XML for build servers.
 *
 * Everything but the time, the tries that were made again and damage is a function of the tally. So a sweep that was killed and resumed, and
 * merged shards, print what a single machine would print.
 */
#ifndef CLI_REPORT_SWEEP_H
#define CLI_REPORT_SWEEP_H

#include "trial/sweep/tally.h"

struct sweep_report {
    const struct plan *plan;
    const struct tally *tally; /* sorted */
    int64_t wall_ns;
    const char *interrupted; /* by which signal; NULL: it was not */
    const char *journal;     /* its folder; NULL: there is none */
    uint64_t damaged;        /* lines of the journals that were passed over */
    uint64_t tried_again; /* tries that the machine failed, and that were made again */
};

/* Runs that the plan has and nobody has made. */
uint64_t report_sweep_missing(const struct sweep_report *);

void report_sweep_print(const struct sweep_report *, struct buffer *);
/* One JSON object, and the end of the line. */
void report_sweep_print_json(const struct sweep_report *, struct buffer *);
/* JUnit's XML: a suite for each scenario, a case for each run. */
void report_sweep_print_junit(const struct sweep_report *, struct buffer *);

#endif
