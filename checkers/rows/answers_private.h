/*
 * answers_private: parses the texts of orders and aggregates.
 */
#ifndef CHECKERS_ROWS_ANSWERS_PRIVATE_H
#define CHECKERS_ROWS_ANSWERS_PRIVATE_H

#include "checkers/rows/answers.h"

#define ORDER_TERMS_MAX 8

struct order_term {
    uint16_t column;
    bool descends, nulls_first;
};

enum aggregate_function {
    FUNCTION_COUNT_ROWS,
    FUNCTION_COUNT,
    FUNCTION_SUM,
    FUNCTION_MIN,
    FUNCTION_MAX,
    FUNCTION_AVG
};

/* "min(v)": false, if it is none of one column. */
bool answer_parse_aggregate(const struct history *, uint32_t table, struct text,
                            enum aggregate_function *, uint16_t *column);

#endif
