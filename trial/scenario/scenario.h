/*
 * scenario: what a scenario file says.
 *
 * A file is parsed into a tree of settings, the assignments of --set are put over them, and each
 * setting is looked up in the table of keys (trial/scenario/keys_private.h). Unknown keys, wrong types
 * and impossible values are errors with their line. Absent keys get the defaults of the table, so that
 * a struct scenario is complete. scenario_print() writes all of it as a file that reads back as the
 * same.
 *
 * A run does not change a scenario. What a run records, draws anew or prints is in struct run_options.
 */
#ifndef TRIAL_SCENARIO_SCENARIO_H
#define TRIAL_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "nemesis/nemesis.h"
#include "nemesis/strikes.h"
#include "nemesis/swarm.h"
#include "programs/workloads/builtin.h"
#include "programs/workloads/listed.h"
#include "record/database.h"
#include "sim/clock.h"
#include "sim/disk.h"
#include "sim/network.h"
#include "sim/ping.h"
#include "sim/steering.h"
#include "store/store.h"

#define SCENARIO_NAME_SIZE 200
#define SEED_MAX ((INT64_C(1) << 53) - 1)

/* Latency as it was given: struct latency forgets the percentile it came from. */
enum scenario_latency_kind { GIVEN_CONSTANT, GIVEN_UNIFORM, GIVEN_EXPONENTIAL, GIVEN_LOGNORMAL };

struct scenario_latency {
    enum scenario_latency_kind kind;
    int64_t first_ns, second_ns; /* constant; min, max; min, mean; median, p99 */
    int64_t tail_ns;
    struct ratio tail_chance; /* denominator 0: no tail */
};

#define SCENARIO_PATH_SIZE 1000
#define SCENARIO_CALL_SIZE 200
#define WORKLOAD_NAMES_MAX 32
#define CALLS_MAX 64
#define SCHEDULE_STEPS_MAX 100
#define TRANSACTIONS_MAX 100000
#define STEP_SESSION_SIZE 40
#define STEP_SQL_SIZE 1000
#define STEP_ROWS_SIZE 1000

/* X(KIND, name, what it is). Of a builtin and a program the name is another. */
#define WORKLOAD_KINDS(X)                                                                          \
    X(PING, "ping", "every node pings every other")                                                \
    X(BUILTIN, "builtin", "clients of the store run a built-in workload")                          \
    X(PROGRAM, "program", "clients of the store call the functions of a program")                  \
    X(SCHEDULE, "schedule", "clients of the store do the steps of a schedule in turn")

enum scenario_workload_kind {
#define WORKLOAD_ENUM(kind, name, summary) WORKLOAD_##kind,
    WORKLOAD_KINDS(WORKLOAD_ENUM)
#undef WORKLOAD_ENUM
        WORKLOAD_KIND_COUNT
};

struct scenario_cluster {
    uint32_t nodes, shards, replicas;
    const struct protocol *protocol;
    struct bugs bugs;
    int64_t heartbeat_ns, election_ns, retention_ns;
    int64_t ask_timeout_ns, in_doubt_ns, wait_ns, gossip_ns;
    uint32_t snapshot_entries;
};

struct scenario_clocks {
    struct clock_options options;
    int64_t max_offset_ns; /* what the store believes */
};

struct scenario_network {
    struct scenario_latency latency;
    struct link_options link; /* its latency made from the one above */
};

struct scenario_disk {
    struct scenario_latency read, write, sync;
    /* Latencies made from those above; the counts are for who makes the disks. */
    struct disk_config config;
    struct disk_faults faults; /* what disks suffer without a nemesis */
};

struct scenario_call {
    char procedure[SCENARIO_CALL_SIZE];
    uint32_t weight;
    uint32_t argument_count;
    char arguments[CALL_ARGUMENTS_MAX][SCENARIO_CALL_SIZE];
};

