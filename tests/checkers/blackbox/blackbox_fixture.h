/*
 * blackbox_fixture: the checker `blackbox` asked many questions about one history, and what it
 * must hold for each answer.
 *
 * Whoever fails prints the history, so that it can be given to `ordeal check` as it is.
 */
#ifndef TESTS_CHECKERS_BLACKBOX_BLACKBOX_FIXTURE_H
#define TESTS_CHECKERS_BLACKBOX_BLACKBOX_FIXTURE_H

#include "checkers/checker.h"
#include "tests/fixture.h"

/* The levels that it decides; whether the level asks for times. */
#define BLACKBOX_LEVELS 6
extern const enum level blackbox_levels[BLACKBOX_LEVELS];
bool blackbox_needs_time(enum level);

/* A question: a history, what it is called in messages, and how it is to be judged. */
struct blackbox_question {
    const struct history *history;
    const char *what;
    uint64_t seed;
    struct check_options options;
    int64_t patience_ns; /* then the answer is unknown; 0: without end */
};

/*
 * Asks. Fails the test if the check is refused, contradicts itself, or has a witness
 * that verify refuses. CHECK_WITNESS need not be set.
 */
enum verdict blackbox_ask(const struct blackbox_question *);

/* Fails the test, with the history and the question. */
void blackbox_fail(const struct blackbox_question *, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
