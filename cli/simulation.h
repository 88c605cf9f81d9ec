/*
 * simulation: one run of a scenario, from its world to its verdict.
 *
 *     world ── nemeses ── run until duration ── heal ── settle ── verdict
 *
 * A simulation owns its arena and its world, and stays where it is while it is
 * open: the nemeses are called back by address. What it did is a function of
 * the scenario alone.
 */
#ifndef CLI_SIMULATION_H
#define CLI_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/progress_bar.h"
#include "cli/scenario.h"
#include "nemesis/nemesis.h"
#include "sim/ping.h"
#include "sim/world.h"

enum verdict { VERDICT_VALID, VERDICT_INVALID, VERDICT_UNKNOWN };

struct simulation {
    struct arena arena;
    struct world world;
    struct ping ping;
    struct nemeses nemeses;
    struct digest trace;
    enum verdict verdict;
    int64_t wall_ns; /* how long it took; no part of the result */
};

/* Closed by simulation_close(), also after a failure. */
MUST_USE enum status simulation_run(struct simulation *, const struct scenario *,
                                    const struct trace_options *, struct progress_bar *,
                                    struct error *);
void simulation_close(struct simulation *);

/*
 * The nemeses of the scenario, and behind them those that its swarm draws for
 * its seed. Returns how many of the NEMESIS_COUNT_MAX these are.
 */
uint32_t simulation_nemeses(const struct scenario *, struct nemesis_options *list);
/* Writes what the swarm draws into the scenario, in place of the swarm: the run stays the same. */
void simulation_freeze_swarm(struct scenario *);

/* Whether the scenario asks for this kind of fault, so that it should have been felt. */
bool simulation_expects_fault(const struct scenario *, enum fault_kind);

const char *verdict_name(enum verdict);
enum exit_code verdict_exit_code(enum verdict);

#endif
