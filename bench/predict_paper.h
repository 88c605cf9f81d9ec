/*
 * predict_paper: the figures of tables 4 to 7 of "IsoPredict: Dynamic Predictive Analysis for Detecting
 * Unserializable Behaviors in Weakly Isolated Data Store Applications" (Geng, Blanas, Bond and Wang, PLDI 2024), of
 * ten runs each on a Xeon at 2.3 GHz, with 24 hours for each prediction.
 */
#ifndef BENCH_PREDICT_PAPER_H
#define BENCH_PREDICT_PAPER_H

#include <stdbool.h>

#include "history/level.h"
#include "predict/prediction.h"

/* Tables 4 and 5: of ten runs; seconds below 0: there were none. */
struct paper_prediction {
    int unknown, none, predicted, validated, diverged;
    double thousand_literals, generate_seconds, predicted_seconds, none_seconds;
};

/* NULL: the paper has none. */
const struct paper_prediction *paper_prediction(const char *program, bool is_large, enum level,
                                                enum predict_strategy);

/* Tables 6 and 7: percentages of a hundred runs; below 0: not there. */
struct paper_chance {
    int failed, unserializable, isopredict, mysql_failed;
};

const struct paper_chance *paper_chance(const char *program, bool is_large, enum level);

#endif
