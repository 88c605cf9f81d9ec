/*
 * report_explore: prints what an exploration found, for people or as JSON.
 */
#ifndef CLI_REPORT_EXPLORE_H
#define CLI_REPORT_EXPLORE_H

#include "base/text.h"
#include "checkers/checker.h"
#include "history/level.h"
#include "trial/explore/histories.h"
#include "trial/explore/schedules.h"

/* Of the simulated store. */
struct explore_store_report {
    struct schedules_result *result;
    const struct schedules_options *options; /* its scenario is the fixed one */
    enum level level;
    const char *left_out;    /* in words; empty: nothing */
    const char *interrupted; /* by what; NULL: it was not */
    const char *out;         /* the folder that repeats the first violation; NULL: there is none */
};

/* Valid: all schedules were run, and none is a violation. */
enum verdict report_explore_store_verdict(const struct explore_store_report *);
void report_explore_store_print(const struct explore_store_report *, struct buffer *);
/* One JSON object, and the end of the line. */
void report_explore_store_print_json(const struct explore_store_report *, struct buffer *);

/* Of all histories. */
struct explore_histories_report {
    const struct histories_result *result;
    const struct histories_options *options;
    const char *interrupted; /* by what; NULL: it was not */
    const char *out;         /* the folder with the first violation; NULL: there is none */
};

enum verdict report_explore_histories_verdict(const struct explore_histories_report *);
void report_explore_histories_print(const struct explore_histories_report *, struct buffer *);
void report_explore_histories_print_json(const struct explore_histories_report *, struct buffer *);

#endif
