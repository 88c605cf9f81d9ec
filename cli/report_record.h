/*
 * report_record: prints what a recording of a real database came to, for people or as JSON.
 */
#ifndef CLI_REPORT_RECORD_H
#define CLI_REPORT_RECORD_H

#include "trial/run/record_trial.h"

struct record_report {
    const struct record_trial *trial;
    const struct jury *jury; /* the trial's, or what is known of it so far */
    const struct scenario *scenario; /* that asked for it, or NULL */
    const char *out;                 /* the folder that was written, or NULL */
};

enum verdict report_record_verdict(const struct record_report *);
void report_record_print(const struct record_report *, struct buffer *);
void report_record_print_json(const struct record_report *, struct buffer *);
/* What there is to record: `ordeal record recipes`. */
void report_record_recipes(bool json, struct buffer *);

#endif
