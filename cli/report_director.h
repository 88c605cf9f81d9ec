/*
 * report_director: prints what a run on the directed store came to, for people or as JSON.
 */
#ifndef CLI_REPORT_DIRECTOR_H
#define CLI_REPORT_DIRECTOR_H

#include "trial/run/director_trial.h"

struct director_report {
    const struct director_trial *trial;
    const char *again; /* the command line that repeats it */
    const char *out;   /* the folder, or NULL */
    bool was_twice, differs;
};

enum verdict report_director_verdict(const struct director_report *);
void report_director_print(const struct director_report *, struct buffer *);
void report_director_print_json(const struct director_report *, struct buffer *);

#endif