struct scenario_calls {
    uint32_t count;
    struct scenario_call at[CALLS_MAX];
};

/* What a step does: sql is of a statement. */
struct scenario_do {
    enum schedule_act act;
    char sql[STEP_SQL_SIZE];
    uint64_t line; /* of the file */
};

/* As in struct schedule_step. */
struct scenario_rows {
    bool are_given;
    char lines[STEP_ROWS_SIZE];
};

/* A [[schedule]] step. */
struct scenario_step {
    char session[STEP_SESSION_SIZE]; /* its name, or number */
    uint32_t session_number;         /* from 0, in the order in which they appear */
    struct scenario_do what;
    uint32_t expected;               /* see struct schedule_step */
    struct scenario_rows rows;
};

/* Of a scenario that a bisection made: docs/bisect.md. */
#define CAPSULE_LINE_SIZE 400

struct scenario_capsule {
    char version[40];              /* that made it; empty: the scenario is no capsule */
    char from[CAPSULE_LINE_SIZE];  /* what it was made of */
    char fails[CAPSULE_LINE_SIZE]; /* how: a signature */
    bool draws_by_time;            /* see sim/turn.h */
};

struct scenario_workload {
    enum scenario_workload_kind kind;
    bool is_scheduled; /* the scenario has a schedule */
    bool is_listed;    /* the scenario has transactions */
    struct builtin_options builtin;
    char program[SCENARIO_PATH_SIZE]; /* a file, found from where we stand */
    char load[SCENARIO_CALL_SIZE];
    struct scenario_calls calls;
    uint32_t sessions;
    struct client_options client;
    int64_t duration_ns; /* faults happen within it */
    int64_t settle_ns;   /* how long the healed world has to recover */
    struct ping_options ping;
};

/* [database]: a real database, instead of the simulated world. */
#define DATABASE_SETTINGS_MAX 32
#define DATABASE_LINE_SIZE 200

struct scenario_settings {
    uint32_t count;
    char at[DATABASE_SETTINGS_MAX][DATABASE_LINE_SIZE]; /* "key=value" */
};

struct scenario_database {
    const struct database *kind; /* NULL: the scenario has none */
    char topology[DATABASE_LINE_SIZE], connect[SCENARIO_PATH_SIZE], binaries[SCENARIO_PATH_SIZE];
    uint32_t isolation_plus_1; /* 0: the level that is checked */
    bool certificate;
    uint64_t rate;
    struct scenario_settings settings;
    char unused[DATABASE_LINE_SIZE]; /* what the file says of the simulated world alone; empty: nothing */
};

/* [check]: who judges, see trial/run/jury.h. */
struct check_wishes {
    uint32_t level_plus_1; /* 0: what the protocol promises */
    uint32_t is_listed;    /* then only these */
    uint32_t checkers;     /* a bit for each of checkers_all() */
    bool audits;           /* the answers of its calls, too */
    bool skips_workload;   /* nobody asks for the invariants of the workload or the program */
};

/* A query over the final rows of a run, and what it must give. */
#define INVARIANT_COUNT_MAX 32
#define INVARIANT_QUERY_SIZE 1000
#define INVARIANT_EQUALS_SIZE 100

struct invariant_options {
    char query[INVARIANT_QUERY_SIZE];
    char equals[INVARIANT_EQUALS_SIZE]; /* the value, as it is printed */
};

/* Where the file speaks of what is only found wrong as a run is built; 0: nowhere. */
struct scenario_lines {
    uint64_t workload, load;
    uint64_t calls[CALLS_MAX];
    uint64_t nemeses[NEMESIS_COUNT_MAX];
    uint64_t invariants[INVARIANT_COUNT_MAX];
};

struct scenario_block; /* memory of a scenario */
/* What a run may cost; 0: as docs/scenarios.md has it. */
struct scenario_limits {
    uint64_t events;
    int64_t simulated_ns;
};

