/*
 * report_run: prints the result of a run, for people or as JSON.
 */
#ifndef CLI_REPORT_RUN_H
#define CLI_REPORT_RUN_H

#include "base/text.h"
#include "trial/run/run.h"

struct run_report {
    const struct scenario *scenario;
    const struct trial *trial;
    const struct difference *difference; /* NULL: it ran once */
    const char *path;                    /* of the scenario, as it was given */
    const char *out;                     /* the folder that was written, or NULL */
    const char *const *sets;             /* what --set said */
    size_t set_count;
};

enum verdict report_run_verdict(const struct run_report *);
/* Lines of text. */
void report_run_print(const struct run_report *, struct buffer *);
/* One JSON object, and the end of the line. */
void report_run_print_json(const struct run_report *, struct buffer *);

#endif
