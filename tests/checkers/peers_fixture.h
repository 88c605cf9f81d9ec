/*
 * peers_fixture: histories that other checkers are tested with, and what their tests assert.
 *
 * A row is a history in tests/oracle/notation.h with the levels at which it must hold and must
 * not, and the anomalies that must be named. Each level of a row is asked of the checker, whose
 * witness verify must accept, and of the oracle wherever it can judge: who errs, the peer, the
 * one who wrote the row down or the checker, is seen at once. All rows that fail are told, not
 * the first alone.
 */
#ifndef TESTS_CHECKERS_PEERS_FIXTURE_H
#define TESTS_CHECKERS_PEERS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "history/anomaly.h"
#include "history/history.h"
#include "history/level.h"

#define AT(level) LEVEL_BIT(LEVEL_##level)
#define KIND(anomaly) (UINT64_C(1) << ANOMALY_##anomaly)

struct peer_row {
    const char *what, *notation;
    enum level asked;
    uint64_t kinds;           /* found at the level asked; none: it holds there */
    uint64_t holds, violated; /* further levels */
};

void peers_expect(const char *checker, const struct peer_row *rows, size_t count);

/* A history that is too long for a line. The row's notation is not read. */
void peers_expect_of(const char *checker, const struct history *, const struct peer_row *);

#endif
