/*
 * lattice: which level implies which, and which anomaly rules out which level.
 *
 *     strict-serializable          session-serializable
 *        |        \                  /        |
 *     strict-    serializable       /     session-snapshot
 *     snapshot    |        \       /       /     |
 *          \   snapshot    repeatable-read /   prefix
 *           \     |              |       /     causal
 *                 |              |             read-atomic
 *                   \             /            /
 *                    read-committed -- read-uncommitted
 *
 * and between these the models of Adya and Elle. A level that implies another forbids all
 * that the other forbids. The strict levels ask for real time and not for sessions;
 * read-atomic, causal and prefix do ask for sessions: docs/oracle.md.
 */
#ifndef CHECKERS_LATTICE_H
#define CHECKERS_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "history/anomaly.h"
#include "history/level.h"

bool lattice_implies(enum level stronger, enum level weaker);

/* The strongest and the weakest of a set of levels (LEVEL_BIT of each); LEVEL_COUNT of none. */
enum level lattice_strongest(uint64_t levels);
enum level lattice_weakest(uint64_t levels);

/* Whether a level forbids the anomaly: it implies the weakest of LEVELS that does. */
bool lattice_forbids(enum level, enum anomaly);

/* All levels and models that the anomaly rules out: the weakest, and what implies them. */
uint64_t lattice_ruled_out(enum anomaly);

/* What a cycle is closed by, besides reads and writes. */
enum closing { CLOSED_BY_DATA, CLOSED_BY_SESSION, CLOSED_BY_TIME };

enum closing lattice_closing(enum level);
bool lattice_is_snapshot(enum level);
bool lattice_is_serializable(enum level);

/* G0 to G2 with the suffix of what closes it. */
enum anomaly lattice_cycle(enum anomaly of_data, enum closing);

/* The order in which anomalies are told: lower is more severe. */
unsigned lattice_severity(enum anomaly);

#endif