struct scenario_source; /* of one that draws settings: what it was read from */

struct scenario {
    char name[SCENARIO_NAME_SIZE];
    uint64_t seed;
    struct scenario_cluster cluster;
    struct scenario_clocks clocks;
    struct scenario_network network;
    struct scenario_disk disk;
    struct scenario_workload workload;
    struct scenario_database database;
    struct swarm_options swarm;
    struct buggify_options buggify;
    struct nemesis_options nemeses[NEMESIS_COUNT_MAX];
    uint32_t nemesis_count;
    struct check_wishes check;
    struct scenario_limits limits;
    struct steering_options explore;
    struct invariant_options invariants[INVARIANT_COUNT_MAX];
    uint32_t invariant_count;
    struct scenario_step steps[SCHEDULE_STEPS_MAX];
    uint32_t step_count;
    struct scenario_capsule capsule;
    struct listed listing;      /* of a workload that is listed */
    struct scenario_lines lines;
    struct scenario_source *source; /* NULL: no setting is drawn */
    uint64_t drawn_seed;            /* that settings were drawn from */
    bool draws_protocol;            /* it has another protocol with another seed */
    struct scenario_block *blocks;
    bool is_borrowed; /* its memory is another's */
};

/*
 * Closed by scenario_close(), also after a failure.
 *
 * Reads `path`, or `text` under that name, and puts the `set_count`
 * assignments over it. Errors name the file and the line, or the assignment.
 */
MUST_USE enum status scenario_load(struct scenario *, const char *path, const char *const *sets,
                                   size_t set_count, struct error *);
MUST_USE enum status scenario_read(struct scenario *, const char *path, struct text text,
                                   const char *const *sets, size_t set_count, struct error *);

void scenario_close(struct scenario *);

/*
 * The same scenario with another seed: what the seed draws of its settings is drawn anew, and
 * where `draws` is given, also from those seeds. `of` must outlive what is made of it. Closed by
 * scenario_close(), also after a failure.
 */
MUST_USE enum status scenario_with_seed(struct scenario *, const struct scenario *of,
                                        uint64_t seed, const struct swarm_draws *draws,
                                        struct error *);
/* Likewise, in its place. If it is refused, the scenario stays as it was. */
MUST_USE enum status scenario_take_seed(struct scenario *, uint64_t seed, struct error *);
/* Zeroed, until scenario_close(); NULL: there is no memory. */
void *scenario_keep(struct scenario *, size_t count, size_t size);

/* As TOML, every key with its value. */
void scenario_print(const struct scenario *, struct buffer *);

/* Where every node holds every row, the number of replicas means nothing beyond the nodes. */
uint32_t scenario_replicas(const struct scenario_cluster *);

const char *scenario_workload_name(enum scenario_workload_kind);
const char *scenario_workload_summary(enum scenario_workload_kind);

void scenario_draws_print(const struct swarm_draws *, struct buffer *);

/*
 * A range of seeds, "1..100" or "7", as in --seeds: both included, at the most SEED_MAX, the first not
 * above the last.
 */
MUST_USE enum status scenario_read_seeds(const char *text, uint64_t *first, uint64_t *last,
                                         struct error *);

/* --- Folders of scenarios, and the one that comes with the program --- */

#define SCENARIO_FOLDER_SIZE 4096 /* of a path */

enum folder_content { FOLDER_SCENARIOS, FOLDER_FOLDERS };

struct folder_names {
    ARRAY(char *) names;
};

bool scenario_folder_is_there(const char *path);
/* What is in it and has no dot in front, in the order of names. Closed, whatever the status. */
MUST_USE enum status scenario_folder_read(const char *folder, enum folder_content,
                                          struct folder_names *, struct error *);
void scenario_folder_close(struct folder_names *);
/* ./scenarios, or what was installed beside the program. */
bool scenario_folder_find(char path[SCENARIO_FOLDER_SIZE]);

#endif
