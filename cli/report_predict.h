/*
 * report_predict: prints what was predicted from a history, for people or as JSON.
 */
#ifndef CLI_REPORT_PREDICT_H
#define CLI_REPORT_PREDICT_H

#include "base/json_writer.h"
#include "cli/prediction_story.h"
#include "predict/validate.h"

struct predict_report {
    const struct dataflow *observed;
    const struct prediction *prediction;     /* unknown if it was not confirmed */
    const struct confirmation *confirmation; /* of a prediction that was */
    const struct predict_options *options;
    const char *engine;
    const struct validation *validation; /* NULL: it was not asked for */
    const char *folder; /* of --out; NULL: none */
    int64_t parse_ns, ns;
};

MUST_USE enum status report_predict_print(const struct predict_report *, struct buffer *,
                                          struct error *);
/* docs/predict.md */
void report_predict_members(const struct predict_report *, struct json_writer *);

/* Writes the files of a prediction that was confirmed into a folder. */
MUST_USE enum status report_predict_write(const struct predict_report *, const char *folder,
                                          struct error *);

#endif
