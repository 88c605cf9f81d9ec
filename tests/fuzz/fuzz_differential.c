/*
 * fuzz_differential: bytes as the choices of a wild history, which no two checkers, nor `verify`, nor
 * the oracle contradict each other about (tests/differential/contest.h). What fails is made smaller
 * and printed.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/differential/contest.h"
#include "tests/differential/wild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct contest contest = { .oracle_steps_max = 500 };
    struct finding finding = { 0 };
    struct buffer text = { 0 };
    struct dice dice;
    bool holds;

    if (size > 0)
        contest.variant = data[0];
    dice_of_bytes(&dice, size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
    wild_history(&dice, &text);
    holds = contest_holds_of_text(&contest, (struct text){ text.at, text.count }, &finding);
    if (!holds) {
        contest_shrink(&contest, &text, &finding);
        printf("%s\n%s\n%.*s", finding.signature, finding.details, (int)text.count, text.at);
        fflush(stdout);
    }
    buffer_close(&text);
    assert(holds);
    return 0;
}
