/*
 * report_predict: prints what was predicted from a history, for people or as JSON.
 */
#ifndef CLI_REPORT_PREDICT_H
#define CLI_REPORT_PREDICT_H

#include "base/json_writer.h"
#include "cli/prediction_story.h"
#include "predict/none_proof.h"
#include "predict/validate.h"

struct predict_report {
    const struct dataflow *observed; /* that the prediction is of: of semantic, who takes part */
    const struct dataflow *whole;    /* all that was observed */
    const struct prediction *prediction;     /* unknown if it was not confirmed */
    const struct confirmation *confirmation; /* of a prediction that was */
    const struct predict_options *options;
    const char *engine;
    bool is_of_cells; /* what was observed is in no file: it was made of one */
    const struct validation *validation; /* NULL: it was not asked for */
    const struct none_proof *none; /* NULL: it was not asked for, or there is a prediction */
    const char *folder; /* of --out; NULL: none */
    const char *scenario; /* whose run it is; NULL: none */
    const struct predict_calls *calls; /* of what was executed; NULL: there are none */
    const char *program; /* the file with their functions */
    int64_t parse_ns, ns;
};

MUST_USE enum status report_predict_print(const struct predict_report *, struct buffer *,
                                          struct error *);
/* docs/predict.md */
void report_predict_members(const struct predict_report *, struct json_writer *);

/* Whether there is something to write: a prediction, or a proof that there is none. */
bool report_predict_has_files(const struct predict_report *);
/* Writes it into a folder. */
MUST_USE enum status report_predict_write(const struct predict_report *, const char *folder,
                                          struct error *);

#endif
