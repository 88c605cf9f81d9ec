/*
 * checker_fixture: histories on a line, and what a checker makes of them.
 */
#ifndef TESTS_CHECKERS_CHECKER_FIXTURE_H
#define TESTS_CHECKERS_CHECKER_FIXTURE_H

#include "checkers/checker.h"
#include "tests/fixture.h"

/* Runs a checker, which must not refuse. The check is to be closed. */
struct check fixture_check(const char *checker, const struct history *, enum level, unsigned flags);

/* In tests/oracle/notation.h; the first finding's kind, or ANOMALY_COUNT for a valid verdict. */
enum anomaly fixture_first_kind(const char *checker, const char *notation, enum level);

/* Fails unless the verdict on the notation is that. */
void fixture_expect(const char *checker, const char *notation, enum level, enum verdict);

/* Whether some finding is of the kind. */
bool fixture_has_kind(const struct check *, enum anomaly);
/* Whether some finding of the kind is of exactly these transactions, by their ids. */
bool fixture_has_finding(const struct check *, const struct history *, enum anomaly,
                         const int64_t *ids, size_t count);

const char *fixture_verdict_name(enum verdict);

#endif
