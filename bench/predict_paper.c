#include "bench/predict_paper.h"

#include <stddef.h>
#include <string.h>

#define PROGRAMS 4
#define SIZES 2
#define STRATEGIES 3 /* exact-strict, approx-strict, approx-relaxed */

static const char *const programs[PROGRAMS] = { "smallbank", "voter", "tpcc", "wikipedia" };

/* By program, size and strategy. */
static const struct paper_prediction table_4[PROGRAMS][SIZES][STRATEGIES] = {
    {
        { { 0, 6, 4, 4, 0, 140, 8.8, 13.9, 11.3 },
          { 0, 6, 4, 4, 1, 366, 22.9, 1, 3.2 },
          { 0, 0, 10, 9, 1, 366, 22.9, 0.6, -1 } },
        { { 4, 1, 5, 5, 1, 1073, 55.6, 8618.9, 2366.2 },
          { 1, 0, 9, 9, 0, 2175, 121, 332.5, -1 },
          { 0, 0, 10, 10, 0, 1073, 118.8, 19.3, -1 } },
    },
    {
        { { 0, 10, 0, 0, 0, 687, 61.7, -1, 64.5 },
          { 0, 10, 0, 0, 0, 1526, 131.7, -1, 10.4 },
          { 0, 10, 0, 0, 0, 1526, 132.1, -1, 10 } },
        { { 9, 1, 0, 0, 0, 2623, 235.1, -1, 5708.7 },
          { 0, 10, 0, 0, 0, 5623, 490.5, -1, 47.2 },
          { 0, 10, 0, 0, 0, 5623, 496.1, -1, 47.1 } },
    },
    {
        { { 0, 1, 9, 9, 0, 3493, 220.4, 230.4, 752.3 },
          { 0, 1, 9, 9, 0, 6508, 425.8, 35.1, 105.2 },
          { 0, 0, 10, 10, 0, 6508, 425.5, 22.7, -1 } },
        { { 4, 3, 3, 3, 0, 36434, 1914.6, 30413.1, 24281.2 },
          { 2, 0, 8, 8, 0, 60834, 3416.1, 1210.3, -1 },
          { 0, 0, 10, 10, 2, 60834, 3332.3, 186.2, -1 } },
    },
    {
        { { 1, 9, 0, 0, 0, 180, 13.9, -1, 24 },
          { 0, 10, 0, 0, 0, 529, 36.3, -1, 1.3 },
          { 0, 8, 2, 2, 1, 529, 36.3, 2.5, 1 } },
        { { 8, 1, 1, 1, 0, 1773, 111.9, 910.2, 1876.8 },
          { 0, 9, 1, 1, 0, 4316, 263.7, 15.6, 30.1 },
          { 0, 8, 2, 2, 2, 4316, 258.3, 20.3, 25.3 } },
    },
};

static const struct paper_prediction table_5[PROGRAMS][SIZES][STRATEGIES] = {
    {
        { { 0, 0, 10, 10, 0, 144, 10, 2.3, -1 },
          { 0, 0, 10, 10, 0, 370, 24.3, 0.8, -1 },
          { 0, 0, 10, 10, 0, 370, 24.4, 0.6, -1 } },
        { { 0, 0, 10, 9, 1, 1085, 60.3, 624.6, -1 },
          { 0, 0, 10, 10, 1, 2187, 124.5, 19, -1 },
          { 0, 0, 10, 10, 1, 2187, 128.7, 51.7, -1 } },
    },
    {
        { { 0, 0, 10, 10, 2, 688, 62.5, 12.9, -1 },
          { 0, 0, 10, 10, 7, 1527, 133, 12.3, -1 },
          { 0, 0, 10, 10, 10, 1527, 132.7, 12.7, -1 } },
        { { 0, 0, 10, 10, 2, 2625, 255.7, 212, -1 },
          { 0, 0, 10, 10, 6, 5625, 491.7, 76.2, -1 },
          { 0, 0, 10, 10, 10, 5625, 495.2, 75.4, -1 } },
    },
    {
        { { 0, 0, 10, 10, 0, 3855, 359, 52, -1 },
          { 0, 0, 10, 10, 0, 6869, 569.2, 27.2, -1 },
          { 0, 0, 10, 10, 3, 6869, 588.9, 22.8, -1 } },
        { { 0, 0, 10, 10, 2, 38062, 2571, 898.6, -1 },
          { 0, 0, 10, 10, 2, 62462, 3981.9, 279.7, -1 },
          { 0, 0, 10, 10, 4, 62462, 4040.4, 201, -1 } },
    },
    {
        { { 2, 1, 7, 7, 2, 184, 15.4, 3.9, 8 },
          { 0, 3, 7, 7, 1, 533, 38.3, 2.1, 0.5 },
          { 0, 3, 7, 7, 7, 533, 38.1, 1.7, 0.5 } },
        { { 0, 0, 10, 10, 1, 1807, 124.6, 81.4, -1 },
          { 0, 0, 10, 10, 1, 4350, 272.8, 29.2, -1 },
          { 0, 0, 10, 9, 10, 4350, 272.9, 16.9, -1 } },
    },
};

/* IsoPredict with approx-relaxed; of 24 transactions that is what table 4 says. */
static const struct paper_chance table_6[PROGRAMS][SIZES] = {
    { { 70, 98, 90, -1 }, { 84, 100, 100, -1 } },
    { { 70, 80, 0, -1 }, { 56, 80, 0, -1 } },
    { { 98, 100, 100, -1 }, { 100, 100, 100, -1 } },
    { { 0, 11, 20, -1 }, { 0, 19, 20, -1 } },
};

/* IsoPredict with approx-strict. */
static const struct paper_chance table_7[PROGRAMS][SIZES] = {
    { { 100, 100, 100, 0 }, { 100, 100, 100, 0 } },
    { { 89, 100, 100, 0 }, { 95, 100, 100, 0 } },
    { { 100, 100, 100, 50 }, { 100, 100, 100, 70 } },
    { { 54, 54, 70, 0 }, { 89, 89, 100, 0 } },
};

static size_t find_program(const char *program)
{
    size_t i = 0;

    while (i < PROGRAMS && strcmp(programs[i], program) != 0)
        i++;
    return i;
}

const struct paper_prediction *paper_prediction(const char *program, bool is_large,
                                                enum level level, enum predict_strategy strategy)
{
    size_t i = find_program(program);

    if (i == PROGRAMS || strategy >= STRATEGIES)
        return NULL;
    return level == LEVEL_CAUSAL           ? &table_4[i][is_large][strategy]
           : level == LEVEL_READ_COMMITTED ? &table_5[i][is_large][strategy]
                                           : NULL;
}

const struct paper_chance *paper_chance(const char *program, bool is_large, enum level level)
{
    size_t i = find_program(program);

    if (i == PROGRAMS)
        return NULL;
    return level == LEVEL_CAUSAL           ? &table_6[i][is_large]
           : level == LEVEL_READ_COMMITTED ? &table_7[i][is_large]
                                           : NULL;
}
