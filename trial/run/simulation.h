/*
 * simulation: builds the world of a scenario and runs it.
 *
 *     world ── ping or store ── nemeses ── run until duration ── heal ── settle ── verdict
 *
 * A simulation owns its arena and its world. It must not move while it is open, because the nemeses
 * are called back by address. Its result is a function of the scenario.
 */
#ifndef TRIAL_RUN_SIMULATION_H
#define TRIAL_RUN_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "checkers/checker.h"
#include "history/anomaly.h"
#include "history/progress.h"
#include "nemesis/nemesis.h"
#include "sim/ping.h"
#include "sim/world.h"
#include "store/store.h"
#include "trial/scenario/scenario.h"

#define SIMULATION_NODES_MAX 255
#define SIMULATION_FINDINGS_MAX (INVARIANT_COUNT_MAX + SCHEDULE_STEPS_MAX + 4)

/* Of a run, not of its history: stuck, replicas-differ, false-commit, invariant. */
struct finding {
    enum anomaly kind;
    char name[200]; /* of an invariant: which one; else empty */
    char explanation[400];
    uint64_t txns[FALSE_TXNS_MAX]; /* by their numbers: of false-commit */
    uint32_t txn_count;
};

/* Where a run writes down what it drew. */
struct recording {
    struct listed listing;     /* transactions, as they began */
    struct strike_log strikes; /* of nemeses */
};

/* Up to a moment a run is kept; then what is left to chance is drawn anew. */
struct redraw {
    bool is_wanted;
    int64_t at_ns;
    uint64_t seed;
};

/* What a run notes, uses and tells besides its result. All zero: nothing. */
struct run_options {
    struct trace_options trace;
    const struct progress *progress;
    struct recording *recording;
    struct coverage *coverage; /* what it reaches */
    bool notes_calls;          /* for simulation_call_log(): the workload must be calls or a schedule */
    struct arena *arena;       /* of runs, one after another; NULL: each has its own */
    struct redraw redraw;
    const char *memory; /* what a verdict's reason calls the limit: "--memory 4G"; or NULL */
    unsigned flags; /* enum trial_flag, see trial/run/run.h */
    /* What ends the run and its judging: it is too long then, or a checker is undecided. */
    const atomic_bool *stop;
    const char *unfinished; /* with `stop`: the reason of who is undecided by it */
    struct steering_choices *choices; /* where the run could have gone on otherwise, while clients are busy; or NULL */
};

struct simulation {
    struct arena arena;
    struct arena *lender; /* to whom it goes back, or NULL */
    struct arena_guard guard;
    struct world world;
    struct ping ping;
    struct program program; /* of a workload that has one */
    const char *program_path; /* the scenario's; NULL: there is none */
    struct store *store;    /* NULL: the nodes ping each other */
    struct nemeses nemeses;
    struct disk *disks[SIMULATION_NODES_MAX];
    uint32_t replicas[STORE_SHARDS_MAX * STORE_REPLICAS_MAX];
    struct digest trace;
    enum verdict verdict;
    struct finding findings[SIMULATION_FINDINGS_MAX];
    uint32_t finding_count;
    char unasked[200]; /* an invariant that nobody asked for, and why; empty: none */
    char too_long[300]; /* the budget that was over, and when: nothing is judged; else empty */
    int64_t wall_ns; /* how long it took; no part of the result */
};

/* Closed by simulation_close(), also after a failure. The options may be NULL. */
MUST_USE enum status simulation_run(struct simulation *, const struct scenario *,
                                    const struct run_options *, struct error *);
void simulation_close(struct simulation *);

/* A run whose options ask for it: what its clients called and were answered. */
MUST_USE enum status simulation_call_log(struct simulation *, struct buffer *, struct error *);
/* What the clients of the store saw. */
MUST_USE enum status simulation_history(struct simulation *, struct history *, struct error *);

/* The calls of its workload, for who draws them; texts are the scenario's. */
MUST_USE enum status simulation_make_calls(const struct scenario *, struct arena *,
                                           const struct program_call **, uint32_t *count,
                                           struct error *);
/* The scenario's nemeses, and behind them those that its swarm draws. */
uint32_t simulation_nemeses(const struct scenario *, struct nemesis_options *list);
/* Puts what the swarm draws into the scenario in its place: the same run, without a draw. */
void simulation_freeze_swarm(struct scenario *);
/* Whether the scenario asks for this kind of fault, so that it should have been felt. */
bool simulation_expects_fault(const struct scenario *, enum world_fault);
/* Whether its network or its disks have it all the time, without a nemesis. */
bool simulation_always_has_fault(const struct scenario *, enum world_fault);

#endif
