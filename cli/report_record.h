/*
 * report_record: prints what a recording of a real database came to, for people or as JSON.
 */
#ifndef CLI_REPORT_RECORD_H
#define CLI_REPORT_RECORD_H

#include "record/record.h"
#include "trial/run/jury.h"

struct record_report {
    const struct record_plan *options;
    const struct recorded_run *recording;
    const struct jury *jury;
    const char *out; /* the folder that was written, or NULL */
};

/* The jury's, unless the recording itself found something. */
enum verdict report_record_verdict(const struct record_report *);
void report_record_print(const struct record_report *, struct buffer *);
void report_record_print_json(const struct record_report *, struct buffer *);
/* What there is to record: `ordeal record recipes`. */
void report_record_recipes(bool json, struct buffer *);

#endif
